/* Call paths by what they weigh, as the rows of flame_graph, folded_stacks and thread_flame_graph.
 */
#include "model/method_rows.h"

#include "base/alloc.h"
#include "model/stack_tree.h"

#include <stdlib.h>

enum { FLAME_COLUMNS = 8, BOXES_USUAL = 100000 };

typedef struct path_rows {
    ts_method_rows r;
    uint32_t *one;   /* no two methods are one */
    uint32_t *order; /* call paths in the order of their rows */
    uint32_t n;
    ts_wide *start; /* of boxes, by call path */
    ts_wide *total;
    ts_buf line; /* of folded stacks */
    ts_vec path; /* uint32_t: the frames of one, the innermost first */
} path_rows;

static void path_rows_free(path_rows *p)
{
    ts_ctx *ctx = p->r.ctx;
    ts_free(ctx, p->one);
    ts_free(ctx, p->order);
    ts_free(ctx, p->start);
    ts_free(ctx, p->total);
    ts_buf_free(ctx, &p->line);
    ts_vec_free(ctx, &p->path);
    ts_method_rows_free(&p->r);
}

/* Names of the methods that call paths with a weight have. */
static ts_code read_names(path_rows *p)
{
    ts_method_rows *r = &p->r;
    const ts_paths *paths = r->calls.paths;
    uint32_t methods = paths->methods.count;
    TS_NEED(r->ctx, p->one = ts_alloc(r->ctx, (size_t)methods + 1, sizeof *p->one));
    TS_NEED(r->ctx, r->places = ts_zalloc(r->ctx, (size_t)methods + 1, sizeof *r->places));
    for (uint32_t i = 0; i < paths->nodes.count; i++) {
        if (r->weighed[i] && paths->method[i] != TS_NO_INDEX) {
            r->places[paths->method[i]] = 1;
        }
    }
    r->sums.n = methods;
    r->one = p->one;
    for (uint32_t i = 0; i < methods; i++) {
        p->one[i] = i;
        if (r->places[i] != 0) {
            r->places[r->n++] = i;
        }
    }
    return ts_method_rows_names(r);
}

static ts_code begin(path_rows *p, ts_model *m, const ts_param *params, size_t count)
{
    const ts_weigh_asked asked = {.event = ts_answer_param(params, count, "event"),
                                  .weight = ts_answer_param(params, count, "weight"),
                                  .samples = true,
                                  .calls = true};
    *p = (path_rows){.r = {.m = m, .ctx = ts_model_ctx(m)}};
    TS_TRY(ts_method_rows_ask(&p->r, params, count, &asked));
    if (p->r.nothing) {
        return TS_OK;
    }
    TS_TRY(read_names(p));
    size_t n = (size_t)p->r.calls.paths->nodes.count + 1;
    TS_NEED(p->r.ctx, p->order = ts_alloc(p->r.ctx, n, sizeof *p->order));
    return TS_OK;
}

static const ts_method_name *name_of(const path_rows *p, uint32_t path)
{
    uint32_t method = p->r.calls.paths->method[path];
    return method == TS_NO_INDEX ? NULL : &p->r.names[method];
}

/* --- boxes ------------------------------------------------------------------------------------ */

/* Rows come in the order of a walk, callers first: a path begins after its caller and what the
 * caller has before it. */
static ts_code place_boxes(path_rows *p)
{
    const ts_paths *paths = p->r.calls.paths;
    const ts_wide *self = ts_method_rows_weight(&p->r)->of.self;
    ts_ctx *ctx = p->r.ctx;
    uint32_t n = paths->nodes.count;
    uint32_t *below = ts_zalloc(ctx, (size_t)n + 1, sizeof *below); /* boxes of each and above it */
    uint32_t *row = ts_zalloc(ctx, (size_t)n + 1, sizeof *row); /* of the next child; n: a root */
    p->start = ts_zalloc(ctx, (size_t)n + 1, sizeof *p->start); /* first of the next child */
    p->total = ts_zalloc(ctx, (size_t)n + 1, sizeof *p->total);
    ts_code code = below == NULL || row == NULL || p->start == NULL || p->total == NULL
                       ? ctx->error.code
                       : TS_OK;
    for (uint32_t i = n; code == TS_OK && i-- > 0;) {
        uint32_t caller = paths->parent[i] == TS_NO_INDEX ? n : paths->parent[i];
        below[i] += p->r.weighed[i];
        p->total[i] += self[i];
        below[caller] += below[i];
        p->total[caller] += p->total[i];
    }
    for (uint32_t i = 0; code == TS_OK && i < n; i++) {
        uint32_t caller = paths->parent[i] == TS_NO_INDEX ? n : paths->parent[i];
        if (p->r.weighed[i]) {
            uint32_t at = row[caller];
            ts_wide start = p->start[caller];
            p->order[at] = i;
            row[caller] += below[i];
            p->start[caller] += p->total[i];
            row[i] = at + 1;
            p->start[i] = start + self[i];
            p->n++;
        }
    }
    ts_free(ctx, below);
    ts_free(ctx, row);
    return code;
}

static ts_code put_boxes(path_rows *p, uint32_t most, const ts_rows_visitor *visitor)
{
    const ts_paths *paths = p->r.calls.paths;
    const ts_wide *self = ts_method_rows_weight(&p->r)->of.self;
    ts_answer_row row = {.ctx = p->r.ctx};
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < most; i++) {
        uint32_t at = p->order[i];
        const ts_method_name *name = name_of(p, at);
        /* start is where the next child would begin: after all of them. */
        ts_wide start = p->start[at] - p->total[at];
        ts_answer_begin(&row);
        ts_answer_int(&row, true, paths->depth[at]);
        ts_answer_wide(&row, start);
        ts_answer_wide(&row, p->total[at]);
        ts_answer_wide(&row, self[at]);
        ts_answer_text(&row, name == NULL ? TS_TEXT_LIT("(anonymous)")
                                          : ts_method_rows_text(&p->r, name->label));
        ts_answer_text(&row, name == NULL ? TS_TEXT_NULL : ts_method_rows_text(&p->r, name->file));
        ts_answer_int(&row, name != NULL && name->line != INT64_MAX, name == NULL ? 0 : name->line);
        ts_answer_int(&row, true, ts_ids_at(&paths->nodes, at));
        code = ts_answer_put(&row, visitor);
    }
    ts_buf_free(p->r.ctx, &row.text);
    return code;
}

ts_code ts_answer_flame(ts_model *m, const ts_param *params, size_t count,
                        const ts_rows_visitor *visitor)
{
    static const char *const names[FLAME_COLUMNS] = {"depth",  "start", "total", "self",
                                                     "method", "file",  "line",  "node_id"};
    path_rows p;
    ts_code code = begin(&p, m, params, count);
    TS_STEP_IF(code, !p.r.nothing, place_boxes(&p));
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, FLAME_COLUMNS));
    TS_STEP(code, put_boxes(&p, ts_answer_limit(params, count, BOXES_USUAL, p.n), visitor));
    path_rows_free(&p);
    return code;
}

/* --- folded stacks ---------------------------------------------------------------------------- */

/* A frame, without what divides frames and lines. */
static ts_code put_frame(path_rows *p, uint32_t path)
{
    const ts_method_name *name = name_of(p, path);
    ts_text text =
        name == NULL ? TS_TEXT_LIT("(unknown)") : ts_method_rows_text(&p->r, name->label);
    size_t at = p->line.n;
    TS_TRY(ts_buf_put(p->r.ctx, &p->line, text.p, text.n));
    for (; at < p->line.n; at++) {
        char c = p->line.p[at];
        p->line.p[at] = c == ';' ? ':' : c == '\n' ? ' ' : c;
    }
    return TS_OK;
}

static ts_code put_path(path_rows *p, uint32_t path)
{
    const uint32_t *parent = p->r.calls.paths->parent;
    p->path.n = 0;
    p->line.n = 0;
    for (uint32_t at = path; at != TS_NO_INDEX; at = parent[at]) {
        TS_TRY(ts_vec_push(p->r.ctx, &p->path, &at, sizeof at));
    }
    const uint32_t *frames = p->path.p;
    for (size_t i = p->path.n; i-- > 0;) {
        TS_TRY(put_frame(p, frames[i]));
        TS_TRY(ts_buf_putc(p->r.ctx, &p->line, i > 0 ? ';' : ' '));
    }
    return TS_OK;
}

static ts_code put_folded(path_rows *p, uint32_t most, const ts_rows_visitor *visitor)
{
    const ts_wide *self = ts_method_rows_weight(&p->r)->of.self;
    ts_answer_row row = {.ctx = p->r.ctx};
    char number[TS_NUMBER_TEXT];
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < most; i++) {
        ts_text weight = ts_answer_number(number, self[p->order[i]]);
        code = put_path(p, p->order[i]);
        TS_STEP(code, ts_buf_put(p->r.ctx, &p->line, weight.p, weight.n));
        ts_answer_begin(&row);
        ts_answer_text(&row, ts_buf_text(&p->line));
        TS_STEP(code, ts_answer_put(&row, visitor));
    }
    ts_buf_free(p->r.ctx, &row.text);
    return code;
}

/* divisor: of what is shown, the heaviest first; 0: as it is, in the order of the call paths. */
static ts_code answer_folded(ts_model *m, const ts_param *params, size_t count,
                             const ts_rows_visitor *visitor, bool by_weight)
{
    static const char *const names[] = {"folded"};
    path_rows p;
    ts_code code = begin(&p, m, params, count);
    if (code == TS_OK && !p.r.nothing) {
        const ts_weight *weight = ts_method_rows_weight(&p.r);
        ts_wide *self = weight->of.self;
        const char *asked = ts_answer_param(params, count, "weight");
        bool cpu = asked == NULL ? weight->what.class == TS_CLASS_cpu : strcmp(asked, "cpu") == 0;
        ts_wide divisor = !by_weight || !ts_text_is(weight->unit, "ns") ? 1 : cpu ? 1000 : 1000000;
        for (uint32_t i = 0; i < weight->of.n; i++) {
            self[i] /= divisor;
            if (self[i] > 0) {
                p.order[p.n++] = i;
            }
        }
        if (by_weight) {
            ts_sort_places(p.order, p.n, self);
        }
    }
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, 1));
    TS_STEP(code, put_folded(&p, p.n, visitor));
    path_rows_free(&p);
    return code;
}

ts_code ts_answer_folded(ts_model *m, const ts_param *params, size_t count,
                         const ts_rows_visitor *visitor)
{
    return answer_folded(m, params, count, visitor, false);
}

ts_code ts_answer_thread_folded(ts_model *m, const ts_param *params, size_t count,
                                const ts_rows_visitor *visitor)
{
    return answer_folded(m, params, count, visitor, true);
}
