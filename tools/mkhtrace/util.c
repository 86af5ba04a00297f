#include "mk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mk_die(const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(2);
}

void *mk_realloc(void *p, size_t n)
{
    void *q = realloc(p, n > 0 ? n : 1);

    if (q == NULL)
        mk_die("out of memory for %zu bytes", n);
    return q;
}

void mk_buf_reserve(mk_buf *b, size_t more)
{
    size_t cap = b->cap > 0 ? b->cap : 256;

    if (more > SIZE_MAX / 2 - b->n)
        mk_die("out of memory for %zu bytes", more);
    if (b->n + more <= b->cap)
        return;
    while (cap < b->n + more)
        cap *= 2;
    b->p = mk_realloc(b->p, cap);
    b->cap = cap;
}

void mk_buf_put(mk_buf *b, const void *p, size_t n)
{
    if (n == 0)
        return;
    mk_buf_reserve(b, n);
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

void mk_buf_byte(mk_buf *b, uint8_t c)
{
    mk_buf_put(b, &c, 1);
}

void mk_buf_str(mk_buf *b, const char *s)
{
    mk_buf_put(b, s, strlen(s));
}

void mk_buf_free(mk_buf *b)
{
    free(b->p);
    *b = (mk_buf){0};
}

static void put_buf(void *user, const void *p, size_t n)
{
    mk_buf_put(user, p, n);
}

static void put_count(void *user, const void *p, size_t n)
{
    uint64_t *count = user;

    (void)p;
    *count += n;
}

mk_sink mk_sink_buf(mk_buf *b)
{
    return (mk_sink){put_buf, b};
}

mk_sink mk_sink_count(uint64_t *n)
{
    return (mk_sink){put_count, n};
}

void mk_text_flush(mk_text *t)
{
    if (t->n > 0)
        t->to.put(t->to.user, t->buf, t->n);
    t->n = 0;
}

char *mk_text_room(mk_text *t, size_t n)
{
    if (n > sizeof t->buf - t->n)
        mk_text_flush(t);
    return t->buf + t->n;
}

void mk_text_wrote(mk_text *t, const char *end)
{
    t->n = (size_t)(end - t->buf);
}

void mk_text_put(mk_text *t, const char *s, size_t n)
{
    if (n > sizeof t->buf - t->n)
        mk_text_flush(t);
    if (n > sizeof t->buf) {
        t->to.put(t->to.user, s, n);
        return;
    }
    memcpy(t->buf + t->n, s, n);
    t->n += n;
}

void mk_text_str(mk_text *t, const char *s)
{
    mk_text_put(t, s, strlen(s));
}

void mk_text_num(mk_text *t, int64_t v)
{
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    char *p;

    if (sizeof t->buf - t->n < MK_DIGITS + 1)
        mk_text_flush(t);
    p = t->buf + t->n;
    if (v < 0)
        *p++ = '-';
    t->n = (size_t)(mk_digits(p, u) - t->buf);
}

char *mk_digits(char *p, uint64_t v)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char digits[MK_DIGITS];
    size_t at = sizeof digits;

    while (v >= 100) {
        at -= 2;
        memcpy(digits + at, pairs + v % 100 * 2, 2);
        v /= 100;
    }
    if (v >= 10) {
        at -= 2;
        memcpy(digits + at, pairs + v * 2, 2);
    } else {
        digits[--at] = (char)('0' + v);
    }
    memcpy(p, digits + at, sizeof digits - at);
    return p + (sizeof digits - at);
}

uint64_t mk_mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

uint64_t mk_next(mk_rand *r)
{
    uint64_t v = mk_mix(r->state);

    r->state += 0x9E3779B97F4A7C15U;
    return v;
}

uint64_t mk_below(mk_rand *r, uint64_t bound)
{
    /* The bias of a plain remainder is far below anything that test input cares for. */
    return mk_next(r) % bound;
}

int64_t mk_number(const char *s, const char *what)
{
    char *end = NULL;
    int64_t v;
    int shift = 0;

    errno = 0;
    if (s[0] == '-') {
        v = strtoll(s, &end, 0);
    } else {
        /* Unsigned, so that header fields can be given values above 2^63. */
        uint64_t u = strtoull(s, &end, 0);

        memcpy(&v, &u, sizeof v);
    }
    if (end == s || errno != 0)
        mk_die("%s: not a number: %s", what, s);
    if (*end == 'k' || *end == 'K')
        shift = 10;
    else if (*end == 'm' || *end == 'M')
        shift = 20;
    else if (*end == 'g' || *end == 'G')
        shift = 30;
    if (shift > 0)
        end++;
    if (*end != '\0')
        mk_die("%s: not a number: %s", what, s);
    return v * ((int64_t)1 << shift);
}

bool mk_pair(char **text, char **key, char **value)
{
    char *p = *text;
    char *comma;
    char *eq;

    if (p == NULL || *p == '\0')
        return false;
    comma = strchr(p, ',');
    if (comma != NULL)
        *comma = '\0';
    *text = comma != NULL ? comma + 1 : NULL;
    eq = strchr(p, '=');
    *key = p;
    *value = p + strlen(p);
    if (eq != NULL) {
        *eq = '\0';
        *value = eq + 1;
    }
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

void mk_hex(mk_buf *out, const char *text)
{
    int high = -1;

    for (const char *p = text; *p != '\0'; p++) {
        int d = hex_digit(*p);

        if (*p == ' ')
            continue;
        if (d < 0)
            mk_die("not a hex digit: %c", *p);
        if (high < 0) {
            high = d;
            continue;
        }
        mk_buf_byte(out, (uint8_t)(high * 16 + d));
        high = -1;
    }
    if (high >= 0)
        mk_die("odd number of hex digits: %s", text);
}
