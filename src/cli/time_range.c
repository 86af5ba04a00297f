/* Times on the command line. */
#include "cli/options.h"

#include "base/ckd.h"

#include <string.h>
#include <time.h>

#define NS_PER_SECOND INT64_C(1000000000)
#define SECONDS_PER_DAY INT64_C(86400)

enum { MAX_TIME_TEXT = 64, MAX_DURATION_DIGITS = 18, MAX_MS_DIGITS = 13 };

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

/* The number of ns in a unit of time; 0: there is no such unit. */
static int64_t unit_of(const char *text)
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
        if (strcmp(text, units[i].name) == 0) {
            return units[i].ns;
        }
    }
    return 0;
}

bool ts_parse_duration(int64_t *out, const char *text)
{
    const char *p = text;
    int64_t whole;
    int64_t fraction = 0; /* of the unit, in 10^-9 */
    if (!time_take_number(&whole, &p, 1, MAX_DURATION_DIGITS) ||
        (take_char(&p, '.') && !take_fraction(&fraction, &p))) {
        return false;
    }
    int64_t unit = unit_of(p);
    fraction = unit >= NS_PER_SECOND ? fraction * (unit / NS_PER_SECOND)
               : unit > 0            ? fraction / (NS_PER_SECOND / unit)
                                     : 0;
    return unit > 0 && !ts_ckd_mul(&whole, whole, unit) && !ts_ckd_add(out, whole, fraction);
}

static bool parse_ms(int64_t *out, const char *text)
{
    const char *p = text;
    bool negative = take_char(&p, '-');
    int64_t ms;
    if (!time_take_number(&ms, &p, 1, MAX_MS_DIGITS) || *p != '\0') {
        return false;
    }
    return !ts_ckd_mul(out, negative ? -ms : ms, INT64_C(1000000));
}

/* One end, n bytes of it. */
static bool parse_end(ts_wanted_kind *kind, int64_t *out, const char *p, size_t n)
{
    char text[MAX_TIME_TEXT];
    if (n >= sizeof text) {
        return false;
    }
    memcpy(text, p, n);
    text[n] = '\0';
    *kind = text[0] == '+' ? TS_WANTED_OFFSET : TS_WANTED_REALTIME;
    return text[0] == '+' ? ts_parse_duration(out, text + 1)
                          : parse_ms(out, text) || ts_parse_date(out, text);
}

bool ts_parse_time_range(ts_time_range *out, const char *text)
{
    const char *comma = strchr(text, ',');
    ts_wanted_kind from = TS_WANTED_ALL;
    ts_wanted_kind to = TS_WANTED_ALL;
    *out = (ts_time_range){TS_WANTED_ALL, INT64_MIN, INT64_MAX};
    if (comma == NULL ||
        (comma != text && !parse_end(&from, &out->from, text, (size_t)(comma - text))) ||
        (comma[1] != '\0' && !parse_end(&to, &out->to, comma + 1, strlen(comma + 1)))) {
        return false;
    }
    out->kind = from != TS_WANTED_ALL ? from : to;
    return out->kind != TS_WANTED_ALL &&
           (from == to || from == TS_WANTED_ALL || to == TS_WANTED_ALL) && out->from < out->to;
}
