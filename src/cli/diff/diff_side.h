/* One of the two inputs of a comparison: a database, and what of it is compared. */
#ifndef TS_CLI_DIFF_SIDE_H
#define TS_CLI_DIFF_SIDE_H

#include "base/buf.h"
#include "cli/options.h"
#include "tables/database.h"
#include "tables/publish.h"

typedef struct diff_side {
    ts_ctx *ctx;
    const char *path;     /* as given */
    const char *selector; /* of --before, --after or --source; NULL: all */
    bool nothing;         /* --before=none: no input */
    ts_db *db;
    ts_target *target; /* of a recording: its temporary database */
    bool borrowed;     /* db and target are those of the other side */
    ts_buf chosen; /* ids of the sources, as questions take them, with a zero byte; empty: all */
    int64_t file;  /* of heaps: id in js_heap_files; -1: none */
    bool analysed; /* the file has rows of the analysis heap */
    ts_buf label;  /* "heap.db, Snapshot1", with a zero byte */
} diff_side;

/*
 * Opens a finished database, or converts a recording into a temporary one; with --analyze a
 * database that lacks these analyses is copied and gets their rows. TS_ERR_INPUT for databases of
 * other programs and of other versions of the schema.
 */
ts_code diff_side_open(diff_side *s, ts_ctx *ctx, const ts_options *options, const char *path);

/* Finds the sources that the selector names (model/sources.h). TS_ERR_USAGE: none. */
ts_code diff_side_select(diff_side *s);

/* Whether both have the same sources of one input. */
bool diff_sides_same(const diff_side sides[2]);

/* Which heap file is compared: the first or the last one of the sources. */
ts_code diff_side_heap(diff_side *s, bool first);

/* Makes the label. */
ts_code diff_side_label(diff_side *s);

/* Reports losses of the input on standard error. */
ts_code diff_side_losses(uint64_t *losses, diff_side *s);

/* Scans of its pages; *copy: what is read instead, or NULL. The caller frees the reader, then the
 * copy, before the side is closed. */
ts_code diff_side_reader(ts_reader **out, ts_target **copy, const diff_side *s);

void diff_side_close(diff_side *s);

#endif
