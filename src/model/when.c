#include "model/when.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "model/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_SECOND INT64_C(1000000000)
#define SECONDS_PER_DAY INT64_C(86400)

enum { MAX_DURATION_DIGITS = 18 };

/* --- texts ----------------------------------------------------------------------------------- */

/* `min` to `max` decimal digits; at most 18. */
static bool time_take_number(int64_t *out, const char **p, unsigned min, unsigned max)
{
    unsigned n = 0;
    *out = 0;
    for (; n < max && **p >= '0' && **p <= '9'; n++, (*p)++) {
        *out = *out * 10 + (**p - '0');
    }
    return n >= min;
}

static bool take_char(const char **p, char c)
{
    if (**p != c) {
        return false;
    }
    (*p)++;
    return true;
}

/* What follows a point, in ns; digits beyond the ninth are dropped. */
static bool take_fraction(int64_t *ns, const char **p)
{
    int64_t unit = NS_PER_SECOND / 10;
    const char *begin = *p;
    *ns = 0;
    for (; **p >= '0' && **p <= '9'; (*p)++, unit /= 10) {
        *ns += (**p - '0') * unit;
    }
    return *p != begin;
}

/* Seconds from 1970-01-01 to the beginning of a day of the Gregorian calendar; year 1 or later. */
static bool day_begin(int64_t *out, int64_t year, int64_t month, int64_t day)
{
    struct tm tm = {
        .tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day, .tm_hour = 0};
    struct tm given = tm;
    *out = (int64_t)timegm(&tm);
    /* A day that does not exist becomes another one. */
    return year >= 1 && tm.tm_year == given.tm_year && tm.tm_mon == given.tm_mon &&
           tm.tm_mday == given.tm_mday;
}

/* "", "Z", "+HH", "+HHMM" or "+HH:MM": seconds east of Greenwich. */
static bool take_zone(int64_t *seconds, const char **p)
{
    int64_t hours;
    int64_t minutes = 0;
    bool west = **p == '-';
    *seconds = 0;
    if (take_char(p, 'Z') || take_char(p, 'z') || (**p != '+' && !west)) {
        return true;
    }
    (*p)++;
    if (!time_take_number(&hours, p, 2, 2) || hours > 23) {
        return false;
    }
    if (**p != '\0') {
        (void)take_char(p, ':');
        if (!time_take_number(&minutes, p, 2, 2) || minutes > 59) {
            return false;
        }
    }
    *seconds = (hours * 3600 + minutes * 60) * (west ? -1 : 1);
    return true;
}

/* HH:MM[:SS[.fraction]] */
static bool take_clock(int64_t *seconds, int64_t *ns, const char **p)
{
    int64_t hour;
    int64_t minute;
    int64_t second = 0;
    if (!time_take_number(&hour, p, 2, 2) || hour > 24 || !take_char(p, ':') ||
        !time_take_number(&minute, p, 2, 2) || minute > 59) {
        return false;
    }
    if (take_char(p, ':') && (!time_take_number(&second, p, 2, 2) || second > 59 ||
                              (take_char(p, '.') && !take_fraction(ns, p)))) {
        return false;
    }
    *seconds = hour * 3600 + minute * 60 + second;
    return *seconds < SECONDS_PER_DAY || (*seconds == SECONDS_PER_DAY && *ns == 0);
}

bool ts_parse_date(int64_t *out, const char *text)
{
    const char *p = text;
    int64_t year;
    int64_t month;
    int64_t day;
    int64_t seconds = 0;
    int64_t zone = 0;
    int64_t ns = 0;
    if (!time_take_number(&year, &p, 4, 4) || !take_char(&p, '-') ||
        !time_take_number(&month, &p, 2, 2) || !take_char(&p, '-') ||
        !time_take_number(&day, &p, 2, 2) || !day_begin(&day, year, month, day)) {
        return false;
    }
    if (take_char(&p, 'T') || take_char(&p, 't') || take_char(&p, ' ')) {
        if (!take_clock(&seconds, &ns, &p) || !take_zone(&zone, &p)) {
            return false;
        }
    }
    seconds += day - zone;
    return *p == '\0' && !ts_ckd_mul(&seconds, seconds, NS_PER_SECOND) &&
           !ts_ckd_add(out, seconds, ns);
}

/* The number of ns in the unit of time that is n bytes long; 0: there is no such unit. */
static int64_t unit_of(const char *text, size_t n)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"", NS_PER_SECOND},
                 {"ns", 1},
                 {"us", 1000},
                 {"ms", 1000000},
                 {"s", NS_PER_SECOND},
                 {"m", 60 * NS_PER_SECOND},
                 {"h", 3600 * NS_PER_SECOND}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].name) == n && memcmp(text, units[i].name, n) == 0) {
            return units[i].ns;
        }
    }
    return 0;
}

/* "2.5s" of "2.5s" or of "1m2.5s"; *unit is its unit. */
static bool take_duration(int64_t *out, int64_t *unit, const char **p)
{
    int64_t whole;
    int64_t fraction = 0; /* of the unit, in 10^-9 */
    if (!time_take_number(&whole, p, 1, MAX_DURATION_DIGITS) ||
        (take_char(p, '.') && !take_fraction(&fraction, p))) {
        return false;
    }
    size_t n = strspn(*p, "nusmh");
    *unit = unit_of(*p, n);
    *p += n;
    fraction = *unit >= NS_PER_SECOND ? fraction * (*unit / NS_PER_SECOND)
               : *unit > 0            ? fraction / (NS_PER_SECOND / *unit)
                                      : 0;
    return *unit > 0 && !ts_ckd_mul(&whole, whole, *unit) && !ts_ckd_add(out, whole, fraction);
}

bool ts_parse_duration(int64_t *out, const char *text)
{
    const char *p = text;
    int64_t last = INT64_MAX;
    int64_t sum = 0;
    do {
        int64_t part;
        int64_t unit;
        if (!take_duration(&part, &unit, &p) || unit >= last || ts_ckd_add(&sum, sum, part) ||
            (*p != '\0' && p[-1] >= '0' && p[-1] <= '9')) {
            return false;
        }
        last = unit;
    } while (*p != '\0');
    *out = sum;
    return true;
}

/* "10:05", "10:05:11.250": ns since midnight. */
static bool parse_clock(int64_t *out, const char *text)
{
    const char *p = text;
    int64_t seconds;
    int64_t ns = 0;
    return take_clock(&seconds, &ns, &p) && *p == '\0' &&
           !ts_ckd_mul(&seconds, seconds, NS_PER_SECOND) && !ts_ckd_add(out, seconds, ns);
}

static bool parse_digits(int64_t *out, const char *text)
{
    size_t sign = text[0] == '-' ? 1 : 0;
    size_t digits = strspn(text + sign, "0123456789");
    if (digits == 0 || text[sign + digits] != '\0') {
        return false;
    }
    errno = 0;
    *out = strtoll(text, NULL, 10);
    return errno == 0;
}

bool ts_when_parse(ts_when *out, const char *text)
{
    if (text[0] == '+' || (text[0] == '-' && !parse_digits(&out->ns, text))) {
        out->kind = text[0] == '+' ? TS_WHEN_AFTER_BEGIN : TS_WHEN_BEFORE_END;
        return ts_parse_duration(&out->ns, text + 1);
    }
    out->kind = TS_WHEN_NS;
    if (parse_digits(&out->ns, text)) {
        return true;
    }
    out->kind = TS_WHEN_CLOCK;
    if (parse_clock(&out->ns, text)) {
        return true;
    }
    out->kind = TS_WHEN_DATE;
    return ts_parse_date(&out->ns, text);
}

/* --- in a database --------------------------------------------------------------------------- */

static void widen(ts_span *range, int64_t from, int64_t to)
{
    range->from = from < range->from ? from : range->from;
    range->to = to > range->to ? to : range->to;
}

typedef struct observed {
    ts_ctx *ctx;
    ts_vec spans; /* of ts_span, by source */
} observed;

static void observed_free(ts_ctx *ctx, void *what)
{
    observed *o = what;
    ts_vec_free(ctx, &o->spans);
    ts_free(ctx, o);
}

/* Least and greatest time of the rows of each source. */
static ts_code observed_row(observed *o, const ts_batch *b, unsigned i)
{
    int64_t source = b->columns[0].ints[i];
    int64_t ts = b->columns[1].ints[i];
    int64_t dur = b->columns[2].null[i] ? 0 : b->columns[2].ints[i];
    size_t n = o->spans.n;
    if (b->columns[0].null[i] || b->columns[1].null[i]) {
        return TS_OK;
    }
    TS_TRY(ts_vec_reach(o->ctx, &o->spans, source, sizeof(ts_span)));
    for (; n < o->spans.n; n++) {
        ((ts_span *)o->spans.p)[n] = (ts_span){INT64_MAX, INT64_MIN};
    }
    widen((ts_span *)o->spans.p + source, ts, dur > 0 ? ts_sat_add(ts, dur) : ts);
    return TS_OK;
}

static ts_code observed_build(void **what, ts_model *m, const void *user)
{
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__ts,
                                       TS_C_stack_sample__dur};
    static const unsigned slices[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__ts,
                                      TS_C_stack_slice__dur};
    const ts_rows_from *from = ts_model_rows(m);
    observed *o = ts_zalloc(from->ctx, 1, sizeof *o);
    (void)user;
    *what = o;
    TS_NEED(from->ctx, o);
    o->ctx = from->ctx;
    ts_walk rows[] = {ts_walk_of(*from, TS_T_stack_sample, samples, 3),
                      ts_walk_of(*from, TS_T_stack_slice, slices, 3)};
    ts_code code = TS_OK;
    for (unsigned i = 0; i < 2; i++) {
        while (ts_walk_next(&code, &rows[i])) {
            code = observed_row(o, rows[i].b, rows[i].row);
        }
    }
    return code;
}

/* Least and greatest time of the rows of some sources. */
static ts_code range_observed(ts_span *range, ts_model *m, const ts_idset *sources)
{
    void *what;
    ts_code code = ts_model_keep(&what, m, "ranges", "", observed_build, observed_free, NULL);
    const observed *o = what;
    for (size_t i = 0; code == TS_OK && i < o->spans.n; i++) {
        const ts_span *span = (const ts_span *)o->spans.p + i;
        if (span->from <= span->to && ts_idset_has(sources, (int64_t)i)) {
            widen(range, span->from, span->to);
        }
    }
    return code;
}

ts_code ts_whole_range(ts_span *range, ts_model *m)
{
    static const unsigned columns[] = {TS_C_trace_range__start_ts, TS_C_trace_range__end_ts};
    ts_walk rows = ts_walk_of(*ts_model_rows(m), TS_T_trace_range, columns, 2);
    bool there = ts_rows_there(ts_model_rows(m), TS_T_trace_range, columns, 2);
    ts_code code = TS_OK;
    while (there && ts_walk_next(&code, &rows)) { /* it has one row */
        if (!ts_walk_null(&rows, 0) && !ts_walk_null(&rows, 1)) {
            *range = (ts_span){ts_walk_int(&rows, 0), ts_walk_int(&rows, 1)};
        }
    }
    return code;
}

/* What a recording says of itself, where its rows do not say otherwise. */
static ts_code range_recorded(ts_span *range, ts_model *m, const ts_idset *sources)
{
    const ts_sources *all;
    const ts_span rows_range = *range;
    ts_code code = ts_sources_get(&all, m);
    const ts_source_entry *rows = code == TS_OK ? all->rows.p : NULL;
    for (size_t i = 0; code == TS_OK && i < all->rows.n; i++) {
        const ts_source_entry *s = &rows[i];
        if (ts_idset_has(sources, s->id) && s->start_ts != TS_NO_TIME && s->end_ts != TS_NO_TIME &&
            s->start_ts <= s->end_ts &&
            (rows_range.from > rows_range.to ||
             (s->start_ts <= rows_range.to && s->end_ts >= rows_range.from))) {
            widen(range, s->start_ts, s->end_ts);
        }
    }
    return code;
}

/* Least and greatest time of the rows of the sources; *known is false when they have none. Of all
 * sources that is trace_range. */
ts_code ts_source_range(ts_span *range, bool *known, ts_model *m, const ts_idset *sources)
{
    bool kernel; /* events of it are all that there is, and have no source in their rows */
    bool states;
    ts_code code;
    *range = (ts_span){INT64_MAX, INT64_MIN};
    TS_TRY_INTO(code, ts_rows_any(&kernel, ts_model_rows(m), TS_T_sched_slice));
    TS_TRY_INTO(code, ts_rows_any(&states, ts_model_rows(m), TS_T_thread_state));
    if (!sources->all || (!kernel && !states)) {
        TS_TRY_INTO(code, range_observed(range, m, sources));
        TS_TRY_INTO(code, range_recorded(range, m, sources));
    }
    if (range->from > range->to) {
        code = ts_whole_range(range, m);
    }
    *known = code == TS_OK && range->from <= range->to;
    return code;
}

/* What is added to the time since 1970 to get that of rows: they have times of realtime, or of a
 * clock whose reading is known together with it. */
static ts_code clock_shift(int64_t *shift, bool *known, ts_model *m, const ts_idset *sources)
{
    static const unsigned columns[] = {TS_C_clock_snapshot__clock_name, TS_C_clock_snapshot__ts};
    const ts_sources *all;
    ts_text clock = TS_TEXT_NULL;
    int64_t at[2] = {TS_NO_TIME, TS_NO_TIME};
    ts_code code = ts_sources_get(&all, m);
    *shift = 0;
    *known = false;
    for (size_t i = 0; code == TS_OK && i < all->rows.n; i++) {
        const ts_source_entry *row = (const ts_source_entry *)all->rows.p + i;
        if (row->clock.p == NULL || !ts_idset_has(sources, row->id)) {
            continue;
        }
        if (clock.p != NULL && !ts_text_equal(clock, row->clock)) {
            return TS_OK;
        }
        clock = row->clock;
    }
    if (code != TS_OK || clock.p == NULL || ts_text_is(clock, "realtime")) {
        *known = clock.p != NULL;
        return code;
    }
    ts_walk rows = ts_walk_of(*ts_model_rows(m), TS_T_clock_snapshot, columns, 2);
    while (ts_walk_next(&code, &rows)) {
        ts_text name = ts_walk_text(&rows, 0);
        unsigned which = ts_text_is(name, "realtime") ? 1 : 0;
        bool is = which == 1 || ts_text_equal(name, clock);
        at[which] = is && at[which] == TS_NO_TIME ? ts_walk_int(&rows, 1) : at[which];
    }
    *known = at[0] != TS_NO_TIME && at[1] != TS_NO_TIME;
    *shift = *known ? ts_sat_sub(at[0], at[1]) : 0;
    return code;
}

/* Of the days of the range the one on which the clock of the day shows it. */
static const char *clock_time(int64_t *ns, const ts_span *range, int64_t shift)
{
    const int64_t day = SECONDS_PER_DAY * NS_PER_SECOND;
    int64_t begin = ts_sat_sub(range->from, shift);
    int64_t end = ts_sat_sub(range->to, shift);
    int64_t at = begin / day * day - (begin % day < 0 ? day : 0);
    if (ts_ckd_add(&at, at, *ns) || (at < begin && ts_ckd_add(&at, at, day)) || at > end) {
        return "is not in the recording";
    }
    *ns = at;
    return end - at >= day ? "is on several days of the recording; give the date too" : NULL;
}

ts_code ts_when_at(int64_t *out, ts_model *m, const ts_when *when, const ts_idset *sources,
                   const char **why)
{
    int64_t base = 0;
    bool known = true;
    ts_span range = {0, 0};
    bool relative = when->kind == TS_WHEN_AFTER_BEGIN || when->kind == TS_WHEN_BEFORE_END;
    ts_code code = TS_OK;
    *why = NULL;
    *out = when->ns;
    if (relative || when->kind == TS_WHEN_CLOCK) {
        code = ts_source_range(&range, &known, m, sources);
        base = when->kind == TS_WHEN_BEFORE_END ? range.to : range.from;
        *why = known ? NULL : "cannot be used: the beginning is not known";
    }
    if (code == TS_OK && *why == NULL && !relative && when->kind != TS_WHEN_NS) {
        code = clock_shift(&base, &known, m, sources);
        *why = known ? NULL
                     : "cannot be used: the clock of the database is not known, or it has several; "
                       "give ns or +2.5s";
    }
    if (code == TS_OK && *why == NULL && when->kind == TS_WHEN_CLOCK) {
        *why = clock_time(out, &range, base);
    }
    if (code == TS_OK && *why == NULL && when->kind != TS_WHEN_NS &&
        (when->kind == TS_WHEN_BEFORE_END ? ts_ckd_sub(out, base, *out)
                                          : ts_ckd_add(out, *out, base))) {
        *why = "is out of range";
    }
    return code;
}
