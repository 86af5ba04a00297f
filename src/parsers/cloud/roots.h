/*
 * Where the blocks of the trace and the roots in them are: calls refer to roots by file, offset
 * of the block and number of the record. Streams trace and calls: docs/formats.md, "Cloud
 * Profiler".
 *
 * Kept: 64 bytes a block, 24 a root. cloud_roots belongs to the pod from cloud_roots_open to
 * cloud_roots_close; only roots.c touches its fields. A block that cloud_block_at returned is valid
 * until the next one is added.
 */
#ifndef TS_PARSERS_CLOUD_ROOTS_H
#define TS_PARSERS_CLOUD_ROOTS_H

#include "base/vec.h"

typedef struct cloud_pod cloud_pod;

/* How many rows there were at some place of the trace. */
typedef struct cloud_rows {
    uint64_t slices;
    uint64_t tags;
    uint64_t roots;
} cloud_rows;

typedef struct cloud_block {
    uint32_t file;
    uint32_t offset;
    size_t first; /* number of the first root in it */
    int64_t real; /* ms */
    uint32_t thread;
    uint32_t before; /* number + 1 of the block of this thread before it; 0: none */
    cloud_rows rows; /* before those of the block */
} cloud_block;

typedef struct cloud_root {
    uint32_t record;
    uint32_t word;
    uint32_t slice : 31;   /* id in stack_slice - cloud_roots.first_slice; 0: no row */
    uint32_t promised : 1; /* a record of its call was written, and was not found so far */
    int32_t since;         /* ms from the clock of its block to the start */
    uint32_t enters;       /* invocations in it, its own included */
    int32_t dur;           /* ms, -1: it did not end */
} cloud_root;

typedef struct cloud_roots {
    ts_vec blocks; /* cloud_block, by file and offset */
    ts_vec roots;  /* cloud_root, by block and record */
    int64_t first_slice;
} cloud_roots;

/* A root that a call refers to. */
typedef struct cloud_found_root {
    size_t number;
    size_t block;    /* the number of its block */
    uint32_t thread; /* its number */
    uint32_t word;   /* of its method */
    int64_t start;   /* ms */
    int64_t slice;   /* id in stack_slice; 0: not in --time-range, or not certain */
    uint32_t enters; /* invocations in it, its own included */
    int32_t dur;     /* ms, -1: it did not end */
} cloud_found_root;

void cloud_roots_open(cloud_pod *pod);
void cloud_roots_close(cloud_pod *pod);

/* Rows of stack_slice, cloud_tag and cloud_root at present. */
cloud_rows cloud_rows_now(const cloud_pod *pod);

/* Rows of stack_slice that the pod has so far. */
uint64_t cloud_slices(const cloud_pod *pod);

/* Adds the block that begins at an offset of the file that is read; `first` and `rows` are set
 * here. *number: as cloud_block_at takes it. */
ts_code cloud_block_add(size_t *number, cloud_pod *pod, cloud_block block, uint64_t offset);
const cloud_block *cloud_block_at(const cloud_roots *roots, size_t number);
size_t cloud_block_count(const cloud_roots *roots);

/* Adds a root to the last block. slice: id in stack_slice, or 0. *number: of the root. */
ts_code cloud_root_add(size_t *number, cloud_pod *pod, const cloud_root *root, int64_t slice);

/* An invocation begins in the root. */
void cloud_root_enter(cloud_roots *roots, size_t number);

/* The root ended after so many ms. */
void cloud_root_end(cloud_roots *roots, size_t number, int64_t dur);

/* Its id in stack_slice, or 0. */
int64_t cloud_root_slice(const cloud_roots *roots, size_t number);

/* The slice of the first root of a block that has one and comes after the given root, or 0. */
int64_t cloud_block_slice_behind(const cloud_roots *roots, size_t block, size_t number);

/* The call of the root has a record. */
void cloud_root_promise(cloud_roots *roots, size_t number);

/* That record was found. */
void cloud_root_met(cloud_roots *roots, size_t number);

/* The root is not certain: calls find no slice of it. */
void cloud_root_forget(cloud_roots *roots, size_t number);

/* The same for all roots from that number on. */
void cloud_roots_forget_from(cloud_roots *roots, size_t first);

/* Was something read of this file of the trace? */
bool cloud_has_trace(const cloud_roots *roots, uint32_t file);

/* Whether a block begins at the place or after it. */
bool cloud_traced_behind(const cloud_roots *roots, uint32_t file, uint32_t offset);

/* The root that begins at this place of the trace. False: none does. */
bool cloud_root_find(cloud_found_root *found, const cloud_roots *roots, uint32_t file,
                     uint32_t offset, uint32_t record);

/* Roots whose calls have a record that was not found. */
uint64_t cloud_roots_promised(const cloud_roots *roots);

#endif
