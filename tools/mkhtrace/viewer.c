#include "viewer.h"

#include <stdlib.h>
#include <string.h>

typedef struct range {
    const char *p;
    const char *end;
} range;

typedef struct member {
    range key; /* with its quotes */
    range value;
} member;

enum { MAX_MEMBERS = 256 };

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static const char *skip_space(const char *p, const char *end)
{
    while (p < end && is_space(*p))
        p++;
    return p;
}

static const char *skip_string(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++) {
        if (*p == '\\')
            p++;
    }
    if (p >= end)
        mk_die("the text is not JSON: a string does not end");
    return p + 1;
}

/* The end of the value at `p`. Counts brackets, so that depth costs nothing. */
static const char *skip_value(const char *p, const char *end)
{
    uint64_t depth = 0;

    while (p < end) {
        if (*p == '"') {
            p = skip_string(p, end);
            if (depth == 0)
                return p;
            continue;
        }
        if (*p == '[' || *p == '{')
            depth++;
        else if ((*p == ']' || *p == '}' || *p == ',') && depth == 0)
            return p;
        else if ((*p == ']' || *p == '}') && --depth == 0)
            return p + 1;
        p++;
    }
    if (depth > 0)
        mk_die("the text is not JSON: a bracket is not closed");
    return p;
}

static int by_key(const void *a, const void *b)
{
    const member *x = a;
    const member *y = b;
    size_t nx = (size_t)(x->key.end - x->key.p) - 1;
    size_t ny = (size_t)(y->key.end - y->key.p) - 1;
    /* Without the closing quote, so that a prefix comes first. */
    int c = memcmp(x->key.p, y->key.p, nx < ny ? nx : ny);

    return c != 0 ? c : (nx > ny) - (nx < ny);
}

static size_t split_object(member *m, range r)
{
    const char *p = skip_space(r.p + 1, r.end);
    size_t n = 0;

    while (p < r.end && *p == '"') {
        if (n == MAX_MEMBERS)
            mk_die("an object has more than %d members", MAX_MEMBERS);
        m[n].key.p = p;
        p = skip_string(p, r.end);
        m[n].key.end = p;
        p = skip_space(p, r.end);
        if (p >= r.end || *p != ':')
            mk_die("the text is not JSON: a key without a value");
        m[n].value.p = skip_space(p + 1, r.end);
        p = skip_value(m[n].value.p, r.end);
        m[n++].value.end = p;
        p = skip_space(p, r.end);
        if (p < r.end && *p == ',')
            p = skip_space(p + 1, r.end);
    }
    return n;
}

/* Keeps `count` nodes from `first` on: a flat array of numbers. */
static void dump_nodes(mk_buf *out, range r, const mk_keep *keep)
{
    uint64_t from = keep->first * keep->stride;
    uint64_t to = from + keep->count * keep->stride;
    uint64_t index = 0;

    mk_buf_byte(out, '[');
    for (const char *p = r.p + 1; p < r.end && *p != ']'; p++) {
        if (*p == ',')
            index++;
        else if (is_space(*p) || index < from || index >= to)
            continue;
        else
            mk_buf_byte(out, (uint8_t)*p);
        if (*p == ',' && index > from && index < to)
            mk_buf_byte(out, ',');
    }
    mk_buf_byte(out, ']');
}

static void dump_object(mk_buf *out, range r, const mk_keep *keep);

/* Copies a value; objects inside are sorted. Recurses only where objects nest. */
static void dump_value(mk_buf *out, range r, const mk_keep *keep)
{
    const char *p = r.p;

    while (p < r.end) {
        const char *next = p + 1;

        if (*p == '"') {
            next = skip_string(p, r.end);
            mk_buf_put(out, p, (size_t)(next - p));
        } else if (*p == '{') {
            next = skip_value(p, r.end);
            dump_object(out, (range){p, next}, keep);
        } else if (!is_space(*p)) {
            mk_buf_byte(out, (uint8_t)*p);
        }
        p = next;
    }
}

static void dump_object(mk_buf *out, range r, const mk_keep *keep)
{
    member *m = mk_realloc(NULL, MAX_MEMBERS * sizeof *m);
    size_t n = split_object(m, r);

    qsort(m, n, sizeof *m, by_key);
    mk_buf_byte(out, '{');
    for (size_t i = 0; i < n; i++) {
        size_t key = (size_t)(m[i].key.end - m[i].key.p);

        if (i > 0)
            mk_buf_byte(out, ',');
        mk_buf_put(out, m[i].key.p, key);
        mk_buf_byte(out, ':');
        if (keep->active && key == 7 && memcmp(m[i].key.p, "\"nodes\"", 7) == 0)
            dump_nodes(out, m[i].value, keep);
        else
            dump_value(out, m[i].value, keep);
    }
    mk_buf_byte(out, '}');
    free(m);
}

void mk_viewer_dump(mk_buf *out, const mk_buf *text, const mk_keep *keep)
{
    const char *p = (const char *)text->p;

    dump_value(out, (range){p, p + text->n}, keep);
}
