/* The form of a line of a text trace, scanned by hand: no part of a line is read more than a few
 * times, whatever is in it. */
#include "parsers/ftrace/text/ftrace_text.h"

#include "base/ckd.h"

enum { MAX_FLAGS = 5 };

static inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool line_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline bool is_flag(char c)
{
    return line_digit(c) || (unsigned char)((c | 0x20) - 'a') < 26 || c == '.';
}

/* A place in a line. */
typedef struct cursor {
    const char *p;
    const char *end;
} cursor;

static inline size_t skip_spaces(cursor *c)
{
    const char *begin = c->p;
    while (c->p < c->end && is_space(*c->p)) {
        c->p++;
    }
    return (size_t)(c->p - begin);
}

static inline bool skip_char(cursor *c, char wanted)
{
    bool is = c->p < c->end && *c->p == wanted;
    c->p += is ? 1 : 0;
    return is;
}

/* Digits; none is false. *v: UINT64_MAX when they do not fit. */
static inline bool skip_number(uint64_t *v, cursor *c)
{
    enum { SAFE = 19 /* digits that always fit */ };
    const char *begin = c->p;
    uint64_t n = 0;
    while (c->p < c->end && line_digit(*c->p)) {
        n = n * 10 + (uint64_t)(*c->p++ - '0');
    }
    *v = c->p - begin > SAFE ? UINT64_MAX : n;
    return c->p > begin;
}

bool ftrace_decimal(int64_t *v, ts_text t)
{
    bool negative = t.n > 0 && t.p[0] == '-';
    size_t i = negative || (t.n > 0 && t.p[0] == '+') ? 1 : 0;
    int64_t n = 0;
    if (i == t.n) {
        return false;
    }
    for (; i < t.n; i++) {
        int digit = t.p[i] - '0';
        if (digit < 0 || digit > 9 || ts_ckd_mul(&n, n, INT64_C(10)) ||
            ts_ckd_add(&n, n, (int64_t)(negative ? -digit : digit))) {
            return false;
        }
    }
    *v = n;
    return true;
}

bool ftrace_hex(int64_t *v, ts_text t)
{
    uint64_t n = 0;
    size_t i = t.n > 2 && t.p[0] == '0' && (t.p[1] | 0x20) == 'x' ? 2 : 0;
    if (i == t.n) {
        return false;
    }
    for (; i < t.n; i++) {
        char c = t.p[i];
        char low = (char)(c | 0x20);
        unsigned digit = line_digit(c)              ? (unsigned)(c - '0')
                         : low >= 'a' && low <= 'f' ? (unsigned)(low - 'a') + 10
                                                    : 16;
        if (digit == 16 || n >> 60 != 0) {
            return false;
        }
        n = n << 4 | digit;
    }
    *v = (int64_t)n;
    return true;
}

/* Digits, a point, digits: nanoseconds, exactly; what is below a nanosecond is cut. */
static bool skip_seconds(bool *fits, int64_t *ns, cursor *c)
{
    enum { DIGITS = 9 };
    uint64_t seconds;
    uint64_t part = 0;
    const char *begin;
    int digits = 0;
    if (!skip_number(&seconds, c) || !skip_char(c, '.')) {
        return false;
    }
    for (begin = c->p; c->p < c->end && line_digit(*c->p); c->p++) {
        if (digits < DIGITS) {
            part = part * 10 + (uint64_t)(*c->p - '0');
            digits++;
        }
    }
    for (int i = digits; i < DIGITS; i++) {
        part *= 10;
    }
    *fits = seconds <= INT64_MAX && !ts_ckd_mul(ns, (int64_t)seconds, INT64_C(1000000000)) &&
            !ts_ckd_add(ns, *ns, (int64_t)part);
    return c->p > begin;
}

bool ftrace_seconds(int64_t *ns, ts_text t)
{
    cursor c = {t.p, t.p + t.n};
    bool fits = false;
    return skip_seconds(&fits, ns, &c) && fits && c.p == c.end;
}

static ts_text trim(const char *p, const char *end)
{
    while (p < end && is_space(*p)) {
        p++;
    }
    while (end > p && is_space(end[-1])) {
        end--;
    }
    return (ts_text){p, (size_t)(end - p)};
}

/* Blanks, and the process in brackets or not: "( 8528) ", "(-----)", "". */
static bool read_tgid(uint64_t *tgid, cursor *c)
{
    *tgid = 0;
    if (skip_spaces(c) == 0) {
        return false;
    }
    if (skip_char(c, '(')) {
        skip_spaces(c);
    }
    if (!skip_number(tgid, c)) {
        while (skip_char(c, '-')) {
        }
    }
    skip_char(c, ')');
    c->p += c->p < c->end && is_space(*c->p) ? 1 : 0;
    return true;
}

static bool read_cpu(uint64_t *cpu, cursor *c)
{
    return skip_char(c, '[') && skip_number(cpu, c) && skip_char(c, ']');
}

/* After the CPU: letters of the state of the processor, of which none may be there, and blanks. */
static bool skip_flags(cursor *c)
{
    bool blanks = skip_spaces(c) > 0;
    cursor flags = *c;
    while (flags.p < flags.end && flags.p - c->p < MAX_FLAGS && is_flag(*flags.p)) {
        flags.p++;
    }
    if (flags.p > c->p && flags.p < flags.end && is_space(*flags.p)) {
        *c = flags;
        skip_spaces(c);
        return true;
    }
    return blanks;
}

/* "sys_close(fd: 3)" and "sys_close -> 0x0", as the kernel writes the calls of its events/syscalls:
 * their names end without a colon. */
static bool read_syscall(ftrace_line *out, cursor c)
{
    static const char result[] = " -> 0x";
    const char *begin = c.p;
    while (c.p < c.end && (line_digit(*c.p) || *c.p == '_' || (*c.p >= 'a' && *c.p <= 'z'))) {
        c.p++;
    }
    const ts_text rest = {c.p, (size_t)(c.end - c.p)};
    if (!ts_text_begins(rest, "(") && !ts_text_begins(rest, result)) {
        return false;
    }
    out->event = (ts_text){begin, (size_t)(c.p - begin)};
    out->args = trim(c.p, c.end);
    return true;
}

/* The name of the event: up to the last colon before the next blank; and the arguments. */
static inline bool read_event(ftrace_line *out, cursor *c)
{
    const char *begin = c->p;
    const char *colon = NULL;
    if (c->end - begin > 4 && memcmp(begin, "sys_", 4) == 0 && read_syscall(out, *c)) {
        return true;
    }
    for (; c->p < c->end && !is_space(*c->p); c->p++) {
        colon = *c->p == ':' ? c->p : colon;
    }
    if (colon == NULL || colon == begin) {
        return false;
    }
    out->event = (ts_text){begin, (size_t)(colon - begin)};
    out->args = trim(colon + 1, c->end);
    return true;
}

/* "secs.frac: event: args". */
static inline bool read_rest(bool *fits, ftrace_line *out, cursor *c)
{
    return skip_seconds(fits, &out->ts, c) && skip_char(c, ':') && skip_spaces(c) > 0 &&
           read_event(out, c);
}

/* After the '-': is what follows an event? *fits: so are its numbers. */
static bool read_at(bool *fits, ftrace_line *out, cursor c)
{
    uint64_t pid;
    uint64_t tgid;
    uint64_t cpu;
    if (!skip_number(&pid, &c) || !read_tgid(&tgid, &c)) {
        return false;
    }
    out->bracket = c.p;
    if (!read_cpu(&cpu, &c) || !skip_flags(&c) || !read_rest(fits, out, &c)) {
        return false;
    }
    *fits = *fits && pid <= INT32_MAX && tgid <= INT32_MAX && cpu <= INT32_MAX;
    out->pid = (int32_t)pid;
    out->tgid = (int32_t)tgid;
    out->cpu = (uint32_t)cpu;
    return true;
}

static ts_text comm_of(const char *p, const char *end)
{
    ts_text comm = trim(p, end);
    return ts_text_is(comm, "<...>") ? (ts_text){comm.p, 0} : comm;
}

/* A number of a thread, or -1: perf writes that for one that ends and has no number any more. */
static bool skip_thread(int64_t *v, cursor *c)
{
    bool none = skip_char(c, '-');
    uint64_t n;
    if (!skip_number(&n, c) || (none && n != 1)) {
        return false;
    }
    *v = none ? -1 : n <= INT64_MAX ? (int64_t)n : INT64_MAX;
    return true;
}

/* "comm pid [cpu] secs.frac: system:event: args", with "pid/tid" for the number of the thread. */
static bool read_perf(bool *fits, ftrace_line *out, ts_text line)
{
    const char *end = line.p + line.n;
    const char *bracket = memchr(line.p, '[', line.n);
    const char *p;
    const char *colon;
    int64_t number[2];
    uint64_t cpu;
    cursor c;
    while (bracket != NULL && !(bracket + 1 < end && line_digit(bracket[1]))) {
        bracket = memchr(bracket + 1, '[', (size_t)(end - bracket) - 1);
    }
    if (bracket == NULL) {
        return false;
    }
    c = (cursor){bracket, end};
    for (p = bracket; p > line.p && is_space(p[-1]); p--) {
    }
    for (c.end = p; p > line.p && (line_digit(p[-1]) || p[-1] == '/' || p[-1] == '-'); p--) {
    }
    c.p = p;
    if (c.end == bracket || p == line.p || !is_space(p[-1]) || !skip_thread(&number[0], &c)) {
        return false;
    }
    number[1] = number[0];
    if ((skip_char(&c, '/') && !skip_thread(&number[1], &c)) || c.p != c.end) {
        return false;
    }
    c = (cursor){bracket, end};
    if (!read_cpu(&cpu, &c) || skip_spaces(&c) == 0 || !read_rest(fits, out, &c) ||
        (colon = memchr(out->event.p, ':', out->event.n)) == NULL || colon == out->event.p) {
        return false;
    }
    *fits = *fits && number[0] <= INT32_MAX && number[1] <= INT32_MAX && cpu <= INT32_MAX;
    out->tgid = memchr(p, '/', (size_t)(bracket - p)) == NULL ? 0 : (int32_t)number[0];
    out->pid = (int32_t)number[1];
    out->cpu = (uint32_t)cpu;
    out->comm = out->pid < 0 ? (ts_text){line.p, 0} : comm_of(line.p, p);
    return true;
}

/* The event of the line without the system in front of its name. */
static void cut_system(ftrace_line *line)
{
    ts_text *e = &line->event;
    for (size_t i = e->n; i > 0; i--) {
        if (e->p[i - 1] == ':') {
            *e = (ts_text){e->p + i, e->n - i};
            return;
        }
    }
}

/* "a-1 20 [000] 1.5: sched:x: " is a line of perf script, of a thread that is called a-1, and
 * "a -1 [000] 1.5: sched:x: " one of a thread without a number. */
static bool is_perf(bool *fits, ftrace_line *out, ts_text line)
{
    ftrace_line perf;
    bool is = memchr(out->event.p, ':', out->event.n) != NULL && read_perf(fits, &perf, line);
    if (is) {
        *out = perf;
    }
    return is;
}

bool ftrace_line_ticks(ts_text line)
{
    const char *end = line.p + line.n;
    uint64_t n;
    bool is = false;
    for (const char *p = line.p; p < end && !is; p++) {
        cursor c = {p + 1, end};
        is = *p == '-' && skip_number(&n, &c) && read_tgid(&n, &c) && read_cpu(&n, &c) &&
             skip_flags(&c) && skip_number(&n, &c) && skip_char(&c, ':') && skip_spaces(&c) > 0;
    }
    return is;
}

bool ftrace_line_read(ftrace_line *out, ts_text line)
{
    const char *end = line.p + line.n;
    const char *p = line.n == 0 ? NULL : memchr(line.p, '-', line.n);
    bool fits = false;
    bool found = false;
    while (p != NULL && !found) {
        found = read_at(&fits, out, (cursor){p + 1, end});
        if (found) {
            out->comm = comm_of(line.p, p);
        } else {
            p = p + 1 == end ? NULL : memchr(p + 1, '-', (size_t)(end - p) - 1);
        }
    }
    out->perf = found ? is_perf(&fits, out, line) : line.n > 0 && read_perf(&fits, out, line);
    if ((!found && !out->perf) || !fits) {
        return false;
    }
    cut_system(out);
    return true;
}
