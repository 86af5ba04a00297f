/* Blocks of the trace and their roots. */
#include "parsers/cloud/pod.h"

cloud_rows cloud_rows_now(const cloud_pod *pod)
{
    return (cloud_rows){
        .slices = ts_sink_rows(pod->sink, TS_T_stack_slice),
        .tags = ts_sink_rows(pod->sink, TS_T_cloud_tag),
        .roots = ts_sink_rows(pod->sink, TS_T_cloud_root),
    };
}

/* --- blocks --------------------------------------------------------------------------------- */

ts_code cloud_block_add(size_t *number, cloud_pod *pod, cloud_block block, uint64_t offset)
{
    cloud_roots *roots = &pod->roots;
    cloud_block *b = ts_vec_add(pod->ctx, &roots->blocks, sizeof *b);
    TS_NEED(pod->ctx, b);
    *number = roots->blocks.n - 1;
    *b = block;
    b->file = (uint32_t)pod->stream.file->index;
    /* No call refers to what lies beyond 4 GiB; such blocks sort after all others. */
    b->offset = offset > UINT32_MAX ? UINT32_MAX : (uint32_t)offset;
    b->first = roots->roots.n;
    b->rows = cloud_rows_now(pod);
    return TS_OK;
}

/* The first block at the place or after it, or NULL. */
static const cloud_block *block_from(const cloud_roots *roots, uint32_t file, uint32_t offset)
{
    const cloud_block *blocks = roots->blocks.p;
    size_t low = 0;
    size_t high = roots->blocks.n;
    CLOUD_BISECT(low, high, mid,
                 blocks[mid].file < file ||
                     (blocks[mid].file == file && blocks[mid].offset < offset))
    return low < roots->blocks.n ? &blocks[low] : NULL;
}

bool cloud_has_trace(const cloud_roots *roots, uint32_t file)
{
    const cloud_block *b = block_from(roots, file, 0);
    return b != NULL && b->file == file;
}

bool cloud_traced_behind(const cloud_roots *roots, uint32_t file, uint32_t offset)
{
    return block_from(roots, file, offset) != NULL;
}

/* --- roots ---------------------------------------------------------------------------------- */

ts_code cloud_root_add(size_t *number, cloud_pod *pod, const cloud_root *root, int64_t slice)
{
    cloud_roots *roots = &pod->roots;
    int64_t distance = slice == 0 ? 0 : slice - roots->first_slice;
    cloud_root *added = ts_vec_add(pod->ctx, &roots->roots, sizeof *added);
    TS_NEED(pod->ctx, added);
    if (distance > INT32_MAX) {
        return ts_fail(pod->ctx, TS_ERR_LIMIT, "a pod has more than 2^31 invocations");
    }
    *number = roots->roots.n - 1;
    *added = *root;
    added->slice = (uint32_t)distance & INT32_MAX;
    return TS_OK;
}

void cloud_root_end(cloud_roots *roots, size_t number, int64_t dur)
{
    cloud_root_at(roots, number)->dur = dur < 0 || dur > INT32_MAX ? -1 : (int32_t)dur;
}

int64_t cloud_root_slice(const cloud_roots *roots, size_t number)
{
    const cloud_root *root = cloud_root_at(roots, number);
    return root->slice == 0 ? 0 : roots->first_slice + root->slice;
}

/* The number after that of the last root of the block. */
static size_t block_end(const cloud_roots *roots, size_t block)
{
    return block + 1 < roots->blocks.n ? cloud_block_at(roots, block + 1)->first : roots->roots.n;
}

int64_t cloud_block_slice_behind(const cloud_roots *roots, size_t block, size_t number)
{
    size_t end = block_end(roots, block);
    for (size_t i = cloud_block_at(roots, block)->first; i < end; i++) {
        if (i > number && cloud_root_at(roots, i)->slice != 0) {
            return cloud_root_slice(roots, i);
        }
    }
    return 0;
}

void cloud_root_forget(cloud_roots *roots, size_t number)
{
    cloud_root_at(roots, number)->slice = 0;
    cloud_root_at(roots, number)->promised = 0;
}

void cloud_roots_forget_from(cloud_roots *roots, size_t first)
{
    for (size_t i = first; i < roots->roots.n; i++) {
        cloud_root_forget(roots, i);
    }
}

bool cloud_root_find(cloud_found_root *found, const cloud_roots *roots, uint32_t file,
                     uint32_t offset, uint32_t record)
{
    const cloud_block *b = block_from(roots, file, offset);
    if (b == NULL || b->file != file || b->offset != offset) {
        return false;
    }
    size_t block = (size_t)(b - (const cloud_block *)roots->blocks.p);
    size_t low = b->first;
    size_t end = block_end(roots, block);
    size_t high = end;
    CLOUD_BISECT(low, high, mid, cloud_root_at(roots, mid)->record < record)
    if (low == end || cloud_root_at(roots, low)->record != record) {
        return false;
    }
    const cloud_root *root = cloud_root_at(roots, low);
    *found = (cloud_found_root){
        .number = low,
        .block = block,
        .thread = b->thread,
        .word = root->word,
        .start = b->real + root->since,
        .slice = cloud_root_slice(roots, low),
        .enters = root->enters,
        .dur = root->dur,
    };
    return true;
}

uint64_t cloud_roots_promised(const cloud_roots *roots)
{
    uint64_t n = 0;
    for (size_t i = 0; i < roots->roots.n; i++) {
        n += cloud_root_at(roots, i)->promised;
    }
    return n;
}
