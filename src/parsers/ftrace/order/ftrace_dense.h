/*
 * Events of a CPU as bytes, one after the other: what most have in common with the one before is
 * left out, and short texts that came already are a byte. They are read in the order in which they
 * were written, from the first on, or each for itself (ftrace_dense_alone).
 *
 *     kind, FLAGS, [reader, numbers, texts], [CPU], [thread, process, name],
 *     sizes of the numbers, two bits each, the numbers, the texts
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_DENSE_H
#define TS_PARSERS_FTRACE_FTRACE_DENSE_H

#include "base/context.h"
#include "parsers/ftrace/ftrace_event.h"

#include <string.h>

enum {
    FTRACE_VARINT_MAX = 10,
    FTRACE_DENSE_WORDS = 127,  /* texts that are known at a time */
    FTRACE_DENSE_LETTERS = 16, /* their longest */
    /* The most that an event takes without the bytes of its texts. */
    FTRACE_DENSE_MAX = 2 + 3 + 3 * FTRACE_VARINT_MAX + 2 + 8 * FTRACE_NUMBERS +
                       (1 + FTRACE_TEXTS) * (1 + FTRACE_VARINT_MAX),
    /* Bytes that there must be after those that are read or written: whole words are. */
    FTRACE_DENSE_SLACK = FTRACE_DENSE_MAX + FTRACE_DENSE_LETTERS
};

/* What is left of bytes; both are NULL when they ended too early. */
typedef struct ftrace_packed {
    const uint8_t *p;
    const uint8_t *end;
} ftrace_packed;

static inline uint8_t *ftrace_put_uint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline uint8_t *ftrace_put_int(uint8_t *p, int64_t v)
{
    return ftrace_put_uint(p, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

static inline uint64_t ftrace_get_uint(ftrace_packed *in)
{
    uint64_t v = 0;
    if (in->end - in->p > 1 && in->p[0] < 0x80) {
        return *in->p++;
    }
    for (unsigned shift = 0; shift < 64 && in->p != in->end; shift += 7) {
        uint8_t byte = *in->p++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return v;
        }
    }
    in->p = in->end = NULL;
    return 0;
}

static inline int64_t ftrace_get_int(ftrace_packed *in)
{
    uint64_t zigzag = ftrace_get_uint(in);
    return (int64_t)((zigzag >> 1) ^ ((zigzag & 1) != 0 ? UINT64_MAX : 0));
}

/* A short text. Writing keeps what tells it from others of its length, reading its letters. */
typedef struct ftrace_dense_word {
    char letters[FTRACE_DENSE_LETTERS];
    uint64_t n; /* beyond FTRACE_DENSE_LETTERS: there is none yet */
} ftrace_dense_word;

/* What was written, or read, so far. */
typedef struct ftrace_dense {
    int32_t pid;
    int32_t tgid;
    uint32_t cpu;
    uint32_t forms[FTRACE_STARTED + 1]; /* reader, numbers, texts of the last of its kind */
    uint64_t no_words;                  /* all bits: no text becomes known */
    ftrace_dense_word words[FTRACE_DENSE_WORDS]; /* by a hash of their letters */
} ftrace_dense;

/* Before the first event, on both sides. */
void ftrace_dense_begin(ftrace_dense *d);

/* Before each event, on both sides, when they are read in any order: nothing was before it. */
static inline void ftrace_dense_alone(ftrace_dense *d)
{
    memset(d, 0, offsetof(ftrace_dense, words));
    d->no_words = UINT64_MAX;
}

/* The most bytes that the event takes; false: beyond what a size can hold. */
bool ftrace_dense_max(size_t *size, const ftrace_event *event);

/* Writes the event at p, where there is room for ftrace_dense_max bytes and the slack. Returns its
 * end.
 */
uint8_t *ftrace_dense_put(ftrace_dense *d, uint8_t *p, const ftrace_event *event);

/* The event that begins at in->p, which is then at its end; its texts are borrowed from the
 * bytes and *d, until the next one. Its time is not set. in->p is NULL when the bytes are none. */
void ftrace_dense_get(ftrace_event *event, ftrace_dense *d, ftrace_packed *in);

#endif
