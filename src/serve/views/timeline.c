/* GET timeline: how busy threads were in columns of time. GET series: measured values in columns.
 */
#include "serve/views/timeline.h"

#include "serve/views/views_private.h"

#include <inttypes.h>
#include <stdio.h>

enum { P_SOURCE, P_THREADS, P_FROM, P_TO, P_PX, P_OFFSET, P_LIMIT };
enum { TIMELINE_LANES = 256, TIMELINE_COLUMNS = 4000 };

const ts_view_param ts_timeline_params[] = {
    TS_PARAM_SOURCE,
    TS_PARAM_THREADS(false, "itid of threads"),
    TS_PARAM_TIME("from", false),
    TS_PARAM_TIME("to", false),
    TS_PARAM_PX(1, TIMELINE_COLUMNS, 1600, "at most so many columns and one"),
    TS_PARAMS_PAGE(TIMELINE_LANES, TIMELINE_LANES, "threads"),
    {.name = NULL}};

/* A line of the reply: a thread of a source, with all that it was sampled for. */
typedef struct timeline_row {
    ts_cell source;
    ts_cell itid;
} timeline_row;

typedef struct timeline {
    ts_view_call *call;
    const ts_rollup *rollups[TS_KINDS];
    ts_chosen chosen; /* only source and threads */
    uint64_t first;   /* columns are numbered as buckets of this width: */
    uint64_t last;
    unsigned shift;
    bool empty;
    uint64_t number; /* of rows so far */
} timeline;

static bool row_is(const timeline_row *row, ts_cell source, ts_cell itid)
{
    return row->source.null == source.null && row->source.value == source.value &&
           row->itid.null == itid.null && row->itid.value == itid.value;
}

/* The columns: buckets of the least width that gives no more than px, or px + 1. */
static void timeline_columns(timeline *t)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    for (unsigned k = 0; k < TS_KINDS; k++) {
        const ts_lane *lanes = t->rollups[k]->lanes.p;
        for (size_t i = 0; i < t->rollups[k]->lanes.n; i++) {
            if (lanes[i].first <= lanes[i].last) {
                uint64_t a = ts_time_place(lanes[i].first);
                uint64_t b = ts_time_place(lanes[i].last);
                first = a < first ? a : first;
                last = b > last ? b : last;
            }
        }
    }
    if (ts_view_value_of(t->call, P_FROM)->given) {
        first = ts_time_place(ts_view_time(t->call, P_FROM, 0));
    }
    if (ts_view_value_of(t->call, P_TO)->given) {
        uint64_t to = ts_time_place(ts_view_time(t->call, P_TO, 0));
        last = to == 0 ? 0 : to - 1;
    }
    t->empty = first > last;
    uint64_t px = (uint64_t)ts_view_value_of(t->call, P_PX)->number;
    while (!t->empty && t->shift < 63 && (last - first) >> t->shift >= px) {
        t->shift++;
    }
    t->first = first >> t->shift;
    t->last = last >> t->shift;
}

/* The rows of one kind that the request wants. */
static unsigned timeline_rows(timeline_row *rows, timeline *t, const ts_rollup *r)
{
    const ts_lane *lanes = r->lanes.p;
    const ts_page page = ts_view_page(t->call, P_OFFSET);
    unsigned n = 0;
    for (size_t i = 0; i < r->lanes.n; i++) {
        const ts_lane *l = &lanes[i];
        ts_cell source = {l->source, !l->has_source};
        ts_cell itid = {l->itid, !l->has_itid};
        if (l->again || !ts_chosen_row(&t->chosen, source, itid)) {
            continue;
        }
        uint64_t number = t->number++;
        if (number >= page.first && number < page.end && n < TIMELINE_LANES) {
            rows[n++] = (timeline_row){source, itid};
        }
    }
    return n;
}

/* From the buckets of the rollup, which are not wider than the columns. */
static void fill_from_rollup(ts_buckets *b, const timeline_row *rows, unsigned n,
                             const ts_rollup *r)
{
    const ts_lane *lanes = r->lanes.p;
    const ts_buckets *from = &r->buckets;
    unsigned more = b->shift - from->shift;
    for (size_t i = 0; i < r->lanes.n; i++) {
        unsigned row = 0;
        while (row < n && !row_is(&rows[row], (ts_cell){lanes[i].source, !lanes[i].has_source},
                                  (ts_cell){lanes[i].itid, !lanes[i].has_itid})) {
            row++;
        }
        for (uint64_t k = from->lo; row < n && from->lo <= from->hi && k <= from->hi; k++) {
            uint64_t column = k >> more;
            const ts_bucket *part = &from->lanes[i][k % from->per_lane];
            if (column >= b->lo && column <= b->hi) {
                ts_bucket *sum = &b->lanes[row][column % b->per_lane];
                sum->ns += part->ns;
                sum->ns = sum->ns > INT64_MAX ? INT64_MAX : sum->ns;
                sum->starts += part->starts;
            }
        }
    }
}

enum { T_SOURCE, T_ITID, T_TS, T_DUR, T_OTHER }; /* node of samples, parent of calls */

static void fill_row(ts_buckets *b, const timeline_row *rows, unsigned n, unsigned *last,
                     ts_kind kind, const ts_paths *paths, const ts_batch *batch, unsigned i)
{
    ts_cell source = ts_cell_of(batch, T_SOURCE, i);
    ts_cell itid = ts_cell_of(batch, T_ITID, i);
    ts_cell ts = ts_cell_of(batch, T_TS, i);
    ts_cell dur = ts_cell_of(batch, T_DUR, i);
    ts_cell other = ts_cell_of(batch, T_OTHER, i);
    int64_t low = ts_time_at(b->lo << b->shift);
    int64_t high = ts_time_at((b->hi << b->shift) + ((UINT64_C(1) << b->shift) - 1));
    unsigned row = *last;
    if (ts.null || ts.value > high) {
        return;
    }
    if (!row_is(&rows[row], source, itid)) {
        for (row = 0; row < n && !row_is(&rows[row], source, itid);) {
            row++;
        }
        if (row == n) {
            return;
        }
        *last = row;
    }
    bool busy = !dur.null && dur.value > 0;
    if (kind == TS_KIND_SLICE) {
        busy = busy && other.null;
    } else if (busy && !other.null) {
        uint32_t node = ts_ids_find(&paths->nodes, other.value);
        busy = node == TS_NO_INDEX || paths->method[node] == TS_NO_INDEX ||
               paths->idle[paths->method[node]] != TS_IDLE;
    }
    int64_t end = busy ? ts_sat_add(ts.value, dur.value) : ts.value;
    if (ts.value >= low) {
        ts_bucket *begin = &b->lanes[row][(ts_time_place(ts.value) >> b->shift) % b->per_lane];
        begin->starts++;
    }
    int64_t first = ts.value > low ? ts.value : low;
    end = end <= high ? end : ts_sat_add(high, 1);
    if (busy && end > first) {
        ts_buckets_add_time(b, row, first, end);
    }
}

static ts_code fill_from_rows(ts_buckets *b, timeline *t, const timeline_row *rows, unsigned n,
                              ts_kind kind)
{
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__ts, TS_C_stack_sample__dur,
                                       TS_C_stack_sample__node_id};
    static const unsigned slices[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__itid,
                                      TS_C_stack_slice__ts, TS_C_stack_slice__dur,
                                      TS_C_stack_slice__parent_id};
    bool sample = kind == TS_KIND_SAMPLE;
    const ts_rows_from from = ts_view_rows(t->call);
    const ts_paths *paths = NULL;
    const ts_batch *batch;
    ts_rows *scan = NULL;
    ts_zone_walk walk;
    unsigned count = 1;
    unsigned last = 0;
    int64_t low = ts_time_at(b->lo << b->shift);
    int64_t high = ts_time_at((b->hi << b->shift) + ((UINT64_C(1) << b->shift) - 1));
    ts_code code = ts_paths_get(&paths, t->call);
    TS_STEP(code, ts_rows_open(&scan, &from, sample ? TS_T_stack_sample : TS_T_stack_slice,
                               sample ? samples : slices, 5));
    ts_zone_walk_begin(&walk, &t->rollups[kind]->zones, scan, low, ts_sat_add(high, 1),
                       ts_chosen_threads(&t->chosen));
    while (code == TS_OK && count > 0 &&
           (code = ts_zone_walk_next(&batch, &count, &walk)) == TS_OK) {
        for (unsigned i = 0; i < count; i++) {
            fill_row(b, rows, n, &last, kind, paths, batch, i);
        }
    }
    ts_rows_close(scan);
    ts_buckets_finish(b);
    return code;
}

static void timeline_put_row(ts_jout *out, const timeline_row *row, const ts_buckets *b,
                             unsigned lane, ts_kind kind)
{
    ts_jout_open(out, NULL, '{');
    ts_jout_str(out, "kind", kind == TS_KIND_SAMPLE ? "sample" : "slice");
    for (unsigned i = 0; i < 2; i++) {
        ts_cell cell = i == 0 ? row->source : row->itid;
        if (cell.null) {
            ts_jout_null(out, i == 0 ? "source_id" : "itid");
        } else {
            ts_jout_int(out, i == 0 ? "source_id" : "itid", cell.value);
        }
    }
    for (unsigned part = 0; part < 2; part++) {
        ts_jout_open(out, part == 0 ? "busy" : "starts", '[');
        for (uint64_t k = 0; k <= b->hi - b->lo; k++) {
            const ts_bucket *one = &b->lanes[lane][(b->lo + k) % b->per_lane];
            ts_jout_uint(out, NULL, part == 0 ? one->ns : one->starts);
        }
        ts_jout_close(out, ']');
    }
    ts_jout_close(out, '}');
    ts_jout_line(out);
}

static ts_code timeline_kind(timeline *t, ts_kind kind)
{
    ts_ctx *ctx = ts_view_ctx(t->call);
    timeline_row rows[TIMELINE_LANES];
    const ts_rollup *r = t->rollups[kind];
    unsigned n = timeline_rows(rows, t, r);
    ts_buckets b = {.shift = t->shift, .per_lane = TS_BUCKETS, .lo = t->first, .hi = t->last};
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < n; i++) {
        code = ts_buckets_lane(ctx, &b);
    }
    if (code == TS_OK && n > 0) {
        if (t->shift >= r->buckets.shift) {
            fill_from_rollup(&b, rows, n, r);
        } else {
            code = fill_from_rows(&b, t, rows, n, kind);
        }
    }
    for (unsigned i = 0; code == TS_OK && i < n; i++) {
        timeline_put_row(t->call->out, &rows[i], &b, i, kind);
    }
    ts_buckets_free(ctx, &b);
    return code;
}

ts_code ts_timeline_run(ts_view_call *call)
{
    static const ts_view_value none;
    timeline t = {.call = call};
    ts_code code = TS_OK;
    for (unsigned k = 0; code == TS_OK && k < TS_KINDS; k++) {
        code = ts_rollup_get(&t.rollups[k], call, (ts_kind)k);
    }
    if (code != TS_OK) {
        return code;
    }
    t.chosen = (ts_chosen){.source = ts_view_value_of(call, P_SOURCE),
                           .threads = ts_view_value_of(call, P_THREADS),
                           .event = &none};
    timeline_columns(&t);
    ts_jout_open(call->out, NULL, '{');
    if (t.empty) {
        ts_jout_int(call->out, "columns", 0);
        ts_jout_open(call->out, "threads", '[');
    } else {
        ts_jout_int(call->out, "from", ts_view_since(call, ts_time_at(t.first << t.shift)));
        ts_jout_uint(call->out, "step", UINT64_C(1) << t.shift);
        ts_jout_uint(call->out, "columns", t.last - t.first + 1);
        ts_jout_open(call->out, "threads", '[');
        for (unsigned k = 0; code == TS_OK && k < TS_KINDS; k++) {
            code = timeline_kind(&t, (ts_kind)k);
        }
    }
    ts_jout_close(call->out, ']');
    ts_jout_uint(call->out, "row_count", t.number);
    ts_jout_close(call->out, '}');
    return code;
}

/* --- series ----------------------------------------------------------------------------------- */

enum { S_SOURCE, S_THREADS, S_FROM, S_TO, S_PX, SERIES_ROWS = 20000, ID_DIGITS = 21 };

const ts_view_param ts_series_params[] = {
    TS_PARAM_SOURCE,
    TS_PARAM_ANY("thr", "itid of the thread; else series of all, and of none"),
    TS_PARAM_TIME("from", true),
    TS_PARAM_TIME("to", true),
    TS_PARAM_PX(1, TIMELINE_COLUMNS, 1600, "columns"),
    {.name = NULL}};

int64_t ts_view_column(int64_t from, int64_t to, int64_t px)
{
    uint64_t span = to > from ? (uint64_t)to - (uint64_t)from : 1;
    uint64_t width = span / (uint64_t)px + (span % (uint64_t)px != 0);
    return width > INT64_MAX ? INT64_MAX : (int64_t)width;
}

static const char series_sql[] =
    "SELECT s.id, s.itid, s.name, s.unit, "
    "(v.ts - ?1 - ((v.ts - ?1) % ?2 + ?2) % ?2) / ?2 AS x, min(v.value), max(v.value), "
    "avg(v.value) FROM timeseries AS s CROSS JOIN timeseries_value AS v ON v.series_id = s.id "
    "WHERE (?3 IS NULL OR s.itid = ?3) AND (?4 IS NULL OR instr(?4, ',' || s.source_id || ',')) "
    "AND v.ts >= ?5 "
    "AND v.ts < ?6 GROUP BY s.id, 5 LIMIT ?7";

/* Rows come sorted by series; a new one closes the one before. */
static ts_code series_rows(ts_view_call *call, sqlite3_stmt *stmt, int64_t *rows)
{
    const ts_rows_from from = ts_view_rows(call);
    static const char *const names[] = {"id", "itid", "name", "unit"};
    ts_jout *out = call->out;
    int64_t series = 0;
    bool row = true;
    ts_code code;
    while ((code = ts_stmt_step(&row, &from, stmt)) == TS_OK && row) {
        if (*rows == 0 || sqlite3_column_int64(stmt, 0) != series) {
            if (*rows > 0) {
                ts_jout_close(out, ']');
                ts_jout_close(out, '}');
            }
            series = sqlite3_column_int64(stmt, 0);
            ts_jout_open(out, NULL, '{');
            for (int i = 0; i < 4; i++) {
                ts_view_cell(out, names[i], stmt, i);
            }
            ts_jout_open(out, "rows", '[');
        }
        ts_jout_open(out, NULL, '[');
        for (int i = 4; i < 8; i++) {
            ts_view_cell(out, NULL, stmt, i);
        }
        ts_jout_close(out, ']');
        ++*rows;
    }
    if (*rows > 0) {
        ts_jout_close(out, ']');
        ts_jout_close(out, '}');
    }
    return code;
}

ts_code ts_series_run(ts_view_call *call)
{
    const ts_rows_from from = ts_view_rows(call);
    int64_t low = ts_view_time(call, S_FROM, 0);
    int64_t high = ts_view_time(call, S_TO, 0);
    int64_t width = ts_view_column(low, high, ts_view_value_of(call, S_PX)->number);
    const ts_view_value *source = ts_view_value_of(call, S_SOURCE);
    int64_t rows = 0;
    sqlite3_stmt *stmt = NULL;
    ts_code code;
    TS_TRY(code, ts_stmt_prepare(&stmt, &from, series_sql));
    sqlite3_bind_int64(stmt, 1, ts_view_db_origin(call->views, call->db));
    sqlite3_bind_int64(stmt, 2, width);
    if (ts_view_value_of(call, S_THREADS)->given) {
        sqlite3_bind_int64(stmt, 3, ts_view_value_of(call, S_THREADS)->number);
    }
    if (source->given) {
        char ids[TS_VIEW_IDS * ID_DIGITS + 2] = ",";
        int n = 1;
        for (unsigned i = 0; i < source->id_count; i++) {
            n += snprintf(ids + n, sizeof ids - (size_t)n, "%" PRId64 ",", source->ids[i]);
        }
        sqlite3_bind_text(stmt, 4, ids, n, SQLITE_TRANSIENT);
    }
    sqlite3_bind_int64(stmt, 5, low);
    sqlite3_bind_int64(stmt, 6, high);
    sqlite3_bind_int64(stmt, 7, SERIES_ROWS);
    ts_jout_open(call->out, NULL, '{');
    ts_jout_int(call->out, "px_ns", width);
    ts_jout_open(call->out, "series", '[');
    code = series_rows(call, stmt, &rows);
    ts_jout_close(call->out, ']');
    ts_jout_bool(call->out, "truncated", rows == SERIES_ROWS);
    ts_jout_close(call->out, '}');
    sqlite3_finalize(stmt);
    return code;
}
