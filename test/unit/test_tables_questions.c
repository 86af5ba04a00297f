/* Every question, with and without its parameters, on the database of the views' tests. */
#include "tables_recording.h"

#define QUESTIONS TS_TEST_QUESTIONS

typedef struct answer {
    char text[16384];
    size_t n;
} answer;

static void add(answer *a, const char *p, size_t n)
{
    assert_true(a->n + n < sizeof a->text);
    memcpy(a->text + a->n, p, n);
    a->n += n;
    a->text[a->n] = '\0';
}

static ts_code on_header(void *user, const char *const *names, int n)
{
    for (int i = 0; i < n; i++) {
        add(user, names[i], strlen(names[i]));
        add(user, i + 1 < n ? "|" : "\n", 1);
    }
    return TS_OK;
}

static ts_code on_row(void *user, const char *const *values, const size_t *lengths,
                      const ts_cell_type *types, int n)
{
    (void)types;
    for (int i = 0; i < n; i++) {
        if (values[i] == NULL) {
            add(user, "NULL", 4);
        } else {
            add(user, values[i], lengths[i]);
        }
        add(user, i + 1 < n ? "|" : "\n", 1);
    }
    return TS_OK;
}

/* Runs a file; parameters as "name=value" up to a NULL. */
static void ask(answer *a, const recording *r, const char *file, const char *const *parameters)
{
    const ts_rows_visitor visitor = {a, on_header, on_row, NULL, NULL};
    ts_param params[8];
    char names[8][32];
    size_t count = 0;
    size_t n;
    char *path = NULL;
    char *sql;
    ts_db *db = NULL;
    for (; parameters != NULL && parameters[count] != NULL; count++) {
        const char *equals = strchr(parameters[count], '=');
        snprintf(names[count], sizeof names[count], "%.*s", (int)(equals - parameters[count]),
                 parameters[count]);
        params[count] = (ts_param){names[count], equals + 1};
    }
    assert_true(asprintf(&path, "%s/%s", QUESTIONS, file) > 0);
    sql = test_read_file(path, &n);
    a->n = 0;
    a->text[0] = '\0';
    assert_ok(r->f->ctx, ts_db_open(&db, r->f->ctx, r->path));
    assert_ok(r->f->ctx, ts_db_query(db, sql, n, params, count, &visitor));
    ts_db_close(db);
    free(sql);
    free(path);
}

#define check(r, file, expected, ...)                                                              \
    do {                                                                                           \
        static const char *const parameters_[] = {__VA_ARGS__, NULL};                              \
        static answer answer_;                                                                     \
        ask(&answer_, (r), (file), parameters_);                                                   \
        assert_string_equal(answer_.text, (expected));                                             \
    } while (0)

/* --- all files ----------------------------------------------------------------------------- */

/* The words after a heading of the head comment, up to the next heading. */
static void check_head(const char *file, const char *sql)
{
    static const char *const headings[] = {
        "-- Question:   ", "\n-- Parameters: ", "\n-- Columns:    "};
    const char *at = sql;
    for (size_t i = 0; i < 3; i++) {
        const char *found = strstr(at, headings[i]);
        if (found == NULL || (i == 0 && found != sql)) {
            fail_msg("%s lacks \"%s\" in its head", file, headings[i]);
        }
        at = found + 1;
    }
}

/* Every :name that the statements use stands in the head. */
static void check_parameters(const char *file, const char *sql)
{
    const char *head_end = strstr(sql, "\n-- Columns:");
    const char *body = head_end;
    while ((body = strchr(body, ':')) != NULL) {
        char name[40];
        size_t n = strspn(body + 1, "abcdefghijklmnopqrstuvwxyz_");
        const char *found;
        bool in_comment = false;
        for (const char *p = body; p > sql && *p != '\n'; p--) {
            in_comment |= p[0] == '-' && p[-1] == '-';
        }
        if (n == 0 || in_comment) {
            body++;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)n, body + 1);
        found = strstr(sql, name);
        if (found == NULL || found > head_end) {
            fail_msg("%s: the head does not name the parameter %s", file, name);
        }
        body += n;
    }
}

static void every_question_has_a_head_and_runs_without_parameters(void **state)
{
    const recording *r = *state;
    DIR *d = opendir(QUESTIONS);
    int files = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        answer a;
        char *path = NULL;
        char *sql;
        size_t n;
        if (strstr(e->d_name, ".sql") == NULL) {
            continue;
        }
        assert_true(asprintf(&path, "%s/%s", QUESTIONS, e->d_name) > 0);
        sql = test_read_file(path, &n);
        check_head(e->d_name, sql);
        check_parameters(e->d_name, sql);
        ask(&a, r, e->d_name, NULL);
        assert_true(a.n > 0); /* at least the names of the columns */
        free(sql);
        free(path);
        files++;
    }
    closedir(d);
    assert_true(files >= 66);
}

static void questions_answer_on_an_empty_database(void **state)
{
    const recording *shared = *state;
    recording empty = {.f = shared->f, .path = path_of(shared->f, "empty.db")};
    DIR *d = opendir(QUESTIONS);
    ts_db *db = NULL;
    assert_non_null(d);
    test_write_file(empty.path, "", 0);
    assert_ok(empty.f->ctx, ts_db_create(&db, empty.f->ctx, empty.path));
    assert_ok(empty.f->ctx, ts_store_new(&empty.store, empty.f->ctx, ts_db_sink(db), NULL));
    assert_ok(empty.f->ctx, ts_store_finish(empty.store));
    ts_store_free(empty.store);
    assert_ok(empty.f->ctx, ts_db_finish(db, true, NULL));
    ts_db_close(db);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        answer a;
        if (strstr(e->d_name, ".sql") != NULL) {
            ask(&a, &empty, e->d_name, NULL);
        }
    }
    closedir(d);
    free(empty.path);
}

static void questions_answer_on_huge_numbers(void **state)
{
    const recording *shared = *state;
    recording hostile = {.f = shared->f, .path = recording_hostile(shared)};
    DIR *d = opendir(QUESTIONS);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        answer a;
        if (strstr(e->d_name, ".sql") != NULL) {
            ask(&a, &hostile, e->d_name, NULL);
        }
    }
    closedir(d);
    free(hostile.path);
}

/* --- heap ---------------------------------------------------------------------------------- */

static void class_histogram(void **state)
{
    const recording *r = *state;
    check(r, "js_class_histogram.sql",
          "class|count|self_size|percent\nCar|1|100|63.69\nWindow|3|37|23.57\n", "file=1",
          "limit=2");
    check(r, "js_class_histogram.sql", "class|count|self_size|percent\n(array)|1|50|24.27\n",
          "limit=1");
}

static void largest_nodes(void **state)
{
    const recording *r = *state;
    check(r, "js_largest_nodes.sql",
          "node_id|type|name|self_size|edge_count\n19|array||50|0\n11|native|DIV|40|1\n", "file=0",
          "limit=2");
}

static void retainers_of_a_node(void **state)
{
    const recording *r = *state;
    check(r, "js_retainers_of_node.sql",
          "retainer_id|retainer_type|retainer_name|edge_type|edge_name|edge_index\n"
          "1|object|Window|property|next|0\n7|code|fn|hidden|2|3\n",
          "file=0", "node=3");
}

static void edges_of_a_node(void **state)
{
    const recording *r = *state;
    check(r, "js_node_edges.sql",
          "edge_index|type|name|to_node_id|to_type|to_name|to_self_size\n"
          "0|property|Car|21|object|Car|100\n",
          "file=1");
    check(r, "js_node_edges.sql",
          "edge_index|type|name|to_node_id|to_type|to_name|to_self_size\n"
          "3|hidden|2|3|string|hello|20\n",
          "file=0", "node=7");
}

static void strings_by_pattern(void **state)
{
    const recording *r = *state;
    check(r, "js_strings_like.sql",
          "node_id|type|self_size|string\n3|string|20|hello\n5|string|24|hello\n", "pattern=%ell%");
    check(r, "js_strings_like.sql", "node_id|type|self_size|string\n21|object|100|Car\n", "file=1",
          "pattern=C_r");
}

static void duplicated_strings(void **state)
{
    const recording *r = *state;
    check(r, "js_string_duplicates.sql", "count|self_size|wasted_size|string\n2|44|20|hello\n",
          "file=0");
}

static void nodes_that_came_and_went(void **state)
{
    const recording *r = *state;
    check(r, "js_snapshot_diff.sql",
          "class|added|removed|kept|added_size|removed_size|size_delta\n"
          "Car|1|0|0|100|0|100\n"
          "Window|2|1|1|26|12|15\n"
          "(system)|0|1|0|0|5|-5\n"
          "NULL|0|2|0|0|15|-15\n"
          "(string)|0|1|1|0|24|-24\n"
          "(compiled code)|0|1|0|0|30|-30\n"
          "DIV|0|1|0|0|40|-40\n"
          "(array)|0|1|0|0|50|-50\n",
          "file=1", "previous=0");
    check(r, "js_snapshot_diff.sql",
          "class|added|removed|kept|added_size|removed_size|size_delta\n"
          "Car|1|0|0|100|0|100\n",
          "file=1", "limit=1");
    check(r, "js_snapshot_diff.sql",
          "class|added|removed|kept|added_size|removed_size|size_delta\n"
          "(array)|1|0|0|50|0|50\n",
          "file=0", "previous=1", "limit=1");
}

static void allocation_stacks(void **state)
{
    const recording *r = *state;
    check(r, "js_allocation_stacks.sql",
          "live_count|live_size|count|size|stack\n"
          "2|52|2|50|fn;(anonymous)\n2|44|5|100|fn\n0|0|1|9|fn;(anonymous)\n",
          "file=0");
}

/* --- CPU ----------------------------------------------------------------------------------- */

static void hot_methods_of_a_span(void **state)
{
    const recording *r = *state;
    check(r, "cpu_hot_methods.sql",
          "source_id|method|file|line|counted|self_ns|total_ns\n"
          "5|C.f;g|app.js|9|cpu of cpu|17|22\n5|main|app.js|9|cpu of cpu|6|16\n",
          "source=5");
    /* 4 ns of the first sample, the second, 1 ns of (idle) */
    check(r, "cpu_hot_methods.sql",
          "source_id|method|file|line|counted|self_ns|total_ns\n"
          "5|main|app.js|9|cpu of cpu|5|9\n5|C.f;g|app.js|9|cpu of cpu|4|9\n",
          "from=6", "to=16");
}

static void timeline_of_a_thread(void **state)
{
    const recording *r = *state;
    check(r, "cpu_timeline_buckets.sql",
          "bucket|start_ts|end_ts|busy_ns|idle_ns|samples\n"
          "0|0|42|15|27|5\n1|42|84|0|42|0\n2|84|126|11|31|3\n",
          "thread=1", "buckets=3");
    check(r, "cpu_timeline_buckets.sql",
          "bucket|start_ts|end_ts|busy_ns|idle_ns|samples\n"
          "0|5|10|5|0|0\n1|10|15|5|0|1\n",
          "from=5", "to=15", "buckets=2");
    check(r, "cpu_timeline_buckets.sql",
          "bucket|start_ts|end_ts|busy_ns|idle_ns|samples\n0|0|126|0|0|0\n", "thread=99",
          "buckets=1");
}

static void folded(void **state)
{
    const recording *r = *state;
    check(r, "folded_stacks.sql",
          "folded\n(root);main 1\n(root);main;C.f:g 10\n(root);main;C.f:g;main 5\n"
          "(root);C.f:g 7\n",
          "source=5");
    check(r, "folded_stacks.sql", "folded\n(root);(idle) 100\n", "source=5", "weight=waiting");
    check(r, "folded_stacks.sql", "folded\na 64\na;(anonymous) 100\n", "source=6",
          "weight=alloc_space");
    check(r, "folded_stacks.sql", "folded\na 20\na;(anonymous) 30\n", "event=call");
}

/* --- import -------------------------------------------------------------------------------- */

static void losses_worst_first(void **state)
{
    const recording *r = *state;
    static answer a;
    ask(&a, r, "import_losses.sql", NULL);
    assert_string_equal(
        a.text,
        "source_id|path|recording|place|severity|what|count|message\n"
        "4|NULL|Snapshot2|arkts-plugin|data_loss|snapshot_gap|1|a message is missing\n"
        "4|NULL|Snapshot2|NULL|data_loss|nodes|2|declared 70, seen 67, imported 65, lost 2, "
        "skipped 0\n"
        "4|NULL|Snapshot2|NULL|warning|edges|10|declared 140, seen 130, imported 130, lost 0, "
        "skipped 0\n"
        "1|a.htrace|NULL|NULL|info|plugin_segments:cpu-plugin|3|seen 3, imported 0, lost 0, "
        "skipped 3\n");
}

static void sources_and_their_state(void **state)
{
    const recording *r = *state;
    static answer a;
    ask(&a, r, "sources.sql", NULL);
    assert_non_null(strstr(a.text, "\n1|NULL|input|a.htrace|NULL|htrace|NULL|NULL|NULL|0|0|0\n"));
    assert_non_null(strstr(a.text, "\n2|1|snapshot|a.htrace|NULL|htrace|NULL|NULL|NULL|0|1|0\n"));
    assert_non_null(
        strstr(a.text, "\n4|1|snapshot|a.htrace|Snapshot2|htrace|NULL|NULL|NULL|0|0|1\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_question_has_a_head_and_runs_without_parameters),
        cmocka_unit_test(questions_answer_on_an_empty_database),
        cmocka_unit_test(questions_answer_on_huge_numbers),
        cmocka_unit_test(class_histogram),
        cmocka_unit_test(largest_nodes),
        cmocka_unit_test(retainers_of_a_node),
        cmocka_unit_test(edges_of_a_node),
        cmocka_unit_test(strings_by_pattern),
        cmocka_unit_test(duplicated_strings),
        cmocka_unit_test(nodes_that_came_and_went),
        cmocka_unit_test(allocation_stacks),
        cmocka_unit_test(hot_methods_of_a_span),
        cmocka_unit_test(timeline_of_a_thread),
        cmocka_unit_test(folded),
        cmocka_unit_test(losses_worst_first),
        cmocka_unit_test(sources_and_their_state),
    };
    return cmocka_run_group_tests(tests, recording_setup, recording_teardown);
}
