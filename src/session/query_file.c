#include "session/questions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

enum { QUERY_MAX = 16 * 1024 * 1024 };

/* --- reading ------------------------------------------------------------------------------- */

static ts_code query_read_all(ts_buf *sql, ts_ctx *ctx, int fd, const char *name)
{
    const ts_sys *sys = &ctx->sys;
    for (;;) {
        TS_TRY(ts_buf_reserve(ctx, sql, 65536));
        ssize_t n = sys->read(sys->user, fd, sql->p + sql->n, 65536);
        if (n == 0) {
            return TS_OK;
        }
        if (n < 0) {
            if (errno == EINTR && ts_check_cancel(ctx) == TS_OK) {
                continue;
            }
            return errno == EINTR
                       ? TS_ERR_INTERRUPTED
                       : ts_fail(ctx, TS_ERR_USAGE, "cannot read the query file \"%s\": %s", name,
                                 strerror(errno));
        }
        sql->n += (size_t)n;
        if (sql->n > QUERY_MAX) {
            return ts_fail(ctx, TS_ERR_LIMIT, "the query file \"%s\" has more than %d MiB", name,
                           QUERY_MAX >> 20);
        }
    }
}

/* --- finding ------------------------------------------------------------------------------- */

/* Where what is shipped may be, in this order; not absolute: from the folder of the program. */
static const char *const places[] = {"../share/trace_streamer", TS_DATA_DIR};

enum { PLACES = sizeof places / sizeof places[0] };

/* The program's file; where /proc is not mounted, as it was called. Returns the length, 0: not
 * known. */
static size_t program_path(char path[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
#ifdef __linux__
    const char *called = n > 0 ? NULL : (const char *)(uintptr_t)getauxval(AT_EXECFN);
    const size_t length = called == NULL ? 0 : strlen(called);
    if (length > 0 && length < PATH_MAX) {
        memcpy(path, called, length + 1);
        return length;
    }
#endif
    return n > 0 ? (size_t)n : 0;
}

/* The path of "/sql/..." in a place, with a zero byte. */
static ts_code place_path(ts_buf *path, ts_ctx *ctx, size_t place, const char *folder,
                          const char *name)
{
    char self[PATH_MAX];
    const char *dir = ctx->share_dir != NULL ? ctx->share_dir : places[place];
    ts_code code = TS_OK;
    path->n = 0;
    if (ctx->share_dir == NULL && dir[0] != '/') {
        size_t n = program_path(self);
        while (n > 0 && self[n - 1] != '/') {
            n--;
        }
        code = n == 0 ? TS_ERR_INPUT : ts_buf_put(ctx, path, self, n);
    }
    TS_STEP(code, ts_buf_printf(ctx, path, "%s%s%s", dir, folder, name));
    return code != TS_OK ? code : ts_buf_putc(ctx, path, '\0');
}

ts_code ts_query_open_shipped(DIR **out, ts_ctx *ctx, const char *folder)
{
    ts_buf path = {0};
    ts_code code = TS_OK;
    *out = NULL;
    for (size_t i = 0; *out == NULL && i < PLACES; i++) {
        code = place_path(&path, ctx, i, "/sql", folder);
        if (code == TS_OK) {
            *out = opendir(path.p);
        } else if (code == TS_ERR_NOMEM || code == TS_ERR_LIMIT) {
            break;
        }
        code = TS_OK;
    }
    ts_buf_free(ctx, &path);
    return code;
}

ts_code ts_query_shipped_folder(ts_buf *path, ts_ctx *ctx, const char *name)
{
    struct stat st;
    for (size_t i = 0; i < PLACES; i++) {
        ts_code code = place_path(path, ctx, i, "/", name);
        if (code == TS_OK && stat(path->p, &st) == 0 && S_ISDIR(st.st_mode)) {
            return TS_OK;
        }
        if (code == TS_ERR_NOMEM || code == TS_ERR_LIMIT) {
            return code;
        }
    }
    path->n = 0;
    return TS_OK;
}

bool ts_query_own_folder(ts_text *folder, const char **rest)
{
    while (*rest != NULL && **rest != '\0') {
        size_t n = strcspn(*rest, ":");
        *folder = (ts_text){*rest, n};
        *rest += n + ((*rest)[n] == ':' ? 1 : 0);
        if (n > 0) {
            return true;
        }
    }
    return false;
}

static void try_open(int *fd, ts_ctx *ctx, ts_code code, const ts_buf *path)
{
    if (code == TS_OK) {
        *fd = ts_sys_open(ctx, path->p, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    }
}

static bool lacks_memory(ts_code code)
{
    return code == TS_ERR_NOMEM || code == TS_ERR_LIMIT;
}

/* A question by its name, with or without .sql; -1: there is none. Errors: memory. */
static ts_code open_shipped(int *fd, ts_ctx *ctx, const char *name)
{
    char file[NAME_MAX + 2];
    ts_buf path = {0};
    const char *rest = ctx->question_dirs;
    ts_text own;
    size_t n = strlen(name);
    bool whole = n > 4 && strcmp(name + n - 4, ".sql") == 0;
    ts_code code = TS_OK;
    *fd = -1;
    if (strchr(name, '/') != NULL || n + 5 >= sizeof file) {
        return TS_OK;
    }
    snprintf(file, sizeof file, "/%s%s", name, whole ? "" : ".sql");
    for (size_t i = 0; *fd < 0 && !lacks_memory(code) && i < PLACES; i++) {
        code = place_path(&path, ctx, i, "/sql", file);
        try_open(fd, ctx, code, &path);
    }
    while (*fd < 0 && !lacks_memory(code) && ts_query_own_folder(&own, &rest)) {
        path.n = 0;
        code = ts_buf_printf(ctx, &path, "%.*s%s", (int)own.n, own.p, file);
        TS_STEP(code, ts_buf_putc(ctx, &path, '\0'));
        try_open(fd, ctx, code, &path);
    }
    ts_buf_free(ctx, &path);
    return lacks_memory(code) ? code : TS_OK;
}

/* SQL has a blank, a bracket or a semicolon; the names of questions have none. */
static bool looks_like_sql(const char *text)
{
    size_t n = strlen(text);
    return strpbrk(text, " \t\r\n(;") != NULL && !(n > 4 && strcmp(text + n - 4, ".sql") == 0);
}

static ts_code query_not_found(ts_ctx *ctx, const char *name, int error)
{
    ts_questions all = {0};
    const char *nearest = NULL;
    if (strchr(name, '/') != NULL || error != ENOENT) {
        return ts_fail(ctx, TS_ERR_USAGE, "cannot open the query file \"%s\": %s", name,
                       strerror(error));
    }
    ts_code code = ts_questions_load(&all, ctx);
    if (lacks_memory(code)) {
        return code;
    }
    nearest = code == TS_OK ? ts_questions_nearest(&all, name) : NULL;
    code =
        nearest == NULL
            ? ts_fail(ctx, TS_ERR_USAGE,
                      "\"%s\" is neither a file, nor a question (--questions lists them), nor SQL",
                      name)
            : ts_fail(ctx, TS_ERR_USAGE,
                      "\"%s\" is neither a file nor a question; did you mean %s?", name, nearest);
    ts_questions_free(&all, ctx);
    return code;
}

/* A directory is no question, but one of this name may be shipped. */
static ts_code not_a_directory(bool *shipped, ts_ctx *ctx, int *fd, const char *name)
{
    const ts_sys *sys = &ctx->sys;
    struct stat st;
    int other = -1;
    ts_code code = sys->fstat(sys->user, *fd, &st) == 0 && S_ISDIR(st.st_mode)
                       ? open_shipped(&other, ctx, name)
                       : TS_OK;
    *shipped = other >= 0;
    if (other >= 0) {
        (void)sys->close(sys->user, *fd);
        *fd = other;
    }
    return code;
}

static ts_code query_read_fd(ts_query *q, ts_ctx *ctx, int fd)
{
    const ts_sys *sys = &ctx->sys;
    if (sys->fstat(sys->user, fd, &q->st) != 0) {
        return ts_fail(ctx, TS_ERR_USAGE, "cannot read the query file \"%s\": %s", q->name,
                       strerror(errno));
    }
    q->is_file = true;
    return query_read_all(&q->sql, ctx, fd, q->name);
}

ts_code ts_query_read_at(ts_buf *sql, ts_ctx *ctx, int dir, const char *name)
{
    const ts_sys *sys = &ctx->sys;
    int fd = sys->openat(sys->user, dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    if (fd < 0) {
        return ts_fail(ctx, TS_ERR_USAGE, "cannot open the query file \"%s\": %s", name,
                       strerror(errno));
    }
    ts_code code = query_read_all(sql, ctx, fd, name);
    (void)sys->close(sys->user, fd);
    return code;
}

ts_code ts_query_read_shipped(ts_query *q, ts_ctx *ctx, const char *name)
{
    const ts_sys *sys = &ctx->sys;
    *q = (ts_query){.name = name, .shipped = true};
    int fd;
    TS_TRY(open_shipped(&fd, ctx, name));
    if (fd < 0) {
        return query_not_found(ctx, name, ENOENT);
    }
    ts_code code = query_read_fd(q, ctx, fd);
    (void)sys->close(sys->user, fd);
    return code;
}

ts_code ts_query_read(ts_query *q, ts_ctx *ctx, const char *name)
{
    const ts_sys *sys = &ctx->sys;
    *q = (ts_query){.name = name};
    if (strcmp(name, "-") == 0) {
        return query_read_fd(q, ctx, STDIN_FILENO);
    }
    int fd = ts_sys_open(ctx, name, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    int error = errno;
    if (fd < 0 && error == EINTR && ts_check_cancel(ctx) != TS_OK) {
        return ctx->error.code;
    }
    ts_code code = TS_OK;
    if (fd >= 0) {
        code = not_a_directory(&q->shipped, ctx, &fd, name);
    } else if (looks_like_sql(name)) {
        q->name = "the question";
        return ts_buf_put(ctx, &q->sql, name, strlen(name));
    }
    if (fd < 0 && error == ENOENT) {
        code = open_shipped(&fd, ctx, name);
        q->shipped = true;
    }
    if (fd < 0) {
        return code != TS_OK ? code : query_not_found(ctx, name, error);
    }
    TS_STEP(code, query_read_fd(q, ctx, fd));
    (void)sys->close(sys->user, fd);
    return code;
}
