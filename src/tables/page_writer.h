/*
 * The page writer: rows become b-tree pages of an SQLite database file, without SQLite.
 *
 * For tables with a rowid that only grow: the file has an empty root page for every table
 * (schema_pages.h); this writer appends pages to the file, any number of tables at once, and at the
 * end puts the topmost page of each table into its root. The format is that of
 * https://www.sqlite.org/fileformat2.html (sections 1.3 "the database header", 1.5 "b-tree pages",
 * 1.6 "overflow pages", 2.1 "record format").
 *
 * Rows of a table must come with rowids 1, 2, 3 ... The key column of a row is its rowid. Memory:
 * one page a table and level, one output buffer. Nothing is known of SQL or of any source of rows.
 */
#ifndef TS_TABLES_PAGE_WRITER_H
#define TS_TABLES_PAGE_WRITER_H

#include "base/context.h"
#include "base/spool.h"
#include "tables/schema.h"

typedef struct ts_pages ts_pages;

typedef struct ts_pages_config {
    int fd;              /* open for reading and writing; borrowed */
    const char *path;    /* for messages; borrowed */
    uint32_t page_size;  /* a power of two, 512 to 65536 */
    uint32_t page_count; /* pages that the file has */
    uint32_t lock_page;  /* page that is left out; 0: the one of TS_LOCK_BYTE (others: tests) */
    uint32_t queue;      /* pages that are written at once; 0: 1 MiB of them */
} ts_pages_config;

/* Caller frees with ts_pages_free, which writes nothing. */
ts_code ts_pages_new(ts_pages **out, ts_ctx *ctx, const ts_pages_config *config);

/* From now on with this context: the writer goes to another thread, or comes back. */
void ts_pages_use(ts_pages *p, ts_ctx *ctx);
void ts_pages_free(ts_pages *p);

/* Declares table `id` (its number in the schema) with the given root page. The first page of the
 * file, the root of sqlite_schema, keeps the header of the database. */
ts_code ts_pages_table(ts_pages *p, unsigned id, const ts_table *table, uint32_t root);

/* From now on the rows of table `id`, which has none, are those of `table`. */
ts_code ts_pages_form(ts_pages *p, unsigned id, const ts_table *table);

/*
 * Appends a row of which the first n columns are the key and integers; the others are NULL and
 * take no space: for SQLite columns that a record does not have are.
 */
ts_code ts_pages_put_first(ts_pages *p, unsigned id, const void *row, unsigned n);

/* Many such rows: an array for each column. What a row does not have is 0 there. */
enum { TS_FIRST_COLUMNS = 7 };
typedef struct ts_first_columns {
    /* The key is NULL. From 0 to INT32_MAX; the last one has an int32 of any sign, or is NULL when
     * no row has it. */
    const uint32_t *columns[TS_FIRST_COLUMNS];
    const uint8_t *ends; /* how many columns each row has, from 2 on */
    unsigned count;
} ts_first_columns;

/* Appends them; the cells are those of ts_pages_put_first. */
ts_code ts_pages_put_first_columns(ts_pages *p, unsigned id, const ts_first_columns *rows);

/*
 * Appends a row (the table's struct of rows.h). reserved: a bit per integer column whose value is
 * not known yet and can be set with ts_pages_complete until ts_pages_release. In a table of
 * integers it is stored like others when all of the row's are known before many rows follow, else
 * in 8 bytes. A reserved column must not be NULL.
 */
ts_code ts_pages_put(ts_pages *p, unsigned id, const void *row, uint64_t reserved);

/*
 * Appends `count` rows: an array of the table's struct, of `size` bytes each. For tables of
 * integers only this takes a fraction of the time of single calls, and a few bytes a row more,
 * because rows that follow each other share the sizes of their columns.
 */
ts_code ts_pages_put_many(ts_pages *p, unsigned id, const void *rows, size_t size, unsigned count);

/* Whether ts_pages_put_columns is for this table: few columns, all integers, no key. */
bool ts_pages_has_columns(const ts_pages *p, unsigned id);

/*
 * Appends `count` rows of integers from 0 to INT32_MAX: an array for each column of the table, or
 * NULL where all rows have NULL. The cells are those of single calls, in a third of the time.
 */
ts_code ts_pages_put_columns(ts_pages *p, unsigned id, const uint32_t *const *columns,
                             unsigned count);

/* The same for a row of which one text is ts_text_in_spool (tables/sink.h): it goes from the spool
 * into its pages. */
ts_code ts_pages_put_long(ts_pages *p, unsigned id, const void *row, ts_spool *text);

/* Sets a reserved column. TS_ERR_INTERNAL when it is none. */
ts_code ts_pages_complete(ts_pages *p, unsigned id, int64_t rowid, unsigned column, int64_t value);
void ts_pages_release(ts_pages *p, unsigned id, int64_t rowid);

/* Both at once: sets some of the reserved columns, the values in their order (the others keep what
 * the row was put with), and releases the row. */
ts_code ts_pages_settle(ts_pages *p, unsigned id, int64_t rowid, uint64_t columns,
                        const int64_t *values);

/* Writes what is open: last pages, roots, the header's page count. *page_count = pages in the file.
 */
ts_code ts_pages_finish(ts_pages *p, uint32_t *page_count);

/* The offset of SQLite's lock byte; the page that holds it is never used. */
#define TS_LOCK_BYTE (UINT64_C(1) << 30)

#endif
