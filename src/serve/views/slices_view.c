/* GET slices: the calls of threads in a range, those below a pixel added up. */
#include "serve/views/timeline.h"

#include "serve/views/frame_tree.h"

enum { P_THREADS, P_FROM, P_TO, P_PX };
enum { SLICE_THREADS = 64, SLICE_ROWS = 20000, SLICE_DEPTH_BITS = 21 };

const ts_view_param ts_slices_params[] = {
    TS_PARAM_THREADS(true, "itid of threads"),
    TS_PARAM_TIME("from", true),
    TS_PARAM_TIME("to", true),
    TS_PARAM_PX(1, 4096, 1600, "columns: calls shorter than one are added up"),
    {.name = NULL}};

typedef struct slice {
    int64_t depth; /* INT64_MIN: not known */
    int64_t ts;
    int64_t id;
    int64_t dur;
    uint32_t node; /* of a traced call */
    uint32_t name; /* of a slice of the system: place in `names` */
} slice;

/* Short calls of one depth in one column. */
typedef struct slice_sum {
    int64_t key; /* column and depth */
    uint64_t n;
    ts_wide ns;
} slice_sum;

typedef struct slice_thread {
    slice *heap; /* the first SLICE_ROWS by depth, ts and id; the last of them on top */
    unsigned n;
    bool more;
    ts_idmap keys; /* to places in sums */
    ts_vec sums;   /* of slice_sum */
} slice_thread;

typedef struct slices {
    ts_view_call *call;
    const ts_paths *paths;
    const ts_view_value *threads;
    int64_t origin;
    int64_t from;
    int64_t to;
    int64_t width;
    int64_t first_column;
    slice_thread all[SLICE_THREADS];
    const ts_time_lanes *lanes; /* of the table that is read */
    unsigned kept;              /* thread whose rows, which are kept, are looked at */
    ts_vec wide;                /* int64_t: ids of rows that are shown by themselves */
    bool only_wide;             /* the others were added up */
    ts_pool names;
    ts_method_list methods;
} slices;

static bool slice_before(const slice *a, const slice *b)
{
    return a->depth != b->depth ? a->depth < b->depth
           : a->ts != b->ts     ? a->ts < b->ts
                                : a->id < b->id;
}

static void slice_down(slice *heap, unsigned n, unsigned at)
{
    for (;;) {
        unsigned last = at;
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2 && child < n; child++) {
            last = slice_before(&heap[last], &heap[child]) ? child : last;
        }
        if (last == at) {
            return;
        }
        slice moved = heap[at];
        heap[at] = heap[last];
        heap[last] = moved;
        at = last;
    }
}

static ts_code slice_keep(slice_thread *t, ts_ctx *ctx, const slice *s)
{
    if (t->heap == NULL && (t->heap = ts_alloc(ctx, SLICE_ROWS, sizeof *t->heap)) == NULL) {
        return ctx->error.code;
    }
    if (t->n == SLICE_ROWS) {
        t->more = true;
        if (slice_before(s, &t->heap[0])) {
            t->heap[0] = *s;
            slice_down(t->heap, t->n, 0);
        }
        return TS_OK;
    }
    unsigned at = t->n++;
    t->heap[at] = *s;
    while (at > 0 && slice_before(&t->heap[(at - 1) / 2], &t->heap[at])) {
        slice moved = t->heap[at];
        t->heap[at] = t->heap[(at - 1) / 2];
        t->heap[(at - 1) / 2] = moved;
        at = (at - 1) / 2;
    }
    return TS_OK;
}

/* The greatest multiple of width that is not above the time, as a number of widths. */
static int64_t column_of(int64_t ts, int64_t width)
{
    int64_t column = ts / width;
    return ts % width < 0 ? column - 1 : column;
}

static ts_code slice_add(slices *s, slice_thread *t, const slice *one)
{
    ts_ctx *ctx = ts_view_ctx(s->call);
    int64_t begin = one->ts < s->to ? one->ts : s->to;
    int64_t column = column_of(ts_sat_sub(begin, s->origin), s->width) - s->first_column;
    uint64_t place;
    if (one->depth != INT64_MIN && (one->depth < 0 || one->depth >= (1 << SLICE_DEPTH_BITS) - 1)) {
        return ts_fail(ctx, TS_ERR_INPUT, "call %lld has an impossible depth", (long long)one->id);
    }
    int64_t key = column * (1 << SLICE_DEPTH_BITS) + (one->depth == INT64_MIN ? 0 : one->depth + 1);
    if (!ts_idmap_find(&place, &t->keys, key)) {
        slice_sum *sum = ts_vec_add(ctx, &t->sums, sizeof *sum);
        TS_NEED(ctx, sum);
        sum->key = key;
        place = t->sums.n - 1;
        TS_TRY(ts_idmap_put(ctx, &t->keys, key, place));
    }
    slice_sum *sum = (slice_sum *)t->sums.p + place;
    sum->n++;
    sum->ns += one->dur;
    return TS_OK;
}

enum { S_ITID, S_TS, S_DUR, S_DEPTH, S_NODE, S_NAME = S_NODE, S_ID, S_COOKIE };

static ts_code slices_row(slices *s, const ts_batch *b, unsigned i)
{
    ts_ctx *ctx = ts_view_ctx(s->call);
    bool mark = s->lanes->kind == TS_LANE_SLICE;
    ts_cell itid = ts_cell_of(b, S_ITID, i);
    ts_cell ts = ts_cell_of(b, S_TS, i);
    ts_cell dur = ts_cell_of(b, S_DUR, i);
    ts_cell depth = ts_cell_of(b, S_DEPTH, i);
    unsigned k = 0;
    while (k < s->threads->id_count && (itid.null || s->threads->ids[k] != itid.value)) {
        k++;
    }
    if (mark && dur.null && !ts.null && s->lanes->end >= ts.value) { /* lasts to the end */
        dur = (ts_cell){ts_sat_sub(s->lanes->end, ts.value), false};
    }
    if (k == s->threads->id_count || ts.null || dur.null || ts.value >= s->to ||
        ts_sat_add(ts.value, dur.value) <= s->from || (mark && !b->columns[S_COOKIE].null[i]) ||
        (s->only_wide && dur.value < s->width)) {
        return TS_OK;
    }
    slice one = {.depth = depth.null ? INT64_MIN : depth.value,
                 .ts = ts.value,
                 .id = mark ? b->columns[S_ID].ints[i] : b->rowids[i],
                 .dur = dur.value,
                 .node = TS_NO_INDEX,
                 .name = TS_NO_INDEX};
    ts_code code = TS_OK;
    if (mark) {
        TS_TRY_INTO(code,
                    ts_pool_intern(ctx, &one.name, NULL, &s->names, ts_cell_text(b, S_NAME, i)));
    } else if (!b->columns[S_NODE].null[i]) {
        int64_t node = b->columns[S_NODE].ints[i];
        one.node = ts_ids_find(&s->paths->nodes, node);
        if (one.node == TS_NO_INDEX) {
            return ts_fail(ctx, TS_ERR_INPUT, "no call path %lld", (long long)node);
        }
    }
    return dur.value >= s->width ? slice_keep(&s->all[k], ctx, &one)
                                 : slice_add(s, &s->all[k], &one);
}

/* The lanes of the threads. */
static ts_code slices_lanes(bool **wanted, slices *s, ts_lane_kind kind)
{
    ts_ctx *ctx = ts_view_ctx(s->call);
    TS_TRY(ts_time_lanes_get(&s->lanes, s->call->views->model, kind));
    const ts_lane *lanes = s->lanes->lanes.p;
    *wanted = ts_zalloc(ctx, s->lanes->lanes.n + 1, sizeof **wanted);
    TS_NEED(ctx, *wanted);
    for (size_t i = 0; i < s->lanes->lanes.n; i++) {
        (*wanted)[i] = !lanes[i].itid.null && ts_view_has(s->threads, lanes[i].itid.value);
    }
    return TS_OK;
}

/* Adds up a slice that is short, of the others keeps the row. */
static ts_code slices_kept(void *user, const ts_lane_row *row)
{
    slices *s = user;
    ts_ctx *ctx = ts_view_ctx(s->call);
    const slice one = {.depth = row->depth < 0 ? INT64_MIN : row->depth,
                       .ts = row->ts,
                       .id = row->rowid,
                       .dur = ts_sat_sub(row->end, row->ts)};
    if (row->ts >= s->to || row->end <= s->from) {
        return TS_OK;
    }
    return one.dur >= s->width ? ts_vec_push(ctx, &s->wide, &row->rowid, sizeof row->rowid)
                               : slice_add(s, &s->all[s->kept], &one);
}

/* The rows that are to be read: of kept ones the wide. */
static ts_code slices_walk(ts_lane_walk *walk, slices *s, const bool *wanted, ts_rows *rows)
{
    ts_model *m = s->call->views->model;
    const ts_lane *lanes = s->lanes->lanes.p;
    ts_code code = TS_OK;
    s->only_wide = s->lanes->kept;
    if (!s->only_wide) {
        return ts_lane_walk_begin(walk, m, s->lanes, wanted, s->from, s->to, rows);
    }
    for (size_t i = 0; code == TS_OK && i < s->lanes->lanes.n; i++) {
        for (s->kept = 0; wanted[i] && s->threads->ids[s->kept] != lanes[i].itid.value;) {
            s->kept++;
        }
        TS_STEP_IF(code, wanted[i] && lanes[i].number == 0,
                   ts_lane_rows_each(m, s->lanes, &lanes[i], s->from, s->to, slices_kept, s));
    }
    TS_STEP(code, ts_lane_walk_rows(walk, m, s->wide.p, s->wide.n, rows));
    return code;
}

/* Traced calls, or slices of the system. */
static ts_code slices_scan(slices *s, ts_lane_kind kind)
{
    static const unsigned calls[] = {TS_C_stack_slice__itid, TS_C_stack_slice__ts,
                                     TS_C_stack_slice__dur, TS_C_stack_slice__depth,
                                     TS_C_stack_slice__node_id};
    static const unsigned marks[] = {
        TS_C_callstack__callid, TS_C_callstack__ts, TS_C_callstack__dur,   TS_C_callstack__depth,
        TS_C_callstack__name,   TS_C_callstack__id, TS_C_callstack__cookie};
    bool mark = kind == TS_LANE_SLICE;
    const ts_rows_from from = ts_view_rows(s->call);
    const ts_batch *b;
    ts_rows *rows = NULL;
    ts_lane_walk walk = {0};
    unsigned n = 1;
    bool *wanted = NULL;
    ts_code code = slices_lanes(&wanted, s, kind);
    if (code == TS_OK && s->lanes->lanes.n > 0 &&
        (code = ts_rows_open(&rows, &from, mark ? TS_T_callstack : TS_T_stack_slice,
                             mark ? marks : calls, mark ? 7 : 5)) == TS_OK) {
        code = slices_walk(&walk, s, wanted, rows);
    }
    while (code == TS_OK && rows != NULL && n > 0 &&
           (code = ts_lane_walk_next(&b, &n, &walk)) == TS_OK) {
        for (unsigned i = 0; code == TS_OK && i < n; i++) {
            code = slices_row(s, b, i);
        }
    }
    ts_rows_close(rows);
    ts_lane_walk_free(ts_view_ctx(s->call), &walk);
    ts_free(ts_view_ctx(s->call), wanted);
    return code;
}

static void put_slices(slices *s, const slice_thread *t)
{
    static const char *const names[] = {"id", "ts", "dur", "depth", "node", "method", "name"};
    ts_jout *out = s->call->out;
    for (unsigned column = 0; column < 7; column++) {
        ts_jout_open(out, names[column], '[');
        for (unsigned i = 0; i < t->n; i++) {
            const slice *one = &t->heap[i];
            uint32_t method = one->node == TS_NO_INDEX ? TS_NO_INDEX : s->paths->method[one->node];
            const int64_t values[] = {
                one->id,
                ts_sat_sub(one->ts, s->origin),
                one->dur,
                one->depth,
                one->node == TS_NO_INDEX ? INT64_MIN : ts_ids_at(&s->paths->nodes, one->node),
                method == TS_NO_INDEX ? -1 : (int64_t)s->methods.number[method],
                one->name == TS_NO_INDEX ? -1 : (int64_t)one->name};
            if (column >= 3 && values[column] == INT64_MIN) {
                ts_jout_null(out, NULL);
            } else {
                ts_jout_int(out, NULL, values[column]);
            }
        }
        ts_jout_close(out, ']');
    }
    ts_jout_bool(out, "more", t->more);
}

/* Sums in the order of columns and depths. */
static void put_sums(slices *s, slice_thread *t)
{
    static const char *const names[] = {"x", "depth", "n", "ns"};
    ts_jout *out = s->call->out;
    const slice_sum *sums = t->sums.p;
    size_t n = t->sums.n;
    bool capped = false;
    ts_view_by_key(&t->sums, sizeof *sums);
    ts_jout_open(out, "small", '{');
    for (unsigned column = 0; column < 4; column++) {
        ts_jout_open(out, names[column], '[');
        for (size_t i = 0; i < n && i < SLICE_ROWS; i++) {
            const slice_sum *sum = &sums[i];
            int64_t x = column_of(sum->key, 1 << SLICE_DEPTH_BITS);
            int64_t depth = sum->key - x * (1 << SLICE_DEPTH_BITS) - 1;
            if (column == 1 && depth < 0) {
                ts_jout_null(out, NULL);
            } else if (column < 2) {
                ts_jout_int(out, NULL, column == 0 ? ts_sat_add(x, s->first_column) : depth);
            } else if (column == 2) {
                ts_jout_uint(out, NULL, sum->n);
            } else {
                ts_jout_int(out, NULL, ts_wide_cap(sum->ns, &capped));
            }
        }
        ts_jout_close(out, ']');
    }
    ts_jout_bool(out, "more", n > SLICE_ROWS);
    ts_jout_close(out, '}');
}

/* Sorts what is kept, and numbers its methods. */
static ts_code slices_sort(slices *s, slice_thread *t)
{
    ts_ctx *ctx = ts_view_ctx(s->call);
    for (unsigned end = t->n; end > 1; end--) {
        slice last = t->heap[0];
        t->heap[0] = t->heap[end - 1];
        t->heap[end - 1] = last;
        slice_down(t->heap, end - 1, 0);
    }
    for (unsigned i = 0; i < t->n; i++) {
        uint32_t number;
        uint32_t node = t->heap[i].node;
        TS_TRY(node == TS_NO_INDEX
                   ? TS_OK
                   : ts_method_list_add(&number, ctx, &s->methods, s->paths->method[node]));
    }
    return TS_OK;
}

static ts_code slices_put(slices *s)
{
    ts_jout *out = s->call->out;
    ts_code code = ts_method_list_begin(&s->methods, ts_view_ctx(s->call), s->paths);
    for (unsigned i = 0; code == TS_OK && i < s->threads->id_count; i++) {
        code = slices_sort(s, &s->all[i]);
    }
    if (code != TS_OK) {
        return code;
    }
    ts_jout_open(out, NULL, '{');
    ts_jout_int(out, "px_ns", s->width);
    ts_jout_open(out, "threads", '[');
    for (unsigned i = 0; code == TS_OK && i < s->threads->id_count; i++) {
        ts_jout_open(out, NULL, '{');
        ts_jout_int(out, "itid", s->threads->ids[i]);
        put_slices(s, &s->all[i]);
        put_sums(s, &s->all[i]);
        ts_jout_close(out, '}');
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "names", '[');
    for (uint32_t i = 0; i < s->names.count; i++) {
        ts_view_text(out, NULL, ts_pool_text(&s->names, i));
    }
    ts_jout_close(out, ']');
    TS_STEP(code, ts_method_list_write(s->call, "methods", &s->methods, s->paths));
    ts_jout_close(out, '}');
    return code;
}

ts_code ts_slices_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    slices *s = ts_zalloc(ctx, 1, sizeof *s);
    TS_NEED(ctx, s);
    s->call = call;
    s->threads = ts_view_value_of(call, P_THREADS);
    s->origin = ts_view_db_origin(call->views, call->db);
    s->from = ts_view_time(call, P_FROM, 0);
    s->to = ts_view_time(call, P_TO, 0);
    s->width = ts_view_column(s->from, s->to, ts_view_value_of(call, P_PX)->number);
    s->first_column = column_of(ts_sat_sub(s->from, s->origin), s->width);
    ts_code code = s->threads->id_count <= SLICE_THREADS
                       ? TS_OK
                       : ts_fail(ctx, TS_ERR_USAGE, "more than %d threads", SLICE_THREADS);
    TS_STEP(code, ts_paths_get(&s->paths, call));
    TS_STEP(code, slices_scan(s, TS_LANE_CALL));
    TS_STEP(code, slices_scan(s, TS_LANE_SLICE));
    TS_STEP(code, slices_put(s));
    for (unsigned i = 0; i < SLICE_THREADS; i++) {
        ts_free(ctx, s->all[i].heap);
        ts_idmap_free(ctx, &s->all[i].keys);
        ts_vec_free(ctx, &s->all[i].sums);
    }
    ts_method_list_free(ctx, &s->methods);
    ts_pool_free(ctx, &s->names);
    ts_vec_free(ctx, &s->wide);
    ts_free(ctx, s);
    return code;
}
