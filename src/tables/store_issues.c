#include "tables/store_impl.h"
#include "tables/store_merge.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

enum { MESSAGE_BYTES = 1024 };

const ts_issue_info ts_issue_list[TS_ISSUE_COUNT] = {
#define TS_ISSUE(name, severity, doc) {#name, severity, doc},
#include "tables/formats/each.h"
};

const ts_item_info ts_item_list[TS_ITEM_COUNT] = {
#define TS_ITEM(name, doc) {#name, doc, TS_TABLE_COUNT},
#define TS_ITEM_ROWS(name, table, doc) {#name, doc, TS_T_##table},
#include "tables/formats/each.h"
};

const char *ts_severity_name(ts_severity severity)
{
    static const char *const names[] = {"info", "warning", "data_loss", "error"};
    return names[severity];
}

/* --- issues -------------------------------------------------------------------------------- */

static ts_code issue_check_source(ts_store *store, int64_t source_id)
{
    if (source_id < 0 || (uint64_t)source_id > store->sources.n) {
        return ts_fail(store->ctx, TS_ERR_INTERNAL, "no source has the id %" PRId64, source_id);
    }
    return TS_OK;
}

static ts_code issue_find_group(ts_issue_group **out, ts_store *store, int64_t source_id,
                                ts_issue_code issue)
{
    uint32_t number;
    ts_code code;
    if (!ts_keymap_find(&number, &store->issue_keys, source_id, issue, 0)) {
        TS_NEED(store->ctx, ts_stable_array_add(store->ctx, &store->issue_groups));
        number = store->issue_keys.index.count;
        code = ts_keymap_add(store->ctx, &store->issue_keys, source_id, issue, 0);
        if (code != TS_OK) {
            ts_stable_array_drop(&store->issue_groups);
            return code;
        }
    }
    *out = ts_stable_array_at(&store->issue_groups, number);
    return TS_OK;
}

static ts_code add_record(ts_issue_rec **out, ts_store *store, int64_t source_id,
                          ts_issue_code issue, const char *stream)
{
    ts_text kept;
    ts_code code;
    TS_TRY_INTO(code, ts_store_keep(store, &kept, ts_text_of(stream)));
    TS_NEED(store->ctx, *out = ts_stable_array_add(store->ctx, &store->issues));
    (*out)->source_id = source_id;
    (*out)->code = issue;
    (*out)->stream = kept;
    (*out)->offset = TS_NO_OFFSET;
    return TS_OK;
}

/* Each is about another plugin, of which the container keeps no more than a few hundred. */
static uint64_t single_rows(ts_issue_code issue)
{
    return issue == TS_ISSUE_plugin_not_decoded ? UINT64_MAX : TS_SINGLE_ISSUES;
}

/* The defects after the first ones: one row; its stream stays while it is the same for all. */
static ts_code add_rest(ts_store *store, ts_issue_group *group, int64_t source_id,
                        ts_issue_code issue, const char *stream, uint64_t count)
{
    if (group->rest == NULL) {
        TS_TRY(add_record(&group->rest, store, source_id, issue, stream));
        group->rest->rest = true;
    }
    group->rest->count = ts_store_add(group->rest->count, count);
    if (stream == NULL || !ts_text_is(group->rest->stream, stream)) {
        group->rest->stream = TS_TEXT_NULL;
    }
    return TS_OK;
}

static ts_code issue_record(ts_store *store, int64_t source_id, ts_issue_code issue,
                            const char *stream, int64_t offset, uint64_t count, const char *fmt,
                            va_list ap) __attribute__((format(printf, 7, 0)));

static ts_code issue_record(ts_store *store, int64_t source_id, ts_issue_code issue,
                            const char *stream, int64_t offset, uint64_t count, const char *fmt,
                            va_list ap)
{
    char message[MESSAGE_BYTES];
    ts_severity severity = ts_issue_list[issue].severity;
    ts_issue_group *group = NULL;
    ts_issue_rec *rec;
    if (count == 0) {
        return TS_OK;
    }
    TS_TRY(issue_check_source(store, source_id));
    TS_TRY(issue_find_group(&group, store, source_id, issue));
    store->issue_totals[severity] = ts_store_add(store->issue_totals[severity], count);
    if (group->singles >= single_rows(issue)) {
        return add_rest(store, group, source_id, issue, stream, count);
    }
    if (vsnprintf(message, sizeof message, fmt, ap) >= MESSAGE_BYTES) {
        memcpy(message + ts_utf8_cut(message, MESSAGE_BYTES - 4), "...", 4);
    }
    TS_TRY(add_record(&rec, store, source_id, issue, stream));
    group->singles++;
    rec->offset = offset;
    rec->count = count;
    ts_log(store->ctx, TS_LOG_DEBUG, "%s: %s (source %" PRId64 ", offset %" PRId64 ")",
           ts_issue_list[issue].name, message, source_id, offset);
    return ts_store_keep(store, &rec->message, ts_text_of(message));
}

ts_code ts_issue(ts_store *store, int64_t source_id, ts_issue_code issue, const char *stream,
                 int64_t offset, const char *fmt, ...)
{
    ts_code code;
    va_list ap;
    va_start(ap, fmt);
    code = issue_record(store, source_id, issue, stream, offset, 1, fmt, ap);
    va_end(ap);
    return code;
}

ts_code ts_issue_n(ts_store *store, int64_t source_id, ts_issue_code issue, const char *stream,
                   int64_t offset, uint64_t count, const char *fmt, ...)
{
    ts_code code;
    va_list ap;
    va_start(ap, fmt);
    code = issue_record(store, source_id, issue, stream, offset, count, fmt, ap);
    va_end(ap);
    return code;
}

uint64_t ts_issue_total(const ts_store *store, ts_severity severity)
{
    return store->issue_totals[severity];
}

uint64_t ts_issue_losses(const ts_store *store)
{
    return ts_store_add(store->issue_totals[TS_DATA_LOSS], store->issue_totals[TS_ERROR]);
}

/* --- counts -------------------------------------------------------------------------------- */

ts_code ts_count(ts_tally **out, ts_store *store, int64_t source_id, ts_item item,
                 const char *detail)
{
    const char *kept = NULL;
    uint32_t text = 0;
    uint32_t number;
    ts_tally_rec *rec;
    ts_code code = issue_check_source(store, source_id);
    int64_t key;
    if (code != TS_OK) {
        return code;
    }
    if (detail != NULL && (code = ts_store_keep_cstr(store, &kept, &text, detail)) != TS_OK) {
        return code;
    }
    key = detail == NULL ? 0 : (int64_t)text + 1;
    if (!ts_keymap_find(&number, &store->tally_keys, source_id, item, key)) {
        TS_NEED(store->ctx, rec = ts_stable_array_add(store->ctx, &store->tallies));
        rec->source_id = source_id;
        rec->item = item;
        rec->detail = kept;
        number = store->tally_keys.index.count;
        code = ts_keymap_add(store->ctx, &store->tally_keys, source_id, item, key);
        if (code != TS_OK) {
            ts_stable_array_drop(&store->tallies);
            return code;
        }
    }
    rec = ts_stable_array_at(&store->tallies, number);
    *out = &rec->tally;
    return TS_OK;
}

ts_code ts_count_add(ts_store *store, int64_t source_id, ts_item item, const char *detail,
                     uint64_t imported, uint64_t lost, uint64_t skipped)
{
    ts_tally *tally = NULL;
    ts_code code = ts_count(&tally, store, source_id, item, detail);
    if (code == TS_OK) {
        tally->seen += imported + lost + skipped;
        tally->imported += imported;
        tally->lost += lost;
        tally->skipped += skipped;
    }
    return code;
}

void ts_count_visit(const ts_store *store, ts_tally_visitor visit, void *user)
{
    for (size_t i = 0; i < store->tallies.n; i++) {
        const ts_tally_rec *rec = ts_stable_array_at(&store->tallies, i);
        visit(user, rec->source_id, rec->item, rec->detail, &rec->tally);
    }
}

static bool conserved(const ts_tally *t)
{
    uint64_t sum;
    return !__builtin_add_overflow(t->imported, t->lost, &sum) &&
           !__builtin_add_overflow(sum, t->skipped, &sum) && sum == t->seen;
}

/* Of the kinds of items that are rows of one table: what was imported together, and the first. */
typedef struct table_items {
    bool counted;
    uint64_t imported;
    ts_item first;
} table_items;

/* What was counted as imported has to be there, and nothing else. */
static ts_code check_rows(ts_store *store)
{
    table_items of[TS_TABLE_COUNT] = {0};
    ts_code code = TS_OK;
    for (size_t i = TS_ITEM_COUNT; i-- > 0;) {
        if (ts_item_list[i].table < TS_TABLE_COUNT) {
            of[ts_item_list[i].table].first = (ts_item)i;
        }
    }
    for (size_t i = 0; i < store->tallies.n; i++) {
        const ts_tally_rec *rec = ts_stable_array_at(&store->tallies, i);
        enum ts_table_id table = ts_item_list[rec->item].table;
        if (table < TS_TABLE_COUNT) {
            of[table].counted = true;
            of[table].imported = ts_store_add(of[table].imported, rec->tally.imported);
        }
    }
    for (size_t i = 0; code == TS_OK && i < TS_TABLE_COUNT; i++) {
        uint64_t rows = ts_sink_rows(store->sink, (enum ts_table_id)i);
        if (of[i].counted && of[i].imported != rows) {
            code =
                ts_issue(store, 0, TS_ISSUE_conservation, NULL, TS_NO_OFFSET,
                         "%s: imported %" PRIu64 ", but %s has %" PRIu64 " rows",
                         ts_item_list[of[i].first].name, of[i].imported, ts_schema[i].name, rows);
        }
    }
    return code;
}

ts_code ts_store_check_counts(ts_store *store)
{
    for (size_t i = 0; i < store->tallies.n; i++) {
        const ts_tally_rec *rec = ts_stable_array_at(&store->tallies, i);
        const ts_tally *t = &rec->tally;
        if (conserved(t)) {
            continue;
        }
        TS_TRY(ts_issue(
            store, rec->source_id, TS_ISSUE_conservation, NULL, TS_NO_OFFSET,
            "%s%s%s: seen %" PRIu64 ", imported %" PRIu64 ", lost %" PRIu64 ", skipped %" PRIu64,
            ts_item_list[rec->item].name, rec->detail == NULL ? "" : ":",
            rec->detail == NULL ? "" : rec->detail, t->seen, t->imported, t->lost, t->skipped));
    }
    return store->parts ? TS_OK : check_rows(store);
}

void ts_store_expect_parts(ts_store *store)
{
    store->parts = true;
}

/* --- rows ---------------------------------------------------------------------------------- */

/*
 * The order of records, which begin with their source, by that, within a source as they came: a
 * counting sort, because source ids are dense. *order is an array of numbers that the caller frees.
 */
static ts_code order_by_source(size_t **order, ts_store *store, const ts_stable_array *records)
{
    const size_t n = records->n;
    size_t buckets = store->sources.n + 2;
    size_t *starts = ts_zalloc(store->ctx, buckets, sizeof *starts);
    *order = ts_alloc(store->ctx, n, sizeof **order);
    if (starts == NULL || *order == NULL) {
        ts_free(store->ctx, starts);
        ts_free(store->ctx, *order);
        *order = NULL;
        return store->ctx->error.code;
    }
    for (size_t i = 0; i < n; i++) {
        const int64_t *source_id = ts_stable_array_at(records, i);
        starts[*source_id + 1]++;
    }
    for (size_t b = 1; b < buckets; b++) {
        starts[b] += starts[b - 1];
    }
    for (size_t i = 0; i < n; i++) {
        const int64_t *source_id = ts_stable_array_at(records, i);
        (*order)[starts[*source_id]++] = i;
    }
    ts_free(store->ctx, starts);
    return TS_OK;
}

static ts_code write_issue(ts_store *store, const ts_issue_rec *rec)
{
    char more[64];
    const ts_issue_info *info = &ts_issue_list[rec->code];
    ts_row_import_issue row = {
        0,           rec->source_id, {NULL, 0}, ts_text_of(info->name),
        rec->stream, rec->offset,    0,         rec->message,
    };
    row.severity = ts_text_of(ts_severity_name(info->severity));
    row.count = ts_store_clamp(rec->count);
    if (rec->source_id == 0) {
        TS_SET_NULL(import_issue, &row, source_id);
    }
    if (rec->offset < 0) {
        TS_SET_NULL(import_issue, &row, offset);
    }
    if (rec->rest) {
        snprintf(more, sizeof more, "and %" PRIu64 " more", rec->count);
        row.message = ts_text_of(more);
    }
    return ts_store_put(store, TS_T_import_issue, &row);
}

static ts_code write_count(ts_store *store, const ts_tally_rec *rec)
{
    const ts_tally *t = &rec->tally;
    ts_row_import_count row = {
        0,
        rec->source_id,
        ts_text_of(ts_item_list[rec->item].name),
        ts_store_clamp(t->declared),
        ts_store_clamp(t->seen),
        ts_store_clamp(t->imported),
        ts_store_clamp(t->lost),
        ts_store_clamp(t->skipped),
    };
    if (rec->source_id == 0) {
        TS_SET_NULL(import_count, &row, source_id);
    }
    if (!t->has_declared) {
        TS_SET_NULL(import_count, &row, declared);
    }
    if (rec->detail != NULL) {
        store->scratch.n = 0;
        TS_TRY(ts_buf_printf(store->ctx, &store->scratch, "%s:%s", ts_item_list[rec->item].name,
                             rec->detail));
        row.item = ts_buf_text(&store->scratch);
    }
    return ts_sink_put(store->sink, TS_T_import_count, &row);
}

ts_code ts_store_write_issues(ts_store *store)
{
    size_t *order = NULL;
    ts_code code = order_by_source(&order, store, &store->issues);
    for (size_t i = 0; code == TS_OK && i < store->issues.n; i++) {
        code = write_issue(store, ts_stable_array_at(&store->issues, order[i]));
    }
    ts_free(store->ctx, order);
    order = NULL;
    TS_STEP(code, order_by_source(&order, store, &store->tallies));
    for (size_t i = 0; code == TS_OK && i < store->tallies.n; i++) {
        code = write_count(store, ts_stable_array_at(&store->tallies, order[i]));
    }
    ts_free(store->ctx, order);
    return code;
}
