/* Times as event files and forms write them: RFC 3339. */
#include "parsers/datakit/datakit.h"

/* Reads n digits; false when there are not as many. */
static bool time_digits(int64_t *v, ts_text *text, size_t n)
{
    *v = 0;
    for (size_t i = 0; i < n; i++) {
        if (i >= text->n || text->p[i] < '0' || text->p[i] > '9') {
            return false;
        }
        *v = *v * 10 + (text->p[i] - '0');
    }
    text->p += n;
    text->n -= n;
    return true;
}

static bool time_mark(ts_text *text, const char *marks)
{
    if (text->n == 0 || *text->p == '\0' || strchr(marks, *text->p) == NULL) {
        return false;
    }
    text->p++;
    text->n--;
    return true;
}

/* Nanoseconds of a fraction; digits after the ninth do not count. */
static bool time_fraction(int64_t *ns, ts_text *text)
{
    int64_t scale = 100000000;
    size_t n = 0;
    *ns = 0;
    for (; n < text->n && text->p[n] >= '0' && text->p[n] <= '9'; n++) {
        *ns += (text->p[n] - '0') * scale;
        scale /= 10;
    }
    text->p += n;
    text->n -= n;
    return n > 0;
}

/* Seconds east of Greenwich. */
static bool time_offset(int64_t *s, ts_text *text)
{
    int64_t hours, minutes;
    bool west = text->n > 0 && *text->p == '-';
    *s = 0;
    if (time_mark(text, "Zz")) {
        return true;
    }
    if (!time_mark(text, "+-") || !time_digits(&hours, text, 2)) {
        return false;
    }
    (void)time_mark(text, ":");
    if (!time_digits(&minutes, text, 2) || hours > 23 || minutes > 59) {
        return false;
    }
    *s = (hours * 60 + minutes) * (west ? -60 : 60);
    return true;
}

static int64_t days_of_month(int64_t year, int64_t month)
{
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/* From 1970-01-01 on; year >= 1970. */
static int64_t days_of_date(int64_t year, int64_t month, int64_t day)
{
    int64_t y = year - 1;
    int64_t days =
        365 * (year - 1970) + (y / 4 - y / 100 + y / 400) - (1969 / 4 - 1969 / 100 + 1969 / 400);
    for (int64_t m = 1; m < month; m++) {
        days += days_of_month(year, m);
    }
    return days + day - 1;
}

bool datakit_time(int64_t *ns, ts_text text)
{
    int64_t year, month, day, hour, minute, second, offset;
    int64_t fraction = 0;
    if (!time_digits(&year, &text, 4) || !time_mark(&text, "-") || !time_digits(&month, &text, 2) ||
        !time_mark(&text, "-") || !time_digits(&day, &text, 2) || !time_mark(&text, "Tt ") ||
        !time_digits(&hour, &text, 2) || !time_mark(&text, ":") ||
        !time_digits(&minute, &text, 2) || !time_mark(&text, ":") ||
        !time_digits(&second, &text, 2) ||
        (time_mark(&text, ".,") && !time_fraction(&fraction, &text)) ||
        !time_offset(&offset, &text) || text.n > 0) {
        return false;
    }
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month) ||
        hour > 23 || minute > 59 || second > 60) {
        return false;
    }
    second += ((days_of_date(year, month, day) * 24 + hour) * 60 + minute) * 60 - offset;
    return second >= 0 && !ts_ckd_mul(ns, second, INT64_C(1000000000)) &&
           !ts_ckd_add(ns, *ns, fraction);
}
