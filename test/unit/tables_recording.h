/* A small database, made by hand, for the tests of views and questions: three heap files with an
 * allocation tree, a CPU profile, samples with values, traced calls, threads and issues. */
#ifndef TS_TEST_TABLES_RECORDING_H
#define TS_TEST_TABLES_RECORDING_H

#include "tables_files.h"

#include "tables/database.h"
#include "tables/store.h"

typedef struct recording {
    fixture *f;
    char *path;
    ts_sink *sink; /* while it is made */
    ts_store *store;
} recording;

#define put(r, table, ...)                                                                         \
    do {                                                                                           \
        ts_row_##table row_ = {__VA_ARGS__};                                                       \
        assert_ok((r)->f->ctx, ts_put_##table((r)->sink, &row_));                                  \
    } while (0)

static inline int64_t rows_of(const recording *r, enum ts_table_id table)
{
    return (int64_t)ts_sink_rows(r->sink, table);
}

static inline void put_types(const recording *r, int64_t file, const char *key,
                             const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(r, js_heap_info, .file_id = file, .key = ts_text_of(key), .int_value = -1,
            .str_value = ts_text_of(names[i]));
    }
}

static inline void put_strings(const recording *r, int64_t file, const char *const *strings,
                               size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(r, js_heap_string, .file_id = file, .file_index = (int64_t)i,
            .string = ts_text_of(strings[i]));
    }
}

/* type, name, id, self_size, edge_count, trace_node_id, detachedness */
static inline void put_nodes(const recording *r, int64_t file, const int64_t (*nodes)[7], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(r, js_heap_nodes, .file_id = file, .node_index = (int64_t)i, .type = nodes[i][0],
            .name = nodes[i][1], .id = nodes[i][2], .self_size = nodes[i][3],
            .edge_count = nodes[i][4], .trace_node_id = nodes[i][5], .detachedness = nodes[i][6]);
        /* A class may have as many rows as it likes. */
        put(r, js_heap_class, .file_id = file, .type = nodes[i][0], .name = nodes[i][1], .count = 1,
            .self_size = nodes[i][3]);
    }
}

/* type, name_or_index, to_node, from_node_id, to_node_id; an id of 0 is NULL */
static inline void put_edges(const recording *r, int64_t file, const int64_t (*edges)[5], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t null = (edges[i][3] == 0 ? TS_NULL_BIT(js_heap_edges, from_node_id) : 0) |
                        (edges[i][4] == 0 ? TS_NULL_BIT(js_heap_edges, to_node_id) : 0);
        put(r, js_heap_edges, .null = null, .file_id = file, .edge_index = (int64_t)i,
            .type = edges[i][0], .name_or_index = edges[i][1], .to_node = edges[i][2],
            .from_node_id = edges[i][3], .to_node_id = edges[i][4]);
    }
}

/* The first snapshot: every case that a resolved name can meet. Numbers beyond its own types,
 * strings and nodes are such that they would hit rows of the next file. */
static inline void put_first_heap(const recording *r)
{
    static const char *const node_types[] = {"hidden", "string", "object",
                                             "code",   "native", "array"};
    static const char *const edge_types[] = {"context", "element", "property", "hidden", "weak"};
    static const char *const strings[] = {"", "Window", "hello", "next", "fn", "DIV", "app.js"};
    static const int64_t nodes[][7] = {
        {2, 1, 1, 10, 3, 0, 0},  {1, 2, 3, 20, 0, 1, 0},  {1, 2, 5, 24, 0, 1, 0},
        {3, 4, 7, 30, 1, 0, 0},  {0, 0, 9, 5, 0, 0, 0},   {4, 5, 11, 40, 1, 2, 2},
        {2, 1, 13, 12, 0, 2, 0}, {9, 99, 15, 7, 0, 0, 0}, {2, 8, 17, 8, 0, 0, 0},
        {5, 0, 19, 50, 0, 0, 0},
    };
    static const int64_t edges[][5] = {
        {2, 3, 7, 1, 3}, {1, 7, 14, 1, 5},  {4, 3, 35, 1, 11},
        {3, 2, 7, 7, 3}, {0, 4, 36, 11, 0}, {5, 8, 70, 0, 0},
    };
    put(r, js_heap_file_detail, .file_id = 0, .source_id = 2, .node_stride = 7,
        .first_info_rowid = 1, .node_type_count = 6, .first_edge_type_rowid = 7,
        .edge_type_count = 5, .first_node_rowid = 1, .node_count = 10, .first_edge_rowid = 1,
        .edge_count = 6, .first_edge_block_id = 1, .edge_block_count = 1, .first_string_rowid = 1,
        .first_class_rowid = 1, .class_count = 10, .string_count = 7, .first_sample_rowid = 1,
        .first_location_rowid = 1, .first_trace_function_rowid = 1, .first_trace_node_rowid = 1,
        .complete = 1);
    put_types(r, 0, "node_types", node_types, 6);
    put_types(r, 0, "edge_types", edge_types, 5);
    put_nodes(r, 0, nodes, 10);
    put_edges(r, 0, edges, 6);
    put(r, js_heap_edge_block, .id = 1, .file_id = 0, .first_node_rowid = 1, .last_node_rowid = 6);
    put_strings(r, 0, strings, 7);
    put(r, js_heap_trace_function_info, .function_index = 0, .function_id = 100, .name = 4,
        .script_name = 6, .script_id = 1, .line = 12, .column = 3);
    put(r, js_heap_trace_function_info, .function_index = 1, .function_id = 101, .name = 0,
        .script_name = 99, .script_id = 1, .line = 0, .column = 0);
    put(r, js_heap_trace_node, .id = 1, .function_info_index = 0, .count = 5, .size = 100,
        .parent_id = -1);
    put(r, js_heap_trace_node, .id = 2, .function_info_index = 1, .count = 2, .size = 50,
        .parent_id = 1);
    put(r, js_heap_trace_node, .id = 3, .function_info_index = 99, .count = 1, .size = 9,
        .parent_id = 1);
    put(r, js_heap_files, .id = 0, .file_name = TS_TEXT_LIT("Snapshot0"), .start_time = 1000,
        .end_time = 2000, .self_size = 206);
}

/* The second one: other numbers of types and strings, some of the nodes. */
static inline void put_second_heap(const recording *r)
{
    static const char *const node_types[] = {"object", "string", "native"};
    static const char *const edge_types[] = {"property"};
    static const char *const strings[] = {"hello", "Window", "Car"};
    static const int64_t nodes[][7] = {
        {0, 1, 1, 11, 1, 0, 0},  {1, 0, 3, 20, 0, 0, 0},  {0, 2, 21, 100, 0, 0, 0},
        {0, 1, 23, 13, 0, 0, 0}, {0, 1, 25, 13, 0, 0, 0},
    };
    static const int64_t edges[][5] = {{0, 2, 6 * 2, 1, 21}};
    put(r, js_heap_file_detail, .file_id = 1, .source_id = 3, .node_stride = 6,
        .first_info_rowid = 12, .node_type_count = 3, .first_edge_type_rowid = 15,
        .edge_type_count = 1, .first_node_rowid = 11, .node_count = 5, .first_edge_rowid = 7,
        .edge_count = 1, .first_edge_block_id = 2, .edge_block_count = 1, .first_string_rowid = 8,
        .first_class_rowid = 11, .class_count = 5, .string_count = 3, .first_sample_rowid = 1,
        .first_location_rowid = 1, .first_trace_function_rowid = 3, .first_trace_node_rowid = 4,
        .complete = 1);
    put_types(r, 1, "node_types", node_types, 3);
    put_types(r, 1, "edge_types", edge_types, 1);
    put_nodes(r, 1, nodes, 5);
    put_edges(r, 1, edges, 1);
    put(r, js_heap_edge_block, .id = 2, .file_id = 1, .first_node_rowid = 11,
        .last_node_rowid = 11);
    put_strings(r, 1, strings, 3);
    put(r, js_heap_files, .id = 1, .file_name = TS_TEXT_LIT("Snapshot1"), .start_time = 3000,
        .end_time = 4000, .self_size = 157);
}

/* The third one: 65 nodes of two edges each, so that owners have to be found in three blocks. */
static inline void put_third_heap(const recording *r)
{
    static const char *const node_types[] = {"object"};
    static const char *const edge_types[] = {"element"};
    char name[16];
    int64_t first_node = rows_of(r, TS_T_js_heap_nodes) + 1;
    put(r, js_heap_file_detail, .file_id = 2, .source_id = 4, .node_stride = 7,
        .first_info_rowid = rows_of(r, TS_T_js_heap_info) + 1, .node_type_count = 1,
        .first_edge_type_rowid = rows_of(r, TS_T_js_heap_info) + 2, .edge_type_count = 1,
        .first_node_rowid = first_node, .node_count = 65,
        .first_edge_rowid = rows_of(r, TS_T_js_heap_edges) + 1, .edge_count = 130,
        .first_edge_block_id = 3, .edge_block_count = 3, .first_class_rowid = first_node,
        .class_count = 65, .first_string_rowid = rows_of(r, TS_T_js_heap_string) + 1,
        .string_count = 65, .first_trace_function_rowid = 3, .first_trace_node_rowid = 4,
        .complete = 0);
    put_types(r, 2, "node_types", node_types, 1);
    put_types(r, 2, "edge_types", edge_types, 1);
    for (int64_t i = 0; i < 65; i++) {
        const int64_t node[][7] = {{0, i, 1000 + i, 1, 2, 0, 0}};
        snprintf(name, sizeof name, "n%d", (int)i);
        put(r, js_heap_nodes, .file_id = 2, .node_index = i, .name = node[0][1], .id = node[0][2],
            .self_size = 1, .edge_count = 2);
        put(r, js_heap_class, .file_id = 2, .name = i, .count = 1, .self_size = 1);
        put(r, js_heap_string, .file_id = 2, .file_index = i, .string = ts_text_of(name));
    }
    for (int64_t i = 0; i < 130; i++) {
        put(r, js_heap_edges, .file_id = 2, .edge_index = i, .name_or_index = i,
            .to_node = 7 * ((i + 1) % 65), .from_node_id = 1000 + i / 2,
            .to_node_id = 1000 + (i + 1) % 65);
    }
    for (int64_t b = 0; b < 3; b++) {
        put(r, js_heap_edge_block, .id = 3 + b, .file_id = 2,
            .first_node_rowid = first_node + b * 32,
            .last_node_rowid = first_node + (b == 2 ? 64 : b * 32 + 31));
    }
    put(r, js_heap_files, .id = 2, .file_name = TS_TEXT_LIT("Snapshot2 (incomplete)"),
        .start_time = 5000, .end_time = 6000, .self_size = 65);
}

/* --- CPU ----------------------------------------------------------------------------------- */

static inline void put_profile(const recording *r)
{
    int64_t url = 0;
    int64_t name = 0;
    assert_ok(r->f->ctx, ts_dict(&name, r->store, TS_TEXT_LIT("main")));
    assert_ok(r->f->ctx, ts_dict(&url, r->store, TS_TEXT_LIT("app.js")));
    put(r, js_cpu_profiler_node, .function_id = 1, .function_index = 0,
        .script_id = TS_TEXT_LIT("0"), .line_number = -1, .column_number = -1,
        .children = TS_TEXT_LIT("2"));
    put(r, js_cpu_profiler_node, .function_id = 2, .function_index = name,
        .script_id = TS_TEXT_LIT("7"), .url_index = url, .line_number = 3, .column_number = 4,
        .hit_count = 2, .children = TS_TEXT_LIT(""), .parent_id = 1);
    put(r, js_cpu_profiler_sample, .id = 0, .function_id = 2, .start_time = 100, .end_time = 130,
        .dur = 30);
    put(r, js_cpu_profiler_sample, .id = 1, .function_id = 1, .start_time = 130, .end_time = 140,
        .dur = 10);
    put(r, js_cpu_profiler_sample, .id = 2, .function_id = 77, .start_time = 140, .end_time = 145,
        .dur = 5);
}

static inline int64_t put_method(const recording *r, int64_t source, const char *cls,
                                 const char *name)
{
    ts_method m = {.name = ts_text_of(name), .cls = ts_text_of(cls), .has_line = true, .line = 9};
    int64_t id = 0;
    m.file = TS_TEXT_LIT("app.js");
    assert_ok(r->f->ctx, ts_stack_method(&id, r->store, source, &m));
    return id;
}

static inline int64_t put_node(const recording *r, int64_t source, int64_t parent, int64_t method)
{
    int64_t id = 0;
    assert_ok(r->f->ctx, ts_stack_node(&id, NULL, r->store, source, parent, method, TS_NO_LINE,
                                       parent == 0 ? 0 : 1, NULL));
    return id;
}

static inline void put_sample(const recording *r, int64_t source, int64_t itid, int64_t ts,
                              int64_t dur, int64_t node, const char *event)
{
    put(r, stack_sample, .null = node == 0 ? TS_NULL_BIT(stack_sample, node_id) : 0,
        .id = rows_of(r, TS_T_stack_sample) + 1, .source_id = source, .itid = itid, .ts = ts,
        .dur = dur, .node_id = node, .event = ts_text_of(event));
}

/*
 * Source 5, a CPU profile: (root) calls main, which calls f, which calls main again; (root) also
 * calls (idle) and f. Times 0 to 126 without a gap.
 */
static inline void put_cpu_samples(const recording *r, int64_t itid)
{
    int64_t root = put_method(r, 5, NULL, "(root)");
    int64_t main_method = put_method(r, 5, NULL, "main");
    int64_t f = put_method(r, 5, "C", "f;g");
    int64_t idle = put_method(r, 5, NULL, "(idle)");
    int64_t n1 = put_node(r, 5, 0, root);
    int64_t n2 = put_node(r, 5, n1, main_method);
    int64_t n3 = put_node(r, 5, n2, f);
    int64_t n4 = put_node(r, 5, n3, main_method);
    int64_t n5 = put_node(r, 5, n1, idle);
    int64_t n6 = put_node(r, 5, n1, f);
    put_sample(r, 5, itid, 0, 10, n3, "cpu");
    put_sample(r, 5, itid, 10, 5, n4, "cpu");
    put_sample(r, 5, itid, 15, 100, n5, "cpu");
    put_sample(r, 5, itid, 115, 1, n2, "cpu");
    put_sample(r, 5, itid, 116, 7, n6, "cpu");
    put_sample(r, 5, itid, 123, 3, 0, "cpu");
}

/* Source 6: samples that carry two values each, and traced calls. */
static inline void put_other_stacks(const recording *r, int64_t itid)
{
    int64_t a = put_method(r, 6, "", "a");
    int64_t b = put_method(r, 6, NULL, "");
    int64_t na = put_node(r, 6, 0, a);
    int64_t nb = put_node(r, 6, na, b);
    put(r, stack_value_type, .id = 1, .source_id = 6, .name = TS_TEXT_LIT("alloc_space"),
        .unit = TS_TEXT_LIT("bytes"));
    put(r, stack_value_type, .id = 2, .source_id = 6, .name = TS_TEXT_LIT("alloc_objects"),
        .unit = TS_TEXT_LIT("count"));
    put_sample(r, 6, itid, 1, 0, na, "alloc");
    put(r, stack_sample_value, .sample_id = 7, .value_type_id = 1, .value = 64);
    put(r, stack_sample_value, .sample_id = 7, .value_type_id = 2, .value = 2);
    put_sample(r, 6, itid, 2, 0, nb, "alloc");
    put(r, stack_sample_value, .sample_id = 8, .value_type_id = 1, .value = 100);
    put(r, stack_sample_value, .sample_id = 8, .value_type_id = 2, .value = 1);
    put(r, stack_slice, .null = TS_NULL_BIT(stack_slice, parent_id), .id = 1, .source_id = 6,
        .itid = itid, .node_id = na, .ts = 0, .dur = 50, .self_dur = 20, .cpu_dur = 25);
    put(r, stack_slice, .id = 2, .source_id = 6, .itid = itid, .parent_id = 1, .node_id = nb,
        .ts = 10, .dur = 30, .self_dur = 30, .cpu_dur = 11, .depth = 1);
}

/* --- all ----------------------------------------------------------------------------------- */

static inline void put_sources(const recording *r)
{
    static const char *const kinds[] = {"input",    "snapshot",    "snapshot",
                                        "snapshot", "cpu_profile", "session"};
    int64_t id;
    for (size_t i = 0; i < 6; i++) {
        assert_ok(r->f->ctx,
                  ts_source_add(&id, r->store, i == 0 ? 0 : 1, kinds[i], i == 0 ? "a.htrace" : NULL,
                                i == 4 ? "cpuprofile" : "htrace"));
    }
    ts_row_source *row = ts_source(r->store, 4);
    assert_ok(r->f->ctx, ts_source_text(r->store, 4, &row->name, "Snapshot2", 9));
}

static inline void put_quality(const recording *r)
{
    ts_tally *t;
    assert_ok(r->f->ctx, ts_issue(r->store, 4, TS_ISSUE_snapshot_gap, "arkts-plugin", 700,
                                  "a message is missing"));
    assert_ok(r->f->ctx, ts_count(&t, r->store, 4, TS_ITEM_nodes, NULL));
    *t = (ts_tally){true, 70, 67, 65, 2, 0};
    assert_ok(r->f->ctx, ts_count(&t, r->store, 4, TS_ITEM_edges, NULL));
    *t = (ts_tally){true, 140, 130, 130, 0, 0};
    /* Those of the other snapshots, together: imported items and rows are compared at the end. */
    assert_ok(r->f->ctx, ts_count(&t, r->store, 3, TS_ITEM_nodes, NULL));
    *t = (ts_tally){false, 0, 15, 15, 0, 0};
    assert_ok(r->f->ctx, ts_count(&t, r->store, 3, TS_ITEM_edges, NULL));
    *t = (ts_tally){false, 0, 7, 7, 0, 0};
    assert_ok(r->f->ctx, ts_count(&t, r->store, 1, TS_ITEM_plugin_segments, "cpu-plugin"));
    *t = (ts_tally){false, 0, 3, 0, 0, 3};
    assert_ok(r->f->ctx, ts_count(&t, r->store, 1, TS_ITEM_segments, NULL));
    *t = (ts_tally){true, 9, 9, 9, 0, 0};
}

static inline int recording_setup(void **state)
{
    void *f = NULL;
    recording *r = calloc(1, sizeof *r);
    ts_db *db = NULL;
    int64_t ipid = 0;
    int64_t itid = 0;
    assert_non_null(r);
    fixture_setup(&f);
    r->f = f;
    r->path = path_of(r->f, "a.db");
    test_write_file(r->path, "", 0);
    assert_ok(r->f->ctx, ts_db_create(&db, r->f->ctx, r->path));
    r->sink = ts_db_sink(db);
    assert_ok(r->f->ctx, ts_store_new(&r->store, r->f->ctx, r->sink, NULL));
    put_sources(r);
    put_first_heap(r);
    put_second_heap(r);
    put_third_heap(r);
    put_profile(r);
    assert_ok(r->f->ctx, ts_process(&ipid, r->store, 1, 40));
    assert_ok(r->f->ctx, ts_process_name(r->store, ipid, TS_TEXT_LIT("app")));
    assert_ok(r->f->ctx, ts_thread(&itid, r->store, 1, 41, ipid, "os"));
    assert_ok(r->f->ctx, ts_thread_name(r->store, itid, TS_TEXT_LIT("ui")));
    put_cpu_samples(r, itid);
    put_other_stacks(r, itid);
    put_quality(r);
    ts_range_note(r->store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, 0);
    ts_range_note(r->store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, 126);
    assert_ok(r->f->ctx, ts_store_finish(r->store));
    ts_store_free(r->store);
    r->store = NULL;
    assert_ok(r->f->ctx, ts_db_finish(db, false, NULL));
    ts_db_close(db);
    *state = r;
    return 0;
}

static inline int recording_teardown(void **state)
{
    recording *r = *state;
    void *f = r->f;
    free(r->path);
    free(r);
    return fixture_teardown(&f);
}

/* A copy of the recording in which every number that is added up is as large as it can be. The
 * caller frees the path with free(). */
static inline char *recording_hostile(const recording *r)
{
    char *path = path_of(r->f, "hostile.db");
    size_t n;
    char *bytes = test_read_file(r->path, &n);
    sqlite3 *db = NULL;
    test_write_file(path, bytes, n);
    free(bytes);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "CREATE TEMP TABLE most AS SELECT 9223372036854775807 AS n;"
                     "UPDATE js_heap_nodes SET self_size = (SELECT n FROM most);"
                     "UPDATE js_heap_class SET self_size = (SELECT n FROM most);"
                     "UPDATE js_heap_trace_node SET (size, count) = (SELECT n, n FROM most);"
                     "UPDATE stack_sample SET dur = (SELECT n FROM most);"
                     "UPDATE stack_sample_value SET value = (SELECT n FROM most);"
                     "UPDATE stack_slice SET (dur, self_dur, cpu_dur) ="
                     "  (SELECT n, n, n FROM most)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return path;
}

#endif
