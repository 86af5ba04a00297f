/*
 * Events of a CPU come in order of time, but for some. Those that do are packed into a lane of
 * their own, block by block, and need no sorting: each is compared with the last one of its lane
 * when it comes, and with those of the other lanes when they are handed out. Blocks stay in memory
 * while they fit, and then go to a spool, from which they are read once. Events that are earlier
 * than the last one of their lane, or too large for a block, are sorted.
 *
 * An event in a lane is the time since the one before and the numbers of events between them, as
 * varints, then what ftrace_dense.h makes.
 */
#include "parsers/ftrace/order/ftrace_feed.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/sorter.h"
#include "base/spool.h"
#include "base/vec.h"
#include "parsers/ftrace/order/ftrace_dense.h"

enum {
    LANES_MAX = 64, /* CPUs with higher numbers share them */
    BLOCK_MIN = 1024,
    BLOCK_MAX = 64 * 1024,
    FIRST_BLOCK = 1024,               /* bytes at first */
    HEAD_MAX = 2 * FTRACE_VARINT_MAX, /* bytes in front of what ftrace_dense makes */
    LATE_BYTES = 104,                 /* of a late event that are sorted with it */
    CANCEL_SPAN = 4096,               /* events between checks for signals */
};

typedef struct lane_block {
    uint8_t *bytes; /* NULL: in the spool */
    uint64_t off;   /* there */
    size_t n;
} lane_block;

typedef struct lane {
    ftrace_dense *dense; /* NULL: it has no events */
    int64_t first;       /* time of its first event */
    int64_t ts;          /* of its last event; then of the next one that is handed out */
    uint64_t number;
    uint8_t *block; /* the open one; then room for those of the spool */
    size_t n, cap;  /* FTRACE_DENSE_SLACK bytes more are there, of every block */
    ts_vec blocks;  /* lane_block: those before */
    size_t next;    /* of them, when they are read */
    ftrace_packed in;
} lane;

/* An event that is sorted. */
typedef struct late_event {
    uint64_t ts; /* ts_sorter_key */
    uint64_t number;
    uint64_t size;             /* of its bytes; above LATE_BYTES they are in the spool, at the */
    uint8_t bytes[LATE_BYTES]; /* place that is here then */
} late_event;

/* What is merged: the next event of each source, in a heap with the earliest one first. */
typedef struct heap_item {
    int64_t ts;
    uint64_t number; /* of the event, in the order of their adding: no two are equal */
    uint32_t source;
} heap_item;

static inline bool is_before(const heap_item *a, const heap_item *b)
{
    return a->ts != b->ts ? a->ts < b->ts : a->number < b->number;
}

/* The item at place i goes down to where it belongs. */
static inline void heap_sink(heap_item *items, uint32_t n, uint32_t i)
{
    heap_item moved = items[i];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= n) {
            break;
        }
        child += child + 1 < n && is_before(&items[child + 1], &items[child]);
        if (!is_before(&items[child], &moved)) {
            break;
        }
        items[i] = items[child];
        i = child;
    }
    items[i] = moved;
}

struct ftrace_queue {
    ts_ctx *ctx;
    uint32_t lane_count;
    size_t block;    /* the largest block of a lane */
    size_t left;     /* bytes of memory for blocks that stay there, and for sorting */
    size_t for_late; /* of these, until something is sorted */
    uint64_t added;
    ts_spool *spool; /* blocks and large events; NULL: none */
    lane lanes[LANES_MAX];
    ts_sorter *late;             /* late_event; NULL: none */
    const late_event *next_late; /* that is handed out */
    ftrace_dense alone;          /* of late events */
    ts_buf bytes;                /* of one of them */
    heap_item heap[LANES_MAX + 1];
    uint32_t heap_n;
};

ts_code ftrace_queue_open(ftrace_queue **out, ts_ctx *ctx, size_t memory)
{
    ftrace_queue *q = ts_zalloc(ctx, 1, sizeof *q);
    size_t quarter = memory / 4;
    size_t block = quarter / LANES_MAX;
    *out = q;
    TS_NEED(ctx, q);
    q->ctx = ctx;
    q->block = block < BLOCK_MIN ? BLOCK_MIN : block > BLOCK_MAX ? BLOCK_MAX : block;
    q->lane_count = (uint32_t)(quarter / q->block < LANES_MAX ? quarter / q->block : LANES_MAX);
    q->left = memory - quarter;
    q->for_late = quarter;
    ftrace_dense_begin(&q->alone);
    return TS_OK;
}

static void free_lane(ts_ctx *ctx, lane *l)
{
    lane_block *blocks = l->blocks.p;
    for (size_t i = 0; i < l->blocks.n; i++) {
        ts_free(ctx, blocks[i].bytes);
    }
    ts_vec_free(ctx, &l->blocks);
    ts_free(ctx, l->block);
    ts_free(ctx, l->dense);
}

void ftrace_queue_close(ftrace_queue *q)
{
    if (q == NULL) {
        return;
    }
    for (uint32_t i = 0; i < q->lane_count; i++) {
        free_lane(q->ctx, &q->lanes[i]);
    }
    ts_spool_free(q->spool);
    ts_sorter_close(q->late);
    ts_buf_free(q->ctx, &q->bytes);
    ts_free(q->ctx, q);
}

/* --- adding ---------------------------------------------------------------------------------- */

static ts_code need_spool(ftrace_queue *q)
{
    return q->spool != NULL ? TS_OK : ts_spool_new(&q->spool, q->ctx);
}

/* The open block of the lane is complete: it stays in memory or goes to the spool. */
static ts_code end_block(ftrace_queue *q, lane *l)
{
    lane_block *done = ts_vec_add(q->ctx, &l->blocks, sizeof *done);
    ts_code code = TS_OK;
    TS_NEED(q->ctx, done);
    done->n = l->n;
    if (q->left - q->for_late >= l->cap) {
        q->left -= l->cap;
        done->bytes = l->block;
        l->block = NULL;
        l->cap = 0;
    } else {
        TS_TRY_INTO(code, need_spool(q));
        done->off = ts_spool_size(q->spool);
        code = ts_spool_write(q->spool, l->block, l->n);
    }
    l->n = 0;
    return code;
}

/* Room for n bytes, at most a block, in the open block of the lane. */
static ts_code lane_reserve(ftrace_queue *q, lane *l, size_t n)
{
    size_t cap = l->blocks.n > 0 ? q->block : l->cap == 0 ? FIRST_BLOCK : l->cap;
    uint8_t *block;
    TS_TRY(n > q->block - l->n ? end_block(q, l) : TS_OK);
    cap = l->blocks.n > 0 ? q->block : cap;
    while (cap < l->n + n) {
        cap *= 2;
    }
    cap = cap > q->block ? q->block : cap;
    if (cap <= l->cap) {
        return TS_OK;
    }
    TS_NEED(q->ctx, block = ts_realloc(q->ctx, l->block, cap + FTRACE_DENSE_SLACK, 1));
    l->block = block;
    l->cap = cap;
    return TS_OK;
}

/* The lane's first event comes. */
static ts_code open_lane(ftrace_queue *q, lane *l, const ftrace_event *event)
{
    TS_NEED(q->ctx, l->dense = ts_alloc(q->ctx, 1, sizeof *l->dense));
    ftrace_dense_begin(l->dense);
    l->first = event->ts;
    l->ts = event->ts;
    return TS_OK;
}

/* size: the most that the event takes. */
static ts_code add_to_lane(ftrace_queue *q, lane *l, const ftrace_event *event, size_t size)
{
    uint8_t *p;
    ts_code code;
    if ((size > l->cap - l->n && (code = lane_reserve(q, l, size)) != TS_OK) ||
        (l->dense == NULL && (code = open_lane(q, l, event)) != TS_OK)) {
        return code;
    }
    p = ftrace_put_uint(l->block + l->n, (uint64_t)event->ts - (uint64_t)l->ts);
    p = ftrace_put_uint(p, q->added - l->number);
    p = ftrace_dense_put(l->dense, p, event);
    l->n = (size_t)(p - l->block);
    l->ts = event->ts;
    l->number = q->added;
    return TS_OK;
}

static inline lane *lane_of(ftrace_queue *q, uint32_t cpu)
{
    return q->lane_count == 0    ? NULL
           : cpu < q->lane_count ? &q->lanes[cpu]
                                 : &q->lanes[cpu % q->lane_count];
}

/* Half of the memory, if there is as much left. */
static ts_code open_late(ftrace_queue *q)
{
    static const ts_sorter_order order = {.key_offset = offsetof(late_event, ts), .key_count = 2};
    size_t memory = q->left < 2 * q->for_late ? q->left : 2 * q->for_late;
    q->left -= memory;
    q->for_late = 0;
    return ts_sorter_open(&q->late, q->ctx, sizeof(late_event), &order, memory);
}

static ts_code add_late(ftrace_queue *q, const ftrace_event *event)
{
    late_event late = {.ts = ts_sorter_key(event->ts), .number = q->added};
    uint8_t *bytes;
    size_t size;
    if (!ftrace_dense_max(&size, event) || size > UINT32_MAX) {
        return ts_fail(q->ctx, TS_ERR_LIMIT, "the texts of an event are too large");
    }
    q->bytes.n = 0;
    TS_TRY(ts_buf_reserve(q->ctx, &q->bytes, size + FTRACE_DENSE_SLACK));
    bytes = (uint8_t *)q->bytes.p;
    ftrace_dense_alone(&q->alone);
    size = (size_t)(ftrace_dense_put(&q->alone, bytes, event) - bytes);
    late.size = size;
    if (size <= LATE_BYTES) {
        memcpy(late.bytes, bytes, size);
    } else {
        TS_TRY(need_spool(q));
        const uint64_t at = ts_spool_size(q->spool);
        memcpy(late.bytes, &at, sizeof at);
        TS_TRY(ts_spool_write(q->spool, bytes, size));
    }
    TS_TRY(q->late != NULL ? TS_OK : open_late(q));
    return ts_sorter_add(q->late, &late);
}

/* A loss, which is of no kind, may be at a time of other CPUs: no lane should take that as its
 * own. */
ts_code ftrace_queue_add(ftrace_queue *q, const ftrace_event *event)
{
    lane *l = lane_of(q, event->cpu);
    size_t size;
    q->added++;
    if (l == NULL || event->kind >= FTRACE_KINDS || (l->dense != NULL && event->ts < l->ts) ||
        !ftrace_dense_max(&size, event) || size > q->block - HEAD_MAX) {
        return add_late(q, event);
    }
    return add_to_lane(q, l, event, size + HEAD_MAX);
}

/* --- handing out ----------------------------------------------------------------------------- */

static ts_code incomplete(ftrace_queue *q)
{
    return ts_fail(q->ctx, TS_ERR_INTERNAL, "a spooled event is incomplete");
}

/* The lane's next block becomes its bytes; there are none after the last one. */
static ts_code next_block(ftrace_queue *q, lane *l)
{
    lane_block *block = (lane_block *)l->blocks.p + l->next;
    size_t got = 0;
    ts_code code;
    if (l->next > 0) {
        ts_free(q->ctx, block[-1].bytes);
        block[-1].bytes = NULL;
    }
    l->in = (ftrace_packed){NULL, NULL};
    if (l->next == l->blocks.n) {
        return TS_OK;
    }
    l->next++;
    if (block->bytes != NULL) {
        l->in = (ftrace_packed){block->bytes, block->bytes + block->n};
        return TS_OK;
    }
    if (l->block == NULL &&
        (l->block = ts_alloc(q->ctx, q->block + FTRACE_DENSE_SLACK, 1)) == NULL) {
        return q->ctx->error.code;
    }
    code = ts_spool_read(&got, q->spool, block->off, l->block, block->n);
    l->in = (ftrace_packed){l->block, l->block + got};
    return code != TS_OK || got == block->n ? code : incomplete(q);
}

/* Looks at time and number of the lane's next event. */
static ts_code step_lane(bool *ended, ftrace_queue *q, lane *l)
{
    if (l->in.p == l->in.end) {
        TS_TRY(next_block(q, l));
    }
    *ended = l->in.p == NULL;
    if (!*ended) {
        l->ts = (int64_t)((uint64_t)l->ts + ftrace_get_uint(&l->in));
        l->number += ftrace_get_uint(&l->in);
    }
    return TS_OK;
}

/* The open block is the lane's last one. */
static ts_code begin_lane(bool *ended, ftrace_queue *q, lane *l)
{
    if (l->n > 0) {
        lane_block *last = ts_vec_add(q->ctx, &l->blocks, sizeof *last);
        TS_NEED(q->ctx, last);
        *last = (lane_block){.bytes = l->block, .n = l->n};
        l->block = NULL;
    }
    ftrace_dense_begin(l->dense);
    l->ts = l->first;
    l->number = 0;
    return step_lane(ended, q, l);
}

static ts_code step_late(bool *ended, ftrace_queue *q)
{
    const void *record = NULL;
    ts_code code = ts_sorter_next(&record, q->late);
    q->next_late = record;
    *ended = record == NULL;
    return code;
}

static heap_item late_item(const ftrace_queue *q)
{
    return (heap_item){(int64_t)(q->next_late->ts ^ UINT64_C(1) << 63), q->next_late->number,
                       q->lane_count};
}

static ts_code begin_merge(ftrace_queue *q)
{
    for (uint32_t i = 0; i < q->lane_count; i++) {
        lane *l = &q->lanes[i];
        bool ended = true;
        TS_TRY(l->dense != NULL ? begin_lane(&ended, q, l) : TS_OK);
        if (!ended) {
            q->heap[q->heap_n++] = (heap_item){l->ts, l->number, i};
        }
    }
    if (q->late != NULL) {
        bool ended;
        TS_TRY(ts_sorter_finish(q->late));
        TS_TRY(step_late(&ended, q));
        q->heap[q->heap_n++] = late_item(q);
    }
    for (uint32_t i = q->heap_n / 2; i-- > 0;) {
        heap_sink(q->heap, q->heap_n, i);
    }
    return TS_OK;
}

static ts_code take_of_lane(bool *ended, heap_item *next, ftrace_queue *q, ftrace_queue_take *take,
                            void *user)
{
    lane *l = &q->lanes[next->source];
    ftrace_event event;
    ts_code code;
    ftrace_dense_get(&event, l->dense, &l->in);
    event.ts = l->ts;
    if (l->in.p == NULL) {
        return incomplete(q);
    }
    if ((code = take(user, &event)) == TS_OK && (code = step_lane(ended, q, l)) == TS_OK) {
        next->ts = l->ts;
        next->number = l->number;
    }
    return code;
}

/* The bytes of the next late event, after which there is room. */
static ts_code late_bytes(ftrace_packed *in, ftrace_queue *q)
{
    const late_event *late = q->next_late;
    const bool large = late->size > LATE_BYTES;
    size_t got = (size_t)late->size;
    uint64_t place;
    if (large && (q->spool == NULL || late->size > ts_spool_size(q->spool))) {
        return incomplete(q);
    }
    TS_TRY(ts_buf_reserve(q->ctx, &q->bytes, got + FTRACE_DENSE_SLACK));
    if (large) {
        memcpy(&place, late->bytes, sizeof place);
        TS_TRY(ts_spool_read(&got, q->spool, place, q->bytes.p, got));
    } else {
        memcpy(q->bytes.p, late->bytes, got);
    }
    in->p = (const uint8_t *)q->bytes.p;
    in->end = in->p + got;
    return TS_OK;
}

static ts_code take_late(bool *ended, heap_item *next, ftrace_queue *q, ftrace_queue_take *take,
                         void *user)
{
    ftrace_packed in;
    ftrace_event event;
    q->bytes.n = 0;
    TS_TRY(late_bytes(&in, q));
    ftrace_dense_alone(&q->alone);
    ftrace_dense_get(&event, &q->alone, &in);
    event.ts = next->ts;
    if (in.p == NULL || in.p != in.end) {
        return incomplete(q);
    }
    TS_TRY(take(user, &event));
    TS_TRY(step_late(ended, q));
    if (!*ended) {
        *next = late_item(q);
    }
    return TS_OK;
}

ts_code ftrace_queue_drain(ftrace_queue *q, ftrace_queue_take *take, void *user)
{
    ts_code code = begin_merge(q);
    for (uint64_t i = 0; code == TS_OK && q->heap_n > 0; i++) {
        heap_item *first = q->heap;
        bool ended = false;
        code = i % CANCEL_SPAN != 0 ? TS_OK : ts_check_cancel(q->ctx);
        TS_STEP(code, first->source < q->lane_count ? take_of_lane(&ended, first, q, take, user)
                                                    : take_late(&ended, first, q, take, user));
        if (ended) {
            *first = q->heap[--q->heap_n];
        }
        heap_sink(q->heap, q->heap_n, 0);
    }
    return code;
}
