/* Every view, on a small database whose answers were worked out by hand. */
#include "tables_recording.h"

#include "tables/schema.h"
#include "tables/schema_sql.h"
#include "tables/views_impl.h"

#define VIEW(test) cmocka_unit_test(test)

static void every_view_answers(void **state)
{
    const recording *r = *state;
    char sql[200];
    for (unsigned i = 0; i < ts_view_count; i++) {
        size_t n = strlen(ts_views[i].doc);
        assert_true(n > 20 && ts_views[i].doc[n - 1] == '.');
        snprintf(sql, sizeof sql, "SELECT count(*) >= 0 FROM %s", ts_views[i].name);
        assert_sql(r->path, sql, "1\n");
    }
}

static void prepare(sqlite3_stmt **out, sqlite3 *db, const char *sql)
{
    if (sqlite3_prepare_v2(db, sql, -1, out, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
}

/* The documentation names the columns that there are, in their order, and nothing else. */
static void columns_are_those_documented(void **state)
{
    const recording *r = *state;
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open_v2(r->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (unsigned i = 0; i < ts_view_count; i++) {
        const ts_view *view = &ts_views[i];
        sqlite3_stmt *s = NULL;
        char sql[200];
        unsigned n = 0;
        snprintf(sql, sizeof sql, "PRAGMA table_info(%s)", view->name);
        prepare(&s, db, sql);
        for (; sqlite3_step(s) == SQLITE_ROW; n++) {
            const char *name = (const char *)sqlite3_column_text(s, 1);
            const char *type = (const char *)sqlite3_column_text(s, 2);
            if (n >= view->column_count || strcmp(view->columns[n].name, name) != 0) {
                fail_msg("%s.%s is not documented, or not there", view->name, name);
            }
            /* Of expressions nothing or, in newer versions of SQLite, their affinity is known. */
            if (type[0] != '\0' && strcmp(type, "BLOB") != 0 && strcmp(type, "NUM") != 0 &&
                strcmp(type, "INT") != 0) {
                assert_string_equal(type, ts_column_sql_type(view->columns[n].type));
            }
            assert_true(strlen(view->columns[n].doc) >= 4);
        }
        sqlite3_finalize(s);
        if (n != view->column_count) {
            fail_msg("%s.%s is documented and not there", view->name, view->columns[n].name);
        }
    }
    sqlite3_close(db);
}

static bool fits(const ts_column *column, int type)
{
    switch (type) {
    case SQLITE_INTEGER:
        return column->type == TS_COL_INT;
    case SQLITE_TEXT:
        return column->type == TS_COL_TEXT;
    case SQLITE_NULL:
        return column->null_meaning[0] != '\0';
    default:
        return false;
    }
}

/* NULL only where the documentation says what it means, and values of the types that it says. */
static void values_are_as_documented(void **state)
{
    const recording *r = *state;
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open_v2(r->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (unsigned i = 0; i < ts_view_count; i++) {
        sqlite3_stmt *s = NULL;
        char sql[200];
        snprintf(sql, sizeof sql, "SELECT * FROM %s", ts_views[i].name);
        prepare(&s, db, sql);
        while (sqlite3_step(s) == SQLITE_ROW) {
            for (unsigned k = 0; k < ts_views[i].column_count; k++) {
                const ts_column *column = &ts_views[i].columns[k];
                /* A number stays one there, as its description says. */
                bool mixed = strcmp(column->name, "strValue") == 0;
                if (!mixed && !fits(column, sqlite3_column_type(s, (int)k))) {
                    fail_msg("%s.%s is %d", ts_views[i].name, column->name,
                             sqlite3_column_type(s, (int)k));
                }
            }
        }
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
}

/* Who reads a table by the numbers of its columns must not notice that it is a view. */
static void shown_views_have_the_columns_of_their_tables(void **state)
{
    static const struct {
        enum ts_table_id table;
        const char *sql;
    } shown[] = {
        {TS_T_callstack, ts_view_callstack_union},     {TS_T_callstack, ts_view_callstack},
        {TS_T_perf_report, ts_view_perf_report},       {TS_T_perf_sample, ts_view_perf_sample},
        {TS_T_perf_callchain, ts_view_perf_callchain}, {TS_T_perf_thread, ts_view_perf_thread},
        {TS_T_perf_files, ts_view_perf_files},         {TS_T_js_heap_edges, ts_view_js_heap_edges},
    };
    const recording *r = *state;
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        const ts_table *table = &ts_schema[shown[i].table];
        sqlite3 *db = NULL;
        sqlite3 *copy = NULL;
        sqlite3_stmt *s = NULL;
        sqlite3_backup *backup;
        char sql[200];
        unsigned n = 0;
        assert_int_equal(sqlite3_open_v2(r->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_open(":memory:", &copy), SQLITE_OK);
        backup = sqlite3_backup_init(copy, "main", db, "main");
        assert_int_equal(sqlite3_backup_step(backup, -1), SQLITE_DONE);
        sqlite3_backup_finish(backup);
        snprintf(sql, sizeof sql, "ALTER TABLE %s RENAME TO %s", table->name,
                 shown[i].table == TS_T_callstack ? TS_CALL_ROWS : TS_EDGE_ROWS);
        assert_int_equal(sqlite3_exec(copy, sql, NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_exec(copy, shown[i].sql, NULL, NULL, NULL), SQLITE_OK);
        snprintf(sql, sizeof sql, "PRAGMA table_info(%s)", table->name);
        prepare(&s, copy, sql);
        for (; sqlite3_step(s) == SQLITE_ROW; n++) {
            assert_true(n < table->column_count);
            assert_string_equal((const char *)sqlite3_column_text(s, 1), table->columns[n].name);
        }
        assert_int_equal(n, table->column_count);
        sqlite3_finalize(s);
        sqlite3_close(copy);
        sqlite3_close(db);
    }
}

/* Hardened readers do not trust the schema of a file that they are given. */
static void views_need_no_trust(void **state)
{
    const recording *r = *state;
    sqlite3 *db = NULL;
    char sql[200];
    assert_int_equal(sqlite3_open_v2(r->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA trusted_schema = OFF", NULL, NULL, NULL), SQLITE_OK);
    for (unsigned i = 0; i < ts_view_count; i++) {
        snprintf(sql, sizeof sql, "SELECT * FROM %s", ts_views[i].name);
        if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
            fail_msg("%s: %s", ts_views[i].name, sqlite3_errmsg(db));
        }
    }
    sqlite3_close(db);
}

/* One number that damage made huge must not keep a view from answering. */
static void views_answer_on_huge_numbers(void **state)
{
    char *path = recording_hostile(*state);
    sqlite3 *db = NULL;
    char sql[200];
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (unsigned i = 0; i < ts_view_count; i++) {
        snprintf(sql, sizeof sql, "SELECT * FROM %s", ts_views[i].name);
        if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
            fail_msg("%s: %s", ts_views[i].name, sqlite3_errmsg(db));
        }
    }
    sqlite3_close(db);
    free(path);
}

/* A view that an old SQLite cannot parse would make the whole database unreadable to it. */
static void views_avoid_new_syntax(void **state)
{
    static const char *const words[] = {"->",           "MATERIALIZED", "FILTER", "iif(",
                                        " IS DISTINCT", "RETURNING",    "NULLS "};
    (void)state;
    for (unsigned i = 0; i < ts_view_count; i++) {
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            assert_null(strstr(ts_views[i].sql, words[w]));
        }
    }
}

static void args_view_joins_names_and_texts(void **state)
{
    const recording *r = *state;
    fixture *f = r->f;
    char *path = path_of(f, "args.db");
    ts_db *db = NULL;
    ts_store *store = NULL;
    int64_t key;
    int64_t value;
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
    assert_ok(f->ctx, ts_store_new(&store, f->ctx, ts_db_sink(db), NULL));
    assert_ok(f->ctx, ts_dict(&key, store, TS_TEXT_LIT("key")));
    assert_ok(f->ctx, ts_dict(&value, store, TS_TEXT_LIT("text")));
    ts_row_args row = {0, 0, key, 1, value, 5};
    assert_ok(f->ctx, ts_put_args(ts_db_sink(db), &row));
    row = (ts_row_args){0, 1, key, 0, value, 5};
    assert_ok(f->ctx, ts_put_args(ts_db_sink(db), &row));
    row = (ts_row_args){0, 2, 77, 9, 3, 6};
    assert_ok(f->ctx, ts_put_args(ts_db_sink(db), &row));
    assert_ok(f->ctx, ts_store_finish(store));
    ts_store_free(store);
    assert_ok(f->ctx, ts_db_finish(db, false, NULL));
    ts_db_close(db);
    assert_sql(path, "SELECT argset, keyName, id, desc, strValue FROM args_view ORDER BY id",
               "5|key|0|string|text\n5|key|1|int32_t|2\n6|NULL|2|NULL|3\n");
    assert_sql(path, "SELECT group_concat(name) FROM pragma_table_info('args_view')",
               "argset,keyName,id,desc,strValue\n");
    free(path);
}

/* --- heap ---------------------------------------------------------------------------------- */

static void nodes_have_type_and_name(void **state)
{
    const recording *r = *state;
    assert_sql(r->path,
               "SELECT node_index, node_id, type, name, self_size, edge_count, trace_node_id, "
               "detachedness, type_id FROM v_js_node WHERE file_id = 0",
               "0|1|object|Window|10|3|0|0|2\n"
               "1|3|string|hello|20|0|1|0|1\n"
               "2|5|string|hello|24|0|1|0|1\n"
               "3|7|code|fn|30|1|0|0|3\n"
               "4|9|hidden||5|0|0|0|0\n"
               "5|11|native|DIV|40|1|2|2|4\n"
               "6|13|object|Window|12|0|2|0|2\n"
               "7|15|NULL|NULL|7|0|0|0|9\n"
               "8|17|object|NULL|8|0|0|0|2\n"
               "9|19|array||50|0|0|0|5\n");
    assert_sql(r->path,
               "SELECT node_id, type, name FROM v_js_node WHERE file_id = 1 AND type_id = 1",
               "3|string|hello\n");
    assert_sql(r->path, "SELECT file_id, count(*) FROM v_js_node GROUP BY 1", "0|10\n1|5\n2|65\n");
    assert_sql(r->path, "SELECT name FROM v_js_node WHERE file_id = 2 AND node_index = 64",
               "n64\n");
}

static void edges_have_both_ends(void **state)
{
    const recording *r = *state;
    assert_sql(r->path,
               "SELECT edge_index, type, name, from_node_id, from_type, from_name, to_node_id, "
               "to_type, to_name, to_self_size, to_node_index FROM v_js_edge WHERE file_id = 0",
               "0|property|next|1|object|Window|3|string|hello|20|1\n"
               "1|element|7|1|object|Window|5|string|hello|24|2\n"
               "2|weak|next|1|object|Window|11|native|DIV|40|5\n"
               "3|hidden|2|7|code|fn|3|string|hello|20|1\n"
               "4|context|fn|11|native|DIV|NULL|NULL|NULL|NULL|5\n"
               "5|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|10\n");
    assert_sql(r->path, "SELECT name, from_name, to_name FROM v_js_edge WHERE file_id = 1",
               "Car|Window|Car\n");
}

static void owners_are_found_in_every_block(void **state)
{
    const recording *r = *state;
    assert_sql(r->path,
               "SELECT count(*), sum(from_name = 'n' || (edge_index / 2)), "
               "sum(to_name = 'n' || ((edge_index + 1) % 65)), sum(name = edge_index) "
               "FROM v_js_edge WHERE file_id = 2",
               "130|130|130|130\n");
    assert_sql(r->path,
               "SELECT edge_index, from_name FROM v_js_edge WHERE file_id = 2 "
               "AND edge_index IN (0, 63, 64, 127, 128, 129)",
               "0|n0\n63|n31\n64|n32\n127|n63\n128|n64\n129|n64\n");
}

static void retainers_are_edges_seen_from_the_target(void **state)
{
    const recording *r = *state;
    assert_sql(
        r->path,
        "SELECT node_name, edge_type, edge_name, retainer_id, retainer_type, retainer_name, "
        "retainer_self_size, edge_index FROM v_js_retainer WHERE file_id = 0 AND node_id = 3",
        "hello|property|next|1|object|Window|10|0\n"
        "hello|hidden|2|7|code|fn|30|3\n");
}

static void classes_follow_the_rule_of_devtools(void **state)
{
    const recording *r = *state;
    assert_sql(r->path,
               "SELECT class, count, self_size FROM v_js_class_histogram WHERE file_id = 0 "
               "ORDER BY self_size DESC, class",
               "(array)|1|50\n(string)|2|44\nDIV|1|40\n(compiled code)|1|30\nWindow|2|22\n"
               "NULL|2|15\n(system)|1|5\n");
    assert_sql(r->path, "SELECT * FROM v_js_class_histogram WHERE file_id = 1",
               "1|(string)|1|20\n1|Car|1|100\n1|Window|3|37\n");
    assert_sql(r->path, "SELECT sum(count), sum(self_size) FROM v_js_class_histogram", "80|428\n");
}

static void duplicated_strings_are_priced(void **state)
{
    const recording *r = *state;
    assert_sql(r->path, "SELECT * FROM v_js_string_duplicates", "0|hello|2|44|20|2\n");
    assert_sql(r->path, "SELECT * FROM v_js_string_duplicates WHERE file_id = 1", "");
}

static void detached_nodes_are_listed(void **state)
{
    const recording *r = *state;
    assert_sql(r->path, "SELECT file_id, node_id, type, name, self_size FROM v_js_detached",
               "0|11|native|DIV|40\n");
}

static void growth_is_told_by_class(void **state)
{
    const recording *r = *state;
    assert_sql(r->path,
               "SELECT * FROM v_js_snapshot_diff WHERE file_id = 1 ORDER BY self_size_delta DESC, "
               "class",
               "1|0|Car|1|0|1|100|0|100\n"
               "1|0|Window|3|2|1|37|22|15\n"
               "1|0|(system)|0|1|-1|0|5|-5\n"
               "1|0|NULL|0|2|-2|0|15|-15\n"
               "1|0|(string)|1|2|-1|20|44|-24\n"
               "1|0|(compiled code)|0|1|-1|0|30|-30\n"
               "1|0|DIV|0|1|-1|0|40|-40\n"
               "1|0|(array)|0|1|-1|0|50|-50\n");
    assert_sql(r->path,
               "SELECT file_id, previous_file_id, count(*) FROM v_js_snapshot_diff GROUP BY 1, 2",
               "1|0|8\n2|1|68\n");
}

static void allocation_tree_counts_what_lives(void **state)
{
    const recording *r = *state;
    assert_sql(r->path, "SELECT * FROM v_js_allocation_stack",
               "0|1|NULL|fn|app.js|12|3|5|100|2|44|100\n"
               "0|2|1||NULL|0|0|2|50|2|52|101\n"
               "0|3|1|NULL|NULL|NULL|NULL|1|9|0|0|NULL\n");
    assert_sql(r->path, "SELECT count(*) FROM v_js_allocation_stack WHERE file_id = 1", "0\n");
}

static void cpu_samples_have_functions(void **state)
{
    const recording *r = *state;
    assert_sql(r->path, "SELECT * FROM v_js_cpu_sample",
               "0|100|130|30|2|main|app.js|7|3|4|1\n"
               "1|130|140|10|1|(anonymous)||0|-1|-1|0\n"
               "2|140|145|5|77|NULL|NULL|NULL|NULL|NULL|NULL\n");
}

/* --- stacks -------------------------------------------------------------------------------- */

static void hot_methods_count_recursion_once(void **state)
{
    const recording *r = *state;
    assert_sql(r->path,
               "SELECT source_id, event, unit, value, method, file, line, self, total "
               "FROM v_stack_hot_method ORDER BY source_id, event, unit, total DESC",
               "5|cpu|ns|dur|C.f;g|app.js|9|17|22\n"
               "5|cpu|ns|dur|main|app.js|9|6|16\n"
               "6|alloc|bytes|alloc_space|a|app.js|9|64|164\n"
               "6|alloc|bytes|alloc_space|(anonymous)|app.js|9|100|100\n"
               "6|alloc|count|alloc_objects|a|app.js|9|2|3\n"
               "6|alloc|count|alloc_objects|(anonymous)|app.js|9|1|1\n"
               "6|call|ns|self_dur|a|app.js|9|20|50\n"
               "6|call|ns|self_dur|(anonymous)|app.js|9|30|30\n");
}

static void folded_stacks_have_their_own_weight(void **state)
{
    const recording *r = *state;
    assert_sql(r->path,
               "SELECT source_id, event, unit, stack, weight FROM v_stack_folded "
               "ORDER BY source_id, event, unit, node_id",
               "5|cpu|ns|(root);main|1\n"
               "5|cpu|ns|(root);main;C.f:g|10\n"
               "5|cpu|ns|(root);main;C.f:g;main|5\n"
               "5|cpu|ns|(root);(idle)|100\n"
               "5|cpu|ns|(root);C.f:g|7\n"
               "6|alloc|bytes|a|64\n"
               "6|alloc|bytes|a;(anonymous)|100\n"
               "6|alloc|count|a|2\n"
               "6|alloc|count|a;(anonymous)|1\n"
               "6|alloc|ns|a|0\n"
               "6|alloc|ns|a;(anonymous)|0\n"
               "6|call|ns|a|20\n"
               "6|call|ns|a;(anonymous)|30\n");
}

static void threads_have_their_time(void **state)
{
    const recording *r = *state;
    assert_sql(r->path, "SELECT * FROM v_thread_cpu ORDER BY source_id, event",
               "5|1|40|app|41|ui|os|cpu|6|126|26|NULL\n"
               "6|1|40|app|41|ui|os|alloc|2|0|NULL|NULL\n"
               "6|1|40|app|41|ui|os|call|2|50|25|25\n");
}

/* 10 000 frames on top of each other: f and g in turn, weight at the leaf and in the middle. */
static void stacks_may_be_deep(void **state)
{
    const recording *shared = *state;
    recording deep = {.f = shared->f, .path = path_of(shared->f, "deep.db")};
    ts_db *db = NULL;
    int64_t methods[2];
    int64_t node = 0;
    int64_t id;
    enum { DEPTH = 10000 };
    test_write_file(deep.path, "", 0);
    assert_ok(deep.f->ctx, ts_db_create(&db, deep.f->ctx, deep.path));
    deep.sink = ts_db_sink(db);
    assert_ok(deep.f->ctx, ts_store_new(&deep.store, deep.f->ctx, deep.sink, NULL));
    assert_ok(deep.f->ctx, ts_source_add(&id, deep.store, 0, "input", "deep", NULL));
    methods[0] = put_method(&deep, 1, NULL, "f");
    methods[1] = put_method(&deep, 1, NULL, "g");
    for (int i = 0; i < DEPTH; i++) {
        node = put_node(&deep, 1, node, methods[i % 2]);
        if (i == DEPTH / 2) {
            put_sample(&deep, 1, 0, 0, 3, node, "cpu");
        }
    }
    put_sample(&deep, 1, 0, 3, 4, node, "cpu");
    assert_ok(deep.f->ctx, ts_store_finish(deep.store));
    ts_store_free(deep.store);
    assert_ok(deep.f->ctx, ts_db_finish(db, false, NULL));
    ts_db_close(db);
    assert_sql(deep.path, "SELECT method, self, total FROM v_stack_hot_method ORDER BY method",
               "f|3|7\ng|4|7\n");
    assert_sql(deep.path,
               "SELECT weight, length(stack), substr(stack, 1, 5), substr(stack, -3) "
               "FROM v_stack_folded ORDER BY weight",
               "3|10001|f;g;f|g;f\n4|19999|f;g;f|f;g\n");
    free(deep.path);
}

/* --- quality ------------------------------------------------------------------------------- */

static void quality_lists_issues_and_differences(void **state)
{
    const recording *r = *state;
    assert_sql(r->path,
               "SELECT source_id, path, recording, kind, severity, what, count, stream, offset, "
               "message FROM v_data_quality",
               "4|NULL|Snapshot2|issue|data_loss|snapshot_gap|1|arkts-plugin|700|"
               "a message is missing\n"
               "1|a.htrace|NULL|count|info|plugin_segments:cpu-plugin|3|NULL|NULL|"
               "seen 3, imported 0, lost 0, skipped 3\n"
               "4|NULL|Snapshot2|count|data_loss|nodes|2|NULL|NULL|"
               "declared 70, seen 67, imported 65, lost 2, skipped 0\n"
               "4|NULL|Snapshot2|count|warning|edges|10|NULL|NULL|"
               "declared 140, seen 130, imported 130, lost 0, skipped 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        VIEW(every_view_answers),
        VIEW(columns_are_those_documented),
        VIEW(values_are_as_documented),
        VIEW(shown_views_have_the_columns_of_their_tables),
        VIEW(views_need_no_trust),
        VIEW(views_answer_on_huge_numbers),
        VIEW(views_avoid_new_syntax),
        VIEW(args_view_joins_names_and_texts),
        VIEW(nodes_have_type_and_name),
        VIEW(edges_have_both_ends),
        VIEW(owners_are_found_in_every_block),
        VIEW(retainers_are_edges_seen_from_the_target),
        VIEW(classes_follow_the_rule_of_devtools),
        VIEW(duplicated_strings_are_priced),
        VIEW(detached_nodes_are_listed),
        VIEW(growth_is_told_by_class),
        VIEW(allocation_tree_counts_what_lives),
        VIEW(cpu_samples_have_functions),
        VIEW(hot_methods_count_recursion_once),
        VIEW(folded_stacks_have_their_own_weight),
        VIEW(threads_have_their_time),
        VIEW(stacks_may_be_deep),
        VIEW(quality_lists_issues_and_differences),
    };
    return cmocka_run_group_tests(tests, recording_setup, recording_teardown);
}
