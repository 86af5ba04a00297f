/*
 * Parts of mkflare: growing bytes, the files of a sample directory, damage. mkflare makes test
 * input and is never linked into trace_streamer, so it may print, exit and use the C library's
 * allocator.
 */
#ifndef MKFLARE_H
#define MKFLARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fl_buf {
    uint8_t *p;
    size_t n, cap;
} fl_buf;

/* Prints "mkflare: <message>" and exits with 2. */
_Noreturn void fl_die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void fl_put(fl_buf *b, const void *p, size_t n);
void fl_be(fl_buf *b, uint64_t v, unsigned bytes);
void fl_printf(fl_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes the bytes to directory/name and forgets them. */
void fl_write(const char *directory, const char *name, fl_buf *b);

/* Everything that the options say. */
typedef struct fl_options {
    const char *directory;
    const char *address;
    const char *fixture;
    const char *damage[16]; /* kinds, in the order they are done */
    unsigned damages;
    uint64_t seed;
    int64_t start_ms;                                      /* of this directory */
    int64_t sample_start_ms;                               /* of the agent */
    unsigned threads, seconds, interval_ms, methods, busy; /* busy: records per 1000 ticks */
    unsigned index_every_ms;                               /* 0: one entry a record */
    unsigned volume_seconds;                               /* 0: one file a series */
    unsigned missing_every;                                /* every n-th method has no name */
    unsigned type;                                         /* of the series */
    bool document, resp, plain, no_index, no_summary;
} fl_options;

/* Header of an index or data file; plain: without padding and version, as in 2019-09. */
void fl_pair_header(fl_buf *b, bool index, unsigned key_type, const char *amount, bool plain);
/* Header of a series. */
void fl_series_header(fl_buf *b, bool document, unsigned type, uint32_t unit_ms, int64_t begin,
                      int64_t end, uint32_t count);
unsigned fl_width(unsigned type);
/* One record: length and payload; a longer payload gets the rest of its length by 65536. */
void fl_record(fl_buf *b, const void *p, size_t n);

/* The worked examples of the format's description. */
void fl_fixture(const fl_options *o);

/* Does to a file what --damage asks for. */
void fl_damage(const fl_options *o, const char *name, fl_buf *b);
bool fl_damage_known(const char *kind);

#endif
