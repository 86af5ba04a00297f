/*
 * Rows of finished databases become rows of a conversion, as if their inputs had been converted in
 * one run: sources, processes, threads, texts, counters, issues and counts by the store, all other
 * rows with new numbers, by what the declarations say of references (tables/part_rules.h). What
 * analyses made is left out: they run again at the end of the conversion.
 *
 *     ts_conversion_begin(&s);
 *     ts_merge_add(&m, &s, reader, db);     once for each database
 *     ts_merge_end(&m, &s);
 *     ts_conversion_end(&s);
 *     ts_merge_free(&m, ctx);
 *
 * Memory: the texts of the dictionary of the database that is read; 8 bytes an id of tables whose
 * ids are not dense.
 */
#ifndef TS_SESSION_MERGE_H
#define TS_SESSION_MERGE_H

#include "session/conversion.h"
#include "tables/table_scan.h"

/* Zeroed: nothing was added. */
typedef struct ts_merge {
    int64_t largest[TS_TABLE_COUNT]; /* number of a table that only the recording gives, and 1 */
    int64_t relative_end;            /* where the next bare profile begins */
    ts_vec placed;                   /* merge_placed: what moves to the beginning of the trace */
    int64_t root, root_row;          /* of the call tree of JavaScript, which is one; 0: none yet */
    ts_buf root_children;
    bool has_config;
    ts_row_js_config config;
    uint64_t unknown_pids;
} ts_merge;

/* db: the same file as the reader's. name: of the database, put before the path of an input that an
 * earlier one has, too. TS_ERR_INPUT for rows that cannot be. */
ts_code ts_merge_add(ts_merge *m, ts_conversion *s, ts_reader *reader, ts_db *db, const char *name);
ts_code ts_merge_end(ts_merge *m, ts_conversion *s);
void ts_merge_free(ts_merge *m, ts_ctx *ctx);

#endif
