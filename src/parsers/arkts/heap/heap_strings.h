/*
 * Strings of a snapshot: collected from pieces, cut at the limit, made valid UTF-8; long ones pass
 * through a spool into their pages. Also the texts of the `snapshot` member. Owned by
 * heap_strings.c and heap_long.c. Docs: docs/formats.md, "Heap snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_STRINGS_H
#define TS_PARSERS_ARKTS_HEAP_STRINGS_H

#include "base/buf.h"
#include "base/spool.h"
#include "parsers/arkts/heap/heap_part.h"

enum { HEAP_LONG_TEXT = 1 << 20, HEAP_RECENT_STRINGS = 4096 };

typedef struct heap_strings {
    enum part_state state;
    ts_buf text;
    ts_buf clean;
    bool text_cut;
    ts_spool *long_text; /* a string that is too long for memory, or NULL; owned */
    uint64_t long_taken; /* bytes of it */
    uint64_t count;
    uint64_t recent[HEAP_RECENT_STRINGS]; /* hashes of strings, by their lower bits */
    bool twice;                           /* one was equal to a recent one */
    uint64_t not_text;
    uint64_t cut;
    uint64_t replaced;      /* ill-formed parts of strings that were kept */
    uint64_t json_replaced; /* the reader's count before the string under way */
} heap_strings;

void heap_strings_free(ts_ctx *ctx, heap_strings *strings);

/* A string begins after this key or at this place; it has ended, and is a part of the snapshot
 * (kept) or not: for the count of ill-formed parts that the JSON reader replaces. */
void heap_string_begin(ts_heap *h);
void heap_string_end(ts_heap *h, bool kept);

/* A piece of a string of PART_STRINGS or PART_SNAPSHOT. flags: TS_JSON_FIRST, TS_JSON_LAST. */
ts_code heap_string_piece(ts_heap *h, const char *p, size_t n, unsigned flags);

/* An element of PART_STRINGS that is no text. */
ts_code heap_string_odd(ts_heap *h);

/* heap_long.c: a piece of a string that is longer than HEAP_LONG_TEXT; h->strings.text holds those
 * before the first. */
ts_code heap_long_piece(ts_heap *h, const char *p, size_t n, bool last);

#endif
