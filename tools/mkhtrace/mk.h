/*
 * What the makers of test input share: growing buffers, byte sinks, numbers, a reproducible random
 * source. They are never linked into trace_streamer, so they may print, exit and use the C
 * library's allocator. A failed call ends the program with a message (mk_die).
 */
#ifndef MK_H
#define MK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prints "<program>: <message>" and exits with 2. */
_Noreturn void mk_die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void *mk_realloc(void *p, size_t n);

/* Bytes that grow; released with mk_buf_free. Zero-initialise. */
typedef struct mk_buf {
    uint8_t *p;
    size_t n;
    size_t cap;
} mk_buf;

void mk_buf_reserve(mk_buf *b, size_t more);
void mk_buf_put(mk_buf *b, const void *p, size_t n);
void mk_buf_byte(mk_buf *b, uint8_t c);
void mk_buf_str(mk_buf *b, const char *s);
void mk_buf_free(mk_buf *b);

/* Somewhere that bytes go. */
typedef struct mk_sink {
    void (*put)(void *user, const void *p, size_t n);
    void *user;
} mk_sink;

/* Sink that appends to a mk_buf, and one that only counts (user: uint64_t *). */
mk_sink mk_sink_buf(mk_buf *b);
mk_sink mk_sink_count(uint64_t *n);

enum { MK_DIGITS = 20 };

/* Writes `v` in decimal, at most MK_DIGITS characters, and returns their end. */
char *mk_digits(char *p, uint64_t v);

/* Buffered text on top of a sink: what the generators write with. */
typedef struct mk_text {
    mk_sink to;
    size_t n;
    char buf[1 << 16];
} mk_text;

void mk_text_flush(mk_text *t);

/* Makes room for `n` bytes (at most the whole buffer) after the text, for the caller to write;
 * mk_text_wrote takes the end of what was written. */
char *mk_text_room(mk_text *t, size_t n);
void mk_text_wrote(mk_text *t, const char *end);

void mk_text_put(mk_text *t, const char *s, size_t n);
void mk_text_str(mk_text *t, const char *s);
void mk_text_num(mk_text *t, int64_t v);

/* The mixing step of splitmix64: the same number gives the same result on every machine. */
uint64_t mk_mix(uint64_t x);

typedef struct mk_rand {
    uint64_t state;
} mk_rand;

uint64_t mk_next(mk_rand *r);

/* 0 <= result < bound; bound > 0. */
uint64_t mk_below(mk_rand *r, uint64_t bound);

/* Decimal or 0x… with an optional suffix k, m, g (powers of 1024); dies on anything else. */
int64_t mk_number(const char *s, const char *what);

/* Splits "a=1,b=2" into pairs, one at a time. Returns false at the end. `*value` is "" without '='.
 * Keys and values are cut out of `text`, which is modified. */
bool mk_pair(char **text, char **key, char **value);

/* Hex digits, spaces allowed, into bytes. */
void mk_hex(mk_buf *out, const char *text);

#endif
