/* For the tests of the parsers: builds recordings and bare files by hand, imports them from
 * anonymous files and looks at what the tables got. */
#ifndef TS_TEST_PARSERS_RUN_H
#define TS_TEST_PARSERS_RUN_H

#include "htrace_build.h"

#include "parsers/import.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Inputs get fixed descriptors, so that their names are the same in every run. */
enum { FIRST_FD = 200, MAX_FILES = 8 };

#define SECOND UINT64_C(1000000000)

/* --- bytes ------------------------------------------------------------------------------------ */

static inline void put_str(bytes *b, const char *s)
{
    put(b, s, strlen(s));
}

static inline void putf(bytes *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void putf(bytes *b, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    assert_in_range(n, 0, sizeof text - 1);
    put(b, text, (size_t)n);
}

static inline bytes bytes_of(const char *s)
{
    bytes b = {0};
    put_str(&b, s);
    return b;
}

/* --- messages --------------------------------------------------------------------------------- */

/* A segment of arkts-plugin with one debugger message; ts in ns. */
static inline void put_message_n(bytes *b, const char *json, size_t n, uint64_t ts)
{
    bytes result = {0};
    bytes body = {0};
    put_field(&result, 1, json, n);
    put_text(&body, 1, "arkts-plugin");
    put_field(&body, 3, result.p, result.n);
    put_number(&body, 5, ts / SECOND);
    put_number(&body, 6, ts % SECOND);
    free(result.p);
    put_raw_segment(b, &body);
}

static inline void put_message(bytes *b, const char *json, uint64_t ts)
{
    put_message_n(b, json, strlen(json), ts);
}

static inline void put_mark(bytes *b, int id, uint64_t ts)
{
    char json[64];
    snprintf(json, sizeof json, "{\"id\":%d,\"result\":{}}", id);
    put_message(b, json, ts);
}

static inline void put_escaped(bytes *b, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c == '"' || c == '\\') {
            put(b, "\\", 1);
            put(b, &c, 1);
        } else if (c == '\n') {
            put_str(b, "\\n");
        } else if (c < 0x20) {
            putf(b, "\\u%04x", c);
        } else {
            put(b, &c, 1);
        }
    }
}

static inline void put_chunk_n(bytes *b, const char *p, size_t n, uint64_t ts)
{
    bytes json = {0};
    put_str(&json, "{\"method\":\"HeapProfiler.addHeapSnapshotChunk\",\"params\":{\"chunk\":\"");
    put_escaped(&json, p, n);
    put_str(&json, "\"}}");
    put_message_n(b, (const char *)json.p, json.n, ts);
    free(json.p);
}

static inline void put_chunk(bytes *b, const char *text, uint64_t ts)
{
    put_chunk_n(b, text, strlen(text), ts);
}

/* The text in chunks of `size` bytes (0: one chunk), one ns apart. */
static inline void put_chunks(bytes *b, const bytes *text, size_t size, uint64_t ts)
{
    size_t step = size == 0 ? text->n : size;
    for (size_t at = 0; at < text->n; at += step) {
        size_t n = text->n - at < step ? text->n - at : step;
        put_chunk_n(b, (const char *)text->p + at, n, ts++);
    }
}

static inline void put_profile(bytes *b, const char *json, uint64_t ts)
{
    bytes m = {0};
    put_str(&m, "{\"id\":3,\"result\":{\"profile\":");
    put_str(&m, json);
    put_str(&m, "}}");
    put_message_n(b, (const char *)m.p, m.n, ts);
    free(m.p);
}

/* A configuration; a type of -1 takes ten bytes, as enum values do. */
static inline void put_config(bytes *b, int64_t pid, int64_t type, bool cpu)
{
    bytes data = {0};
    bytes body = {0};
    put_number(&data, 1, (uint64_t)pid);
    put_number(&data, 2, (uint64_t)type);
    put_number(&data, 3, 10);
    put_number(&data, 4, 1);
    put_number(&data, 5, 1);
    put_number(&data, 6, cpu);
    put_number(&data, 7, 1000);
    put_text(&data, 8, "x_arkts.htrace");
    put_text(&body, 1, "arkts-plugin_config");
    put_field(&body, 3, data.p, data.n);
    free(data.p);
    put_raw_segment(b, &body);
}

/* The whole snapshot: its chunks from ts on, and its end mark at ts + 2000. */
static inline void put_snapshot(bytes *b, const bytes *text, size_t size, uint64_t ts)
{
    put_chunks(b, text, size, ts);
    put_mark(b, 1, ts + 2000);
}

/* --- snapshots -------------------------------------------------------------------------------- */

#define META_NODES                                                                                 \
    "\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"trace_node_id\","    \
    "\"detachedness\"],\"node_types\":[[\"hidden\",\"object\",\"string\"],\"string\",\"number\","  \
    "\"number\",\"number\",\"number\",\"number\"]"
#define META_EDGES                                                                                 \
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[[\"context\","       \
    "\"element\",\"property\"],\"string_or_number\",\"node\"]"
#define META_REST                                                                                  \
    "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\",\"script_id\","      \
    "\"line\",\"column\"],\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\","        \
    "\"size\",\"children\"],\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],"            \
    "\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]"
#define META_ALL "\"meta\":{" META_NODES "," META_EDGES "," META_REST "}"

/* The members of a snapshot with their keys; NULL leaves one out. */
enum {
    M_SNAPSHOT,
    M_NODES,
    M_EDGES,
    M_FUNCTIONS,
    M_TREE,
    M_SAMPLES,
    M_LOCATIONS,
    M_STRINGS,
    MEMBERS
};

typedef struct snap {
    const char *m[MEMBERS];
} snap;

/* Three nodes (ids 1, 3, 6), four edges (owners 1, 1, 3, 3; targets 3, 6, 6, 3), one of all else.
 */
static inline snap tiny_snap(void)
{
    return (snap){{
        "\"snapshot\":{" META_ALL ",\"node_count\":3,\"edge_count\":4,\"trace_function_count\":1}",
        "\"nodes\":[0,1,1,0,2,0,0\n,1,2,3,24,2,1,0\n,2,3,6,16,0,2,2\n]",
        "\"edges\":[1,0,7\n,2,3,14\n,2,4,14\n,0,1,7\n]",
        "\"trace_function_infos\":[0,1,1,0,-1,-1\n]",
        "\"trace_tree\":[1,0,2,40,[2,0,1,16,[],3,0,1,24,[]]]",
        "\"samples\":[]",
        "\"locations\":[7,5,12,3\n]",
        "\"strings\":[\"<dummy>\",\n\"\",\"User\",\"\\u00efve \\\"x\\\"\",\"next\"]",
    }};
}

static inline snap tiny_timeline(void)
{
    snap s = tiny_snap();
    s.m[M_SAMPLES] = "\"samples\":[0,3\n,200631,6\n]";
    return s;
}

/* In the given order, or in that of V8. */
static inline void put_snap(bytes *b, const snap *s, const int *order)
{
    const char *comma = "{";
    for (int i = 0; i < MEMBERS; i++) {
        const char *member = s->m[order == NULL ? i : order[i]];
        if (member != NULL) {
            put_str(b, comma);
            put_str(b, member);
            comma = ",\n";
        }
    }
    put_str(b, "}");
}

static inline bytes snap_text(const snap *s)
{
    bytes b = {0};
    put_snap(&b, s, NULL);
    return b;
}

/* Nodes 1 (root), 2, 3 below it, 4 below 2; samples at 1100, 1190, 1200, 1300 us. */
#define CPU_NODE(id, name, line, more)                                                             \
    "{\"id\":" #id ",\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"7\",\"url\":"     \
    "\"chunk.js\",\"lineNumber\":" #line ",\"columnNumber\":-1},\"hitCount\":" #id more "}"
#define TINY_PROFILE                                                                               \
    "{\"nodes\":[" CPU_NODE(1, "(root)", -1, ",\"children\":[2,3]") "," CPU_NODE(                  \
        2, "a", 3,                                                                                 \
        ",\"children\":[4]") "," CPU_NODE(3, "(idle)", -1,                                         \
                                          "") "," CPU_NODE(4, "", 8,                               \
                                                           ",\"children\":[]") "],\"startTime\":"  \
                                                                               "1000,\"endTime\":" \
                                                                               "1600,\"samples\":" \
                                                                               "[2,2,4,3],"        \
                                                                               "\"timeDeltas\":["  \
                                                                               "100,90,10,100]}"

/* --- recordings ------------------------------------------------------------------------------- */

/* boottime 1 s, realtime 101 s, monotonic 11 s: outer times lose 100 s, those of samples 10 s. */
static inline size_t begin_recording(bytes *b)
{
    size_t at = put_header(b, 0, 0, 1 * SECOND, 101 * SECOND);
    set_le(b, at + 84, 11 * SECOND, 8);
    return at;
}

#define AT(ns) (100 * SECOND + (ns)) /* the outer time that becomes ns */

/* --- running ---------------------------------------------------------------------------------- */

static inline void import_begin(run *r)
{
    *r = (run){0};
    r->ctx = test_ctx_new();
    r->sink = memsink_new(r->ctx);
}

static inline void open_input(int fd, const bytes *file)
{
    int memfd = memfd_create("input", MFD_CLOEXEC);
    assert_true(memfd >= 0);
    for (size_t at = 0; at < file->n;) {
        ssize_t n = write(memfd, file->p + at, file->n - at);
        assert_true(n > 0);
        at += (size_t)n;
    }
    assert_int_equal(dup2(memfd, fd), fd);
    close(memfd);
}

/* Imports the files in one run. What it returns stands in r->code. */
static inline ts_import_result import_files(run *r, const bytes *files, size_t count, size_t block)
{
    ts_import_result result = {0};
    char names[MAX_FILES][32];
    const char *paths[MAX_FILES];
    ts_import_request request = {.paths = paths, .path_count = count, .block_size = block};
    assert_in_range(count, 1, MAX_FILES);
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "/proc/self/fd/%d", FIRST_FD + (int)i);
        paths[i] = names[i];
        open_input(FIRST_FD + (int)i, &files[i]);
    }
    r->code = ts_store_new(&r->store, r->ctx, memsink_sink(r->sink), NULL);
    if (r->code == TS_OK) {
        r->code = ts_import_run(&result, r->ctx, r->store, &request);
    }
    if (r->code == TS_OK) {
        r->code = ts_store_finish(r->store);
    }
    for (size_t i = 0; i < count; i++) {
        close(FIRST_FD + (int)i);
    }
    return result;
}

static inline void import_all(run *r, const bytes *files, size_t count)
{
    import_begin(r);
    (void)import_files(r, files, count, 0);
    assert_ok(r->ctx, r->code);
    assert_int_equal(issues(r, "conservation"), 0);
    assert_int_equal(issues(r, "items_lost"), 0); /* importers name their losses themselves */
}

static inline void import_one(run *r, const bytes *file)
{
    import_all(r, file, 1);
}

/* Takes the bytes over. */
static inline void import_bytes(run *r, bytes file)
{
    import_one(r, &file);
    free(file.p);
}

static inline void import_snap(run *r, const snap *s)
{
    import_bytes(r, snap_text(s));
}

static inline void import_text(run *r, const char *text)
{
    import_bytes(r, bytes_of(text));
}

/* A recording of one snapshot in one chunk. */
static inline bytes recording_of(const bytes *text, size_t chunk)
{
    bytes b = {0};
    size_t at = begin_recording(&b);
    put_config(&b, 1734, 0, false);
    put_snapshot(&b, text, chunk, AT(11000));
    close_header(&b, at);
    return b;
}

/* The number of issues of a code, those of its rest row too. */
static inline int64_t issue_sum(const run *r, const char *code)
{
    int64_t n = 0;
    for (size_t i = 0; i < MEM_ROWS(r->sink, import_issue); i++) {
        if (ts_text_is(MEM_TEXT(r->sink, import_issue, i, code), code)) {
            n += MEM_INT(r->sink, import_issue, i, count);
        }
    }
    return n;
}

/* Issues of severity warning or worse. */
static inline size_t complaints(const run *r)
{
    size_t n = 0;
    for (size_t i = 0; i < MEM_ROWS(r->sink, import_issue); i++) {
        n += !ts_text_is(MEM_TEXT(r->sink, import_issue, i, severity), "info");
    }
    return n;
}

/* The sum of a column of import_count over all sources. */
static inline int64_t count_sum(const run *r, const char *item, unsigned column)
{
    int64_t n = 0;
    for (size_t i = 0; i < MEM_ROWS(r->sink, import_count); i++) {
        if (ts_text_is(MEM_TEXT(r->sink, import_count, i, item), item)) {
            n += memsink_int(r->sink, TS_T_import_count, i, column);
        }
    }
    return n;
}

static inline ts_text dict_text(const run *r, int64_t id)
{
    return MEM_TEXT(r->sink, data_dict, (size_t)id, data);
}

#define assert_cell(r, table, row, column, value)                                                  \
    assert_int_equal(MEM_INT((r)->sink, table, row, column), value)
#define assert_null_cell(r, table, row, column) assert_true(MEM_NULL((r)->sink, table, row, column))
#define assert_rows(r, table, n) assert_int_equal(MEM_ROWS((r)->sink, table), n)

/* The rows that show what a heap, or a profile, holds: equal whatever the file around them. */
static inline void assert_same_rows(const run *a, const run *b, const enum ts_table_id *tables,
                                    size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t row;
        assert_int_equal(memsink_rows(a->sink, tables[i]), memsink_rows(b->sink, tables[i]));
        if (!memsink_is_prefix(&row, a->sink, b->sink, tables[i])) {
            char *x = memsink_row_text(a->sink, tables[i], row);
            char *y = memsink_row_text(b->sink, tables[i], row);
            print_error("table %d row %zu: %s / %s\n", (int)tables[i], row, x, y);
            fail();
        }
    }
}

static const enum ts_table_id heap_tables[] = {
    TS_T_js_heap_info,     TS_T_js_heap_nodes,      TS_T_js_heap_edges,
    TS_T_js_heap_string,   TS_T_js_heap_sample,     TS_T_js_heap_trace_function_info,
    TS_T_js_heap_location, TS_T_js_heap_trace_node, TS_T_js_heap_edge_block,
};
enum { HEAP_TABLES = sizeof heap_tables / sizeof heap_tables[0] };

/* Makes the second parameter of cmocka's functions look used. */
#define UNUSED(x) ((void)(x))

#endif
