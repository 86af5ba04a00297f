/* Pictures of lanes: in each column what lies in it, exactly. */
#include "base/alloc.h"
#include "base/ckd.h"
#include "model/lane_private.h"

enum { DRAW_CELLS = 1 << 17 };

/* By kind: rows that cover all of a column, less those that cover the one before. */
typedef struct full_column {
    int32_t more[TS_LANE_STATES];
} full_column;

/* One lane of a picture. */
typedef struct drawn_lane {
    ts_vec cut;  /* lane_range of blocks of the lowest level that lie in several columns */
    size_t next; /* of them */
    ts_lane_sum *cells;
    full_column *full;
} drawn_lane;

typedef struct drawing {
    ts_ctx *ctx;
    const ts_time_lanes *all;
    ts_lane_columns columns;
    bool values;
    drawn_lane *lanes;
    ts_lane_sum *cells;
    full_column *full;
    uint32_t *places; /* by lane: place in `lanes`, or TS_NO_INDEX */
    uint32_t last;    /* lane of the row before */
    drawn_lane *lane;
    ts_lane_walk walk;
} drawing;

ts_lane_columns ts_lane_columns_of(int64_t origin, int64_t from, int64_t to, int64_t px)
{
    uint64_t span = to > from ? (uint64_t)to - (uint64_t)from : 1;
    uint64_t width = span / (uint64_t)px + (span % (uint64_t)px != 0);
    ts_wide first = (ts_wide)from - origin;
    first -= (first % (ts_wide)width + (ts_wide)width) % (ts_wide)width;
    ts_wide count = ((ts_wide)from + span - origin - first + width - 1) / width;
    return (ts_lane_columns){first + origin, width, (uint32_t)count, from,
                             to > from ? to - 1 : ts_sat_sub(from, 1)};
}

/* Of a moment of the columns. */
static uint32_t column_at(const drawing *d, int64_t ts)
{
    unsigned __int128 place = (unsigned __int128)((ts_wide)ts - d->columns.begin);
    return (uint32_t)(place <= UINT64_MAX ? (uint64_t)place / d->columns.width
                                          : place / d->columns.width);
}

static int64_t column_begin(const drawing *d, uint32_t column)
{
    return (int64_t)(d->columns.begin + (ts_wide)column * (ts_wide)d->columns.width);
}

/* The time from one moment to before another, both in the columns, of a row that lies in several.
 */
static void draw_time(drawing *d, unsigned state, int64_t from, int64_t to)
{
    uint32_t low = column_at(d, from);
    uint32_t high = column_at(d, to - 1);
    ts_lane_sum *cells = d->lane->cells;
    if (low == high) {
        cells[low].ns[state] = lane_ns_sum(cells[low].ns[state], (uint64_t)to - (uint64_t)from);
        return;
    }
    int64_t next = column_begin(d, low + 1);
    cells[low].ns[state] = lane_ns_sum(cells[low].ns[state], (uint64_t)next - (uint64_t)from);
    int64_t begin = column_begin(d, high);
    cells[high].ns[state] = lane_ns_sum(cells[high].ns[state], (uint64_t)to - (uint64_t)begin);
    d->lane->full[low + 1].more[state]++;
    d->lane->full[high].more[state]--;
}

static void draw_row(drawing *d, const lane_row *row)
{
    bool begins = row->ts >= d->columns.from && row->ts <= d->columns.to;
    if (begins) {
        ts_lane_sum *cell = &d->lane->cells[column_at(d, row->ts)];
        cell->rows++;
        if (d->values) {
            const ts_lane_values one = lane_one_value(row);
            lane_values_add(&cell->values, &one);
        }
    }
    int64_t first = begins || row->ts > d->columns.to ? row->ts : d->columns.from;
    int64_t end = row->end > d->columns.to ? ts_sat_add(d->columns.to, 1) : row->end;
    if (!d->values && row->state < TS_LANE_STATES && first < end) {
        draw_time(d, row->state, first, end);
    }
}

static ts_code draw_kept(void *user, const ts_lane_row *kept)
{
    const lane_row row = {.rowid = kept->rowid,
                          .ts = kept->ts,
                          .end = kept->end,
                          .state = kept->state,
                          .open = kept->open,
                          .has_value = kept->has_value,
                          .value = kept->value};
    draw_row(user, &row);
    return TS_OK;
}

static ts_code draw_block(bool *down, void *user, const lane_block *block, bool lowest)
{
    drawing *d = user;
    int64_t last = block->end > block->begin ? block->end - 1 : block->begin;
    if (block->begin > d->columns.to || last < d->columns.from) {
        return TS_OK;
    }
    if (block->begin >= d->columns.from && last <= d->columns.to &&
        column_at(d, block->begin) == column_at(d, last)) {
        ts_lane_sum_add(&d->lane->cells[column_at(d, block->begin)], &block->sum, d->values);
        return TS_OK;
    }
    *down = true;
    if (!lowest) {
        return TS_OK;
    }
    if (d->all->kept) {
        return lane_body_each(d->all, block, draw_kept, d);
    }
    TS_TRY(lane_range_add(d->ctx, &d->lane->cut, block));
    return lane_range_add(d->ctx, &d->walk.ranges, block);
}

/* A row that was read again: of a block that is cut. */
static ts_code draw_visit(void *user, const lane_key *key, const lane_row *row)
{
    drawing *d = user;
    uint32_t lane = lane_place(d->all, key, &d->last);
    if (lane == TS_NO_INDEX || d->places[lane] == TS_NO_INDEX || row->ts == TS_NO_TIME) {
        return TS_OK;
    }
    d->lane = &d->lanes[d->places[lane]];
    const lane_range *cut = d->lane->cut.p;
    while (d->lane->next < d->lane->cut.n && cut[d->lane->next].last < row->rowid) {
        d->lane->next++;
    }
    if (d->lane->next < d->lane->cut.n && cut[d->lane->next].first <= row->rowid) {
        draw_row(d, row);
    }
    return TS_OK;
}

static ts_code draw_rows(drawing *d, ts_model *m)
{
    const lane_table *t = lane_table_of(d->all->kind);
    const ts_batch *b;
    ts_rows *rows = NULL;
    unsigned n = 1;
    lane_reader r;
    ts_code code = lane_reader_make(&r, m, d->all->kind, d->all->end);
    r.visit = draw_visit;
    r.user = d;
    if (code == TS_OK && d->walk.ranges.n > 0) {
        code = ts_rows_open(&rows, ts_model_rows(m), t->table, t->columns, t->count);
        lane_walk_ready(&d->walk, rows);
        while (code == TS_OK && n > 0 && (code = ts_lane_walk_next(&b, &n, &d->walk)) == TS_OK) {
            for (unsigned i = 0; code == TS_OK && i < n; i++) {
                code = t->row(&r, b, i);
            }
        }
    }
    ts_rows_close(rows);
    return code;
}

/* The time of columns that rows cover wholly. */
static void draw_full(const drawing *d, drawn_lane *l)
{
    int64_t full[TS_LANE_STATES] = {0};
    for (uint32_t c = 0; c < d->columns.count; c++) {
        for (unsigned s = 0; s < TS_LANE_STATES; s++) {
            full[s] += l->full[c].more[s];
            unsigned __int128 ns = (unsigned __int128)full[s] * d->columns.width;
            l->cells[c].ns[s] =
                lane_ns_sum(l->cells[c].ns[s], ns > INT64_MAX ? INT64_MAX : (uint64_t)ns);
        }
    }
}

static ts_code draw_make(drawing *d, size_t n)
{
    size_t columns = d->columns.count;
    d->lanes = ts_zalloc(d->ctx, n + 1, sizeof *d->lanes);
    d->places = ts_alloc(d->ctx, d->all->lanes.n + 1, sizeof *d->places);
    d->cells = ts_alloc(d->ctx, n * columns + 1, sizeof *d->cells);
    d->full = d->values ? NULL : ts_alloc(d->ctx, n * columns + 1, sizeof *d->full);
    return d->lanes == NULL || d->places == NULL || d->cells == NULL ||
                   (d->full == NULL && !d->values)
               ? d->ctx->error.code
               : TS_OK;
}

static void draw_free(drawing *d, size_t n)
{
    for (size_t i = 0; d->lanes != NULL && i < n; i++) {
        ts_vec_free(d->ctx, &d->lanes[i].cut);
    }
    ts_lane_walk_free(d->ctx, &d->walk);
    ts_free(d->ctx, d->lanes);
    ts_free(d->ctx, d->places);
    ts_free(d->ctx, d->cells);
    ts_free(d->ctx, d->full);
}

/* As many lanes as there is room for. */
static ts_code draw_some(drawing *d, ts_model *m, const uint32_t *lanes, size_t n)
{
    const ts_lane *from = d->all->lanes.p;
    size_t columns = d->columns.count;
    ts_code code = TS_OK;
    memset(d->places, 0xff, (d->all->lanes.n + 1) * sizeof *d->places);
    memset(d->cells, 0, n * columns * sizeof *d->cells);
    if (!d->values) {
        memset(d->full, 0, n * columns * sizeof *d->full);
    }
    d->walk.ranges.n = 0;
    d->walk.next = 0;
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        d->places[lanes[i]] = (uint32_t)i;
        d->lane = &d->lanes[i];
        d->lane->cells = d->cells + i * columns;
        d->lane->full = d->values ? NULL : d->full + i * columns;
        d->lane->cut.n = 0;
        d->lane->next = 0;
        if ((code = ts_model_check(m)) == TS_OK) {
            code = lane_blocks_walk(&from[lanes[i]], draw_block, d);
        }
    }
    TS_STEP(code, draw_rows(d, m));
    for (size_t i = 0; code == TS_OK && !d->values && i < n; i++) {
        draw_full(d, &d->lanes[i]);
    }
    return code;
}

ts_code ts_time_lanes_draw(ts_model *m, const ts_time_lanes *all, const uint32_t *lanes, size_t n,
                           const ts_lane_columns *columns, ts_lane_drawn *drawn, void *user)
{
    drawing d = {.ctx = ts_model_ctx(m),
                 .all = all,
                 .columns = *columns,
                 .values = ts_lane_has_values(all->kind)};
    size_t most = DRAW_CELLS / columns->count;
    most = most < n ? most : n;
    ts_code code = draw_make(&d, most);
    for (size_t first = 0; code == TS_OK && first < n; first += most) {
        size_t some = n - first < most ? n - first : most;
        code = draw_some(&d, m, lanes + first, some);
        for (size_t i = 0; code == TS_OK && i < some; i++) {
            code = drawn(user, first + i, d.lanes[i].cells);
        }
    }
    draw_free(&d, most);
    return code;
}
