/*
 * Web viewers look for sampled stacks in the tables of hiperf. They are in stack_sample already,
 * so these become views of that, unless the input filled them. CPU profiles of JavaScript,
 * allocations of native memory and events of eBPF have tables of their own.
 *
 * Viewers look names of frames up in data_dict: it gets those of all methods, in their order,
 * after all others. Time: linear in the profiles and the methods; memory: one name.
 */
#include "analysis/analysis.h"

#include "base/buf.h"
#include "tables/table_rows.h"

#include <inttypes.h>

static const enum ts_table_id needs[] = {TS_T_stack_sample, TS_TABLE_COUNT};
static const enum ts_table_id writes[] = {TS_TABLE_COUNT};
static const ts_issue_code issues[] = {TS_ISSUE_COUNT};

/* Whether viewers find the samples of the source in other tables. */
static bool has_own_tables(ts_store *store, int64_t source_id)
{
    static const char *const formats[] = {"native_hook", "ebpf"};
    bool has = false;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        has = has || ts_text_is(ts_source(store, source_id)->format, formats[i]);
    }
    return has;
}

/* Adds the samples of all of these. */
static ts_code count_own_samples(int64_t *count, ts_store *store, const ts_rows_from *from)
{
    static const unsigned columns[] = {TS_C_stack_sample__source_id};
    ts_walk rows = ts_walk_of(*from, TS_T_stack_sample, columns, 1);
    bool any = false;
    ts_code code = TS_OK;
    for (uint64_t id = 1; id <= ts_source_count(store); id++) {
        any = any || has_own_tables(store, (int64_t)id);
    }
    while (any && ts_walk_next(&code, &rows)) {
        int64_t source = ts_walk_int(&rows, 0);
        *count += source > 0 && (uint64_t)source <= ts_source_count(store) &&
                  has_own_tables(store, source);
    }
    return code;
}

/* Whether there are samples besides those, and those of CPU profiles of JavaScript. */
static ts_code find_others(bool *any, ts_store *store, const ts_rows_from *from)
{
    static const unsigned columns[] = {TS_C_js_cpu_profile__sample_count};
    const ts_batch *b;
    ts_rows *rows = NULL;
    int64_t count = 0;
    ts_walk profiles = ts_walk_of(*from, TS_T_js_cpu_profile, columns, 1);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &profiles)) {
        count += ts_walk_int(&profiles, 0);
    }
    TS_STEP(code, count_own_samples(&count, store, from));
    TS_STEP(code, ts_rows_open(&rows, from, TS_T_stack_sample, NULL, 0));
    TS_STEP(code, ts_rows_seek(rows, count + 1));
    TS_STEP(code, ts_rows_next(&b, rows));
    *any = code == TS_OK && b->rows > 0;
    ts_rows_close(rows);
    return code;
}

/* Bytes of a text that was cut to what is at hand, without half a character. */
static size_t whole_bytes(const ts_scan_text *text)
{
    size_t n = text->n;
    while (n > 0 && n < text->size && ((unsigned char)text->p[n - 1] & 0xc0) == 0x80) {
        n--;
    }
    return n > 0 && n < text->size && (unsigned char)text->p[n - 1] >= 0xc0 ? n - 1 : n;
}

/* As the views write it: class and name. */
static ts_code put_label(ts_ctx *ctx, ts_buf *label, const ts_batch *b, unsigned i)
{
    enum { CLASS, NAME, RAW_ID };
    const ts_scan_text *class = &b->columns[CLASS].texts[i];
    const ts_scan_text *name = &b->columns[NAME].texts[i];
    ts_code code;
    label->n = 0;
    if (b->columns[NAME].null[i] != 0 && b->columns[RAW_ID].null[i] != 0) {
        return ts_buf_put(ctx, label, "(unknown)", 9);
    }
    if (class->n > 0 && ((code = ts_buf_put(ctx, label, class->p, whole_bytes(class))) != TS_OK ||
                         (code = ts_buf_putc(ctx, label, '.')) != TS_OK)) {
        return code;
    }
    return b->columns[NAME].null[i] != 0
               ? ts_buf_printf(ctx, label, "#%" PRId64, b->columns[RAW_ID].ints[i])
               : ts_buf_put(ctx, label, name->p, whole_bytes(name));
}

typedef struct names_pass {
    ts_ctx *ctx;
    ts_store *store;
    ts_buf label;
} names_pass;

static ts_code put_name(names_pass *p, const ts_batch *b, unsigned i)
{
    ts_code code = put_label(p->ctx, &p->label, b, i);
    TS_STEP(code, ts_dict_append(p->store, ts_buf_text(&p->label)));
    return code;
}

static ts_code sample_views_run(ts_ctx *ctx, ts_reader *reader, ts_store *store)
{
    static const unsigned columns[] = {TS_C_stack_method__class, TS_C_stack_method__name,
                                       TS_C_stack_method__raw_id};
    const ts_rows_from from = {.ctx = ctx, .reader = reader};
    names_pass names = {.ctx = ctx, .store = store};
    bool filled = true;
    bool others = false;
    ts_code code = TS_OK;
    if (ts_reader_has_table(reader, TS_T_perf_sample)) {
        code = ts_reader_has_rows(&filled, reader, TS_T_perf_sample);
    }
    TS_STEP_IF(code, !filled, find_others(&others, store, &from));
    if (code != TS_OK || !others) {
        return code;
    }
    ts_walk rows = ts_walk_of(from, TS_T_stack_method, columns, 3);
    while (ts_walk_next(&code, &rows)) {
        code = put_name(&names, rows.b, rows.row);
    }
    ts_buf_free(ctx, &names.label);
    if (code == TS_OK) {
        ts_sink_show(ts_store_sink(store), TS_SHOW_SAMPLES);
    }
    return code;
}

const ts_analysis ts_analysis_sample_views = {
    .name = "sample_views",
    .title = "tables of hiperf as views of sampled stacks",
    .cost = TS_ANALYSIS_FREE,
    .needs = needs,
    .writes = writes,
    .issues = issues,
    .run = sample_views_run,
};
