#include "cli/people.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NS_A_SECOND 1000000000
#define NS_A_DAY (86400 * (int64_t)NS_A_SECOND)
/* The year 2001: clocks that count from the start of a machine do not get there. */
#define NS_OF_THE_WORLD (INT64_C(1000000000) * NS_A_SECOND)

typedef struct scale {
    double least; /* that is shown in it */
    const char *unit;
} scale;

static const scale durations[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
static const scale sizes[] = {
    {1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}};

/* --- numbers ------------------------------------------------------------------------------- */

/* With two digits after the point, or those that are needed. */
static ts_code put_short(ts_buf *out, ts_ctx *ctx, double value)
{
    char text[400];
    int n = snprintf(text, sizeof text, "%.2f", value);
    while (n > 0 && text[n - 1] == '0') {
        n--;
    }
    n -= n > 0 && text[n - 1] == '.' ? 1 : 0;
    bool zero = n == 2 && text[0] == '-' && text[1] == '0';
    return ts_buf_put(ctx, out, text + zero, (size_t)(n - zero));
}

static ts_code put_scaled(ts_buf *out, ts_ctx *ctx, double value, const scale *scales, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && fabs(value) < scales[i].least) {
        i++;
    }
    TS_TRY(put_short(out, ctx, value / scales[i].least));
    return ts_buf_printf(ctx, out, " %s", scales[i].unit);
}

static ts_code put_duration(ts_buf *out, ts_ctx *ctx, double ns)
{
    return ns == 0 ? ts_buf_put(ctx, out, "0 s", 3)
                   : put_scaled(out, ctx, ns, durations, sizeof durations / sizeof durations[0]);
}

static ts_code put_bytes(ts_buf *out, ts_ctx *ctx, double bytes)
{
    return put_scaled(out, ctx, bytes, sizes, sizeof sizes / sizeof sizes[0]);
}

/* --- times --------------------------------------------------------------------------------- */

static int64_t day_of(int64_t ns)
{
    return ns / NS_A_DAY;
}

/* "10:02:11.250", with the day where the recording has several or another one. */
static ts_code put_clock(ts_buf *out, const ts_people *p, int64_t ns)
{
    time_t seconds = (time_t)(ns / NS_A_SECOND);
    struct tm t;
    char text[64];
    bool day = day_of(p->begin) != day_of(p->end) || day_of(ns) != day_of(p->begin);
    if (gmtime_r(&seconds, &t) == NULL ||
        strftime(text, sizeof text, day ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &t) == 0) {
        return ts_buf_decimal(p->ctx, out, ns);
    }
    return ts_buf_printf(p->ctx, out, "%s.%03d", text, (int)(ns % NS_A_SECOND / 1000000));
}

static ts_code put_time(ts_buf *out, const ts_people *p, int64_t ns)
{
    if (ns >= NS_OF_THE_WORLD) {
        return put_clock(out, p, ns);
    }
    bool inside = p->begin < p->end && ns >= p->begin && ns <= p->end;
    int64_t at = inside ? ns - p->begin : ns;
    if (at < 0) {
        return ts_buf_decimal(p->ctx, out, ns);
    }
    return ts_buf_printf(p->ctx, out, "%s%" PRId64 ".%06d s", inside ? "+" : "", at / NS_A_SECOND,
                         (int)(at % NS_A_SECOND / 1000));
}

/* --- columns ------------------------------------------------------------------------------- */

typedef enum meaning { PLAIN, TIME, NS, US, MS, BYTES, SHARE, PERCENT, IN_UNIT, REASONS } meaning;

static bool ends(ts_text name, const char *end)
{
    size_t n = strlen(end);
    return name.n >= n && memcmp(name.p + name.n - n, end, n) == 0 &&
           (name.n == n || name.p[name.n - n - 1] == '_');
}

static bool is_one_of(ts_text name, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ts_text_is(name, words[i])) {
            return true;
        }
    }
    return false;
}

static bool has_word(ts_text name, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= name.n; i++) {
        if (memcmp(name.p + i, word, n) == 0 && (i == 0 || name.p[i - 1] == '_') &&
            (i + n == name.n || name.p[i + n] == '_')) {
            return true;
        }
    }
    return false;
}

static meaning meaning_of(ts_text name)
{
    static const char *const in_unit[] = {"self",     "total", "all",   "least",
                                          "greatest", "mean",  "first", "last"};
    static const char *const spans[] = {"length", "paused", "unknown", "longest"};
    static const struct {
        const char *end;
        meaning meaning;
    } known[] = {{"ts", TIME}, {"dur", NS},      {"ns", NS},           {"us", US},
                 {"ms", MS},   {"share", SHARE}, {"percent", PERCENT}, {"reasons", REASONS}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (ends(name, known[i].end)) {
            return known[i].meaning;
        }
    }
    return is_one_of(name, in_unit, sizeof in_unit / sizeof in_unit[0]) ? IN_UNIT
           : is_one_of(name, spans, sizeof spans / sizeof spans[0])     ? NS
           : has_word(name, "bytes") || has_word(name, "size")          ? BYTES
                                                                        : PLAIN;
}

static ts_text unit_of(const ts_people_row *row)
{
    for (int i = 0; i < row->n; i++) {
        if (strcmp(row->names[i], "unit") == 0 && row->types[i] == TS_CELL_TEXT) {
            return row->values[i];
        }
    }
    return TS_TEXT_NULL;
}

ts_code ts_people_in_unit(ts_buf *out, ts_ctx *ctx, double value, ts_text unit)
{
    static const struct {
        const char *unit;
        double factor;
        bool size;
        const char *after;
    } known[] = {{"ns", 1, false, ""},       {"us", 1e3, false, ""},  {"ms", 1e6, false, ""},
                 {"bytes", 1, true, ""},     {"KiB", 1024, true, ""}, {"bytes/s", 1, true, "/s"},
                 {"KiB/s", 1024, true, "/s"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (ts_text_is(unit, known[i].unit)) {
            ts_code code = known[i].size ? put_bytes(out, ctx, value * known[i].factor)
                                         : put_duration(out, ctx, value * known[i].factor);
            return code != TS_OK ? code : ts_buf_printf(ctx, out, "%s", known[i].after);
        }
    }
    ts_code code = put_short(out, ctx, value);
    TS_STEP_IF(code, ts_text_is(unit, "%"), ts_buf_put(ctx, out, " %", 2));
    return code;
}

/* "sleep 174000, runnable 103000" */
static ts_code put_reasons(ts_buf *out, ts_ctx *ctx, ts_text text)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < text.n;) {
        size_t n = 0;
        while (i + n < text.n && text.p[i + n] >= '0' && text.p[i + n] <= '9') {
            n++;
        }
        bool number = n > 0 && n < 19 && i > 0 && text.p[i - 1] == ' ';
        char digits[20] = {0};
        if (number) {
            memcpy(digits, text.p + i, n);
        }
        n += n == 0;
        code = number ? put_duration(out, ctx, strtod(digits, NULL))
                      : ts_buf_put(ctx, out, text.p + i, n);
        i += n;
    }
    return code;
}

static ts_code put_number(ts_buf *out, const ts_people *p, const ts_people_row *row, int i,
                          meaning how)
{
    ts_text value = row->values[i];
    double number = strtod(value.p, NULL);
    ts_code code;
    switch (how) {
    case TIME:
        return put_time(out, p, strtoll(value.p, NULL, 10));
    case NS:
        return put_duration(out, p->ctx, number);
    case US:
        return put_duration(out, p->ctx, number * 1e3);
    case MS:
        return put_duration(out, p->ctx, number * 1e6);
    case BYTES:
        return put_bytes(out, p->ctx, number);
    case SHARE:
    case PERCENT:
        code = put_short(out, p->ctx, how == SHARE ? number * 100 : number);
        return code != TS_OK ? code : ts_buf_put(p->ctx, out, " %", 2);
    case IN_UNIT:
        return ts_people_in_unit(out, p->ctx, number, unit_of(row));
    case PLAIN:
    case REASONS:
        break;
    }
    return row->types[i] == TS_CELL_REAL ? put_short(out, p->ctx, number)
                                         : ts_buf_put(p->ctx, out, value.p, value.n);
}

ts_code ts_people_put(ts_buf *out, const ts_people *p, const ts_people_row *row, int i)
{
    const char *name = row->names[i];
    meaning how = meaning_of(ts_text_of(name));
    if (row->types[i] == TS_CELL_INT || row->types[i] == TS_CELL_REAL) {
        return put_number(out, p, row, i, how);
    }
    return how == REASONS && row->types[i] == TS_CELL_TEXT
               ? put_reasons(out, p->ctx, row->values[i])
               : ts_buf_put(p->ctx, out, row->values[i].p, row->values[i].n);
}
