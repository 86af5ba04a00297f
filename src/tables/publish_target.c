/*
 * Where an output path leads, and whether the file there may be replaced.
 *
 * `final` is the path with the symlinks of its last part followed, whether or not the end exists:
 * the temporary is made in the directory of `final`, so the rename stays in one file system and
 * links are kept. Links of /proc to open files are no paths, and are recognised by their file
 * system.
 *
 * Refused are directories, devices and pipes, inputs of this run, read-only files (a rename would
 * replace them), and, without --force, files that a database replaces and that are not databases of
 * this program. The checks are made when the target is opened and again just before it is replaced,
 * because another program may have changed it meanwhile.
 */
#include "tables/publish_private.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "tables/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

/* As many as the kernel follows in one path. */
enum { MAX_LINKS = 40 };

#ifdef __linux__
enum {
    PROC_FILES = 0x9fa0
}; /* statfs.f_type of /proc: PROC_SUPER_MAGIC of <linux/magic.h>, which not every C library comes
      with */
#endif

static ts_code target_refuse(ts_ctx *ctx, const ts_place *place, const char *reason)
{
    return ts_fail(ctx, TS_ERR_OUTPUT, "cannot write the output: path=\"%s\": %s", place->path,
                   reason);
}

/* Length of the part of path before its last name, with the slash; 0 when there is none. */
static size_t dir_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* *next = where the symlink `path` points, seen from where `path` was seen from. */
static ts_code target_follow(char **next, ts_ctx *ctx, const ts_place *place, const char *path)
{
    char link[PATH_MAX];
    ssize_t n = readlink(path, link, sizeof link);
    if (n < 0) {
        return target_refuse(ctx, place, strerror(errno));
    }
    if ((size_t)n == sizeof link) {
        return target_refuse(ctx, place, strerror(ENAMETOOLONG));
    }
    ts_buf whole = {0};
    ts_code code = TS_OK;
    if (link[0] != '/') {
        code = ts_buf_put(ctx, &whole, path, dir_length(path));
    }
    TS_STEP(code, ts_buf_put(ctx, &whole, link, (size_t)n));
    if (code == TS_OK) {
        *next = ts_strndup(ctx, whole.p, whole.n);
        code = *next == NULL ? ctx->error.code : TS_OK;
    }
    ts_buf_free(ctx, &whole);
    return code;
}

/* Links of /proc to open files are no paths: opening one opens the file, whatever its name. */
static bool is_open_file(const char *link)
{
#ifdef __linux__
    struct statfs fs;
    int fd = open(link, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    bool yes = fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == PROC_FILES;
    if (fd >= 0) {
        (void)close(fd);
    }
    return yes;
#else
    (void)link; /* no links of this kind are known elsewhere */
    return false;
#endif
}

/* Sets final: path with the symlinks of its last part followed, whether or not the end exists. */
static ts_code follow_all(ts_place *place, ts_ctx *ctx)
{
    TS_NEED(ctx, place->final = ts_strndup(ctx, place->path, strlen(place->path)));
    for (int links = 0;; links++) {
        struct stat st;
        if (lstat(place->final, &st) != 0 || !S_ISLNK(st.st_mode)) {
            return TS_OK;
        }
        if (links == MAX_LINKS) {
            return target_refuse(ctx, place, strerror(ELOOP));
        }
        char *next = NULL;
        place->open_file = place->open_file || is_open_file(place->final);
        TS_TRY(target_follow(&next, ctx, place, place->final));
        ts_free(ctx, place->final);
        place->final = next;
    }
}

static ts_code target_split(ts_place *place, ts_ctx *ctx)
{
    size_t n = dir_length(place->final);
    const char *base = place->final + n;
    if (base[0] == '\0') {
        return target_refuse(ctx, place, strerror(place->final[0] == '\0' ? ENOENT : EISDIR));
    }
    if (strcmp(base, ".") == 0 || strcmp(base, "..") == 0) {
        return target_refuse(ctx, place, strerror(EISDIR));
    }
    place->base = ts_strndup(ctx, base, strlen(base));
    place->dir = n == 0 ? ts_strndup(ctx, ".", 1) : ts_strndup(ctx, place->final, n);
    if (place->base == NULL || place->dir == NULL) {
        return ctx->error.code;
    }
    struct stat st;
    if (stat(place->dir, &st) != 0) {
        return ts_fail(ctx, TS_ERR_OUTPUT,
                       "cannot write the output: path=\"%s\": directory \"%s\": %s", place->path,
                       place->dir, strerror(errno));
    }
    return S_ISDIR(st.st_mode) ? TS_OK : target_refuse(ctx, place, strerror(ENOTDIR));
}

ts_code ts_place_resolve(ts_place *place, ts_ctx *ctx, const char *path, bool text)
{
    *place = (ts_place){0};
    if (!text && strcmp(path, "-") == 0) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "cannot write the output to \"-\": a database cannot be written to a "
                       "stream");
    }
    TS_NEED(ctx, place->path = ts_strndup(ctx, path, strlen(path)));
    TS_TRY(follow_all(place, ctx));
    return target_split(place, ctx);
}

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "it is a directory";
    case S_IFIFO:
        return "it is a pipe; a database needs a file";
    case S_IFSOCK:
        return "it is a socket; a database needs a file";
    default:
        return "it is a device; a database needs a file";
    }
}

ts_code ts_place_check(ts_place *place, ts_ctx *ctx, const ts_target_options *options)
{
    struct stat st;
    struct stat end;
    bool force = options->force || options->text;
    place->exists = false;
    if (stat(place->path, &st) != 0) {
        /* A dangling symlink is fine: its target is made. */
        return errno == ENOENT ? TS_OK : target_refuse(ctx, place, strerror(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return target_refuse(ctx, place, kind_of(st.st_mode));
    }
    /* Links of /proc to open files lead somewhere although their text is no path. */
    if (lstat(place->final, &end) != 0 || end.st_dev != st.st_dev || end.st_ino != st.st_ino) {
        return target_refuse(
            ctx, place,
            "it was changed by another program, or is a link to an open file without a name");
    }
    if (options->reads != NULL && ts_file_set_has(options->reads, &st)) {
        return ts_fail(ctx, TS_ERR_USAGE, "the output is an input: path=\"%s\"", place->path);
    }
    place->exists = true;
    place->mode = st.st_mode & 0777;
    /* Renaming over a write-protected file would work, but it is protected on purpose. */
    if ((st.st_mode & 0222) == 0) {
        return target_refuse(ctx, place, "the file is read-only");
    }
    if (faccessat(AT_FDCWD, place->final, W_OK, AT_EACCESS) != 0) {
        return target_refuse(ctx, place, strerror(errno));
    }
    ts_db_kind kind = TS_DB_OURS;
    if (st.st_size > 0 && !force && ts_db_kind_of(&kind, ctx, place->final) != TS_OK) {
        return ts_fail(ctx, TS_ERR_OUTPUT,
                       "cannot write the output: path=\"%s\": the file exists and cannot be "
                       "examined (--force replaces it): %s",
                       place->path, strerror(errno));
    }
    if (kind != TS_DB_OURS) {
        return target_refuse(ctx, place,
                             "the file exists and is not a database of trace_streamer (--force "
                             "replaces it)");
    }
    return TS_OK;
}

void ts_place_free(ts_place *place, ts_ctx *ctx)
{
    ts_free(ctx, place->path);
    ts_free(ctx, place->final);
    ts_free(ctx, place->dir);
    ts_free(ctx, place->base);
    *place = (ts_place){0};
}

ts_code ts_place_name_of(ts_place_name *name, ts_ctx *ctx, const char *path)
{
    ts_place place;
    struct stat st;
    *name = (ts_place_name){0};
    ts_code code = ts_place_resolve(&place, ctx, path, true);
    TS_STEP_IF(code, stat(place.dir, &st) != 0, target_refuse(ctx, &place, strerror(errno)));
    if (code == TS_OK) {
        *name = (ts_place_name){st.st_dev, st.st_ino, place.base, place.base, place.open_file};
        place.base = NULL;
    }
    ts_place_free(&place, ctx);
    return code;
}

bool ts_place_name_is(const ts_place_name *name, dev_t dir, ino_t ino, const char *base)
{
    return name->base != NULL && base != NULL && name->dir == dir && name->ino == ino &&
           strcmp(name->base, base) == 0;
}

bool ts_place_name_beside(const ts_place_name *db, const ts_place_name *other)
{
    if (db->base == NULL || other->base == NULL || db->dir != other->dir || db->ino != other->ino) {
        return false;
    }
    size_t n = strlen(db->base);
    if (strncmp(db->base, other->base, n) != 0) {
        return false;
    }
    for (unsigned i = 0; i < TS_SIDE_COUNT; i++) {
        if (strcmp(other->base + n, ts_side_suffixes[i]) == 0) {
            return true;
        }
    }
    return false;
}

void ts_place_name_free(ts_place_name *name, ts_ctx *ctx)
{
    ts_free(ctx, name->owned);
    *name = (ts_place_name){0};
}
