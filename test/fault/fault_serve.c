/*
 * The start of the server and the files of its page, while memory and system calls fail one after
 * the other: an error with a text or a server that works, and nothing is left open.
 */
#include "wrapped.h"

#include "serve/http/assets.h"
#include "serve/http/server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture {
    char *folder;
    char *page; /* a folder with index.html, assets/page.js and a link */
    char *db;
} fixture;

static void put_file(const char *folder, const char *name, const char *text)
{
    char *path = fault_path(folder, name);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
    free(path);
}

static int setup(void **state)
{
    static fixture f;
    sqlite3 *db;
    f.folder = fault_folder();
    f.page = fault_path(f.folder, "page");
    f.db = fault_path(f.folder, "a.db");
    char *assets = fault_path(f.page, "assets");
    char *link = fault_path(f.page, "link.js");
    assert_int_equal(mkdir(f.page, 0700), 0);
    assert_int_equal(mkdir(assets, 0700), 0);
    put_file(f.page, "index.html", "<!doctype html>");
    put_file(assets, "page.js", "1;");
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_int_equal(sqlite3_open(f.db, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    free(assets);
    free(link);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    static const char *const names[] = {"page/assets/page.js", "page/index.html", "page/link.js",
                                        "a.db"};
    fixture *f = *state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = fault_path(f->folder, names[i]);
        assert_int_equal(unlink(path), 0);
        free(path);
    }
    char *assets = fault_path(f->page, "assets");
    assert_int_equal(rmdir(assets), 0);
    assert_int_equal(rmdir(f->page), 0);
    free(assets);
    free(f->page);
    free(f->db);
    fault_remove(f->folder);
    return 0;
}

/* Descriptors of this process. */
static int open_files(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir) != NULL) {
        n++;
    }
    assert_int_equal(closedir(dir), 0);
    return n;
}

/* --- files of the page ------------------------------------------------------------------------ */

static ts_code read_page(ts_ctx *ctx, const fixture *f)
{
    ts_assets a;
    ts_code code = ts_assets_read(&a, ctx, f->page);
    if (code == TS_OK) {
        const ts_asset *js = ts_assets_find(&a, TS_TEXT_LIT("assets/page.js"));
        assert_int_equal(a.count, 2); /* not the link */
        assert_true(js != NULL && ts_text_is(ts_buf_text(&js->bytes), "1;"));
    }
    ts_assets_free(&a);
    return code;
}

static ts_code start_server(ts_ctx *ctx, const fixture *f)
{
    const char *paths[] = {f->db};
    const ts_serve_options options = {
        .paths = paths, .named = paths, .path_count = 1, .web = f->page, .flare_ui = f->page};
    ts_server *server;
    unsigned port = 0;
    int fd;
    ts_code code = ts_server_listen(&fd, &port, ctx, NULL);
    if (code != TS_OK) {
        return code;
    }
    code = ts_server_start(&server, ctx, &options, fd, port);
    if (code == TS_OK) {
        assert_true(ts_server_has_page(server));
    }
    ts_server_stop(server);
    return code;
}

/* Each call of its kind fails once, and once with all that follow. */
static void sweep(void **state, const char *what, int number,
                  ts_code (*run)(ts_ctx *ctx, const fixture *f))
{
    const fixture *files = *state;
    int before = open_files();
    for (unsigned forever = 0; forever < 2; forever++) {
        bool whole = false;
        for (uint64_t n = 1; !whole; n++) {
            faults f = {.what = what, .fail_at = n, .number = number, .forever = forever != 0};
            ts_ctx *ctx = test_ctx_new();
            faults_install(&f, ctx);
            wrapped = &f;
            ts_code code = run(ctx, files);
            wrapped = NULL;
            if (code != TS_OK) {
                assert_true(f.failed);
                assert_true(ctx->error.count > 0 && ctx->error.causes[0][0] != '\0');
                assert_int_equal(code, strcmp(what == NULL ? "" : what, "realloc") == 0
                                           ? TS_ERR_NOMEM
                                           : TS_ERR_INPUT);
            }
            whole = !f.failed;
            assert_true(!whole || code == TS_OK);
            test_ctx_free(ctx);
            assert_int_equal(f.blocks, 0);
            assert_int_equal(open_files(), before);
        }
    }
}

static void test_page_memory(void **state)
{
    sweep(state, "realloc", ENOMEM, read_page);
}

static void test_page_calls(void **state)
{
    static const char *const calls[] = {"open", "openat", "fstat", "read", "fdopendir", "readdir"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        sweep(state, calls[i], EIO, read_page);
        sweep(state, calls[i], EMFILE, read_page);
    }
}

static void test_start_memory(void **state)
{
    sweep(state, "realloc", ENOMEM, start_server);
}

static void test_start_calls(void **state)
{
    static const char *const calls[] = {"open", "openat", "fstat", "read", "fdopendir", "readdir"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        sweep(state, calls[i], EACCES, start_server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_memory),
        cmocka_unit_test(test_page_calls),
        cmocka_unit_test(test_start_memory),
        cmocka_unit_test(test_start_calls),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
