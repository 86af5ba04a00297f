#include "tables/question_text.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static ts_text trimmed(const char *p, const char *end)
{
    while (p < end && is_blank(*p)) {
        p++;
    }
    while (end > p && is_blank(end[-1])) {
        end--;
    }
    return (ts_text){p, (size_t)(end - p)};
}

static const char *line_end(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline == NULL ? end : newline;
}

/* Whether a line goes on with the part before it: "--" and at least three blanks. */
static bool goes_on(const char *p, const char *end)
{
    return end - p > 5 && memcmp(p, "--   ", 5) == 0;
}

ts_text ts_question_part(ts_text sql, const char *key)
{
    const char *p = sql.p;
    const char *end = p == NULL ? NULL : p + sql.n;
    size_t n = strlen(key);
    while (p < end && end - p >= 2 && p[0] == '-' && p[1] == '-') {
        const char *stop = line_end(p, end);
        if ((size_t)(stop - p) > n + 3 && memcmp(p, "-- ", 3) == 0 && memcmp(p + 3, key, n) == 0 &&
            p[3 + n] == ':') {
            const char *begin = p + 3 + n + 1;
            while (stop < end && goes_on(stop + 1, line_end(stop + 1, end))) {
                stop = line_end(stop + 1, end);
            }
            return (ts_text){begin, (size_t)(stop - begin)};
        }
        p = stop < end ? stop + 1 : end;
    }
    return TS_TEXT_NULL;
}

bool ts_question_line(ts_text *line, size_t *column, ts_text *rest)
{
    if (rest->p == NULL || rest->n == 0) {
        return false;
    }
    const char *end = rest->p + rest->n;
    const char *stop = line_end(rest->p, end);
    const char *p = rest->p;
    /* Lines after the first are comments from their beginning. The first one is after its key,
     * so its column is counted from the beginning of that line. */
    if (stop - p >= 2 && p[0] == '-' && p[1] == '-') {
        p += 2;
    }
    *line = trimmed(p, stop);
    const char *begin = rest->p;
    if (begin == p) { /* after "-- KEY:": the text before it belongs to the same line */
        while (begin[-1] != '-' || begin[-2] != '-') {
            begin--;
        }
        begin -= 2;
    }
    *column = (size_t)(line->p - begin);
    stop += stop < end ? 1 : 0;
    *rest = (ts_text){stop, (size_t)(end - stop)};
    return true;
}

static bool contains(ts_text t, const char *s)
{
    return t.n > 0 && memmem(t.p, t.n, s, strlen(s)) != NULL;
}

/* Names and what they are are two blanks apart. */
static void split_entry(ts_question_param *out, ts_text line)
{
    const char *gap = memmem(line.p, line.n, "  ", 2);
    out->names = gap == NULL ? line : (ts_text){line.p, (size_t)(gap - line.p)};
    out->doc = gap == NULL ? (ts_text){line.p + line.n, 0} : trimmed(gap, line.p + line.n);
    out->is_time = out->doc.n >= 4 && memcmp(out->doc.p, "time", 4) == 0 &&
                   (out->doc.n == 4 || strchr(" :,(", out->doc.p[4]) != NULL);
}

bool ts_question_param_next(ts_question_param *out, ts_text *rest)
{
    ts_text line;
    size_t column;
    size_t more;
    if (!ts_question_line(&line, &column, rest) || line.n == 0 || ts_text_is(line, "none")) {
        return false;
    }
    split_entry(out, line);
    bool optional = contains(line, "(default");
    for (ts_text ahead = *rest; ts_question_line(&line, &more, &ahead) && more > column;) {
        optional = optional || contains(line, "(default");
        *rest = ahead;
    }
    out->required = !optional;
    return true;
}

bool ts_question_name_next(ts_text *name, ts_text *rest)
{
    if (rest->p == NULL || rest->n == 0) {
        return false;
    }
    const char *end = rest->p + rest->n;
    const char *comma = memchr(rest->p, ',', rest->n);
    const char *stop = comma == NULL ? end : comma;
    *name = trimmed(rest->p, stop);
    stop += comma == NULL ? 0 : 1;
    *rest = (ts_text){stop, (size_t)(end - stop)};
    return true;
}

bool ts_question_find_param(ts_question_param *out, ts_text sql, const char *name)
{
    ts_text part = ts_question_part(sql, "Parameters");
    while (ts_question_param_next(out, &part)) {
        ts_text one;
        for (ts_text names = out->names; ts_question_name_next(&one, &names);) {
            if (ts_text_is(one, name)) {
                return true;
            }
        }
    }
    return false;
}

bool ts_question_need_next(ts_question_need *out, ts_text *rest)
{
    const char *p = rest->p;
    const char *end = p == NULL ? NULL : p + rest->n;
    while (p < end && (is_blank(*p) || *p == ',' || *p == '\n' || *p == '-')) {
        p++;
    }
    const char *open = p < end ? memchr(p, '(', (size_t)(end - p)) : NULL;
    const char *close = open == NULL ? NULL : memchr(open, ')', (size_t)(end - open));
    if (close == NULL) {
        return false;
    }
    out->table = trimmed(p, open);
    out->what = trimmed(open + 1, close);
    *rest = (ts_text){close + 1, (size_t)(end - close - 1)};
    return true;
}

ts_text ts_question_first(ts_text sql, const char *key)
{
    ts_text part = ts_question_part(sql, key);
    ts_text line = {"", 0};
    size_t column;
    (void)ts_question_line(&line, &column, &part);
    return line;
}
