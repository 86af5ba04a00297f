/* Sums of stack_sample and stack_slice that one pass over all rows gives. */
#include "serve/views_private.h"

enum { ROLLUP_REPORT = 1 << 16 };

/* --- pairs ------------------------------------------------------------------------------------ */

static uint64_t pair_hash(ts_ctx *ctx, uint32_t lane, uint32_t node)
{
    return ts_hash_number(&ctx->hash_key, (int64_t)((uint64_t)lane << 32 | node));
}

static ts_code pairs_grow(ts_ctx *ctx, ts_pairs *p)
{
    uint32_t count = p->slot_count == 0 ? 256 : p->slot_count * 2;
    if (p->slot_count > UINT32_MAX / 4) {
        return ts_fail(ctx, TS_ERR_LIMIT, "too many call paths of threads");
    }
    uint32_t *slots = ts_zalloc(ctx, count, sizeof *slots);
    if (slots == NULL) {
        return ctx->error.code;
    }
    const ts_pair *pairs = p->pairs.p;
    const uint32_t *next = p->next.p;
    for (uint32_t i = 0; i < p->pairs.n; i++) {
        if (p->head != NULL && next[i] != TS_NO_INDEX) {
            continue;
        }
        uint64_t at = pair_hash(ctx, pairs[i].lane, pairs[i].node) & (count - 1);
        while (slots[at] != 0) {
            at = (at + 1) & (count - 1);
        }
        slots[at] = i + 1;
    }
    ts_free(ctx, p->slots);
    p->slots = slots;
    p->slot_count = count;
    return TS_OK;
}

/* The pair in the table, or NULL and the free slot. */
static ts_pair *pairs_search(uint64_t *slot, ts_ctx *ctx, const ts_pairs *p, uint32_t lane,
                             uint32_t node)
{
    ts_pair *pairs = p->pairs.p;
    uint64_t at = pair_hash(ctx, lane, node) & (p->slot_count - 1);
    for (; p->slots[at] != 0; at = (at + 1) & (p->slot_count - 1)) {
        ts_pair *pair = &pairs[p->slots[at] - 1];
        if (pair->node == node && pair->lane == lane) {
            return pair;
        }
    }
    *slot = at;
    return NULL;
}

/* next: of the list of its call path, TS_NO_INDEX for one that is in the table. */
static ts_pair *pairs_add(ts_ctx *ctx, ts_pairs *p, uint32_t lane, uint32_t node, uint32_t next)
{
    if (p->pairs.n >= TS_NO_INDEX - 1) {
        (void)ts_fail(ctx, TS_ERR_LIMIT, "too many call paths of threads");
        return NULL;
    }
    if (p->head != NULL && ts_vec_reserve(ctx, &p->next, 1, sizeof next) != TS_OK) {
        return NULL;
    }
    ts_pair *pair = ts_vec_add(ctx, &p->pairs, sizeof *pair);
    if (pair != NULL) {
        pair->lane = lane;
        pair->node = node;
    }
    if (pair != NULL && p->head != NULL) {
        ((uint32_t *)p->next.p)[p->next.n++] = next;
    }
    return pair;
}

static ts_pair *pairs_hashed(ts_ctx *ctx, ts_pairs *p, uint32_t lane, uint32_t node)
{
    uint64_t slot;
    if (p->hashed >= p->slot_count - p->slot_count / 4 && pairs_grow(ctx, p) != TS_OK) {
        return NULL;
    }
    ts_pair *pair = pairs_search(&slot, ctx, p, lane, node);
    if (pair == NULL && (pair = pairs_add(ctx, p, lane, node, TS_NO_INDEX)) != NULL) {
        p->hashed++;
        p->slots[slot] = (uint32_t)p->pairs.n;
    }
    return pair;
}

/* By the list of the call path; *full: it has as many as a list may have, and this one is not among
 * them. Looking at a few neighbours costs less than hashing, and most call paths are of few
 * threads. */
static ts_pair *pairs_listed(bool *full, ts_ctx *ctx, ts_pairs *p, uint32_t lane, uint32_t node)
{
    ts_pair *pairs = p->pairs.p;
    const uint32_t *next = p->next.p;
    unsigned n = 0;
    for (uint32_t at = p->head[node]; at != 0; at = next[at - 1], n++) {
        if (pairs[at - 1].lane == lane) {
            return &pairs[at - 1];
        }
    }
    *full = n == TS_PAIRS_LISTED;
    ts_pair *pair = *full ? NULL : pairs_add(ctx, p, lane, node, p->head[node]);
    if (pair != NULL) {
        p->head[node] = (uint32_t)p->pairs.n;
    }
    return pair;
}

ts_code ts_pairs_begin(ts_ctx *ctx, ts_pairs *p, const ts_paths *paths)
{
    p->head = ts_zalloc(ctx, paths->nodes.count, sizeof *p->head);
    return p->head == NULL ? ctx->error.code : TS_OK;
}

void ts_pairs_end(ts_ctx *ctx, ts_pairs *p)
{
    ts_vec_free(ctx, &p->next);
    ts_free(ctx, p->head);
    ts_free(ctx, p->slots);
    p->head = NULL;
    p->slots = NULL;
    p->slot_count = 0;
}

ts_pair *ts_pairs_at(ts_ctx *ctx, ts_pairs *p, uint32_t lane, uint32_t node)
{
    bool full = p->head == NULL;
    ts_pair *pair = p->head == NULL ? NULL : pairs_listed(&full, ctx, p, lane, node);
    return full ? pairs_hashed(ctx, p, lane, node) : pair;
}

ts_code ts_pair_count(ts_ctx *ctx, uint32_t *count)
{
    return ts_ckd_add(count, *count, 1) ? ts_fail(ctx, TS_ERR_LIMIT, "too many rows") : TS_OK;
}

void ts_pairs_free(ts_ctx *ctx, ts_pairs *p)
{
    ts_pairs_end(ctx, p);
    ts_vec_free(ctx, &p->pairs);
}

/* --- lanes ------------------------------------------------------------------------------------ */

typedef struct rollup_pass {
    ts_ctx *ctx;
    ts_rollup *r;
    const ts_paths *paths;
    ts_kind kind;
    uint32_t lane; /* of the row before */
    uint64_t done;
} rollup_pass;

typedef struct rollup_row {
    int64_t rowid;
    ts_cell source, itid, parent, node, ts, dur, weight, cpu;
    uint32_t event;
} rollup_row;

static bool lane_is(const ts_lane *l, ts_cell source, ts_cell itid, uint32_t event)
{
    return l->source == source.value && l->itid == itid.value && l->event == event &&
           l->has_source == !source.null && l->has_itid == !itid.null;
}

static uint64_t lane_hash(ts_ctx *ctx, int64_t source, int64_t itid, uint32_t event)
{
    ts_hash h = ts_hash_begin(&ctx->hash_key);
    ts_hash_word(&h, (uint64_t)source);
    ts_hash_word(&h, (uint64_t)itid);
    ts_hash_word(&h, event);
    return ts_hash_end(&h);
}

static ts_code lanes_grow(ts_ctx *ctx, ts_rollup *r)
{
    uint32_t count = r->lane_slot_count == 0 ? 64 : r->lane_slot_count * 2;
    uint32_t *slots =
        r->lane_slot_count > UINT32_MAX / 4 ? NULL : ts_zalloc(ctx, count, sizeof *slots);
    if (slots == NULL) {
        return ctx->error.code == TS_OK ? ts_fail(ctx, TS_ERR_LIMIT, "too many threads")
                                        : ctx->error.code;
    }
    const ts_lane *lanes = r->lanes.p;
    for (uint32_t i = 0; i < r->lanes.n; i++) {
        uint64_t at = lane_hash(ctx, lanes[i].source, lanes[i].itid, lanes[i].event) & (count - 1);
        while (slots[at] != 0) {
            at = (at + 1) & (count - 1);
        }
        slots[at] = i + 1;
    }
    ts_free(ctx, r->lane_slots);
    r->lane_slots = slots;
    r->lane_slot_count = count;
    return TS_OK;
}

/* Its place, or TS_NO_INDEX and the free slot. */
static uint32_t lane_search(uint64_t *slot, ts_ctx *ctx, const ts_rollup *r, ts_cell source,
                            ts_cell itid, uint32_t event)
{
    const ts_lane *lanes = r->lanes.p;
    uint64_t at = lane_hash(ctx, source.value, itid.value, event) & (r->lane_slot_count - 1);
    for (; r->lane_slots[at] != 0; at = (at + 1) & (r->lane_slot_count - 1)) {
        if (lane_is(&lanes[r->lane_slots[at] - 1], source, itid, event)) {
            return r->lane_slots[at] - 1;
        }
    }
    *slot = at;
    return TS_NO_INDEX;
}

static bool lane_again(ts_ctx *ctx, const ts_rollup *r, ts_cell source, ts_cell itid,
                       uint32_t event)
{
    uint64_t slot;
    bool found = lane_search(&slot, ctx, r, source, itid, TS_NO_INDEX) != TS_NO_INDEX;
    for (uint32_t i = 0; !found && i < r->events.n; i++) {
        found = i != event && lane_search(&slot, ctx, r, source, itid, i) != TS_NO_INDEX;
    }
    return found;
}

ts_code ts_rollup_lane(uint32_t *lane, ts_ctx *ctx, ts_rollup *r, ts_cell source, ts_cell itid,
                       uint32_t event)
{
    const ts_lane *lanes = r->lanes.p;
    if (*lane < r->lanes.n && lane_is(&lanes[*lane], source, itid, event)) {
        return TS_OK;
    }
    if (r->lanes.n >= r->lane_slot_count / 2) {
        ts_code code = lanes_grow(ctx, r);
        if (code != TS_OK) {
            return code;
        }
    }
    uint64_t slot;
    uint32_t found = lane_search(&slot, ctx, r, source, itid, event);
    if (found != TS_NO_INDEX) {
        *lane = found;
        return TS_OK;
    }
    bool again = lane_again(ctx, r, source, itid, event);
    ts_code code = r->timed ? ts_buckets_lane(ctx, &r->buckets) : TS_OK;
    ts_lane *l = code == TS_OK ? ts_vec_add(ctx, &r->lanes, sizeof *l) : NULL;
    if (l == NULL) {
        return ctx->error.code;
    }
    *l = (ts_lane){.source = source.value,
                   .itid = itid.value,
                   .event = event,
                   .has_source = !source.null,
                   .has_itid = !itid.null,
                   .again = again,
                   .first = INT64_MAX,
                   .last = INT64_MIN};
    *lane = (uint32_t)r->lanes.n - 1;
    r->lane_slots[slot] = *lane + 1;
    return TS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

ts_code ts_rollup_event(uint32_t *out, ts_ctx *ctx, ts_rollup *r, const ts_batch_column *column,
                        unsigned row)
{
    ts_event *events = r->events.p;
    *out = TS_NO_INDEX;
    if (column->null[row]) {
        return TS_OK;
    }
    const ts_scan_text *t = &column->texts[row];
    for (uint32_t i = 0; i < r->events.n; i++) {
        if (events[i].n == t->n && memcmp(events[i].p, t->p, t->n) == 0) {
            *out = i;
            return TS_OK;
        }
    }
    if (r->events.n >= 1000) {
        return ts_fail(ctx, TS_ERR_LIMIT, "stack_sample: more than 1000 different events");
    }
    char *text = ts_strndup(ctx, t->p, t->n);
    ts_event *e = text == NULL ? NULL : ts_vec_add(ctx, &r->events, sizeof *e);
    if (e == NULL) {
        ts_free(ctx, text);
        return ctx->error.code;
    }
    *e = (ts_event){text, t->n};
    *out = (uint32_t)r->events.n - 1;
    return TS_OK;
}

/* Sums of the thread, and what of it is time in which it did something. */
static bool lane_sums(rollup_pass *p, ts_lane *l, const rollup_row *row, uint32_t node)
{
    bool idle = node != TS_NO_INDEX && p->paths->method[node] != TS_NO_INDEX &&
                p->paths->idle[p->paths->method[node]] == TS_IDLE;
    bool counts = p->kind == TS_KIND_SAMPLE || row->parent.null;
    l->rows++;
    if (counts && !row->dur.null) {
        l->dur_rows++;
        l->dur += row->dur.value;
    }
    if (p->kind == TS_KIND_SAMPLE && idle) {
        l->busy_rows++;
        return false;
    }
    if (counts && !row->dur.null) {
        l->busy_rows++;
        l->busy += row->dur.value;
    }
    if (counts && !row->cpu.null) {
        l->cpu_rows++;
        l->cpu += row->cpu.value;
    }
    return counts;
}

static ts_code pair_sums(rollup_pass *p, const rollup_row *row, uint32_t node)
{
    ts_pair *pair = node == TS_NO_INDEX ? ts_pairs_at(p->ctx, &p->r->no_stack, p->lane, 0)
                                        : ts_pairs_at(p->ctx, &p->r->pairs, p->lane, node);
    if (pair == NULL) {
        return p->ctx->error.code;
    }
    if (p->kind == TS_KIND_SLICE) {
        pair->sum += row->weight.null ? 0 : row->weight.value;
        return ts_pair_count(p->ctx, &pair->count);
    }
    if (row->dur.null || row->dur.value < 0) {
        return ts_pair_count(p->ctx, &pair->other);
    }
    pair->sum += row->dur.value;
    return ts_pair_count(p->ctx, &pair->count);
}

static ts_code rollup_add(rollup_pass *p, const rollup_row *row)
{
    uint32_t node = TS_NO_INDEX;
    if (!row->node.null && (node = ts_ids_find(&p->paths->nodes, row->node.value)) == TS_NO_INDEX) {
        return ts_fail(
            p->ctx, TS_ERR_INPUT, "row %lld of %s: no call path %lld", (long long)row->rowid,
            p->kind == TS_KIND_SAMPLE ? "stack_sample" : "stack_slice", (long long)row->node.value);
    }
    ts_code code = ts_rollup_lane(&p->lane, p->ctx, p->r, row->source, row->itid, row->event);
    if (code == TS_OK) {
        code = pair_sums(p, row, node);
    }
    if (code != TS_OK) {
        return code;
    }
    ts_lane *l = (ts_lane *)p->r->lanes.p + p->lane;
    bool busy = lane_sums(p, l, row, node);
    int64_t ts = row->ts.null ? TS_NO_TIME : row->ts.value;
    int64_t end =
        row->dur.null || row->dur.value < 0 || row->ts.null ? ts : ts_sat_add(ts, row->dur.value);
    code = ts_zones_add(p->ctx, &p->r->zones, row->rowid,
                        ts_zone_bit(row->itid.null, row->itid.value), ts, end);
    if (code == TS_OK && ts != TS_NO_TIME) {
        l->first = ts < l->first ? ts : l->first;
        l->last = end > l->last ? end : l->last;
        ts_buckets_add(&p->r->buckets, p->lane, ts, end, busy);
    }
    return code;
}

enum {
    COL_SOURCE,
    COL_ITID,
    COL_TS,
    COL_DUR,
    COL_NODE,
    COL_EVENT,
    COL_PARENT = 5,
    COL_SELF,
    COL_CPU
};

static ts_code rollup_row_of(rollup_row *row, rollup_pass *p, const ts_batch *b, unsigned i)
{
    *row = (rollup_row){.rowid = b->rowids[i],
                        .source = ts_cell_of(b, COL_SOURCE, i),
                        .itid = ts_cell_of(b, COL_ITID, i),
                        .ts = ts_cell_of(b, COL_TS, i),
                        .dur = ts_cell_of(b, COL_DUR, i),
                        .node = ts_cell_of(b, COL_NODE, i),
                        .cpu = {0, true},
                        .event = TS_NO_INDEX};
    if (p->kind == TS_KIND_SAMPLE) {
        return ts_rollup_event(&row->event, p->ctx, p->r, &b->columns[COL_EVENT], i);
    }
    row->parent = ts_cell_of(b, COL_PARENT, i);
    row->weight = ts_cell_of(b, COL_SELF, i);
    row->cpu = ts_cell_of(b, COL_CPU, i);
    return TS_OK;
}

/* Call paths of samples follow each other at random: what the rows of a batch add to is brought
 * into the processor's cache before it is needed, as waiting for it would cost more than the rest
 * of the pass. */
static void rollup_fetch(const rollup_pass *p, const ts_batch *b)
{
    const ts_pairs *pairs = &p->r->pairs;
    const ts_pair *all = pairs->pairs.p;
    const ts_batch_column *nodes = &b->columns[COL_NODE];
    for (unsigned step = 0; step < 2; step++) {
        for (unsigned i = 0; i < b->rows; i++) {
            uint32_t node =
                nodes->null[i] ? TS_NO_INDEX : ts_ids_find(&p->paths->nodes, nodes->ints[i]);
            if (node != TS_NO_INDEX && step == 0) {
                __builtin_prefetch(&pairs->head[node]);
                __builtin_prefetch(&p->paths->method[node]);
            } else if (node != TS_NO_INDEX && pairs->head[node] != 0) {
                __builtin_prefetch(&all[pairs->head[node] - 1]);
            }
        }
    }
}

static ts_code rollup_scan(rollup_pass *p, ts_view_call *call)
{
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__ts,        TS_C_stack_sample__dur,
                                       TS_C_stack_sample__node_id,   TS_C_stack_sample__event};
    static const unsigned slices[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__itid,
                                      TS_C_stack_slice__ts,        TS_C_stack_slice__dur,
                                      TS_C_stack_slice__node_id,   TS_C_stack_slice__parent_id,
                                      TS_C_stack_slice__self_dur,  TS_C_stack_slice__cpu_dur};
    bool sample = p->kind == TS_KIND_SAMPLE;
    const char *what = sample ? "reading samples" : "reading calls";
    const ts_rows_from from = ts_view_rows(call);
    uint64_t total = ts_view_row_count(call, sample ? "stack_sample" : "stack_slice");
    const ts_batch *b;
    ts_rows *rows = NULL;
    rollup_row row;
    ts_code code = ts_rows_open(&rows, &from, sample ? TS_T_stack_sample : TS_T_stack_slice,
                                sample ? samples : slices, sample ? 6 : 8);
    ts_view_report(call, what, 0, total);
    while (code == TS_OK && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        rollup_fetch(p, b);
        for (unsigned i = 0; code == TS_OK && i < b->rows; i++) {
            if ((code = rollup_row_of(&row, p, b, i)) == TS_OK) {
                code = rollup_add(p, &row);
            }
        }
        if (p->done / ROLLUP_REPORT != (p->done + b->rows) / ROLLUP_REPORT) {
            ts_view_report(call, what, p->done, total);
        }
        p->done += b->rows;
    }
    ts_rows_close(rows);
    return code;
}

void ts_rollup_free(ts_ctx *ctx, void *what)
{
    ts_rollup *r = what;
    ts_event *events = r->events.p;
    for (size_t i = 0; i < r->events.n; i++) {
        ts_free(ctx, events[i].p);
    }
    ts_vec_free(ctx, &r->events);
    ts_vec_free(ctx, &r->lanes);
    ts_free(ctx, r->lane_slots);
    ts_pairs_free(ctx, &r->pairs);
    ts_pairs_free(ctx, &r->no_stack);
    ts_buckets_free(ctx, &r->buckets);
    ts_vec_free(ctx, &r->zones.zones);
    ts_free(ctx, r);
}

/* The span of the recording, only to begin with buckets of a fitting width. */
static void rollup_span(ts_rollup *r, ts_view_call *call)
{
    sqlite3_stmt *stmt = NULL;
    int64_t from = 0;
    int64_t to = 0;
    if (sqlite3_prepare_v2(call->db, "SELECT start_ts, end_ts FROM trace_range LIMIT 1", -1, &stmt,
                           NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        from = sqlite3_column_int64(stmt, 0);
        to = sqlite3_column_int64(stmt, 1);
    }
    sqlite3_finalize(stmt);
    ts_buckets_begin(&r->buckets, from, to);
}

static ts_code rollup_build(void **what, ts_view_call *call, const void *user)
{
    ts_ctx *ctx = ts_view_ctx(call);
    ts_rollup *r = ts_zalloc(ctx, 1, sizeof *r);
    *what = r;
    if (r == NULL) {
        return ctx->error.code;
    }
    r->timed = true;
    rollup_pass pass = {.ctx = ctx, .r = r, .kind = *(const ts_kind *)user};
    ts_code code = ts_paths_get(&pass.paths, call);
    if (code == TS_OK) {
        code = ts_pairs_begin(ctx, &r->pairs, pass.paths);
    }
    if (code == TS_OK) {
        rollup_span(r, call);
        code = rollup_scan(&pass, call);
    }
    ts_buckets_finish(&r->buckets);
    ts_pairs_end(ctx, &r->pairs);
    return code;
}

ts_code ts_rollup_get(const ts_rollup **out, ts_view_call *call, ts_kind kind)
{
    void *what;
    ts_code code = ts_keep(&what, call, kind == TS_KIND_SAMPLE ? "samples" : "slices", "",
                           rollup_build, ts_rollup_free, &kind);
    *out = what;
    return code;
}
