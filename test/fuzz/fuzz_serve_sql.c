/*
 * The bytes are a statement that a client sends; the first byte chooses the format of its rows.
 * What must hold: it ends in time, its reply is what it says it is, and no file is changed or made.
 *
 * Options: -max_len=1024 -len_control=0
 */
#include "serve_app.h"

static struct stat before;

static void prepare(void)
{
    sqlite3 *db;
    if (serve_path[0] != '\0') {
        return;
    }
    fuzz_dir_make();
    fuzz_sqlite_setup();
    (void)snprintf(serve_path, sizeof serve_path, "%s/a.db", fuzz_dir);
    check(sqlite3_open(serve_path, &db) == SQLITE_OK);
    check(sqlite3_exec(db,
                       "CREATE TABLE process(id INTEGER PRIMARY KEY, pid INT, name TEXT);"
                       "INSERT INTO process VALUES (1, 7, 'a'), (2, 8, NULL), (3, -1, x'00ff1b09');"
                       "CREATE VIEW v AS SELECT pid, count(*) AS n FROM process GROUP BY pid;",
                       NULL, NULL, NULL) == SQLITE_OK);
    check(sqlite3_close(db) == SQLITE_OK);
    check(stat(serve_path, &before) == 0);
}

static unsigned names(void)
{
    unsigned n = 0;
    DIR *dir = opendir(fuzz_dir);
    check(dir != NULL);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        n += e->d_name[0] == '.' ? 0 : 1;
    }
    (void)closedir(dir);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"csv", "tsv", "json", "ndjson", "md"};
    ts_ctx *ctx = fuzz_ctx_new();
    ts_reply reply = {0};
    struct stat after;
    if (size == 0) {
        fuzz_ctx_free(ctx);
        return 0;
    }
    prepare();
    unsigned format = data[0] % 8;
    const ts_arg args[] = {{"sql", {(const char *)data + 1, size - 1}},
                           {"p.a", TS_TEXT_LIT("1")},
                           {"format", ts_text_of(format < 5 ? formats[format] : NULL)}};
    const ts_request r = {.method = TS_TEXT_LIT("GET"),
                          .path =
                              format < 5 ? TS_TEXT_LIT("/api/export") : TS_TEXT_LIT("/api/query"),
                          .args = args,
                          .arg_count = format < 5 ? 3 : 1,
                          .client = -1};
    serve_prepare(ctx);
    ts_app_answer(&reply, &serve_app, ctx, &r);
    serve_take(ctx, &reply);
    serve_forget();
    check(stat(serve_path, &after) == 0 && names() == 1);
    check(before.st_size == after.st_size && before.st_ino == after.st_ino &&
          before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
          before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    fuzz_ctx_free(ctx);
    return 0;
}
