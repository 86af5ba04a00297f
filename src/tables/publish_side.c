/*
 * The files that SQLite keeps beside a database: <database>-journal, -wal and -shm. One that was
 * left by an earlier database of the name would be taken for a part of the new one, so they have to
 * be gone before the new one gets the name.
 */
#include "tables/publish_private.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 8, MAGIC_AT_END = 8 };

const char *const ts_side_suffixes[TS_SIDE_COUNT] = {"-journal", "-wal", "-shm"};

static const unsigned char journal_magic[HEAD] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
/* Of a wal the last bit differs; of an index of a wal the first number is its version, in the
 * machine's order of bytes. */
static const unsigned char wal_magic[4] = {0x37, 0x7f, 0x06, 0x82};
static const uint32_t shm_version = 3007000;

/* What is beside the target under one of the names. */
typedef struct side {
    const ts_place *place;
    const char *suffix;
    struct stat st;
    bool ours;  /* SQLite could have made it */
    bool super; /* a journal that refers to the journal of several databases */
} side;

static ts_code side_refuse(ts_ctx *ctx, const side *s, const char *reason)
{
    return ts_fail(ctx, TS_ERR_OUTPUT,
                   "cannot write the output: path=\"%s\": \"%s%s\" belongs to the database of this "
                   "name, and %s",
                   s->place->path, s->place->final, s->suffix, reason);
}

static ts_code side_path(ts_buf *path, ts_ctx *ctx, const side *s)
{
    ts_code code = ts_buf_printf(ctx, path, "%s", s->place->final);
    TS_STEP(code, ts_buf_put(ctx, path, s->suffix, strlen(s->suffix) + 1));
    return code;
}

/* A file that ends early has the beginning of a magic number; zeros are what SQLite writes until
 * the rest is on the disk, and when it is done. */
static bool side_begins(const unsigned char *head, size_t got, const void *magic, size_t n)
{
    static const unsigned char zeros[HEAD];
    size_t m = got < n ? got : n;
    return memcmp(head, magic, m) == 0 || memcmp(head, zeros, m) == 0;
}

static ts_code look_inside(ts_ctx *ctx, side *s, int fd)
{
    unsigned char head[HEAD] = {0};
    unsigned char tail[MAGIC_AT_END] = {0};
    ssize_t at_end = 0;
    bool journal = strcmp(s->suffix, "-journal") == 0;
    ssize_t got = ts_sys_pread_all(ctx, fd, head, sizeof head, 0);
    if (got >= 0 && journal && s->st.st_size >= MAGIC_AT_END) {
        at_end = ts_sys_pread_all(ctx, fd, tail, sizeof tail, s->st.st_size - MAGIC_AT_END);
    }
    if (got < 0 || at_end < 0) {
        return errno == EINTR ? ts_check_cancel(ctx) : side_refuse(ctx, s, strerror(errno));
    }
    if (journal) {
        s->ours = side_begins(head, (size_t)got, journal_magic, sizeof journal_magic);
        s->super = s->st.st_size > 512 && at_end == (ssize_t)sizeof tail &&
                   memcmp(tail, journal_magic, sizeof tail) == 0;
    } else if (strcmp(s->suffix, "-wal") == 0) {
        unsigned char twin[4];
        memcpy(twin, wal_magic, sizeof twin);
        twin[3] |= 1;
        s->ours =
            side_begins(head, (size_t)got, wal_magic, 4) || side_begins(head, (size_t)got, twin, 4);
    } else {
        s->ours = side_begins(head, (size_t)got, &shm_version, sizeof shm_version);
    }
    return TS_OK;
}

/* *found: something has the name, and it is a file that may be removed. */
static ts_code examine(bool *found, ts_ctx *ctx, side *s, const char *path, bool force)
{
    const ts_sys *sys = &ctx->sys;
    *found = false;
    if (lstat(path, &s->st) != 0) {
        /* Where the name is too long, SQLite has no such file either. */
        return errno == ENOENT || errno == ENAMETOOLONG ? TS_OK
                                                        : side_refuse(ctx, s, strerror(errno));
    }
    /* SQLite would wait for ever for the other end of a pipe, and write where a link leads. */
    if (!S_ISREG(s->st.st_mode)) {
        return side_refuse(ctx, s, "it is not a regular file");
    }
    int fd = ts_sys_open(ctx, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
    if (fd < 0) {
        if (errno == EINTR) {
            return ts_check_cancel(ctx);
        }
        return errno == ENOENT ? TS_OK : side_refuse(ctx, s, strerror(errno));
    }
    ts_code code =
        sys->fstat(sys->user, fd, &s->st) != 0 ? side_refuse(ctx, s, strerror(errno)) : TS_OK;
    TS_STEP_IF(code, !S_ISREG(s->st.st_mode), side_refuse(ctx, s, "it is not a regular file"));
    TS_STEP(code, look_inside(ctx, s, fd));
    sys->close(sys->user, fd);
    TS_STEP_IF(
        code, s->super,
        side_refuse(ctx, s,
                    "it holds a part of a transaction over several databases: let SQLite open "
                    "the database first"));
    TS_STEP_IF(code, !s->ours && !force,
               side_refuse(ctx, s, "it is not SQLite's (--force removes it)"));
    *found = code == TS_OK;
    return code;
}

static ts_code visit(ts_ctx *ctx, const ts_place *place, const ts_target_options *options,
                     unsigned i, bool remove, bool *found)
{
    const ts_sys *sys = &ctx->sys;
    side s = {.place = place, .suffix = ts_side_suffixes[i]};
    ts_buf path = {0};
    *found = false;
    ts_code code = side_path(&path, ctx, &s);
    TS_STEP(code, examine(found, ctx, &s, path.p, options->force));
    TS_STEP_IF(code, *found && options->reads != NULL && ts_file_set_has(options->reads, &s.st),
               ts_fail(ctx, TS_ERR_USAGE, "the output is an input: path=\"%s\"", path.p));
    if (code == TS_OK && *found && remove) {
        if (sys->unlink(sys->user, path.p) == 0) {
            ts_log(ctx, TS_LOG_INFO, "removed a file of the old database: path=\"%s\"", path.p);
        } else if (errno != ENOENT) {
            code = side_refuse(ctx, &s, strerror(errno));
        }
    }
    ts_buf_free(ctx, &path);
    return code;
}

ts_code ts_side_check(bool *any, ts_ctx *ctx, const ts_place *place,
                      const ts_target_options *options)
{
    ts_code code = TS_OK;
    *any = false;
    for (unsigned i = 0; code == TS_OK && i < TS_SIDE_COUNT; i++) {
        bool found;
        code = visit(ctx, place, options, i, false, &found);
        *any = *any || found;
    }
    return code;
}

ts_code ts_side_remove(ts_ctx *ctx, const ts_place *place, const ts_target_options *options)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < TS_SIDE_COUNT; i++) {
        bool found;
        code = visit(ctx, place, options, i, true, &found);
    }
    return code;
}
