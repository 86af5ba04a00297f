/* Sums of stack_sample and stack_slice that one pass over all rows gives. */
#include "serve/views/views_private.h"

enum { ROLLUP_REPORT = 1 << 16 };

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
    ts_cell source, itid, parent, node, ts, dur, cpu;
    uint32_t event;
} rollup_row;

typedef struct lane_key {
    ts_cell source, itid;
    uint32_t event;
} lane_key;

static bool lane_is(const void *owner, uint32_t number, const void *key)
{
    const ts_lane *l = (const ts_lane *)((const ts_rollup *)owner)->lanes.p + number;
    const lane_key *k = key;
    return l->source == k->source.value && l->itid == k->itid.value && l->event == k->event &&
           l->has_source == !k->source.null && l->has_itid == !k->itid.null;
}

/* Its place, or TS_NO_INDEX and where it belongs. There is room. */
static uint32_t lane_search(ts_index_place *place, const ts_rollup *r, const lane_key *key)
{
    ts_hash h = ts_hash_begin(&r->lane_index.key);
    ts_hash_word(&h, (uint64_t)key->source.value);
    ts_hash_word(&h, (uint64_t)key->itid.value);
    ts_hash_word(&h, key->event);
    return ts_index_search(place, &r->lane_index, ts_hash_end(&h), lane_is, r, key);
}

/* The same thread with another event. */
static bool lane_again(const ts_rollup *r, lane_key key)
{
    uint32_t event = key.event;
    ts_index_place place;
    key.event = TS_NO_INDEX;
    bool found = lane_search(&place, r, &key) != TS_NO_INDEX;
    for (key.event = 0; !found && key.event < r->events.n; key.event++) {
        found = key.event != event && lane_search(&place, r, &key) != TS_NO_INDEX;
    }
    return found;
}

static ts_code rollup_lane(uint32_t *lane, ts_ctx *ctx, ts_rollup *r, ts_cell source, ts_cell itid,
                           uint32_t event)
{
    const lane_key key = {source, itid, event};
    ts_index_place place;
    ts_code code;
    if (*lane < r->lanes.n && lane_is(r, *lane, &key)) {
        return TS_OK;
    }
    TS_TRY(code, ts_index_reserve(ctx, &r->lane_index));
    uint32_t found = lane_search(&place, r, &key);
    if (found != TS_NO_INDEX) {
        *lane = found;
        return TS_OK;
    }
    bool again = lane_again(r, key);
    code = r->timed ? ts_buckets_lane(ctx, &r->buckets) : TS_OK;
    ts_lane *l = code == TS_OK ? ts_vec_add(ctx, &r->lanes, sizeof *l) : NULL;
    TS_NEED(ctx, l);
    *l = (ts_lane){.source = source.value,
                   .itid = itid.value,
                   .event = event,
                   .has_source = !source.null,
                   .has_itid = !itid.null,
                   .again = again,
                   .first = INT64_MAX,
                   .last = INT64_MIN};
    *lane = (uint32_t)r->lanes.n - 1;
    ts_index_add(&r->lane_index, place, *lane);
    return TS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

static ts_code rollup_event(uint32_t *out, ts_ctx *ctx, ts_rollup *r, const ts_batch_column *column,
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

static ts_code rollup_add(rollup_pass *p, const rollup_row *row)
{
    uint32_t node = TS_NO_INDEX;
    if (!row->node.null && (node = ts_ids_find(&p->paths->nodes, row->node.value)) == TS_NO_INDEX) {
        return ts_fail(
            p->ctx, TS_ERR_INPUT, "row %lld of %s: no call path %lld", (long long)row->rowid,
            p->kind == TS_KIND_SAMPLE ? "stack_sample" : "stack_slice", (long long)row->node.value);
    }
    ts_code code;
    TS_TRY(code, rollup_lane(&p->lane, p->ctx, p->r, row->source, row->itid, row->event));
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

enum { COL_SOURCE, COL_ITID, COL_TS, COL_DUR, COL_NODE, COL_EVENT, COL_PARENT = 6, COL_CPU };

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
        return rollup_event(&row->event, p->ctx, p->r, &b->columns[COL_EVENT], i);
    }
    row->parent = ts_cell_of(b, COL_PARENT, i);
    row->cpu = ts_cell_of(b, COL_CPU, i);
    return TS_OK;
}

static ts_code rollup_scan(rollup_pass *p, ts_view_call *call)
{
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__ts,        TS_C_stack_sample__dur,
                                       TS_C_stack_sample__node_id,   TS_C_stack_sample__event};
    static const unsigned slices[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__itid,
                                      TS_C_stack_slice__ts,        TS_C_stack_slice__dur,
                                      TS_C_stack_slice__node_id,   TS_C_stack_slice__self_dur,
                                      TS_C_stack_slice__parent_id, TS_C_stack_slice__cpu_dur};
    bool sample = p->kind == TS_KIND_SAMPLE;
    const char *what = sample ? "reading samples" : "reading calls";
    const ts_rows_from from = ts_view_rows(call);
    uint64_t total = ts_view_row_count(call, sample ? "stack_sample" : "stack_slice");
    const ts_batch *b;
    ts_rows *rows = NULL;
    rollup_row row;
    ts_sums_pass *sums = NULL; /* of the same rows */
    ts_code code = ts_rows_open(&rows, &from, sample ? TS_T_stack_sample : TS_T_stack_slice,
                                sample ? samples : slices, sample ? 6 : 8);
    TS_STEP(code, ts_path_sums_pass(&sums, call->views->model, !sample));
    ts_view_report(call, what, 0, total);
    while (code == TS_OK && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        code = sums == NULL ? TS_OK : ts_path_sums_batch(sums, b);
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
    return ts_path_sums_kept(sums, call->views->model, code);
}

static void rollup_free(ts_ctx *ctx, void *what)
{
    ts_rollup *r = what;
    ts_event *events = r->events.p;
    for (size_t i = 0; i < r->events.n; i++) {
        ts_free(ctx, events[i].p);
    }
    ts_vec_free(ctx, &r->events);
    ts_vec_free(ctx, &r->lanes);
    ts_index_free(ctx, &r->lane_index);
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
    TS_NEED(ctx, r);
    r->timed = true;
    rollup_pass pass = {.ctx = ctx, .r = r, .kind = *(const ts_kind *)user};
    ts_code code = ts_paths_get(&pass.paths, call);
    if (code == TS_OK) {
        rollup_span(r, call);
        code = rollup_scan(&pass, call);
    }
    ts_buckets_finish(&r->buckets);
    return code;
}

ts_code ts_rollup_get(const ts_rollup **out, ts_view_call *call, ts_kind kind)
{
    void *what;
    ts_code code = ts_keep(&what, call, kind == TS_KIND_SAMPLE ? "samples" : "slices", "",
                           rollup_build, rollup_free, &kind);
    *out = what;
    return code;
}
