/*
 * JSON in the shape in which the web viewer writes it back when it cuts a trace by time: object
 * members in the order of their keys, no white space, optionally only some of the heap's nodes (all
 * edges stay, so their owners cannot be determined any more).
 */
#ifndef MK_VIEWER_H
#define MK_VIEWER_H

#include "mk.h"

typedef struct mk_keep {
    bool active;
    uint64_t first; /* node number */
    uint64_t count;
    uint64_t stride; /* numbers a node */
} mk_keep;

/* Appends the JSON value in `text` to `out`. Dies on text that is not JSON. */
void mk_viewer_dump(mk_buf *out, const mk_buf *text, const mk_keep *keep);

#endif
