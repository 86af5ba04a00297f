#include "tables/store_impl.h"
#include "tables/store_profiles.h"

#include "base/alloc.h"
#include "base/utf8.h"

ts_code ts_store_keep(ts_store *store, ts_text *out, ts_text text)
{
    uint32_t id;
    uint64_t replaced = 0;
    ts_code code;
    if (text.p == NULL) {
        *out = TS_TEXT_NULL;
        return TS_OK;
    }
    if (!ts_utf8_valid(text.p, text.n)) {
        store->scratch.n = 0;
        TS_TRY_INTO(code, ts_utf8_clean(store->ctx, &store->scratch, &replaced, text.p, text.n));
        text = ts_buf_text(&store->scratch);
    }
    code = ts_pool_intern(store->ctx, &id, NULL, &store->texts, text);
    if (code == TS_OK) {
        *out = ts_pool_text(&store->texts, id);
    }
    return code;
}

ts_code ts_store_keep_cstr(ts_store *store, const char **out, uint32_t *id, const char *text)
{
    uint64_t replaced = 0;
    store->scratch.n = 0;
    TS_TRY(ts_utf8_clean(store->ctx, &store->scratch, &replaced, text, strlen(text)));
    TS_TRY(ts_buf_putc(store->ctx, &store->scratch, '\0'));
    TS_TRY(ts_pool_intern(store->ctx, id, NULL, &store->texts, ts_buf_text(&store->scratch)));
    *out = ts_pool_text(&store->texts, *id).p;
    return TS_OK;
}

ts_code ts_store_put(ts_store *store, enum ts_table_id table, void *row)
{
    const ts_table *t = &ts_schema[table];
    for (unsigned i = 0; i < t->column_count; i++) {
        ts_text text;
        char *at = (char *)row + t->columns[i].offset;
        if (t->columns[i].type != TS_COL_TEXT) {
            continue;
        }
        memcpy(&text, at, sizeof text);
        if (text.p != NULL && !ts_utf8_valid(text.p, text.n)) {
            TS_TRY(ts_store_keep(store, &text, text));
            memcpy(at, &text, sizeof text);
        }
    }
    return ts_sink_put(store->sink, table, row);
}

ts_code ts_store_new(ts_store **out, ts_ctx *ctx, ts_sink *sink, const ts_store_options *options)
{
    ts_code code;
    ts_store *store = ts_zalloc(ctx, 1, sizeof *store);
    TS_NEED(ctx, store);
    store->ctx = ctx;
    store->sink = sink;
    store->sources.size = sizeof(ts_source_rec);
    store->inputs.size = sizeof(ts_input_times);
    store->issues.size = sizeof(ts_issue_rec);
    store->issue_groups.size = sizeof(ts_issue_group);
    store->tallies.size = sizeof(ts_tally_rec);
    store->processes.size = sizeof(ts_process_rec);
    store->threads.size = sizeof(ts_thread_rec);
    store->clock_sources.size = sizeof(ts_named_clock);
    code = ts_store_begin_fixed(store, options);
    TS_STEP(code, ts_store_begin_threads(store));
    if (code != TS_OK) {
        ts_store_free(store);
        return code;
    }
    *out = store;
    return TS_OK;
}

void ts_store_free(ts_store *store)
{
    ts_ctx *ctx;
    if (store == NULL) {
        return;
    }
    ctx = store->ctx;
    ts_store_free_stacks(store);
    ts_upload_drop(store);
    ts_stable_array_free(ctx, &store->sources);
    ts_stable_array_free(ctx, &store->inputs);
    ts_stable_array_free(ctx, &store->issues);
    ts_stable_array_free(ctx, &store->issue_groups);
    ts_keymap_free(ctx, &store->issue_keys);
    ts_stable_array_free(ctx, &store->tallies);
    ts_keymap_free(ctx, &store->tally_keys);
    ts_stable_array_free(ctx, &store->processes);
    ts_keymap_free(ctx, &store->process_keys);
    ts_stable_array_free(ctx, &store->threads);
    ts_keymap_free(ctx, &store->thread_keys);
    ts_keymap_free(ctx, &store->filter_keys);
    ts_stable_array_free(ctx, &store->clock_sources);
    ts_pool_free(ctx, &store->dict);
    ts_pool_free(ctx, &store->texts);
    ts_buf_free(ctx, &store->scratch);
    ts_free(ctx, store);
}

ts_code ts_store_finish(ts_store *store)
{
    if (store->finished) {
        return ts_fail(store->ctx, TS_ERR_INTERNAL, "the store was finished twice");
    }
    store->finished = true;
    TS_TRY(ts_store_settle_range(store));
    TS_TRY(ts_store_check_clocks(store));
    TS_TRY(ts_store_check_counts(store));
    TS_TRY(ts_store_check_losses(store));
    if (store->reopened) {
        return ts_store_write_issues(store);
    }
    ts_store_mark_incomplete(store);
    TS_TRY(ts_store_write_threads(store));
    TS_TRY(ts_store_write_range(store));
    TS_TRY(ts_store_write_fixed(store));
    TS_TRY(ts_store_write_sources(store));
    return ts_store_write_issues(store);
}

/* --- more rows in a finished database ------------------------------------------------------- */

static ts_code reopen_source(ts_store *store, const ts_batch *b, unsigned i)
{
    enum { ID, PARENT, COMPLETE, KIND, PATH, FORMAT };
    char texts[3][TS_SCAN_TEXT_MAX < 4096 ? TS_SCAN_TEXT_MAX : 4096];
    const char *given[3];
    int64_t id;
    int64_t parent = b->columns[PARENT].null[i] != 0 ? 0 : b->columns[PARENT].ints[i];
    ts_code code;
    for (unsigned k = 0; k < 3; k++) {
        const ts_scan_text *t = &b->columns[KIND + k].texts[i];
        size_t n = t->n < sizeof texts[k] ? t->n : sizeof texts[k] - 1;
        memcpy(texts[k], t->p, n);
        texts[k][n] = '\0';
        given[k] = b->columns[KIND + k].null[i] != 0 ? NULL : texts[k];
    }
    if (b->columns[ID].ints[i] != (int64_t)ts_source_count(store) + 1 || parent < 0 ||
        parent >= b->columns[ID].ints[i]) {
        return ts_fail(store->ctx, TS_ERR_INPUT,
                       "cannot add to the database: the rows of its table source were changed");
    }
    code = ts_source_add(&id, store, parent, given[0], given[1], given[2]);
    if (code == TS_OK) {
        ts_source(store, id)->complete = b->columns[COMPLETE].ints[i];
    }
    return code;
}

ts_code ts_store_reopen(ts_store *store, ts_reader *reader)
{
    static const unsigned columns[] = {TS_C_source__id,       TS_C_source__parent_id,
                                       TS_C_source__complete, TS_C_source__kind,
                                       TS_C_source__path,     TS_C_source__format};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, reader, TS_T_source, columns, 6);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = reopen_source(store, b, i);
        }
    }
    ts_scan_close(scan);
    store->reopened = true;
    return code;
}

int64_t *ts_largest_number(ts_store *store, enum ts_table_id table)
{
    return &store->largest[table];
}

ts_sink *ts_store_sink(ts_store *store)
{
    return store->sink;
}
