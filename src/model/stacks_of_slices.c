/*
 * Slices of a trace of the system (callstack) as call paths, where a database has neither samples
 * nor traced calls: each weighs its time without that of the slices right in it, as v_slice_self
 * has it. Asynchronous slices have no callers and are left out.
 *
 * Memory: 12 bytes a slice, 30 to 60 a call path, and the names.
 */
#include "model/call_stacks_private.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "model/path_ids.h"
#include "model/slices.h"

enum { MARK_LABEL_MAX = 32 * 1024 }; /* bytes of a name that are shown */

static const stacks_sum mark_weights[] = {{"wall", "ns", TS_CLASS_wall},
                                          {"samples", "count", TS_CLASS_other}};
typedef struct mark_sums {
    int64_t wall, count; /* in that order */
} mark_sums;

typedef struct marks_work {
    ts_calls *p;
    uint32_t cap;
    ts_idmap paths; /* call path and name -> call path */
    ts_pool texts;
    ts_vec nodes; /* uint32_t by slice; 0: asynchronous */
    ts_vec sums;  /* mark_sums by call path */
} marks_work;

static ts_code path_of(uint32_t *node, marks_work *w, uint32_t parent, ts_text name)
{
    uint32_t id = 0;
    uint64_t found = 0;
    int64_t key;
    ts_code code;
    TS_TRY_INTO(code, ts_pool_intern(w->p->ctx, &id, NULL, &w->texts, name));
    key = (int64_t)((uint64_t)parent << 32 | id);
    if (ts_idmap_find(&found, &w->paths, key)) {
        *node = (uint32_t)found;
        return TS_OK;
    }
    code = stacks_add_node(w->p, &w->cap, parent, id + 1, 0);
    *node = w->p->nodes;
    code = code != TS_OK ? code : ts_idmap_put(w->p->ctx, &w->paths, key, *node);
    TS_STEP_IF(code, ts_vec_add(w->p->ctx, &w->sums, sizeof(mark_sums)) == NULL,
               w->p->ctx->error.code);
    return code;
}

static bool is_wanted(const ts_calls *p, const ts_slice *s)
{
    const char *event = p->filter.event;
    return !s->itid.null && s->ts != TS_NO_TIME && ts_calls_wants_thread(p, s->itid.value) &&
           ts_calls_wants_time(p, s->ts) && (event == NULL || strcmp(event, "call") == 0);
}

static ts_code add_mark(void *user, const ts_slice *s)
{
    marks_work *w = user;
    ts_ctx *ctx = w->p->ctx;
    uint32_t node = 0;
    uint32_t *slot;
    if (s->id < (int64_t)w->nodes.n) {
        return ts_rows_changed(ctx, "callstack");
    }
    if (s->id > (int64_t)w->nodes.n) { /* rows of a part of a recording have gaps */
        TS_TRY(ts_vec_reach(ctx, &w->nodes, s->id - 1, sizeof(uint32_t)));
    }
    if (!s->async) {
        uint32_t above = s->parent < 0 ? 0 : ((const uint32_t *)w->nodes.p)[s->parent];
        TS_TRY(path_of(&node, w, above, s->name));
    }
    TS_NEED(ctx, slot = ts_vec_add(ctx, &w->nodes, sizeof *slot));
    *slot = node;
    if (s->async || s->self.null || !is_wanted(w->p, s)) {
        return TS_OK;
    }
    mark_sums *sums = (mark_sums *)w->sums.p + (node - 1);
    sums->count++;
    return ts_ckd_add(&sums->wall, sums->wall, s->self.value)
               ? ts_fail(ctx, TS_ERR_LIMIT, "the sum of slices does not fit into 64 bits")
               : TS_OK;
}

ts_code stacks_name_texts(ts_calls *p, const ts_pool *texts, ts_frames *frames)
{
    ts_code code = TS_OK;
    for (uint32_t i = 1; i <= p->nodes; i++) { /* names are numbered as they come */
        p->methods = p->method[i] > p->methods ? p->method[i] : p->methods;
    }
    TS_TRY(stacks_methods_room(p));
    for (uint32_t i = 0; i < p->methods && code == TS_OK; i++) {
        ts_frame frame = {ts_pool_text(texts, i), {"", 0}, 0};
        p->key[i + 1] =
            ts_method_key(&(ts_method_parts){.name = frame.label, .line = TS_METHOD_NO_LINE});
        frame.label.n = frame.label.n > MARK_LABEL_MAX ? MARK_LABEL_MAX : frame.label.n;
        frame.label = frame.label.n == 0 ? TS_TEXT_LIT("(anonymous)") : frame.label;
        code = ts_frames_intern(p->ctx, &p->frame[i + 1], frames, &frame);
    }
    return code;
}

ts_code stacks_read_marks(ts_calls *p, ts_frames *frames)
{
    marks_work w = {.p = p};
    const ts_select all = {.sources = {.all = true}, .threads = {.all = true}, .span = TS_SPAN_ALL};
    ts_code code = ts_slices_each(p->model, &all, add_mark, &w);
    TS_STEP(code, stacks_name_texts(p, &w.texts, frames));
    TS_STEP(code, stacks_add_sums(p, mark_weights, 2, w.sums.p));
    ts_vec_free(p->ctx, &w.nodes);
    ts_vec_free(p->ctx, &w.sums);
    ts_idmap_free(p->ctx, &w.paths);
    ts_pool_free(p->ctx, &w.texts);
    return code;
}
