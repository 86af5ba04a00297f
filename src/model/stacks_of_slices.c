/*
 * Slices of a trace of the system (callstack) as call paths, where a database has neither samples
 * nor traced calls: each weighs its time without that of the slices right in it, as v_slice_self
 * has it. Asynchronous slices have no callers and are left out.
 *
 * Memory: 5 bytes a slice, 30 to 60 a call path, and the names.
 */
#include "model/call_stacks_private.h"

#include "base/alloc.h"
#include "base/idmap.h"

enum { MARK_ID, MARK_TS, MARK_DUR, MARK_THREAD, MARK_NAME, MARK_COOKIE, MARK_PARENT, MARK_COLUMNS };

enum { MARK_LABEL_MAX = 32 * 1024 }; /* bytes of a name that are shown */

typedef struct mark_sums {
    int64_t wall, count;
} mark_sums;

typedef struct marks_work {
    ts_calls *p;
    uint32_t cap;
    ts_idmap paths; /* call path and name -> call path */
    ts_pool texts;
    ts_vec nodes;   /* uint32_t by slice; 0: asynchronous */
    ts_vec counted; /* bool by slice: it is wanted, and its time is known */
    ts_vec sums;    /* mark_sums by call path */
} marks_work;

static ts_code path_of(uint32_t *node, marks_work *w, uint32_t parent, ts_text name)
{
    uint32_t id = 0;
    uint64_t found = 0;
    int64_t key;
    ts_code code;
    TS_TRY(code, ts_pool_intern(w->p->ctx, &id, NULL, &w->texts, name));
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

static bool is_wanted(const ts_calls *p, const ts_batch *b, unsigned i)
{
    const char *event = p->filter.event;
    return b->columns[MARK_THREAD].null[i] == 0 && b->columns[MARK_TS].null[i] == 0 &&
           ts_calls_wants_thread(p, b->columns[MARK_THREAD].ints[i]) &&
           ts_calls_wants_time(p, b->columns[MARK_TS].ints[i]) &&
           (event == NULL || strcmp(event, "call") == 0);
}

/* The place of the slice that it is in; -1: none. --compat has a number that is none. */
static int64_t parent_of(const marks_work *w, const ts_batch *b, unsigned i)
{
    int64_t parent = b->columns[MARK_PARENT].null[i] != 0 ? -1 : b->columns[MARK_PARENT].ints[i];
    return parent >= 0 && (uint64_t)parent < w->nodes.n ? parent : -1;
}

static ts_code add_times(marks_work *w, uint32_t node, int64_t parent, int64_t dur, bool wanted)
{
    mark_sums *sums = w->sums.p;
    const bool inner = parent >= 0 && ((const bool *)w->counted.p)[parent];
    bool over = false;
    if (wanted) {
        sums[node - 1].count++;
        over = ts_ckd_add(&sums[node - 1].wall, sums[node - 1].wall, dur);
    }
    if (inner) {
        int64_t *around = &sums[((const uint32_t *)w->nodes.p)[parent] - 1].wall;
        over = ts_ckd_sub(around, *around, dur) || over;
    }
    return over ? ts_fail(w->p->ctx, TS_ERR_LIMIT, "the sum of slices does not fit 64 bits")
                : TS_OK;
}

static ts_code add_mark(marks_work *w, const ts_batch *b, unsigned i)
{
    const bool async = b->columns[MARK_COOKIE].null[i] == 0;
    const bool timed = b->columns[MARK_DUR].null[i] == 0;
    const int64_t parent = async ? -1 : parent_of(w, b, i);
    uint32_t node = 0;
    uint32_t *slot;
    bool *counted;
    ts_code code = TS_OK;
    if (b->columns[MARK_ID].null[i] != 0 || b->columns[MARK_ID].ints[i] != (int64_t)w->nodes.n) {
        return ts_rows_changed(w->p->ctx, "callstack");
    }
    if (!async) {
        uint32_t above = parent < 0 ? 0 : ((const uint32_t *)w->nodes.p)[parent];
        code = path_of(&node, w, above, ts_cell_text(b, MARK_NAME, i));
    }
    slot = code != TS_OK ? NULL : ts_vec_add(w->p->ctx, &w->nodes, sizeof *slot);
    TS_NEED(w->p->ctx,
            counted = slot == NULL ? NULL : ts_vec_add(w->p->ctx, &w->counted, sizeof *counted));
    *slot = node;
    *counted = !async && timed && is_wanted(w->p, b, i);
    return async || !timed ? TS_OK
                           : add_times(w, node, parent, b->columns[MARK_DUR].ints[i], *counted);
}

static ts_code read_marks(marks_work *w)
{
    static const unsigned columns[MARK_COLUMNS] = {
        [MARK_ID] = TS_C_callstack__id,           [MARK_TS] = TS_C_callstack__ts,
        [MARK_DUR] = TS_C_callstack__dur,         [MARK_THREAD] = TS_C_callstack__callid,
        [MARK_NAME] = TS_C_callstack__name,       [MARK_COOKIE] = TS_C_callstack__cookie,
        [MARK_PARENT] = TS_C_callstack__parent_id};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, w->p->reader, TS_T_callstack, columns, MARK_COLUMNS);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = add_mark(w, b, i);
        }
    }
    ts_scan_close(scan);
    return code;
}

static ts_code name_marks(marks_work *w, ts_frames *frames)
{
    ts_calls *p = w->p;
    ts_code code = TS_OK;
    for (uint32_t i = 1; i <= p->nodes; i++) { /* names are numbered as they come */
        p->methods = p->method[i] > p->methods ? p->method[i] : p->methods;
    }
    TS_NEED(p->ctx, p->frame = ts_zalloc(p->ctx, (size_t)p->methods + 1, sizeof *p->frame));
    for (uint32_t i = 0; i < p->methods && code == TS_OK; i++) {
        ts_frame frame = {ts_pool_text(&w->texts, i), {"", 0}, 0};
        frame.label.n = frame.label.n > MARK_LABEL_MAX ? MARK_LABEL_MAX : frame.label.n;
        frame.label = frame.label.n == 0 ? TS_TEXT_LIT("(anonymous)") : frame.label;
        code = ts_frames_intern(p->ctx, &p->frame[i + 1], frames, &frame);
    }
    return code;
}

static ts_code add_weights(marks_work *w)
{
    ts_calls *p = w->p;
    const mark_sums *sums = w->sums.p;
    ts_weight *wall = NULL;
    ts_weight *count = NULL;
    ts_code code =
        stacks_add_weight(&wall, p, TS_WEIGHT_HEAP, TS_TEXT_LIT("wall"), TS_TEXT_LIT("ns"));
    TS_TRY(code, code != TS_OK ? code
                               : stacks_add_weight(&count, p, TS_WEIGHT_HEAP,
                                                   TS_TEXT_LIT("samples"), TS_TEXT_LIT("count")));
    wall->what.class = TS_CLASS_wall;
    count->what.class = TS_CLASS_other;
    wall->self = ts_zalloc(p->ctx, (size_t)p->nodes + 1, sizeof *wall->self);
    count->self = ts_zalloc(p->ctx, (size_t)p->nodes + 1, sizeof *count->self);
    if (wall->self == NULL || count->self == NULL) {
        return p->ctx->error.code;
    }
    for (uint32_t i = 1; i <= p->nodes; i++) {
        wall->self[i] = sums[i - 1].wall;
        count->self[i] = sums[i - 1].count;
    }
    return TS_OK;
}

ts_code stacks_read_marks(ts_calls *p, ts_frames *frames)
{
    marks_work w = {.p = p};
    ts_code code = read_marks(&w);
    code = code != TS_OK ? code : name_marks(&w, frames);
    code = code != TS_OK ? code : add_weights(&w);
    ts_vec_free(p->ctx, &w.nodes);
    ts_vec_free(p->ctx, &w.counted);
    ts_vec_free(p->ctx, &w.sums);
    ts_idmap_free(p->ctx, &w.paths);
    ts_pool_free(p->ctx, &w.texts);
    return code;
}
