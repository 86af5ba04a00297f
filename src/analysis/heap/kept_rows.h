/*
 * Nodes and edges of a heap file, kept while their rows are written: reading edges back from pages
 * takes ten times as long as writing 8 bytes each, and the arrays are those that the analysis works
 * on. Of a run only the first file is kept, so that memory is that of one file: 16 bytes a node and
 * 8 an edge. A file with a row that does not fit is read from its pages.
 */
#ifndef TS_ANALYSIS_HEAP_KEPT_ROWS_H
#define TS_ANALYSIS_HEAP_KEPT_ROWS_H

#include "tables/sink.h"

/* A type above, a name or index below. */
enum {
    HG_KEPT_NAME_BITS = 27,
    HG_KEPT_NAME = (1 << HG_KEPT_NAME_BITS) - 1,
    HG_KEPT_TYPES = 32,
    /* Detachedness above (0 to 3, or NULL), a number of edges below. */
    HG_KEPT_EDGE_BITS = 29,
    HG_KEPT_EDGES = (1 << HG_KEPT_EDGE_BITS) - 1,
    HG_KEPT_NO_DETACHEDNESS = 4
};

/* Words after those of the rows. */
enum { HG_KEPT_SLACK = 32 };

enum hg_kept_table { HG_KEPT_NODE_ROWS, HG_KEPT_EDGE_ROWS, HG_KEPT_TABLES };
enum { HG_KEPT_COLUMNS = 4 };
enum { HG_KEPT_NODE_ID, HG_KEPT_NODE_NAME, HG_KEPT_NODE_SIZE, HG_KEPT_NODE_EDGES };
enum { HG_KEPT_TO, HG_KEPT_EDGE_NAME };

/* Rows of one table that follow each other: a word each in some arrays. */
typedef struct hg_kept_rows {
    uint32_t *columns[HG_KEPT_COLUMNS]; /* each with room for HG_KEPT_SLACK more */
    size_t n, room;
    size_t touched; /* rows whose memory was asked for (base/touch.h) */
    int64_t first;  /* rowid of the first */
    bool lost;      /* there are none: something did not fit, or was changed later */
} hg_kept_rows;

typedef struct hg_kept {
    ts_sink_watch watch; /* its self is this */
    ts_ctx *ctx;
    const ts_sink *sink;
    int64_t file_id;
    bool any; /* file_id is set */
    hg_kept_rows rows[HG_KEPT_TABLES];
} hg_kept;

/* ts_analysis.watch and unwatch. */
ts_code hg_keep_begin(ts_sink_watch **watch, ts_ctx *ctx, const ts_sink *sink);
void hg_keep_end(ts_sink_watch *watch);

/* The kept rows of a sink, or NULL. */
hg_kept *hg_kept_of(const ts_sink *sink);

/* Whether exactly these rows of the file are kept. */
bool hg_is_kept(const hg_kept *k, enum hg_kept_table table, int64_t file_id, int64_t first,
                int64_t count);

/* Frees what is kept of a table. */
void hg_keep_forget(hg_kept *k, enum hg_kept_table table);

#endif
