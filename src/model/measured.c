#include "model/measured.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/idmap.h"
#include "model/ids.h"
#include "model/sort_by.h"
#include "model/sources.h"

#include <stdlib.h>

/* A row of timeseries, of measure_filter or of process. */
typedef struct series_row {
    ts_cell source, itid; /* of a filter: ipid of its process */
    ts_cell cpu;
    ts_text name, unit;
} series_row;

typedef struct series_build {
    ts_model *m;
    ts_ctx *ctx;
    ts_series_list *list;
    ts_cell root;      /* the only source that is in no other */
    ts_idmap by_id[3]; /* of `rows`: timeseries, measure_filter, process */
    ts_vec rows;       /* of series_row */
} series_build;

#define NO_SOURCE ((ts_cell){0, true})

enum { BY_SERIES, BY_FILTER, BY_PROCESS };

static ts_code keep_text(ts_text *out, series_build *b, ts_text text)
{
    uint32_t id = 0;
    ts_code code = ts_pool_intern(b->ctx, &id, NULL, &b->list->texts, text);
    *out = code == TS_OK ? ts_pool_text(&b->list->texts, id) : TS_TEXT_NULL;
    return code;
}

static ts_code keep_cell(ts_text *out, series_build *b, const ts_batch *batch, unsigned column,
                         unsigned i)
{
    *out = TS_TEXT_NULL;
    return batch->columns[column].null[i] ? TS_OK
                                          : keep_text(out, b, ts_cell_text(batch, column, i));
}

/* A number in a name: "CPU 0". */
static ts_code keep_number(ts_text *out, series_build *b, const char *what, int64_t number)
{
    ts_buf text = {0};
    ts_code code = ts_buf_printf(b->ctx, &text, "%s %lld", what, (long long)number);
    TS_STEP(code, keep_text(out, b, ts_buf_text(&text)));
    ts_buf_free(b->ctx, &text);
    return code;
}

static ts_code series_read(series_build *b, const ts_batch *batch, unsigned i, unsigned which)
{
    enum { ID, NAME, OTHER, UNIT, SOURCE };
    uint64_t place = b->rows.n;
    ts_code code;
    if (batch->columns[ID].null[i] ||
        ts_idmap_find(&place, &b->by_id[which], batch->columns[ID].ints[i])) {
        return TS_OK;
    }
    series_row *row = ts_vec_add(b->ctx, &b->rows, sizeof *row);
    TS_NEED(b->ctx, row);
    row->source = which == BY_SERIES ? ts_cell_of(batch, SOURCE, i) : b->root;
    row->itid = ts_cell_of(batch, OTHER, i);
    row->cpu.null = true;
    if (which == BY_FILTER) {
        ts_text type = ts_cell_text(batch, UNIT, i);
        row->cpu = ts_text_is(type, "cpu_measure_filter") ? row->itid : row->cpu;
        row->itid.null = row->itid.null || !ts_text_is(type, "process_measure_filter");
    }
    if ((code = keep_cell(&row->name, b, batch, NAME, i)) != TS_OK ||
        (which == BY_SERIES && (code = keep_cell(&row->unit, b, batch, UNIT, i)) != TS_OK)) {
        return code;
    }
    return ts_idmap_put(b->ctx, &b->by_id[which], batch->columns[ID].ints[i], place);
}

static ts_code series_tables(series_build *b)
{
    static const struct {
        enum ts_table_id table;
        unsigned count;
        unsigned columns[5];
    } tables[] = {{TS_T_timeseries,
                   5,
                   {TS_C_timeseries__id, TS_C_timeseries__name, TS_C_timeseries__itid,
                    TS_C_timeseries__unit, TS_C_timeseries__source_id}},
                  {TS_T_measure_filter,
                   4,
                   {TS_C_measure_filter__id, TS_C_measure_filter__name,
                    TS_C_measure_filter__source_arg_set_id, TS_C_measure_filter__type}},
                  {TS_T_process, 3, {TS_C_process__id, TS_C_process__name, TS_C_process__pid}}};
    const ts_rows_from *from = ts_model_rows(b->m);
    ts_code code = TS_OK;
    for (unsigned t = 0; code == TS_OK && t < 3; t++) {
        ts_walk rows = ts_walk_of(*from, tables[t].table, tables[t].columns, tables[t].count);
        bool there = ts_rows_there(from, tables[t].table, tables[t].columns, tables[t].count);
        while (there && ts_walk_next(&code, &rows)) {
            code = series_read(b, rows.b, rows.row, t);
        }
    }
    return code;
}

static const series_row *row_by(const series_build *b, unsigned which, int64_t id)
{
    uint64_t place;
    return ts_idmap_find(&place, &b->by_id[which], id) ? (const series_row *)b->rows.p + place
                                                       : NULL;
}

/* The name of a thread or a process, or what it is with its number. */
static ts_code series_owner(series_build *b, ts_series *s, const series_row *row)
{
    const ts_threads *threads;
    const series_row *process = NULL;
    ts_code code = ts_threads_get(&threads, b->m);
    if (code != TS_OK || row == NULL) {
        return code;
    }
    if (!row->cpu.null) {
        return keep_number(&s->owner, b, "CPU", row->cpu.value);
    }
    if (row->itid.null) {
        return TS_OK;
    }
    if (s->kind == TS_LANE_SERIES) {
        const ts_thread_entry *t = ts_threads_at(threads, row->itid.value);
        if (t == NULL || (t->name.p == NULL && t->tid == INT64_MIN)) {
            return TS_OK;
        }
        return t->name.p != NULL ? keep_text(&s->owner, b, t->name)
                                 : keep_number(&s->owner, b, "thread", t->tid);
    }
    process = row_by(b, BY_PROCESS, row->itid.value);
    if (process == NULL || (process->name.p == NULL && process->itid.null)) {
        return TS_OK;
    }
    s->owner = process->name;
    return process->name.p != NULL ? TS_OK
                                   : keep_number(&s->owner, b, "process", process->itid.value);
}

static ts_code series_add(series_build *b, const ts_time_lanes *lanes, uint32_t lane)
{
    const ts_lane *l = (const ts_lane *)lanes->lanes.p + lane;
    bool columns = lanes->kind >= TS_LANE_CPU_USAGE;
    const series_row *row =
        columns ? NULL
                : row_by(b, lanes->kind == TS_LANE_SERIES ? BY_SERIES : BY_FILTER, l->number);
    ts_series *s = ts_vec_add(b->ctx, &b->list->all, sizeof *s);
    ts_code code;
    TS_NEED(b->ctx, s);
    *s = (ts_series){.kind = lanes->kind,
                     .lane = lane,
                     .id = l->number,
                     .source = row != NULL                     ? row->source
                               : lanes->kind == TS_LANE_SERIES ? NO_SOURCE
                                                               : b->root,
                     .itid = {0, true},
                     .ipid = {0, true},
                     .name = row == NULL ? TS_TEXT_NULL : row->name,
                     .unit = row == NULL ? TS_TEXT_NULL : row->unit};
    if (row != NULL && lanes->kind == TS_LANE_SERIES) {
        s->itid = row->itid;
    } else if (row != NULL) {
        s->ipid = row->itid;
    }
    if (!columns) {
        return series_owner(b, s, row);
    }
    s->name = ts_text_of(ts_lane_column(lanes, l)->name);
    s->unit = ts_text_of(ts_lane_column(lanes, l)->unit);
    s->unit = s->unit.n == 0 ? TS_TEXT_NULL : s->unit;
    s->pid = l->itid.value;
    if (l->name != TS_NO_INDEX) {
        return keep_text(&s->owner, b, ts_pool_text(&lanes->names, l->name));
    }
    code = l->itid.null ? TS_OK : keep_number(&s->owner, b, "process", l->itid.value);
    return code;
}

static int compare_series(const void *a, const void *b)
{
    const ts_series *x = a;
    const ts_series *y = b;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
           : x->id != y->id   ? (x->id > y->id) - (x->id < y->id)
           : x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid)
                              : (x->lane > y->lane) - (x->lane < y->lane);
}

static void series_free(ts_ctx *ctx, void *what)
{
    ts_series_list *list = what;
    ts_vec_free(ctx, &list->all);
    ts_pool_free(ctx, &list->texts);
    ts_free(ctx, list);
}

static ts_code series_root(ts_cell *root, ts_model *m)
{
    const ts_sources *sources;
    ts_code code = ts_sources_get(&sources, m);
    const ts_source_entry *all = code == TS_OK ? sources->rows.p : NULL;
    size_t roots = 0;
    for (size_t i = 0; code == TS_OK && i < sources->rows.n; i++) {
        roots += all[i].parent == 0 ? 1 : 0;
        root->value = all[i].parent == 0 ? all[i].id : root->value;
    }
    root->null = roots != 1;
    return code;
}

static ts_code series_make(void **what, ts_model *m, const void *user)
{
    series_build b = {.m = m, .ctx = ts_model_ctx(m)};
    const ts_time_lanes *lanes;
    ts_code code;
    (void)user;
    *what = b.list = ts_zalloc(b.ctx, 1, sizeof *b.list);
    TS_NEED(b.ctx, b.list);
    code = series_root(&b.root, m);
    TS_STEP(code, series_tables(&b));
    for (ts_lane_kind kind = TS_LANE_SERIES; code == TS_OK && kind < TS_LANES; kind++) {
        code = ts_time_lanes_get(&lanes, m, kind);
        for (uint32_t i = 0; code == TS_OK && i < lanes->lanes.n; i++) {
            code = series_add(&b, lanes, i);
        }
    }
    if (b.list->all.n > 1) {
        qsort(b.list->all.p, b.list->all.n, sizeof(ts_series), compare_series);
    }
    for (unsigned i = 0; i < 3; i++) {
        ts_idmap_free(b.ctx, &b.by_id[i]);
    }
    ts_vec_free(b.ctx, &b.rows);
    return code;
}

ts_code ts_series_get(const ts_series_list **out, ts_model *m)
{
    void *what;
    ts_code code = ts_model_keep(&what, m, "series", "", series_make, series_free, NULL);
    *out = what;
    return code;
}
