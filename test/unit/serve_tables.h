/*
 * For tests of the views of the server: a database in memory with the tables and views of the
 * schema, whose rows need not make sense, and requests on it.
 */
#ifndef TS_TEST_SERVE_TABLES_H
#define TS_TEST_SERVE_TABLES_H

#include "json/json.h"
#include "serve/views/views.h"
#include "tables/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tables that views read. */
static const char *const serve_tables[] = {
    "trace_range",
    "source",
    "thread",
    "thread_detail",
    "process",
    "process_detail",
    "stack_method",
    "stack_node",
    "stack_sample",
    "stack_slice",
    "stack_value_type",
    "stack_sample_value",
    "timeseries",
    "timeseries_value",
    "cloud_call",
    "js_heap_files",
    "js_heap_file_detail",
    "js_heap_info",
    "js_heap_class",
    "js_heap_nodes",
    "js_heap_edges",
    "js_heap_string",
    "js_heap_sample",
    "js_heap_edge_block",
    "js_heap_analysis",
    "js_heap_retained",
    "js_heap_dominated",
    "js_heap_constructor",
    "js_heap_comparison",
    "js_heap_duplicate_string",
    "profile",
    "chrome_slice",
    "stack_sample_label",
    "flare_stack",
    "runtime_pause",
    "cloud_suspend",
    "thread_state",
    "sched_slice",
    "lock_wait",
    "callstack",
    "irq",
    "log",
    "hisys_all_event",
    "instant",
    "measure",
    "measure_filter",
    "cpu_usage",
    "live_process",
};
enum { SERVE_TABLES = sizeof serve_tables / sizeof *serve_tables };

static inline const ts_table *serve_table(unsigned i)
{
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        if (strcmp(ts_schema[t].name, serve_tables[i]) == 0) {
            return &ts_schema[t];
        }
    }
    abort();
}

static inline void serve_run(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", sql, message);
        abort();
    }
}

/* Columns without types, so that cells keep what is put into them. */
static inline sqlite3 *serve_database(void)
{
    sqlite3 *db = NULL;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) {
        abort();
    }
    for (unsigned i = 0; i < SERVE_TABLES; i++) {
        const ts_table *t = serve_table(i);
        char sql[4096];
        size_t n = (size_t)snprintf(sql, sizeof sql, "CREATE TABLE \"%s\"(", t->name);
        for (unsigned c = 0; c < t->column_count; c++) {
            n += (size_t)snprintf(sql + n, sizeof sql - n, "%s\"%s\"%s", c == 0 ? "" : ", ",
                                  t->columns[c].name,
                                  t->columns[c].type == TS_COL_KEY ? " INTEGER PRIMARY KEY" : "");
        }
        (void)snprintf(sql + n, sizeof sql - n, ")");
        serve_run(db, sql);
    }
    for (unsigned i = 0; i < ts_view_count; i++) {
        if (strncmp(ts_views[i].name, "v_js_", 5) == 0) {
            serve_run(db, ts_views[i].sql);
        }
    }
    return db;
}

/* What a request gave; freed with serve_reply_free. */
typedef struct serve_reply {
    ts_ctx *ctx;
    ts_code code;
    ts_buf text;
    uint64_t room; /* bytes that are taken; more is refused */
} serve_reply;

static inline int serve_take(void *user, const void *bytes, size_t n)
{
    serve_reply *r = user;
    return r->text.n + n > r->room || ts_buf_put(r->ctx, &r->text, bytes, n) != TS_OK;
}

/* Runs "path?name=value&name=value"; ctx is for the reply only. */
static inline void serve_ask(serve_reply *reply, ts_ctx *ctx, ts_view_db *views, sqlite3 *db,
                             ts_guard *guard, const char *request)
{
    static ts_view_args args;
    char line[512];
    ts_view_pair pairs[16];
    size_t count = 0;
    ts_jout out;
    (void)snprintf(line, sizeof line, "%s", request);
    char *next = strchr(line, '?');
    while (next != NULL && count < 16) {
        *next++ = '\0';
        char *value = strchr(next, '=');
        if (value == NULL) {
            abort();
        }
        *value++ = '\0';
        pairs[count].name = next;
        next = strchr(value, '&');
        pairs[count++].value =
            (ts_text){value, next == NULL ? strlen(value) : (size_t)(next - value)};
    }
    const ts_endpoint *e = ts_endpoint_find(line);
    if (e == NULL) {
        abort();
    }
    uint64_t room = reply->room == 0 ? UINT64_MAX : reply->room;
    *reply = (serve_reply){.ctx = ctx, .room = room};
    ts_jout_begin(&out, ctx, serve_take, reply);
    reply->code = ts_endpoint_parse(&args, ts_view_db_ctx(views), e, pairs, count);
    if (reply->code == TS_OK) {
        ts_view_call call = {.views = views, .db = db, .args = &args, .out = &out, .guard = guard};
        reply->code = ts_endpoint_run(e, &call);
    }
    ts_code ended = ts_jout_end(&out);
    reply->code = reply->code == TS_OK ? ended : reply->code;
}

static inline void serve_reply_free(serve_reply *reply)
{
    ts_buf_free(reply->ctx, &reply->text);
}

/* Whether the reply is one JSON value in well-formed UTF-8. */
static inline bool serve_reply_is_json(const serve_reply *reply)
{
    static const ts_json_handler nothing;
    ts_json *js = NULL;
    bool good = ts_json_new(&js, reply->ctx, &nothing, NULL, 0) == TS_OK &&
                ts_json_feed(js, reply->text.p, reply->text.n) == TS_OK &&
                ts_json_finish(js) == TS_OK && ts_json_state(js) == TS_JSON_DONE &&
                ts_json_replaced(js) == 0;
    ts_json_free(js);
    return good;
}

/* One request of every view, and of views with several ways more. */
static const char *const serve_requests[] = {
    "threads",
    "threads?px=0&limit=2&offset=1&src=1",
    "flame",
    "flame?kind=slice&limit=3",
    "flame?from=0&to=100",
    "flame?weight=samples&from=-5&to=1000&thr=1,2",
    "flame?weight=cpu",
    "flame?weight=value&value=alloc&from=0&to=1000000",
    "flame?join=lines&limit=2",
    "flame?order=callers",
    "flame?order=callers&limit=2&hide=main",
    "flame?order=callers&root=1&leaf=2&only=work",
    "flame?focus=1",
    "flame?root=2&event=cpu",
    "methods",
    "methods?kind=slice&sort=total",
    "timeline",
    "timeline?from=0&to=50&px=7",
    "timeline?from=-9223372036854775808&to=9223372036854775807&px=4000",
    "slices?thr=1,2&from=0&to=1000&px=3",
    "slices?thr=0&from=-9223372036854775808&to=9223372036854775807&px=1",
    "series?from=0&to=1000",
    "lanes",
    "lanes?px=7",
    "lanes?px=3&from=0&to=50&kind=slice&src=1",
    "lanes?px=4096&from=-9223372036854775808&to=9223372036854775807&limit=2&offset=1",
    "find?what=work",
    "find?at=0&id=1&thr=1&src=1",
    "chart",
    "chart?thr=1&event=cpu&px=1",
    "chart?thr=1&event=cpu&from=0&to=9000000000000000000",
    "heap/files",
    "heap/classes",
    "heap/classes?sort=class&order=reverse&filter=a",
    "heap/diff?file=1&base=0",
    "heap/diff?file=1&base=0&by=ids",
    "heap/diff?file=0&base=1&by=ids&filter=a",
    "heap/objects",
    "heap/objects?class=0",
    "heap/node?node=0",
    "heap/edges?node=0",
    "heap/retainers?node=1",
    "heap/path?node=2",
    "heap/path?node=2&k=3",
    "heap/strings",
    "heap/detached",
    "heap/constructors",
    "heap/comparison",
    "heap/duplicates",
    "heap/dominated?node=0",
    "heap/allocations",
    "calls/scatter",
    "calls/scatter?from=0&to=10",
};
enum { SERVE_REQUESTS = sizeof serve_requests / sizeof *serve_requests };

#endif
