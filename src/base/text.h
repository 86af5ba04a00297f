/* A borrowed piece of text or bytes. p == NULL is SQL NULL; an empty text has p != NULL, n == 0. */
#ifndef TS_BASE_TEXT_H
#define TS_BASE_TEXT_H

#include <stddef.h>
#include <stdbool.h>
#include <string.h>

typedef struct ts_text {
    const char *p;
    size_t n;
} ts_text;

#define TS_TEXT_NULL ((ts_text){NULL, 0})
#define TS_TEXT_LIT(s) ((ts_text){(s), sizeof(s) - 1})

static inline ts_text ts_text_of(const char *s)
{
    return s == NULL ? TS_TEXT_NULL : (ts_text){s, strlen(s)};
}

static inline bool ts_text_is(ts_text t, const char *s)
{
    return t.p != NULL && t.n == strlen(s) && memcmp(t.p, s, t.n) == 0;
}

static inline bool ts_text_begins(ts_text t, const char *s)
{
    size_t n = strlen(s);
    return t.n >= n && (n == 0 || memcmp(t.p, s, n) == 0);
}

static inline bool ts_text_ends(ts_text t, const char *s)
{
    size_t n = strlen(s);
    return t.n >= n && (n == 0 || memcmp(t.p + t.n - n, s, n) == 0);
}

/* What follows the first `at` bytes, which there are. */
static inline ts_text ts_text_from(ts_text t, size_t at)
{
    return (ts_text){t.p + at, t.n - at};
}

/* Without blanks and tabs around it. */
static inline ts_text ts_text_trim(ts_text t)
{
    while (t.n > 0 && (t.p[0] == ' ' || t.p[0] == '\t')) {
        t = ts_text_from(t, 1);
    }
    while (t.n > 0 && (t.p[t.n - 1] == ' ' || t.p[t.n - 1] == '\t')) {
        t.n--;
    }
    return t;
}

/* The next line, without LF and the CR before it, of what is left of a text that is not empty. */
static inline ts_text ts_text_line(ts_text *left)
{
    const char *lf = (const char *)memchr(left->p, '\n', left->n);
    ts_text line = {left->p, lf == NULL ? left->n : (size_t)(lf - left->p)};
    *left = ts_text_from(*left, line.n + (lf == NULL ? 0 : 1));
    line.n -= line.n > 0 && line.p[line.n - 1] == '\r' ? 1 : 0;
    return line;
}

static inline bool ts_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether the bytes are the same; NULL is as an empty text. */
static inline bool ts_text_equal(ts_text a, ts_text b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

#endif
