#include "cli/redact_key.h"

#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { KEY_BYTES = 16, KEY_TEXT = 2 * KEY_BYTES };

static const char digits[] = "0123456789abcdef";

static ts_hash_key key_of(const unsigned char bytes[KEY_BYTES])
{
    ts_hash_key key;
    memcpy(key.k, bytes, KEY_BYTES);
    key.k[0] = le64toh(key.k[0]);
    key.k[1] = le64toh(key.k[1]);
    return key;
}

static ts_code not_a_key(ts_ctx *ctx, const char *path)
{
    return ts_fail(ctx, TS_ERR_INPUT,
                   "not a key of trace_streamer redact (32 hexadecimal digits): path=\"%s\"", path);
}

static ts_code read_key(ts_hash_key *key, ts_ctx *ctx, const char *path, int fd)
{
    char text[KEY_TEXT + 2]; /* one more than a key has */
    unsigned char bytes[KEY_BYTES];
    const ssize_t n = ts_sys_pread_all(ctx, fd, text, sizeof text, 0);
    if (n < 0) {
        return ts_fail(ctx, TS_ERR_INPUT, "cannot read the key: path=\"%s\": %s", path,
                       strerror(errno));
    }
    if (n != KEY_TEXT && !(n == KEY_TEXT + 1 && text[KEY_TEXT] == '\n')) {
        return not_a_key(ctx, path);
    }
    memset(bytes, 0, sizeof bytes);
    for (size_t i = 0; i < KEY_TEXT; i++) {
        const char *digit = memchr(digits, text[i], sizeof digits - 1);
        if (digit == NULL) {
            return not_a_key(ctx, path);
        }
        bytes[i / 2] = (unsigned char)((unsigned)bytes[i / 2] << 4 | (unsigned)(digit - digits));
    }
    *key = key_of(bytes);
    return TS_OK;
}

static ts_code write_key(ts_ctx *ctx, const char *path, int fd, const unsigned char *bytes)
{
    char text[KEY_TEXT + 1];
    for (size_t i = 0; i < KEY_BYTES; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[KEY_TEXT] = '\n';
    if (ts_sys_write_all(ctx, fd, text, sizeof text) < 0) {
        const int error = errno;
        (void)unlink(path); /* half a key would be refused for ever */
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot write the key: path=\"%s\": %s", path,
                       strerror(error));
    }
    return TS_OK;
}

ts_code ts_redact_key(ts_hash_key *key, ts_ctx *ctx, const char *path, bool make)
{
    unsigned char bytes[KEY_BYTES];
    int fd = path == NULL ? -1 : ts_sys_open(ctx, path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    ts_code code;
    if (path != NULL && fd < 0 && !(make && errno == ENOENT)) {
        return ts_fail(ctx, TS_ERR_INPUT, "cannot read the key: path=\"%s\": %s", path,
                       strerror(errno));
    }
    if (fd >= 0) {
        code = read_key(key, ctx, path, fd);
        ctx->sys.close(ctx->sys.user, fd);
        return code;
    }
    if (!ts_random(bytes, sizeof bytes)) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "the system gives no random numbers for a key");
    }
    *key = key_of(bytes);
    if (path == NULL) {
        return TS_OK;
    }
    fd = ts_sys_open(ctx, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot write the key: path=\"%s\": %s", path,
                       strerror(errno));
    }
    code = write_key(ctx, path, fd, bytes);
    ctx->sys.close(ctx->sys.user, fd);
    return code;
}
