/*
 * Bytes that can be read at any place: a file as it is, or a spool with what a stream gave.
 *
 * When the stream is a regular file without a wrapper, the blob takes over its descriptor if it
 * owns one, and reads with pread from `start`, which is after the viewer's line. All other streams
 * are read to their end into an anonymous spool first; damage of the stream is that of the blob
 * then, and what came before it can be read.
 *
 * The size is that of the moment when the blob was made: a file that grows later ends there, and
 * one that becomes shorter gives fewer bytes, never an error of its own. A blob owns its stream
 * from the call on, also when it fails, and closes it.
 */
#include "input/input_private.h"

#include "base/alloc.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct ts_blob {
    ts_ctx *ctx;
    ts_spool *spool; /* NULL: read from fd at `start` */
    int fd;
    bool owns_fd;
    off_t start;
    uint64_t size;
    char *shown;
    bool damaged;
    ts_damage damage;
};

void ts_blob_close(ts_blob *b)
{
    if (b == NULL) {
        return;
    }
    ts_ctx *ctx = b->ctx;
    if (b->owns_fd) {
        (void)ctx->sys.close(ctx->sys.user, b->fd);
    }
    ts_spool_free(b->spool);
    ts_free(ctx, b->shown);
    ts_free(ctx, b);
}

/* True when the stream's bytes are as they are in a file of a known size. */
static ts_code try_direct(bool *direct, ts_blob *b, ts_stream *s)
{
    ts_ctx *ctx = b->ctx;
    struct stat st;
    off_t start;
    *direct = false;
    if (s->bottom == NULL || s->bottom != s->top) {
        return TS_OK;
    }
    int fd = ts_file_layer_fd(&start, s->bottom);
    if (fd < 0) {
        return TS_OK;
    }
    if (ctx->sys.fstat(ctx->sys.user, fd, &st) != 0) {
        return ts_fail(ctx, TS_ERR_INPUT, "cannot examine '%s': %s", b->shown, strerror(errno));
    }
    start += (off_t)s->marked;
    if (st.st_size == 0) {
        return TS_OK;
    }
    b->fd = fd;
    b->owns_fd = ts_file_layer_give_fd(s->bottom);
    b->start = start;
    b->size = st.st_size > start ? (uint64_t)(st.st_size - start) : 0;
    *direct = true;
    return TS_OK;
}

static ts_code fill_spool(ts_blob *b, ts_stream *s)
{
    ts_ctx *ctx = b->ctx;
    ts_code code = ts_spool_new(&b->spool, ctx);
    uint8_t *block = NULL;
    size_t got = 1;
    if (code != TS_OK) {
        return code;
    }
    TS_NEED(ctx, block = ts_alloc(ctx, TS_INPUT_BLOCK, 1));
    while (got > 0) {
        if ((code = ts_stream_read(&got, s, block, TS_INPUT_BLOCK)) != TS_OK ||
            (code = ts_spool_write(b->spool, block, got)) != TS_OK) {
            break;
        }
    }
    ts_free(ctx, block);
    b->size = ts_spool_size(b->spool);
    const ts_damage *damage = ts_stream_damage(s);
    if (damage != NULL) {
        b->damage = *damage;
        b->damaged = true;
    }
    return code;
}

static ts_code blob_new(ts_blob **out, ts_ctx *ctx, const char *shown)
{
    ts_blob *b = ts_zalloc(ctx, 1, sizeof *b);
    *out = b;
    TS_NEED(ctx, b);
    b->ctx = ctx;
    b->fd = -1;
    TS_NEED(ctx, b->shown = ts_strndup(ctx, shown, strlen(shown)));
    return TS_OK;
}

ts_code ts_blob_of_stream(ts_blob **out, ts_stream *s)
{
    char shown[TS_ERROR_TEXT / 2];
    bool direct = false;
    ts_blob *b;
    ts_code code = blob_new(&b, s->ctx, ts_member_shown(shown, sizeof shown, s->set, s->member));
    TS_STEP(code, try_direct(&direct, b, s));
    TS_STEP_IF(code, !direct, fill_spool(b, s));
    ts_stream_close(s);
    if (code != TS_OK) {
        ts_blob_close(b);
        b = NULL;
    }
    *out = b;
    return code;
}

ts_code ts_blob_decoded(ts_blob **out, const ts_blob *encoded, ts_spool *spool, uint64_t size)
{
    ts_blob *b;
    ts_code code = blob_new(&b, encoded->ctx, encoded->shown);
    *out = NULL;
    if (code != TS_OK) {
        ts_blob_close(b);
        return code;
    }
    b->damaged = encoded->damaged;
    b->damage = encoded->damage;
    b->spool = spool;
    b->size = size;
    *out = b;
    return TS_OK;
}

ts_code ts_member_blob(ts_blob **out, ts_fileset *set, uint32_t i)
{
    ts_stream *s;
    *out = NULL;
    TS_TRY(ts_member_open(&s, set, i));
    return ts_blob_of_stream(out, s);
}

bool ts_member_seekable(ts_fileset *set, uint32_t i)
{
    ts_stream *s;
    if (set->kind == TS_SET_ARCHIVE || (set->kind == TS_SET_FILE && !set->regular)) {
        return false;
    }
    if (ts_member_open(&s, set, i) != TS_OK) {
        return false;
    }
    bool plain = s->bottom != NULL && s->bottom == s->top;
    ts_stream_close(s);
    return plain;
}

bool ts_blob_direct(const ts_blob *b)
{
    return b->spool == NULL;
}

uint64_t ts_blob_size(const ts_blob *b)
{
    return b->size;
}

const ts_damage *ts_blob_damage(const ts_blob *b)
{
    return b->damaged ? &b->damage : NULL;
}

ts_code ts_blob_read(size_t *got, ts_blob *b, uint64_t off, void *buf, size_t n)
{
    ts_ctx *ctx = b->ctx;
    ts_code code = ts_check_cancel(ctx);
    ssize_t r;
    *got = 0;
    if (code != TS_OK || off >= b->size) {
        return code;
    }
    if (b->size - off < n) {
        n = (size_t)(b->size - off);
    }
    if (b->spool != NULL) {
        return ts_spool_read(got, b->spool, off, buf, n);
    }
    r = ts_sys_pread_all(ctx, b->fd, buf, n, b->start + (off_t)off);
    if (r < 0) {
        return errno == EINTR
                   ? ts_check_cancel(ctx)
                   : ts_fail(ctx, TS_ERR_INPUT, "cannot read '%s' at byte %" PRIu64 ": %s",
                             b->shown, off, strerror(errno));
    }
    *got = (size_t)r;
    return TS_OK;
}
