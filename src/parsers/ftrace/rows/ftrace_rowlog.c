#include "parsers/ftrace/rows/ftrace_rowlog.h"

#include "base/alloc.h"

#include <endian.h>
#include <string.h>

enum {
    FIRST_RECORDS = 64,
    BLOCK_BYTES = 64 * 1024,
    /* The most that a record takes in the spool, and whole words that reach after it. */
    RECORD_MAX = (FTRACE_ROWLOG_WORDS + 1) / 2 + 8 * FTRACE_ROWLOG_WORDS,
    BLOCK_SLACK = 16 * FTRACE_ROWLOG_WORDS + 8
};

void ftrace_rowlog_init(ftrace_rowlog *log, ts_ctx *ctx, size_t size, size_t window)
{
    uint64_t half = window / size / 2;
    *log = (ftrace_rowlog){.ctx = ctx, .size = size, .cap_max = 2 * (half == 0 ? 1 : half)};
}

void ftrace_rowlog_free(ftrace_rowlog *log)
{
    ts_free(log->ctx, log->window);
    ts_free(log->ctx, log->block);
    ts_spool_free(log->spool);
    ts_sorter_close(log->late);
}

/* Of a record of the window, or after the last one. */
static inline uint8_t *place_of(const ftrace_rowlog *log, uint64_t number)
{
    uint64_t at = log->begin_at + (number - log->begin);
    return log->window + (at < log->cap ? at : at - log->cap) * log->size;
}

/* Records of the usual sizes are copied without a call. */
static inline void copy_record(void *to, const void *from, size_t size)
{
    enum { STATE = 48, SLICE = 40 };
    if (size == STATE) {
        memcpy(to, from, STATE);
    } else if (size == SLICE) {
        memcpy(to, from, SLICE);
    } else {
        memcpy(to, from, size);
    }
}

/*
 * A record in the spool: the sizes of its words in half a byte each, then the words, as differences
 * from the record before. After it, where there is room for RECORD_MAX bytes and the slack.
 */
static uint8_t *pack_record(uint8_t *p, ftrace_rowlog *log, const uint8_t *record)
{
    const size_t words = log->size / 8;
    uint8_t *sizes = p;
    p += (words + 1) / 2;
    for (size_t i = 0; i < words; i++, record += 8) {
        uint64_t word;
        uint64_t delta;
        unsigned n;
        memcpy(&word, record, 8);
        delta = word - log->before[i];
        log->before[i] = word;
        delta = delta << 1 ^ (delta >> 63 != 0 ? UINT64_MAX : 0);
        /* Without a branch: words that are as before and others follow each other. */
        n = (71U - (unsigned)__builtin_clzll(delta | 1)) / 8 - (delta == 0);
        sizes[i / 2] = (uint8_t)(i % 2 == 0 ? n : sizes[i / 2] | n << 4);
        delta = htole64(delta);
        memcpy(p, &delta, 8);
        p += n;
    }
    return p;
}

/* The next record becomes that before. */
static const uint8_t *unpack_record(ftrace_rowlog *log, const uint8_t *p)
{
    static const uint64_t masks[16] = {0,          0xff,         0xffff,         0xffffff,
                                       0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
                                       UINT64_MAX};
    const size_t words = log->size / 8;
    const uint8_t *sizes = p;
    p += (words + 1) / 2;
    for (size_t i = 0; i < words; i++) {
        unsigned n = sizes[i / 2] >> i % 2 * 4 & 15;
        uint64_t delta;
        memcpy(&delta, p, 8);
        delta = le64toh(delta) & masks[n];
        log->before[i] += delta >> 1 ^ ((delta & 1) != 0 ? UINT64_MAX : 0);
        p += n;
    }
    return p;
}

static ts_code write_block(ftrace_rowlog *log)
{
    ts_code code = ts_spool_write(log->spool, log->block, log->block_have);
    log->block_have = 0;
    return code;
}

/* What is written for the first time. */
static ts_code open_spool(ftrace_rowlog *log)
{
    if (log->block == NULL &&
        (log->block = ts_alloc(log->ctx, BLOCK_BYTES + BLOCK_SLACK, 1)) == NULL) {
        return log->ctx->error.code;
    }
    return ts_spool_new(&log->spool, log->ctx);
}

/* The window is full and may not grow: the older half of it goes to the spool. */
static ts_code move_half(ftrace_rowlog *log)
{
    uint64_t half = log->cap / 2;
    const uint8_t *record = place_of(log, log->begin);
    ts_code code = log->spool == NULL ? open_spool(log) : TS_OK;
    for (uint64_t i = 0; i < half && code == TS_OK; i++, record += log->size) {
        uint8_t *p = log->block + log->block_have;
        log->block_have = (size_t)(pack_record(p, log, record) - log->block);
        code = BLOCK_BYTES - log->block_have < RECORD_MAX ? write_block(log) : TS_OK;
    }
    if (code == TS_OK) {
        log->begin += half;
        log->begin_at = log->begin_at == 0 ? half : 0;
    }
    return code;
}

static ts_code log_grow(ftrace_rowlog *log)
{
    uint64_t cap = log->cap == 0 ? FIRST_RECORDS : 2 * log->cap;
    uint8_t *window;
    cap = cap > log->cap_max ? log->cap_max : cap;
    TS_NEED(log->ctx, window = ts_realloc(log->ctx, log->window, (size_t)cap, log->size));
    log->window = window;
    log->cap = cap;
    return TS_OK;
}

ts_code ftrace_rowlog_add(ftrace_rowlog *log, const void *record)
{
    if (log->count - log->begin == log->cap) {
        TS_TRY(log->cap == log->cap_max ? move_half(log) : log_grow(log));
    }
    copy_record(place_of(log, log->count), record, log->size);
    log->count++;
    return TS_OK;
}

ts_code ftrace_rowlog_set(ftrace_rowlog *log, uint64_t number, const void *record)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    uint64_t entry[1 + FTRACE_ROWLOG_WORDS] = {number};
    if (number >= log->count || log->size > sizeof entry - sizeof entry[0]) {
        return ts_fail(log->ctx, TS_ERR_INTERNAL, "a record that is not there is replaced");
    }
    if (number >= log->begin) {
        copy_record(place_of(log, number), record, log->size);
        return TS_OK;
    }
    memcpy(&entry[1], record, log->size);
    return ts_sorter_put(&log->late, log->ctx, entry, sizeof entry[0] + log->size, &order,
                         FTRACE_ROWLOG_LATE);
}

/* --- reading --------------------------------------------------------------------------------- */

static ts_code next_replaced(ftrace_rowlog *log)
{
    const void *record = NULL;
    ts_code code = ts_sorter_next(&record, log->late);
    log->replaced = record;
    return code;
}

ts_code ftrace_rowlog_finish(ftrace_rowlog *log)
{
    ts_code code = log->block_have > 0 ? write_block(log) : TS_OK;
    memset(log->before, 0, sizeof log->before);
    log->block_at = 0;
    if (code != TS_OK || log->late == NULL) {
        return code;
    }
    TS_TRY_INTO(code, ts_sorter_finish(log->late));
    return next_replaced(log);
}

/* Reads on, after what is left of the block. */
static ts_code fill_block(ftrace_rowlog *log)
{
    size_t left = log->block_have - log->block_at;
    size_t got = 0;
    ts_code code;
    memmove(log->block, log->block + log->block_at, left);
    code = ts_spool_read(&got, log->spool, log->spool_at, log->block + left, BLOCK_BYTES - left);
    log->spool_at += got;
    log->block_at = 0;
    log->block_have = left + got;
    return code;
}

static ts_code next_spooled(const void **record, ftrace_rowlog *log)
{
    const uint8_t *p;
    ts_code code = TS_OK;
    TS_TRY_INTO(code, log->block_have - log->block_at < RECORD_MAX &&
                              log->spool_at < ts_spool_size(log->spool)
                          ? fill_block(log)
                          : TS_OK);
    p = unpack_record(log, log->block + log->block_at);
    log->block_at = (size_t)(p - log->block);
    if (log->block_at > log->block_have) {
        return ts_fail(log->ctx, TS_ERR_INTERNAL, "a spooled record is incomplete");
    }
    memcpy(log->found, log->before, sizeof log->found);
    while (code == TS_OK && log->replaced != NULL && *log->replaced == log->next) {
        memcpy(log->found, log->replaced + 1, log->size);
        code = next_replaced(log);
    }
    *record = log->found;
    log->next++;
    return code;
}

ts_code ftrace_rowlog_next(const void **record, ftrace_rowlog *log)
{
    if (log->next < log->begin) {
        return next_spooled(record, log);
    }
    *record = log->next == log->count ? NULL : place_of(log, log->next);
    log->next += log->next < log->count;
    return TS_OK;
}
