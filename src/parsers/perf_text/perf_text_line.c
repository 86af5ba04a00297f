/* The lines that perf script writes. */
#include "parsers/perf_text/perf_text.h"

/* A place in a line. */
typedef struct perf_cursor {
    const char *p;
    const char *end;
} perf_cursor;

static bool perf_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool hex_digit(char c)
{
    return ts_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static void skip_blanks(perf_cursor *c)
{
    while (c->p < c->end && perf_blank(*c->p)) {
        c->p++;
    }
}

static bool perf_ends(const perf_cursor *c)
{
    return c->p == c->end || perf_blank(*c->p);
}

/* Digits that fit; none is false. */
static bool read_digits(int64_t *v, perf_cursor *c)
{
    const char *begin = c->p;
    *v = 0;
    for (; c->p < c->end && ts_is_digit(*c->p); c->p++) {
        if (ts_ckd_mul(v, *v, INT64_C(10)) || ts_ckd_add(v, *v, (int64_t)(*c->p - '0'))) {
            return false;
        }
    }
    return c->p > begin;
}

/* The number of a process or thread; -1, which is that of none. */
static bool read_number(int64_t *v, perf_cursor *c)
{
    if (c->end - c->p >= 2 && c->p[0] == '-' && c->p[1] == '1') {
        *v = -1;
        c->p += 2;
        return true;
    }
    return read_digits(v, c) && *v <= INT32_MAX;
}

/* "pid", "tid" or "pid/tid", and a blank or the end. */
static bool read_numbers(perf_header *h, perf_cursor *c)
{
    h->pid = -1;
    if (!read_number(&h->tid, c)) {
        return false;
    }
    if (c->p < c->end && *c->p == '/') {
        c->p++;
        h->pid = h->tid;
        if (!read_number(&h->tid, c)) {
            return false;
        }
    }
    return perf_ends(c);
}

/* "[002]"; false: there is none. */
static bool skip_cpu(perf_cursor *c)
{
    perf_cursor at = *c;
    int64_t cpu;
    if (at.p == at.end || *at.p++ != '[' || !read_digits(&cpu, &at) || at.p == at.end ||
        *at.p++ != ']' || !perf_ends(&at)) {
        return false;
    }
    *c = at;
    skip_blanks(c);
    return true;
}

/* "secs.frac:", of which perf writes 6 or 9 digits. */
static bool read_time(int64_t *ns, perf_cursor *c)
{
    perf_cursor at = *c;
    int64_t part = 0;
    int digits = 0;
    if (!read_digits(ns, &at) || at.p == at.end || *at.p++ != '.') {
        return false;
    }
    for (; at.p < at.end && ts_is_digit(*at.p) && digits < 9; at.p++, digits++) {
        part = part * 10 + (*at.p - '0');
    }
    if (digits == 0 || at.p == at.end || *at.p++ != ':' || !perf_ends(&at)) {
        return false;
    }
    for (; digits < 9; digits++) {
        part *= 10;
    }
    if (ts_ckd_mul(ns, *ns, INT64_C(1000000000)) || ts_ckd_add(ns, *ns, part)) {
        return false;
    }
    *c = at;
    skip_blanks(c);
    return true;
}

/* "name:"; the name is no number, does not begin like a CPU, and may hold colons. */
static bool read_event(ts_text *event, perf_cursor *c)
{
    const char *begin = c->p;
    const char *p = begin;
    bool letter = false;
    for (; p < c->end && !perf_blank(*p); p++) {
        letter = letter || (!ts_is_digit(*p) && *p != ':' && *p != '.' && *p != '-');
    }
    if (!letter || *begin == '[' || p - begin < 2 || p[-1] != ':') {
        return false;
    }
    *event = (ts_text){begin, (size_t)(p - begin) - 1};
    c->p = p;
    skip_blanks(c);
    return true;
}

/* What follows the numbers. */
static bool read_rest(perf_header *h, perf_cursor c)
{
    perf_cursor at;
    skip_blanks(&c);
    skip_cpu(&c);
    h->ts = TS_NO_TIME;
    h->period = -1;
    h->event = TS_TEXT_NULL;
    if (!read_time(&h->ts, &c)) {
        h->ts = TS_NO_TIME;
    }
    h->record = c.end - c.p > 12 && memcmp(c.p, "PERF_RECORD_", 12) == 0;
    at = c;
    if (!h->record && read_digits(&h->period, &at) && perf_ends(&at)) {
        c = at;
        skip_blanks(&c);
    } else {
        h->period = -1;
    }
    if (!h->record && !read_event(&h->event, &c) && c.p < c.end) {
        return false;
    }
    h->bare = !h->record && h->event.p == NULL && h->ts == TS_NO_TIME;
    h->rest = (ts_text){c.p, (size_t)(c.end - c.p)};
    return true;
}

/* "tid secs.frac: event:", where no comm is printed. */
static bool read_nameless(perf_header *out, ts_text line)
{
    perf_cursor c = {line.p, line.p + line.n};
    skip_blanks(&c);
    out->comm = TS_TEXT_NULL;
    return read_numbers(out, &c) && read_rest(out, c) && !out->bare;
}

bool perf_header_read(perf_header *out, ts_text line, bool first)
{
    const char *end = line.p + line.n;
    const char *p = line.p;
    if (line.n == 0 || *p == '\t' || *p == '#') { /* of frames and comments */
        return false;
    }
    /* The numbers are after the first blank that is followed by the form: a comm may hold
     * blanks and numbers. */
    while ((p = p == end ? NULL : memchr(p, ' ', (size_t)(end - p))) != NULL) {
        perf_cursor c = {p + 1, end};
        out->comm = ts_text_trim((ts_text){line.p, (size_t)(p - line.p)});
        p++;
        if (out->comm.n > 0 && c.p < end && (ts_is_digit(*c.p) || *c.p == '-') &&
            read_numbers(out, &c) && read_rest(out, c) && (first || !out->bare)) {
            return true;
        }
    }
    return read_nameless(out, line);
}

bool perf_is_tracepoint(ts_text event)
{
    const char *colon = event.n == 0 ? NULL : memchr(event.p, ':', event.n);
    if (colon == NULL || event.p[event.n - 1] == '/') {
        return false;
    }
    for (const char *p = colon + 1; p < event.p + event.n; p++) {
        if (*p == '\0' || strchr("ukhGHIpPSDWe", *p) == NULL) {
            return true;
        }
    }
    return false;
}

/* --- frames ---------------------------------------------------------------------------------- */

static bool cut_end(ts_text *t, const char *end)
{
    bool has = ts_text_ends(*t, end);
    t->n -= has ? strlen(end) : 0;
    return has;
}

/* "+0x12" at the end. */
static void cut_offset(ts_text *t)
{
    size_t i = t->n;
    while (i > 0 && hex_digit(t->p[i - 1])) {
        i--;
    }
    if (i < t->n && i >= 3 && memcmp(t->p + i - 3, "+0x", 3) == 0) {
        t->n = i - 3;
    }
}

/* "(image)" at the end, with brackets of its own or not, after a blank. Cuts it off. */
static ts_text cut_image(ts_text *t)
{
    size_t i = t->n;
    size_t depth = 0;
    ts_text image;
    if (t->n < 2 || t->p[t->n - 1] != ')') {
        return TS_TEXT_NULL;
    }
    do {
        i--;
        depth += t->p[i] == ')' ? 1 : 0;
        depth -= t->p[i] == '(' ? 1 : 0;
    } while (i > 0 && depth > 0);
    if (depth > 0 || (i > 0 && !perf_blank(t->p[i - 1]))) {
        return TS_TEXT_NULL;
    }
    image = (ts_text){t->p + i + 1, t->n - i - 2};
    cut_offset(&image);
    t->n = i;
    return image;
}

bool perf_frame_read(perf_frame *out, ts_text line)
{
    enum { WIDTH = 16 /* of addresses, blanks included */ };
    ts_text t = ts_text_trim(line);
    size_t before = t.n == 0 ? 0 : (size_t)(t.p - line.p);
    size_t digits = 0;
    *out = (perf_frame){.inlined = cut_end(&t, " (inlined)")};
    out->image = out->inlined ? TS_TEXT_NULL : cut_image(&t);
    t = ts_text_trim(t);
    while (digits < t.n && hex_digit(t.p[digits])) {
        digits++;
    }
    if (digits > 0 && ((digits < t.n && perf_blank(t.p[digits])) ||
                       (digits == t.n && before + digits >= WIDTH))) {
        out->address = (ts_text){t.p, digits};
        t = ts_text_trim(ts_text_from(t, digits));
    }
    cut_offset(&t);
    out->symbol = t.n == 0 ? TS_TEXT_LIT("") : t;
    return out->address.p != NULL || (before > 0 && (t.n > 0 || out->image.p != NULL));
}

bool perf_source_read(ts_text *file, int64_t *line, bool *inlined, ts_text text)
{
    perf_cursor c;
    size_t colon;
    if (text.n < 4 || memcmp(text.p, "  ", 2) != 0 || perf_blank(text.p[2])) {
        return false;
    }
    text = ts_text_trim(text);
    *inlined = cut_end(&text, " (inlined)");
    *file = TS_TEXT_NULL;
    *line = TS_NO_LINE;
    if (text.n > 0 && text.p[text.n - 1] == ']') { /* "image[address]": it is not known */
        return memrchr(text.p, '[', text.n) != NULL;
    }
    for (colon = text.n; colon > 0 && text.p[colon - 1] != ':'; colon--) {
    }
    if (colon == 0) {
        return false;
    }
    c = (perf_cursor){text.p + colon, text.p + text.n};
    if (!read_digits(line, &c) || c.p < c.end || *line > INT32_MAX) {
        return false;
    }
    *line = *line > 0 ? *line : TS_NO_LINE;
    if (colon > 1 && !(colon == 3 && memcmp(text.p, "??", 2) == 0)) { /* of assembler ":0" */
        *file = (ts_text){text.p, colon - 1};
    }
    return true;
}
