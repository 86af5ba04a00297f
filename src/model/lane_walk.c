/* Which rows may be of some lanes and in a range of time. */
#include "base/ckd.h"
#include "model/lane_private.h"

#include <stdlib.h>

enum { RANGE_GAP = 512 };

/* Down, along, and up again. */
ts_code lane_blocks_walk(const ts_lane *l, lane_block_visit *visit, void *user)
{
    const lane_block *blocks = l->blocks.p;
    unsigned top = l->level_count == 0 ? 0 : l->level_count - 1;
    unsigned level = top;
    size_t i = 0;
    while (l->level_count > 0) {
        bool down = false;
        TS_TRY(visit(&down, user, &blocks[l->levels[level] + i], level == 0));
        if (down && level > 0) {
            level--;
            i *= LANE_BLOCK_FAN;
            continue;
        }
        i++;
        while (level < top &&
               (i % LANE_BLOCK_FAN == 0 || i == l->levels[level + 1] - l->levels[level])) {
            i = (i + LANE_BLOCK_FAN - 1) / LANE_BLOCK_FAN;
            level++;
        }
        if (level == top) {
            break;
        }
    }
    return TS_OK;
}

ts_code lane_range_add(ts_ctx *ctx, ts_vec *ranges, const lane_block *block)
{
    lane_range *r = ts_vec_add(ctx, ranges, sizeof *r);
    TS_NEED(ctx, r);
    *r = (lane_range){block->first, block->last};
    return TS_OK;
}

static int compare_ranges(const void *a, const void *b)
{
    const lane_range *x = a;
    const lane_range *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->last > y->last) - (x->last < y->last);
}

/* In their order; those near each other are one. */
static void ranges_join(ts_vec *ranges)
{
    lane_range *r = ranges->p;
    size_t n = 0;
    if (ranges->n > 1) {
        qsort(r, ranges->n, sizeof *r, compare_ranges);
    }
    for (size_t i = 0; i < ranges->n; i++) {
        if (n > 0 && r[i].first <= ts_sat_add(r[n - 1].last, RANGE_GAP)) {
            r[n - 1].last = r[i].last > r[n - 1].last ? r[i].last : r[n - 1].last;
        } else {
            r[n++] = r[i];
        }
    }
    ranges->n = n;
}

ts_code ts_lane_walk_next(const ts_batch **batch, unsigned *count, ts_lane_walk *w)
{
    const lane_range *ranges = w->ranges.p;
    *count = 0;
    for (;;) {
        ts_code code;
        if (w->last != INT64_MIN) {
            code = ts_rows_next(batch, w->rows);
            unsigned n = code == TS_OK ? (*batch)->rows : 0;
            while (n > 0 && (*batch)->rowids[n - 1] > w->last) {
                n--;
            }
            *count = n;
            if (code != TS_OK || n > 0) {
                return code;
            }
        }
        if (w->next == w->ranges.n) {
            return TS_OK;
        }
        w->last = ranges[w->next].last;
        TS_TRY_INTO(code, ts_rows_seek(w->rows, ranges[w->next++].first));
    }
}

void lane_walk_ready(ts_lane_walk *w, ts_rows *rows)
{
    ranges_join(&w->ranges);
    w->rows = rows;
    w->last = INT64_MIN;
}

void ts_lane_walk_free(ts_ctx *ctx, ts_lane_walk *w)
{
    ts_vec_free(ctx, &w->ranges);
}

typedef struct walk_wanted {
    ts_ctx *ctx;
    ts_lane_walk *walk;
    int64_t from, to;
} walk_wanted;

static ts_code walk_block(bool *down, void *user, const lane_block *block, bool lowest)
{
    walk_wanted *w = user;
    *down = block->begin < w->to && block->end >= w->from;
    return *down && lowest ? lane_range_add(w->ctx, &w->walk->ranges, block) : TS_OK;
}

ts_code ts_lane_walk_begin(ts_lane_walk *w, ts_model *m, const ts_time_lanes *all,
                           const bool *wanted, int64_t from, int64_t to, ts_rows *rows)
{
    const ts_lane *lanes = all->lanes.p;
    walk_wanted user = {ts_model_ctx(m), w, from, to};
    ts_code code = TS_OK;
    *w = (ts_lane_walk){0};
    for (size_t i = 0; code == TS_OK && i < all->lanes.n; i++) {
        if (wanted[i] && (code = ts_model_check(m)) == TS_OK) {
            code = lane_blocks_walk(&lanes[i], walk_block, &user);
        }
    }
    lane_walk_ready(w, rows);
    return code;
}

ts_code ts_lane_walk_rows(ts_lane_walk *w, ts_model *m, const int64_t *rowids, size_t n,
                          ts_rows *rows)
{
    *w = (ts_lane_walk){0};
    for (size_t i = 0; i < n; i++) {
        const lane_block one = {.first = rowids[i], .last = rowids[i]};
        TS_TRY(lane_range_add(ts_model_ctx(m), &w->ranges, &one));
    }
    lane_walk_ready(w, rows);
    return TS_OK;
}
