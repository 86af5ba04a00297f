/*
 * Records are words of 64 bits. In memory they are sorted by merging neighbouring pieces, the left
 * one of which is moved aside; pieces that are in order already are left alone, so that sorted
 * input costs one comparison a record. All runs but the last have the same length, so that no list
 * of them is needed.
 */
#include "base/sorter.h"

#include "base/alloc.h"
#include "base/spool.h"

#include <string.h>

enum {
    PIECE = 16,             /* at most so many records are sorted by insertion */
    FIRST_ROOM = 64 * 1024, /* bytes of the first block of records */
    BUFFER_MIN = 32 * 1024, /* bytes of a run that are read at once, when the memory allows */
    CANCEL_SPAN = 4096,     /* records of a merge between checks for signals */
};
#define MAX_ROOM                                                                                   \
    (UINT64_C(1) << 31)   /* records in memory: their number squared / 8 fits 64 bits              \
                           */
#define NO_RUN UINT32_MAX /* comes before all runs, while the tree is being built */

/* A run that is being merged. */
typedef struct run {
    uint64_t off, end; /* of what has not been read yet, in the spool */
    uint64_t *at;      /* next record */
    uint64_t *have;    /* end of the records in the buffer; at == have: no more */
    uint64_t *buffer;
} run;

struct ts_sorter {
    ts_ctx *ctx;
    ts_sorter_order order;
    size_t size;  /* bytes of a record */
    size_t words; /* of it */
    size_t key;   /* word of the first key */
    size_t memory;

    uint64_t *records;
    uint64_t *aside;   /* room for the left one of two pieces */
    size_t n;          /* records in memory */
    size_t cap;        /* records that there is room for */
    size_t cap_max;    /* the room may grow to this */
    size_t aside_room; /* records */
    size_t next;       /* without runs: of the records */

    ts_spool *spool;  /* sorted runs; NULL: all is in memory */
    uint64_t run_len; /* bytes of each but the last */

    run *runs; /* of the current merge */
    uint32_t run_count;
    uint32_t *tree; /* tree[0] is the winner, then the losers */
    uint64_t *buffers;
    bool started; /* the winner was handed out */
};

static inline int sorter_compare(const ts_sorter *s, const uint64_t *a, const uint64_t *b)
{
    if (s->order.compare != NULL) {
        return s->order.compare(s->order.user, a, b);
    }
    a += s->key;
    b += s->key;
    for (size_t i = 0; i < s->order.key_count; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

ts_code ts_sorter_open(ts_sorter **out, ts_ctx *ctx, size_t record_size,
                       const ts_sorter_order *order, size_t memory)
{
    ts_sorter *s;
    size_t words = record_size / 8;
    size_t key = order->key_offset / 8;
    *out = NULL;
    if (words == 0 || record_size % 8 != 0 || record_size > UINT32_MAX ||
        (order->compare == NULL && (order->key_offset % 8 != 0 || key > words ||
                                    order->key_count == 0 || order->key_count > words - key))) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "cannot sort records of %zu bytes by this order",
                       record_size);
    }
    TS_NEED(ctx, s = ts_zalloc(ctx, 1, sizeof *s));
    s->ctx = ctx;
    s->order = *order;
    s->size = record_size;
    s->words = words;
    s->key = key;
    s->memory = memory / record_size < 4 ? 4 * record_size : memory;
    /* A third is for what is moved aside. */
    s->cap_max = (s->memory / record_size - 1) * 2 / 3;
    s->cap_max = s->cap_max > MAX_ROOM ? MAX_ROOM : s->cap_max;
    *out = s;
    return TS_OK;
}

/* --- in memory ------------------------------------------------------------------------------ */

/* `words` is a constant where this is inlined, so that records are copied without a loop. */
static inline __attribute__((always_inline)) void put(uint64_t *to, const uint64_t *from,
                                                      size_t words)
{
    for (size_t i = 0; i < words; i++) {
        to[i] = from[i];
    }
}

static inline __attribute__((always_inline)) void insert_all(ts_sorter *s, size_t begin, size_t end,
                                                             size_t words)
{
    uint64_t *r = s->records;
    for (size_t i = begin + 1; i < end; i++) {
        size_t k = i;
        if (sorter_compare(s, r + (i - 1) * words, r + i * words) <= 0) {
            continue;
        }
        put(s->aside, r + i * words, words);
        do {
            put(r + k * words, r + (k - 1) * words, words);
            k--;
        } while (k > begin && sorter_compare(s, r + (k - 1) * words, s->aside) > 0);
        put(r + k * words, s->aside, words);
    }
}

/* Pieces [begin, middle) and [middle, end). */
static inline __attribute__((always_inline)) void merge(ts_sorter *s, size_t begin, size_t middle,
                                                        size_t end, size_t words)
{
    uint64_t *out = s->records + begin * words;
    const uint64_t *right = s->records + middle * words;
    const uint64_t *right_end = s->records + end * words;
    const uint64_t *left = s->aside;
    const uint64_t *left_end = s->aside + (middle - begin) * words;
    if (sorter_compare(s, right - words, right) <= 0) {
        return;
    }
    memcpy(s->aside, out, (middle - begin) * words * 8);
    while (left < left_end && right < right_end) {
        bool second = sorter_compare(s, right, left) < 0;
        put(out, second ? right : left, words);
        right += second ? words : 0;
        left += second ? 0 : words;
        out += words;
    }
    /* What is left of the right piece is in its place. */
    memcpy(out, left, (size_t)(left_end - left) * 8);
}

/* 2^j pieces of nearly the same length, so that the left one of two is never more than half of all
 * records, rounded up. */
static inline __attribute__((always_inline)) ts_code sort_words(ts_sorter *s, size_t words)
{
    unsigned j = 0;
    while (s->n >> j > PIECE - 1) {
        j++;
    }
    for (size_t i = 0; i < (size_t)1 << j; i++) {
        TS_TRY(i % CANCEL_SPAN != 0 ? TS_OK : ts_check_cancel(s->ctx));
        insert_all(s, s->n * i >> j, s->n * (i + 1) >> j, words);
    }
    for (size_t step = 1; step < (size_t)1 << j; step *= 2) {
        for (size_t i = 0; i < (size_t)1 << j; i += 2 * step) {
            size_t begin = s->n * i >> j;
            size_t end = s->n * (i + 2 * step) >> j;
            TS_TRY(end - begin < CANCEL_SPAN ? TS_OK : ts_check_cancel(s->ctx));
            merge(s, begin, s->n * (i + step) >> j, end, words);
        }
    }
    return TS_OK;
}

static ts_code sort_memory(ts_sorter *s)
{
    size_t room = s->n / 2 + 1;
    if (s->aside_room < room) {
        uint64_t *aside = ts_realloc(s->ctx, s->aside, room, s->size);
        TS_NEED(s->ctx, aside);
        s->aside = aside;
        s->aside_room = room;
    }
    switch (s->words) {
    case 1:
        return sort_words(s, 1);
    case 2:
        return sort_words(s, 2);
    case 3:
        return sort_words(s, 3);
    case 4:
        return sort_words(s, 4);
    case 6:
        return sort_words(s, 6);
    case 8:
        return sort_words(s, 8);
    default:
        return sort_words(s, s->words);
    }
}

static ts_code sorter_grow(ts_sorter *s)
{
    size_t cap = s->cap == 0 ? FIRST_ROOM / s->size + 1 : s->cap * 2;
    uint64_t *records;
    cap = cap > s->cap_max ? s->cap_max : cap;
    TS_NEED(s->ctx, records = ts_realloc(s->ctx, s->records, cap, s->size));
    s->records = records;
    s->cap = cap;
    return TS_OK;
}

/* The records in memory become a run. */
static ts_code spill(ts_sorter *s)
{
    ts_code code = sort_memory(s);
    if (code == TS_OK && s->spool == NULL) {
        s->run_len = (uint64_t)s->n * s->size;
        code = ts_spool_new(&s->spool, s->ctx);
    }
    TS_STEP(code, ts_spool_write(s->spool, s->records, s->n * s->size));
    s->n = 0;
    return code;
}

ts_code ts_sorter_add(ts_sorter *s, const void *record)
{
    if (s->n == s->cap) {
        TS_TRY(s->cap == s->cap_max ? spill(s) : sorter_grow(s));
    }
    memcpy(s->records + s->n * s->words, record, s->size);
    s->n++;
    return TS_OK;
}

/* --- merging runs --------------------------------------------------------------------------- */

static void end_merge(ts_sorter *s)
{
    ts_free(s->ctx, s->runs);
    ts_free(s->ctx, s->tree);
    ts_free(s->ctx, s->buffers);
    s->runs = NULL;
    s->tree = NULL;
    s->buffers = NULL;
    s->run_count = 0;
    s->started = false;
}

/* Records that a run's buffer holds when `count` runs are merged. */
static size_t buffer_room(const ts_sorter *s, uint64_t count)
{
    uint64_t rest = count * (sizeof(run) + sizeof(uint32_t));
    /* (A merge has runs, which an analyser of the code does not see.) */
    uint64_t room = rest < s->memory && count > 0 ? (s->memory - rest) / count / s->size : 0;
    uint64_t all = s->run_len / s->size;
    room = room > all ? all : room;
    return room == 0 ? 1 : (size_t)room;
}

/* How many runs are merged at once. */
static uint32_t fan_in(const ts_sorter *s)
{
    size_t each = s->size > BUFFER_MIN ? s->size : BUFFER_MIN;
    size_t n = s->memory / (each + sizeof(run) + sizeof(uint32_t));
    /* Four records fit in any memory. Two are better than no merge, four take fewer passes. */
    return n < 4 ? 4 : n > 4096 ? 4096 : (uint32_t)n;
}

static ts_code sorter_refill(ts_sorter *s, run *r, size_t room)
{
    uint64_t left = r->end - r->off;
    size_t n = left < (uint64_t)room * s->size ? (size_t)left : room * s->size;
    size_t got;
    TS_TRY(ts_spool_read(&got, s->spool, r->off, r->buffer, n));
    r->off += got;
    r->at = r->buffer;
    r->have = r->buffer + got / 8;
    return TS_OK;
}

/* The run a has the record that comes before that of b. */
static bool before(const ts_sorter *s, uint32_t a, uint32_t b)
{
    int order;
    if (a == NO_RUN || b == NO_RUN) {
        return a == NO_RUN;
    }
    if (s->runs[a].at == s->runs[a].have || s->runs[b].at == s->runs[b].have) {
        return s->runs[a].at != s->runs[a].have;
    }
    order = sorter_compare(s, s->runs[a].at, s->runs[b].at);
    return order < 0 || (order == 0 && a < b);
}

/* The record of a run changed: who wins now? */
static void sorter_replay(ts_sorter *s, uint32_t leaf)
{
    uint32_t winner = leaf;
    for (uint32_t node = (leaf + s->run_count) / 2; node > 0; node /= 2) {
        if (before(s, s->tree[node], winner)) {
            uint32_t loser = winner;
            winner = s->tree[node];
            s->tree[node] = loser;
        }
    }
    s->tree[0] = winner;
}

/* `count` runs from byte `off` of the spool on. */
static ts_code begin_merge(ts_sorter *s, uint64_t off, uint32_t count)
{
    uint64_t size = ts_spool_size(s->spool);
    size_t room = buffer_room(s, count);
    ts_code code = TS_OK;
    if ((s->runs = ts_zalloc(s->ctx, count, sizeof *s->runs)) == NULL ||
        (s->tree = ts_alloc(s->ctx, count, sizeof *s->tree)) == NULL ||
        (s->buffers = ts_alloc(s->ctx, count, room * s->size)) == NULL) {
        return s->ctx->error.code;
    }
    s->run_count = count;
    for (uint32_t i = 0; i < count && code == TS_OK; i++) {
        run *r = &s->runs[i];
        r->off = off + i * s->run_len;
        r->end = size - r->off < s->run_len ? size : r->off + s->run_len;
        r->buffer = s->buffers + i * room * s->words;
        s->tree[i] = NO_RUN;
        code = sorter_refill(s, r, room);
    }
    for (uint32_t i = count; i-- > 0 && code == TS_OK;) {
        sorter_replay(s, i);
    }
    return code;
}

/* The next record of the merge, NULL at its end. */
static ts_code next_merged(const uint64_t **record, ts_sorter *s)
{
    run *r = &s->runs[s->tree[0]];
    ts_code code;
    *record = NULL;
    if (s->started && r->at != r->have) {
        r->at += s->words;
        if (r->at == r->have && r->off < r->end &&
            (code = sorter_refill(s, r, buffer_room(s, s->run_count))) != TS_OK) {
            return code;
        }
        sorter_replay(s, s->tree[0]);
        r = &s->runs[s->tree[0]];
    }
    s->started = true;
    *record = r->at == r->have ? NULL : r->at;
    return TS_OK;
}

/* Merges the runs from `off` on into one run of `out`. */
static ts_code merge_into(ts_spool *out, ts_sorter *s, uint64_t off, uint32_t count)
{
    const uint64_t *record;
    ts_code code = begin_merge(s, off, count);
    while (code == TS_OK && (code = next_merged(&record, s)) == TS_OK && record != NULL) {
        code = ts_spool_write(out, record, s->size);
    }
    end_merge(s);
    return code;
}

static uint64_t runs_in(const ts_sorter *s)
{
    uint64_t size = ts_spool_size(s->spool);
    return size / s->run_len + (size % s->run_len != 0);
}

/* Every `width` runs become one. */
static ts_code merge_pass(ts_sorter *s, uint32_t width)
{
    uint64_t count = runs_in(s);
    ts_spool *out;
    ts_code code = ts_spool_new(&out, s->ctx);
    for (uint64_t i = 0; i < count && code == TS_OK; i += width) {
        uint64_t n = count - i < width ? count - i : width;
        code = merge_into(out, s, i * s->run_len, (uint32_t)n);
    }
    if (code != TS_OK) {
        ts_spool_free(out);
        return code;
    }
    ts_spool_free(s->spool);
    s->spool = out;
    s->run_len *= width;
    return TS_OK;
}

ts_code ts_sorter_finish(ts_sorter *s)
{
    uint32_t width = fan_in(s);
    ts_code code;
    if (s->spool == NULL) {
        return sort_memory(s);
    }
    code = s->n == 0 ? TS_OK : spill(s);
    ts_free(s->ctx, s->records);
    ts_free(s->ctx, s->aside);
    s->records = NULL;
    s->aside = NULL;
    while (code == TS_OK && runs_in(s) > width) {
        code = merge_pass(s, width);
    }
    TS_STEP(code, begin_merge(s, 0, (uint32_t)runs_in(s)));
    return code;
}

ts_code ts_sorter_next(const void **record, ts_sorter *s)
{
    const uint64_t *merged;
    ts_code code;
    if (s->spool == NULL) {
        *record = s->next == s->n ? NULL : s->records + s->next * s->words;
        s->next += s->next < s->n;
        return TS_OK;
    }
    code = next_merged(&merged, s);
    *record = merged;
    return code;
}

ts_code ts_sorter_put(ts_sorter **s, ts_ctx *ctx, const void *record, size_t record_size,
                      const ts_sorter_order *order, size_t memory)
{
    ts_code code = *s != NULL ? TS_OK : ts_sorter_open(s, ctx, record_size, order, memory);
    return code != TS_OK ? code : ts_sorter_add(*s, record);
}

ts_code ts_sorter_drain(ts_sorter *s, ts_sorter_take *take, void *user)
{
    const void *record;
    ts_code code = s == NULL ? TS_OK : ts_sorter_finish(s);
    while (code == TS_OK && s != NULL && (code = ts_sorter_next(&record, s)) == TS_OK &&
           record != NULL) {
        code = take(user, record);
    }
    return code;
}

void ts_sorter_close(ts_sorter *s)
{
    if (s == NULL) {
        return;
    }
    end_merge(s);
    ts_spool_free(s->spool);
    ts_free(s->ctx, s->records);
    ts_free(s->ctx, s->aside);
    ts_free(s->ctx, s);
}
