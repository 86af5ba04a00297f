/*
 * The bytes are a bare heap snapshot. It is imported into pages, the analysis heap reads them back,
 * and what it writes is read again:
 *   - shallow sizes make the total, which the root retains,
 *   - what a node retains is its shallow size and what the nodes right below it retain,
 *   - the tree has each node once, the nodes below one follow it, siblings in their order,
 *   - each path ends at the root in `distance` steps, by edges that its retainers have,
 *   - classes count each node with a size once.
 *
 * Seeds: test/data/tiny test/data/spec_g test/fuzz/corpus/heap
 */
#include "import_check.h"

#include "analysis/analysis.h"
#include "tables/database_private.h"
#include "tables/formats/heap/heap_numbers.h"

#include <sys/mman.h>

enum { MAX_COLUMNS_READ = 16, PAGE_SIZE = 4096 };

/* All rows of a table, its columns one after the other; NULL is NONE. */
#define NONE INT64_MIN

typedef struct rows {
    int64_t *cells;
    size_t n;
    unsigned columns;
} rows;

static int64_t cell(const rows *r, size_t row, unsigned column)
{
    return r->cells[row * r->columns + column];
}

static rows read_rows(ts_ctx *ctx, ts_reader *reader, enum ts_table_id table)
{
    unsigned columns[MAX_COLUMNS_READ];
    unsigned n = 0;
    const ts_batch *b;
    ts_scan *scan = NULL;
    rows r = {0};
    for (unsigned c = 0; c < ts_schema[table].column_count && n < MAX_COLUMNS_READ; c++) {
        if (ts_schema[table].columns[c].type != TS_COL_TEXT) {
            columns[n++] = c;
        }
    }
    r.columns = n;
    check(ts_scan_open(&scan, reader, table, columns, n) == TS_OK);
    while (ts_scan_next(&b, scan) == TS_OK && b->rows > 0) {
        r.cells = realloc(r.cells, (r.n + b->rows) * n * sizeof *r.cells);
        check(r.cells != NULL);
        for (unsigned i = 0; i < b->rows; i++, r.n++) {
            for (unsigned k = 0; k < n; k++) {
                r.cells[r.n * n + k] = b->columns[k].null[i] != 0 ? NONE : b->columns[k].ints[i];
            }
        }
    }
    check(ctx->error.count == 0 || ctx->error.code == TS_OK);
    ts_scan_close(scan);
    return r;
}

/* Numbers of columns of js_heap_retained. */
enum {
    DOMINATOR = TS_C_js_heap_retained__dominator,
    RETAINER = TS_C_js_heap_retained__retainer,
    EDGE = TS_C_js_heap_retained__retaining_edge,
    DISTANCE = TS_C_js_heap_retained__distance,
    SHALLOW = TS_C_js_heap_retained__shallow_size,
    RETAINED = TS_C_js_heap_retained__retained_size,
    CLASS = TS_C_js_heap_retained__constructor_id,
    POSITION = TS_C_js_heap_retained__tree_position,
    COUNT = TS_C_js_heap_retained__tree_count
};

static void check_sizes(const rows *nodes, int64_t root, int64_t total)
{
    int64_t *below = calloc(nodes->n + 1, sizeof *below);
    int64_t sum = 0;
    check(below != NULL);
    for (size_t v = 0; v < nodes->n; v++) {
        int64_t up = cell(nodes, v, DOMINATOR);
        check((up == NONE) == ((int64_t)v == root));
        check(cell(nodes, v, SHALLOW) >= 0);
        sum += cell(nodes, v, SHALLOW);
        if (up != NONE) {
            check(up >= 0 && up < (int64_t)nodes->n && up != (int64_t)v);
            below[up] += cell(nodes, v, RETAINED);
        }
    }
    for (size_t v = 0; v < nodes->n; v++) {
        check(cell(nodes, v, RETAINED) == below[v] + cell(nodes, v, SHALLOW));
    }
    check(sum == total && (root == NONE || cell(nodes, (size_t)root, RETAINED) == total));
    free(below);
}

static void check_tree(const rows *nodes, const rows *places)
{
    check(places->n == nodes->n);
    for (size_t p = 0; p < places->n; p++) {
        int64_t v = cell(places, p, 1);
        check(v >= 0 && v < (int64_t)nodes->n && cell(nodes, (size_t)v, POSITION) == (int64_t)p);
    }
    for (size_t v = 0; v < nodes->n; v++) {
        int64_t up = cell(nodes, v, DOMINATOR);
        int64_t at = cell(nodes, v, POSITION);
        int64_t until = at + cell(nodes, v, COUNT);
        if (up != NONE) {
            check(at > cell(nodes, (size_t)up, POSITION));
            check(until <= cell(nodes, (size_t)up, POSITION) + cell(nodes, (size_t)up, COUNT));
        }
        if (until < (int64_t)places->n) { /* the next one is a sibling, of it or of one above */
            int64_t next = cell(places, (size_t)until, 1);
            check(cell(nodes, (size_t)next, DOMINATOR) != up || next > (int64_t)v);
        }
    }
}

static void check_paths(const rows *nodes, const rows *edges, int64_t root)
{
    for (size_t v = 0; v < nodes->n; v++) {
        int64_t up = cell(nodes, v, RETAINER);
        int64_t distance = cell(nodes, v, DISTANCE);
        check((up == NONE) == (distance == NONE || (int64_t)v == root));
        check((up == NONE) == (cell(nodes, v, EDGE) == NONE));
        if (up == NONE) {
            continue;
        }
        check(up >= 0 && up < (int64_t)nodes->n && cell(nodes, v, EDGE) < (int64_t)edges->n);
        check(distance == cell(nodes, (size_t)up, DISTANCE) + 1 || (up == root && distance == 1));
    }
    check(root == NONE || cell(nodes, (size_t)root, DISTANCE) == 0 ||
          cell(nodes, (size_t)root, DISTANCE) == TS_HEAP_SYSTEM_DISTANCE);
}

/* Columns of js_heap_constructor without its text. */
enum { CLASS_COUNT = 5, CLASS_SHALLOW = 7, CLASS_RETAINED = 8 };

static void check_classes(const rows *nodes, const rows *classes, int64_t total)
{
    int64_t *count = calloc(classes->n + 1, sizeof *count);
    check(count != NULL);
    for (size_t v = 0; v < nodes->n; v++) {
        int64_t c = cell(nodes, v, CLASS);
        check(c >= 1 && c <= (int64_t)classes->n);
        count[c - 1] += cell(nodes, v, SHALLOW) > 0;
    }
    for (size_t i = 0; i < classes->n; i++) {
        check(cell(classes, i, CLASS_COUNT) == count[i]);
        check(cell(classes, i, CLASS_SHALLOW) <= cell(classes, i, CLASS_RETAINED));
        check(cell(classes, i, CLASS_RETAINED) <= total);
    }
    free(count);
}

static void check_rows(ts_ctx *ctx, ts_reader *reader)
{
    rows analysis = read_rows(ctx, reader, TS_T_js_heap_analysis);
    rows nodes = read_rows(ctx, reader, TS_T_js_heap_retained);
    rows places = read_rows(ctx, reader, TS_T_js_heap_dominated);
    rows classes = read_rows(ctx, reader, TS_T_js_heap_constructor);
    rows edges = read_rows(ctx, reader, TS_T_js_heap_edges);
    if (analysis.n == 1) {
        const ts_batch *b;
        ts_scan *scan = NULL;
        static const unsigned columns[] = {TS_C_js_heap_analysis__total_size,
                                           TS_C_js_heap_analysis__extra_native_size};
        check(ts_scan_open(&scan, reader, TS_T_js_heap_analysis, columns, 2) == TS_OK);
        check(ts_scan_next(&b, scan) == TS_OK && b->rows == 1);
        int64_t total = b->columns[0].ints[0];
        int64_t extra = b->columns[1].ints[0];
        int64_t root = cell(&analysis, 0, TS_C_js_heap_analysis__root);
        ts_scan_close(scan);
        check_tree(&nodes, &places);
        check_paths(&nodes, &edges, root);
        if (total != INT64_MAX) { /* else sums are cut */
            check_sizes(&nodes, root, total - extra);
            check_classes(&nodes, &classes, total - extra);
        }
    }
    check(analysis.n <= 1);
    free(analysis.cells);
    free(nodes.cells);
    free(places.cells);
    free(classes.cells);
    free(edges.cells);
}

/* A database without SQLite: each table has its root, page 2 and on. */
static ts_db *make_database(ts_ctx *ctx)
{
    unsigned char header[100] = "SQLite format 3\0\x10\0\1\1\0\x40\x20\x20";
    ts_db *db = NULL;
    const off_t size = (off_t)(TS_TABLE_COUNT + 2) * PAGE_SIZE;
    check(ts_db_new(&db, ctx, "fuzz", TS_DB_WRITING) == TS_OK);
    db->fd = memfd_create("fuzz", MFD_CLOEXEC);
    header[59] = 1; /* UTF-8 */
    check(db->fd >= 0 && ftruncate(db->fd, size) == 0);
    check(pwrite(db->fd, header, sizeof header, 0) == (ssize_t)sizeof header);
    const ts_pages_config config = {
        .fd = db->fd, .path = "fuzz", .page_size = PAGE_SIZE, .page_count = TS_TABLE_COUNT + 2};
    check(ts_pages_new(&db->pages, ctx, &config) == TS_OK);
    for (unsigned id = 0; id < TS_TABLE_COUNT; id++) {
        db->roots[id] = id + 2;
        db->written[id] = true;
        check(ts_pages_table(db->pages, id, &ts_schema[id], id + 2) == TS_OK);
    }
    db->sink = ts_db_make_sink(db);
    return db;
}

static void analysed(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    ts_db *db = ts_store_sink(r->store)->self;
    ts_reader *reader = NULL;
    fuzz_import_format(r, &ts_format_heapsnapshot, p, n, cuts);
    check(r->code == TS_OK);
    if (ts_db_reader(&reader, db) != TS_OK) {
        fuzz_fail(r->ctx->error.causes[0]);
    }
    if (ts_analysis_heap.run(r->ctx, reader, r->store) != TS_OK) {
        fuzz_fail(r->ctx->error.causes[0]);
    }
    check_rows(r->ctx, reader);
    ts_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run run;
    ts_ctx *ctx = fuzz_ctx_new();
    ts_db *db = make_database(ctx);
    fuzz_run_one(&run, &db->sink, analysed, data, size, 0);
    fuzz_run_free(&run);
    ts_db_close(db);
    fuzz_ctx_free(ctx);
    return 0;
}
