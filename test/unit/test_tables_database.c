/* Writing a database: the schema, rows of every kind, reserved rows, indexes, and failing disks. */
#include "tables_files.h"

#include "tables/database.h"
#include "tables/rows.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static ts_db *create(const fixture *f, const char *path)
{
    ts_db *db = NULL;
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
    return db;
}

static void finish(const fixture *f, ts_db *db, bool with_indexes)
{
    double ms = -1;
    assert_ok(f->ctx, ts_db_finish(db, with_indexes, &ms));
    assert_true(with_indexes ? ms > 0 : ms >= 0);
    ts_db_close(db);
}

static void test_empty_database_has_the_schema(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    finish(f, create(f, path), false);
    assert_sql(path, "PRAGMA integrity_check", "ok\n");
    assert_sql(path, "PRAGMA application_id", "1953653619\n"); /* "trcs" */
    assert_sql(path, "PRAGMA user_version", "2\n");
    assert_sql(path, "PRAGMA page_size", "4096\n");
    assert_sql(path, "PRAGMA encoding", "UTF-8\n");
    assert_sql(path, "PRAGMA auto_vacuum", "0\n");
    assert_sql(path, "PRAGMA freelist_count", "0\n");
    /* No bytes reserved at the ends of pages (offset 20 of the header), schema format 4 (44). */
    size_t n;
    char *file = test_read_file(path, &n);
    assert_int_equal(file[20], 0);
    assert_memory_equal(file + 44, "\0\0\0\4", 4);
    /* The number of pages (28) counts only when the change counter (24) is that of "version valid
     * for" (92). */
    assert_int_equal(n % 4096, 0);
    assert_int_equal((unsigned char)file[30] << 8 | (unsigned char)file[31], n / 4096);
    assert_memory_equal(file + 24, file + 92, 4);
    free(file);
    /* The reader of the viewer is old: no STRICT or WITHOUT ROWID, and no index that we need. */
    assert_sql(path,
               "SELECT count(*) FROM sqlite_master WHERE type = 'index' OR sql LIKE '%STRICT%'"
               " OR sql LIKE '%WITHOUT%'",
               "0\n");
    char *names = sql_text(path, "SELECT name FROM sqlite_master ORDER BY rowid");
    char *p = names;
    for (unsigned i = 0; i < TS_TABLE_COUNT + ts_view_count; i++) {
        const char *name =
            i < TS_TABLE_COUNT ? ts_schema[i].name : ts_views[i - TS_TABLE_COUNT].name;
        assert_int_equal(strncmp(p, name, strlen(name)), 0);
        p += strlen(name);
        assert_int_equal(*p++, '\n');
    }
    assert_int_equal(*p, '\0');
    free(names);
    /* Nothing but the file itself. */
    assert_int_equal(count_names(f->dir), 1);
    free(path);
}

static void test_every_view_answers_on_an_empty_database(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    finish(f, create(f, path), false);
    for (unsigned i = 0; i < ts_view_count; i++) {
        char sql[256];
        snprintf(sql, sizeof sql, "SELECT * FROM %s", ts_views[i].name);
        free(sql_text(path, sql));
    }
    free(path);
}

static void test_schema_doc_is_the_schema(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    finish(f, create(f, path), false);
    /* SQLite's own list of columns, in the same order: tables, then views. It knows no types of
     * expressions; newer versions give their affinity, TEXT or a word that no column has. */
    assert_sql(
        path,
        "WITH s AS (SELECT m.name AS t, c.name AS c, c.type || iif(c.pk, ' PRIMARY KEY', '') "
        "AS ty, m.type AS kind, row_number() OVER (ORDER BY m.type, m.rowid, c.cid) AS n "
        "FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')) "
        "SELECT count(*) = (SELECT count(*) FROM schema_doc), count(d.rowid) = count(*), "
        "count(DISTINCT s.kind) "
        "FROM s LEFT JOIN schema_doc d ON s.n = d.rowid AND s.t = d.table_name AND s.c = "
        "d.column_name AND (s.ty = d.type OR s.kind = 'view' AND s.ty IN ('', "
        "'BLOB', 'NUM', 'INT'))",
        "1|1|2\n");
    assert_sql(path, "SELECT count(*) FROM schema_doc WHERE length(description) < 4", "0\n");
    assert_sql(path,
               "SELECT unit, description FROM schema_doc WHERE table_name = 'stack_sample' AND "
               "column_name = 'node_id'",
               "id of stack_node|innermost frame of the stack; NULL: an empty stack\n");
    assert_sql(path,
               "SELECT type, unit, description FROM schema_doc WHERE table_name = 'js_heap_nodes' "
               "AND column_name = 'edge_count'",
               "INTEGER|NULL|number of its references; they follow each other in js_heap_edges; "
               "NULL: not in the file\n");
    free(path);
}

static void test_values_come_back(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = create(f, path);
    ts_sink *sink = ts_db_sink(db);
    ts_row_hisys_event_measure row = {.id = INT64_MIN,
                                      .serial = INT64_MAX,
                                      .ts = 0,
                                      .int_value = 0.1,
                                      .string_value = {"a\0b", 3}};
    TS_SET_NULL(hisys_event_measure, &row, type);
    assert_ok(f->ctx, ts_put_hisys_event_measure(sink, &row));
    /* A text without bytes is not NULL; one without a pointer is, and so is one with its bit. */
    row = (ts_row_hisys_event_measure){.int_value = -1.5, .string_value = TS_TEXT_LIT("")};
    assert_ok(f->ctx, ts_put_hisys_event_measure(sink, &row));
    row = (ts_row_hisys_event_measure){.string_value = TS_TEXT_NULL};
    assert_ok(f->ctx, ts_put_hisys_event_measure(sink, &row));
    row = (ts_row_hisys_event_measure){.string_value = TS_TEXT_LIT("x")};
    TS_SET_NULL(hisys_event_measure, &row, string_value);
    TS_SET_NULL(hisys_event_measure, &row, int_value);
    assert_ok(f->ctx, ts_put_hisys_event_measure(sink, &row));
    assert_int_equal(sink->rows[TS_T_hisys_event_measure], 4);
    finish(f, db, false);
    assert_sql(path,
               "SELECT rowid, id, serial, ts, type, int_value, hex(string_value), "
               "typeof(string_value) FROM hisys_event_measure",
               "1|-9223372036854775808|9223372036854775807|0|NULL|0.1|610062|text\n"
               "2|0|0|0|0|-1.5||text\n"
               "3|0|0|0|0|0.0||null\n"
               "4|0|0|0|0|NULL||null\n");
    free(path);
}

/* A text that looks like a number stays a text where the column is TEXT. */
static void test_children_stay_text(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = create(f, path);
    ts_row_js_cpu_profiler_node row = {.children = TS_TEXT_LIT("7"), .script_id = TS_TEXT_LIT("0")};
    assert_ok(f->ctx, ts_put_js_cpu_profiler_node(ts_db_sink(db), &row));
    finish(f, db, false);
    assert_sql(path, "SELECT typeof(children), typeof(script_id) FROM js_cpu_profiler_node",
               "text|text\n");
    free(path);
}

enum {
    DUR = TS_C_stack_slice__dur,
    SELF_DUR = TS_C_stack_slice__self_dur,
    STATE = TS_C_stack_slice__state
};
#define OPEN_COLUMNS (UINT64_C(1) << DUR | UINT64_C(1) << SELF_DUR | UINT64_C(1) << STATE)

/* A key is the rowid: in the record it is NULL (file format, section 2.3: serial type 0). */
static void assert_keys_take_no_space(const char *path, const char *table)
{
    char sql[100];
    size_t n;
    snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
    char *root = sql_text(path, sql);
    char *file = test_read_file(path, &n);
    const unsigned char *page = (unsigned char *)file + (strtoul(root, NULL, 10) - 1) * 4096;
    unsigned cells = (unsigned)page[3] << 8 | page[4];
    assert_int_equal(page[0], 13); /* a leaf */
    assert_true(cells > 0);
    for (unsigned i = 0; i < cells; i++) { /* length, rowid, length of the header, first type */
        const unsigned char *cell = page + ((unsigned)page[8 + 2 * i] << 8 | page[9 + 2 * i]);
        assert_true(cell[0] < 0x80 && cell[1] == i + 1 && cell[2] < 0x80);
        assert_int_equal(cell[3], 0);
    }
    free(file);
    free(root);
}

static void test_keys_are_dense(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = create(f, path);
    ts_sink *sink = ts_db_sink(db);
    ts_row_stack_value_type row = {.id = 1, .name = TS_TEXT_LIT("a")};
    assert_ok(f->ctx, ts_put_stack_value_type(sink, &row));
    const int64_t wrong[] = {1, 0, -1, 3, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        row.id = wrong[i];
        assert_failure(f->ctx, ts_put_stack_value_type(sink, &row), TS_ERR_INTERNAL,
                       "table=stack_value_type");
    }
    row.id = 2;
    row.null = 1; /* a key is never NULL */
    assert_ok(f->ctx, ts_put_stack_value_type(sink, &row));
    for (int64_t i = 1; i <= 2; i++) {
        const ts_row_stack_node node = {.id = i, .source_id = 7};
        const ts_row_stack_slice slice = {.id = i, .state = 1};
        assert_ok(f->ctx, ts_put_stack_node(sink, &node));
        assert_ok(f->ctx, ts_sink_reserve(sink, TS_T_stack_slice, &slice, OPEN_COLUMNS));
    }
    finish(f, db, false);
    assert_sql(path, "SELECT rowid, id, name FROM stack_value_type", "1|1|a\n2|2|a\n");
    assert_keys_take_no_space(path, "stack_value_type");
    assert_keys_take_no_space(path, "stack_node");
    assert_keys_take_no_space(path, "stack_slice");
    free(path);
}

static void test_reserved_rows_are_completed(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = create(f, path);
    ts_sink *sink = ts_db_sink(db);
    ts_row_stack_slice row = {.state = 1, .dur = -1, .self_dur = 5};
    TS_SET_NULL(stack_slice, &row, cpu_dur);
    for (int64_t i = 1; i <= 4; i++) {
        row.id = i;
        row.ts = 10 * i;
        assert_ok(f->ctx, ts_sink_reserve(sink, TS_T_stack_slice, &row, i == 4 ? 0 : OPEN_COLUMNS));
    }
    assert_ok(f->ctx, ts_sink_complete(sink, TS_T_stack_slice, 2, DUR, 77));
    assert_ok(f->ctx, ts_sink_complete(sink, TS_T_stack_slice, 2, STATE, 0));
    assert_ok(f->ctx, ts_sink_complete(sink, TS_T_stack_slice, 3, DUR, 7));
    assert_ok(f->ctx, ts_sink_complete(sink, TS_T_stack_slice, 3, DUR, INT64_MIN));
    ts_sink_release(sink, TS_T_stack_slice, 2);
    /* No such row, no such column, not reserved, released, another table. */
    static const struct {
        enum ts_table_id table;
        int64_t rowid;
        unsigned column;
        const char *part;
    } wrong[] = {
        {TS_T_stack_slice, 5, DUR, "table=stack_slice, row=5"},
        {TS_T_stack_slice, 0, DUR, "row=0"},
        {TS_T_stack_slice, 1, TS_N_stack_slice, "column=11"},
        {TS_T_stack_slice, 1, 64, "column=64"},
        {TS_T_stack_slice, 1, TS_C_stack_slice__id, "column=0"},
        {TS_T_stack_slice, 1, TS_C_stack_slice__ts, "column=5"},
        {TS_T_stack_slice, 4, DUR, "row=4"},
        {TS_T_stack_slice, 2, DUR, "row=2"},
        {TS_T_schema_doc, 1, 0, "table=schema_doc"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_failure(f->ctx,
                       ts_sink_complete(sink, wrong[i].table, wrong[i].rowid, wrong[i].column, 1),
                       TS_ERR_INTERNAL, wrong[i].part);
    }
    /* A NULL, a key, a text, a column that there is none. */
    row.id = 5;
    assert_failure(f->ctx,
                   ts_sink_reserve(sink, TS_T_stack_slice, &row, TS_NULL_BIT(stack_slice, cpu_dur)),
                   TS_ERR_INTERNAL, "cannot be reserved: table=stack_slice");
    assert_failure(f->ctx, ts_sink_reserve(sink, TS_T_stack_slice, &row, 1), TS_ERR_INTERNAL,
                   "columns=0x1");
    assert_failure(f->ctx,
                   ts_sink_reserve(sink, TS_T_stack_slice, &row, UINT64_C(1) << TS_N_stack_slice),
                   TS_ERR_INTERNAL, "columns=0x800");
    ts_row_js_heap_string text = {.string = TS_TEXT_LIT("x")};
    assert_failure(
        f->ctx,
        ts_sink_reserve(sink, TS_T_js_heap_string, &text, TS_NULL_BIT(js_heap_string, string)),
        TS_ERR_INTERNAL, "table=js_heap_string");
    finish(f, db, false);
    assert_sql(path, "PRAGMA integrity_check", "ok\n");
    assert_sql(path, "SELECT id, ts, dur, self_dur, cpu_dur, state FROM stack_slice",
               "1|10|-1|5|NULL|1\n2|20|77|5|NULL|0\n3|30|-9223372036854775808|5|NULL|1\n"
               "4|40|-1|5|NULL|1\n");
    free(path);
}

/* More rows than the cache holds, over several tables. */
static void put_many(const fixture *f, ts_db *db, int64_t n)
{
    ts_sink *sink = ts_db_sink(db);
    char text[64];
    for (int64_t i = 0; i < n; i++) {
        ts_row_js_heap_nodes node = {.node_index = i, .id = 2 * i + 1, .self_size = i % 97};
        assert_ok(f->ctx, ts_put_js_heap_nodes(sink, &node));
        ts_row_js_heap_edges edge = {.edge_index = i, .from_node_id = i, .to_node_id = n - i};
        assert_ok(f->ctx, ts_put_js_heap_edges(sink, &edge));
        int length = snprintf(text, sizeof text, "string number %lld", (long long)i);
        ts_row_js_heap_string string = {.file_index = i, .string = {text, (size_t)length}};
        assert_ok(f->ctx, ts_put_js_heap_string(sink, &string));
    }
}

/* Texts that come after their rows, also longer than a page, in rows that stand on full pages. */
static void test_late_texts(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = create(f, path);
    ts_sink *sink = ts_db_sink(db);
    enum { ROWS = 2000, NAME = TS_C_stack_method__name, CLASS = TS_C_stack_method__class };
    static char text[5000];
    memset(text, 'x', sizeof text);
    for (int64_t i = 1; i <= ROWS; i++) {
        ts_row_stack_method row = {.id = i, .raw_id = i, .name = TS_TEXT_LIT("1")};
        assert_ok(f->ctx, ts_put_stack_method(sink, &row));
    }
    for (int64_t i = 3; i <= ROWS; i += 3) {
        ts_text value = {text, (size_t)i % 100 == 0 ? sizeof text : (size_t)i % 100};
        assert_ok(f->ctx, ts_sink_late_text(sink, TS_T_stack_method, i, NAME, value));
    }
    assert_ok(f->ctx, ts_sink_late_text(sink, TS_T_stack_method, 1, CLASS, TS_TEXT_LIT("")));
    assert_ok(f->ctx, ts_sink_late_text(sink, TS_T_stack_method, 3, NAME, TS_TEXT_LIT("last")));
    static const struct {
        int64_t rowid;
        unsigned column;
    } wrong[] = {{0, NAME}, {ROWS + 1, NAME}, {1, TS_C_stack_method__raw_id}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_failure(f->ctx,
                       ts_sink_late_text(sink, TS_T_stack_method, wrong[i].rowid, wrong[i].column,
                                         TS_TEXT_LIT("x")),
                       TS_ERR_INTERNAL, "table=stack_method");
    }
    finish(f, db, true);
    assert_sql(path, "PRAGMA integrity_check", "ok\n");
    assert_sql(path,
               "SELECT count(*), sum(raw_id = id), sum(name = '1' AND class IS NULL) FROM "
               "stack_method",
               "2000|2000|1333\n");
    assert_sql(path,
               "SELECT count(*) FROM stack_method WHERE id % 3 = 0 AND id > 3 AND length(name) <> "
               "iif(id % 100 = 0, 5000, id % 100)",
               "0\n");
    assert_sql(path, "SELECT name, class, typeof(class) FROM stack_method WHERE id IN (1, 2, 3)",
               "1||text\n1|NULL|null\nlast|NULL|null\n");
    free(path);
}

/* Cells that are found to be wrong after their pages were written. */
static void test_invalidated_ranges(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = create(f, path);
    ts_sink *sink = ts_db_sink(db);
    enum { ROWS = 3000 };
    const uint64_t both =
        TS_NULL_BIT(js_heap_string, file_index) | TS_NULL_BIT(js_heap_string, string);
    static char text[5000];
    memset(text, 'x', sizeof text);
    for (int64_t i = 0; i < ROWS; i++) { /* some of them longer than a page */
        ts_row_js_heap_string row = {.file_index = i, .string = {text, i % 50 == 0 ? 5000 : 10}};
        ts_row_stack_method method = {.id = i + 1, .raw_id = i, .name = TS_TEXT_LIT("1")};
        assert_ok(f->ctx, ts_put_js_heap_string(sink, &row));
        assert_ok(f->ctx, ts_put_stack_method(sink, &method));
    }
    assert_ok(f->ctx, ts_sink_invalidate(sink, TS_T_js_heap_string, 2000, 2400, both));
    assert_ok(f->ctx, ts_sink_invalidate(sink, TS_T_js_heap_string, 2401, ROWS, both));
    assert_ok(f->ctx, ts_sink_invalidate(sink, TS_T_js_heap_string, 1, 1,
                                         TS_NULL_BIT(js_heap_string, file_index)));
    assert_ok(f->ctx,
              ts_sink_invalidate(sink, TS_T_stack_method, 7, 7, TS_NULL_BIT(stack_method, name)));
    for (int64_t i = 100; i < 200; i += 2) { /* none joins the one before */
        assert_ok(f->ctx, ts_sink_invalidate(sink, TS_T_stack_method, i, i,
                                             TS_NULL_BIT(stack_method, name)));
    }
    static const struct {
        int64_t first, last;
        uint64_t columns;
    } wrong[] = {{0, 5, 2}, {5, 4, 2}, {5, ROWS + 1, 2},
                 {1, 5, 0}, {1, 5, 1}, {1, 5, UINT64_C(1) << 63}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_failure(f->ctx,
                       ts_sink_invalidate(sink, TS_T_stack_method, wrong[i].first, wrong[i].last,
                                          wrong[i].columns),
                       TS_ERR_INTERNAL, "table=stack_method");
    }
    finish(f, db, true);
    assert_sql(path, "PRAGMA integrity_check", "ok\n");
    assert_sql(path,
               "SELECT count(*), count(file_index), count(string), max(file_index), "
               "min(rowid) FILTER (WHERE string IS NULL) FROM js_heap_string",
               "3000|1998|1999|1998|2000\n");
    assert_sql(path, "SELECT sum(length(string)) FROM js_heap_string", "219590\n");
    assert_sql(path, "SELECT id, raw_id FROM stack_method WHERE name IS NULL AND id < 100",
               "7|6\n");
    assert_sql(path,
               "SELECT count(*), min(id), max(id), sum(id % 2) FROM stack_method "
               "WHERE name IS NULL AND id >= 100",
               "50|100|198|0\n");
    free(path);
}

static void test_memory_stays_bounded(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    sqlite3_memory_highwater(1);
    ts_db *db = create(f, path);
    put_many(f, db, 200000);
    assert_true(sqlite3_memory_highwater(1) < 12 << 20);
    double ms = 0;
    assert_ok(f->ctx, ts_db_finish(db, true, &ms));
    assert_true(sqlite3_memory_highwater(1) < 32 << 20);
    ts_db_close(db);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 16 << 20);
    assert_sql(path, "PRAGMA integrity_check", "ok\n");
    assert_sql(path,
               "SELECT count(*), max(rowid), sum(node_index), sum(id) - 2 * sum(node_index) FROM "
               "js_heap_nodes",
               "200000|200000|19999900000|200000\n");
    assert_sql(path, "SELECT count(*) FROM js_heap_edges WHERE rowid <> edge_index + 1", "0\n");
    assert_sql(path, "SELECT string FROM js_heap_string WHERE rowid = 200000",
               "string number 199999\n");
    assert_int_equal(count_names(f->dir), 1);
    free(path);
}

static void test_equal_rows_give_equal_files(void **state)
{
    fixture *f = *state;
    for (int indexed = 0; indexed < 2; indexed++) {
        char *first = path_of(f, "a.db");
        char *second = path_of(f, "a longer name, and another one.sqlite");
        ts_db *db = create(f, first);
        put_many(f, db, 30000);
        finish(f, db, indexed != 0);
        /* What lies in the memory that SQLite gets must not matter. */
        sqlite3_release_memory(INT_MAX);
        ts_db *other = create(f, second);
        put_many(f, other, 30000);
        finish(f, other, indexed != 0);
        size_t n1;
        size_t n2;
        char *p1 = test_read_file(first, &n1);
        char *p2 = test_read_file(second, &n2);
        assert_int_equal(n1, n2);
        assert_int_equal(memcmp(p1, p2, n1), 0);
        free(p1);
        free(p2);
        free(first);
        free(second);
    }
}

static void test_indexes(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = create(f, path);
    put_many(f, db, 1000);
    finish(f, db, true);
    assert_sql(path, "PRAGMA integrity_check", "ok\n");
    char *names =
        sql_text(path, "SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY rowid");
    char *p = names;
    for (unsigned i = 0; i < ts_index_count; i++) {
        size_t n = strlen(ts_indexes[i].name);
        assert_int_equal(strncmp(p, ts_indexes[i].name, n), 0);
        p += n + 1;
        assert_true(ts_indexes[i].doc[0] != '\0');
    }
    assert_int_equal(*p, '\0');
    free(names);
    assert_sql(path, "SELECT stat FROM sqlite_stat1 WHERE idx = 'ix_js_heap_nodes_id'",
               "1000 1 1\n");
    char *plan = sql_text(path, "EXPLAIN QUERY PLAN SELECT * FROM js_heap_edges WHERE file_id = 0 "
                                "AND to_node_id = 5");
    assert_non_null(strstr(plan, "ix_js_heap_edges_to (to_node_id=? AND file_id=?)"));
    free(plan);
    free(path);
}

static void test_order_of_calls(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = create(f, path);
    ts_rows_visitor none = {0};
    assert_failure(f->ctx, ts_db_query(db, "SELECT 1", 8, NULL, 0, &none), TS_ERR_INTERNAL,
                   "unfinished");
    assert_ok(f->ctx, ts_db_finish(db, false, NULL));
    assert_failure(f->ctx, ts_db_finish(db, false, NULL), TS_ERR_INTERNAL, "finished already");
    ts_row_trace_range row = {0};
    assert_failure(f->ctx, ts_put_trace_range(ts_db_sink(db), &row), TS_ERR_INTERNAL,
                   "table=trace_range");
    assert_failure(f->ctx, ts_sink_complete(ts_db_sink(db), TS_T_schema_doc, 1, 0, 0),
                   TS_ERR_INTERNAL, "schema_doc");
    assert_failure(f->ctx,
                   ts_sink_late_text(ts_db_sink(db), TS_T_schema_doc, 1, 0, TS_TEXT_LIT("x")),
                   TS_ERR_INTERNAL, "schema_doc");
    ts_db_close(db);
    ts_db_close(NULL);
    free(path);
}

static void test_unusable_files(void **state)
{
    fixture *f = *state;
    ts_db *db = NULL;
    char *path = path_of(f, "missing.db");
    assert_failure(f->ctx, ts_db_create(&db, f->ctx, path), TS_ERR_OUTPUT, path);
    assert_null(db);
    /* It is not created: that is the business of publish.c. */
    assert_false(exists(path));
    static const char text[] = "this is a text and no database, whatever its name may say";
    test_write_file(path, text, sizeof text);
    assert_failure(f->ctx, ts_db_create(&db, f->ctx, path), TS_ERR_OUTPUT, "not empty");
    assert_failure(f->ctx, ts_db_create(&db, f->ctx, f->dir), TS_ERR_OUTPUT, f->dir);
    free(path);
}

/* In a child, because limits are for the whole process. */
static int full_disk_child(const fixture *f, const char *path, rlim_t limit, bool with_indexes)
{
    struct rlimit r = {limit, limit};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &r) != 0) {
        return 10;
    }
    ts_db *db = NULL;
    ts_code code = ts_db_create(&db, f->ctx, path);
    for (int64_t i = 0; code == TS_OK && i < 20000; i++) {
        ts_row_js_heap_nodes row = {.node_index = i, .id = INT64_MAX - i};
        code = ts_put_js_heap_nodes(ts_db_sink(db), &row);
    }
    if (code == TS_OK) {
        code = ts_db_finish(db, with_indexes, NULL);
    }
    ts_db_close(db);
    if (code != TS_ERR_OUTPUT) {
        return 11;
    }
    char text[4096];
    causes(f->ctx, text, sizeof text);
    if (strstr(text, path) == NULL || strstr(text, "File too large") == NULL) {
        fprintf(stderr, "limit %llu: %s", (unsigned long long)limit, text);
        return 12;
    }
    return 0;
}

static void test_full_disk(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    /* In the schema; in the rows; in the indexes, whose table is about 520 KB. */
    const rlim_t limits[] = {8192, 300000, 700000};
    for (size_t i = 0; i < 3; i++) {
        test_write_file(path, "", 0);
        fflush(NULL);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            _exit(full_disk_child(f, path, limits[i], i == 2));
        }
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    free(path);
}

static void test_signal_ends_indexing(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = create(f, path);
    put_many(f, db, 20000);
    volatile sig_atomic_t signal_number = SIGINT;
    f->ctx->cancel = &signal_number;
    assert_int_equal(ts_db_finish(db, true, NULL), TS_ERR_INTERRUPTED);
    f->ctx->cancel = NULL;
    ts_db_close(db);
    free(path);
}

/* --- memory that runs out -------------------------------------------------------------------- */

static ts_code write_little(ts_ctx *ctx, const char *path)
{
    ts_db *db = NULL;
    ts_code code = ts_db_create(&db, ctx, path);
    if (code == TS_OK) {
        ts_row_stack_slice row = {.id = 1};
        code = ts_sink_reserve(ts_db_sink(db), TS_T_stack_slice, &row, OPEN_COLUMNS);
    }
    if (code == TS_OK) {
        code = ts_sink_complete(ts_db_sink(db), TS_T_stack_slice, 1, DUR, 5);
    }
    if (code == TS_OK) {
        ts_row_stack_method row = {.id = 1};
        code = ts_put_stack_method(ts_db_sink(db), &row);
    }
    if (code == TS_OK) {
        code = ts_sink_late_text(ts_db_sink(db), TS_T_stack_method, 1, TS_C_stack_method__name,
                                 TS_TEXT_LIT("name"));
    }
    if (code == TS_OK) {
        code = ts_sink_invalidate(ts_db_sink(db), TS_T_stack_method, 1, 1,
                                  TS_NULL_BIT(stack_method, raw_id));
    }
    if (code == TS_OK) {
        code = ts_db_finish(db, true, NULL);
    }
    ts_db_close(db);
    return code;
}

static void test_every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    test_failing c = {.forever = true};
    f->ctx->allocator = test_failing_allocator(&c);
    ts_code code = TS_ERR_NOMEM;
    uint64_t n = 0;
    for (; code == TS_ERR_NOMEM && n < 1000; n++) {
        test_write_file(path, "", 0);
        c.calls = 0;
        c.fail_at = n + 1;
        code = write_little(f->ctx, path);
        assert_int_equal(f->ctx->memory_used, 0);
    }
    assert_ok(f->ctx, code);
    assert_true(n > 5);
    free(path);
}

/* SQLite has its own memory; when that runs out, it is the same error. */
static void test_memory_of_sqlite_may_run_out(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_code code = TS_OK;
    int failures = 0;
    for (sqlite3_int64 limit = 20000; limit < 400000; limit += 20000) {
        test_write_file(path, "", 0);
        sqlite3_hard_heap_limit64(sqlite3_memory_used() + limit);
        code = write_little(f->ctx, path);
        sqlite3_hard_heap_limit64(0);
        failures += code == TS_ERR_NOMEM ? 1 : 0;
        assert_true(code == TS_OK || code == TS_ERR_NOMEM);
        assert_int_equal(f->ctx->memory_used, 0);
    }
    assert_true(failures > 3);
    free(path);
}

/* --max-memory holds for SQLite, in conversions and in questions, and says so. */
static void test_limit_of_memory_holds_for_sqlite(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = NULL;
    static const char sql[] = "SELECT length(hex(zeroblob(40000000)))";
    ts_rows_visitor visitor = {0};
    test_write_file(path, "", 0);
    f->ctx->limits.max_memory = 300000;
    assert_int_equal(write_little(f->ctx, path), TS_ERR_LIMIT);
    f->ctx->limits.max_memory = 0;
    test_write_file(path, "", 0); /* what was written before it ended */
    assert_ok(f->ctx, write_little(f->ctx, path));
    f->ctx->limits.max_memory = 20 << 20;
    assert_ok(f->ctx, ts_db_open(&db, f->ctx, path));
    assert_int_equal(ts_db_query(db, sql, strlen(sql), NULL, 0, &visitor), TS_ERR_LIMIT);
    assert_non_null(strstr(f->ctx->error.causes[0], "--max-memory (20971520 bytes)"));
    ts_db_close(db);
    f->ctx->limits.max_memory = 0;
    assert_ok(f->ctx, ts_db_open(&db, f->ctx, path));
    assert_ok(f->ctx, ts_db_query(db, sql, strlen(sql), NULL, 0, &visitor));
    ts_db_close(db);
    free(path);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_empty_database_has_the_schema),
        TEST(test_every_view_answers_on_an_empty_database),
        TEST(test_schema_doc_is_the_schema),
        TEST(test_values_come_back),
        TEST(test_children_stay_text),
        TEST(test_keys_are_dense),
        TEST(test_reserved_rows_are_completed),
        TEST(test_late_texts),
        TEST(test_invalidated_ranges),
        TEST(test_memory_stays_bounded),
        TEST(test_equal_rows_give_equal_files),
        TEST(test_indexes),
        TEST(test_order_of_calls),
        TEST(test_unusable_files),
        TEST(test_full_disk),
        TEST(test_signal_ends_indexing),
        TEST(test_every_allocation_may_fail),
        TEST(test_memory_of_sqlite_may_run_out),
        TEST(test_limit_of_memory_holds_for_sqlite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
