/* The file of a database without rows, made without SQLite. Used inside this layer only. */
#ifndef TS_TABLES_SCHEMA_PAGES_H
#define TS_TABLES_SCHEMA_PAGES_H

#include "base/context.h"

/*
 * Writes the header of the database, sqlite_schema with all tables and views, and an empty root
 * page for each table into the empty file `fd`, which stays open and is borrowed. *page_count: the
 * pages that it has then. path: for messages. Errors: memory, TS_ERR_OUTPUT.
 */
ts_code ts_schema_write(uint32_t *page_count, ts_ctx *ctx, int fd, const char *path,
                        uint32_t page_size);

/* The root page of table `id` of such a file. */
uint32_t ts_schema_root(unsigned id);

#endif
