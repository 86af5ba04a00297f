/*
 * Chunks of a recording: their sizes, times and first bytes, which show missing and misplaced ones.
 * Owned by heap_chunks.c. Docs: docs/trust.md; docs/formats.md, "ArkTS messages".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_CHUNKS_H
#define TS_PARSERS_ARKTS_HEAP_CHUNKS_H

#include "parsers/arkts/heap/heap_part.h"

enum { HEAP_MARKS = 16 };

/* State at the beginning of a chunk. */
typedef struct heap_mark {
    heap_place place[PART_STRINGS + 1];
    enum heap_part part; /* the one that is open */
    bool has_ts;
    int64_t ts;
    uint64_t bytes; /* of the chunk */
    char head[64];  /* of its text */
    size_t head_n;
} heap_mark;

typedef struct heap_chunks {
    heap_mark marks[HEAP_MARKS]; /* a ring */
    uint64_t count;
    uint64_t size; /* bytes of the first one */
    bool differ;   /* in size */
    int64_t latest_ts;
    bool has_latest;
    uint64_t suspect; /* number of the mark from which on chunks may be out of order, or MAX */
    bool misplaced;   /* they are */
} heap_chunks;

void heap_chunks_reset(heap_chunks *chunks);

/* The first bytes of a chunk, and all chunks so far: are they in order? */
void heap_chunk_text(ts_heap *h, const char *p, size_t n);

/* Rows may be missing at ends of chunks only. */
bool heap_chunks_whole(const ts_heap *h);

#endif
