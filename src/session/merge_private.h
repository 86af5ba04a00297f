/* What the two parts of merging share: rows (merge_rows.c), and what the store keeps (merge.c). */
#ifndef TS_SESSION_MERGE_PRIVATE_H
#define TS_SESSION_MERGE_PRIVATE_H

#include "base/idmap.h"
#include "model/ids.h"
#include "session/merge.h"
#include "tables/table_rows.h"

/* Numbers of a table that the recording gives: those below the least say that there is none. */
typedef struct merge_numbers {
    bool any;
    int64_t least, largest;
} merge_numbers;

/* Rows whose times begin with the trace. */
typedef struct merge_placed {
    enum ts_table_id table;
    int64_t first, last;
    uint64_t columns;
} merge_placed;

/* One database that is added. */
typedef struct merge_run {
    ts_merge *m;
    ts_conversion *s;
    ts_ctx *ctx;
    ts_store *store;
    ts_reader *reader;
    ts_db *db;
    int64_t root; /* of its call tree of JavaScript, whose row is left out; 0: none is */
    bool root_counted;
    const char *name;
    uint64_t sources_before;      /* that the store had */
    int64_t base[TS_TABLE_COUNT]; /* rows before */
    ts_ids ids[TS_TABLE_COUNT];
    ts_ids rowids[TS_TABLE_COUNT];
    merge_numbers numbers[TS_TABLE_COUNT];
    ts_idmap processes, threads, sources, counters;
    ts_buf text_bytes;
    ts_vec text_ends; /* size_t by place: where the text ends */
    ts_vec text_ids;  /* int64_t by place: its new id, -1: none yet */
} merge_run;

/* Numbers of rows, before any is put. */
ts_code merge_read_ids(merge_run *run);
ts_code merge_read_texts(merge_run *run);

/* All tables that the store does not keep; sources, processes, threads and counters are known. */
ts_code merge_put_tables(merge_run *run);

#endif
