/*
 * Statements that create the tables of a fleet, from the one declaration of tables
 * (tables/schema.h).
 *
 * Each table has, in front of its columns: load UInt64 (the attempt to load one recording; rows
 * count when the table `recording` names it), row UInt32 (rowid in the database), day Date (of the
 * recording: retention drops partitions). v_<table> shows the rows of loads that count. A key
 * column of the declaration is the rowid, too.
 *
 * On a cluster each server has these tables; shard_<table> shows the rows of its loads that count,
 * and v_<table>, of engine Distributed, those of all servers. So what is asked is v_<table>
 * wherever it is asked. All rows of a load are on one server: a view may join within a recording.
 */
#ifndef TS_FLEET_DIALECT_H
#define TS_FLEET_DIALECT_H

#include "base/buf.h"
#include "tables/schema.h"

typedef struct ts_dialect {
    bool codecs;   /* CODEC, LowCardinality and TTL: servers since 2020 */
    uint64_t keep; /* days that rows stay; 0: always */
} ts_dialect;

/* Type of a column: as rows are sent (export/columns/native.h), or as tables of the dialect have
 * it. */
enum { TS_DIALECT_TYPE = 64 };
void ts_dialect_type(char out[TS_DIALECT_TYPE], const ts_dialect *d, enum ts_table_id table,
                     unsigned column);

/* "`name` Type CODEC(...)" */
ts_code ts_dialect_column(ts_ctx *ctx, ts_buf *out, const ts_dialect *d, enum ts_table_id table,
                          unsigned column);

/* CREATE TABLE IF NOT EXISTS; no semicolon at the end. */
ts_code ts_dialect_table(ts_ctx *ctx, ts_buf *out, const ts_dialect *d, enum ts_table_id table);

/* The table `recording`, one row a commit. */
ts_code ts_dialect_recording(ts_ctx *ctx, ts_buf *out, const ts_dialect *d);

/*
 * Views: first those of tables, by their numbers, then those that no table makes, of which
 * `recording` is the first. All of one server's rows have one prefix.
 */
#define TS_DIALECT_PREFIX "v_"           /* of what is asked */
#define TS_DIALECT_SHARD_PREFIX "shard_" /* of one of several servers */
enum { TS_DIALECT_VIEWS_MAX = TS_TABLE_COUNT + 16, TS_DIALECT_VIEW_RECORDING = TS_TABLE_COUNT };

size_t ts_dialect_view_count(void);
const char *ts_dialect_view_name(size_t view); /* without its prefix */

/* CREATE VIEW IF NOT EXISTS <prefix><name>; it needs views of the same prefix and lower number. */
ts_code ts_dialect_view(ts_ctx *ctx, ts_buf *out, const char *prefix, size_t view);

/* CREATE TABLE IF NOT EXISTS v_<name>: shard_<name> of all servers of the cluster. */
ts_code ts_dialect_over(ts_ctx *ctx, ts_buf *out, const char *cluster, const char *database,
                        size_t view);

/* Columns of `recording`, in order, and their types; NULL ends them. */
typedef struct ts_recording_column {
    const char *name, *type;
    bool times; /* close to those of the row before */
} ts_recording_column;

extern const ts_recording_column ts_recording_columns[];

/* All of it as a script, with comments: for --dry-run, and to be looked at. */
ts_code ts_dialect_script(ts_ctx *ctx, ts_buf *out, const ts_dialect *d);

#endif
