#include "model/path_sums.h"

#include "base/alloc.h"
#include "base/ckd.h"

enum { SUMS_REPORT = 1 << 16, SUMS_LISTED = 8, SUMS_EVENTS = 1000 };

/* --- sums ------------------------------------------------------------------------------------- */

typedef struct sum_key {
    uint32_t lane, node;
} sum_key;

static bool sum_is(const void *owner, uint32_t number, const void *key)
{
    const ts_path_sum *sum = (const ts_path_sum *)((const ts_path_sums *)owner)->sums.p + number;
    const sum_key *k = key;
    return sum->node == k->node && sum->lane == k->lane;
}

/* next: of the list of its call path, 0 for one that is in the index. */
static ts_path_sum *sums_new(ts_path_sums *s, uint32_t lane, uint32_t node, uint32_t next)
{
    if (s->sums.n >= TS_NO_INDEX - 1) {
        (void)ts_fail(s->ctx, TS_ERR_LIMIT, "too many call paths of threads");
        return NULL;
    }
    uint32_t *link = ts_vec_add(s->ctx, &s->next, sizeof *link);
    ts_path_sum *sum = link == NULL ? NULL : ts_vec_add(s->ctx, &s->sums, sizeof *sum);
    if (sum != NULL) {
        *link = next;
        sum->lane = lane;
        sum->node = node;
    }
    return sum;
}

static ts_path_sum *sums_hashed(ts_path_sums *s, uint32_t lane, uint32_t node)
{
    const sum_key key = {lane, node};
    ts_index_place place;
    if (ts_index_reserve(s->ctx, &s->index) != TS_OK) {
        return NULL;
    }
    uint32_t found = ts_index_search(
        &place, &s->index, ts_hash_number(&s->index.key, (int64_t)((uint64_t)lane << 32 | node)),
        sum_is, s, &key);
    if (found != TS_INDEX_NONE) {
        return (ts_path_sum *)s->sums.p + found;
    }
    ts_path_sum *sum = sums_new(s, lane, node, 0);
    if (sum != NULL) {
        ts_index_add(&s->index, place, (uint32_t)s->sums.n - 1);
    }
    return sum;
}

/* By the list of the call path, or, when it has as many as a list may have, by the index. Looking
 * at a few neighbours costs less than hashing, and most call paths are of few threads. */
static ts_path_sum *sums_at(ts_path_sums *s, uint32_t lane, uint32_t node)
{
    ts_path_sum *sums = s->sums.p;
    const uint32_t *next = s->next.p;
    unsigned n = 0;
    if (node == TS_NO_INDEX) {
        return sums_hashed(s, lane, node);
    }
    for (uint32_t at = s->head[node]; at != 0; at = next[at - 1], n++) {
        if (sums[at - 1].lane == lane) {
            return &sums[at - 1];
        }
    }
    if (n == SUMS_LISTED) {
        return sums_hashed(s, lane, node);
    }
    ts_path_sum *sum = sums_new(s, lane, node, s->head[node]);
    if (sum != NULL) {
        s->head[node] = (uint32_t)s->sums.n;
    }
    return sum;
}

ts_code ts_path_sums_begin(ts_path_sums *s, ts_ctx *ctx, const ts_paths *paths)
{
    *s = (ts_path_sums){.ctx = ctx, .paths = paths};
    s->head = ts_zalloc(ctx, paths->nodes.count, sizeof *s->head);
    return s->head == NULL ? ctx->error.code : TS_OK;
}

void ts_path_sums_end(ts_path_sums *s)
{
    ts_vec_free(s->ctx, &s->next);
    ts_pool_free(s->ctx, &s->keys);
    ts_free(s->ctx, s->head);
    ts_index_free(s->ctx, &s->index);
    s->head = NULL;
}

void ts_path_sums_free(ts_ctx *ctx, void *what)
{
    ts_path_sums *s = what;
    if (s->ctx != NULL) {
        ts_path_sums_end(s);
        ts_vec_free(ctx, &s->lanes);
        ts_pool_free(ctx, &s->events);
        ts_vec_free(ctx, &s->sums);
    }
    ts_free(ctx, s);
}

/* --- lanes ------------------------------------------------------------------------------------ */

static bool lane_is(const ts_sum_lane *a, const ts_sum_lane *b)
{
    return a->source == b->source && a->itid == b->itid && a->event == b->event &&
           a->state == b->state && a->has_itid == b->has_itid && a->timed == b->timed &&
           a->async == b->async;
}

/* The number of the lane with this event, made when it is new. */
static ts_code lane_find(ts_path_sums *s, const ts_sum_lane *lane, ts_text event)
{
    ts_sum_lane wanted = *lane;
    bool added = false;
    ts_code code = TS_OK;
    wanted.event = TS_NO_INDEX;
    if (event.p != NULL) {
        ts_text last =
            s->event < s->events.count ? ts_pool_text(&s->events, s->event) : TS_TEXT_NULL;
        if (last.p == NULL || !ts_text_equal(last, event)) {
            code = ts_pool_intern(s->ctx, &s->event, NULL, &s->events, event);
        }
        wanted.event = s->event;
    }
    if (code != TS_OK ||
        (s->lane < s->lanes.n && lane_is((const ts_sum_lane *)s->lanes.p + s->lane, &wanted))) {
        return code;
    }
    const uint64_t key[] = {(uint64_t)wanted.source, (uint64_t)wanted.itid,
                            (uint64_t)wanted.event << 32 | (uint64_t)wanted.state << 8 |
                                (uint64_t)wanted.has_itid << 2 | (uint64_t)wanted.timed << 1 |
                                (uint64_t)wanted.async};
    code = ts_pool_intern(s->ctx, &s->lane, &added, &s->keys,
                          (ts_text){(const char *)key, sizeof key});
    ts_sum_lane *made = code == TS_OK && added ? ts_vec_add(s->ctx, &s->lanes, sizeof *made) : NULL;
    if (made != NULL) {
        *made = wanted;
    }
    TS_STEP_IF(code, added && made == NULL, s->ctx->error.code);
    return code;
}

ts_code ts_path_sums_add(ts_path_sums *s, const ts_sum_lane *lane, ts_text event, uint32_t node,
                         ts_cell value)
{
    ts_code code = lane_find(s, lane, event);
    ts_path_sum *sum = code == TS_OK ? sums_at(s, s->lane, node) : NULL;
    TS_NEED(s->ctx, sum);
    uint32_t *count = value.null ? &sum->other : &sum->count;
    sum->sum += value.null ? 0 : value.value;
    return ts_ckd_add(count, *count, 1) ? ts_fail(s->ctx, TS_ERR_LIMIT, "too many rows") : TS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

enum { COL_SOURCE, COL_ITID, COL_TS, COL_DUR, COL_NODE, COL_EVENT, COL_SELF = COL_EVENT };

struct ts_sums_pass {
    ts_path_sums *s;
    ts_events *events;
    bool calls;
};

static ts_code sums_row(ts_sums_pass *p, const ts_batch *b, unsigned i)
{
    ts_path_sums *s = p->s;
    ts_cell itid = ts_cell_of(b, COL_ITID, i);
    ts_cell ts = ts_cell_of(b, COL_TS, i);
    ts_cell dur = ts_cell_of(b, COL_DUR, i);
    ts_cell node = ts_cell_of(b, COL_NODE, i);
    uint32_t at = TS_NO_INDEX;
    const ts_sum_lane lane = {
        .source = b->columns[COL_SOURCE].ints[i],
        .itid = itid.value,
        .has_itid = !itid.null,
        .timed = !ts.null,
        .state = p->calls ? 0 : ts_events_state(p->events, b->rowids[i]),
        .async = p->calls && ts_vec_bool(&p->events->async, b->rowids[i]),
    };
    if (!node.null && (at = ts_ids_find(&s->paths->nodes, node.value)) == TS_NO_INDEX) {
        return ts_fail(s->ctx, TS_ERR_INPUT, "row %lld of %s: no call path %lld",
                       (long long)b->rowids[i], p->calls ? "stack_slice" : "stack_sample",
                       (long long)node.value);
    }
    dur.null = dur.null || dur.value < 0;
    ts_cell value = p->calls ? (ts_cell){b->columns[COL_SELF].ints[i], false} : dur;
    ts_code code = ts_path_sums_add(
        s, &lane, p->calls ? TS_TEXT_NULL : ts_cell_text(b, COL_EVENT, i), at, value);
    TS_STEP_IF(
        code, s->events.count > SUMS_EVENTS,
        ts_fail(s->ctx, TS_ERR_LIMIT, "stack_sample: more than %d different events", SUMS_EVENTS));
    return code;
}

/* Call paths of samples follow each other at random: what the rows of a batch add to is brought
 * into the processor's cache before it is needed, as waiting for it would cost more than the rest
 * of the pass. */
static void sums_fetch(const ts_path_sums *s, const ts_batch *b)
{
    const ts_path_sum *all = s->sums.p;
    const ts_batch_column *nodes = &b->columns[COL_NODE];
    for (unsigned step = 0; step < 2; step++) {
        for (unsigned i = 0; i < b->rows; i++) {
            uint32_t node =
                nodes->null[i] ? TS_NO_INDEX : ts_ids_find(&s->paths->nodes, nodes->ints[i]);
            if (node != TS_NO_INDEX && step == 0) {
                __builtin_prefetch(&s->head[node]);
                __builtin_prefetch(&s->paths->method[node]); /* for who reads the rows */
            } else if (node != TS_NO_INDEX && s->head[node] != 0) {
                __builtin_prefetch(&all[s->head[node] - 1]);
            }
        }
    }
}

ts_code ts_path_sums_batch(ts_sums_pass *p, const ts_batch *b)
{
    ts_code code = TS_OK;
    sums_fetch(p->s, b);
    for (unsigned i = 0; code == TS_OK && i < b->rows; i++) {
        code = sums_row(p, b, i);
    }
    return code;
}

static ts_code sums_scan(ts_sums_pass *p, ts_model *m)
{
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__ts,        TS_C_stack_sample__dur,
                                       TS_C_stack_sample__node_id,   TS_C_stack_sample__event};
    static const unsigned calls[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__itid,
                                     TS_C_stack_slice__ts,        TS_C_stack_slice__dur,
                                     TS_C_stack_slice__node_id,   TS_C_stack_slice__self_dur};
    const ts_rows_from *from = ts_model_rows(m);
    const char *what = p->calls ? "reading calls" : "reading samples";
    uint64_t total = ts_rows_count(from, p->calls ? "stack_slice" : "stack_sample");
    uint64_t done = 0;
    const ts_batch *b;
    ts_rows *rows = NULL;
    ts_code code = ts_rows_open(&rows, from, p->calls ? TS_T_stack_slice : TS_T_stack_sample,
                                p->calls ? calls : samples, 6);
    ts_model_report(m, what, 0, total);
    while (code == TS_OK && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        code = ts_path_sums_batch(p, b);
        if (done / SUMS_REPORT != (done + b->rows) / SUMS_REPORT) {
            ts_model_report(m, what, done, total);
        }
        done += b->rows;
    }
    ts_rows_close(rows);
    return code;
}

/* --- what is kept ----------------------------------------------------------------------------- */

static const char sums_kind[] = "sums";

static const char *sums_key(bool calls)
{
    return calls ? "calls" : "samples";
}

ts_code ts_path_sums_pass(ts_sums_pass **out, ts_model *m, bool calls)
{
    const ts_paths *paths;
    ts_ctx *ctx = ts_model_ctx(m);
    *out = NULL;
    if (ts_model_has(m, sums_kind, sums_key(calls))) {
        return TS_OK;
    }
    ts_sums_pass *p = *out = ts_zalloc(ctx, 1, sizeof *p);
    if (p == NULL || (p->s = ts_zalloc(ctx, 1, sizeof *p->s)) == NULL) {
        return ctx->error.code;
    }
    p->calls = calls;
    ts_code code = ts_call_paths(&paths, m);
    TS_STEP(code, ts_events_get(&p->events, m));
    return code != TS_OK ? code : ts_path_sums_begin(p->s, ctx, paths);
}

/* What a pass has made. */
static ts_code sums_take(void **what, ts_model *m, const void *user)
{
    const ts_sums_pass *p = user;
    (void)m;
    *what = p->s;
    return TS_OK;
}

ts_code ts_path_sums_kept(ts_sums_pass *p, ts_model *m, ts_code code)
{
    ts_ctx *ctx = ts_model_ctx(m);
    void *what;
    if (p != NULL && code == TS_OK) {
        ts_path_sums_end(p->s);
        code =
            ts_model_keep(&what, m, sums_kind, sums_key(p->calls), sums_take, ts_path_sums_free, p);
    } else if (p != NULL && p->s != NULL) {
        ts_path_sums_free(ctx, p->s);
    }
    ts_free(ctx, p);
    return code;
}

ts_code ts_path_sums_get(const ts_path_sums **out, ts_model *m, bool calls)
{
    ts_sums_pass *p;
    void *what = NULL;
    ts_code code = ts_path_sums_pass(&p, m, calls);
    TS_STEP_IF(code, p != NULL, sums_scan(p, m));
    code = ts_path_sums_kept(p, m, code);
    TS_STEP(code, ts_model_keep(&what, m, sums_kind, sums_key(calls), NULL, NULL, NULL));
    *out = what;
    return code;
}
