#include "parsers/ftrace/ftrace_rowlog.h"

#include "base/alloc.h"

#include <string.h>

enum { FIRST_RECORDS = 64, BLOCK_BYTES = 64 * 1024 };

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

static uint8_t *place_of(const ftrace_rowlog *log, uint64_t number)
{
    return log->window + number % log->cap * log->size;
}

/* The window is full and may not grow: the older half of it goes to the spool. */
static ts_code move_half(ftrace_rowlog *log)
{
    uint64_t half = log->cap / 2;
    ts_code code = log->spool == NULL ? ts_spool_new(&log->spool, log->ctx) : TS_OK;
    if (code == TS_OK) {
        code = ts_spool_write(log->spool, place_of(log, log->begin), half * log->size);
        log->begin += half;
    }
    return code;
}

static ts_code log_grow(ftrace_rowlog *log)
{
    uint64_t cap = log->cap == 0 ? FIRST_RECORDS : 2 * log->cap;
    uint8_t *window;
    cap = cap > log->cap_max ? log->cap_max : cap;
    window = ts_realloc(log->ctx, log->window, cap, log->size);
    if (window == NULL) {
        return log->ctx->error.code;
    }
    log->window = window;
    log->cap = cap;
    return TS_OK;
}

ts_code ftrace_rowlog_add(ftrace_rowlog *log, const void *record)
{
    if (log->count - log->begin == log->cap) {
        ts_code code = log->cap == log->cap_max ? move_half(log) : log_grow(log);
        if (code != TS_OK) {
            return code;
        }
    }
    memcpy(place_of(log, log->count), record, log->size);
    log->count++;
    return TS_OK;
}

ts_code ftrace_rowlog_set(ftrace_rowlog *log, uint64_t number, const void *record)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    uint64_t entry[16] = {number};
    ts_code code = TS_OK;
    if (number >= log->count || log->size > sizeof entry - sizeof entry[0]) {
        return ts_fail(log->ctx, TS_ERR_INTERNAL, "a record that is not there is replaced");
    }
    if (number >= log->begin) {
        memcpy(place_of(log, number), record, log->size);
        return TS_OK;
    }
    memcpy(&entry[1], record, log->size);
    if (log->late == NULL) {
        code = ts_sorter_open(&log->late, log->ctx, sizeof entry[0] + log->size, &order,
                              FTRACE_ROWLOG_LATE);
    }
    return code != TS_OK ? code : ts_sorter_add(log->late, entry);
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
    ts_code code;
    if (log->late == NULL) {
        return TS_OK;
    }
    code = ts_sorter_finish(log->late);
    return code != TS_OK ? code : next_replaced(log);
}

static ts_code fill_block(ftrace_rowlog *log)
{
    size_t room = BLOCK_BYTES / log->size;
    uint64_t left = log->begin - log->next;
    size_t got = 0;
    ts_code code;
    if (log->block == NULL && (log->block = ts_alloc(log->ctx, room, log->size)) == NULL) {
        return log->ctx->error.code;
    }
    room = left < room ? (size_t)left : room;
    code = ts_spool_read(&got, log->spool, log->next * log->size, log->block, room * log->size);
    log->block_at = 0;
    log->block_have = room;
    return code != TS_OK || got == room * log->size
               ? code
               : ts_fail(log->ctx, TS_ERR_INTERNAL, "a spooled record is incomplete");
}

static ts_code next_spooled(const void **record, ftrace_rowlog *log)
{
    uint8_t *found;
    ts_code code = log->block_at == log->block_have ? fill_block(log) : TS_OK;
    if (code != TS_OK) {
        return code;
    }
    found = log->block + log->block_at++ * log->size;
    while (code == TS_OK && log->replaced != NULL && *log->replaced == log->next) {
        memcpy(found, log->replaced + 1, log->size);
        code = next_replaced(log);
    }
    *record = found;
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
