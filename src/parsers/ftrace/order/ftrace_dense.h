/*
 * Events of a CPU as bytes, one after the other: what most have in common with the one before is
 * left out, and short texts that came already are a byte. They are read in the order in which they
 * were written, from the first on.
 *
 *     kind, FLAGS, [reader, numbers, texts], [CPU], [thread, process, name],
 *     sizes of the numbers, two bits each, the numbers, the texts
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_DENSE_H
#define TS_PARSERS_FTRACE_FTRACE_DENSE_H

#include "base/context.h"
#include "parsers/ftrace/ftrace_event.h"
#include "parsers/ftrace/order/ftrace_pack.h"

enum {
    FTRACE_DENSE_WORDS = 127,  /* texts that are known at a time */
    FTRACE_DENSE_LETTERS = 16, /* their longest */
    /* The most that an event takes without the bytes of its texts. */
    FTRACE_DENSE_MAX = 2 + 3 + 3 * FTRACE_VARINT_MAX + 2 + 8 * FTRACE_NUMBERS +
                       (1 + FTRACE_TEXTS) * (1 + FTRACE_VARINT_MAX),
    /* Bytes that there must be after those that are read or written: whole words are. */
    FTRACE_DENSE_SLACK = FTRACE_DENSE_MAX + FTRACE_DENSE_LETTERS
};

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
    uint32_t forms[FTRACE_KINDS]; /* reader, numbers, texts of the last of its kind */
    ftrace_dense_word words[FTRACE_DENSE_WORDS]; /* by a hash of their letters */
} ftrace_dense;

/* Before the first event, on both sides. */
void ftrace_dense_begin(ftrace_dense *d);

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
