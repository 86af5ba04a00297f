/*
 * For the tests of the page writer: the same rows go to a file by the page writer and to another
 * one by SQLite's INSERT; then the two are compared, cell by cell as SQL sees them and byte by byte
 * as the records stand in the pages.
 */
#ifndef TS_TEST_TABLES_PAGES_H
#define TS_TEST_TABLES_PAGES_H

#include "insertsink.h"
#include "tables_files.h"
#include "tables_scan.h"

#include "tables/page_private.h"

enum { PAIR_TABLES = 8, PAIR_COLUMNS = MAX_COLUMNS };

typedef struct pair {
    ts_ctx *ctx;
    char *path;  /* by the page writer */
    char *other; /* by SQLite */
    uint32_t page_size;
    uint32_t page_count; /* as the page writer says */
    unsigned count;
    ts_table tables[PAIR_TABLES];
    char *rows[PAIR_TABLES]; /* the row that is put next */
    sqlite3 *db;
    insertsink *insert;
    int fd;
    ts_pages *pages;
    bool records_differ; /* reserved rows are longer than they need to be */
    bool not_scanned;    /* scans of such a file are compared elsewhere */
} pair;

/* --- SQLite -------------------------------------------------------------------------------- */

static inline sqlite3 *db_open(const char *path)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    (void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, INT_MAX);
    return db;
}

static inline void db_run(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
}

static inline int64_t db_int(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK || sqlite3_step(st) != SQLITE_ROW) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    int64_t value = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return value;
}

static inline void db_check(sqlite3 *db)
{
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(st, 0), "ok");
    sqlite3_finalize(st);
    assert_int_equal(db_int(db, "PRAGMA freelist_count"), 0);
}

/* --- tables and rows ----------------------------------------------------------------------- */

/* A table t0, t1 ... with columns c0, c1 ...; spec: k key, i integer, r real, t text. */
static inline void table_make(ts_table *table, unsigned number, const char *spec)
{
    static const char *const table_names[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"};
    unsigned n = (unsigned)strlen(spec);
    ts_column *columns = calloc(n, sizeof *columns);
    size_t offset = sizeof(uint64_t);
    assert_non_null(columns);
    assert_true(n <= PAIR_COLUMNS && number < PAIR_TABLES);
    for (unsigned i = 0; i < n; i++) {
        char *name = NULL;
        assert_true(asprintf(&name, "c%u", i) > 0);
        columns[i].name = name;
        columns[i].type = spec[i] == 'k'   ? TS_COL_KEY
                          : spec[i] == 'i' ? TS_COL_INT
                          : spec[i] == 'r' ? TS_COL_REAL
                                           : TS_COL_TEXT;
        columns[i].offset = offset;
        offset += spec[i] == 't' ? sizeof(ts_text) : sizeof(int64_t);
    }
    *table = (ts_table){
        .name = table_names[number], .columns = columns, .column_count = n, .row_size = offset};
}

static inline void table_free(ts_table *table)
{
    for (unsigned i = 0; i < table->column_count; i++) {
        char *name;
        memcpy(&name, &table->columns[i].name, sizeof name);
        free(name);
    }
    ts_column *columns;
    memcpy(&columns, &table->columns, sizeof columns);
    free(columns);
}

static inline void set_int(pair *x, unsigned id, unsigned column, int64_t v)
{
    memcpy(x->rows[id] + x->tables[id].columns[column].offset, &v, sizeof v);
}

static inline void set_real(pair *x, unsigned id, unsigned column, double v)
{
    memcpy(x->rows[id] + x->tables[id].columns[column].offset, &v, sizeof v);
}

static inline void set_text(pair *x, unsigned id, unsigned column, const char *p, size_t n)
{
    ts_text v = {p, n};
    memcpy(x->rows[id] + x->tables[id].columns[column].offset, &v, sizeof v);
}

static inline void set_nulls(pair *x, unsigned id, uint64_t bits)
{
    memcpy(x->rows[id], &bits, sizeof bits);
}

/* --- a pair of files ----------------------------------------------------------------------- */

static inline sqlite3 *pair_create_file(const pair *x, const char *path)
{
    char sql[64];
    test_write_file(path, "", 0);
    sqlite3 *db = db_open(path);
    snprintf(sql, sizeof sql, "PRAGMA page_size = %u", x->page_size);
    db_run(db, sql);
    db_run(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    for (unsigned i = 0; i < x->count; i++) {
        insertsink_create(db, &x->tables[i]);
    }
    db_run(db, "COMMIT");
    return db;
}

/* Begins writing: specs of tables divided by blanks; lock_page 0 for the real one. */
static inline void pair_begin(pair *x, const fixture *f, uint32_t page_size, uint32_t lock_page,
                              const char *specs)
{
    char *list = strdup(specs);
    char *rest = list;
    *x = (pair){.ctx = f->ctx, .page_size = page_size, .fd = -1};
    x->path = path_of(f, "pages.db");
    x->other = path_of(f, "insert.db");
    for (char *spec; (spec = strsep(&rest, " ")) != NULL; x->count++) {
        table_make(&x->tables[x->count], x->count, spec);
        x->rows[x->count] = calloc(1, x->tables[x->count].row_size);
        assert_non_null(x->rows[x->count]);
    }
    free(list);
    sqlite3 *db = pair_create_file(x, x->path);
    x->fd = open(x->path, O_RDWR | O_CLOEXEC);
    assert_true(x->fd >= 0);
    ts_pages_config config = {.fd = x->fd,
                              .path = x->path,
                              .page_size = page_size,
                              .page_count = (uint32_t)db_int(db, "PRAGMA page_count"),
                              .lock_page = lock_page};
    assert_ok(x->ctx, ts_pages_new(&x->pages, x->ctx, &config));
    for (unsigned i = 0; i < x->count; i++) {
        char sql[80];
        snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_schema WHERE name = 't%u'", i);
        assert_ok(x->ctx, ts_pages_table(x->pages, i, &x->tables[i], (uint32_t)db_int(db, sql)));
    }
    sqlite3_close(db);
    x->db = pair_create_file(x, x->other);
    db_run(x->db, "BEGIN");
    x->insert = insertsink_new(x->db, x->tables, x->count);
}

/* Lets the rowids of a table begin behind `rows`; it must have a key. */
static inline void pair_start_at(pair *x, unsigned id, int64_t rows)
{
    x->pages->tables[id].rows = rows;
    insertsink_start(x->insert, id, rows);
}

static inline int64_t pair_rows(const pair *x, unsigned id)
{
    return page_rows(&x->pages->tables[id]);
}

static inline void pair_reserve(pair *x, unsigned id, uint64_t columns)
{
    if (x->tables[id].columns[0].type == TS_COL_KEY) {
        set_int(x, id, 0, pair_rows(x, id) + 1);
    }
    x->records_differ |= columns != 0;
    assert_ok(x->ctx, ts_pages_put(x->pages, id, x->rows[id], columns));
    insertsink_put(x->insert, id, x->rows[id]);
}

static inline void pair_put(pair *x, unsigned id)
{
    pair_reserve(x, id, 0);
}

static inline void pair_complete(pair *x, unsigned id, int64_t rowid, unsigned column, int64_t v)
{
    assert_ok(x->ctx, ts_pages_complete(x->pages, id, rowid, column, v));
    insertsink_complete(x->insert, id, rowid, column, v);
}

/* Some of the reserved columns at once; the row is released. */
static inline void pair_settle(pair *x, unsigned id, int64_t rowid, uint64_t columns,
                               const int64_t *values)
{
    assert_ok(x->ctx, ts_pages_settle(x->pages, id, rowid, columns, values));
    for (; columns != 0; columns &= columns - 1) {
        insertsink_complete(x->insert, id, rowid, (unsigned)__builtin_ctzll(columns), *values++);
    }
}

/* --- what stands in the pages -------------------------------------------------------------- */

typedef struct walk {
    const uint8_t *file;
    uint32_t page_size;
    struct {
        uint32_t page;
        uint32_t next;
    } stack[MAX_LEVELS + 1];
    unsigned depth;
    uint32_t cell; /* in the leaf on top */
    /* The cell found last. */
    int64_t rowid;
    uint8_t *payload;
    uint64_t payload_n;
    uint64_t payload_cap;
    /* All that was seen. */
    unsigned levels; /* of interior pages */
    uint64_t leaves;
    uint64_t interiors;
    uint64_t overflows;
} walk;

static inline uint32_t be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t be32(const uint8_t *p)
{
    return be16(p) << 16 | be16(p + 2);
}

static inline uint64_t walk_varint(const uint8_t **p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint8_t byte = *(*p)++;
        v = v << 7 | (byte & 0x7f);
        if (byte < 0x80) {
            return v;
        }
    }
    return v << 8 | *(*p)++;
}

static inline const uint8_t *walk_page(const walk *w, uint32_t number)
{
    return w->file + (size_t)(number - 1) * w->page_size;
}

static inline void assert_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(p[i], 0);
    }
}

/* Checks what the page writer promises of a page of its own, and counts it. */
static inline void walk_enter(walk *w, uint32_t number, bool ours)
{
    const uint8_t *page = walk_page(w, number);
    bool leaf = page[0] == LEAF_TYPE;
    uint32_t pointers = (leaf ? LEAF_HEADER : INTERIOR_HEADER) + 2 * be16(page + 3);
    uint32_t content = be16(page + 5) == 0 ? 65536 : be16(page + 5);
    assert_true(leaf || page[0] == INTERIOR_TYPE);
    assert_true(w->depth <= MAX_LEVELS);
    if (ours) {
        assert_int_equal(be16(page + 1), 0);
        assert_int_equal(page[7], 0);
        assert_zero(page + pointers, content - pointers);
        /* A leaf or interior page without anything in it is the empty root at most. */
        assert_true(be16(page + 3) > 0 || (leaf && w->depth == 0));
    }
    w->leaves += leaf ? 1 : 0;
    w->interiors += leaf ? 0 : 1;
    w->levels = w->depth > w->levels ? w->depth : w->levels;
    w->stack[w->depth].page = number;
    w->stack[w->depth].next = 0;
    w->depth++;
}

static inline void walk_begin(walk *w, const void *file, uint32_t page_size, uint32_t root,
                              bool ours)
{
    *w = (walk){.file = file, .page_size = page_size};
    walk_enter(w, root, ours);
}

static inline void walk_payload(walk *w, const uint8_t *cell, bool ours)
{
    uint32_t usable = w->page_size;
    uint64_t min = (usable - 12) * 32 / 255 - 23;
    uint64_t n = walk_varint(&cell);
    uint64_t local = n;
    uint64_t done;
    w->rowid = (int64_t)walk_varint(&cell);
    if (n > usable - 35) {
        local = min + (n - min) % (usable - 4);
        local = local > usable - 35 ? min : local;
    }
    if (n > w->payload_cap) {
        w->payload_cap = 2 * n;
        w->payload = realloc(w->payload, (size_t)w->payload_cap);
        assert_non_null(w->payload);
    }
    w->payload_n = n;
    memcpy(w->payload, cell, (size_t)local);
    uint32_t next = local < n ? be32(cell + local) : 0;
    for (done = local; done < n;) {
        const uint8_t *page = walk_page(w, next);
        uint64_t part = n - done < usable - 4 ? n - done : usable - 4;
        memcpy(w->payload + done, page + 4, (size_t)part);
        done += part;
        next = be32(page);
        w->overflows++;
        if (ours) {
            assert_zero(page + 4 + part, (size_t)(usable - 4 - part));
        }
    }
    assert_int_equal(next, 0);
}

/* The next cell of the tree, from left to right. */
static inline bool walk_next(walk *w, bool ours)
{
    while (w->depth > 0) {
        const uint8_t *page = walk_page(w, w->stack[w->depth - 1].page);
        uint32_t i = w->stack[w->depth - 1].next++;
        uint32_t cells = be16(page + 3);
        bool leaf = page[0] == LEAF_TYPE;
        const uint8_t *pointer = page + (leaf ? LEAF_HEADER : INTERIOR_HEADER) + 2 * (size_t)i;
        if (leaf && i < cells) {
            walk_payload(w, page + be16(pointer), ours);
            return true;
        }
        if (leaf || i > cells) {
            w->depth--;
        } else {
            walk_enter(w, i == cells ? be32(page + 8) : be32(page + be16(pointer)), ours);
        }
    }
    return false;
}

/* --- the end ------------------------------------------------------------------------------- */

/* One table of both files: the same rowids and records in the same order. */
static inline void compare_records(const pair *x, unsigned id, const char *a, const char *b,
                                   sqlite3 *db)
{
    char sql[80];
    walk one;
    walk two;
    snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_schema WHERE name = 't%u'", id);
    walk_begin(&one, a, x->page_size, (uint32_t)db_int(db, sql), true);
    walk_begin(&two, b, x->page_size, (uint32_t)db_int(x->db, sql), false);
    for (;;) {
        bool more = walk_next(&one, true);
        assert_int_equal(more, walk_next(&two, false));
        if (!more) {
            break;
        }
        assert_int_equal(one.rowid, two.rowid);
        if (!x->records_differ) {
            assert_int_equal(one.payload_n, two.payload_n);
            if (memcmp(one.payload, two.payload, (size_t)one.payload_n) != 0) {
                fail_msg("table %u, row %lld: the records differ", id, (long long)one.rowid);
            }
        }
    }
    free(one.payload);
    free(two.payload);
}

static inline void compare_cell(sqlite3_stmt *a, sqlite3_stmt *b, int i)
{
    int type = sqlite3_column_type(a, i);
    double x;
    double y;
    assert_int_equal(type, sqlite3_column_type(b, i));
    switch (type) {
    case SQLITE_INTEGER:
        assert_int_equal(sqlite3_column_int64(a, i), sqlite3_column_int64(b, i));
        break;
    case SQLITE_FLOAT:
        x = sqlite3_column_double(a, i);
        y = sqlite3_column_double(b, i);
        assert_memory_equal(&x, &y, sizeof x);
        break;
    case SQLITE_NULL:
        break;
    default:
        assert_int_equal(sqlite3_column_bytes(a, i), sqlite3_column_bytes(b, i));
        assert_int_equal(memcmp(sqlite3_column_blob(a, i) == NULL ? "" : sqlite3_column_blob(a, i),
                                sqlite3_column_blob(b, i) == NULL ? "" : sqlite3_column_blob(b, i),
                                (size_t)sqlite3_column_bytes(a, i)),
                         0);
    }
}

/* One table of both files, as SQL sees it, in the order in which it comes. */
static inline void compare_cells(unsigned id, sqlite3 *a, sqlite3 *b)
{
    char sql[40];
    sqlite3_stmt *one = NULL;
    sqlite3_stmt *two = NULL;
    int rc;
    snprintf(sql, sizeof sql, "SELECT rowid, * FROM t%u", id);
    assert_int_equal(sqlite3_prepare_v2(a, sql, -1, &one, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(b, sql, -1, &two, NULL), SQLITE_OK);
    while ((rc = sqlite3_step(one)) == SQLITE_ROW) {
        assert_int_equal(sqlite3_step(two), SQLITE_ROW);
        for (int i = 0; i < sqlite3_column_count(one); i++) {
            compare_cell(one, two, i);
        }
    }
    assert_int_equal(rc, SQLITE_DONE);
    assert_int_equal(sqlite3_step(two), SQLITE_DONE);
    sqlite3_finalize(one);
    sqlite3_finalize(two);
}

/* What scans read in one of the files, which SQLite has open too: while it is written (pages not
 * NULL), or finished. */
static inline void pair_scan(const pair *x, const char *path, int fd, ts_pages *pages, sqlite3 *db,
                             sqlite3 *expected)
{
    const ts_reader_config config = {.fd = fd, .path = path, .pages = pages};
    ts_reader *r;
    assert_ok(x->ctx, ts_reader_new(&r, x->ctx, &config));
    for (unsigned i = 0; i < x->count; i++) {
        char sql[80];
        snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_schema WHERE name = 't%u'", i);
        ts_reader_table(r, i, &x->tables[i], (uint32_t)db_int(db, sql), pages != NULL);
        scan_assert_table(r, i, &x->tables[i], expected);
    }
    ts_reader_free(r);
}

static inline void pair_scan_finished(const pair *x, const char *path, sqlite3 *db)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    pair_scan(x, path, fd, NULL, db, x->db);
    assert_int_equal(close(fd), 0);
}

/* Ends writing and compares the files. */
static inline void pair_finish(pair *x)
{
    size_t n;
    size_t other_n;
    if (!x->not_scanned) {
        pair_scan(x, x->path, x->fd, x->pages, x->db, x->db);
    }
    assert_ok(x->ctx, ts_pages_finish(x->pages, &x->page_count));
    ts_pages_free(x->pages);
    x->pages = NULL;
    assert_int_equal(close(x->fd), 0);
    insertsink_free(x->insert);
    x->insert = NULL;
    db_run(x->db, "COMMIT");
    sqlite3 *db = db_open(x->path);
    db_check(db);
    char *a = test_read_file(x->path, &n);
    char *b = test_read_file(x->other, &other_n);
    assert_int_equal(n, (size_t)x->page_count * x->page_size);
    assert_int_equal(db_int(db, "PRAGMA page_count"), x->page_count);
    for (unsigned i = 0; i < x->count; i++) {
        compare_records(x, i, a, b, db);
        compare_cells(i, db, x->db);
    }
    if (!x->not_scanned) {
        pair_scan_finished(x, x->path, db);
        pair_scan_finished(x, x->other, x->db);
    }
    free(a);
    free(b);
    sqlite3_close(db);
}

static inline void pair_free(pair *x)
{
    assert_int_equal(sqlite3_close(x->db), SQLITE_OK);
    for (unsigned i = 0; i < x->count; i++) {
        table_free(&x->tables[i]);
        free(x->rows[i]);
    }
    free(x->path);
    free(x->other);
}

/* The tree of a table of the finished file. */
static inline walk pair_shape(const pair *x, unsigned id)
{
    char sql[80];
    size_t n;
    walk w;
    sqlite3 *db = db_open(x->path);
    char *file = test_read_file(x->path, &n);
    snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_schema WHERE name = 't%u'", id);
    walk_begin(&w, file, x->page_size, (uint32_t)db_int(db, sql), true);
    while (walk_next(&w, true)) {
    }
    free(w.payload);
    free(file);
    sqlite3_close(db);
    w.file = NULL;
    w.payload = NULL;
    return w;
}

/* --- numbers that come in the same order every time ----------------------------------------- */

static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
