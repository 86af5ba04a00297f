/* Threads of a pod and their open frames. */
#include "parsers/cloud/pod.h"

#include "base/alloc.h"

#include <inttypes.h>

enum { FIRST_FRAMES = 2 };

/* --- look-up -------------------------------------------------------------------------------- */

ts_code cloud_thread_of(uint32_t *number, cloud_pod *pod, uint64_t tid)
{
    cloud_threads *threads = &pod->threads;
    int64_t itid;
    uint64_t known;
    if (ts_idmap_find(&known, &pod->threads.ids, (int64_t)tid)) {
        *number = (uint32_t)known;
        return TS_OK;
    }
    TS_TRY(ts_vec_reserve(pod->ctx, &threads->list, 1, sizeof(cloud_thread)));
    TS_TRY(ts_thread(&itid, pod->store, pod->source_id, (int64_t)tid, pod->ipid, "java"));
    TS_TRY(ts_idmap_put(pod->ctx, &threads->ids, (int64_t)tid, threads->list.n));
    *number = (uint32_t)threads->list.n++;
    *cloud_thread_at(threads, *number) = (cloud_thread){.tid = tid, .itid = itid};
    return TS_OK;
}

ts_code cloud_thread_busy(cloud_pod *pod, cloud_thread *t)
{
    cloud_threads *threads = &pod->threads;
    uint32_t *number;
    if (t->busy) {
        return TS_OK;
    }
    TS_NEED(pod->ctx, number = ts_vec_add(pod->ctx, &threads->busy, sizeof *number));
    *number = (uint32_t)(t - (const cloud_thread *)threads->list.p);
    t->busy = true;
    return TS_OK;
}

cloud_thread *cloud_thread_idle(cloud_threads *threads, size_t i)
{
    if (i >= threads->busy.n) {
        return NULL;
    }
    cloud_thread *t = cloud_thread_at(threads, ((const uint32_t *)threads->busy.p)[i]);
    t->busy = false;
    return t;
}

ts_code cloud_name_thread(cloud_pod *pod, cloud_thread *thread, ts_text name)
{
    if (thread->named || name.n == 0) {
        return TS_OK;
    }
    thread->named = true;
    return ts_thread_name(pod->store, thread->itid, name);
}

/* --- frames --------------------------------------------------------------------------------- */

static ts_code frames_reserve(cloud_pod *pod, cloud_thread *t)
{
    uint32_t cap = t->cap == 0 ? FIRST_FRAMES : t->cap * 2;
    cloud_frame *frames;
    if (t->depth < t->cap) {
        return TS_OK;
    }
    TS_NEED(pod->ctx, frames = ts_realloc(pod->ctx, t->frames, cap, sizeof *frames));
    t->frames = frames;
    t->cap = cap;
    return TS_OK;
}

#define LATE_COLUMNS                                                                               \
    (TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, self_dur) |                          \
     TS_NULL_BIT(stack_slice, state))

/* The call path of a word below another one. One without a word is not remembered: each time that
 * it is met is an issue. */
static ts_code find_path(int64_t *node, cloud_pod *pod, int64_t caller, uint32_t word,
                         uint32_t depth)
{
    cloud_path *place = cloud_path_place(&pod->paths, (uint32_t)caller, word);
    int64_t method;
    if (cloud_path_is(place, (uint32_t)caller, word)) {
        *node = place->node;
        return TS_OK;
    }
    TS_TRY(cloud_method(&method, pod, word));
    TS_TRY(ts_stack_node(node, NULL, pod->store, pod->source_id, caller, method, TS_NO_LINE, depth,
                         NULL));
    if (cloud_word_of(&pod->words, word) != NULL) {
        *place = (cloud_path){(uint32_t)caller, word, (uint32_t)*node};
    }
    return TS_OK;
}

/* The row of an invocation: its end is filled in when it is read. */
static ts_code reserve_slice(cloud_pod *pod, const cloud_thread *t, cloud_frame *f, uint32_t word)
{
    const cloud_frame *parent = t->depth == 0 ? NULL : &t->frames[t->depth - 1];
    ts_row_stack_slice row = {
        .id = (int64_t)ts_sink_rows(pod->sink, TS_T_stack_slice) + 1,
        .source_id = pod->source_id,
        .itid = t->itid,
        .parent_id = parent == NULL ? 0 : parent->slice,
        .ts = cloud_ns(f->start),
        .depth = t->depth,
    };
    TS_TRY(find_path(&f->node, pod, parent == NULL ? 0 : parent->node, word, t->depth));
    row.node_id = f->node;
    f->slice = row.id;
    TS_SET_NULL(stack_slice, &row, cpu_dur);
    TS_NULL_IF(parent == NULL, stack_slice, &row, parent_id);
    return ts_sink_reserve(pod->sink, TS_T_stack_slice, &row, LATE_COLUMNS);
}

ts_code cloud_push(cloud_pod *pod, cloud_thread *t, uint32_t word, int64_t ms)
{
    cloud_frame f = {.start = ms};
    bool wanted = t->depth == 0 ? cloud_wanted(pod, ms) : t->frames[t->depth - 1].slice != 0;
    TS_TRY(frames_reserve(pod, t));
    TS_TRY(cloud_thread_busy(pod, t));
    if (wanted) {
        TS_TRY(reserve_slice(pod, t, &f, word));
        cloud_count(pod, CLOUD_N_ENTERS);
    } else {
        cloud_count_skipped(pod, CLOUD_N_ENTERS);
    }
    t->frames[t->depth++] = f;
    pod->threads.open++;
    return TS_OK;
}

ts_code cloud_pop(cloud_pod *pod, cloud_thread *t, int64_t ms, cloud_end end)
{
    const cloud_frame *f = &t->frames[--t->depth];
    int64_t dur = ms > f->start ? ts_sat_sub(ms, f->start) : 0;
    int64_t self = dur > f->children ? dur - f->children : 0;
    int64_t values[3] = {cloud_ns(dur), cloud_ns(self), end};
    uint64_t columns =
        end == CLOUD_ENDED ? LATE_COLUMNS & ~TS_NULL_BIT(stack_slice, state) : LATE_COLUMNS;
    pod->threads.open--;
    if (ms < f->start && end == CLOUD_ENDED && f->slice != 0) {
        ts_code code =
            cloud_issue(pod, TS_ISSUE_cloud_clock_back, cloud_offset(&pod->stream.reader),
                        "an invocation ends %" PRId64 " ms before it begins", f->start - ms);
        if (code != TS_OK) {
            return code;
        }
    }
    if (t->depth > 0) {
        cloud_frame *parent = &t->frames[t->depth - 1];
        parent->children = ts_sat_add(parent->children, dur);
    }
    if (f->slice == 0) {
        return TS_OK;
    }
    /* The state of the reserved row is CLOUD_ENDED. */
    return ts_sink_settle(pod->sink, TS_T_stack_slice, f->slice,
                          dur == 0 && end == CLOUD_ENDED ? 0 : columns, values);
}
