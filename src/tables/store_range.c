/*
 * trace_range: the times of all inputs in the trace clock, or of one when viewers could not show
 * all.
 */
#include "tables/store_impl.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "tables/source_names.h"

#include <inttypes.h>

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
    TS_NEED(store->ctx, input = ts_stable_array_add(store->ctx, &store->inputs));
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

static ts_source_name source_name_at(const void *all, size_t i)
{
    ts_store *const *store = all;
    const ts_row_source *row = ts_source(*store, (int64_t)i + 1);
    bool parent = (row->null & TS_NULL_BIT(source, parent_id)) == 0;
    return (ts_source_name){row->id, parent ? row->parent_id : 0, row->path, row->name};
}

/* Adds the times of an input to those that trace_range covers. */
static void show_input(ts_store *store, const ts_input_times *input)
{
    ts_input_times *chosen = &store->chosen;
    for (unsigned weight = 0; weight <= TS_RANGE_ROWS; weight++) {
        if (chosen->times.first_clock[weight] == TS_CLOCK_UNKNOWN ||
            chosen->times.first_clock[weight] == TS_CLOCK_RELATIVE) {
            chosen->times.first_clock[weight] = input->times.first_clock[weight];
        }
    }
    for (unsigned clock = 0; clock < TS_CLOCK_COUNT; clock++) {
        const ts_clock_span *from = &input->times.spans[clock];
        ts_clock_span *to = &chosen->times.spans[clock];
        if (from->noted) {
            to->first = to->noted && to->first < from->first ? to->first : from->first;
            to->last = to->noted && to->last > from->last ? to->last : from->last;
            to->noted = true;
        }
    }
    store->shown = chosen;
}

/* The inputs that --viewer names. */
static ts_code find_inputs(ts_store *store)
{
    const ts_source_names names = {&store, (size_t)ts_source_count(store), source_name_at};
    bool *found = ts_zalloc(store->ctx, names.count, sizeof *found);
    ts_code code = found == NULL
                       ? store->ctx->error.code
                       : ts_source_names_find(found, store->ctx, &names, store->viewer_source);
    for (size_t i = 0; code == TS_OK && i < store->inputs.n; i++) {
        const ts_input_times *input = input_at(store, i);
        if (found[input->source_id - 1]) {
            show_input(store, input);
        }
    }
    ts_free(store->ctx, found);
    ts_clock clock = store->shown == NULL ? TS_CLOCK_UNKNOWN : clock_of(&store->shown->times);
    if (code == TS_OK && (clock == TS_CLOCK_UNKNOWN || clock == TS_CLOCK_RELATIVE)) {
        return ts_fail(store->ctx, TS_ERR_USAGE,
                       "--viewer: %.*s is not an input with times, which trace_range could cover",
                       (int)store->viewer_source.n, store->viewer_source.p);
    }
    return code != TS_ERR_USAGE
               ? code
               : ts_cause(store->ctx,
                          "--viewer takes edge-names, stacks, an input, or several with commas, "
                          "the input last");
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
        return find_inputs(store);
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
