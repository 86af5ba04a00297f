/* libtracestreamer as its users see it: only the header and the library. */
#define _GNU_SOURCE
#include "tracestreamer.h"

#include "../../src/lib/arrow.h"

#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA TS_TEST_DATA "/"

/* Two samples of one function. */
static const char PROFILE[] =
    "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":\"0\",\"url\":"
    "\"\","
    "\"lineNumber\":-1,\"columnNumber\":-1},\"hitCount\":0,\"children\":[2]},{\"id\":2,"
    "\"callFrame\":{\"functionName\":\"work\",\"scriptId\":\"1\",\"url\":\"a.js\",\"lineNumber\":4,"
    "\"columnNumber\":2},\"hitCount\":2}],\"startTime\":1000,\"endTime\":4000,"
    "\"samples\":[2,2],\"timeDeltas\":[1000,1000]}";

static tst_session *opened(const tst_options *options)
{
    tst_session *s;
    assert_int_equal(tst_open(&s, options), TST_OK);
    assert_string_equal(tst_message(s), "");
    return s;
}

/* A finished session of the profile above. */
static tst_session *finished(void)
{
    tst_session *s = opened(NULL);
    assert_int_equal(tst_name(s, "some/folder/work.cpuprofile"), TST_OK);
    assert_int_equal(tst_feed(s, PROFILE, 50, 0), TST_OK);
    assert_int_equal(tst_feed(s, PROFILE + 50, strlen(PROFILE) - 50, 1), TST_OK);
    assert_int_equal(tst_finish(s), TST_OK);
    return s;
}

/* The only value of a statement. */
static int64_t number(tst_session *s, const char *sql)
{
    tst_rows *rows;
    assert_int_equal(tst_query(&rows, s, sql, NULL, 0), TST_OK);
    assert_int_equal(tst_rows_next(rows), TST_ROW);
    const int64_t n = tst_rows_int64(rows, 0);
    assert_int_equal(tst_rows_next(rows), TST_OK);
    tst_rows_free(rows);
    return n;
}

/* --- sessions ------------------------------------------------------------------------------ */

static void test_rows_and_values(void **state)
{
    tst_session *s = finished();
    tst_rows *rows;
    size_t n;
    (void)state;
    assert_int_equal(tst_query(&rows, s,
                               "SELECT name, parent_id, format FROM source WHERE parent_id IS NULL",
                               NULL, 0),
                     TST_OK);
    assert_int_equal(tst_rows_columns(rows), 3);
    assert_string_equal(tst_rows_name(rows, 2), "format");
    assert_null(tst_rows_name(rows, 3));
    assert_int_equal(tst_rows_type(rows, 0), TST_NULL); /* no present row */
    assert_int_equal(tst_rows_next(rows), TST_ROW);
    assert_string_equal(tst_rows_text(rows, 2, &n), "cpuprofile");
    assert_int_equal(n, 10);
    assert_int_equal(tst_rows_type(rows, 1), TST_NULL);
    assert_null(tst_rows_text(rows, 1, &n));
    assert_null(tst_rows_text(rows, -1, NULL));
    assert_null(tst_rows_text(rows, 3, NULL));
    assert_int_equal(tst_rows_next(rows), TST_OK);
    assert_int_equal(tst_rows_next(rows), TST_OK);
    tst_rows_free(rows);

    const tst_param params[] = {{"a", "7"}, {"b", "0.25"}, {"c", "\xc3\xa4"}};
    assert_int_equal(tst_query(&rows, s,
                               "CREATE TEMP TABLE t (x); SELECT :a, :b, :c, x'00ff', '12.5', "
                               "9223372036854775807, -1e300",
                               params, 3),
                     TST_OK);
    assert_int_equal(tst_rows_next(rows), TST_ROW);
    assert_int_equal(tst_rows_type(rows, 0), TST_INT64);
    assert_int_equal(tst_rows_int64(rows, 0), 7);
    assert_int_equal(tst_rows_type(rows, 1), TST_DOUBLE);
    assert_true(tst_rows_double(rows, 1) == 0.25);
    const char *a = tst_rows_text(rows, 0, NULL);
    const char *b = tst_rows_text(rows, 1, NULL);
    assert_string_equal(a, "7"); /* both stay valid */
    assert_string_equal(b, "0.25");
    assert_string_equal(tst_rows_text(rows, 2, &n), "\xc3\xa4");
    assert_int_equal(n, 2);
    assert_int_equal(tst_rows_type(rows, 3), TST_BLOB);
    assert_memory_equal(tst_rows_blob(rows, 3, &n), "\0\xff", 2);
    assert_int_equal(n, 2);
    assert_int_equal(tst_rows_int64(rows, 4), 12);
    assert_true(tst_rows_double(rows, 4) == 12.5);
    assert_true(tst_rows_int64(rows, 5) == INT64_MAX);
    assert_true(tst_rows_int64(rows, 6) == INT64_MIN);
    tst_rows_free(rows);
    assert_int_equal(number(s, "SELECT count(*) FROM stack_sample"), 2);
    assert_int_equal(tst_losses(s), 0);
    tst_close(s);
}

static void test_order_of_calls(void **state)
{
    tst_rows *rows = (tst_rows *)state;
    tst_session *s = opened(NULL);
    assert_int_equal(tst_finish(s), TST_USAGE);
    assert_string_equal(tst_message(s), "there is no input");
    assert_int_equal(tst_query(&rows, s, "SELECT 1", NULL, 0), TST_USAGE);
    assert_null(rows);
    assert_string_equal(tst_message(s), "there is no database to ask: tst_finish was not called");
    assert_int_equal(tst_save(s, "x.db", 0), TST_USAGE);
    assert_null(tst_path(s));
    assert_int_equal(tst_feed(s, PROFILE, 10, 0), TST_OK);
    assert_int_equal(tst_name(s, "late"), TST_USAGE);
    assert_int_equal(tst_finish(s), TST_USAGE);
    assert_int_equal(tst_feed(s, PROFILE + 10, strlen(PROFILE) - 10, 1), TST_OK);
    assert_int_equal(tst_finish(s), TST_OK);
    assert_int_equal(tst_feed(s, PROFILE, 10, 0), TST_USAGE);
    assert_string_equal(tst_message(s), "the session takes no recordings: it was finished");
    assert_int_equal(tst_add_path(s, "x"), TST_USAGE);
    assert_int_equal(tst_finish(s), TST_USAGE);
    assert_int_equal(number(s, "SELECT count(*) FROM stack_sample"), 2);
    tst_close(s);
    tst_close(NULL);
}

static void test_wrong_sql(void **state)
{
    tst_session *s = finished();
    tst_rows *rows;
    (void)state;
    assert_int_equal(tst_query(&rows, s, "SELECT\nnone FROM source", NULL, 0), TST_USAGE);
    assert_string_equal(tst_message(s), "SQL error: line=1: no such column: none");
    assert_int_equal(tst_query(&rows, s, "DELETE FROM source", NULL, 0), TST_USAGE);
    assert_non_null(strstr(tst_message(s), "queries cannot change the database"));
    assert_int_equal(tst_query(&rows, s, "ATTACH 'x' AS y", NULL, 0), TST_USAGE);
    const tst_param param = {"none", "1"};
    assert_int_equal(tst_query(&rows, s, "SELECT :other", &param, 1), TST_USAGE);
    assert_int_equal(tst_query(&rows, s, "-- nothing", NULL, 0), TST_OK);
    assert_int_equal(tst_rows_columns(rows), 0);
    assert_int_equal(tst_rows_next(rows), TST_OK);
    tst_rows_free(rows);
    assert_int_equal(tst_query(&rows, s, "SELECT abs(-9223372036854775808)", NULL, 0), TST_USAGE);
    assert_int_equal(number(s, "SELECT 3"), 3);
    assert_string_equal(tst_message(s), "");
    tst_close(s);
}

static void test_inputs_that_fail(void **state)
{
    tst_session *s = opened(NULL);
    (void)state;
    assert_int_equal(tst_name(s, "letter.txt"), TST_OK);
    assert_int_equal(tst_feed(s, "Dear all", 8, 1), TST_FORMAT);
    assert_non_null(strstr(tst_message(s), "the format of letter.txt is unknown"));
    assert_non_null(strstr(tst_failure(s, 0), "letter.txt"));
    assert_null(tst_failure(s, 1));
    assert_int_equal(tst_feed(s, "", 0, 1), TST_INPUT);
    assert_string_equal(tst_message(s), "- is empty");
    assert_int_equal(tst_feed(s, PROFILE, strlen(PROFILE), 1), TST_OK);
    assert_int_equal(tst_finish(s), TST_OK); /* one of three */
    assert_int_equal(number(s, "SELECT count(*) FROM source WHERE complete = 0"), 2);
    tst_close(s);

    s = opened(NULL);
    assert_int_equal(tst_add_path(s, "/does/not/exist"), TST_OK);
    assert_int_equal(tst_finish(s), TST_INPUT);
    assert_non_null(strstr(tst_message(s), "cannot open '/does/not/exist'"));
    assert_int_equal(tst_finish(s), TST_USAGE);
    assert_string_equal(tst_message(s), "the session takes no recordings: it has failed");
    tst_close(s);

    assert_int_equal(tst_open_database(&s, DATA "go-cpu.pprof", NULL), TST_INPUT);
    assert_non_null(strstr(tst_message(s), "not an SQLite database"));
    tst_close(s);
}

static void test_options(void **state)
{
    tst_session *s;
    tst_options options = {.size = sizeof options, .format = "none"};
    (void)state;
    assert_int_equal(tst_open(&s, &options), TST_USAGE);
    assert_non_null(strstr(tst_message(s), "unknown format \"none\""));
    assert_int_equal(tst_feed(s, "", 0, 1), TST_USAGE);
    tst_close(s);
    options = (tst_options){.size = 0};
    assert_int_equal(tst_open(&s, &options), TST_USAGE);
    tst_close(s);
    options = (tst_options){.size = sizeof options, .time_range = "yesterday"};
    assert_int_equal(tst_open(&s, &options), TST_USAGE);
    tst_close(s);
    /* What an older program did not know of is not looked at. */
    options = (tst_options){.size = offsetof(tst_options, analyze), .analyze = (const char *)1};
    s = opened(&options);
    tst_close(s);
    char text[] = "none";
    options = (tst_options){.size = sizeof options, .analyze = text, .flags = TST_INDEX};
    s = opened(&options);
    memset(text, 'x', 4); /* it was copied */
    assert_int_equal(tst_add_path(s, DATA "go-cpu.pprof"), TST_OK);
    assert_int_equal(tst_finish(s), TST_OK);
    assert_int_equal(number(s, "SELECT count(*) > 10 FROM sqlite_master WHERE type = 'index'"), 1);
    assert_int_equal(number(s, "SELECT count(*) FROM stack_total"), 0);
    tst_close(s);
}

/* --- questions ----------------------------------------------------------------------------- */

static void test_ask(void **state)
{
    tst_options options = {.size = sizeof options, .share_dir = TS_TEST_SHARE};
    tst_session *s = opened(&options);
    tst_rows *rows;
    (void)state;
    assert_int_equal(tst_add_path(s, DATA "go-cpu.pprof"), TST_OK);
    assert_int_equal(tst_finish(s), TST_OK);
    assert_int_equal(tst_ask(&rows, s, "sources", NULL, 0), TST_OK);
    assert_int_equal(tst_rows_next(rows), TST_ROW);
    tst_rows_free(rows);
    /* An answer of the model: the sum of the self weights is all samples' weight. */
    const tst_param all = {"limit", "100000"};
    int64_t sum = 0;
    int self = -1;
    assert_int_equal(tst_ask(&rows, s, "hot_methods", &all, 1), TST_OK);
    for (int i = 0; i < tst_rows_columns(rows); i++) {
        self = strcmp(tst_rows_name(rows, i), "self") == 0 ? i : self;
    }
    assert_true(self >= 0);
    while (tst_rows_next(rows) == TST_ROW) {
        sum += tst_rows_int64(rows, self);
    }
    tst_rows_free(rows);
    assert_int_equal(sum, 180000000); /* 18 samples, one each 10 ms */
    const tst_param wrong = {"colour", "red"};
    assert_int_equal(tst_ask(&rows, s, "hot_methods", &wrong, 1), TST_USAGE);
    assert_non_null(strstr(tst_message(s), "has no parameter \"colour\""));
    assert_int_equal(tst_ask(&rows, s, "hot_method", NULL, 0), TST_USAGE);
    assert_non_null(strstr(tst_message(s), "did you mean hot_methods?"));
    assert_int_equal(tst_ask(&rows, s, "js_leak_suspects", NULL, 0), TST_USAGE);
    assert_non_null(strstr(tst_message(s), "cannot answer"));
    tst_close(s);
}

/* --- comparisons --------------------------------------------------------------------------- */

/* Session of an input of which the bytes are given. */
static tst_session *session_of(const char *name, const void *bytes, size_t n)
{
    tst_options options = {.size = sizeof options, .share_dir = TS_TEST_SHARE};
    tst_session *s = opened(&options);
    assert_int_equal(tst_name(s, name), TST_OK);
    assert_int_equal(tst_feed(s, bytes, n, 1), TST_OK);
    assert_int_equal(tst_finish(s), TST_OK);
    return s;
}

static tst_session *session_of_file(const char *path)
{
    tst_options options = {.size = sizeof options, .share_dir = TS_TEST_SHARE};
    tst_session *s = opened(&options);
    assert_int_equal(tst_add_path(s, path), TST_OK);
    assert_int_equal(tst_finish(s), TST_OK);
    return s;
}

/* The profile go-cpu.pprof, and the same with one more sample of 7 ms at its first place. */
static tst_session *go_profile(bool more)
{
    static const uint8_t sample[] = {0x12, 10, 0x0a, 1, 1, 0x12, 5, 1, 0xc0, 0x9f, 0xab, 0x03};
    static uint8_t bytes[1 << 16];
    FILE *in = popen("gzip -dc '" DATA "go-cpu.pprof'", "r");
    assert_non_null(in);
    size_t n = fread(bytes, 1, sizeof bytes - sizeof sample, in);
    assert_int_equal(pclose(in), 0);
    assert_true(n > 1000);
    if (more) {
        memcpy(bytes + n, sample, sizeof sample);
        n += sizeof sample;
    }
    return session_of(more ? "more.pprof" : "go.pprof", bytes, n);
}

static int column_of(const tst_rows *rows, const char *name)
{
    for (int i = 0; i < tst_rows_columns(rows); i++) {
        if (strcmp(tst_rows_name(rows, i), name) == 0) {
            return i;
        }
    }
    fail_msg("there is no column %s", name);
    return -1;
}

static int64_t value_of(const tst_rows *rows, const char *name)
{
    return tst_rows_int64(rows, column_of(rows, name));
}

/* The only value of a statement about a name; 0 without a row. */
static int64_t number_of(tst_session *s, const char *sql, const char *name)
{
    const tst_param param = {"name", name};
    tst_rows *rows;
    assert_int_equal(tst_query(&rows, s, sql, &param, 1), TST_OK);
    const int64_t n = tst_rows_next(rows) == TST_ROW ? tst_rows_int64(rows, 0) : 0;
    tst_rows_free(rows);
    return n;
}

#define LEAVES                                                                                     \
    "FROM stack_sample AS s JOIN stack_node AS n ON n.id = s.node_id JOIN stack_method AS m ON "   \
    "m.id = n.method_id JOIN stack_sample_value AS v ON v.sample_id = s.id JOIN stack_value_type " \
    "AS t ON t.id = v.value_type_id WHERE t.unit = 'ns' AND ifnull(nullif(m.package, '')"          \
    " || '.', '') || ifnull(nullif(m.class, '') || '.', '') || m.name = :name "

static void test_diff_profiles(void **state)
{
    tst_session *before = go_profile(false);
    tst_session *after = go_profile(true);
    tst_rows *rows;
    int64_t change = 0, count = 0;
    (void)state;
    assert_int_equal(tst_diff(&rows, before, after, NULL, NULL, 0), TST_OK);
    assert_string_equal(tst_rows_name(rows, 0), "method");
    assert_string_equal(tst_rows_name(rows, 1), "file");
    assert_string_equal(tst_rows_name(rows, 2), "self_cpu_before");
    assert_int_equal(tst_rows_next(rows), TST_ROW);
    do {
        const char *name = tst_rows_text(rows, 0, NULL);
        const int64_t was = value_of(rows, "self_cpu_before");
        const int64_t is = value_of(rows, "self_cpu_after");
        assert_int_equal(was, number_of(before, "SELECT sum(v.value) " LEAVES, name));
        assert_int_equal(is, number_of(after, "SELECT sum(v.value) " LEAVES, name));
        assert_int_equal(value_of(rows, "self_cpu_change"), is - was);
        assert_int_equal(value_of(rows, "self_samples_after"),
                         number_of(after, "SELECT count(*) " LEAVES, name));
        assert_int_equal(tst_rows_type(rows, column_of(rows, "self_cpu_percent")),
                         was == 0 ? TST_NULL : TST_DOUBLE);
        /* Of 187 ms, rounded to hundredths. */
        const double share = tst_rows_double(rows, column_of(rows, "share_cpu_after"));
        assert_true(share - (double)is / 1870000 < 0.006 && share - (double)is / 1870000 > -0.006);
        change += is - was;
        count++;
    } while (tst_rows_next(rows) == TST_ROW);
    tst_rows_free(rows);
    assert_int_equal(change, 7000000);
    assert_true(count > 1); /* the shares of others are smaller */

    /* The rows outlive the session before; a limit. */
    const tst_param params[] = {{"limit", "1"}, {"weight", "samples"}};
    assert_int_equal(tst_diff(&rows, before, after, "method", params, 2), TST_OK);
    tst_close(before);
    assert_string_equal(tst_rows_name(rows, 2), "self_samples_before");
    assert_int_equal(tst_rows_next(rows), TST_ROW);
    assert_int_equal(value_of(rows, "self_samples_change"), 1);
    assert_int_equal(tst_rows_next(rows), TST_OK);
    tst_rows_free(rows);

    /* Nothing before: all that there is. */
    assert_int_equal(tst_diff(&rows, NULL, after, "method", NULL, 0), TST_OK);
    change = 0;
    while (tst_rows_next(rows) == TST_ROW) {
        assert_int_equal(value_of(rows, "self_cpu_before"), 0);
        change += value_of(rows, "self_cpu_change");
    }
    tst_rows_free(rows);
    assert_int_equal(change, 187000000);
    tst_close(after);
}

#define SQL_SNAPSHOT(n) "(SELECT id FROM js_heap_files WHERE file_name = 'Snapshot" #n "')"
#define SQL_CLASS(what, n)                                                                         \
    "SELECT " what " FROM v_js_class_histogram WHERE file_id = " SQL_SNAPSHOT(n) " AND class = "   \
                                                                                 ":name"
#define SQL_IDS(n) "(SELECT id FROM js_heap_nodes WHERE file_id = " SQL_SNAPSHOT(n) ")"

static void check_classes(tst_session *s, tst_rows *rows)
{
    int64_t size = 0, count = 0, n = 0;
    while (tst_rows_next(rows) == TST_ROW) {
        const char *class = tst_rows_text(rows, 0, NULL);
        assert_int_equal(value_of(rows, "self_size_before"),
                         number_of(s, SQL_CLASS("self_size", 0), class));
        assert_int_equal(value_of(rows, "self_size_after"),
                         number_of(s, SQL_CLASS("self_size", 1), class));
        assert_int_equal(value_of(rows, "count_before"),
                         number_of(s, SQL_CLASS("count", 0), class));
        assert_int_equal(value_of(rows, "count_after"), number_of(s, SQL_CLASS("count", 1), class));
        assert_int_equal(value_of(rows, "count_change"),
                         value_of(rows, "new_count") - value_of(rows, "deleted_count"));
        size += value_of(rows, "self_size_change");
        count += value_of(rows, "count_change");
        n++;
    }
    tst_rows_free(rows);
    assert_true(n > 10);
    assert_int_equal(size,
                     number(s, "SELECT sum(iif(file_id = " SQL_SNAPSHOT(
                                   1) ", self_size, -self_size)) FROM js_heap_nodes WHERE "
                                      "file_id IN (" SQL_SNAPSHOT(0) ", " SQL_SNAPSHOT(1) ")"));
    assert_int_equal(count, 46007 - 42389); /* nodes, as the files say */
}

static void check_nodes(tst_session *s, tst_rows *rows)
{
    int64_t states[3] = {0};
    static const char *const names[] = {"new", "deleted", "changed"};
    while (tst_rows_next(rows) == TST_ROW) {
        for (int i = 0; i < 3; i++) {
            states[i] += strcmp(tst_rows_text(rows, 1, NULL), names[i]) == 0 ? 1 : 0;
        }
    }
    tst_rows_free(rows);
    assert_int_equal(states[0],
                     number(s, "SELECT count(*) FROM " SQL_IDS(1) " WHERE id NOT IN " SQL_IDS(0)));
    assert_int_equal(states[1],
                     number(s, "SELECT count(*) FROM " SQL_IDS(0) " WHERE id NOT IN " SQL_IDS(1)));
    assert_int_equal(
        states[2],
        number(s,
               "SELECT count(*) FROM js_heap_nodes AS a JOIN js_heap_nodes AS b USING (id) WHERE "
               "a.file_id = " SQL_SNAPSHOT(0) " AND b.file_id = " SQL_SNAPSHOT(
                   1) " AND a.self_size <> b.self_size"));
    assert_true(states[0] > 0 && states[1] > 0);
}

static void test_diff_heaps(void **state)
{
    static const tst_param params[] = {{"before", "Snapshot0"}, {"after", "Snapshot1"}};
    char path[] = "/tmp/library-XXXXXX";
    tst_options options = {.size = sizeof options, .share_dir = TS_TEST_SHARE};
    tst_session *s = session_of_file(DATA "recording-snapshots.htrace.gz");
    tst_session *again;
    tst_rows *rows;
    (void)state;
    assert_int_equal(tst_diff(&rows, s, s, NULL, params, 2), TST_OK);
    check_classes(s, rows);
    assert_int_equal(tst_diff(&rows, s, s, "node", params, 2), TST_OK);
    check_nodes(s, rows);
    /* Without sources: the first and the last one. */
    assert_int_equal(tst_diff(&rows, s, s, NULL, NULL, 0), TST_OK);
    assert_int_equal(tst_rows_next(rows), TST_ROW);
    assert_int_equal(value_of(rows, "count_after"),
                     number_of(s, SQL_CLASS("count", 2), tst_rows_text(rows, 0, NULL)));
    tst_rows_free(rows);

    /* A finished database and the session that it was saved from, then alone. */
    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(tst_save(s, path, 1), TST_OK);
    assert_int_equal(tst_open_database(&again, path, &options), TST_OK);
    assert_int_equal(tst_diff(&rows, s, again, "class", params, 2), TST_OK);
    tst_close(s);
    check_classes(again, rows);
    assert_int_equal(tst_diff(&rows, again, again, "node", params, 2), TST_OK);
    check_nodes(again, rows);
    tst_close(again);
    unlink(path);
}

static void refused(tst_session *before, tst_session *after, const char *by, tst_param param,
                    const char *message)
{
    tst_rows *rows = (tst_rows *)&before;
    assert_int_equal(tst_diff(&rows, before, after, by, &param, param.name == NULL ? 0 : 1),
                     TST_USAGE);
    assert_null(rows);
    if (strstr(tst_message(after), message) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", message, tst_message(after));
    }
}

static void test_diff_refused(void **state)
{
    const tst_param none = {NULL, NULL};
    tst_session *profile = go_profile(false);
    tst_session *heap = session_of_file(DATA "recording-snapshots.htrace.gz");
    tst_session *open = opened(NULL);
    tst_rows *rows;
    (void)state;
    refused(profile, heap, "class", none, "cannot compare by class: not both inputs have heaps");
    assert_string_equal(tst_message(profile), "");
    refused(profile, heap, NULL, none, "the inputs have nothing in common that can be compared");
    refused(profile, profile, NULL, none, "both sides are the same");
    refused(profile, heap, "colour", none, "\"colour\" is not one of: class, java_class, method, ");
    refused(heap, heap, NULL, (tst_param){"colour", "red"},
            "a comparison has no parameter \"colour\"; it has source, ");
    refused(heap, heap, NULL, (tst_param){"limit", "-1"}, "bad value for limit: \"-1\"");
    refused(heap, heap, NULL, (tst_param){"limit", "4294967296"}, "bad value for limit");
    refused(heap, heap, NULL, (tst_param){"limit", ""}, "bad value for limit");
    refused(heap, heap, NULL, (tst_param){"before", "Snapshot9"},
            "cannot compare the session after");
    refused(heap, heap, "class", (tst_param){"thread", "main"},
            "--thread does not apply to --by=class");
    refused(heap, heap, "class", (tst_param){"event", "cpu"},
            "--event does not apply to --by=class");
    refused(heap, heap, "class", (tst_param){"weight", "colour"}, "has no value \"colour\"");
    refused(NULL, heap, NULL, (tst_param){"before", "Snapshot0"}, "there is no session before");
    refused(open, heap, NULL, none,
            "the session before has no database to compare: tst_finish was not called");
    refused(heap, open, NULL, none, "there is no database to ask: tst_finish was not called");
    /* The session before is as it was, and both go on. */
    assert_string_equal(tst_message(open),
                        "there is no database to ask: tst_finish was not called");
    assert_int_equal(tst_diff(&rows, NULL, profile, NULL, NULL, 0), TST_OK);
    tst_rows_free(rows);
    tst_cancel(heap);
    assert_int_equal(tst_diff(&rows, heap, heap, NULL, NULL, 0), TST_CANCELLED);
    assert_int_equal(tst_diff(&rows, heap, heap, NULL, NULL, 0), TST_OK);
    tst_rows_free(rows);
    tst_close(open);
    tst_close(heap);
    tst_close(profile);
}

/* --- Arrow --------------------------------------------------------------------------------- */

static bool is_there(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *bits = a->buffers[0];
    return bits == NULL || (bits[i / 8] >> i % 8 & 1) != 0;
}

static void test_arrow_values(void **state)
{
    tst_session *s = finished();
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch, end;
    tst_rows *rows;
    (void)state;
    assert_int_equal(
        tst_query(&rows, s,
                  "SELECT column1 AS i, column2 AS r, column3 AS t, column4 AS b, NULL AS n FROM "
                  "(VALUES (1, 0.5, 'a', x'00'), (NULL, 2, NULL, 'z'), (3, NULL, '', NULL), "
                  "(-4, -1.5, 7, x''))",
                  NULL, 0),
        TST_OK);
    assert_int_equal(tst_rows_arrow(&stream, rows), TST_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, 5);
    static const char *const formats[] = {"l", "g", "u", "z", "u"};
    static const char *const names[] = {"i", "r", "t", "b", "n"};
    for (int i = 0; i < 5; i++) {
        assert_string_equal(schema.children[i]->format, formats[i]);
        assert_string_equal(schema.children[i]->name, names[i]);
        assert_int_equal(schema.children[i]->flags, ARROW_FLAG_NULLABLE);
    }
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(stream.get_next(&stream, &end), 0);
    assert_null(end.release);
    stream.release(&stream);
    assert_null(stream.release);
    tst_close(s); /* the batch and the schema stay */
    schema.release(&schema);
    assert_null(schema.release);

    assert_int_equal(batch.length, 4);
    const struct ArrowArray *c = batch.children[0];
    assert_int_equal(c->null_count, 1);
    assert_true(is_there(c, 0) && !is_there(c, 1) && is_there(c, 2) && is_there(c, 3));
    assert_int_equal(((const int64_t *)c->buffers[1])[0], 1);
    assert_int_equal(((const int64_t *)c->buffers[1])[3], -4);
    c = batch.children[1];
    assert_int_equal(c->null_count, 1);
    assert_true(!is_there(c, 2));
    assert_true(((const double *)c->buffers[1])[1] == 2.0);
    c = batch.children[2];
    const int32_t *at = c->buffers[1];
    assert_int_equal(c->null_count, 1);
    assert_int_equal(at[0], 0);
    assert_int_equal(at[1], 1);
    assert_int_equal(at[2], 1);
    assert_int_equal(at[3], 1);
    assert_int_equal(at[4], 2);
    assert_memory_equal(c->buffers[2], "a7", 2);
    c = batch.children[3];
    at = c->buffers[1];
    assert_int_equal(c->null_count, 1);
    assert_int_equal(at[2], 2);
    assert_int_equal(at[4], 2);
    assert_memory_equal(c->buffers[2], "\0z", 2);
    c = batch.children[4];
    assert_int_equal(c->null_count, 4);
    assert_non_null(c->buffers[1]);
    batch.release(&batch);
    assert_null(batch.release);
}

/* More rows than a batch, against the sums that SQLite makes. */
static void test_arrow_batches(void **state)
{
    static const char sql[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
        "SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE 'text ' || i END AS t FROM n";
    tst_session *s = finished();
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    tst_rows *rows;
    int64_t sum = 0, count = 0, bytes = 0, nulls = 0, batches = 0;
    (void)state;
    assert_int_equal(tst_query(&rows, s, sql, NULL, 0), TST_OK);
    assert_int_equal(tst_rows_arrow(&stream, rows), TST_OK);
    for (;;) {
        assert_int_equal(stream.get_next(&stream, &batch), 0);
        if (batch.release == NULL) {
            break;
        }
        for (int64_t i = 0; i < batch.length; i++) {
            sum += ((const int64_t *)batch.children[0]->buffers[1])[i];
            nulls += is_there(batch.children[1], i) ? 0 : 1;
        }
        bytes += ((const int32_t *)batch.children[1]->buffers[1])[batch.length];
        count += batch.length;
        batches++;
        batch.release(&batch);
    }
    stream.release(&stream);
    assert_int_equal(count, 200000);
    assert_int_equal(sum, INT64_C(200000) * 200001 / 2);
    assert_int_equal(nulls, 66666);
    assert_true(batches > 1);
    assert_int_equal(
        bytes, number(s, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                         "200000) SELECT sum(length('text ' || i)) FROM n WHERE i % 3 <> 0"));
    tst_close(s);
}

static void test_arrow_late_type(void **state)
{
    tst_session *s = finished();
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    tst_rows *rows;
    (void)state;
    assert_int_equal(tst_query(&rows, s,
                               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                               "WHERE i < 70000) SELECT CASE WHEN i = 70000 THEN 'x' ELSE i END AS "
                               "v FROM n",
                               NULL, 0),
                     TST_OK);
    assert_int_equal(tst_rows_arrow(&stream, rows), TST_OK);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(batch.length, 65536);
    batch.release(&batch);
    assert_int_not_equal(stream.get_next(&stream, &batch), 0);
    assert_string_equal(stream.get_last_error(&stream),
                        "row 70000 of the column \"v\" has a text, and the column is of integers: "
                        "use CAST");
    stream.release(&stream);
    tst_close(s);
}

/* --- threads, locale, files ---------------------------------------------------------------- */

static void *convert_and_count(void *path)
{
    tst_session *s;
    int64_t *n = malloc(sizeof *n);
    *n = -1;
    if (tst_open(&s, NULL) == TST_OK && tst_add_path(s, path) == TST_OK &&
        tst_finish(s) == TST_OK) {
        tst_rows *rows;
        if (tst_query(&rows, s, "SELECT count(*) FROM stack_sample", NULL, 0) == TST_OK &&
            tst_rows_next(rows) == TST_ROW) {
            *n = tst_rows_int64(rows, 0);
        }
        tst_rows_free(rows);
    }
    tst_close(s);
    return n;
}

static void test_sessions_in_threads(void **state)
{
    static char *const paths[] = {DATA "go-cpu.pprof", DATA "recording-cpuprofile.htrace.gz",
                                  DATA "work.jfr.gz", DATA "go-cpu.pprof"};
    pthread_t threads[4];
    int64_t alone[4];
    (void)state;
    for (int i = 0; i < 4; i++) {
        int64_t *n = convert_and_count(paths[i]);
        alone[i] = *n;
        assert_true(alone[i] > 0);
        free(n);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, convert_and_count, paths[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *n;
        assert_int_equal(pthread_join(threads[i], &n), 0);
        assert_int_equal(*(int64_t *)n, alone[i]);
        free(n);
    }
}

static void *cancel_soon(void *session)
{
    usleep(100 * 1000);
    tst_cancel(session);
    return NULL;
}

static void test_cancel(void **state)
{
    tst_session *s = finished();
    tst_rows *rows = (tst_rows *)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, s), 0);
    assert_int_equal(tst_query(&rows, s,
                               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                               "SELECT count(*) FROM n",
                               NULL, 0),
                     TST_CANCELLED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(number(s, "SELECT 5"), 5); /* it was that call alone */
    tst_cancel(s);                              /* the next one, however short */
    assert_int_equal(tst_query(&rows, s, "SELECT 5", NULL, 0), TST_CANCELLED);
    assert_null(rows);
    assert_int_equal(number(s, "SELECT 5"), 5);
    tst_close(s);
}

static void note(void *user, const char *what, uint64_t done, int64_t total)
{
    uint64_t *most = user;
    (void)total;
    assert_non_null(what);
    *most = done > *most ? done : *most;
}

static void test_progress(void **state)
{
    tst_session *s = opened(NULL);
    uint64_t most = 0;
    (void)state;
    tst_on_progress(s, note, &most);
    assert_int_equal(tst_feed(s, PROFILE, strlen(PROFILE), 1), TST_OK);
    assert_int_equal(tst_finish(s), TST_OK);
    assert_true(most >= strlen(PROFILE));
    tst_close(s);
}

/* A caller whose numbers have a comma. */
static void test_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    bool set = false;
    (void)state;
    for (size_t i = 0; i < 4 && !set; i++) {
        set = setlocale(LC_ALL, names[i]) != NULL;
    }
    if (!set) {
        skip();
    }
    tst_session *s = finished();
    tst_rows *rows;
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
    const tst_param half = {"x", "0.5"};
    assert_int_equal(tst_query(&rows, s, "SELECT :x, '0.5'", &half, 1), TST_OK);
    assert_int_equal(tst_rows_next(rows), TST_ROW);
    assert_true(tst_rows_double(rows, 0) == 0.5);
    assert_true(tst_rows_double(rows, 1) == 0.5);
    assert_string_equal(tst_rows_text(rows, 0, NULL), "0.5");
    tst_rows_free(rows);
    tst_close(s);
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* as the caller had it */
    (void)setlocale(LC_ALL, "C");
}

static int put_some(void *user, const void *bytes, size_t n)
{
    size_t *sum = user;
    (void)bytes;
    *sum += n;
    return *sum > 8192;
}

static void test_save_and_open(void **state)
{
    char path[] = "/tmp/library-XXXXXX";
    tst_session *s = finished();
    tst_session *again;
    size_t sum = 0;
    (void)state;
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "text", 4) == 4 && close(fd) == 0);
    assert_int_equal(tst_save(s, path, 0), TST_OUTPUT); /* not a database of ours */
    assert_int_equal(tst_save(s, path, 1), TST_OK);
    assert_int_equal(tst_open_database(&again, path, NULL), TST_OK);
    assert_string_equal(tst_path(again), path);
    assert_int_equal(number(again, "SELECT count(*) FROM stack_sample"), 2);
    assert_int_equal(tst_save(again, path, 0), TST_OK);
    tst_close(again);
    assert_int_equal(tst_export(s, put_some, &sum), TST_OUTPUT);
    assert_string_equal(tst_message(s), "the database was not taken to its end");
    assert_int_equal(access(tst_path(s), R_OK), 0);
    char kept[4096];
    snprintf(kept, sizeof kept, "%s", tst_path(s));
    tst_close(s);
    assert_int_not_equal(access(kept, F_OK), 0); /* nothing is left */
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_and_values), cmocka_unit_test(test_order_of_calls),
        cmocka_unit_test(test_wrong_sql),       cmocka_unit_test(test_inputs_that_fail),
        cmocka_unit_test(test_options),         cmocka_unit_test(test_ask),
        cmocka_unit_test(test_arrow_values),    cmocka_unit_test(test_arrow_batches),
        cmocka_unit_test(test_arrow_late_type), cmocka_unit_test(test_sessions_in_threads),
        cmocka_unit_test(test_cancel),          cmocka_unit_test(test_progress),
        cmocka_unit_test(test_diff_profiles),   cmocka_unit_test(test_diff_heaps),
        cmocka_unit_test(test_diff_refused),    cmocka_unit_test(test_locale),
        cmocka_unit_test(test_save_and_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
