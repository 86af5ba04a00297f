/*
 * An event in the spool is, in native byte order: its time (8 bytes), its number (8), its size (4),
 * then what ftrace_pack.h makes.
 */
#include "parsers/ftrace/order/ftrace_runs.h"

#include "base/alloc.h"
#include "base/ckd.h"

enum {
    HEAD = 20, /* bytes of time, number and size */
    FIRST_ROOM = 16 * 1024,
    KEY_COST = 24,         /* bytes of a key, and of what sorting takes for it */
    BLOCK_MIN = 16 * 1024, /* bytes of a run that are read at once, when the memory allows */
    BLOCK_MAX = 1 << 20,
    CANCEL_SPAN = 4096, /* events between checks for signals */
};

/* What is sorted: events of equal times stay in the order of their places. */
typedef struct run_key {
    uint64_t ts; /* ts_sorter_key */
    uint64_t at; /* in the bytes */
} run_key;

void ftrace_runs_init(ftrace_runs *r, ts_ctx *ctx, size_t memory)
{
    *r = (ftrace_runs){.ctx = ctx, .memory = memory};
}

void ftrace_runs_free(ftrace_runs *r)
{
    ts_sorter_close(r->keys);
    ts_spool_free(r->spool);
    ts_vec_free(r->ctx, &r->runs);
    ts_free(r->ctx, r->bytes);
    ts_free(r->ctx, r->blocks);
    ts_free(r->ctx, r->large);
}

/* --- events in memory ------------------------------------------------------------------------ */

/* Room for n more bytes; the block doubles, up to the memory if that is enough. */
static ts_code runs_reserve(ftrace_runs *r, size_t n)
{
    size_t need;
    size_t cap = r->cap == 0 ? FIRST_ROOM : r->cap;
    uint8_t *bytes;
    if (n <= r->cap - r->n) {
        return TS_OK;
    }
    if (ts_ckd_add(&need, r->n, n) || need > SIZE_MAX / 2) {
        return ts_fail(r->ctx, TS_ERR_LIMIT, "an event of %zu bytes is too large", n);
    }
    while (cap < need) {
        cap *= 2;
    }
    cap = cap > r->memory && need <= r->memory ? r->memory : cap;
    TS_NEED(r->ctx, bytes = ts_realloc(r->ctx, r->bytes, cap, 1));
    r->bytes = bytes;
    r->cap = cap;
    return TS_OK;
}

/* The largest size of the event in bytes. */
static ts_code size_of(size_t *size, ts_ctx *ctx, const ftrace_event *event)
{
    return !ftrace_packed_max(size, event) || ts_ckd_add(size, *size, (size_t)HEAD) ||
                   *size > UINT32_MAX
               ? ts_fail(ctx, TS_ERR_LIMIT, "the texts of an event are too large")
               : TS_OK;
}

/* There is room for it. */
static void put_event(ftrace_runs *r, const ftrace_event *event, uint64_t number)
{
    uint8_t *begin = r->bytes + r->n;
    const uint8_t *end = ftrace_pack(begin + HEAD, event);
    uint32_t size = (uint32_t)(end - begin);
    memcpy(begin, &event->ts, sizeof event->ts);
    memcpy(begin + 8, &number, sizeof number);
    memcpy(begin + 16, &size, sizeof size);
    r->n += size;
}

static uint32_t size_at(const uint8_t *p)
{
    uint32_t size;
    memcpy(&size, p + 16, sizeof size);
    return size;
}

/* The sorter never needs a spool of its own: the memory of the runs ends before. */
static ts_code open_keys(ftrace_runs *r)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    return ts_sorter_open(&r->keys, r->ctx, sizeof(run_key), &order, SIZE_MAX / 2);
}

/* The events in memory become a run at the end of the spool. */
static ts_code spill_events(ftrace_runs *r)
{
    const void *record = NULL;
    ftrace_run *run;
    ts_code code;
    TS_TRY(code, r->spool == NULL ? ts_spool_new(&r->spool, r->ctx) : TS_OK);
    TS_TRY(code, ts_sorter_finish(r->keys));
    TS_NEED(r->ctx, run = ts_vec_add(r->ctx, &r->runs, sizeof *run));
    run->begin = ts_spool_size(r->spool);
    for (uint64_t i = 0; code == TS_OK; i++) {
        const uint8_t *p;
        code = i % CANCEL_SPAN != 0 ? TS_OK : ts_check_cancel(r->ctx);
        if (code != TS_OK || (code = ts_sorter_next(&record, r->keys)) != TS_OK || record == NULL) {
            break;
        }
        p = r->bytes + ((const run_key *)record)->at;
        code = ts_spool_write(r->spool, p, size_at(p));
    }
    if (code != TS_OK) {
        return code;
    }
    run->end = ts_spool_size(r->spool);
    ts_sorter_close(r->keys);
    r->keys = NULL;
    r->n = 0;
    r->count = 0;
    return TS_OK;
}

ts_code ftrace_runs_add(ftrace_runs *r, const ftrace_event *event, uint64_t number)
{
    run_key key = {ts_sorter_key(event->ts), 0};
    uint64_t used = r->n + r->count * KEY_COST;
    size_t size;
    ts_code code = size_of(&size, r->ctx, event);
    TS_STEP_IF(code, r->count > 0 && (used > r->memory || size + KEY_COST > r->memory - used),
               spill_events(r));
    if (code != TS_OK || (code = r->keys == NULL ? open_keys(r) : TS_OK) != TS_OK ||
        (code = runs_reserve(r, size)) != TS_OK) {
        return code;
    }
    key.at = r->n;
    put_event(r, event, number);
    r->count++;
    return ts_sorter_add(r->keys, &key);
}

/* --- reading runs ---------------------------------------------------------------------------- */

/* Reads on from the run's next event. */
static ts_code refill_block(ftrace_runs *r, ftrace_run *run)
{
    uint64_t left = run->end - run->off;
    size_t n = left < r->block ? (size_t)left : r->block;
    run->at = 0;
    return ts_spool_read(&run->have, r->spool, run->off, run->block, n);
}

/* Looks at time, number and size of the run's next event, at run->off. */
static ts_code look_at(ftrace_runs *r, ftrace_run *run)
{
    const uint8_t *p;
    run->ended = run->off == run->end;
    if (run->ended) {
        return TS_OK;
    }
    if (run->have - run->at < HEAD) {
        ts_code code;
        TS_TRY(code, refill_block(r, run));
    }
    p = run->block + run->at;
    if (run->have - run->at < HEAD || size_at(p) < HEAD || size_at(p) > run->end - run->off) {
        return ts_fail(r->ctx, TS_ERR_INTERNAL, "a spooled event is incomplete");
    }
    memcpy(&run->ts, p, sizeof run->ts);
    memcpy(&run->number, p + 8, sizeof run->number);
    run->size = size_at(p);
    return TS_OK;
}

/* The bytes of the event that was looked at, until the next call. */
static ts_code bytes_of(const uint8_t **out, ftrace_runs *r, ftrace_run *run)
{
    size_t got;
    ts_code code;
    if (run->size > run->have - run->at && run->size <= r->block &&
        (code = refill_block(r, run)) != TS_OK) {
        return code;
    }
    *out = run->block + run->at;
    if (run->size <= r->block) {
        return TS_OK;
    }
    if (r->large_room < run->size) {
        uint8_t *large = ts_realloc(r->ctx, r->large, run->size, 1);
        TS_NEED(r->ctx, large);
        r->large = large;
        r->large_room = run->size;
    }
    *out = r->large;
    return ts_spool_read(&got, r->spool, run->off, r->large, run->size);
}

ts_code ftrace_run_event(ftrace_event *event, ftrace_runs *r, ftrace_run *run)
{
    const uint8_t *p = NULL;
    ts_code code = bytes_of(&p, r, run);
    ftrace_packed in;
    if (code != TS_OK) {
        return code;
    }
    in = (ftrace_packed){p + HEAD, p + run->size};
    ftrace_unpack(event, &in);
    event->ts = run->ts;
    return in.p != NULL && in.p == in.end
               ? TS_OK
               : ts_fail(r->ctx, TS_ERR_INTERNAL, "a spooled event is incomplete");
}

ts_code ftrace_run_step(ftrace_runs *r, ftrace_run *run)
{
    run->off += run->size;
    run->at = run->size < run->have - run->at ? run->at + run->size : run->have;
    return look_at(r, run);
}

/* --- fewer runs ------------------------------------------------------------------------------ */

/* `count` runs from `runs` on are read from their beginnings; blocks takes what they need. */
static ts_code begin_reading(ftrace_runs *r, ftrace_run *runs, uint32_t count)
{
    size_t room = r->memory / count;
    uint64_t longest = 0;
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t n = runs[i].end - runs[i].begin;
        longest = n > longest ? n : longest;
    }
    room = longest < room ? (size_t)longest : room;
    r->block = room < BLOCK_MIN ? BLOCK_MIN : room > BLOCK_MAX ? BLOCK_MAX : room;
    TS_NEED(r->ctx, r->blocks = ts_alloc(r->ctx, count, r->block));
    for (uint32_t i = 0; i < count && code == TS_OK; i++) {
        runs[i].off = runs[i].begin;
        runs[i].block = r->blocks + i * r->block;
        runs[i].at = runs[i].have = 0;
        code = look_at(r, &runs[i]); /* no run is empty */
    }
    return code;
}

static void end_reading(ftrace_runs *r)
{
    ts_free(r->ctx, r->blocks);
    r->blocks = NULL;
}

/* Merges the runs into `to`; heap has room for them. */
static ts_code merge_into(ts_spool *to, ftrace_heap_item *heap, ftrace_runs *r, ftrace_run *runs,
                          uint32_t n)
{
    const uint8_t *p = NULL;
    ts_code code = begin_reading(r, runs, n);
    for (uint32_t i = 0; i < n && code == TS_OK; i++) {
        heap[i] = (ftrace_heap_item){runs[i].ts, runs[i].number, i};
    }
    ftrace_heap_make(heap, code == TS_OK ? n : 0);
    for (uint64_t i = 0; code == TS_OK && n > 0; i++) {
        ftrace_run *run = &runs[heap[0].source];
        code = i % CANCEL_SPAN != 0 ? TS_OK : ts_check_cancel(r->ctx);
        if (code != TS_OK || (code = bytes_of(&p, r, run)) != TS_OK ||
            (code = ts_spool_write(to, p, run->size)) != TS_OK ||
            (code = ftrace_run_step(r, run)) != TS_OK) {
            break;
        }
        heap[0] = run->ended ? heap[--n] : (ftrace_heap_item){run->ts, run->number, heap[0].source};
        ftrace_heap_sink(heap, n, 0);
    }
    end_reading(r);
    return code;
}

/* Every `width` runs become one, in a new spool. */
static ts_code merge_all_once(ftrace_runs *r, uint32_t width)
{
    ftrace_run *runs = r->runs.p;
    size_t made = 0;
    ts_spool *to = NULL;
    ftrace_heap_item *heap = ts_alloc(r->ctx, width, sizeof *heap);
    ts_code code = heap == NULL ? r->ctx->error.code : ts_spool_new(&to, r->ctx);
    for (size_t i = 0; i < r->runs.n && code == TS_OK; i += width) {
        uint64_t begin = ts_spool_size(to);
        size_t n = r->runs.n - i < width ? r->runs.n - i : width;
        code = merge_into(to, heap, r, runs + i, (uint32_t)n);
        runs[made++] = (ftrace_run){.begin = begin, .end = ts_spool_size(to)};
    }
    ts_free(r->ctx, heap);
    if (code != TS_OK) {
        ts_spool_free(to);
        return code;
    }
    ts_spool_free(r->spool);
    r->spool = to;
    r->runs.n = made;
    return TS_OK;
}

ts_code ftrace_runs_finish(ftrace_runs *r)
{
    size_t fit = r->memory / BLOCK_MIN;
    uint32_t width = fit < 4 ? 4 : fit > 4096 ? 4096 : (uint32_t)fit;
    ts_code code = r->count == 0 ? TS_OK : spill_events(r);
    ts_free(r->ctx, r->bytes);
    r->bytes = NULL;
    r->cap = 0;
    while (code == TS_OK && r->runs.n > width) {
        code = merge_all_once(r, width);
    }
    return code != TS_OK || r->runs.n == 0 ? code
                                           : begin_reading(r, r->runs.p, (uint32_t)r->runs.n);
}
