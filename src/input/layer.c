/*
 * The lowest layer of a stream, and what all layers share.
 *
 * A layer has a window: bytes buf[at..have) were pulled and not taken yet. ts_layer_window fills it
 * until `want` bytes are there or pull gives none, which is the end; ts_layer_take moves on. Large
 * reads skip an empty window where the bytes do not depend on the room that pull gets (`direct`).
 *
 * A regular file is read with pread at a place of its own, so several streams may read one
 * descriptor. A pipe is read once: up to 4 MiB are kept for a second look while set->keep says so;
 * when more is read, the set is spent. Reads wait in poll for a short time only, so that a signal
 * is noticed. Holes of sparse files are found with SEEK_DATA and can be skipped unread.
 */
#include "input/input_private.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    DIRECT_MIN = 64 * 1024,       /* smaller reads go through the window */
    REPLAY_MAX = 4 * 1024 * 1024, /* more is not kept of a pipe for a second look */
    HOLE_MIN = 1024 * 1024,       /* smaller holes are read */
    WAIT_MS = 200,                /* for data of a pipe, before signals are looked for again */
};

/* --- any layer --- */

void ts_layer_free(ts_layer *top)
{
    while (top != NULL) {
        ts_layer *below = top->below;
        ts_ctx *ctx = top->ctx;
        if (top->release != NULL) {
            top->release(top);
        }
        ts_free(ctx, top->buf);
        ts_free(ctx, top);
        top = below;
    }
}

static ts_code layer_make_room(ts_layer *l, size_t want)
{
    if (l->at > 0) {
        memmove(l->buf, l->buf + l->at, l->have - l->at);
        l->have -= l->at;
        l->at = 0;
    }
    if (want <= l->cap && l->have < l->cap) {
        return TS_OK;
    }
    size_t cap = l->cap == 0 ? TS_INPUT_BLOCK : l->cap * 2;
    if (cap < want) {
        cap = want;
    }
    uint8_t *p = ts_realloc(l->ctx, l->buf, cap, 1);
    TS_NEED(l->ctx, p);
    l->buf = p;
    l->cap = cap;
    return TS_OK;
}

ts_code ts_layer_window(const uint8_t **p, size_t *n, ts_layer *l, size_t want)
{
    ts_code code = TS_OK;
    *p = NULL;
    *n = 0;
    while (l->have - l->at < want && !l->ended) {
        size_t got;
        TS_TRY_INTO(code, layer_make_room(l, want));
        TS_TRY_INTO(code, l->pull(&got, l, l->buf + l->have, l->cap - l->have));
        l->have += got;
        l->ended = got == 0;
    }
    if (l->have > l->at) {
        *p = l->buf + l->at;
        *n = l->have - l->at;
    }
    return TS_OK;
}

void ts_layer_take(ts_layer *l, size_t n)
{
    l->at += n;
    l->taken += n;
}

ts_code ts_layer_read(size_t *got, ts_layer *l, void *buf, size_t cap)
{
    ts_code code = TS_OK;
    const uint8_t *p;
    size_t n;
    *got = 0;
    if (cap == 0) {
        return TS_OK;
    }
    if (l->at == l->have && !l->ended && l->direct && cap >= DIRECT_MIN) {
        code = l->pull(got, l, buf, cap);
        if (code == TS_OK) {
            l->ended = *got == 0;
            l->taken += *got;
        }
        return code;
    }
    TS_TRY_INTO(code, ts_layer_window(&p, &n, l, 1));
    if (n > 0) {
        *got = n < cap ? n : cap;
        memcpy(buf, p, *got);
        ts_layer_take(l, *got);
    }
    return TS_OK;
}

void ts_layer_damage(ts_layer *l, uint64_t offset, bool trailing, const char *fmt, ...)
{
    if (l->damaged) {
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(l->damage.what, sizeof l->damage.what, fmt, ap);
    va_end(ap);
    l->damage.offset = offset;
    l->damage.trailing = trailing;
    l->damaged = true;
}

void ts_layer_doubt(ts_layer *l)
{
    l->damage.doubtful = true;
}

/* --- files and pipes --- */

typedef struct file_layer {
    ts_layer base;
    uint32_t member;
    int fd;
    bool owns_fd;
    off_t start;
    uint64_t off;   /* of the next byte, from `start` */
    bool sparse;    /* it may have holes */
    uint64_t dense; /* there is no hole before this place */
} file_layer;

static ts_code fail_read(const file_layer *f, int error)
{
    char shown[TS_ERROR_TEXT / 2];
    return ts_fail(f->base.ctx, TS_ERR_INPUT, "cannot read '%s' at byte %" PRIu64 ": %s",
                   ts_member_shown(shown, sizeof shown, f->base.set, f->member), f->off,
                   strerror(error));
}

static ts_code regular_pull(size_t *got, ts_layer *l, uint8_t *buf, size_t cap)
{
    file_layer *f = (file_layer *)l;
    ts_ctx *ctx = l->ctx;
    *got = 0;
    for (;;) {
        TS_TRY(ts_check_cancel(ctx));
        ssize_t r = ctx->sys.pread(ctx->sys.user, f->fd, buf, cap, f->start + (off_t)f->off);
        if (r >= 0) {
            *got = (size_t)r;
            f->off += *got;
            ts_fileset_progress(f->base.set, f->member, f->off);
            return TS_OK;
        }
        if (errno != EINTR) {
            return fail_read(f, errno);
        }
    }
}

/*
 * One read from the pipe itself, non-blocking or not. It waits in poll for a short time only: a
 * signal that comes between the check and a read that waits would be seen when the read ends, which
 * may be never.
 */
static ts_code pipe_read(size_t *got, file_layer *f, uint8_t *buf, size_t cap)
{
    ts_ctx *ctx = f->base.ctx;
    for (;;) {
        TS_TRY(ts_check_cancel(ctx));
        struct pollfd wait = {.fd = f->fd, .events = POLLIN};
        int ready = poll(&wait, 1, WAIT_MS);
        if (ready == 0 || (ready < 0 && errno == EINTR)) {
            continue;
        }
        ssize_t r = ctx->sys.read(ctx->sys.user, f->fd, buf, cap);
        if (r >= 0) {
            *got = (size_t)r;
            return TS_OK;
        }
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            return fail_read(f, errno);
        }
    }
}

static ts_code pipe_pull(size_t *got, ts_layer *l, uint8_t *buf, size_t cap)
{
    file_layer *f = (file_layer *)l;
    ts_fileset *set = f->base.set;
    ts_code code = TS_OK;
    *got = 0;
    if (f->off < set->replay.n) {
        size_t left = set->replay.n - (size_t)f->off;
        *got = left < cap ? left : cap;
        memcpy(buf, set->replay.p + f->off, *got);
        f->off += *got;
        return TS_OK;
    }
    if (set->drained) {
        return TS_OK;
    }
    set->keep = set->keep && set->replay.n < REPLAY_MAX;
    if (set->keep && (code = ts_buf_reserve(l->ctx, &set->replay, cap)) != TS_OK) {
        return code;
    }
    TS_TRY_INTO(code, pipe_read(got, f, buf, cap));
    if (*got == 0) {
        set->drained = true;
    } else if (set->keep) {
        code = ts_buf_put(l->ctx, &set->replay, buf, *got);
    } else {
        ts_buf_free(l->ctx, &set->replay);
        set->spent = true;
    }
    f->off += *got;
    ts_fileset_progress(set, f->member, f->off);
    return code;
}

static void file_release(ts_layer *l)
{
    file_layer *f = (file_layer *)l;
    if (f->owns_fd) {
        (void)l->ctx->sys.close(l->ctx->sys.user, f->fd);
    }
}

static ts_code layer_open_member(file_layer *f)
{
    ts_fileset *set = f->base.set;
    ts_ctx *ctx = set->ctx;
    const ts_member *m = &set->members[f->member];
    char shown[TS_ERROR_TEXT / 2];
    char *path = NULL;
    struct stat st;
    (void)ts_member_shown(shown, sizeof shown, set, f->member);
    ts_code code = ts_join_path(&path, ctx, set->path, m->path != NULL ? m->path : m->name);
    /* What was a file when it was listed may be a pipe now: do not wait for it. */
    TS_STEP(code, ts_open_for_reading(&f->fd, ctx, path, O_NONBLOCK, shown));
    if (code != TS_OK) {
        goto out;
    }
    f->owns_fd = true;
    if (ctx->sys.fstat(ctx->sys.user, f->fd, &st) != 0) {
        code = ts_fail(ctx, TS_ERR_INPUT, "cannot examine '%s': %s", shown, strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        code = ts_fail(ctx, TS_ERR_INPUT, "'%s' is not a regular file any more", shown);
    }
out:
    ts_free(ctx, path);
    return code;
}

/* Fewer blocks than bytes, and a file position that is ours alone. */
static ts_code look_for_holes(file_layer *f)
{
    ts_ctx *ctx = f->base.ctx;
    struct stat st;
    if (f->base.pull != regular_pull || !(f->owns_fd || f->base.set->owns_fd)) {
        return TS_OK;
    }
    if (ctx->sys.fstat(ctx->sys.user, f->fd, &st) != 0) {
        return fail_read(f, errno);
    }
#ifdef SEEK_DATA /* elsewhere files have no holes that a program can ask for */
    f->sparse = st.st_blocks < st.st_size / 512;
#endif
    return TS_OK;
}

/* lseek to what SEEK_DATA and SEEK_HOLE find, where they are known. */
static off_t seek_data(const file_layer *f, off_t at)
{
#ifdef SEEK_DATA
    return lseek(f->fd, at, SEEK_DATA);
#else
    (void)f;
    return at;
#endif
}

static off_t seek_hole(const file_layer *f, off_t at)
{
#ifdef SEEK_HOLE
    return lseek(f->fd, at, SEEK_HOLE);
#else
    (void)f;
    (void)at;
    return -1;
#endif
}

ts_code ts_file_layer(ts_layer **out, ts_fileset *set, uint32_t i)
{
    ts_ctx *ctx = set->ctx;
    ts_code code = TS_OK;
    file_layer *f = ts_zalloc(ctx, 1, sizeof *f);
    *out = NULL;
    TS_NEED(ctx, f);
    f->base.ctx = ctx;
    f->base.release = file_release;
    f->base.direct = true;
    f->base.pull = regular_pull;
    f->base.set = set;
    f->member = i;
    if (set->kind == TS_SET_DIRECTORY) {
        code = layer_open_member(f);
    } else {
        f->fd = set->fd;
        f->start = set->start;
        if (!set->regular) {
            f->base.pull = pipe_pull;
        }
    }
    TS_STEP(code, look_for_holes(f));
    if (code != TS_OK) {
        ts_layer_free(&f->base);
        return code;
    }
    *out = &f->base;
    return TS_OK;
}

ts_code ts_file_layer_hole(uint64_t *n, ts_layer *l)
{
    file_layer *f = (file_layer *)l;
    struct stat st;
    *n = 0;
    if (l->pull != regular_pull || !f->sparse || f->off < f->dense) {
        return TS_OK;
    }
    off_t at = f->start + (off_t)f->off;
    off_t data = seek_data(f, at);
    if (data < 0 && errno == ENXIO) { /* none up to the end */
        if (l->ctx->sys.fstat(l->ctx->sys.user, f->fd, &st) != 0) {
            return fail_read(f, errno);
        }
        data = st.st_size;
    }
    if (data > at && data - at >= HOLE_MIN) {
        *n = (uint64_t)(data - at);
        return TS_OK;
    }
    off_t hole = data < at ? -1 : seek_hole(f, data);
    f->sparse = data >= at && hole > data; /* else the file system does not say */
    f->dense = f->sparse ? (uint64_t)(hole - f->start) : 0;
    return TS_OK;
}

void ts_file_layer_skip(ts_layer *l, uint64_t n)
{
    file_layer *f = (file_layer *)l;
    f->off += n;
    l->taken += n;
    ts_fileset_progress(f->base.set, f->member, f->off);
}

int ts_file_layer_fd(off_t *start, const ts_layer *l)
{
    if (l->pull != regular_pull) {
        return -1;
    }
    const file_layer *f = (const file_layer *)l;
    *start = f->start;
    return f->fd;
}

bool ts_file_layer_give_fd(ts_layer *l)
{
    file_layer *f = (file_layer *)l;
    bool owned = f->owns_fd;
    f->owns_fd = false;
    return owned;
}
