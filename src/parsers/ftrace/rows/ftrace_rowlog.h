/*
 * Records in the order in which they are added, which may be replaced later, mostly soon: rows that
 * begin in order and end in any order need no sorting. The last ones are in memory, those before in
 * a spool, as differences from the record before; records that are replaced there wait in a sorter
 * until all are read, once, at the end.
 *
 * Memory: FTRACE_ROWLOG_WINDOW, when there are so many the sorter's FTRACE_ROWLOG_LATE, and a
 * block.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_ROWLOG_H
#define TS_PARSERS_FTRACE_FTRACE_ROWLOG_H

#include "base/sorter.h"
#include "base/spool.h"

enum { FTRACE_ROWLOG_WINDOW = 8 << 20, FTRACE_ROWLOG_LATE = 8 << 20, FTRACE_ROWLOG_WORDS = 15 };

typedef struct ftrace_rowlog {
    ts_ctx *ctx;
    size_t size;     /* of a record: a multiple of 8, at most FTRACE_ROWLOG_WORDS of them */
    uint8_t *window; /* a ring */
    uint64_t cap, cap_max;
    uint64_t begin;    /* number of the first record of the window */
    uint64_t begin_at; /* and its place in the ring */
    uint64_t count;
    ts_spool *spool; /* those before; NULL: none */
    ts_sorter *late; /* replaced ones of the spool, after their numbers; NULL: none */
    uint64_t before[FTRACE_ROWLOG_WORDS]; /* the last record that was written there, or read */
    uint8_t *block;                       /* bytes on their way there, or from there */
    size_t block_at, block_have;
    /* Reading. */
    uint64_t next;
    uint64_t spool_at;
    uint64_t found[FTRACE_ROWLOG_WORDS]; /* the record that was given last */
    const uint64_t *replaced;            /* the next of `late`, or NULL */
} ftrace_rowlog;

/* size: a multiple of 8. window: bytes. Free with ftrace_rowlog_free, also after a failure. */
void ftrace_rowlog_init(ftrace_rowlog *log, ts_ctx *ctx, size_t size, size_t window);
void ftrace_rowlog_free(ftrace_rowlog *log);

/* Copies the record; its number is that of records before it. Errors: memory, the spool's. */
ts_code ftrace_rowlog_add(ftrace_rowlog *log, const void *record);

/* Replaces a record. Errors: memory, the spool's. */
ts_code ftrace_rowlog_set(ftrace_rowlog *log, uint64_t number, const void *record);

/* Nothing is added or replaced any more. */
ts_code ftrace_rowlog_finish(ftrace_rowlog *log);

/* The next record, aligned to 8 bytes, borrowed until the next call; NULL at the end. */
ts_code ftrace_rowlog_next(const void **record, ftrace_rowlog *log);

#endif
