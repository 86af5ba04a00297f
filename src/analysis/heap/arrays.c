/*
 * Memory for the arrays of a heap file: a block, of which passes take parts and give them back, and
 * arrays that were kept while rows were written. Memory that is touched for the first time costs as
 * much as a pass over it, so that the parts of finished passes are taken again: those of kept
 * arrays, then the lowest.
 */
#include "analysis/heap/graph.h"

#include "base/alloc.h"
#include "base/touch.h"

/* Sanitizers see what is beyond a part, and parts that were given back. */
#if defined(__SANITIZE_ADDRESS__)
#define HG_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HG_ASAN 1
#endif
#endif
#ifdef HG_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGN = 64 };

/* Makes room for a part at `at`. */
static void insert_part(hg_arrays_of *a, unsigned at)
{
    memmove(&a->parts[at + 1], &a->parts[at], (a->n - at) * sizeof a->parts[0]);
    a->n++;
}

static void remove_part(hg_arrays_of *a, unsigned at)
{
    a->n--;
    memmove(&a->parts[at], &a->parts[at + 1], (a->n - at) * sizeof a->parts[0]);
}

/* A block, all of it one part. */
static void add_block(hg_arrays_of *a, void *block, size_t size, bool used)
{
    a->blocks[a->block_n] = block;
    a->sizes[a->block_n] = size;
    a->fresh[a->block_n] = (uint8_t *)block + (used ? size : 0);
    insert_part(a, 0);
    a->parts[0] = (hg_part_of){block, size, used, (uint8_t)a->block_n++};
    if (!used) {
        POISON(block, size);
    }
}

ts_code hg_arrays(hg *g, uint64_t nodes, uint64_t edges)
{
    /* What is taken at once at most: to number nodes, with their edges; to write rows. */
    uint64_t numbering = nodes * 52 + edges * 4;
    uint64_t rows = nodes * 64;
    uint64_t size = (numbering > rows ? numbering : rows) + (uint64_t)HG_PARTS * ALIGN;
    void *block = ts_alloc(g->ctx, (size_t)size, 1);
    TS_NEED(g->ctx, block);
    add_block(&g->arrays, block, (size_t)size, false);
    return TS_OK;
}

void *hg_adopt(hg *g, uint32_t **kept, size_t count)
{
    uint32_t *array = *kept;
    *kept = NULL;
    add_block(&g->arrays, array, (count * sizeof *array + ALIGN) / ALIGN * ALIGN, true);
    return array;
}

/* Asks for the memory of a part that is taken, as far as it is fresh. */
static void touch_part(hg_arrays_of *a, const hg_part_of *part)
{
    uint8_t **fresh = &a->fresh[part->block];
    uint8_t *end = part->at + part->size;
    if (end > *fresh) {
        uint8_t *begin = part->at > *fresh ? part->at : *fresh;
        ts_touch(begin, (size_t)(end - begin));
        *fresh = end;
    }
}

void *hg_take(hg *g, size_t count, size_t size)
{
    hg_arrays_of *a = &g->arrays;
    size_t n;
    if (count >= SIZE_MAX / 2 / size) {
        return ts_alloc(g->ctx, count, size); /* it says so */
    }
    n = (count * size + ALIGN) / ALIGN * ALIGN;
    for (unsigned i = 0; i < a->n && a->n < HG_PARTS; i++) {
        hg_part_of *part = &a->parts[i];
        if (part->used || part->size < n) {
            continue;
        }
        if (part->size > n) {
            insert_part(a, i + 1);
            a->parts[i + 1] = (hg_part_of){part->at + n, part->size - n, false, part->block};
        }
        part->size = n;
        part->used = true;
        UNPOISON(part->at, count * size);
        touch_part(a, part);
        return part->at;
    }
    return ts_alloc(g->ctx, count, size);
}

void hg_give(hg *g, void *array)
{
    hg_arrays_of *a = &g->arrays;
    for (unsigned i = 0; i < a->n; i++) {
        hg_part_of *part = &a->parts[i];
        if (array != part->at || !part->used) {
            continue;
        }
        part->used = false;
        POISON(array, part->size);
        if (i + 1 < a->n && !part[1].used && part[1].block == part->block) {
            part->size += part[1].size;
            remove_part(a, i + 1);
        }
        if (i > 0 && !part[-1].used && part[-1].block == part->block) {
            part[-1].size += part->size;
            remove_part(a, i);
        }
        return;
    }
    ts_free(g->ctx, array);
}

ts_code hg_sizes_take(hg_sizes *sizes, hg *g, bool wide)
{
    *sizes = (hg_sizes){0};
    if (wide) {
        sizes->wide = hg_take(g, (size_t)g->n + 1, sizeof *sizes->wide);
    } else {
        sizes->narrow = hg_take(g, (size_t)g->n + 1, sizeof *sizes->narrow);
    }
    return sizes->wide == NULL && sizes->narrow == NULL ? g->ctx->error.code : TS_OK;
}

uint64_t *hg_bits(hg *g)
{
    return ts_zalloc(g->ctx, (size_t)g->n / 64 + 1, sizeof(uint64_t));
}

void hg_free(hg *g)
{
    ts_ctx *ctx = g->ctx;
    void *arrays[] = {g->edges,       g->first,       g->flags, g->name, g->ids,
                      g->size.narrow, g->size.wide,   g->steps, g->held, g->spans,
                      g->retained,    g->at_position, g->class};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        hg_give(g, arrays[i]);
    }
    for (unsigned i = 0; i < g->arrays.block_n; i++) {
        UNPOISON(g->arrays.blocks[i], g->arrays.sizes[i]);
        ts_free(ctx, g->arrays.blocks[i]);
    }
    ts_scan_close(g->texts);
    ts_free(ctx, g->kinds);
    ts_free(ctx, g->page);
    ts_free(ctx, g->held_once);
    hg_strings_free(ctx, &g->strings);
    ts_vec *const vecs[] = {&g->pair_edges, &g->skipped,   &g->entries,  &g->elements,
                            &g->parts,      &g->locations, &g->far_types};
    for (size_t i = 0; i < sizeof vecs / sizeof vecs[0]; i++) {
        ts_vec_free(ctx, vecs[i]);
    }
    hg_shapes_free(ctx, &g->shapes);
    *g = (hg){.ctx = ctx, .reader = g->reader, .root = HG_NONE};
}
