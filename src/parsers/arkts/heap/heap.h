/*
 * Heap snapshots in V8's JSON form (also those of ArkTS), streamed into the js_heap_* tables.
 *
 * The text comes in pieces of any size, or as JSON events when the snapshot is inside a message
 * as an object. Rows go out as they come; what must be remembered is the ids and edge counts of the
 * nodes. Arrays that come before what they need (the description of the fields, the nodes) are
 * spooled as compact integers and resolved later. The fields are found by their names in
 * snapshot.meta, so that their order and number may differ.
 *
 * A snapshot that ends early keeps its complete rows. Docs: docs/formats.md, "Heap snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_H
#define TS_PARSERS_ARKTS_HEAP_H

#include "base/context.h"
#include "json/json.h"
#include "tables/store.h"

typedef struct ts_heap ts_heap;

/* Caller frees with ts_heap_free. Serves one snapshot after the other. */
ts_code ts_heap_new(ts_heap **out, ts_ctx *ctx, ts_store *store);
void ts_heap_free(ts_heap *h);

/*
 * Begins a snapshot: gives it the next file_id and a `source` row below parent_source. `label`
 * names it in issues until its real name is known. format: of the recording, for that row.
 */
ts_code ts_heap_begin(ts_heap *h, int64_t parent_source, const char *label, const char *format);
bool ts_heap_is_open(const ts_heap *h);

/* The source of the open snapshot. */
int64_t ts_heap_source(const ts_heap *h);

/* Position of the input that the next pieces come from, for issues. */
void ts_heap_at(ts_heap *h, int64_t offset);

/*
 * Feeds text. *used is how much of it belongs to this snapshot: less than n when the document was
 * complete and another text begins at p[*used]. Damaged JSON is recorded once; what follows it is
 * ignored.
 */
ts_code ts_heap_feed(ts_heap *h, size_t *used, const char *p, size_t n);

/* Bytes of text taken so far: those ignored after damage do not count. */
uint64_t ts_heap_taken(const ts_heap *h);

/*
 * A chunk begins, from which the next pieces of text come; it has ended, and came at that time (in
 * any clock, the same for all). Chunks that are missing, not in their order or there twice are
 * found by that. ts_heap_chunk_time is also for the end mark.
 */
void ts_heap_chunk_begin(ts_heap *h);
void ts_heap_chunk_time(ts_heap *h, bool has_ts, int64_t ts);

/* What is around the chunk or snapshot under way turned out to be damaged: its text may be as well,
 * anywhere, so that rows of it are not certain. */
void ts_heap_break(ts_heap *h);

/* The handler (user: the ts_heap) for a snapshot whose JSON events come from another reader, one
 * with TS_JSON_RAW_STRINGS. Its outermost event must be that of the snapshot itself. */
const ts_json_handler *ts_heap_handler(void);
void ts_heap_take_events(ts_heap *h); /* called before the first event of a snapshot */

/* True when nothing more is taken, and n bytes are counted without being read; else false. */
bool ts_heap_pass(ts_heap *h, uint64_t n);

/* The document has come to its end without damage. */
bool ts_heap_complete(const ts_heap *h);
/* The text makes no sense somewhere: what follows that place was not taken. */
bool ts_heap_damaged(const ts_heap *h);
/* It has allocation samples, which makes it a timeline. */
bool ts_heap_has_samples(const ts_heap *h);
/* Time of the last allocation sample in µs after the start of the timeline. */
int64_t ts_heap_last_sample_us(const ts_heap *h);

typedef struct ts_heap_end {
    bool timeline;            /* the name is Timeline, else Snapshot<file_id> */
    bool doubted;             /* any byte of it may be wrong: it is not complete */
    bool marked;              /* its end mark was seen; else the name says (incomplete) */
    ts_clock clock;           /* of the times */
    bool has_start, has_end;  /* false: the time is NULL */
    int64_t start_ts, end_ts; /* ns */
    /* Of bare files: js_heap_files says where the file is among them instead, and gives it a
     * width that is seen. */
    bool placed;
    int64_t place; /* ns */
} ts_heap_end;

/* Ends the open snapshot: resolves what was spooled, checks it, writes its js_heap_files row. */
ts_code ts_heap_finish(ts_heap *h, const ts_heap_end *end);

#endif
