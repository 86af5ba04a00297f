#include "analysis/heap/kept_rows.h"

#include "base/alloc.h"
#include "base/touch.h"

#include "tables/rows.h"

enum { FIRST_ROOM = 4096, TOUCHED = 1 << 16 };

static const unsigned column_counts[HG_KEPT_TABLES] = {4, 2};

void hg_keep_forget(hg_kept *k, enum hg_kept_table table)
{
    hg_kept_rows *rows = &k->rows[table];
    for (unsigned i = 0; i < HG_KEPT_COLUMNS; i++) {
        ts_free(k->ctx, rows->columns[i]);
    }
    *rows = (hg_kept_rows){.lost = true};
}

/* The first file only; what is kept of it stays when another one follows. */
static bool is_ours(hg_kept *k, int64_t file_id)
{
    if (!k->any) {
        k->any = true;
        k->file_id = file_id;
    }
    return k->file_id == file_id;
}

/* counted: rows that the sink counts already, of those that there must be room for. */
static ts_code grow(hg_kept *k, enum hg_kept_table table, unsigned counted)
{
    hg_kept_rows *rows = &k->rows[table];
    size_t room = rows->room == 0 ? FIRST_ROOM : rows->room * 2;
    if (rows->room == 0) {
        enum ts_table_id id = table == HG_KEPT_NODE_ROWS ? TS_T_js_heap_nodes : TS_T_js_heap_edges;
        rows->first = (int64_t)(k->sink->rows[id] - counted + 1);
    }
    for (unsigned i = 0; i < column_counts[table]; i++) {
        uint32_t *p = ts_realloc(k->ctx, rows->columns[i], room + HG_KEPT_SLACK, sizeof *p);
        TS_NEED(k->ctx, p);
        rows->columns[i] = p;
    }
    rows->room = room;
    return TS_OK;
}

/* For one more row, when it is one of ours. */
static ts_code make_room(hg_kept *k, enum hg_kept_table table, int64_t file_id)
{
    return k->rows[table].lost || !is_ours(k, file_id) ? TS_OK : grow(k, table, 1);
}

static bool fits(int64_t value, int64_t max)
{
    return (uint64_t)value <= (uint64_t)max;
}

static ts_code see_edge(hg_kept *k, const ts_row_js_heap_edges *row)
{
    static const uint64_t wanted = TS_NULL_BIT(js_heap_edges, type) |
                                   TS_NULL_BIT(js_heap_edges, name_or_index) |
                                   TS_NULL_BIT(js_heap_edges, to_node);
    hg_kept_rows *rows = &k->rows[HG_KEPT_EDGE_ROWS];
    if (rows->n == rows->room || row->file_id != k->file_id) { /* seldom */
        ts_code code = make_room(k, HG_KEPT_EDGE_ROWS, row->file_id);
        if (code != TS_OK || rows->n == rows->room || row->file_id != k->file_id) {
            return code;
        }
    }
    if ((row->null & wanted) != 0 || !fits(row->type, HG_KEPT_TYPES - 1) ||
        !fits(row->name_or_index, HG_KEPT_NAME) || !fits(row->to_node, UINT32_MAX)) {
        hg_keep_forget(k, HG_KEPT_EDGE_ROWS);
        return TS_OK;
    }
    rows->columns[HG_KEPT_TO][rows->n] = (uint32_t)row->to_node;
    rows->columns[HG_KEPT_EDGE_NAME][rows->n++] =
        (uint32_t)row->type << HG_KEPT_NAME_BITS | (uint32_t)row->name_or_index;
    return TS_OK;
}

static ts_code see_node(hg_kept *k, const ts_row_js_heap_nodes *row)
{
    static const uint64_t wanted =
        TS_NULL_BIT(js_heap_nodes, type) | TS_NULL_BIT(js_heap_nodes, name) |
        TS_NULL_BIT(js_heap_nodes, id) | TS_NULL_BIT(js_heap_nodes, self_size) |
        TS_NULL_BIT(js_heap_nodes, edge_count);
    hg_kept_rows *rows = &k->rows[HG_KEPT_NODE_ROWS];
    int64_t detachedness = (row->null & TS_NULL_BIT(js_heap_nodes, detachedness)) != 0
                               ? HG_KEPT_NO_DETACHEDNESS
                               : row->detachedness & 3;
    if (rows->n == rows->room || row->file_id != k->file_id) {
        ts_code code = make_room(k, HG_KEPT_NODE_ROWS, row->file_id);
        if (code != TS_OK || rows->n == rows->room || row->file_id != k->file_id) {
            return code;
        }
    }
    if ((row->null & wanted) != 0 || !fits(row->type, HG_KEPT_TYPES - 1) ||
        !fits(row->name, HG_KEPT_NAME) || !fits(row->id, UINT32_MAX) ||
        !fits(row->self_size, UINT32_MAX) || !fits(row->edge_count, HG_KEPT_EDGES)) {
        hg_keep_forget(k, HG_KEPT_NODE_ROWS);
        return TS_OK;
    }
    rows->columns[HG_KEPT_NODE_ID][rows->n] = (uint32_t)row->id;
    rows->columns[HG_KEPT_NODE_NAME][rows->n] =
        (uint32_t)row->type << HG_KEPT_NAME_BITS | (uint32_t)row->name;
    rows->columns[HG_KEPT_NODE_SIZE][rows->n] = (uint32_t)row->self_size;
    rows->columns[HG_KEPT_NODE_EDGES][rows->n++] =
        (uint32_t)detachedness << HG_KEPT_EDGE_BITS | (uint32_t)row->edge_count;
    return TS_OK;
}

/* Asks for the memory of the next rows, some at a time: more than that is not taken for nothing. */
static void touch_next(hg_kept_rows *rows, enum hg_kept_table table, unsigned count)
{
    const size_t from = rows->touched;
    const size_t wanted = rows->n + count + TOUCHED;
    if (rows->n + count <= from) {
        return;
    }
    rows->touched = wanted < rows->room ? wanted : rows->room;
    for (unsigned i = 0; i < column_counts[table]; i++) {
        ts_touch(rows->columns[i] + from, (rows->touched - from) * sizeof(uint32_t));
    }
}

/* Room for `count` more rows; none: *room is false. */
static ts_code make_room_for(bool *room, hg_kept *k, enum hg_kept_table table, int64_t file_id,
                             unsigned count)
{
    hg_kept_rows *rows = &k->rows[table];
    ts_code code = TS_OK;
    *room = false;
    if (rows->lost || !is_ours(k, file_id)) {
        return TS_OK;
    }
    while (rows->room - rows->n < count && code == TS_OK) {
        code = grow(k, table, count);
    }
    *room = code == TS_OK;
    if (*room) {
        touch_next(rows, table, count);
    }
    return code;
}

/* In one word, the second below the first; *all: the bits of any value of both. */
static void put_pairs(uint32_t *out, uint32_t all[2], const uint32_t *above, const uint32_t *below,
                      unsigned bits, unsigned count)
{
    uint32_t a = 0;
    uint32_t b = 0;
    for (unsigned i = 0; i < count; i++) {
        out[i] = above[i] << bits | below[i];
        a |= above[i];
        b |= below[i];
    }
    all[0] = a;
    all[1] = b;
}

static ts_code see_edges(hg_kept *k, const uint32_t *const *c, unsigned count)
{
    hg_kept_rows *rows = &k->rows[HG_KEPT_EDGE_ROWS];
    uint32_t all[2];
    bool room;
    ts_code code =
        make_room_for(&room, k, HG_KEPT_EDGE_ROWS, c[TS_C_js_heap_edges__file_id][0], count);
    if (!room) {
        return code;
    }
    put_pairs(rows->columns[HG_KEPT_EDGE_NAME] + rows->n, all, c[TS_C_js_heap_edges__type],
              c[TS_C_js_heap_edges__name_or_index], HG_KEPT_NAME_BITS, count);
    memcpy(rows->columns[HG_KEPT_TO] + rows->n, c[TS_C_js_heap_edges__to_node],
           count * sizeof(uint32_t));
    rows->n += count;
    if (all[0] >= HG_KEPT_TYPES || all[1] > HG_KEPT_NAME) {
        hg_keep_forget(k, HG_KEPT_EDGE_ROWS);
    }
    return TS_OK;
}

static ts_code see_nodes(hg_kept *k, const uint32_t *const *c, unsigned count)
{
    hg_kept_rows *rows = &k->rows[HG_KEPT_NODE_ROWS];
    uint32_t names[2];
    uint32_t edges[2];
    uint32_t *last;
    bool room;
    ts_code code =
        make_room_for(&room, k, HG_KEPT_NODE_ROWS, c[TS_C_js_heap_nodes__file_id][0], count);
    if (!room) {
        return code;
    }
    put_pairs(rows->columns[HG_KEPT_NODE_NAME] + rows->n, names, c[TS_C_js_heap_nodes__type],
              c[TS_C_js_heap_nodes__name], HG_KEPT_NAME_BITS, count);
    last = rows->columns[HG_KEPT_NODE_EDGES] + rows->n;
    put_pairs(last, edges, c[TS_C_js_heap_nodes__detachedness], c[TS_C_js_heap_nodes__edge_count],
              HG_KEPT_EDGE_BITS, count);
    for (unsigned i = 0; i < count && edges[0] > 3; i++) { /* as in rows: two bits */
        last[i] &= (UINT32_C(4) << HG_KEPT_EDGE_BITS) - 1;
    }
    memcpy(rows->columns[HG_KEPT_NODE_ID] + rows->n, c[TS_C_js_heap_nodes__id],
           count * sizeof(uint32_t));
    memcpy(rows->columns[HG_KEPT_NODE_SIZE] + rows->n, c[TS_C_js_heap_nodes__self_size],
           count * sizeof(uint32_t));
    rows->n += count;
    if (names[0] >= HG_KEPT_TYPES || names[1] > HG_KEPT_NAME || edges[1] > HG_KEPT_EDGES) {
        hg_keep_forget(k, HG_KEPT_NODE_ROWS);
    }
    return TS_OK;
}

static ts_code see_columns(void *self, enum ts_table_id table, const uint32_t *const *columns,
                           unsigned count)
{
    return table == TS_T_js_heap_edges ? see_edges(self, columns, count)
                                       : see_nodes(self, columns, count);
}

static ts_code see_row(void *self, enum ts_table_id table, const void *row)
{
    return table == TS_T_js_heap_edges ? see_edge(self, row) : see_node(self, row);
}

static void rows_change(void *self, enum ts_table_id table)
{
    hg_keep_forget(self, table == TS_T_js_heap_edges ? HG_KEPT_EDGE_ROWS : HG_KEPT_NODE_ROWS);
}

ts_code hg_keep_begin(ts_sink_watch **watch, ts_ctx *ctx, const ts_sink *sink)
{
    hg_kept *k = ts_zalloc(ctx, 1, sizeof *k);
    TS_NEED(ctx, k);
    k->ctx = ctx;
    k->sink = sink;
    k->watch.self = k;
    k->watch.seen = see_row;
    k->watch.seen_columns = see_columns;
    k->watch.changed = rows_change;
    k->watch.tables[TS_T_js_heap_nodes] = true;
    k->watch.tables[TS_T_js_heap_edges] = true;
    *watch = &k->watch;
    return TS_OK;
}

void hg_keep_end(ts_sink_watch *watch)
{
    hg_kept *k = watch == NULL ? NULL : watch->self;
    if (k != NULL) {
        hg_keep_forget(k, HG_KEPT_NODE_ROWS);
        hg_keep_forget(k, HG_KEPT_EDGE_ROWS);
        ts_free(k->ctx, k);
    }
}

hg_kept *hg_kept_of(const ts_sink *sink)
{
    return sink->watch != NULL && sink->watch->seen == see_row ? sink->watch->self : NULL;
}

bool hg_is_kept(const hg_kept *k, enum hg_kept_table table, int64_t file_id, int64_t first,
                int64_t count)
{
    return k != NULL && count > 0 && k->file_id == file_id && !k->rows[table].lost &&
           k->rows[table].first == first && k->rows[table].n == (size_t)count;
}
