#include "model/slices.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "model/sample_events.h"
#include "model/stack_tree.h"

typedef struct slices_pass {
    ts_model *m;
    ts_ctx *ctx;
    const ts_select *select;
    const ts_paths *paths;
    ts_events *events; /* which calls are asynchronous */
    ts_vec *below;     /* int64_t by id of marks: time of what is right below them */
    ts_idmap sources;  /* of threads, when some are chosen */
    ts_slice_visit *visit;
    void *user;
} slices_pass;

typedef ts_code slices_row(slices_pass *p, const ts_batch *b, unsigned i);

static ts_code each_row(slices_pass *p, enum ts_table_id table, const unsigned *columns,
                        unsigned count, slices_row *row, const char *what)
{
    const ts_rows_from *from = ts_model_rows(p->m);
    uint64_t done = 0;
    const ts_batch *b;
    ts_rows *rows = NULL;
    if (!ts_rows_there(from, table, columns, count)) {
        return TS_OK;
    }
    ts_code code = ts_rows_open(&rows, from, table, columns, count);
    while (code == TS_OK && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; code == TS_OK && i < b->rows; i++) {
            code = row(p, b, i);
        }
        if (done >> 16 != (done + b->rows) >> 16) {
            ts_model_report(p->m, what, done, ts_rows_count(from, ts_schema[table].name));
        }
        done += b->rows;
    }
    ts_rows_close(rows);
    return code;
}

static bool is_wanted(const slices_pass *p, const ts_slice *s)
{
    return (s->source.null ? p->select->sources.all
                           : ts_idset_has(&p->select->sources, s->source.value)) &&
           ts_select_thread(p->select, !s->itid.null, s->itid.value) &&
           ts_select_ts(p->select, s->ts);
}

/* --- traced calls ----------------------------------------------------------------------------- */

enum { C_SOURCE, C_ITID, C_PARENT, C_NODE, C_TS, C_DUR, C_SELF, C_CPU, C_DEPTH, C_COLUMNS };

static ts_code call_row(slices_pass *p, const ts_batch *b, unsigned i)
{
    ts_cell node = ts_cell_of(b, C_NODE, i);
    ts_slice s = {.id = b->rowids[i],
                  .async = ts_vec_bool(&p->events->async, b->rowids[i]),
                  .parent = b->columns[C_PARENT].null[i] ? -1 : b->columns[C_PARENT].ints[i],
                  .source = ts_cell_of(b, C_SOURCE, i),
                  .itid = ts_cell_of(b, C_ITID, i),
                  .dur = ts_cell_of(b, C_DUR, i),
                  .self = ts_cell_of(b, C_SELF, i),
                  .cpu = ts_cell_of(b, C_CPU, i),
                  .depth = ts_cell_of(b, C_DEPTH, i),
                  .ts = b->columns[C_TS].null[i] ? TS_NO_TIME : b->columns[C_TS].ints[i],
                  .node = TS_NO_INDEX};
    if (!node.null && (s.node = ts_ids_find(&p->paths->nodes, node.value)) == TS_NO_INDEX) {
        return ts_fail(p->ctx, TS_ERR_INPUT, "call %lld: no call path %lld", (long long)s.id,
                       (long long)node.value);
    }
    return is_wanted(p, &s) ? p->visit(p->user, &s) : TS_OK;
}

/* --- slices of the system --------------------------------------------------------------------- */

enum { M_ID, M_COOKIE, M_PARENT, M_DUR, M_TS, M_ITID, M_DEPTH, M_NAME, M_COLUMNS };

/* The slice around it; -1: none. --compat has a number that is none. */
static int64_t mark_parent(const ts_batch *b, unsigned i)
{
    int64_t parent = b->columns[M_PARENT].null[i] ? -1 : b->columns[M_PARENT].ints[i];
    bool is = b->columns[M_COOKIE].null[i] && parent >= 0 && parent < b->columns[M_ID].ints[i];
    return is ? parent : -1;
}

static ts_code below_row(slices_pass *p, const ts_batch *b, unsigned i)
{
    int64_t parent = mark_parent(b, i);
    int64_t dur = b->columns[M_DUR].ints[i]; /* 0: not closed */
    TS_TRY(ts_vec_reach(p->ctx, p->below, b->columns[M_ID].ints[i], sizeof(int64_t)));
    if (parent >= 0 && dur > 0) {
        int64_t *sum = (int64_t *)p->below->p + parent;
        *sum = ts_sat_add(*sum, dur);
    }
    return TS_OK;
}

static ts_cell mark_source(const slices_pass *p, ts_cell itid)
{
    uint64_t source;
    if (itid.null || !ts_idmap_find(&source, &p->sources, itid.value)) {
        return (ts_cell){0, true};
    }
    return (ts_cell){(int64_t)source, false};
}

static ts_code detail_row(slices_pass *p, const ts_batch *b, unsigned i)
{
    return b->columns[0].null[i] || b->columns[1].null[i]
               ? TS_OK
               : ts_idmap_put(p->ctx, &p->sources, b->columns[0].ints[i],
                              (uint64_t)b->columns[1].ints[i]);
}

static ts_code mark_row(slices_pass *p, const ts_batch *b, unsigned i)
{
    const int64_t *below = p->below->p;
    int64_t id = b->columns[M_ID].ints[i];
    ts_slice s = {.mark = true,
                  .id = id,
                  .async = !b->columns[M_COOKIE].null[i],
                  .parent = mark_parent(b, i),
                  .source = mark_source(p, ts_cell_of(b, M_ITID, i)),
                  .itid = ts_cell_of(b, M_ITID, i),
                  .dur = ts_cell_of(b, M_DUR, i),
                  .self = {0, true},
                  .cpu = {0, true},
                  .depth = ts_cell_of(b, M_DEPTH, i),
                  .ts = b->columns[M_TS].null[i] ? TS_NO_TIME : b->columns[M_TS].ints[i],
                  .node = TS_NO_INDEX,
                  .name = ts_cell_text(b, M_NAME, i)};
    if (id < 0 || (uint64_t)id >= p->below->n) {
        return ts_rows_changed(p->ctx, "callstack");
    }
    if (!s.async && !s.dur.null) {
        s.self.null = false;
        s.self.value = s.dur.value > below[id] ? s.dur.value - below[id] : 0;
    }
    return is_wanted(p, &s) ? p->visit(p->user, &s) : TS_OK;
}

static void below_free(ts_ctx *ctx, void *what)
{
    ts_vec_free(ctx, what);
    ts_free(ctx, what);
}

static const unsigned mark_columns[M_COLUMNS] = {[M_ID] = TS_C_callstack__id,
                                                 [M_COOKIE] = TS_C_callstack__cookie,
                                                 [M_PARENT] = TS_C_callstack__parent_id,
                                                 [M_DUR] = TS_C_callstack__dur,
                                                 [M_TS] = TS_C_callstack__ts,
                                                 [M_ITID] = TS_C_callstack__callid,
                                                 [M_DEPTH] = TS_C_callstack__depth,
                                                 [M_NAME] = TS_C_callstack__name};

static ts_code below_make(void **what, ts_model *m, const void *user)
{
    slices_pass p = {.m = m, .ctx = ts_model_ctx(m)};
    (void)user;
    *what = p.below = ts_zalloc(p.ctx, 1, sizeof *p.below);
    TS_NEED(p.ctx, p.below);
    return each_row(&p, TS_T_callstack, mark_columns, M_DUR + 1, below_row, "reading slices");
}

ts_code ts_slices_each(ts_model *m, const ts_select *select, ts_slice_visit *visit, void *user)
{
    static const unsigned calls[C_COLUMNS] = {[C_SOURCE] = TS_C_stack_slice__source_id,
                                              [C_ITID] = TS_C_stack_slice__itid,
                                              [C_PARENT] = TS_C_stack_slice__parent_id,
                                              [C_NODE] = TS_C_stack_slice__node_id,
                                              [C_TS] = TS_C_stack_slice__ts,
                                              [C_DUR] = TS_C_stack_slice__dur,
                                              [C_SELF] = TS_C_stack_slice__self_dur,
                                              [C_CPU] = TS_C_stack_slice__cpu_dur,
                                              [C_DEPTH] = TS_C_stack_slice__depth};
    static const unsigned details[] = {TS_C_thread_detail__itid, TS_C_thread_detail__source_id};
    slices_pass p = {
        .m = m, .ctx = ts_model_ctx(m), .select = select, .visit = visit, .user = user};
    void *below = NULL;
    ts_code code = ts_call_paths(&p.paths, m);
    TS_STEP(code, ts_events_get(&p.events, m));
    TS_STEP(code, each_row(&p, TS_T_stack_slice, calls, C_COLUMNS, call_row, "reading calls"));
    TS_STEP(code, ts_model_keep(&below, m, "slices", "", below_make, below_free, NULL));
    TS_STEP_IF(code, !select->sources.all,
               each_row(&p, TS_T_thread_detail, details, 2, detail_row, "reading threads"));
    p.below = below;
    TS_STEP(code,
            each_row(&p, TS_T_callstack, mark_columns, M_COLUMNS, mark_row, "reading slices"));
    ts_idmap_free(p.ctx, &p.sources);
    return code;
}

/* --- search ----------------------------------------------------------------------------------- */

typedef struct slices_search {
    ts_model *m;
    ts_ctx *ctx;
    const ts_slices_asked *asked;
    ts_slice_hits *hits;
    const ts_paths *paths;
    uint8_t *methods; /* by method: its name fits */
    ts_pool names;    /* of marks */
    ts_vec fits;      /* bool by name */
    ts_buf label;
} slices_search;

enum { L_NAME, L_CLASS, L_PACKAGE, L_COLUMNS };

static const unsigned label_columns[L_COLUMNS] = {TS_C_stack_method__name, TS_C_stack_method__class,
                                                  TS_C_stack_method__package};

static ts_code label_of(slices_search *s, const ts_batch *b, unsigned i)
{
    s->label.n = 0;
    return ts_method_label(&s->label, s->ctx, &b->columns[L_PACKAGE].texts[i],
                           &b->columns[L_CLASS].texts[i], &b->columns[L_NAME].texts[i]);
}

static ts_code find_methods(slices_search *s)
{
    ts_walk rows = ts_walk_of(*ts_model_rows(s->m), TS_T_stack_method, label_columns, L_COLUMNS);
    ts_code code = TS_OK;
    s->methods = ts_zalloc(s->ctx, (size_t)s->paths->methods.count + 1, sizeof *s->methods);
    TS_NEED(s->ctx, s->methods);
    while (ts_walk_next(&code, &rows)) {
        uint32_t method = ts_ids_find(&s->paths->methods, ts_walk_id(&rows));
        code = label_of(s, rows.b, rows.row);
        if (code == TS_OK && method != TS_NO_INDEX) {
            s->methods[method] = ts_pattern_in(s->asked->name, ts_buf_text(&s->label));
        }
    }
    return code;
}

/* Whether it has a name that is looked for; each name is looked at once. */
static ts_code slice_fits(bool *fits, slices_search *s, const ts_slice *one)
{
    uint32_t name;
    bool added;
    *fits = s->asked->name == NULL;
    if (*fits) {
        return TS_OK;
    }
    if (!one->mark) {
        uint32_t method = one->node == TS_NO_INDEX ? TS_NO_INDEX : s->paths->method[one->node];
        *fits = method != TS_NO_INDEX && s->methods[method] != 0;
        return TS_OK;
    }
    TS_TRY(ts_pool_intern(s->ctx, &name, &added, &s->names, one->name));
    if (added) {
        bool *known = ts_vec_add(s->ctx, &s->fits, sizeof *known);
        TS_NEED(s->ctx, known);
        *known = ts_pattern_in(s->asked->name, one->name);
    }
    *fits = ((const bool *)s->fits.p)[name];
    return TS_OK;
}

static void sums_add(ts_slice_sums *sums, const ts_slice *one)
{
    sums->count++;
    sums->open += one->dur.null ? 1 : 0;
    sums->dur += one->dur.null ? 0 : one->dur.value;
    if (!one->self.null) {
        sums->has_self = true;
        sums->self += one->self.value > 0 || !one->mark ? one->self.value : 0;
    }
    if (one->parent < 0 && !one->dur.null) {
        sums->has_dur = true;
        sums->outer += one->dur.value;
    }
    if (one->parent < 0 && !one->cpu.null) {
        sums->has_cpu = true;
        sums->cpu += one->cpu.value;
    }
}

static int compare_place(const ts_slice *a, int64_t ts, int64_t id)
{
    return a->ts != ts ? (a->ts > ts) - (a->ts < ts) : (a->id > id) - (a->id < id);
}

/* Keeps it when it is nearer to the place than what is kept. */
static ts_code keep_near(slices_search *s, const ts_slice *one)
{
    ts_slice_hits *h = s->hits;
    int side = compare_place(one, s->asked->ts, s->asked->id);
    bool next = side > 0;
    ts_slice *kept = next ? &h->next : &h->before;
    bool has = next ? h->has_next : h->has_before;
    if (side == 0 || one->ts == TS_NO_TIME ||
        (has && (compare_place(one, kept->ts, kept->id) > 0) == next)) {
        return TS_OK;
    }
    *kept = *one;
    *(next ? &h->has_next : &h->has_before) = true;
    if (!one->mark) {
        return TS_OK;
    }
    ts_buf *name = next ? &h->next_name : &h->before_name;
    name->n = 0;
    return ts_buf_put(s->ctx, name, one->name.p, one->name.n);
}

static ts_code search_slice(void *user, const ts_slice *one)
{
    slices_search *s = user;
    bool fits;
    ts_code code = slice_fits(&fits, s, one);
    if (code != TS_OK || !fits) {
        return code;
    }
    sums_add(&s->hits->sums[one->async ? 1 : 0], one);
    return s->asked->near ? keep_near(s, one) : TS_OK;
}

/* The name of a call that is kept. */
static ts_code near_name(slices_search *s, const ts_slice *one, ts_buf *name)
{
    uint32_t method = one->node == TS_NO_INDEX ? TS_NO_INDEX : s->paths->method[one->node];
    const ts_batch *b;
    ts_rows *rows = NULL;
    if (one->mark || method == TS_NO_INDEX) {
        return TS_OK;
    }
    ts_code code =
        ts_rows_open(&rows, ts_model_rows(s->m), TS_T_stack_method, label_columns, L_COLUMNS);
    if (code == TS_OK &&
        (code = ts_rows_one(&b, rows, ts_ids_at(&s->paths->methods, method))) == TS_OK &&
        b->rows == 1 && (code = label_of(s, b, 0)) == TS_OK) {
        code = ts_buf_put(s->ctx, name, s->label.p, s->label.n);
    }
    ts_rows_close(rows);
    return code;
}

ts_code ts_slices_find(ts_slice_hits *out, ts_model *m, const ts_slices_asked *asked)
{
    slices_search s = {.m = m, .ctx = ts_model_ctx(m), .asked = asked, .hits = out};
    *out = (ts_slice_hits){0};
    ts_code code = ts_call_paths(&s.paths, m);
    TS_STEP_IF(code, asked->name != NULL, find_methods(&s));
    if (code == TS_OK && (code = ts_slices_each(m, asked->select, search_slice, &s)) == TS_OK &&
        (!out->has_next || (code = near_name(&s, &out->next, &out->next_name)) == TS_OK) &&
        out->has_before) {
        code = near_name(&s, &out->before, &out->before_name);
    }
    ts_free(s.ctx, s.methods);
    ts_pool_free(s.ctx, &s.names);
    ts_vec_free(s.ctx, &s.fits);
    ts_buf_free(s.ctx, &s.label);
    return code;
}

void ts_slice_hits_free(ts_ctx *ctx, ts_slice_hits *hits)
{
    ts_buf_free(ctx, &hits->next_name);
    ts_buf_free(ctx, &hits->before_name);
}
