/* Stacks of rows that are no samples: which, and reading them. */
#include "model/call_stacks_private.h"

/* Whether all samples are stacks of threads in heap dumps, which say nothing of the heap. */
static ts_code only_of_dumps(bool *only, const ts_rows_from *from)
{
    static const unsigned threads[] = {TS_C_java_heap_thread__sample_id};
    static const unsigned samples[] = {TS_C_stack_sample__id};
    ts_walk rows = ts_walk_of(*from, TS_T_java_heap_thread, threads, 1);
    const ts_batch *b;
    ts_rows *all = NULL;
    ts_code code = TS_OK;
    int64_t left = 0; /* threads that have no sample yet */
    while (ts_walk_next(&code, &rows)) {
        left += ts_walk_null(&rows, 0) ? 0 : 1;
    }
    TS_STEP(code, ts_rows_open(&all, from, TS_T_stack_sample, samples, 1));
    for (bool more = code == TS_OK; more && (code = ts_rows_next(&b, all)) == TS_OK;) {
        more = b->rows > 0 && left >= 0;
        left -= b->rows;
    }
    ts_rows_close(all);
    *only = left == 0;
    return code;
}

/* Whether there is a kind of value with the name of the weight. */
static ts_code has_value(bool *has, const ts_calls *p)
{
    static const unsigned names[] = {TS_C_stack_value_type__name};
    ts_walk rows = ts_walk_of(*ts_model_rows(p->model), TS_T_stack_value_type, names, 1);
    ts_code code = TS_OK;
    *has = false;
    while (ts_walk_next(&code, &rows)) {
        *has = *has || ts_text_is(ts_walk_text(&rows, 0), p->filter.weight);
    }
    return code;
}

/* Which tree of heaps there is. */
static ts_code find_heaps(bool *there, bool *dominators, const ts_rows_from *from)
{
    bool java = false;
    *dominators = false;
    ts_code code = ts_rows_any(there, from, TS_T_js_heap_trace_node);
    if (code == TS_OK && !*there) {
        code = ts_rows_any(there, from, TS_T_js_heap_dominated);
        TS_STEP(code, ts_rows_any(&java, from, TS_T_java_heap_dominated));
        *there = *dominators = *there || java;
    }
    return code;
}

ts_code stacks_choose_tree(ts_calls *p, stacks_trees wanted)
{
    const ts_rows_from *from = ts_model_rows(p->model);
    const char *weight = p->filter.weight;
    const bool named = weight != NULL && stacks_is_heap_weight(weight);
    bool rows = p->any_sample || p->any_slice;
    bool heaps = false;
    bool dominators = false;
    bool has = false;
    bool only = false;
    ts_code code = wanted.heaps ? find_heaps(&heaps, &dominators, from) : TS_OK;
    TS_STEP_IF(code, heaps && rows && named, has_value(&has, p));
    TS_STEP_IF(code, dominators && rows && weight == NULL && !p->any_slice,
               only_of_dumps(&only, from));
    if (heaps && (!rows || (named && !has) || only)) {
        p->is_heap = true;
        p->is_dominators = dominators;
    } else if (code == TS_OK && wanted.marks && !rows) {
        code = ts_rows_any(&p->is_marks, from, TS_T_callstack);
        p->is_heap = p->is_marks;
    }
    return code;
}

ts_code stacks_read_tree(ts_calls *p, ts_frames *frames)
{
    return p->is_marks        ? stacks_read_marks(p, frames)
           : p->is_dominators ? stacks_read_dominators(p, frames)
                              : stacks_read_heap(p, frames);
}

ts_text ts_tree_title(const ts_calls *p)
{
    return p->is_marks        ? TS_TEXT_LIT("slices")
           : p->is_dominators ? TS_TEXT_LIT("objects of a heap")
                              : TS_TEXT_LIT("allocation stacks");
}
