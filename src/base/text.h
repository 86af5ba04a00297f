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

/* Whether the bytes are the same; NULL is as an empty text. */
static inline bool ts_text_equal(ts_text a, ts_text b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

#endif
