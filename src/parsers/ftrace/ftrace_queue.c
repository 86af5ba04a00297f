/*
 * Events are packed into bytes as they come. When the memory is full, they are written to a spool
 * in order of time: a run. At the end the runs are merged, so that whatever the order was, the
 * spool is read from its beginning to its end in blocks, and each event is packed and unpacked
 * once. When all fits, there is no run.
 *
 * An event is, in native byte order: its time (8 bytes), its size (4), then varints.
 */
#include "parsers/ftrace/ftrace_queue.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/sorter.h"
#include "base/spool.h"
#include "base/vec.h"

#include <string.h>

enum {
    VARINT_MAX = 10,
    HEAD = 12, /* bytes of time and size */
    /* Of an event without the bytes of its texts: thread, process, CPU, kind, three bytes, the
     * numbers, the lengths of the name and of the texts. */
    FIXED_MAX = HEAD + 3 + (5 + FTRACE_NUMBERS + FTRACE_TEXTS) * VARINT_MAX,
    FIRST_ROOM = 16 * 1024,
    KEY_COST = 24,         /* bytes of a key, and of what sorting takes for it */
    BLOCK_MIN = 16 * 1024, /* bytes of a run that are read at once, when the memory allows */
    BLOCK_MAX = 1 << 20,
    CANCEL_SPAN = 4096, /* events between checks for signals */
};

/* What is sorted: events of equal times stay in the order of their places. */
typedef struct queue_key {
    uint64_t ts; /* ts_sorter_key */
    uint64_t at; /* in the bytes */
} queue_key;

/* A run of the spool, and what of it is in memory while it is merged. */
typedef struct queue_run {
    uint64_t begin, end;
    uint64_t off; /* of block[at] in the spool */
    uint8_t *block;
    size_t at, have;
    uint64_t ts; /* ts_sorter_key of the next event */
    uint32_t size;
    bool ended;
} queue_run;

struct ftrace_queue {
    ts_ctx *ctx;
    size_t memory;
    uint8_t *bytes; /* of the events that are in no run yet */
    size_t n, cap;
    ts_sorter *keys; /* of these; NULL before the first */
    uint64_t count;
    ts_spool *spool; /* NULL: there is no run */
    ts_vec runs;     /* queue_run */
    uint8_t *blocks; /* of the runs that are being merged */
    size_t block;    /* bytes of each */
    uint32_t *heap;  /* of these runs, the one with the next event first */
    uint32_t heap_n;
    uint8_t *large; /* an event that is larger than a block */
    size_t large_room;
};

ts_code ftrace_queue_open(ftrace_queue **out, ts_ctx *ctx, size_t memory)
{
    ftrace_queue *q = ts_zalloc(ctx, 1, sizeof *q);
    *out = q;
    if (q == NULL) {
        return ctx->error.code;
    }
    q->ctx = ctx;
    q->memory = memory;
    return TS_OK;
}

void ftrace_queue_close(ftrace_queue *q)
{
    if (q == NULL) {
        return;
    }
    ts_sorter_close(q->keys);
    ts_spool_free(q->spool);
    ts_vec_free(q->ctx, &q->runs);
    ts_free(q->ctx, q->bytes);
    ts_free(q->ctx, q->blocks);
    ts_free(q->ctx, q->heap);
    ts_free(q->ctx, q->large);
    ts_free(q->ctx, q);
}

/* --- bytes of an event ---------------------------------------------------------------------- */

static inline uint8_t *put_uint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline uint8_t *put_int(uint8_t *p, int64_t v)
{
    return put_uint(p, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

static inline uint8_t *put_text(uint8_t *p, ts_text text)
{
    p = put_uint(p, text.n);
    if (text.n > 0) {
        memcpy(p, text.p, text.n);
    }
    return p + text.n;
}

/* What is left of an event; NULL: it does not end where it should. */
typedef struct packed {
    const uint8_t *p;
    const uint8_t *end;
} packed;

static inline uint64_t get_uint(packed *in)
{
    uint64_t v = 0;
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

static inline int64_t get_int(packed *in)
{
    uint64_t zigzag = get_uint(in);
    return (int64_t)((zigzag >> 1) ^ ((zigzag & 1) != 0 ? UINT64_MAX : 0));
}

static inline ts_text get_text(packed *in)
{
    uint64_t n = get_uint(in);
    ts_text text = {(const char *)in->p, (size_t)n};
    if (n == 0) {
        return (ts_text){"", 0};
    }
    if (n > (uint64_t)(in->end - in->p)) {
        in->p = in->end = NULL;
        return (ts_text){"", 0};
    }
    in->p += n;
    return text;
}

/* Room for n more bytes; the block doubles, up to the memory if that is enough. */
static ts_code queue_reserve(ftrace_queue *q, size_t n)
{
    size_t need;
    size_t cap = q->cap == 0 ? FIRST_ROOM : q->cap;
    uint8_t *bytes;
    if (n <= q->cap - q->n) {
        return TS_OK;
    }
    if (ts_ckd_add(&need, q->n, n) || need > SIZE_MAX / 2) {
        return ts_fail(q->ctx, TS_ERR_LIMIT, "an event of %zu bytes is too large", n);
    }
    while (cap < need) {
        cap *= 2;
    }
    cap = cap > q->memory && need <= q->memory ? q->memory : cap;
    bytes = ts_realloc(q->ctx, q->bytes, cap, 1);
    if (bytes == NULL) {
        return q->ctx->error.code;
    }
    q->bytes = bytes;
    q->cap = cap;
    return TS_OK;
}

/* The largest size of the event in bytes. */
static ts_code size_of(size_t *size, ts_ctx *ctx, const ftrace_event *event)
{
    bool over = ts_ckd_add(size, event->comm.n, (size_t)FIXED_MAX);
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        over |= (event->texts >> i & 1) != 0 && ts_ckd_add(size, *size, event->text[i].n);
    }
    return over || *size > UINT32_MAX
               ? ts_fail(ctx, TS_ERR_LIMIT, "the texts of an event are too large")
               : TS_OK;
}

/* There is room for it. */
static void pack(ftrace_queue *q, const ftrace_event *event)
{
    uint8_t *begin = q->bytes + q->n;
    uint8_t *p = begin + HEAD;
    uint32_t size;
    p = put_int(p, event->pid);
    p = put_int(p, event->tgid);
    p = put_uint(p, event->cpu);
    p = put_uint(p, event->kind);
    *p++ = event->reader;
    *p++ = event->numbers;
    *p++ = event->texts;
    p = put_text(p, event->comm);
    for (unsigned bits = event->numbers, i = 0; bits != 0; bits >>= 1, i++) {
        if ((bits & 1) != 0) {
            p = put_int(p, event->number[i]);
        }
    }
    for (unsigned bits = event->texts, i = 0; bits != 0 && i < FTRACE_TEXTS; bits >>= 1, i++) {
        if ((bits & 1) != 0) {
            p = put_text(p, event->text[i]);
        }
    }
    size = (uint32_t)(p - begin);
    memcpy(begin, &event->ts, sizeof event->ts);
    memcpy(begin + sizeof event->ts, &size, sizeof size);
    q->n += size;
}

static uint32_t packed_size(const uint8_t *p)
{
    uint32_t size;
    memcpy(&size, p + sizeof(int64_t), sizeof size);
    return size;
}

static uint64_t packed_key(const uint8_t *p)
{
    int64_t ts;
    memcpy(&ts, p, sizeof ts);
    return ts_sorter_key(ts);
}

/* The event of these bytes, which lives as long as they do. */
static ts_code unpack(ftrace_event *event, ts_ctx *ctx, const uint8_t *p, size_t size)
{
    packed in = {p + HEAD, p + size};
    *event = (ftrace_event){.comm = {"", 0}};
    memcpy(&event->ts, p, sizeof event->ts);
    event->pid = (int32_t)get_int(&in);
    event->tgid = (int32_t)get_int(&in);
    event->cpu = (uint32_t)get_uint(&in);
    event->kind = (uint16_t)get_uint(&in);
    if (in.end - in.p < 3) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "a spooled event is incomplete");
    }
    event->reader = *in.p++;
    event->numbers = *in.p++;
    event->texts = *in.p++;
    event->comm = get_text(&in);
    for (unsigned bits = event->numbers, i = 0; bits != 0; bits >>= 1, i++) {
        event->number[i] = (bits & 1) != 0 ? get_int(&in) : 0;
    }
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        event->text[i] = (event->texts >> i & 1) != 0 ? get_text(&in) : (ts_text){"", 0};
    }
    return in.p != NULL && in.p == in.end
               ? TS_OK
               : ts_fail(ctx, TS_ERR_INTERNAL, "a spooled event is incomplete");
}

/* --- runs ----------------------------------------------------------------------------------- */

/* The sorter never needs a spool of its own: the memory of this queue ends before. */
static ts_code open_keys(ftrace_queue *q)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    return ts_sorter_open(&q->keys, q->ctx, sizeof(queue_key), &order, SIZE_MAX / 2);
}

/* The events in memory become a run at the end of `spool`. */
static ts_code spill_events(ftrace_queue *q)
{
    const void *record = NULL;
    queue_run *run;
    ts_code code = q->spool == NULL ? ts_spool_new(&q->spool, q->ctx) : TS_OK;
    if (code != TS_OK || (code = ts_sorter_finish(q->keys)) != TS_OK) {
        return code;
    }
    if ((run = ts_vec_add(q->ctx, &q->runs, sizeof *run)) == NULL) {
        return q->ctx->error.code;
    }
    run->begin = ts_spool_size(q->spool);
    while ((code = ts_sorter_next(&record, q->keys)) == TS_OK && record != NULL) {
        const uint8_t *p = q->bytes + ((const queue_key *)record)->at;
        if ((code = ts_spool_write(q->spool, p, packed_size(p))) != TS_OK) {
            return code;
        }
    }
    run->end = ts_spool_size(q->spool);
    ts_sorter_close(q->keys);
    q->keys = NULL;
    q->n = 0;
    q->count = 0;
    return code;
}

ts_code ftrace_queue_add(ftrace_queue *q, const ftrace_event *event)
{
    queue_key key = {ts_sorter_key(event->ts), 0};
    uint64_t used = q->n + q->count * KEY_COST;
    size_t size;
    ts_code code = size_of(&size, q->ctx, event);
    if (code == TS_OK && q->count > 0 && (used > q->memory || size + KEY_COST > q->memory - used)) {
        code = spill_events(q);
    }
    if (code != TS_OK || (code = q->keys == NULL ? open_keys(q) : TS_OK) != TS_OK ||
        (code = queue_reserve(q, size)) != TS_OK) {
        return code;
    }
    key.at = q->n;
    pack(q, event);
    q->count++;
    return ts_sorter_add(q->keys, &key);
}

/* --- merging -------------------------------------------------------------------------------- */

/* Reads on from the run's next event. */
static ts_code refill_block(ftrace_queue *q, queue_run *r)
{
    uint64_t left = r->end - r->off;
    size_t n = left < q->block ? (size_t)left : q->block;
    r->at = 0;
    return ts_spool_read(&r->have, q->spool, r->off, r->block, n);
}

/* Looks at time and size of the run's next event, at r->off. */
static ts_code look_at(ftrace_queue *q, queue_run *r)
{
    r->ended = r->off == r->end;
    if (r->ended) {
        return TS_OK;
    }
    if (r->have - r->at < HEAD) {
        ts_code code = refill_block(q, r);
        if (code != TS_OK) {
            return code;
        }
    }
    if (r->have - r->at < HEAD || packed_size(r->block + r->at) < HEAD ||
        packed_size(r->block + r->at) > r->end - r->off) {
        return ts_fail(q->ctx, TS_ERR_INTERNAL, "a spooled event is incomplete");
    }
    r->ts = packed_key(r->block + r->at);
    r->size = packed_size(r->block + r->at);
    return TS_OK;
}

/* The bytes of the event that was looked at, until the next call. */
static ts_code bytes_of(const uint8_t **out, ftrace_queue *q, queue_run *r)
{
    size_t got;
    ts_code code;
    if (r->size > r->have - r->at && r->size <= q->block && (code = refill_block(q, r)) != TS_OK) {
        return code;
    }
    *out = r->block + r->at;
    if (r->size <= q->block) {
        return TS_OK;
    }
    if (q->large_room < r->size) {
        uint8_t *large = ts_realloc(q->ctx, q->large, r->size, 1);
        if (large == NULL) {
            return q->ctx->error.code;
        }
        q->large = large;
        q->large_room = r->size;
    }
    *out = q->large;
    return ts_spool_read(&got, q->spool, r->off, q->large, r->size);
}

/* The event that was looked at is done with. */
static ts_code step_run(ftrace_queue *q, queue_run *r)
{
    r->off += r->size;
    r->at = r->size < r->have - r->at ? r->at + r->size : r->have;
    return look_at(q, r);
}

/* Equal times: the run that was written first. */
static bool run_before(const queue_run *runs, uint32_t a, uint32_t b)
{
    return runs[a].ts != runs[b].ts ? runs[a].ts < runs[b].ts : a < b;
}

/* The run at place i of the heap goes down to where it belongs. */
static void sift_down(ftrace_queue *q, const queue_run *runs, uint32_t i)
{
    uint32_t moved = q->heap[i];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= q->heap_n) {
            break;
        }
        child += child + 1 < q->heap_n && run_before(runs, q->heap[child + 1], q->heap[child]);
        if (run_before(runs, moved, q->heap[child])) {
            break;
        }
        q->heap[i] = q->heap[child];
        i = child;
    }
    q->heap[i] = moved;
}

static void end_merge_of(ftrace_queue *q)
{
    ts_free(q->ctx, q->blocks);
    ts_free(q->ctx, q->heap);
    q->blocks = NULL;
    q->heap = NULL;
    q->heap_n = 0;
}

/* Runs [runs, runs + count) of the queue's list. */
static ts_code begin_merge_of(ftrace_queue *q, queue_run *runs, uint32_t count)
{
    size_t room = q->memory / count;
    ts_code code = TS_OK;
    q->block = room < BLOCK_MIN ? BLOCK_MIN : room > BLOCK_MAX ? BLOCK_MAX : room;
    if ((q->blocks = ts_alloc(q->ctx, count, q->block)) == NULL ||
        (q->heap = ts_alloc(q->ctx, count, sizeof *q->heap)) == NULL) {
        return q->ctx->error.code;
    }
    for (uint32_t i = 0; i < count && code == TS_OK; i++) {
        runs[i].off = runs[i].begin;
        runs[i].block = q->blocks + i * q->block;
        runs[i].at = runs[i].have = 0;
        code = look_at(q, &runs[i]);
        q->heap[q->heap_n++] = i; /* no run is empty */
    }
    for (uint32_t i = q->heap_n / 2; i-- > 0 && code == TS_OK;) {
        sift_down(q, runs, i);
    }
    return code;
}

/* Where merged events go: to `take`, or as bytes to a spool. */
typedef struct merge_target {
    ts_spool *spool; /* NULL: take */
    ftrace_queue_take *take;
    void *user;
} merge_target;

static ts_code hand_out(ts_ctx *ctx, const merge_target *to, const uint8_t *p, size_t size)
{
    ftrace_event event;
    ts_code code;
    if (to->spool != NULL) {
        return ts_spool_write(to->spool, p, size);
    }
    code = unpack(&event, ctx, p, size);
    return code == TS_OK ? to->take(to->user, &event) : code;
}

static ts_code merge_runs(ftrace_queue *q, queue_run *runs, uint32_t count, const merge_target *to)
{
    const uint8_t *p;
    ts_code code = begin_merge_of(q, runs, count);
    while (code == TS_OK && q->heap_n > 0) {
        queue_run *r = &runs[q->heap[0]];
        uint32_t size = r->size;
        if ((code = bytes_of(&p, q, r)) == TS_OK &&
            (code = hand_out(q->ctx, to, p, size)) == TS_OK) {
            code = step_run(q, r);
        }
        if (r->ended) {
            q->heap[0] = q->heap[--q->heap_n];
        }
        if (code == TS_OK && q->heap_n > 1) {
            sift_down(q, runs, 0);
        }
    }
    end_merge_of(q);
    return code;
}

/* Every `width` runs become one, in a new spool. */
static ts_code merge_all_once(ftrace_queue *q, uint32_t width)
{
    merge_target to = {0};
    queue_run *runs = q->runs.p;
    size_t made = 0;
    ts_code code = ts_spool_new(&to.spool, q->ctx);
    for (size_t i = 0; i < q->runs.n && code == TS_OK; i += width) {
        uint64_t begin = ts_spool_size(to.spool);
        size_t n = q->runs.n - i < width ? q->runs.n - i : width;
        code = merge_runs(q, runs + i, (uint32_t)n, &to);
        runs[made++] = (queue_run){.begin = begin, .end = ts_spool_size(to.spool)};
    }
    if (code != TS_OK) {
        ts_spool_free(to.spool);
        return code;
    }
    ts_spool_free(q->spool);
    q->spool = to.spool;
    q->runs.n = made;
    return TS_OK;
}

static ts_code drain_runs(ftrace_queue *q, const merge_target *to)
{
    size_t fit = q->memory / BLOCK_MIN;
    uint32_t width = fit < 4 ? 4 : fit > 4096 ? 4096 : (uint32_t)fit;
    ts_code code = q->count == 0 ? TS_OK : spill_events(q);
    ts_free(q->ctx, q->bytes);
    q->bytes = NULL;
    q->cap = 0;
    while (code == TS_OK && q->runs.n > width) {
        code = merge_all_once(q, width);
    }
    return code == TS_OK ? merge_runs(q, q->runs.p, (uint32_t)q->runs.n, to) : code;
}

ts_code ftrace_queue_drain(ftrace_queue *q, ftrace_queue_take *take, void *user)
{
    const merge_target to = {NULL, take, user};
    const void *record = NULL;
    ts_code code;
    if (q->runs.n > 0) {
        return drain_runs(q, &to);
    }
    if (q->count == 0) {
        return TS_OK;
    }
    if ((code = ts_sorter_finish(q->keys)) != TS_OK) {
        return code;
    }
    for (uint64_t i = 0; code == TS_OK; i++) {
        const uint8_t *p;
        code = i % CANCEL_SPAN != 0 ? TS_OK : ts_check_cancel(q->ctx);
        if (code != TS_OK || (code = ts_sorter_next(&record, q->keys)) != TS_OK || record == NULL) {
            break;
        }
        p = q->bytes + ((const queue_key *)record)->at;
        code = hand_out(q->ctx, &to, p, packed_size(p));
    }
    return code;
}
