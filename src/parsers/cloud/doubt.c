/* Blocks of a trace that are not what the agent wrote: what was put of them is set to NULL. */
#include "parsers/cloud/trace.h"

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

cloud_rows cloud_rows_now(const cloud_pod *pod)
{
    return (cloud_rows){
        .slices = ts_sink_rows(pod->sink, TS_T_stack_slice),
        .tags = ts_sink_rows(pod->sink, TS_T_cloud_tag),
        .roots = ts_sink_rows(pod->sink, TS_T_cloud_root),
    };
}

static ts_code invalidate(cloud_pod *pod, enum ts_table_id table, uint64_t before, uint64_t end,
                          uint64_t columns)
{
    return before >= end
               ? TS_OK
               : ts_sink_invalidate(pod->sink, table, (int64_t)before + 1, (int64_t)end, columns);
}

static ts_code invalidate_rows(cloud_pod *pod, const cloud_rows *before, const cloud_rows *end)
{
    ts_code code = invalidate(pod, TS_T_stack_slice, before->slices, end->slices, SLICE_COLUMNS);
    if (code == TS_OK) {
        code = invalidate(pod, TS_T_cloud_tag, before->tags, end->tags, TAG_COLUMNS);
    }
    return code != TS_OK
               ? code
               : invalidate(pod, TS_T_cloud_root, before->roots, end->roots, ROOT_COLUMNS);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The blocks of the thread before this one, back to where nothing was open for certain. Each block
 * is met once only: after that the place is behind it. */
static ts_code invalidate_before(cloud_pod *pod, const cloud_thread *t, size_t number)
{
    const cloud_block *blocks = pod->blocks.p;
    ts_code code = TS_OK;
    for (size_t i = blocks[number].before; i > 0 && code == TS_OK; i = blocks[i - 1].before) {
        const cloud_rows *end = &blocks[i].rows; /* the next block of any thread begins there */
        cloud_rows from = blocks[i - 1].rows;
        if (end->slices <= t->sure.slices && end->tags <= t->sure.tags) {
            break;
        }
        from.slices = later(from.slices, t->sure.slices);
        from.tags = later(from.tags, t->sure.tags);
        from.roots = later(from.roots, t->sure.roots);
        code = invalidate_rows(pod, &from, end);
    }
    return code;
}

/* Calls do not find the roots: those of the block, and the one that is open. */
static void forget_roots(cloud_pod *pod, const cloud_thread *t, const cloud_block *b)
{
    cloud_root *roots = pod->roots.p;
    for (size_t i = b->first; i < pod->roots.n; i++) {
        roots[i].slice = 0;
        roots[i].promised = 0;
    }
    if (t->depth > 0) {
        roots[t->root].slice = 0;
        roots[t->root].promised = 0;
    }
}

ts_code cloud_distrust(cloud_pod *pod, size_t number, const char *why)
{
    const cloud_block *b = (const cloud_block *)pod->blocks.p + number;
    cloud_thread *t = (cloud_thread *)pod->threads.p + b->thread;
    cloud_rows now = cloud_rows_now(pod);
    ts_code code =
        cloud_missing(pod, TS_ISSUE_cloud_block_bad, "blocks",
                      "thread %" PRIu64 ", block at %" PRIu32 ": %s", t->tid, b->offset, why);
    forget_roots(pod, t, b);
    while (t->depth > 0 && code == TS_OK) {
        code = cloud_pop(pod, t, t->last, 2);
    }
    if (code == TS_OK && (code = invalidate_rows(pod, &b->rows, &now)) == TS_OK) {
        code = invalidate_before(pod, t, number);
    }
    t->lost = true;
    t->resync = false;
    t->sure = now;
    return code != TS_OK ? code : cloud_thread_busy(pod, t);
}

ts_code cloud_distrust_open(cloud_pod *pod, const cloud_thread *t)
{
    const cloud_block *blocks = pod->blocks.p;
    const cloud_root *root = (const cloud_root *)pod->roots.p + t->root;
    cloud_rows end = cloud_rows_now(pod);
    ts_code code = TS_OK;
    for (size_t i = t->block; i > 0 && code == TS_OK; i = blocks[i - 1].before) {
        cloud_rows to = i < pod->blocks.n ? blocks[i].rows : end;
        cloud_rows from = blocks[i - 1].rows;
        bool first = blocks[i - 1].first <= t->root;
        from.slices = later(from.slices, t->sure.slices);
        from.tags = later(from.tags, t->sure.tags);
        from.roots = to.roots; /* the record has just confirmed the beginning */
        if (first && root->slice != 0) {
            from.slices = later(from.slices, (uint64_t)pod->first_slice + root->slice);
        }
        code = invalidate_rows(pod, &from, &to);
        if (first) {
            break;
        }
    }
    return code;
}

/* The first root of a block that comes behind the given one; its slice, or 0. */
static uint64_t next_slice(const cloud_pod *pod, size_t block, const cloud_root *root)
{
    const cloud_block *b = (const cloud_block *)pod->blocks.p + block;
    const cloud_root *roots = pod->roots.p;
    size_t end = block + 1 < pod->blocks.n ? b[1].first : pod->roots.n;
    for (size_t i = b->first; i < end; i++) {
        if (roots + i > root && roots[i].slice != 0) {
            return (uint64_t)pod->first_slice + roots[i].slice;
        }
    }
    return 0;
}

ts_code cloud_distrust_root(cloud_pod *pod, const cloud_block *block, const cloud_root *root)
{
    const cloud_block *blocks = pod->blocks.p;
    uint64_t slice = (uint64_t)pod->first_slice + root->slice;
    size_t first = (size_t)(block - blocks);
    uint64_t next = 0;
    ts_code code =
        ts_sink_invalidate(pod->sink, TS_T_stack_slice, (int64_t)slice, (int64_t)slice,
                           TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, self_dur));
    for (size_t i = first; i < pod->blocks.n && next == 0 && code == TS_OK; i++) {
        cloud_rows from = blocks[i].rows;
        cloud_rows to = i + 1 < pod->blocks.n ? blocks[i + 1].rows : cloud_rows_now(pod);
        if (blocks[i].thread != block->thread) {
            continue;
        }
        next = next_slice(pod, i, root);
        from.slices = i == first ? slice : from.slices;
        from.roots = to.roots;
        to.slices = next != 0 ? next - 1 : to.slices;
        code = invalidate_rows(pod, &from, &to);
    }
    return code;
}
