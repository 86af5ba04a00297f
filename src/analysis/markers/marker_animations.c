/*
 * animation: asynchronous calls of threads of the render service that are named after an animation.
 * What happens in each of them is counted in one pass in the order of time.
 */
#include "analysis/markers/marker_work.h"

enum { REALTIME_MS = 1000000 };

/* At one time in this order: ends count as within. */
enum { BEGINS, REPAINTED, RATED, ENDS };

typedef struct moment {
    uint64_t source;
    uint64_t ts; /* ts_sorter_key */
    uint64_t what;
    uint64_t number; /* of the animation */
    int64_t row;     /* of callstack */
} moment;

/* What was counted until one begins, and until it ends. */
typedef struct animation_record {
    uint64_t number;
    uint64_t ended; /* 0 or 1 */
    int64_t row;
    int64_t ts;
    uint64_t repaints;
    uint64_t rates;
    int64_t rate_row; /* the last rate */
    uint64_t source;
} animation_record;

typedef struct animation_work {
    marker_work *w;
    uint64_t count;
    ts_sorter *moments; /* by source and time */
    ts_sorter *records; /* by animation: its beginning, then its end, if there is one */
    bool has_clocks;
    uint64_t clock_source; /* the one that the clocks are of */
    ts_clock_set clocks;
} animation_work;

static ts_code add_moment(animation_work *a, unsigned what, int64_t ts, const marker *m)
{
    const moment at = {.source = m->source,
                       .ts = ts_sorter_key(ts),
                       .what = what,
                       .number = a->count,
                       .row = m->row};
    return marker_keep(a->w, &a->moments, &at, sizeof at, 4);
}

static ts_code animations_take(void *self, const marker *m, unsigned pattern)
{
    animation_work *a = self;
    ts_text rest = m->name;
    ts_code code;
    if (pattern == MARKER_REPAINT) {
        return m->end == TS_NO_TIME ? TS_OK : add_moment(a, REPAINTED, m->end, m);
    }
    if (pattern == MARKER_RATE) {
        return add_moment(a, RATED, m->ts, m);
    }
    if (!marker_thread_of(a->w, m->emitter).draws ||
        (pattern == MARKER_FLING && marker_part(&rest, ", ").n != m->prefix)) {
        return TS_OK;
    }
    code = add_moment(a, BEGINS, m->ts, m);
    TS_STEP_IF(code, m->end != TS_NO_TIME, add_moment(a, ENDS, m->end < m->ts ? m->ts : m->end, m));
    a->count++;
    return code;
}

/* --- counting ------------------------------------------------------------------------------ */

static ts_code count_moments(animation_work *a)
{
    animation_record now = {0};
    const void *record = NULL;
    ts_code code = ts_sorter_finish(a->moments);
    while (code == TS_OK && (code = ts_sorter_next(&record, a->moments)) == TS_OK &&
           record != NULL) {
        const moment *m = record;
        if (m->what == REPAINTED) {
            now.repaints++;
        } else if (m->what == RATED) {
            now.rates++;
            now.rate_row = m->row;
        } else {
            now.number = m->number;
            now.ended = m->what == ENDS;
            now.row = m->row;
            now.ts = (int64_t)(m->ts ^ UINT64_C(1) << 63);
            now.source = m->source;
            code = marker_keep(a->w, &a->records, &now, sizeof now, 2);
        }
    }
    return code;
}

/* --- clocks -------------------------------------------------------------------------------- */

/* The clocks of the first recording that has some, which is of htrace: other formats have none. */
static ts_code read_clocks(animation_work *a)
{
    static const unsigned columns[] = {TS_C_clock_snapshot__clock_id, TS_C_clock_snapshot__ts};
    ts_walk rows = ts_walk_of(ts_rows_of(a->w->reader), TS_T_clock_snapshot, columns, 2);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        int64_t clock = ts_walk_int(&rows, 0);
        if (clock > TS_CLOCK_UNKNOWN && clock < TS_CLOCK_RELATIVE && !ts_walk_null(&rows, 1)) {
            a->clocks.at[clock] = (uint64_t)ts_walk_int(&rows, 1);
        }
    }
    for (uint64_t i = 1; i <= ts_source_count(a->w->store) && code == TS_OK; i++) {
        if (ts_text_is(ts_source(a->w->store, (int64_t)i)->format, "htrace")) {
            a->has_clocks = true;
            a->clock_source = i;
            break;
        }
    }
    return code;
}

/* A realtime in ms on the clock of the recording. */
static int64_t input_time(const animation_work *a, uint64_t source, int64_t ms)
{
    int64_t ts;
    if (ts_ckd_mul(&ts, ms, REALTIME_MS)) {
        return TS_NO_TIME;
    }
    if (source == 0 || source > ts_source_count(a->w->store) ||
        !ts_text_is(ts_source(a->w->store, (int64_t)source)->format, "htrace")) {
        return ts; /* as its other times */
    }
    if (!a->has_clocks || source != a->clock_source) {
        return TS_NO_TIME;
    }
    (void)ts_clock_convert(&ts, &a->clocks, TS_CLOCK_REALTIME, TS_CLOCK_BOOTTIME, ts);
    return ts;
}

/* --- rows ---------------------------------------------------------------------------------- */

/* The frame rate that a call names: its first number. */
static ts_code rate_of(char *out, size_t size, animation_work *a, int64_t row)
{
    ts_text name;
    size_t n = 0;
    size_t dots = 0;
    ts_code code = marker_name(&name, a->w, row);
    while (code == TS_OK && name.n > 0 && !ts_is_digit(name.p[0])) {
        name = ts_text_from(name, 1);
    }
    while (code == TS_OK && n < name.n && n + 1 < size &&
           (ts_is_digit(name.p[n]) ||
            (name.p[n] == '.' && dots++ == 0 && n + 1 < name.n && ts_is_digit(name.p[n + 1])))) {
        out[n] = name.p[n];
        n++;
    }
    out[n] = '\0';
    return code;
}

static ts_code put_animation(animation_work *a, const animation_record *begin,
                             const animation_record *end)
{
    ts_row_animation row = {.id = (int64_t)ts_sink_rows(a->w->sink, TS_T_animation),
                            .start_point = begin->ts};
    char rate[32] = "";
    ts_buf info = {0};
    ts_text rest;
    int64_t ms;
    ts_code code = TS_OK;
    row.null = TS_NULL_BIT(animation, input_time) | TS_NULL_BIT(animation, end_point);
    if (end != NULL) {
        row.end_point = end->ts;
        row.null &= ~TS_NULL_BIT(animation, end_point);
        if (end->rates > begin->rates) {
            code = rate_of(rate, sizeof rate, a, end->rate_row);
        }
        TS_STEP(code, rate[0] != '\0'
                          ? ts_buf_printf(a->w->ctx, &info, "0:%s", rate)
                          : ts_buf_printf(a->w->ctx, &info, "%llu:0",
                                          (unsigned long long)(end->repaints - begin->repaints)));
        row.frame_info = ts_buf_text(&info);
    }
    TS_STEP(code, marker_name(&row.name, a->w, begin->row));
    if (code == TS_OK) {
        rest = row.name;
        (void)marker_part(&rest, ", ");
        (void)marker_part(&rest, ", ");
        rest = marker_part(&rest, ", ");
        if (marker_number(&ms, &rest) && rest.n == 0 &&
            (row.input_time = input_time(a, begin->source, ms)) != TS_NO_TIME) {
            row.null &= ~TS_NULL_BIT(animation, input_time);
        }
        code = ts_put_animation(a->w->sink, &row);
    }
    ts_buf_free(a->w->ctx, &info);
    return code;
}

static ts_code put_animations(animation_work *a)
{
    const void *record = NULL;
    animation_record begin = {0};
    bool pending = false;
    ts_code code = ts_sorter_finish(a->records);
    while (code == TS_OK && (code = ts_sorter_next(&record, a->records)) == TS_OK) {
        const animation_record *r = record;
        bool ends = r != NULL && r->ended != 0;
        code = pending ? put_animation(a, &begin, ends ? r : NULL) : TS_OK;
        if (r == NULL) {
            break;
        }
        pending = !ends;
        begin = *r;
    }
    return code;
}

static ts_code animations_finish(void *self)
{
    animation_work *a = self;
    ts_code code = TS_OK;
    if (a->count == 0) {
        return TS_OK; /* what is drawn is not counted for nothing */
    }
    TS_TRY_INTO(code, read_clocks(a));
    TS_TRY_INTO(code, count_moments(a));
    return put_animations(a);
}

static void animations_close(void *self)
{
    animation_work *a = self;
    ts_sorter_close(a->moments);
    ts_sorter_close(a->records);
}

const marker_kind marker_animations = {sizeof(animation_work), animations_take, animations_finish,
                                       animations_close};
