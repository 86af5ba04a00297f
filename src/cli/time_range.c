/* The value of --time-range. */
#include "cli/options.h"

#include "base/ckd.h"

#include <string.h>

#define NS_PER_SECOND INT64_C(1000000000)
#define SECONDS_PER_DAY INT64_C(86400)

enum { MAX_TIME_TEXT = 64, MAX_SECONDS_DIGITS = 10, MAX_MS_DIGITS = 13 };

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

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days since 1970-01-01 in the Gregorian calendar; year 1 or later. */
static bool day_number(int64_t *out, int64_t year, int64_t month, int64_t day)
{
    static const int before[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    bool leap = is_leap(year);
    int64_t y = year - 1;
    if (year < 1 || month < 1 || month > 12 || day < 1 ||
        day > before[month] - before[month - 1] + (leap && month == 2 ? 1 : 0)) {
        return false;
    }
    *out = y * 365 + y / 4 - y / 100 + y / 400 + before[month - 1] + (leap && month > 2 ? 1 : 0) +
           day - 1 - 719162;
    return true;
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

static bool parse_date(int64_t *out, const char *text)
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
        !time_take_number(&day, &p, 2, 2) || !day_number(&day, year, month, day)) {
        return false;
    }
    if (take_char(&p, 'T') || take_char(&p, 't') || take_char(&p, ' ')) {
        if (!take_clock(&seconds, &ns, &p) || !take_zone(&zone, &p)) {
            return false;
        }
    }
    seconds += day * SECONDS_PER_DAY - zone;
    return *p == '\0' && !ts_ckd_mul(&seconds, seconds, NS_PER_SECOND) &&
           !ts_ckd_add(out, seconds, ns);
}

static bool parse_offset(int64_t *out, const char *text)
{
    const char *p = text;
    int64_t seconds;
    int64_t ns = 0;
    if (!time_take_number(&seconds, &p, 1, MAX_SECONDS_DIGITS) ||
        (take_char(&p, '.') && !take_fraction(&ns, &p))) {
        return false;
    }
    return *p == '\0' && !ts_ckd_mul(&seconds, seconds, NS_PER_SECOND) &&
           !ts_ckd_add(out, seconds, ns);
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
    return text[0] == '+' ? parse_offset(out, text + 1)
                          : parse_ms(out, text) || parse_date(out, text);
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
