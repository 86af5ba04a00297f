/* Cells that become NULL in the finished file (ts_sink_invalidate), for scans of a table that is
 * being written: ranges of rows in any order become spans that do not overlap, so that a batch
 * looks at its own only. */
#include "tables/scan_private.h"

#include "base/alloc.h"
#include "tables/database_private.h"

#include <stdlib.h>

/* Where a range begins, or the row after its end. */
typedef struct null_edge {
    int64_t rowid;
    uint64_t columns;
    bool begins;
} null_edge;

static int edge_by_rowid(const void *a, const void *b)
{
    const null_edge *x = a;
    const null_edge *y = b;
    return (x->rowid > y->rowid) - (x->rowid < y->rowid);
}

static bool is_wanted(const ts_scan *s, const ts_amendment *what)
{
    return what->kind == TS_AMEND_NULL && &ts_schema[what->table] == s->table;
}

static size_t count_ranges(const ts_scan *s, const ts_amendment *all, size_t n)
{
    size_t wanted = 0;
    for (size_t i = 0; i < n; i++) {
        wanted += is_wanted(s, &all[i]);
    }
    return wanted;
}

/* Adds up which columns are NULL from edge to edge. Each has a count, since ranges overlap. */
static void make_spans(ts_scan *s, const null_edge *edges, size_t n)
{
    uint32_t open[64] = {0};
    uint64_t columns = 0;
    for (size_t i = 0; i < n;) {
        int64_t rowid = edges[i].rowid;
        for (; i < n && edges[i].rowid == rowid; i++) {
            for (uint64_t left = edges[i].columns; left != 0; left &= left - 1) {
                unsigned c = (unsigned)__builtin_ctzll(left);
                open[c] += edges[i].begins ? 1 : UINT32_MAX;
                columns = open[c] == 0 ? columns & ~(UINT64_C(1) << c) : columns | UINT64_C(1) << c;
            }
        }
        if (columns != 0 && i < n) {
            s->nulls[s->null_count++] = (scan_nulls){rowid, edges[i].rowid - 1, columns};
        }
    }
}

ts_code scan_prepare_nulls(ts_scan *s)
{
    const ts_db *db = s->reader->db;
    const ts_amendment *all = db == NULL ? NULL : db->amended.p;
    size_t n = db == NULL ? 0 : count_ranges(s, all, db->amended.n);
    null_edge *edges;
    size_t at = 0;
    if (n == 0) {
        return TS_OK;
    }
    edges = ts_alloc(s->reader->ctx, n, 2 * sizeof *edges);
    s->nulls = ts_alloc(s->reader->ctx, n, 2 * sizeof *s->nulls);
    if (edges == NULL || s->nulls == NULL) {
        ts_free(s->reader->ctx, edges);
        return s->reader->ctx->error.code;
    }
    for (size_t i = 0; i < db->amended.n; i++) {
        if (is_wanted(s, &all[i])) {
            edges[at++] = (null_edge){all[i].first, all[i].columns, true};
            edges[at++] = (null_edge){all[i].last == INT64_MAX ? INT64_MAX : all[i].last + 1,
                                      all[i].columns, false};
        }
    }
    qsort(edges, at, sizeof *edges, edge_by_rowid);
    make_spans(s, edges, at);
    ts_free(s->reader->ctx, edges);
    return TS_OK;
}

void scan_apply_nulls(ts_scan *s)
{
    unsigned rows = s->batch.rows;
    size_t at = rows == 0 ? 0
                          : scan_lower_bound(s->nulls, s->null_count, sizeof *s->nulls,
                                             offsetof(scan_nulls, last), s->rowids[0]);
    for (unsigned row = 0; row < rows && at < s->null_count;) {
        const scan_nulls *span = &s->nulls[at];
        if (s->rowids[row] > span->last) {
            at++;
            continue;
        }
        for (unsigned k = 0; k < s->slot_count && s->rowids[row] >= span->first; k++) {
            if ((span->columns >> s->chosen[k].column & 1) != 0) {
                scan_set_null(&s->chosen[k], row);
            }
        }
        row++;
    }
}
