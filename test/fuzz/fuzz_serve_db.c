/*
 * The first byte says what is asked: a view, or what the server says about a database; the others
 * are changes to a finished database, five bytes each: where (from the end of the file for odd
 * places), how many bytes and which. What must hold: the reply is JSON or an error.
 *
 * One thing is asked of each input, because all of them take 30 times as long; inputs of the corpus
 * are asked everything when they are replayed as a test.
 *
 * Options: -max_len=101 -len_control=0
 */
#include "serve_app.h"

#include "parsers/import.h"
#include "tables/database.h"

enum { CHANGE = 5 };

static char *base; /* the database */
static size_t base_n;

static const char profile[] = "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\","
                              "\"scriptId\":\"0\",\"url\":\"\","
                              "\"lineNumber\":-1,\"columnNumber\":-1},\"children\":[2]},{\"id\":2,"
                              "\"callFrame\":{\"functionName\":"
                              "\"f\",\"scriptId\":\"1\",\"url\":\"a.js\",\"lineNumber\":1,"
                              "\"columnNumber\":1},\"children\":[3]},"
                              "{\"id\":3,\"callFrame\":{\"functionName\":\"g\",\"scriptId\":\"1\","
                              "\"url\":\"a.js\",\"lineNumber\":5,"
                              "\"columnNumber\":1}}],\"startTime\":1000,\"endTime\":2000,"
                              "\"samples\":[2,3,3,2],\"timeDeltas\":"
                              "[0,100,200,300]}";

static void convert(ts_ctx *ctx, const char *path)
{
    char input[120];
    const char *paths[] = {input};
    ts_import_request request = {.paths = paths, .path_count = 1};
    ts_import_result result;
    ts_store *store;
    ts_db *db;
    (void)snprintf(input, sizeof input, "%s/a.cpuprofile", fuzz_dir);
    int fd = open(input, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    check(fd >= 0 && write(fd, profile, sizeof profile - 1) == (ssize_t)(sizeof profile - 1));
    check(close(fd) == 0);
    fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    check(fd >= 0 && close(fd) == 0);
    check(ts_db_create(&db, ctx, path) == TS_OK);
    check(ts_store_new(&store, ctx, ts_db_sink(db), NULL) == TS_OK);
    check(ts_import_run(&result, ctx, store, &request) == TS_OK);
    check(ts_store_finish(store) == TS_OK);
    ts_store_free(store);
    check(ts_db_finish(db, false, NULL) == TS_OK);
    ts_db_close(db);
    check(unlink(input) == 0);
}

/* Views that nothing here asks for: most of the time would be spent in reading their SQL. */
static void drop_views(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    check(sqlite3_open(path, &db) == SQLITE_OK);
    check(
        sqlite3_prepare_v2(db,
                           "SELECT group_concat('DROP VIEW \"' || name || '\";', '') "
                           "FROM sqlite_schema WHERE type = 'view' AND name NOT LIKE 'v\\_js\\_%' "
                           "ESCAPE '\\' AND name <> 'v_stack_hot_method'",
                           -1, &stmt, NULL) == SQLITE_OK);
    check(sqlite3_step(stmt) == SQLITE_ROW);
    char *sql = strdup((const char *)sqlite3_column_text(stmt, 0));
    check(sqlite3_finalize(stmt) == SQLITE_OK);
    check(sql != NULL && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    check(sqlite3_exec(db, "VACUUM", NULL, NULL, NULL) == SQLITE_OK);
    check(sqlite3_close(db) == SQLITE_OK);
    free(sql);
}

static void prepare(ts_ctx *ctx)
{
    struct stat st;
    if (base != NULL) {
        return;
    }
    fuzz_dir_make();
    fuzz_sqlite_setup();
    (void)snprintf(serve_path, sizeof serve_path, "%s/a.db", fuzz_dir);
    convert(ctx, serve_path);
    drop_views(serve_path);
    int fd = open(serve_path, O_RDONLY | O_CLOEXEC);
    check(fd >= 0 && fstat(fd, &st) == 0);
    base_n = (size_t)st.st_size;
    base = malloc(base_n);
    check(base != NULL && read(fd, base, base_n) == (ssize_t)base_n && close(fd) == 0);
}

/* Changes the file, or puts back what was there. */
static void write_changes(const uint8_t *p, size_t n, bool back)
{
    int fd = open(serve_path, O_WRONLY | O_CLOEXEC);
    check(fd >= 0);
    for (; n >= CHANGE; p += CHANGE, n -= CHANGE) {
        size_t at = ((size_t)p[0] << 16 | (size_t)p[1] << 8 | p[2]) % base_n;
        char bytes[4];
        size_t count = (size_t)(p[3] & 3) + 1;
        at = p[2] % 2 == 1 ? base_n - 1 - at : at;
        count = count > base_n - at ? base_n - at : count;
        memset(bytes, p[4], sizeof bytes);
        check(pwrite(fd, back ? base + at : bytes, count, (off_t)at) == (ssize_t)count);
    }
    check(close(fd) == 0);
}

static void ask(ts_ctx *ctx, const char *path, const char *sql)
{
    const ts_arg arg = {"sql", ts_text_of(sql)};
    const ts_request r = {.method = TS_TEXT_LIT("GET"),
                          .path = ts_text_of(path),
                          .args = &arg,
                          .arg_count = sql == NULL ? 0 : 1,
                          .client = -1};
    ts_reply reply = {0};
    ts_app_answer(&reply, &serve_app, ctx, &r);
    serve_take(ctx, &reply);
}

static int take(void *user, const void *bytes, size_t n)
{
    ts_reply_sink *sink = user;
    return sink->reply->body.n > SERVE_BODY ? 1 : ts_reply_write(user, bytes, n);
}

/* A value for a parameter that has to be given. */
static ts_text some_value(const ts_view_param *p)
{
    return p->type == TS_VIEW_CHOICE ? (ts_text){p->choices, strcspn(p->choices, ",")}
           : p->type == TS_VIEW_TEXT ? TS_TEXT_LIT("a")
                                     : TS_TEXT_LIT("1");
}

static void view(ts_ctx *ctx, ts_view_db *views, ts_sandbox *s, const ts_endpoint *e)
{
    ts_view_args args;
    ts_view_pair pairs[TS_VIEW_PARAMS];
    ts_reply reply = {.status = 200, .type = "application/json"};
    ts_reply_sink sink = {&reply, ctx};
    ts_jout out;
    size_t n = 0;
    ts_guard guard = {.fd = -1, .deadline_ns = ts_guard_now() + INT64_C(1000000000)};
    for (const ts_view_param *p = e->params; p->name != NULL; p++) {
        if (p->required) {
            pairs[n++] = (ts_view_pair){p->name, some_value(p)};
        }
    }
    if (ts_endpoint_parse(&args, ctx, e, pairs, n) != TS_OK) {
        return;
    }
    ts_jout_begin(&out, ctx, take, &sink);
    ts_view_call call = {.views = views, .db = s->db, .args = &args, .out = &out, .guard = &guard};
    s->guard = &guard;
    ts_code code = ts_endpoint_run(e, &call);
    if (ts_jout_end(&out) == TS_OK && code == TS_OK) {
        serve_take(ctx, &reply);
    }
    ts_reply_free(&reply, ctx);
}

/* What is asked without the views. */
static const struct plain {
    const char *path;
    const char *sql;
} plain[] = {
    {"/api/info", NULL},
    {"/api/schema", NULL},
    {"/api/questions", NULL},
    {"/api/query", "SELECT * FROM v_stack_hot_method"},
    {"/api/query", "SELECT * FROM source"},
};
enum { PLAIN = sizeof plain / sizeof *plain };

static unsigned endpoint_count(void)
{
    unsigned n = 0;
    while (ts_endpoints[n].path != NULL) {
        n++;
    }
    return n;
}

static void ask_plain(ts_ctx *ctx, unsigned from, unsigned to)
{
    serve_prepare(ctx);
    for (unsigned i = from; i < to; i++) {
        ask(ctx, plain[i].path, plain[i].sql);
    }
    serve_forget();
}

static void ask_views(ts_ctx *ctx, unsigned from, unsigned to)
{
    ts_sandbox s;
    ts_view_db *views;
    int rc;
    const ts_view_db_options options = {serve_path, 64 << 20};
    check(ts_view_db_open(&views, ctx, &options) == TS_OK);
    if (ts_sandbox_open(&s, &rc, ctx, serve_path) == TS_OK) {
        for (unsigned i = from; i < to; i++) {
            view(ctx, views, &s, &ts_endpoints[i]);
        }
    }
    ts_sandbox_close(&s);
    ts_view_db_close(views);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ts_ctx *ctx = fuzz_ctx_new();
    unsigned views = endpoint_count();
    unsigned which = size == 0 ? 0 : data[0] % (PLAIN + views);
    size_t skip = size == 0 ? 0 : 1;
    prepare(ctx);
    write_changes(data + skip, size - skip, false);
#ifdef TS_FUZZ_REPLAY
    (void)which;
    ask_plain(ctx, 0, PLAIN);
    ask_views(ctx, 0, views);
#else
    if (which < PLAIN) {
        ask_plain(ctx, which, which + 1);
    } else {
        ask_views(ctx, which - PLAIN, which - PLAIN + 1);
    }
#endif
    write_changes(data + skip, size - skip, true);
    fuzz_ctx_free(ctx);
    return 0;
}
