/*
 * Where the trace is interrupted or ends, and blocks that are not what the agent wrote: what was
 * put of them is set to NULL.
 */
#include "parsers/cloud/pod.h"

#include <inttypes.h>

#define SLICE_COLUMNS                                                                              \
    (TS_NULL_BIT(stack_slice, parent_id) | TS_NULL_BIT(stack_slice, node_id) |                     \
     TS_NULL_BIT(stack_slice, ts) | TS_NULL_BIT(stack_slice, dur) |                                \
     TS_NULL_BIT(stack_slice, self_dur) | TS_NULL_BIT(stack_slice, depth) |                        \
     TS_NULL_BIT(stack_slice, state))

#define TAG_COLUMNS                                                                                \
    (TS_NULL_BIT(cloud_tag, slice_id) | TS_NULL_BIT(cloud_tag, ts) |                               \
     TS_NULL_BIT(cloud_tag, word_id) | TS_NULL_BIT(cloud_tag, dictionary_id) |                     \
     TS_NULL_BIT(cloud_tag, type) | TS_NULL_BIT(cloud_tag, value) |                                \
     TS_NULL_BIT(cloud_tag, text_id) | TS_NULL_BIT(cloud_tag, text_file) |                         \
     TS_NULL_BIT(cloud_tag, text_offset))

#define ROOT_COLUMNS (TS_NULL_BIT(cloud_root, slice_id) | TS_NULL_BIT(cloud_root, record))

static ts_code invalidate_table(cloud_pod *pod, enum ts_table_id table, uint64_t before,
                                uint64_t end, uint64_t columns)
{
    return before >= end
               ? TS_OK
               : ts_sink_invalidate(pod->sink, table, (int64_t)before + 1, (int64_t)end, columns);
}

static ts_code invalidate_rows(cloud_pod *pod, const cloud_rows *before, const cloud_rows *end)
{
    ts_code code =
        invalidate_table(pod, TS_T_stack_slice, before->slices, end->slices, SLICE_COLUMNS);
    TS_STEP(code, invalidate_table(pod, TS_T_cloud_tag, before->tags, end->tags, TAG_COLUMNS));
    return code != TS_OK
               ? code
               : invalidate_table(pod, TS_T_cloud_root, before->roots, end->roots, ROOT_COLUMNS);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The blocks of the thread before this one, back to where nothing was open for certain. Each block
 * is visited once only: the thread's sure place then moves past it. */
static ts_code invalidate_before(cloud_pod *pod, const cloud_thread *t, size_t number)
{
    const cloud_roots *roots = &pod->roots;
    const cloud_rows *sure = &t->at.sure;
    ts_code code = TS_OK;
    for (size_t i = cloud_block_at(roots, number)->before; i > 0 && code == TS_OK;
         i = cloud_block_at(roots, i - 1)->before) {
        /* The next block of any thread begins there. */
        const cloud_rows *end = &cloud_block_at(roots, i)->rows;
        cloud_rows from = cloud_block_at(roots, i - 1)->rows;
        if (end->slices <= sure->slices && end->tags <= sure->tags) {
            break;
        }
        from.slices = later(from.slices, sure->slices);
        from.tags = later(from.tags, sure->tags);
        from.roots = later(from.roots, sure->roots);
        code = invalidate_rows(pod, &from, end);
    }
    return code;
}

ts_code cloud_distrust(cloud_pod *pod, size_t number, const char *why)
{
    const cloud_block *b = cloud_block_at(&pod->roots, number);
    cloud_thread *t = cloud_thread_at(&pod->threads, b->thread);
    cloud_rows now = cloud_rows_now(pod);
    ts_code code = cloud_missing(pod, TS_ISSUE_cloud_block_bad, "blocks",
                                 "thread %" PRIu64 ", block at %" PRIu32 ": %s",
                                 cloud_thread_tid(t), b->offset, why);
    cloud_roots_forget_from(&pod->roots, b->first);
    if (cloud_thread_depth(t) > 0) {
        cloud_root_forget(&pod->roots, t->at.root);
    }
    while (cloud_thread_depth(t) > 0 && code == TS_OK) {
        code = cloud_pop(pod, t, t->at.last, CLOUD_LOST);
    }
    TS_STEP(code, invalidate_rows(pod, &b->rows, &now));
    TS_STEP(code, invalidate_before(pod, t, number));
    t->at.lost = true;
    t->at.resync = false;
    t->at.sure = now;
    return code != TS_OK ? code : cloud_thread_busy(pod, t);
}

/* All that follows the last beginning of a call on the thread, except for that beginning. */
static ts_code distrust_open(cloud_pod *pod, const cloud_thread *t)
{
    const cloud_roots *roots = &pod->roots;
    const cloud_rows *sure = &t->at.sure;
    uint64_t slice = (uint64_t)cloud_root_slice(roots, t->at.root);
    cloud_rows end = cloud_rows_now(pod);
    ts_code code = TS_OK;
    for (size_t i = t->at.block; i > 0 && code == TS_OK; i = cloud_block_at(roots, i - 1)->before) {
        const cloud_block *b = cloud_block_at(roots, i - 1);
        cloud_rows to = i < cloud_block_count(roots) ? cloud_block_at(roots, i)->rows : end;
        cloud_rows from = b->rows;
        bool first = b->first <= t->at.root;
        from.slices = later(from.slices, sure->slices);
        from.tags = later(from.tags, sure->tags);
        from.roots = to.roots; /* the record has just confirmed the beginning */
        if (first) {
            from.slices = later(from.slices, slice);
        }
        code = invalidate_rows(pod, &from, &to);
        if (first) {
            break;
        }
    }
    return code;
}

bool cloud_trace_lacks_end(cloud_thread *t, size_t root)
{
    bool open = t->at.open && t->at.root == root;
    t->at.open = t->at.open && !open;
    t->at.ended = t->at.ended || open;
    return open;
}

/* The trace ends as it should, or goes on where calls say that a root is: it was not only cut,
 * and another part may be where that of the open call was. */
ts_code cloud_distrust_ended(cloud_pod *pod, bool strayed)
{
    ts_code code = TS_OK;
    if (pod->trace.incomplete && !strayed) {
        return TS_OK;
    }
    for (size_t i = 0; i < cloud_thread_count(&pod->threads) && code == TS_OK; i++) {
        const cloud_thread *t = cloud_thread_at(&pod->threads, (uint32_t)i);
        code = t->at.ended ? distrust_open(pod, t) : TS_OK;
    }
    return code;
}

ts_code cloud_distrust_root(cloud_pod *pod, size_t block, size_t root)
{
    const cloud_roots *roots = &pod->roots;
    uint64_t slice = (uint64_t)cloud_root_slice(roots, root);
    uint32_t thread = cloud_block_at(roots, block)->thread;
    size_t n = cloud_block_count(roots);
    uint64_t next = 0;
    ts_code code =
        ts_sink_invalidate(pod->sink, TS_T_stack_slice, (int64_t)slice, (int64_t)slice,
                           TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, self_dur));
    for (size_t i = block; i < n && next == 0 && code == TS_OK; i++) {
        cloud_rows from = cloud_block_at(roots, i)->rows;
        cloud_rows to = i + 1 < n ? cloud_block_at(roots, i + 1)->rows : cloud_rows_now(pod);
        if (cloud_block_at(roots, i)->thread != thread) {
            continue;
        }
        next = (uint64_t)cloud_block_slice_behind(roots, i, root);
        from.slices = i == block ? slice : from.slices;
        from.roots = to.roots;
        to.slices = next != 0 ? next - 1 : to.slices;
        code = invalidate_rows(pod, &from, &to);
    }
    return code;
}

/* --- ends and gaps -------------------------------------------------------------------------- */

/* Closes what is open on all threads. *closed: how much that was. */
static ts_code close_open(uint64_t *closed, cloud_pod *pod, cloud_end end)
{
    cloud_thread *t;
    ts_code code = TS_OK;
    *closed = 0;
    for (size_t i = 0; (t = cloud_thread_idle(&pod->threads, i)) != NULL; i++) {
        t->at.lost = t->at.lost || (end == CLOUD_LOST && cloud_thread_depth(t) > 0);
        t->at.open = end == CLOUD_OPEN && cloud_thread_depth(t) > 0;
        t->at.resync = false;
        for (; cloud_thread_depth(t) > 0 && code == TS_OK; (*closed)++) {
            code = cloud_pop(pod, t, t->at.last, end);
        }
    }
    cloud_threads_idle(&pod->threads);
    return code;
}

static ts_code note_closed(cloud_pod *pod, ts_issue_code issue, uint64_t closed)
{
    return ts_issue_n(pod->store, pod->source_id, issue, "trace", TS_NO_OFFSET, closed,
                      "invocations that were open: %" PRIu64, closed);
}

ts_code cloud_trace_end(cloud_pod *pod)
{
    uint64_t closed;
    ts_code code = close_open(&closed, pod, CLOUD_OPEN);
    if (code != TS_OK || closed == 0) {
        return code;
    }
    return note_closed(pod, TS_ISSUE_cloud_frames_open, closed);
}

ts_code cloud_trace_follow(cloud_pod *pod, bool gap)
{
    uint64_t closed;
    ts_code code;
    if (!pod->trace.incomplete && !gap) {
        return TS_OK;
    }
    pod->trace.incomplete = false;
    if ((code = close_open(&closed, pod, CLOUD_LOST)) != TS_OK || closed == 0 ||
        (code = cloud_lose(pod, "ends", closed)) != TS_OK) {
        return code;
    }
    return note_closed(pod, TS_ISSUE_cloud_frames_lost, closed);
}
