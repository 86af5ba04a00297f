/* Threads of a pod: their open frames, which live across blocks and files, and their roots. */
#include "parsers/cloud/cloud_impl.h"

#include "base/alloc.h"
#include "parsers/cloud/trace.h"

#include <inttypes.h>

enum { FIRST_FRAMES = 2 };

/* --- look-up -------------------------------------------------------------------------------- */

ts_code cloud_thread_of(uint32_t *number, cloud_pod *pod, uint64_t tid)
{
    cloud_thread t = {.tid = tid};
    uint64_t known;
    ts_code code;
    if (ts_idmap_find(&known, &pod->thread_ids, (int64_t)tid)) {
        *number = (uint32_t)known;
        return TS_OK;
    }
    if ((code = cloud_grow(pod->ctx, &pod->threads, sizeof t)) != TS_OK ||
        (code = ts_thread(&t.itid, pod->store, pod->source_id, (int64_t)tid, pod->ipid, "java")) !=
            TS_OK ||
        (code = ts_idmap_put(pod->ctx, &pod->thread_ids, (int64_t)tid, pod->threads.n)) != TS_OK) {
        return code;
    }
    *number = (uint32_t)pod->threads.n;
    ((cloud_thread *)pod->threads.p)[pod->threads.n++] = t;
    return TS_OK;
}

ts_code cloud_thread_busy(cloud_pod *pod, cloud_thread *t)
{
    ts_code code;
    if (t->busy) {
        return TS_OK;
    }
    if ((code = cloud_grow(pod->ctx, &pod->busy, sizeof(uint32_t))) == TS_OK) {
        ((uint32_t *)pod->busy.p)[pod->busy.n++] =
            (uint32_t)(t - (const cloud_thread *)pod->threads.p);
        t->busy = true;
    }
    return code;
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
    frames = ts_realloc(pod->ctx, t->frames, cap, sizeof *frames);
    if (frames == NULL) {
        return pod->ctx->error.code;
    }
    t->frames = frames;
    t->cap = cap;
    return TS_OK;
}

#define LATE_COLUMNS                                                                               \
    (TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, self_dur) |                          \
     TS_NULL_BIT(stack_slice, state))

/* The row of an invocation: its end is filled in when it is met. */
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
    int64_t method;
    bool added;
    ts_code code = cloud_method(&method, pod, word);
    if (code == TS_OK) {
        code = ts_stack_node(&f->node, &added, pod->store, pod->source_id,
                             parent == NULL ? 0 : parent->node, method, TS_NO_LINE, t->depth, NULL);
    }
    if (code != TS_OK) {
        return code;
    }
    row.node_id = f->node;
    f->slice = row.id;
    TS_SET_NULL(stack_slice, &row, cpu_dur);
    if (parent == NULL) {
        TS_SET_NULL(stack_slice, &row, parent_id);
    }
    return ts_sink_reserve(pod->sink, TS_T_stack_slice, &row, LATE_COLUMNS);
}

ts_code cloud_push(cloud_pod *pod, cloud_thread *t, uint32_t word, int64_t ms)
{
    cloud_frame f = {.start = ms};
    bool wanted = t->depth == 0 ? cloud_wanted(pod, ms) : t->frames[t->depth - 1].slice != 0;
    ts_code code = frames_reserve(pod, t);
    if (code != TS_OK || (code = cloud_thread_busy(pod, t)) != TS_OK) {
        return code;
    }
    if (wanted) {
        if ((code = reserve_slice(pod, t, &f, word)) != TS_OK) {
            return code;
        }
        cloud_count(pod, CLOUD_N_ENTERS);
    } else {
        cloud_count_skipped(pod, CLOUD_N_ENTERS);
    }
    t->frames[t->depth++] = f;
    pod->open++;
    return TS_OK;
}

ts_code cloud_pop(cloud_pod *pod, cloud_thread *t, int64_t ms, int state)
{
    const cloud_frame *f = &t->frames[--t->depth];
    int64_t dur = ms > f->start ? ts_sat_sub(ms, f->start) : 0;
    int64_t self = dur > f->children ? dur - f->children : 0;
    int64_t values[3] = {cloud_ns(dur), cloud_ns(self), state};
    uint64_t columns = state == 0 ? LATE_COLUMNS & ~TS_NULL_BIT(stack_slice, state) : LATE_COLUMNS;
    pod->open--;
    if (ms < f->start && state == 0 && f->slice != 0) {
        ts_code code =
            cloud_issue(pod, TS_ISSUE_cloud_clock_back, cloud_offset(&pod->reader),
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
    /* The state is 0 as it was put. */
    return ts_sink_settle(pod->sink, TS_T_stack_slice, f->slice,
                          dur == 0 && state == 0 ? 0 : columns, values);
}

ts_code cloud_close_frames(cloud_pod *pod, int state)
{
    cloud_thread *threads = pod->threads.p;
    const uint32_t *busy = pod->busy.p;
    uint64_t closed = 0;
    ts_code code = TS_OK;
    for (size_t i = 0; i < pod->busy.n; i++) {
        cloud_thread *t = &threads[busy[i]];
        t->lost = t->lost || (state == 2 && t->depth > 0);
        t->open = state == 1 && t->depth > 0;
        t->resync = false;
        t->busy = false;
        for (; t->depth > 0 && code == TS_OK; closed++) {
            code = cloud_pop(pod, t, t->last, state);
        }
    }
    pod->busy.n = 0;
    if (code != TS_OK || closed == 0 ||
        (state == 2 && (code = cloud_lose(pod, "ends", closed)) != TS_OK)) {
        return code;
    }
    return ts_issue_n(pod->store, pod->source_id,
                      state == 1 ? TS_ISSUE_cloud_frames_open : TS_ISSUE_cloud_frames_lost, "trace",
                      TS_NO_OFFSET, closed, "invocations that were open: %" PRIu64, closed);
}

void cloud_trace_free(cloud_pod *pod)
{
    cloud_thread *threads = pod->threads.p;
    for (size_t i = 0; i < pod->threads.n; i++) {
        ts_free(pod->ctx, threads[i].frames);
    }
    ts_free(pod->ctx, pod->threads.p);
    ts_free(pod->ctx, pod->busy.p);
    ts_idmap_free(pod->ctx, &pod->thread_ids);
    ts_free(pod->ctx, pod->blocks.p);
    ts_free(pod->ctx, pod->roots.p);
}

/* --- roots ---------------------------------------------------------------------------------- */

/* The block that begins at the place, or NULL. */
static const cloud_block *find_block(const cloud_pod *pod, uint32_t file, uint32_t offset)
{
    const cloud_block *blocks = pod->blocks.p;
    size_t low = 0;
    size_t high = pod->blocks.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (blocks[mid].file < file || (blocks[mid].file == file && blocks[mid].offset < offset)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < pod->blocks.n && blocks[low].file == file && blocks[low].offset == offset
               ? &blocks[low]
               : NULL;
}

bool cloud_has_trace(const cloud_pod *pod, uint32_t file)
{
    const cloud_block *blocks = pod->blocks.p;
    size_t low = 0;
    size_t high = pod->blocks.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (blocks[mid].file < file) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < pod->blocks.n && blocks[low].file == file;
}

bool cloud_traced_behind(const cloud_pod *pod, uint32_t file, uint32_t offset)
{
    const cloud_block *last = (const cloud_block *)pod->blocks.p + pod->blocks.n - 1;
    return pod->blocks.n > 0 &&
           (last->file > file || (last->file == file && last->offset >= offset));
}

cloud_root *cloud_root_at(const cloud_block **block, const cloud_pod *pod, uint32_t file,
                          uint32_t offset, uint32_t record)
{
    const cloud_block *blocks = pod->blocks.p;
    cloud_root *roots = pod->roots.p;
    const cloud_block *b = find_block(pod, file, offset);
    size_t low;
    size_t high;
    size_t end;
    if (b == NULL) {
        return NULL;
    }
    *block = b;
    low = b->first;
    end = b + 1 < blocks + pod->blocks.n ? b[1].first : pod->roots.n;
    high = end;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (roots[mid].record < record) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < end && roots[low].record == record ? &roots[low] : NULL;
}
