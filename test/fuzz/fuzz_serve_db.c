/*
 * The bytes are changes to a finished database, five bytes each: where (from the end of the file
 * for odd places), how many bytes and which. What must hold: every view, and what the server says
 * about the database, ends with JSON or an error.
 *
 * Options: -max_len=100 -len_control=0
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
    int fd = open(serve_path, O_RDONLY | O_CLOEXEC);
    check(fd >= 0 && fstat(fd, &st) == 0);
    base_n = (size_t)st.st_size;
    base = malloc(base_n);
    check(base != NULL && read(fd, base, base_n) == (ssize_t)base_n && close(fd) == 0);
}

static void write_changed(const uint8_t *p, size_t n)
{
    int fd = open(serve_path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    check(fd >= 0 && write(fd, base, base_n) == (ssize_t)base_n);
    for (; n >= CHANGE; p += CHANGE, n -= CHANGE) {
        size_t at = ((size_t)p[0] << 16 | (size_t)p[1] << 8 | p[2]) % base_n;
        char bytes[4];
        size_t count = (size_t)(p[3] & 3) + 1;
        at = p[2] % 2 == 1 ? base_n - 1 - at : at;
        count = count > base_n - at ? base_n - at : count;
        memset(bytes, p[4], sizeof bytes);
        check(pwrite(fd, bytes, count, (off_t)at) == (ssize_t)count);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ts_ctx *ctx = fuzz_ctx_new();
    ts_sandbox s;
    ts_view_db *views;
    int rc;
    prepare(ctx);
    write_changed(data, size);
    serve_prepare(ctx);
    ask(ctx, "/api/info", NULL);
    ask(ctx, "/api/schema", NULL);
    ask(ctx, "/api/questions", NULL);
    ask(ctx, "/api/query", "SELECT * FROM v_stack_hot_method");
    ask(ctx, "/api/query", "SELECT * FROM source");
    const ts_view_db_options options = {serve_path, 64 << 20};
    check(ts_view_db_open(&views, ctx, &options) == TS_OK);
    if (ts_sandbox_open(&s, &rc, ctx, serve_path) == TS_OK) {
        for (const ts_endpoint *e = ts_endpoints; e->path != NULL; e++) {
            view(ctx, views, &s, e);
        }
    }
    ts_sandbox_close(&s);
    ts_view_db_close(views);
    serve_forget();
    fuzz_ctx_free(ctx);
    return 0;
}
