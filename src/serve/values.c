/* Weights that samples carry as values: stack_sample_value with the sample of each. */
#include "serve/views_private.h"

#include <stdio.h>

enum { VALUE_KINDS = 64, VALUES_REPORT = 1 << 16 };

/* The kinds of value that are meant: all of one name and one unit. */
typedef struct value_kinds {
    int64_t ids[VALUE_KINDS];
    unsigned count;
    char unit[32];
    char key[VALUE_KINDS * 21 + 1]; /* the ids, with commas */
} value_kinds;

static ts_code kinds_row(value_kinds *k, ts_ctx *ctx, sqlite3_stmt *stmt)
{
    char unit[sizeof k->unit] = "";
    const char *text = (const char *)sqlite3_column_text(stmt, 1);
    size_t n = text == NULL ? 0 : strlen(text);
    memcpy(unit, text == NULL ? "" : text, n < sizeof unit ? n : sizeof unit - 1);
    if (k->count > 0 && strcmp(unit, k->unit) != 0) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "values of this name have different units: choose a source");
    }
    if (k->count == VALUE_KINDS) {
        return ts_fail(ctx, TS_ERR_USAGE, "too many sources have such values: choose a source");
    }
    memcpy(k->unit, unit, sizeof unit);
    k->ids[k->count++] = sqlite3_column_int64(stmt, 0);
    n = strlen(k->key);
    snprintf(k->key + n, sizeof k->key - n, "%lld,", (long long)k->ids[k->count - 1]);
    return TS_OK;
}

/* of_source: only those of the chosen source; else also those that its samples cannot have. */
static ts_code kinds_find(value_kinds *k, ts_view_call *call, const ts_chosen *c, bool of_source)
{
    const ts_rows_from from = ts_view_rows(call);
    bool cpu = c->weight == TS_WEIGHT_CPU;
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    *k = (value_kinds){0};
    ts_code code = ts_stmt_prepare(&stmt, &from,
                                   "SELECT id, unit, source_id FROM stack_value_type WHERE name = "
                                   "?1 AND (?2 IS NULL OR unit = ?2) "
                                   "ORDER BY id");
    if (code == TS_OK) {
        sqlite3_bind_text(stmt, 1, cpu ? "cpu" : c->value.p, cpu ? 3 : (int)c->value.n,
                          SQLITE_STATIC);
        if (cpu) {
            sqlite3_bind_text(stmt, 2, "ns", 2, SQLITE_STATIC);
        }
    }
    while (code == TS_OK && row) {
        code = ts_stmt_step(&row, &from, stmt);
        if (code == TS_OK && row &&
            (!of_source || ts_view_has(c->source, sqlite3_column_int64(stmt, 2)))) {
            code = kinds_row(k, from.ctx, stmt);
        }
    }
    sqlite3_finalize(stmt);
    return code;
}

static bool kinds_have(const value_kinds *k, int64_t id)
{
    for (unsigned i = 0; i < k->count; i++) {
        if (k->ids[i] == id) {
            return true;
        }
    }
    return false;
}

/* --- samples by id ---------------------------------------------------------------------------- */

enum { S_SOURCE, S_ITID, S_TS, S_NODE, S_EVENT };

/* The batch of samples around the last one that was asked for; values come in their order. */
typedef struct sample_cursor {
    ts_rows *rows;
    const ts_batch *b;
    unsigned at;
    int64_t reach; /* a sample this far after the batch is searched for, not read up to */
} sample_cursor;

static ts_code cursor_find(bool *found, sample_cursor *s, int64_t id)
{
    ts_code code = TS_OK;
    if (s->b == NULL || s->b->rows == 0 || id < s->b->rowids[s->at] ||
        ts_sat_sub(id, s->b->rowids[s->b->rows - 1]) > s->reach) {
        code = ts_rows_seek(s->rows, id);
        if (code == TS_OK) {
            code = ts_rows_next(&s->b, s->rows);
        }
        s->at = 0;
    }
    while (code == TS_OK && s->b->rows > 0 && s->b->rowids[s->b->rows - 1] < id) {
        code = ts_rows_next(&s->b, s->rows);
        s->at = 0;
    }
    if (code != TS_OK) {
        s->b = NULL;
        return code;
    }
    while (s->at + 1 < s->b->rows && s->b->rowids[s->at] < id) {
        s->at++;
    }
    *found = s->b->rows > 0 && s->b->rowids[s->at] == id;
    return TS_OK;
}

/* --- all values ------------------------------------------------------------------------------- */

typedef struct values_pass {
    ts_view_call *call;
    const ts_paths *paths;
    const value_kinds *kinds;
    sample_cursor samples;
    /* Of a value whose sample has a call path: */
    ts_code (*add)(struct values_pass *p, uint32_t node, int64_t value);
    ts_rollup *sums;
    uint32_t lane;
    ts_weights *weights;
    const ts_chosen *chosen;
} values_pass;

static ts_code values_row(values_pass *p, const ts_batch *b, unsigned i)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    ts_cell sample = ts_cell_of(b, 0, i);
    ts_cell kind = ts_cell_of(b, 1, i);
    ts_cell value = ts_cell_of(b, 2, i);
    bool found = false;
    if (sample.null || kind.null || !kinds_have(p->kinds, kind.value)) {
        return TS_OK;
    }
    ts_code code = cursor_find(&found, &p->samples, sample.value);
    if (code != TS_OK || !found) {
        return code;
    }
    ts_cell node = ts_cell_of(p->samples.b, S_NODE, p->samples.at);
    if (node.null) {
        return TS_OK;
    }
    uint32_t at = ts_ids_find(&p->paths->nodes, node.value);
    if (at == TS_NO_INDEX) {
        return ts_fail(ctx, TS_ERR_INPUT, "no call path %lld", (long long)node.value);
    }
    return p->add(p, at, value.null ? 0 : value.value);
}

static ts_code values_scan(values_pass *p)
{
    static const unsigned values[] = {TS_C_stack_sample_value__sample_id,
                                      TS_C_stack_sample_value__value_type_id,
                                      TS_C_stack_sample_value__value};
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__ts, TS_C_stack_sample__node_id,
                                       TS_C_stack_sample__event};
    const ts_rows_from from = ts_view_rows(p->call);
    uint64_t total = ts_view_row_count(p->call, "stack_sample_value");
    uint64_t done = 0;
    const ts_batch *b;
    ts_rows *rows = NULL;
    p->samples.reach = 1000;
    ts_code code = ts_rows_open(&rows, &from, TS_T_stack_sample_value, values, 3);
    if (code == TS_OK) {
        code = ts_rows_open(&p->samples.rows, &from, TS_T_stack_sample, samples, 5);
    }
    while (code == TS_OK && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; code == TS_OK && i < b->rows; i++) {
            code = values_row(p, b, i);
        }
        if (done / VALUES_REPORT != (done + b->rows) / VALUES_REPORT) {
            ts_view_report(p->call, "reading values of samples", done, total);
        }
        done += b->rows;
    }
    ts_rows_close(p->samples.rows);
    ts_rows_close(rows);
    return code;
}

/* Into sums of threads and call paths, for every choice of threads. */
static ts_code values_sum(values_pass *p, uint32_t node, int64_t value)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    const ts_batch *b = p->samples.b;
    uint32_t event;
    ts_code code = ts_rollup_event(&event, ctx, p->sums, &b->columns[S_EVENT], p->samples.at);
    if (code == TS_OK) {
        code = ts_rollup_lane(&p->lane, ctx, p->sums, ts_cell_of(b, S_SOURCE, p->samples.at),
                              ts_cell_of(b, S_ITID, p->samples.at), event);
    }
    ts_pair *pair = code == TS_OK ? ts_pairs_at(ctx, &p->sums->pairs, p->lane, node) : NULL;
    if (pair == NULL) {
        return ctx->error.code;
    }
    pair->sum += value;
    return ts_pair_count(ctx, &pair->count);
}

static ts_code values_build(void **what, ts_view_call *call, const void *user)
{
    ts_ctx *ctx = ts_view_ctx(call);
    values_pass p = {.call = call, .kinds = user, .add = values_sum};
    *what = p.sums = ts_zalloc(ctx, 1, sizeof *p.sums);
    if (p.sums == NULL) {
        return ctx->error.code;
    }
    ts_code code = ts_paths_get(&p.paths, call);
    if (code == TS_OK) {
        code = ts_pairs_begin(ctx, &p.sums->pairs, p.paths);
    }
    if (code == TS_OK) {
        code = values_scan(&p);
    }
    ts_pairs_end(ctx, &p.sums->pairs);
    return code;
}

/* Of a range: a sample is in it when it was taken there. */
static ts_code values_in_range(values_pass *p, uint32_t node, int64_t value)
{
    const ts_chosen *c = p->chosen;
    const ts_batch *b = p->samples.b;
    unsigned at = p->samples.at;
    ts_cell ts = ts_cell_of(b, S_TS, at);
    const ts_batch_column *event = &b->columns[S_EVENT];
    if (ts.null || ts.value < c->from || ts.value >= c->to ||
        !ts_chosen_row(c, ts_cell_of(b, S_SOURCE, at), ts_cell_of(b, S_ITID, at)) ||
        (c->event->given &&
         (event->null[at] || event->texts[at].n != c->event->text.n ||
          memcmp(event->texts[at].p, c->event->text.p, c->event->text.n) != 0))) {
        return TS_OK;
    }
    p->weights->self[node] += value;
    p->weights->count[node]++;
    return TS_OK;
}

ts_code ts_values_add(ts_weights *w, ts_view_call *call, const ts_chosen *c, const ts_paths *paths)
{
    value_kinds kinds;
    void *what;
    ts_code code = kinds_find(&kinds, call, c, false);
    if (code == TS_ERR_USAGE && c->source->given) {
        code = kinds_find(&kinds, call, c, true);
    }
    if (code != TS_OK) {
        return code;
    }
    if (kinds.count == 0) {
        return ts_fail(ts_view_ctx(call), TS_ERR_USAGE, "samples have no such value");
    }
    memcpy(w->unit, kinds.unit, sizeof w->unit);
    if (c->ranged) {
        values_pass p = {.call = call,
                         .paths = paths,
                         .kinds = &kinds,
                         .add = values_in_range,
                         .weights = w,
                         .chosen = c};
        return values_scan(&p);
    }
    code = ts_keep(&what, call, "values", kinds.key, values_build, ts_rollup_free, &kinds);
    return code == TS_OK ? ts_weights_add_pairs(w, ts_view_ctx(call), c, what) : code;
}
