/*
 * Rows written by SQLite itself, with prepared INSERT and UPDATE statements: what the page writer
 * is compared with. Used by tests only; failures of SQLite fail the test.
 *
 * It works on any connection that has the tables; the caller keeps the connection and begins and
 * ends transactions.
 */
#ifndef TS_TEST_INSERTSINK_H
#define TS_TEST_INSERTSINK_H

#include "tables/schema.h"
#include "tables/sink.h"

#include <sqlite3.h>

typedef struct insertsink insertsink;

/* tables: indexed by table id, `count` of them; borrowed. */
insertsink *insertsink_new(sqlite3 *db, const ts_table *tables, unsigned count);
void insertsink_free(insertsink *s);

/* Appends a row; its rowid is the number of rows of the table. */
void insertsink_put(insertsink *s, unsigned table, const void *row);
void insertsink_complete(insertsink *s, unsigned table, int64_t rowid, unsigned column,
                         int64_t value);

/* Lets the rowids of a table begin behind `rows`; for tables with a key. */
void insertsink_start(insertsink *s, unsigned table, int64_t rows);

/* For tables = ts_schema: the same as a sink. */
ts_sink *insertsink_sink(insertsink *s);

/* CREATE TABLE for a table that is not of the schema. */
void insertsink_create(sqlite3 *db, const ts_table *table);

#endif
