#include "mkflare.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fl_die(const char *fmt, ...)
{
    va_list ap;
    fputs("mkflare: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(2);
}

void fl_put(fl_buf *b, const void *p, size_t n)
{
    if (b->cap - b->n < n) {
        size_t cap = b->cap == 0 ? 4096 : b->cap;
        while (cap - b->n < n) {
            cap *= 2;
        }
        b->p = realloc(b->p, cap);
        if (b->p == NULL) {
            fl_die("out of memory");
        }
        b->cap = cap;
    }
    if (n > 0) {
        memcpy(b->p + b->n, p, n);
    }
    b->n += n;
}

void fl_be(fl_buf *b, uint64_t v, unsigned bytes)
{
    uint8_t out[8];
    for (unsigned i = 0; i < bytes; i++) {
        out[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
    }
    fl_put(b, out, bytes);
}

void fl_printf(fl_buf *b, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof text) {
        fl_die("a text is too long");
    }
    fl_put(b, text, (size_t)n);
}

void fl_write(const char *directory, const char *name, fl_buf *b)
{
    char path[4096];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    f = fopen(path, "wb");
    if (f == NULL || (b->n > 0 && fwrite(b->p, 1, b->n, f) != b->n) || fclose(f) != 0) {
        fl_die("cannot write %s: %s", path, strerror(errno));
    }
    free(b->p);
    *b = (fl_buf){0};
}

/* --- headers -------------------------------------------------------------------------------- */

static void property(fl_buf *b, const char *name, const char *value)
{
    fl_put(b, name, strlen(name) + 1);
    fl_put(b, value, strlen(value) + 1);
}

void fl_pair_header(fl_buf *b, bool index, unsigned key_type, const char *amount, bool plain)
{
    enum { PADDED = 192 };
    static const uint8_t zeros[PADDED];
    const char *type = key_type == 4 ? "4" : "5";
    fl_buf body = {0};
    uint8_t count = plain ? 6 : 8;
    fl_put(&body, &count, 1);
    if (!plain) {
        property(&body, "desc", index ? "flare profiler indexed file" : "flare profiler data file");
    }
    property(&body, "first_el_type", type);
    property(&body, "second_el_type", "4");
    property(&body, "unit_len", "4");
    property(&body, "begin_time", "1567669466200");
    property(&body, "end_time", "1567669466200");
    property(&body, "amount", amount);
    if (!plain) {
        property(&body, "ver", "0.1.0");
        fl_put(&body, zeros, PADDED - body.n);
    }
    fl_put(b, index ? "TIHS" : "TEHS", 4);
    fl_be(b, body.n, 2);
    fl_put(b, body.p, body.n);
    fl_put(b, index ? "TIDS" : "TEDS", 4);
    free(body.p);
}

unsigned fl_width(unsigned type)
{
    return type <= 2 ? 2 : type <= 4 ? 4 : 8;
}

void fl_series_header(fl_buf *b, bool document, unsigned type, uint32_t unit_ms, int64_t begin,
                      int64_t end, uint32_t count)
{
    fl_put(b, "TSHS", 4);
    fl_be(b, document ? 22 : 26, 2);
    fl_be(b, type, 1);
    fl_be(b, 2, 1); /* the size is 2 for every type in real files */
    if (!document) {
        fl_be(b, unit_ms, 4);
    }
    fl_be(b, (uint64_t)begin, 8);
    fl_be(b, (uint64_t)end, 8);
    fl_be(b, count, 4);
    if (!document) {
        fl_put(b, "TSDS", 4);
    }
}

void fl_record(fl_buf *b, const void *p, size_t n)
{
    fl_be(b, n & 0xffff, 2);
    fl_put(b, p, n);
}
