/*
 * The section that is under way: its header, its bounds, what was found in it. Owned by
 * section.c; next_part.c and search.c drop bounds that turn out to be wrong and count segments.
 * Docs: docs/formats.md, ".htrace container".
 */
#ifndef TS_HTRACE_SECTION_H
#define TS_HTRACE_SECTION_H

#include "htrace/header.h"

typedef struct ts_section {
    bool any;     /* there was one */
    bool bounded; /* `end` can be trusted */
    ts_htrace_header header;
    uint64_t start; /* offsets in the input */
    uint64_t end;
    uint64_t segments;   /* found in it */
    uint64_t count;      /* sections of the input so far */
    char *raw_kind;      /* owned; name of a section that is not made of segments, else NULL */
    uint64_t zero_start; /* of the zero bytes that are being passed over */
    bool end_reported;   /* an issue says that the end of the input is missing */
} ts_section;

/* Opens the section whose header is in head. */
ts_code ts_section_open(ts_htrace *h);

/* The section that is under way is over; says what does not fit its header. */
ts_code ts_section_close(ts_htrace *h);

/* The header counts 8 bytes for each length prefix of 4: its length is `excess` bytes too large. */
ts_code ts_section_length_long(ts_htrace *h, uint64_t excess);

#endif
