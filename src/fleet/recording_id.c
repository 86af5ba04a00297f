/* What tells recordings and attempts apart. */
#include "fleet/load.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/sha256.h"
#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 256 * 1024 };

/* --- recordings ------------------------------------------------------------------------------- */

static ts_code add_file(ts_sha256 *sum, uint64_t *bytes, ts_ctx *ctx, int fd, uint8_t *block,
                        const char *path)
{
    ssize_t got = 1;
    while (got > 0) {
        got = ts_sys_read_all(ctx, fd, block, BLOCK);
        if (got < 0) {
            return ts_fail(ctx, TS_ERR_INPUT, "cannot read the input: path=\"%s\": %s", path,
                           strerror(errno));
        }
        ts_sha256_add(sum, block, (size_t)got);
        *bytes += (uint64_t)got;
        TS_TRY(ts_check_cancel(ctx));
    }
    return TS_OK;
}

/* Its name and its length go before the contents, so that no two sets give the same bytes. */
static ts_code add_member(ts_sha256 *sum, uint64_t *bytes, ts_ctx *ctx, ts_fileset *set, uint32_t i,
                          uint8_t *block)
{
    ts_stream *stream = NULL;
    ts_sha256 own;
    uint8_t digest[32];
    size_t got = 1;
    ts_sha256_init(&own);
    ts_code code = ts_member_open(&stream, set, i);
    while (code == TS_OK && got > 0) {
        code = ts_stream_read(&got, stream, block, BLOCK);
        if (code == TS_OK) {
            ts_sha256_add(&own, block, got);
            *bytes += got;
            code = ts_check_cancel(ctx);
        }
    }
    ts_stream_close(stream);
    ts_sha256_end(&own, digest);
    ts_sha256_add(sum, ts_member_name(set, i), strlen(ts_member_name(set, i)) + 1);
    ts_sha256_add(sum, digest, sizeof digest);
    return code;
}

static ts_code add_directory(ts_sha256 *sum, uint64_t *bytes, ts_ctx *ctx, const char *path,
                             uint8_t *block)
{
    ts_fileset *set = NULL;
    uint32_t count = 0;
    ts_code code = ts_fileset_open(&set, ctx, path);
    TS_STEP(code, ts_fileset_count(&count, set));
    for (uint32_t i = 0; code == TS_OK && i < count; i++) {
        code = add_member(sum, bytes, ctx, set, i, block);
    }
    ts_fileset_close(set);
    return code;
}

/* A file by its bytes, a directory by its files; nothing else can be read once more. */
static ts_code add_input(ts_sha256 *sum, uint64_t *bytes, ts_ctx *ctx, const char *path,
                         uint8_t *block)
{
    struct stat st;
    ts_code code = TS_OK;
    const int fd =
        strcmp(path, "-") == 0 ? -1 : ts_sys_open(ctx, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0 || ctx->sys.fstat(ctx->sys.user, fd, &st) != 0) {
        code = ts_fail(ctx, TS_ERR_INPUT, "cannot open the input: path=\"%s\": %s", path,
                       fd < 0 && strcmp(path, "-") == 0 ? "it must be read twice: save it to a file"
                                                        : strerror(errno));
    } else if (S_ISREG(st.st_mode)) {
        code = add_file(sum, bytes, ctx, fd, block, path);
    } else if (S_ISDIR(st.st_mode)) {
        code = add_directory(sum, bytes, ctx, path, block);
    } else {
        code = ts_fail(
            ctx, TS_ERR_INPUT,
            "cannot load the input: path=\"%s\": it must be read twice: save it to a file", path);
    }
    if (fd >= 0) {
        (void)ctx->sys.close(ctx->sys.user, fd);
    }
    return code;
}

void ts_recording_hex(char out[TS_RECORDING_HEX], const uint8_t id[32])
{
    for (size_t i = 0; i < 32; i++) {
        (void)snprintf(out + 2 * i, 3, "%02x", id[i]);
    }
}

ts_code ts_recording_identity(ts_recording_id *out, ts_ctx *ctx, const char *path)
{
    ts_sha256 sum;
    uint8_t *block = ts_alloc(ctx, BLOCK, 1);
    TS_NEED(ctx, block);
    *out = (ts_recording_id){0};
    ts_sha256_init(&sum);
    ts_code code = add_input(&sum, &out->bytes, ctx, path, block);
    ts_sha256_end(&sum, out->id);
    ts_free(ctx, block);
    return code;
}

/* --- attempts --------------------------------------------------------------------------------- */

uint64_t ts_load_number(void)
{
    struct timespec now = {0};
    uint32_t random = 0;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (!ts_random(&random, sizeof random)) {
        random = (uint32_t)now.tv_nsec; /* early after boot */
    }
    const uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    return ms << 23 | (random & ((UINT32_C(1) << 23) - 1));
}
