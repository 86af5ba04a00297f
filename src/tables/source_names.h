/*
 * Sources by what people type, for all that choose some: by its id (digits), its path, its name,
 * PATH/NAME, the last parts of its path, or a glob over these. The first of these that any source
 * fits counts, all sources that fit are meant, and what was found in them with them.
 */
#ifndef TS_TABLES_SOURCE_NAMES_H
#define TS_TABLES_SOURCE_NAMES_H

#include "base/context.h"
#include "base/text.h"

typedef struct ts_source_name {
    int64_t id;
    int64_t parent; /* 0: none */
    ts_text path, name;
} ts_source_name;

/* Parents come before what is in them. */
typedef struct ts_source_names {
    const void *all;
    size_t count;
    ts_source_name (*at)(const void *all, size_t i);
} ts_source_names;

/* The nearest path at or above a source; TS_TEXT_NULL: there is none. */
ts_text ts_source_names_path(const ts_source_names *names, size_t i);

/* found, of names->count, zeroed: becomes true for those that are meant. TS_ERR_USAGE: nothing is
 * called that; the message names the nearest. */
ts_code ts_source_names_find(bool *found, ts_ctx *ctx, const ts_source_names *names, ts_text typed);

#endif
