/* Files for the tests of src/tables: a private directory, whole files in and out, SQL answers. */
#ifndef TS_TEST_TABLES_FILES_H
#define TS_TEST_TABLES_FILES_H

#include "support.h"

#include "tables/database.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture {
    ts_ctx *ctx;
    char dir[64];
} fixture;

static inline int fixture_setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = test_ctx_new();
    const char *tmp = getenv("TMPDIR");
    snprintf(f->dir, sizeof f->dir, "%s/ts-tables-XXXXXX",
             tmp != NULL && tmp[0] == '/' && strlen(tmp) < 32 ? tmp : "/tmp");
    assert_non_null(mkdtemp(f->dir));
    *state = f;
    return 0;
}

/* Path of a name in the fixture's directory; caller frees with free(). */
static inline char *path_of(const fixture *f, const char *name)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", f->dir, name) > 0);
    return path;
}

/* Number of names in a directory, "." and ".." aside. */
static inline int count_names(const char *dir)
{
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 ? 1 : 0;
    }
    closedir(d);
    return n;
}

static inline void remove_tree(const char *dir)
{
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
            continue;
        }
        char *path = NULL;
        assert_true(asprintf(&path, "%s/%s", dir, e->d_name) > 0);
        if (unlink(path) != 0) {
            remove_tree(path);
        }
        free(path);
    }
    closedir(d);
    rmdir(dir);
}

static inline int fixture_teardown(void **state)
{
    fixture *f = *state;
    chmod(f->dir, 0700);
    remove_tree(f->dir);
    test_ctx_free(f->ctx);
    free(f);
    return 0;
}

static inline bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* All causes of the last error in one text, root first. */
static inline const char *causes(const ts_ctx *ctx, char *out, size_t n)
{
    out[0] = '\0';
    for (unsigned i = 0; i < ctx->error.count; i++) {
        strncat(out, ctx->error.causes[i], n - strlen(out) - 1);
        strncat(out, "\n", n - strlen(out) - 1);
    }
    return out;
}

static inline void check_failure(const ts_ctx *ctx, ts_code code, ts_code expected,
                                 const char *part, const char *file, int line)
{
    char text[4096];
    causes(ctx, text, sizeof text);
    if (code != expected || ctx->error.code != expected || strstr(text, part) == NULL) {
        print_error("expected \"%s\" with \"%s\", got \"%s\": %s\n", ts_code_name(expected), part,
                    ts_code_name(code), text);
        _fail(file, line);
    }
}

/* The call fails with this code, and the chain says `part` somewhere. */
#define assert_failure(ctx, call, expected, part)                                                  \
    check_failure((ctx), (call), (expected), (part), __FILE__, __LINE__)

/* All rows of a query: cells divided by '|', rows by newlines; caller frees with free(). */
static inline char *sql_text(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    assert_non_null(out);
    int rc;
    while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(st); i++) {
            const unsigned char *cell = sqlite3_column_text(st, i);
            fprintf(out, "%s%s", i == 0 ? "" : "|", cell == NULL ? "NULL" : (const char *)cell);
        }
        fputc('\n', out);
    }
    assert_int_equal(rc, SQLITE_DONE);
    fclose(out);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return text;
}

#define assert_sql(path, sql, expected)                                                            \
    do {                                                                                           \
        char *answer_ = sql_text((path), (sql));                                                   \
        assert_string_equal(answer_, (expected));                                                  \
        free(answer_);                                                                             \
    } while (0)

/* What cannot be read is neither. */
static inline bool db_is_ours(ts_ctx *ctx, const char *path)
{
    ts_db_kind kind;
    return ts_db_kind_of(&kind, ctx, path) == TS_OK && kind == TS_DB_OURS;
}

static inline bool db_is_sqlite(ts_ctx *ctx, const char *path)
{
    ts_db_kind kind;
    return ts_db_kind_of(&kind, ctx, path) == TS_OK && kind != TS_DB_NONE;
}

#endif
