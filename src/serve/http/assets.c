#include "serve/http/assets.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

/* The media type of a file name. */
static const char *ts_media_type(const char *name)
{
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".gif", "image/gif"},
        {".jpg", "image/jpeg"},
        {".ico", "image/x-icon"},
        {".woff", "font/woff"},
        {".woff2", "font/woff2"},
        {".ttf", "font/ttf"},
        {".txt", "text/plain; charset=utf-8"},
        {".wasm", "application/wasm"},
        {".map", "application/json; charset=utf-8"},
    };
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t k = strlen(types[i][0]);
        if (n > k && strcmp(name + n - k, types[i][0]) == 0) {
            return types[i][1];
        }
    }
    return "application/octet-stream";
}

static bool asset_name(const char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return name[0] != '.' && name[0] != '\0' && name[strspn(name, letters)] == '\0';
}

static int compare_assets(const void *a, const void *b)
{
    return strcmp(((const ts_asset *)a)->name, ((const ts_asset *)b)->name);
}

const ts_asset *ts_assets_find(const ts_assets *a, ts_text name)
{
    char text[PATH_MAX];
    ts_asset key = {.name = text};
    if (name.n == 0 || name.n >= sizeof text || memchr(name.p, '\0', name.n) != NULL) {
        return NULL;
    }
    memcpy(text, name.p, name.n);
    text[name.n] = '\0';
    return a->count == 0 ? NULL : bsearch(&key, a->all, a->count, sizeof key, compare_assets);
}

/* --- reading --------------------------------------------------------------------------------- */

static ts_code asset_cannot(const ts_assets *a, const char *name)
{
    return ts_fail(a->ctx, TS_ERR_INPUT, "cannot read the file of the page: path=\"%s\": %s", name,
                   strerror(errno));
}

static ts_code asset_fill(ts_assets *a, ts_asset *one, int fd, size_t size)
{
    TS_TRY(ts_buf_reserve(a->ctx, &one->bytes, size + 1));
    ssize_t got = ts_sys_read_all(a->ctx, fd, one->bytes.p, size);
    if (got < 0) {
        return asset_cannot(a, one->name);
    }
    one->bytes.n = (size_t)got;
    a->bytes += (uint64_t)got;
    return TS_OK;
}

static ts_code asset_add(ts_assets *a, int fd, const struct stat *st, const char *name)
{
    if (a->count == TS_ASSETS_FILES || (uint64_t)st->st_size > TS_ASSETS_BYTES - a->bytes) {
        return ts_fail(a->ctx, TS_ERR_LIMIT, "more than %d files or %d MiB of a page",
                       TS_ASSETS_FILES, (int)(TS_ASSETS_BYTES >> 20));
    }
    if (a->count % 64 == 0) {
        ts_asset *all = ts_realloc(a->ctx, a->all, a->count + 64, sizeof *all);
        TS_NEED(a->ctx, all);
        a->all = all;
    }
    ts_asset *one = &a->all[a->count];
    *one = (ts_asset){.name = ts_strndup(a->ctx, name, strlen(name)), .type = ts_media_type(name)};
    TS_NEED(a->ctx, one->name);
    a->count++;
    return asset_fill(a, one, fd, (size_t)st->st_size);
}

/* A folder that is being read, and how much of `path` is its name. */
typedef struct asset_level {
    DIR *dir;
    size_t path_n;
} asset_level;

typedef struct asset_walk {
    ts_assets *assets;
    asset_level levels[TS_ASSETS_DEPTH];
    unsigned depth;
    ts_buf path; /* below the folder, without a zero byte */
} asset_walk;

static ts_code asset_enter(asset_walk *w, int fd)
{
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        ts_code code = asset_cannot(w->assets, "directory");
        (void)close(fd);
        return code;
    }
    w->levels[w->depth++] = (asset_level){dir, w->path.n};
    return TS_OK;
}

/* A name of the folder on top: a file, a folder, or something that is passed over. */
static ts_code asset_visit(asset_walk *w, const char *name)
{
    ts_assets *a = w->assets;
    struct stat st;
    asset_level *level = &w->levels[w->depth - 1];
    w->path.n = level->path_n;
    ts_code code;
    TS_TRY_INTO(code, ts_buf_printf(a->ctx, &w->path, "%s%s%c", w->path.n > 0 ? "/" : "", name, 0));
    w->path.n--;
    int fd = a->ctx->sys.openat(a->ctx->sys.user, dirfd(level->dir), name,
                                O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0) {
        return errno == ELOOP || errno == ENXIO ? TS_OK : asset_cannot(a, w->path.p);
    }
    if (a->ctx->sys.fstat(a->ctx->sys.user, fd, &st) != 0) {
        code = asset_cannot(a, w->path.p);
    } else if (S_ISDIR(st.st_mode) && w->depth < TS_ASSETS_DEPTH) {
        return asset_enter(w, fd);
    } else if (S_ISREG(st.st_mode)) {
        code = asset_add(a, fd, &st, w->path.p);
    }
    a->ctx->sys.close(a->ctx->sys.user, fd);
    return code;
}

ts_code ts_assets_read(ts_assets *a, ts_ctx *ctx, const char *folder)
{
    asset_walk w = {.assets = a};
    *a = (ts_assets){.ctx = ctx};
    int fd = ts_sys_open(ctx, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) {
        return ts_fail(ctx, TS_ERR_INPUT, "cannot read the directory: path=\"%s\": %s", folder,
                       strerror(errno));
    }
    ts_code code = asset_enter(&w, fd);
    while (code == TS_OK && w.depth > 0) {
        errno = 0;
        const struct dirent *e = readdir(w.levels[w.depth - 1].dir);
        if (e == NULL && errno != 0) { /* else files would be missing from the page */
            code = asset_cannot(a, "directory");
        } else if (e == NULL) {
            (void)closedir(w.levels[--w.depth].dir);
        } else if (asset_name(e->d_name)) {
            code = asset_visit(&w, e->d_name);
        }
    }
    while (w.depth > 0) {
        (void)closedir(w.levels[--w.depth].dir);
    }
    ts_buf_free(ctx, &w.path);
    if (code == TS_OK && a->count > 0) {
        qsort(a->all, a->count, sizeof *a->all, compare_assets);
    }
    return code;
}

void ts_assets_free(ts_assets *a)
{
    for (size_t i = 0; i < a->count; i++) {
        ts_free(a->ctx, a->all[i].name);
        ts_buf_free(a->ctx, &a->all[i].bytes);
    }
    if (a->ctx != NULL) {
        ts_free(a->ctx, a->all);
    }
    *a = (ts_assets){0};
}
