/*
 * Rows of lanes in memory, so that pictures need not read the table again, in which the rows of a
 * lane lie far from each other: 5 to 8 bytes a row, those of a block one after the other.
 *
 *   row     begin - begin before (zigzag; the first: - begin of the block), duration, what it is:
 *           state | open << 3 | has a value << 4; of slices depth + 1 (0: not known); of slices and
 *           values rowid - rowid before; the value, 8 bytes
 *
 * Other numbers are varints. Without room, bodies of the kind go, and its rows are read as before.
 */
#include "model/lane_private.h"

#include "base/alloc.h"

enum { BODY_OPEN = 1 << 3, BODY_STATE = BODY_OPEN - 1, BODY_VALUE = 1 << 4, BODY_ROW = 6 * 10 };
/* Of one kind of lanes. */
static const size_t body_most = (size_t)96 * 1024 * 1024;

bool lane_is_kept(ts_lane_kind kind)
{
    return !lane_is_stacks(kind);
}

static void lane_bodies_drop(ts_ctx *ctx, ts_time_lanes *all)
{
    ts_lane *lanes = all->lanes.p;
    for (size_t i = 0; i < all->lanes.n; i++) {
        ts_vec_free(ctx, &lanes[i].staged);
    }
    ts_vec_free(ctx, &all->bodies);
    all->kept = false;
}

/* At most half of what may be used is for rows that can be read again. */
static bool body_fits(const ts_ctx *ctx, const ts_vec *bodies, size_t more)
{
    const ts_ctx *of = ctx->memory_of != NULL ? ctx->memory_of : ctx;
    uint64_t most = of->limits.max_memory;
    uint64_t grown = bodies->n + more <= bodies->cap ? 0 : bodies->cap + more;
    return bodies->n + more <= body_most && (most == 0 || of->memory_used + grown <= most / 2);
}

static uint8_t *put_number(uint8_t *p, uint64_t value)
{
    while (value >= 0x80) {
        *p++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *p++ = (uint8_t)value;
    return p;
}

static const uint8_t *get_number(uint64_t *value, const uint8_t *p)
{
    uint64_t v = *p & 0x7f;
    for (unsigned shift = 7; (*p++ & 0x80) != 0; shift += 7) {
        v |= (uint64_t)(*p & 0x7f) << shift;
    }
    *value = v;
    return p;
}

ts_code lane_body_row(ts_ctx *ctx, const ts_time_lanes *all, ts_lane *l, const lane_row *row)
{
    if (!all->kept) {
        return TS_OK;
    }
    const ts_lane_row one = {.ts = row->ts,
                             .end = row->end,
                             .rowid = row->rowid,
                             .depth = row->depth,
                             .value = row->value,
                             .state = row->state,
                             .open = row->open,
                             .has_value = row->has_value};
    return ts_vec_push(ctx, &l->staged, &one, sizeof one);
}

/* Which parts a row has. */
static bool has_rowid(ts_lane_kind kind)
{
    return kind == TS_LANE_SLICE || ts_lane_has_values(kind);
}

static uint8_t *put_row(uint8_t *p, ts_lane_kind kind, const ts_lane_row *row, uint64_t ts,
                        int64_t rowid)
{
    uint64_t step = (uint64_t)row->ts - ts;
    p = put_number(p, step << 1 ^ (step >> 63 != 0 ? UINT64_MAX : 0));
    p = put_number(p, (uint64_t)row->end - (uint64_t)row->ts);
    p = put_number(p, row->state | (row->open ? (unsigned)BODY_OPEN : 0U) |
                          (row->has_value ? (unsigned)BODY_VALUE : 0U));
    if (kind == TS_LANE_SLICE) {
        p = put_number(p, (uint64_t)(row->depth + 1));
    }
    if (has_rowid(kind)) {
        p = put_number(p, (uint64_t)row->rowid - (uint64_t)rowid);
    }
    if (row->has_value) {
        memcpy(p, &row->value, sizeof row->value);
        p += sizeof row->value;
    }
    return p;
}

ts_code lane_body_end(ts_ctx *ctx, ts_time_lanes *all, ts_lane *l)
{
    const ts_lane_row *rows = l->staged.p;
    if (!all->kept || l->staged.n == 0) {
        return TS_OK;
    }
    if (!body_fits(ctx, &all->bodies, l->staged.n * BODY_ROW)) {
        lane_bodies_drop(ctx, all);
        return TS_OK;
    }
    TS_TRY(ts_vec_reserve(ctx, &all->bodies, l->staged.n * BODY_ROW, 1));
    lane_block *block = (lane_block *)l->blocks.p + l->blocks.n - 1;
    uint8_t *begin = all->bodies.p;
    uint8_t *p = begin + all->bodies.n;
    uint64_t ts = (uint64_t)block->begin;
    int64_t rowid = block->first;
    block->body = all->bodies.n;
    for (size_t i = 0; i < l->staged.n; i++) {
        p = put_row(p, all->kind, &rows[i], ts, rowid);
        ts = (uint64_t)rows[i].ts;
        rowid = rows[i].rowid;
    }
    all->bodies.n = (size_t)(p - begin);
    l->staged.n = 0;
    return TS_OK;
}

ts_code lane_body_each(const ts_time_lanes *all, const lane_block *block, ts_lane_row_visit *visit,
                       void *user)
{
    const uint8_t *p = (const uint8_t *)all->bodies.p + block->body;
    uint64_t ts = (uint64_t)block->begin;
    ts_lane_row row = {.rowid = block->first};
    ts_code code = TS_OK;
    for (uint64_t i = 0; code == TS_OK && i < block->sum.rows; i++) {
        uint64_t step, dur, what, depth, rowid;
        p = get_number(&step, p);
        p = get_number(&dur, p);
        p = get_number(&what, p);
        ts += step >> 1 ^ ((step & 1) != 0 ? UINT64_MAX : 0);
        row.ts = (int64_t)ts;
        row.end = (int64_t)(ts + dur);
        row.state = (unsigned)what & BODY_STATE;
        row.open = (what & BODY_OPEN) != 0;
        row.has_value = (what & BODY_VALUE) != 0;
        if (all->kind == TS_LANE_SLICE) {
            p = get_number(&depth, p);
            row.depth = (int64_t)depth - 1;
        }
        if (has_rowid(all->kind)) {
            p = get_number(&rowid, p);
            row.rowid = (int64_t)((uint64_t)row.rowid + rowid);
        }
        if (row.has_value) {
            memcpy(&row.value, p, sizeof row.value);
            p += sizeof row.value;
        }
        code = visit(user, &row);
    }
    return code;
}

/* --- of a range ------------------------------------------------------------------------------- */

typedef struct kept_rows {
    const ts_time_lanes *all;
    int64_t from, to;
    ts_lane_row_visit *visit;
    void *user;
} kept_rows;

static ts_code kept_block(bool *down, void *user, const lane_block *block, bool lowest)
{
    const kept_rows *k = user;
    *down = block->begin < k->to && block->end >= k->from;
    return *down && lowest ? lane_body_each(k->all, block, k->visit, k->user) : TS_OK;
}

ts_code ts_lane_rows_each(ts_model *m, const ts_time_lanes *all, const ts_lane *lane, int64_t from,
                          int64_t to, ts_lane_row_visit *visit, void *user)
{
    kept_rows k = {all, from, to, visit, user};
    TS_TRY(ts_model_check(m));
    return lane_blocks_walk(lane, kept_block, &k);
}
