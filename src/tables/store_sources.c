#include "tables/event_classes.h"
#include "tables/store_impl.h"

static ts_source_rec *source_rec(const ts_store *store, int64_t id)
{
    return ts_stable_array_at(&store->sources, (size_t)(id - 1));
}

ts_code ts_source_add(int64_t *id, ts_store *store, int64_t parent_id, const char *kind,
                      const char *path, const char *format)
{
    ts_source_rec *rec;
    ts_text kept[3];
    if (parent_id < 0 || (uint64_t)parent_id > store->sources.n) {
        return ts_fail(store->ctx, TS_ERR_INTERNAL, "no source has the id %lld",
                       (long long)parent_id);
    }
    TS_TRY(ts_store_keep(store, &kept[0], ts_text_of(kind)));
    TS_TRY(ts_store_keep(store, &kept[1], ts_text_of(path)));
    TS_TRY(ts_store_keep(store, &kept[2], ts_text_of(format)));
    TS_NEED(store->ctx, rec = ts_stable_array_add(store->ctx, &store->sources));
    *id = (int64_t)store->sources.n;
    rec->root = parent_id == 0 ? *id : source_rec(store, parent_id)->root;
    rec->row.id = *id;
    rec->row.parent_id = parent_id;
    rec->row.kind = kept[0];
    rec->row.path = kept[1];
    rec->row.format = kept[2];
    rec->row.complete = 1;
    TS_SET_NULL(source, &rec->row, pid);
    TS_SET_NULL(source, &rec->row, start_ts);
    TS_SET_NULL(source, &rec->row, end_ts);
    if (parent_id != 0) {
        return TS_OK;
    }
    TS_SET_NULL(source, &rec->row, parent_id);
    return ts_store_begin_input(store, *id);
}

ts_row_source *ts_source(ts_store *store, int64_t id)
{
    return &source_rec(store, id)->row;
}

ts_code ts_source_text(ts_store *store, int64_t id, ts_text *column, const char *p, size_t n)
{
    (void)id; /* the text belongs to the store; the row says where it is used */
    return ts_store_keep(store, column, (ts_text){p, n});
}

ts_code ts_source_property(ts_store *store, int64_t id, const char *key, ts_text value)
{
    ts_row_source_property row = {0, id, ts_text_of(key), value};
    return ts_store_put(store, TS_T_source_property, &row);
}

uint64_t ts_source_count(const ts_store *store)
{
    return store->sources.n;
}

int64_t ts_source_root(const ts_store *store, int64_t id)
{
    if (id < 1 || (uint64_t)id > store->sources.n) {
        return 0;
    }
    return source_rec(store, id)->root;
}

/* A source that lost something is not complete, and neither is what contains it. */
static void set_incomplete(ts_store *store, int64_t id)
{
    while (id >= 1 && (uint64_t)id <= store->sources.n) {
        ts_row_source *row = &source_rec(store, id)->row;
        row->complete = 0;
        id = (row->null & TS_NULL_BIT(source, parent_id)) != 0 ? 0 : row->parent_id;
    }
}

void ts_store_mark_incomplete(ts_store *store)
{
    for (size_t i = 0; i < store->issues.n; i++) {
        const ts_issue_rec *rec = ts_stable_array_at(&store->issues, i);
        if (ts_issue_list[rec->code].severity >= TS_DATA_LOSS) {
            set_incomplete(store, rec->source_id);
        }
    }
    for (size_t i = 0; i < store->tallies.n; i++) {
        const ts_tally_rec *rec = ts_stable_array_at(&store->tallies, i);
        if (rec->tally.lost > 0) {
            set_incomplete(store, rec->source_id);
        }
    }
}

/* Times of a clock that nothing else has, which trace_range was made to cover. */
static bool is_covered(const ts_row_source *row, int64_t from, int64_t to)
{
    return ts_text_is(row->clock, ts_clock_name(TS_CLOCK_RELATIVE)) && row->start_ts >= from &&
           row->end_ts <= to;
}

ts_code ts_store_check_clocks(ts_store *store)
{
    ts_text trace_clock = ts_text_of(ts_clock_name(ts_trace_clock(store)));
    int64_t from;
    int64_t to;
    uint64_t both = TS_NULL_BIT(source, start_ts) | TS_NULL_BIT(source, end_ts);
    ts_store_range(store, &from, &to);
    for (size_t i = 0; i < store->sources.n; i++) {
        const ts_row_source *row = ts_source(store, (int64_t)i + 1);
        const ts_row_source *parent = NULL;
        if (row->clock.p == NULL || (row->null & both) == both || is_covered(row, from, to) ||
            (row->clock.n == trace_clock.n &&
             memcmp(row->clock.p, trace_clock.p, trace_clock.n) == 0)) {
            continue;
        }
        if ((row->null & TS_NULL_BIT(source, parent_id)) == 0) {
            parent = ts_source(store, row->parent_id);
        }
        if (parent != NULL && parent->clock.p != NULL && (parent->null & both) != both &&
            parent->clock.n == row->clock.n &&
            memcmp(parent->clock.p, row->clock.p, row->clock.n) == 0) {
            continue; /* said of the source that contains it */
        }
        TS_TRY(ts_issue(store, row->id, TS_ISSUE_clock_not_related, NULL, TS_NO_OFFSET,
                        "times are in the clock %.*s, the trace clock is %.*s", (int)row->clock.n,
                        row->clock.p, (int)trace_clock.n, trace_clock.p));
    }
    return TS_OK;
}

static bool has_format(ts_store *store, const char *format)
{
    for (size_t i = 0; i < store->sources.n; i++) {
        if (ts_text_is(ts_source(store, (int64_t)i + 1)->format, format)) {
            return true;
        }
    }
    return false;
}

/* What the events of these sources stand for. */
static ts_code write_event_classes(ts_store *store)
{
    const char *format = "";
    bool has = false;
    ts_code code = TS_OK;
    for (size_t i = 0; i < ts_event_line_count && code == TS_OK; i++) {
        const ts_event_line *line = &ts_event_lines[i];
        ts_row_event_class row = ts_event_row(line);
        if (strcmp(format, line->format) != 0) {
            format = line->format;
            has = has_format(store, format);
        }
        code = has ? ts_store_put(store, TS_T_event_class, &row) : TS_OK;
    }
    return code;
}

ts_code ts_store_write_sources(ts_store *store)
{
    for (size_t i = 0; i < store->sources.n; i++) {
        TS_TRY(ts_store_put(store, TS_T_source, ts_source(store, (int64_t)i + 1)));
    }
    return write_event_classes(store);
}
