/* GET heap/objects: the nodes of a class, or all; GET heap/allocations: what of each time is left.
 */
#include "serve/views/heap_private.h"

enum { P_CLASS = 1, P_ID_FROM, P_ID_TO, P_OFFSET, P_LIMIT };

const ts_view_param ts_heap_objects_params[] = {
    TS_PARAM_FILE,
    {.name = "class", .type = TS_VIEW_INT, .most = UINT32_MAX, .doc = "id of heap/classes"},
    TS_PARAM_ANY("id_from", "only ids above it"),
    TS_PARAM_ANY("id_to", "only ids up to it"),
    TS_PARAMS_PAGE(10000, 100, "rows"),
    {.name = NULL}};

/* Nodes that fit, by their places in the arrays. */
typedef struct objects {
    ts_view_call *call;
    ts_heap_file file;
    const ts_heap_classes *classes;
    bool by_class;
    uint32_t class;
    ts_vec nodes; /* uint32_t */
    ts_vec sizes; /* int64_t; INT64_MIN: NULL */
} objects;

enum { O_TYPE, O_NAME, O_ID, O_SIZE };

static ts_code objects_row(void *user, const ts_batch *b, unsigned i)
{
    objects *o = user;
    ts_ctx *ctx = ts_view_ctx(o->call);
    const ts_view_value *above = ts_view_value_of(o->call, P_ID_FROM);
    const ts_view_value *to = ts_view_value_of(o->call, P_ID_TO);
    ts_cell id = ts_cell_of(b, O_ID, i);
    ts_cell size = ts_cell_of(b, O_SIZE, i);
    if ((above->given && (id.null || id.value <= above->number)) ||
        (to->given && (id.null || id.value > to->number)) ||
        (o->by_class && ts_heap_class_of(o->classes, &o->file, ts_cell_of(b, O_TYPE, i),
                                         ts_cell_of(b, O_NAME, i)) != o->class)) {
        return TS_OK;
    }
    uint32_t *node = ts_vec_add(ctx, &o->nodes, sizeof *node);
    int64_t *own = node == NULL ? NULL : ts_vec_add(ctx, &o->sizes, sizeof *own);
    TS_NEED(ctx, own);
    *node = (uint32_t)(b->rowids[i] - o->file.at.first_node);
    *own = size.null ? INT64_MIN : size.value;
    return TS_OK;
}

static ts_code objects_scan(objects *o)
{
    static const unsigned columns[] = {TS_C_js_heap_nodes__type, TS_C_js_heap_nodes__name,
                                       TS_C_js_heap_nodes__id, TS_C_js_heap_nodes__self_size};
    return ts_heap_each(o->call->views->model, TS_T_js_heap_nodes, o->file.at.first_node,
                        o->file.at.node_count, columns, 4, "reading objects", objects_row, o);
}

static int by_own_size(const void *user, uint32_t a, uint32_t b)
{
    const int64_t *sizes = user;
    return (sizes[a] < sizes[b]) - (sizes[a] > sizes[b]);
}

static ts_code objects_put(objects *o)
{
    ts_ctx *ctx = ts_view_ctx(o->call);
    ts_jout *out = o->call->out;
    const ts_rows_from from = ts_view_rows(o->call);
    const ts_page page = ts_view_page(o->call, P_OFFSET);
    const uint32_t *nodes = o->nodes.p;
    size_t n = o->nodes.n;
    ts_heap_rows rows = {0};
    sqlite3_stmt *stmt = NULL;
    uint32_t *places = NULL;
    ts_code code = ts_heap_order(&places, ctx, n, by_own_size, o->sizes.p);
    TS_STEP_IF(code, o->file.at.analysed,
               ts_stmt_prepare(&stmt, &from,
                               "SELECT distance, shallow_size, retained_size "
                               "FROM js_heap_retained WHERE rowid = ?1"));
    if (code == TS_OK && (code = ts_heap_rows_open(&rows, o->call, &o->file)) == TS_OK) {
        ts_jout_open(out, NULL, '{');
        ts_heap_table(out,
                      o->file.at.analysed
                          ? "id,type,name,self_size,edge_count,node_index,distance,shallow_size,"
                            "retained_size"
                          : "id,type,name,self_size,edge_count,node_index");
        for (uint64_t i = page.first; code == TS_OK && i < n && i < page.end; i++) {
            uint32_t node = nodes[places[i]];
            ts_jout_open(out, NULL, '[');
            code = ts_heap_put_node(&rows, node);
            ts_jout_uint(out, NULL, node);
            TS_STEP_IF(code, stmt != NULL, ts_heap_put_retained(&rows, stmt, node, 3));
            ts_jout_close(out, ']');
        }
        ts_heap_table_end(out, n);
        ts_jout_close(out, '}');
    }
    ts_heap_rows_close(&rows);
    sqlite3_finalize(stmt);
    ts_free(ctx, places);
    return code;
}

ts_code ts_heap_objects_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    const ts_view_value *class = ts_view_value_of(call, P_CLASS);
    objects *o = ts_zalloc(ctx, 1, sizeof *o);
    TS_NEED(ctx, o);
    o->call = call;
    o->by_class = class->given;
    ts_code code = ts_heap_file_asked(&o->file, call);
    if (code == TS_OK && o->by_class) {
        code = ts_heap_classes_get(&o->classes, call->views->model, &o->file);
        o->class = (uint32_t) class->number;
        TS_STEP_IF(code, o->class >= o->classes->classes.n,
                   ts_fail(ctx, TS_ERR_USAGE, "heap file %lld has no class %u",
                           (long long)o->file.at.file_id, o->class));
    }
    TS_STEP(code, objects_scan(o));
    TS_STEP(code, objects_put(o));
    ts_vec_free(ctx, &o->nodes);
    ts_vec_free(ctx, &o->sizes);
    ts_free(ctx, o);
    return code;
}

/* --- heap/allocations ------------------------------------------------------------------------- */

enum { ALLOCATIONS_MOST = 5000 };

const ts_view_param ts_heap_allocations_params[] = {TS_PARAM_FILE, {.name = NULL}};

/* What was allocated up to a time mark and since the one before. */
typedef struct allocation {
    ts_cell timestamp;
    int64_t lo; /* ids above it ... */
    int64_t hi; /* ... up to it */
    uint64_t count;
    ts_wide size;
} allocation;

typedef struct allocations {
    ts_view_call *call;
    ts_heap_file file;
    ts_vec marks; /* of allocation, hi rising */
} allocations;

/* Marks whose ids fall back begin no window: no id is between. */
static ts_code marks_read(allocations *a)
{
    const ts_rows_from from = ts_view_rows(a->call);
    sqlite3_stmt *stmt = NULL;
    int64_t before = 0;
    bool row = true;
    ts_code code = ts_stmt_prepare(&stmt, &from,
                                   "SELECT timestamp_us, last_assigned_id FROM js_heap_sample "
                                   "WHERE file_id = ?1 ORDER BY rowid");
    if (code == TS_OK) {
        sqlite3_bind_int64(stmt, 1, a->file.at.file_id);
    }
    while (code == TS_OK && row && (code = ts_stmt_step(&row, &from, stmt)) == TS_OK && row) {
        if (sqlite3_column_type(stmt, 1) != SQLITE_INTEGER ||
            sqlite3_column_int64(stmt, 1) < before) {
            code = ts_fail(from.ctx, TS_ERR_INPUT,
                           "the heap file is damaged: ids of its time marks do not rise");
            break;
        }
        allocation *one = ts_vec_add(from.ctx, &a->marks, sizeof *one);
        if (one == NULL) {
            code = from.ctx->error.code;
            break;
        }
        one->timestamp = (ts_cell){sqlite3_column_int64(stmt, 0),
                                   sqlite3_column_type(stmt, 0) != SQLITE_INTEGER};
        one->lo = before;
        one->hi = before = sqlite3_column_int64(stmt, 1);
    }
    sqlite3_finalize(stmt);
    return code;
}

/* The window of an id: the first whose hi is not below it. */
static allocation *mark_of(const allocations *a, int64_t id)
{
    allocation *marks = a->marks.p;
    size_t low = 0;
    size_t high = a->marks.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (marks[middle].hi < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < a->marks.n && id > marks[low].lo ? &marks[low] : NULL;
}

static ts_code marks_node(void *user, const ts_batch *b, unsigned i)
{
    ts_cell id = ts_cell_of(b, 0, i);
    allocation *mark = id.null ? NULL : mark_of(user, id.value);
    if (mark != NULL) {
        mark->count++;
        mark->size += b->columns[1].ints[i];
    }
    return TS_OK;
}

static ts_code marks_fill(allocations *a)
{
    static const unsigned columns[] = {TS_C_js_heap_nodes__id, TS_C_js_heap_nodes__self_size};
    return ts_heap_each(a->call->views->model, TS_T_js_heap_nodes, a->file.at.first_node,
                        a->file.at.node_count, columns, 2, "reading objects", marks_node, a);
}

static int by_timestamp(const void *user, uint32_t a, uint32_t b)
{
    const allocation *marks = user;
    ts_cell x = marks[a].timestamp;
    ts_cell y = marks[b].timestamp;
    return x.null != y.null ? y.null - x.null : (x.value > y.value) - (x.value < y.value);
}

/* Bars of equal times are one; neighbours too when there are too many. */
static ts_code marks_put(allocations *a)
{
    ts_ctx *ctx = ts_view_ctx(a->call);
    ts_jout *out = a->call->out;
    const allocation *marks = a->marks.p;
    size_t n = a->marks.n;
    size_t joined = n / ALLOCATIONS_MOST + (n % ALLOCATIONS_MOST != 0);
    uint32_t *places = NULL;
    ts_code code = ts_heap_order(&places, ctx, n, by_timestamp, marks);
    ts_jout_open(out, NULL, '{');
    ts_heap_table(out, "timestamp_us,live_count,live_size,id_from,id_to");
    for (size_t i = 0; code == TS_OK && i < n;) {
        allocation sum = marks[places[i]];
        size_t end = i + 1;
        for (; end < n && (end < i + joined || by_timestamp(marks, places[i], places[end]) == 0);
             end++) {
            const allocation *m = &marks[places[end]];
            sum.timestamp = joined > 1 ? m->timestamp : sum.timestamp;
            sum.count += m->count;
            sum.size += m->size;
            sum.lo = m->lo < sum.lo ? m->lo : sum.lo;
            sum.hi = m->hi > sum.hi ? m->hi : sum.hi;
        }
        i = end;
        ts_jout_open(out, NULL, '[');
        ts_heap_put_number(out, !sum.timestamp.null, sum.timestamp.value);
        ts_jout_uint(out, NULL, sum.count);
        ts_wide_put(out, NULL, sum.size);
        ts_jout_int(out, NULL, sum.lo);
        ts_jout_int(out, NULL, sum.hi);
        ts_jout_close(out, ']');
    }
    ts_jout_close(out, ']');
    ts_jout_close(out, '}');
    ts_free(ctx, places);
    return code;
}

ts_code ts_heap_allocations_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    allocations *a = ts_zalloc(ctx, 1, sizeof *a);
    TS_NEED(ctx, a);
    a->call = call;
    ts_code code = ts_heap_file_asked(&a->file, call);
    TS_STEP(code, marks_read(a));
    TS_STEP(code, marks_fill(a));
    TS_STEP(code, marks_put(a));
    ts_vec_free(ctx, &a->marks);
    ts_free(ctx, a);
    return code;
}
