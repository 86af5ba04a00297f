#include "parsers/logs/log_lines.h"

#include "base/ckd.h"

#define NS_PER_SECOND INT64_C(1000000000)

/* A place in the line. */
typedef struct log_cursor {
    const char *p;
    const char *end;
} log_cursor;

static bool log_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool skip_blanks(log_cursor *c)
{
    const char *begin = c->p;
    while (c->p < c->end && log_blank(*c->p)) {
        c->p++;
    }
    return c->p > begin;
}

static bool skip_letter(log_cursor *c, char wanted)
{
    bool is = c->p < c->end && *c->p == wanted;
    c->p += is ? 1 : 0;
    return is;
}

/* From `least` to `most` digits. */
static bool skip_digits(int64_t *v, log_cursor *c, int least, int most)
{
    int n = 0;
    *v = 0;
    while (n < most && c->p < c->end && *c->p >= '0' && *c->p <= '9') {
        *v = *v * 10 + (*c->p++ - '0');
        n++;
    }
    return n >= least && !(c->p < c->end && *c->p >= '0' && *c->p <= '9');
}

/* ".frac": nanoseconds; what is below is cut. */
static int64_t skip_fraction(log_cursor *c)
{
    int64_t ns = 0;
    int64_t unit = NS_PER_SECOND / 10;
    if (!skip_letter(c, '.')) {
        return 0;
    }
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
        ns += unit * (*c->p - '0');
        unit /= 10;
    }
    return ns;
}

/* "yyyy-MM-dd hh:mm:ss.frac" or without the year. */
static bool read_date(hilog_line *out, log_cursor *c)
{
    int64_t part[3];
    int64_t hour;
    int64_t minute;
    int64_t second;
    if (!skip_digits(&part[0], c, 1, 4) || !skip_letter(c, '-') ||
        !skip_digits(&part[1], c, 1, 2)) {
        return false;
    }
    out->dated = true;
    out->year = 0;
    if (skip_letter(c, '-')) {
        if (!skip_digits(&part[2], c, 1, 2) || part[0] < 1970) {
            return false;
        }
        out->year = (int)part[0];
        part[0] = part[1];
        part[1] = part[2];
    }
    out->month = (int)part[0];
    out->day = (int)part[1];
    if (!skip_blanks(c) || !skip_digits(&hour, c, 1, 2) || !skip_letter(c, ':') ||
        !skip_digits(&minute, c, 2, 2) || !skip_letter(c, ':') || !skip_digits(&second, c, 2, 2) ||
        hour > 23 || minute > 59 || second > 60) {
        return false;
    }
    out->ns = ((hour * 60 + minute) * 60 + second) * NS_PER_SECOND + skip_fraction(c);
    return true;
}

/* "1600000000.5" */
static bool read_seconds(hilog_line *out, log_cursor *c)
{
    int64_t seconds;
    out->dated = false;
    out->year = 0;
    if (!skip_digits(&seconds, c, 1, 18) || c->p == c->end || *c->p != '.' ||
        ts_ckd_mul(&out->ns, seconds, NS_PER_SECOND)) {
        return false;
    }
    return !ts_ckd_add(&out->ns, out->ns, skip_fraction(c));
}

static bool read_number(int32_t *v, log_cursor *c)
{
    int64_t n;
    if (!skip_blanks(c) || !skip_digits(&n, c, 1, 10) || n > INT32_MAX) {
        return false;
    }
    *v = (int32_t)n;
    return true;
}

/* All of it from the time on. */
static bool read_from_time(hilog_line *out, log_cursor c)
{
    log_cursor time = c;
    const char *colon;
    if (!read_date(out, &time)) {
        time = c;
        if (!read_seconds(out, &time)) {
            return false;
        }
    }
    c = time;
    if (!read_number(&out->pid, &c) || !read_number(&out->tid, &c) || !skip_blanks(&c) ||
        c.p == c.end || *c.p == '\0' || strchr("FEWID", *c.p) == NULL) {
        return false;
    }
    out->level = *c.p++;
    if (!skip_blanks(&c) || (colon = memchr(c.p, ':', (size_t)(c.end - c.p))) == NULL) {
        return false;
    }
    out->tag = (ts_text){c.p, (size_t)(colon - c.p)};
    while (out->tag.n > 0 && log_blank(out->tag.p[out->tag.n - 1])) {
        out->tag.n--;
    }
    c.p = colon + 1;
    c.p += c.p < c.end && *c.p == ' ' ? 1 : 0;
    out->text = (ts_text){c.p, (size_t)(c.end - c.p)};
    return true;
}

bool hilog_line_read(hilog_line *out, ts_text line)
{
    log_cursor c = {line.p, line.p + line.n};
    if (line.n == 0) {
        return false;
    }
    skip_blanks(&c);
    if (read_from_time(out, c)) {
        return true;
    }
    while (c.p < c.end && !log_blank(*c.p)) {
        c.p++;
    }
    return skip_blanks(&c) && read_from_time(out, c);
}

bool hilog_line_time(int64_t *ts, const hilog_line *line, int year)
{
    static const int days_before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int64_t days;
    int past = year - 1; /* years that are over, from 1 on */
    if (!line->dated) {
        *ts = line->ns;
        return true;
    }
    if (line->month < 1 || line->month > 12 || line->day < 1 ||
        line->day > days_before[line->month] - days_before[line->month - 1] +
                        (leap && line->month == 2 ? 1 : 0)) {
        return false;
    }
    days = (int64_t)past * 365 + past / 4 - past / 100 + past / 400 - 719162 +
           days_before[line->month - 1] + (leap && line->month > 2 ? 1 : 0) + line->day - 1;
    return !ts_ckd_mul(ts, days, 86400 * NS_PER_SECOND) && !ts_ckd_add(ts, *ts, line->ns);
}
