/* Names as they are typed: globs, and what is near when there is none of a name. */
#ifndef TS_BASE_NAMES_H
#define TS_BASE_NAMES_H

#include "base/buf.h"
#include "base/text.h"

/* Letters changed, added, left out or exchanged, ASCII letters in either case; at least 32 when one
 * of the texts is longer than that. */
size_t ts_edit_distance(const char *a, size_t na, const char *b, size_t nb);

/* Whether a text has *, ? or [ of a glob, and whether a glob is all of a text: * is any number of
 * bytes, ? one, [a-z] and [^a-z] one of some. The time is at most the product of the lengths. */
bool ts_glob_is(ts_text pattern);
bool ts_glob_fits(ts_text pattern, ts_text text);

/* A number of at most 18 digits and nothing else. */
bool ts_name_number(int64_t *out, ts_text text);

enum { TS_NEAREST = 8 };

/* The names that are nearest to what was typed: {.typed = ...} has none yet. */
typedef struct ts_nearest {
    ts_text typed;
    bool no_ids; /* names are shown alone */
    unsigned count;
    uint64_t seen;
    struct ts_near {
        int64_t id;
        ts_text name; /* borrowed */
        size_t distance;
    } best[TS_NEAREST];
} ts_nearest;

/* part: of the name, what may have been typed for it; p NULL: none. */
void ts_nearest_add(ts_nearest *n, int64_t id, ts_text name, ts_text part);
/* TS_ERR_USAGE: 'there is no source "typed"; sources are 1 (a.json), 2 (b.json)'. those: "sources
 * are ".
 */
ts_code ts_nearest_fail(ts_ctx *ctx, const char *what, const char *those, const ts_nearest *near);
/* "3 (worker-1), 7 (main) and 4 others", or "worker-1, main and 4 others" */
ts_code ts_nearest_put(ts_buf *out, ts_ctx *ctx, const ts_nearest *n);

/* Lists of numbers, "3,63,64". Is it one or more of 1 to 10 digits, divided by commas? */
bool ts_number_list_valid(const char *list);

/* Does a valid list, or "", have the number? Takes as long as the list. */
bool ts_number_list_has(const char *list, int64_t number);

#endif
