/*
 * trace_range: the times of all inputs in the trace clock, or of one when viewers could not show
 * all.
 */
#include "tables/store_impl.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

/* ns of the longest range that viewers' rulers have marks for: less than 100 000 s. */
#define RANGE_MAX INT64_C(99999999999999)

/* --- notes --------------------------------------------------------------------------------- */

static ts_input_times *input_at(const ts_store *store, size_t i)
{
    return ts_stable_array_at(&store->inputs, i);
}

/* Gives the last input the rows that came since it began. */
static void count_rows(ts_store *store)
{
    uint64_t rows = 0;
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        rows += ts_sink_rows(store->sink, (enum ts_table_id)t);
    }
    if (store->inputs.n > 0) {
        input_at(store, store->inputs.n - 1)->rows = rows - store->input_rows;
    }
    store->input_rows = rows;
}

ts_code ts_store_begin_input(ts_store *store, int64_t source_id)
{
    ts_input_times *input;
    count_rows(store);
    input = ts_stable_array_add(store->ctx, &store->inputs);
    if (input == NULL) {
        return store->ctx->error.code;
    }
    input->source_id = source_id;
    return TS_OK;
}

static void note(ts_time_notes *times, ts_clock clock, ts_range_weight weight, int64_t ts)
{
    ts_clock_span *span = &times->spans[clock];
    ts_clock *first = &times->first_clock[weight];
    if (*first == TS_CLOCK_UNKNOWN || *first == TS_CLOCK_RELATIVE) {
        *first = clock;
    }
    if (!span->noted || ts < span->first) {
        span->first = ts;
    }
    if (!span->noted || ts > span->last) {
        span->last = ts;
    }
    span->noted = true;
}

void ts_range_note(ts_store *store, ts_clock clock, ts_range_weight weight, int64_t ts)
{
    if (clock == TS_CLOCK_UNKNOWN || ts == TS_NO_TIME) {
        return;
    }
    note(&store->times, clock, weight, ts);
    if (store->inputs.n > 0) {
        note(&input_at(store, store->inputs.n - 1)->times, clock, weight, ts);
    }
}

static ts_clock clock_of(const ts_time_notes *times)
{
    ts_clock clock = times->first_clock[TS_RANGE_ROWS];
    return clock != TS_CLOCK_UNKNOWN ? clock : times->first_clock[TS_RANGE_MARKS];
}

/* Those that trace_range covers, as far as that is settled. */
static const ts_time_notes *times_of(const ts_store *store)
{
    return store->shown == NULL ? &store->times : &store->shown->times;
}

ts_clock ts_trace_clock(const ts_store *store)
{
    return clock_of(times_of(store));
}

/* --- the range ----------------------------------------------------------------------------- */

static bool is_longer(int64_t start, int64_t end)
{
    return (uint64_t)end - (uint64_t)start > RANGE_MAX;
}

void ts_store_range(const ts_store *store, int64_t *start, int64_t *end)
{
    const ts_clock_span *relative = &store->times.spans[TS_CLOCK_RELATIVE];
    ts_clock clock = ts_trace_clock(store);
    const ts_clock_span *span = &times_of(store)->spans[clock];
    if (clock == TS_CLOCK_UNKNOWN) {
        *start = 0; /* a range that a viewer can divide by, where the reference has (-1, 0) */
        *end = 1;
        return;
    }
    *start = span->first;
    *end = span->last;
    if (clock == TS_CLOCK_RELATIVE) {
        *start = *start < 0 ? *start : 0;
        *end = *end > 1 ? *end : 1;
    } else if (*start == *end) {
        *start = ts_sat_add(*start, -1);
        *end = ts_sat_add(*end, 1);
    }
    if (clock != TS_CLOCK_RELATIVE && relative->noted) { /* was moved to the beginning */
        int64_t last = ts_sat_add(span->first, relative->last);
        *end = last > *end ? last : *end;
    }
    *end = is_longer(*start, *end) ? *start + RANGE_MAX : *end;
}

/* --- one input of several ------------------------------------------------------------------ */

/* By its number or its path, of which the folders may be left out. */
static bool is_called(const ts_row_source *row, ts_text name)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRId64, row->id);
    return ts_text_is(name, number) ||
           (row->path.p != NULL && row->path.n >= name.n &&
            memcmp(row->path.p + (row->path.n - name.n), name.p, name.n) == 0 &&
            (row->path.n == name.n || row->path.p[row->path.n - name.n - 1] == '/'));
}

static ts_code find_input(ts_store *store)
{
    for (size_t i = 0; i < store->inputs.n; i++) {
        const ts_input_times *input = input_at(store, i);
        ts_clock clock = clock_of(&input->times);
        if (!is_called(ts_source(store, input->source_id), store->viewer_source)) {
            continue;
        }
        if (clock == TS_CLOCK_UNKNOWN || clock == TS_CLOCK_RELATIVE) {
            return ts_fail(store->ctx, TS_ERR_USAGE,
                           "--viewer: %.*s has no times, which trace_range could cover",
                           (int)store->viewer_source.n, store->viewer_source.p);
        }
        store->shown = input;
        return TS_OK;
    }
    return ts_fail(store->ctx, TS_ERR_USAGE,
                   "--viewer=%.*s is unknown; there are edge-names, and the number and path that "
                   "an input has in the table source",
                   (int)store->viewer_source.n, store->viewer_source.p);
}

ts_code ts_store_settle_range(ts_store *store)
{
    const ts_clock clock = clock_of(&store->times);
    const ts_clock_span *all = &store->times.spans[clock];
    if (store->range_settled) {
        return TS_OK;
    }
    store->range_settled = true;
    count_rows(store);
    if (store->viewer_source.p != NULL) {
        return find_input(store);
    }
    for (size_t i = 0; i < store->inputs.n && is_longer(all->first, all->last); i++) {
        const ts_input_times *input = input_at(store, i);
        if (input->times.spans[clock].noted &&
            (store->shown == NULL || input->rows > store->shown->rows)) {
            store->shown = input;
        }
    }
    return TS_OK;
}

ts_code ts_range_relative_begin(bool *moves, int64_t *begin, ts_store *store)
{
    ts_code code = ts_store_settle_range(store);
    ts_clock clock = ts_trace_clock(store);
    *begin = times_of(store)->spans[clock].first;
    *moves = clock != TS_CLOCK_UNKNOWN && clock != TS_CLOCK_RELATIVE;
    return code;
}

/* Inputs whose times are not all in the range. */
static ts_code note_outside(ts_store *store, int64_t start, int64_t end)
{
    const ts_clock clock = ts_trace_clock(store);
    ts_code code = TS_OK;
    for (size_t i = 0; i < store->inputs.n && code == TS_OK; i++) {
        const ts_input_times *input = input_at(store, i);
        const ts_clock_span *span = &input->times.spans[clock];
        if (clock == TS_CLOCK_RELATIVE || !span->noted ||
            (span->first >= start && span->last <= end)) {
            continue;
        }
        code = ts_issue(store, input->source_id, TS_ISSUE_outside_of_range, NULL, TS_NO_OFFSET,
                        "times from %" PRId64 " to %" PRId64
                        " are not all in trace_range, which viewers show",
                        span->first, span->last);
    }
    return code;
}

ts_code ts_store_write_range(ts_store *store)
{
    ts_row_trace_range row = {0, 0, 0};
    ts_code code;
    ts_store_range(store, &row.start_ts, &row.end_ts);
    code = note_outside(store, row.start_ts, row.end_ts);
    return code != TS_OK ? code : ts_store_put(store, TS_T_trace_range, &row);
}
