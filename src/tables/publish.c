/*
 * The output file is unchanged or complete, wherever the program dies.
 *
 * 1. ts_target_open checks the target, removes temporaries of dead runs, and makes a hidden one in
 *    the target's directory, with O_EXCL, O_NOFOLLOW and a random name, and locks it with flock.
 * 2. The database is written there. ts_target_free removes its name unless it was renamed.
 * 3. ts_target_prepare does all that takes time or may well fail: the checks again, fsync with
 *    `sync`, and settling the old database: what its side files hold comes into it, then they are
 *    removed.
 * 4. ts_target_rename is the one step that changes the target.
 *
 * A temporary is dead when its lock can be taken and its path still names the locked file: between
 * opening and locking the name may have gone to another file. On a file system without locks no
 * temporary is taken for dead.
 */
#include "tables/publish_private.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/random.h"
#include "base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

struct ts_target {
    ts_ctx *ctx;
    ts_place place; /* empty for an anonymous file */
    ts_target_options options;
    bool anonymous;
    bool named; /* the temporary has a name that must be removed */
    char *path; /* of the temporary */
    int fd;
    int dir;              /* with `sync`, from ts_target_prepare on; else -1 */
    struct sqlite3 *held; /* the database that is replaced, locked by ts_target_prepare */
};

#define ANONYMOUS_PREFIX "trace_streamer-"
#define ANONYMOUS_SUFFIX ".db"

/* ".tmp-" + pid + "-" + 16 hexadecimal digits */
enum { SUFFIX_MAX = 5 + 20 + 1 + 16, ATTEMPTS = 100 };

/* --- names --------------------------------------------------------------------------------- */

/* Bytes of `base` that fit into the name of a temporary, not ending inside a UTF-8 sequence. */
static size_t base_part(const char *base)
{
    size_t n = strlen(base);
    size_t room = NAME_MAX - 1 - SUFFIX_MAX;
    return n > room ? ts_utf8_cut(base, room) : n;
}

static uint64_t random_number(void)
{
    uint64_t value = 0;
    if (!ts_random(&value, sizeof value)) {
        /* It only has to be new; O_EXCL finds out when it is not. */
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        value ^= (uint64_t)t.tv_sec << 30 ^ (uint64_t)t.tv_nsec;
    }
    return value;
}

/* True for "<digits>-<16 hexadecimal digits><suffix>", what new_name makes after its prefix. */
static bool is_new_name(const char *p, const char *suffix)
{
    size_t digits = strspn(p, "0123456789");
    if (digits == 0 || p[digits] != '-') {
        return false;
    }
    p += digits + 1;
    return strspn(p, "0123456789abcdef") == 16 && strcmp(p + 16, suffix) == 0;
}

/* True for ".<base>.tmp-..."; of anonymous files for "trace_streamer-....db". */
static bool is_temporary_of(const char *name, const ts_target *t)
{
    size_t n;
    if (t->anonymous) {
        n = strlen(ANONYMOUS_PREFIX);
        return strncmp(name, ANONYMOUS_PREFIX, n) == 0 && is_new_name(name + n, ANONYMOUS_SUFFIX);
    }
    n = base_part(t->place.base);
    return name[0] == '.' && strncmp(name + 1, t->place.base, n) == 0 &&
           strncmp(name + 1 + n, ".tmp-", 5) == 0 && is_new_name(name + 1 + n + 5, "");
}

/* --- locks --------------------------------------------------------------------------------- */

#ifdef __EMSCRIPTEN__
/* flock does nothing, and says that it has; a file without a name cannot be opened by its
 * descriptor. */
enum { HAS_LOCKS = 0, HAS_NAMELESS = 0 };
#else
enum { HAS_LOCKS = 1, HAS_NAMELESS = 1 };
#endif

/* Some file systems have no locks; there a temporary is never taken for dead. */
static bool locks_missing(int error)
{
    return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS || error == EINVAL;
}

/* True when `path` still names the open file. */
static bool still_names(const char *path, int fd)
{
    struct stat named;
    struct stat open;
    return fstat(fd, &open) == 0 && lstat(path, &named) == 0 && S_ISREG(open.st_mode) &&
           named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/* Removes one temporary when no process holds it. What cannot be removed is left: it harms nothing.
 */
static void remove_dead(const ts_target *t, const char *path)
{
    ts_ctx *ctx = t->ctx;
    const ts_sys *sys = &ctx->sys;
    int fd = ts_sys_open(ctx, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
    if (fd < 0) {
        return;
    }
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        (t->options.reads == NULL || !ts_file_set_has(t->options.reads, &st)) &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 && still_names(path, fd) &&
        sys->unlink(sys->user, path) == 0) {
        ts_log(ctx, TS_LOG_INFO, "removed an unfinished file: path=\"%s\"", path);
    }
    sys->close(sys->user, fd);
}

static ts_code remove_all_dead(ts_target *t)
{
    ts_ctx *ctx = t->ctx;
    const char *where = t->anonymous ? ctx->tmpdir : t->place.dir;
    DIR *dir = HAS_LOCKS ? opendir(where) : NULL;
    if (dir == NULL) {
        /* A directory that may be written but not listed. */
        return TS_OK;
    }
    ts_code code = TS_OK;
    struct dirent *entry;
    while (code == TS_OK && (entry = readdir(dir)) != NULL) {
        if (is_temporary_of(entry->d_name, t)) {
            ts_buf path = {0};
            code = ts_buf_printf(ctx, &path, "%s/%s", where, entry->d_name);
            TS_STEP(code, ts_buf_putc(ctx, &path, '\0'));
            if (code == TS_OK) {
                remove_dead(t, path.p);
            }
            ts_buf_free(ctx, &path);
        }
    }
    closedir(dir);
    return code;
}

/* --- the temporary ------------------------------------------------------------------------- */

/* Sets t->path to a new name: prefix, pid and a random number, suffix. */
static ts_code new_name(ts_target *t, const char *prefix, size_t n, const char *suffix)
{
    ts_ctx *ctx = t->ctx;
    ts_buf b = {0};
    ts_code code = ts_buf_put(ctx, &b, prefix, n);
    TS_STEP(code, ts_buf_printf(ctx, &b, "%ld-%016llx%s", (long)getpid(),
                                (unsigned long long)random_number(), suffix));
    if (code == TS_OK) {
        ts_free(ctx, t->path);
        t->path = ts_strndup(ctx, b.p, b.n);
        code = t->path == NULL ? ctx->error.code : TS_OK;
    }
    ts_buf_free(ctx, &b);
    return code;
}

static ts_code cannot_create(ts_target *t, int error)
{
    if (error == EINTR && ts_check_cancel(t->ctx) != TS_OK) {
        return t->ctx->error.code;
    }
    const char *path = t->anonymous ? t->path : t->place.path;
    return ts_fail(t->ctx, TS_ERR_OUTPUT,
                   "cannot write the output: path=\"%s\": cannot create a temporary file: %s", path,
                   strerror(error));
}

/* One attempt. *again: another process had the name, or took the file for dead. */
static ts_code try_create(ts_target *t, mode_t mode, bool *again)
{
    const ts_sys *sys = &t->ctx->sys;
    *again = false;
    t->fd = ts_sys_open(t->ctx, t->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (t->fd < 0) {
        *again = errno == EEXIST;
        return *again ? TS_OK : cannot_create(t, errno);
    }
    t->named = true;
    if (flock(t->fd, LOCK_EX | LOCK_NB) != 0 && !locks_missing(errno)) {
        *again = errno == EWOULDBLOCK || errno == EINTR;
        if (!*again) {
            return cannot_create(t, errno);
        }
    } else if (!still_names(t->path, t->fd)) {
        *again = true;
    }
    if (*again) {
        (void)sys->unlink(sys->user, t->path);
        sys->close(sys->user, t->fd);
        t->named = false;
        t->fd = -1;
    }
    return TS_OK;
}

static ts_code create(ts_target *t, const char *prefix, size_t n, const char *suffix, mode_t mode)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        bool again = false;
        ts_code code = new_name(t, prefix, n, suffix);
        TS_STEP(code, try_create(t, mode, &again));
        if (code != TS_OK || !again) {
            return code;
        }
    }
    return cannot_create(t, EEXIST);
}

static ts_code create_beside(ts_target *t)
{
    ts_ctx *ctx = t->ctx;
    ts_buf prefix = {0};
    const char *dir = t->place.dir;
    ts_code code =
        ts_buf_printf(ctx, &prefix, "%s%s.", dir, dir[strlen(dir) - 1] == '/' ? "" : "/");
    TS_STEP(code, ts_buf_put(ctx, &prefix, t->place.base, base_part(t->place.base)));
    TS_STEP(code, ts_buf_printf(ctx, &prefix, ".tmp-"));
    if (code == TS_OK) {
        /* Never readable for more than the file it replaces; ours to write in any case. */
        mode_t mode = t->place.exists ? t->place.mode | 0600 : 0666;
        code = create(t, prefix.p, prefix.n, "", mode);
    }
    ts_buf_free(ctx, &prefix);
    return code;
}

static ts_code target_new(ts_target **out, ts_ctx *ctx)
{
    ts_target *t = ts_zalloc(ctx, 1, sizeof *t);
    *out = t;
    TS_NEED(ctx, t);
    t->ctx = ctx;
    t->fd = -1;
    t->dir = -1;
    return TS_OK;
}

ts_code ts_target_open(ts_target **out, ts_ctx *ctx, const char *path,
                       const ts_target_options *options)
{
    ts_target *t = NULL;
    *out = NULL;
    ts_code code = target_new(&t, ctx);
    if (code != TS_OK) {
        goto out;
    }
    t->options = *options;
    code = ts_place_resolve(&t->place, ctx, path, t->options.text);
    TS_STEP(code, ts_place_check(&t->place, ctx, &t->options));
    if (code == TS_OK && !t->options.text) {
        bool any;
        code = ts_side_check(&any, ctx, &t->place, &t->options);
    }
    TS_STEP_IF(code, !t->options.text, ts_old_check_unlocked(ctx, &t->place));
    TS_STEP(code, remove_all_dead(t));
    TS_STEP(code, create_beside(t));
    if (code == TS_OK) {
        *out = t;
        t = NULL;
    }
out:
    ts_target_free(t);
    return code;
}

ts_code ts_target_anonymous(ts_target **out, ts_ctx *ctx)
{
    ts_target *t = NULL;
    ts_buf prefix = {0};
    *out = NULL;
    ts_code code = target_new(&t, ctx);
    if (code != TS_OK) {
        goto out;
    }
    t->anonymous = true;
    code = remove_all_dead(t);
    TS_STEP(code, ts_buf_printf(ctx, &prefix, "%s/" ANONYMOUS_PREFIX, ctx->tmpdir));
    TS_STEP(code, create(t, prefix.p, prefix.n, ANONYMOUS_SUFFIX, 0600));
    if (code == TS_OK) {
        *out = t;
        t = NULL;
    }
out:
    ts_buf_free(ctx, &prefix);
    ts_target_free(t);
    return code;
}

const char *ts_target_path(const ts_target *t)
{
    return t == NULL ? NULL : t->path;
}

int ts_target_fd(const ts_target *t)
{
    return t->fd;
}

/* --- the end ------------------------------------------------------------------------------- */

static ts_code cannot_publish(ts_target *t, const char *doing)
{
    if (errno == EINTR && ts_check_cancel(t->ctx) != TS_OK) {
        return t->ctx->error.code;
    }
    return ts_fail(t->ctx, TS_ERR_OUTPUT, "cannot %s the output: path=\"%s\": %s", doing,
                   t->place.path, strerror(errno));
}

/*
 * In this order, so that the old database is whole wherever the program dies: what its side files
 * hold comes into it, they are removed, the new one gets the name.
 */
static ts_code settle_old(ts_target *t)
{
    ts_ctx *ctx = t->ctx;
    bool any;
    ts_code code = ts_side_check(&any, ctx, &t->place, &t->options);
    TS_STEP(code, ts_old_take(&t->held, ctx, &t->place, any && !t->options.force));
    TS_STEP(code, ts_side_remove(ctx, &t->place, &t->options));
    TS_STEP_IF(code, any && t->dir >= 0 && ts_sys_fsync(ctx, t->dir) != 0,
               cannot_publish(t, "sync the directory of"));
    return code;
}

ts_code ts_target_prepare(ts_target *t)
{
    ts_ctx *ctx = t->ctx;
    if (t->anonymous || !t->named) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "nothing to publish");
    }
    ts_code code = ts_place_check(&t->place, ctx, &t->options);
    TS_STEP_IF(code, t->place.exists && fchmod(t->fd, t->place.mode) != 0,
               cannot_publish(t, "set the mode of"));
    if (code == TS_OK && t->options.sync) {
        /* The directory is opened before the renaming, so that only its sync can fail after it. */
        if (t->dir < 0) {
            t->dir = ts_sys_open(ctx, t->place.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
        }
        if (t->dir < 0) {
            code = cannot_publish(t, "open the directory of");
        } else if (ts_sys_fsync(ctx, t->fd) != 0) {
            code = cannot_publish(t, "sync");
        }
    }
    TS_STEP_IF(code, !t->options.text && t->held == NULL, settle_old(t));
    return code;
}

ts_code ts_target_rename(ts_target *t)
{
    const ts_sys *sys = &t->ctx->sys;
    ts_code code = TS_OK;
    if (sys->rename(sys->user, t->path, t->place.final) != 0) {
        return cannot_publish(t, "publish");
    }
    t->named = false;
    if (t->dir >= 0 && ts_sys_fsync(t->ctx, t->dir) != 0) {
        code = cannot_publish(t, "sync the directory of");
    }
    return code;
}

ts_code ts_target_commit(ts_target *t)
{
    TS_TRY(ts_target_prepare(t));
    return ts_target_rename(t);
}

ts_code ts_target_hide(ts_target *t)
{
    const ts_sys *sys = &t->ctx->sys;
    if (!t->named || !HAS_NAMELESS) {
        return TS_OK;
    }
    if (sys->unlink(sys->user, t->path) != 0) {
        return ts_fail(t->ctx, TS_ERR_OUTPUT,
                       "cannot remove the name of a temporary file: "
                       "path=\"%s\": %s",
                       t->path, strerror(errno));
    }
    t->named = false;
    return TS_OK;
}

void ts_target_free(ts_target *t)
{
    if (t == NULL) {
        return;
    }
    ts_ctx *ctx = t->ctx;
    if (t->named) {
        (void)ctx->sys.unlink(ctx->sys.user, t->path);
    }
    ts_old_release(t->held);
    if (t->fd >= 0) {
        ctx->sys.close(ctx->sys.user, t->fd);
    }
    if (t->dir >= 0) {
        ctx->sys.close(ctx->sys.user, t->dir);
    }
    ts_place_free(&t->place, ctx);
    ts_free(ctx, t->path);
    ts_free(ctx, t);
}
