/*
 * Rows read back from the pages of a database file, without SQLite: forward scans over the chosen
 * columns of a table, and point reads by rowid. The file is one that is being written (the pages
 * that the writer still has in memory are read there), or a finished one, whatever program wrote
 * its pages last: any page size, free blocks, free pages and reserved bytes are as
 * https://www.sqlite.org/fileformat2.html has them (sections 1.3, 1.5, 1.6 and 2.1).
 *
 * Nothing that the file says is trusted: what is impossible is an error with the number of the
 * page, never a crash, and no scan looks at more pages than the file has. Memory of a scan: 256 KiB
 * of pages read ahead, one page a level of the tree, the cells of one leaf, and at most 64 KiB a
 * text.
 */
#ifndef TS_TABLES_TABLE_SCAN_H
#define TS_TABLES_TABLE_SCAN_H

#include "base/context.h"
#include "tables/schema.h"

/* Tables that can be scanned: a file, and where each table begins in it. */
typedef struct ts_reader ts_reader;

/* Called for each piece that is read from the file (at most 256 KiB). */
typedef struct ts_reader_progress {
    void *user;
    void (*read)(void *user, uint64_t bytes);
} ts_reader_progress;

/*
 * Reads a finished database of ours; `path` is borrowed. TS_ERR_INPUT when it cannot be read, is no
 * database of this program or of another schema version, its schema was changed, or a journal or
 * write-ahead log is beside it, whose pages would be missed. Caller frees with ts_reader_free.
 */
ts_code ts_reader_open(ts_reader **out, ts_ctx *ctx, const char *path);
/*
 * The same of a file that is open already, has perhaps no name, and that no process writes: what is
 * beside it is not looked at. fd is borrowed; path is for messages.
 */
ts_code ts_reader_open_fd(ts_reader **out, ts_ctx *ctx, int fd, const char *path);
void ts_reader_free(ts_reader *reader);

/* progress is copied. */
void ts_reader_set_progress(ts_reader *reader, const ts_reader_progress *progress);

/* Whether it is a table at all: callstack may be a view. */
bool ts_reader_has_table(const ts_reader *reader, enum ts_table_id table);

/* Whether a table has rows (those of a table being written: now). */
ts_code ts_reader_has_rows(bool *any, ts_reader *reader, enum ts_table_id table);

/* --- scans --------------------------------------------------------------------------------- */

enum {
    TS_SCAN_COLUMNS = 63,
    TS_SCAN_TEXT_MAX = 64 * 1024 /* bytes of a text that are at hand at once */
};

/* A text: its first n bytes, all of them unless it is longer than TS_SCAN_TEXT_MAX
 * (ts_scan_text_part reads the rest). p is not NULL; a text may hold zero bytes. */
typedef struct ts_scan_text {
    const char *p;
    size_t n;
    uint64_t size;
} ts_scan_text;

/* The cells of one column; of the three arrays only that of the column's type is set. */
typedef struct ts_batch_column {
    const int64_t *ints; /* also of keys: the rowid */
    const double *reals;
    const ts_scan_text *texts;
    const uint8_t *null; /* 1: the cell is NULL, its value 0 or an empty text */
} ts_batch_column;

/* Rows that follow each other. Valid until the next call with the same scan. */
typedef struct ts_batch {
    unsigned rows;
    const int64_t *rowids;
    ts_batch_column columns[TS_SCAN_COLUMNS]; /* in the order in which they were asked for */
} ts_batch;

typedef struct ts_scan ts_scan;

/*
 * Begins before the first row. columns: numbers of columns (TS_C_<table>__<column>), each once. Of
 * a table that is being written the scan sees the rows that are there now; what is written
 * meanwhile may be read by another scan. Reserved cells hold what they hold when their page is
 * read. Late texts and invalidated cells (tables/sink.h) recorded so far are seen as the finished
 * file will have them. Caller frees with ts_scan_close, before the reader.
 */
ts_code ts_scan_open(ts_scan **out, ts_reader *reader, enum ts_table_id table,
                     const unsigned *columns, unsigned column_count);
void ts_scan_close(ts_scan *scan);

/*
 * The next rows in the order of their rowids; rows == 0 at the end. TS_ERR_INPUT for what the pages
 * of a finished file cannot hold (TS_ERR_OUTPUT for a file that is being written), or when a cell
 * is not of its column's type; TS_ERR_INTERRUPTED after a signal.
 */
ts_code ts_scan_next(const ts_batch **batch, ts_scan *scan);

/* The next batch begins with the first row whose rowid is at least this. */
ts_code ts_scan_seek(ts_scan *scan, int64_t rowid);

/* One row by its rowid: a batch of one row, or of none when there is no such row. The scan goes on
 * after it. Cheap when rows are near each other. */
ts_code ts_scan_row(const ts_batch **batch, ts_scan *scan, int64_t rowid);

/* Bytes from `offset` on of a text (column: place in the list of ts_scan_open) of row `row` of the
 * last batch. *got < n at its end. Reading on is cheap, going back reads from the beginning. */
ts_code ts_scan_text_part(size_t *got, ts_scan *scan, unsigned row, unsigned column,
                          uint64_t offset, char *out, size_t n);

#endif
