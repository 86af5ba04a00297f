/*
 * Messages between the server and its processes: a head of kind and length, then the bytes, over a
 * socket of a stream.
 *
 * What a process sends is not trusted, because a statement or a database may have taken it over: a
 * length above CHANNEL_MOST ends the channel, and numbers and texts are taken out of a message with
 * checks, an impossible one being 0 or "" and the end of the message. Texts carry whether they are
 * NULL (a length of UINT64_MAX), and a zero byte that is not part of them.
 *
 * Sending and receiving are done in full or fail, which means that the other side has gone. Waiting
 * ends with the guard (its client, the stop of the server, the deadline) or at a time of its own;
 * it looks every CHANNEL_LOOK_MS at what poll cannot tell it.
 */
#include "serve/api/remote_private.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { CHANNEL_LOOK_MS = 100 };
#define CHANNEL_MOST (UINT32_C(256) * 1024 * 1024)

typedef struct channel_head {
    uint32_t kind;
    uint32_t n;
} channel_head;

static bool send_all(int fd, const char *p, size_t n, int flags)
{
    while (n > 0) {
        ssize_t sent = send(fd, p, n, MSG_NOSIGNAL | flags);
        if (sent <= 0 && errno != EINTR) {
            return false;
        }
        p += sent > 0 ? sent : 0;
        n -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool ts_channel_send(int fd, ts_message kind, const void *bytes, size_t n)
{
    const channel_head head = {(uint32_t)kind, (uint32_t)n};
    return n <= CHANNEL_MOST &&
           send_all(fd, (const char *)&head, sizeof head, n > 0 ? MSG_MORE : 0) &&
           send_all(fd, bytes, n, 0);
}

static bool receive_all(int fd, void *to, size_t n)
{
    char *p = to;
    while (n > 0) {
        ssize_t got = recv(fd, p, n, 0);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        p += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool ts_channel_receive(int fd, ts_message *kind, ts_buf *bytes, ts_ctx *ctx)
{
    channel_head head;
    bytes->n = 0;
    if (!receive_all(fd, &head, sizeof head) || head.n > CHANNEL_MOST ||
        ts_buf_reserve(ctx, bytes, (size_t)head.n + 1) != TS_OK ||
        !receive_all(fd, bytes->p, head.n)) {
        return false;
    }
    *kind = (ts_message)head.kind;
    bytes->n = head.n;
    return true;
}

ts_waited ts_channel_wait(int fd, ts_guard *guard, int64_t until)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = fd, .events = POLLIN},
                               {.fd = guard->fd, .events = POLLRDHUP}};
        int64_t left = (until - ts_guard_now()) / 1000000 + 1;
        int ready = poll(fds, 2,
                         (int)(left < 0                 ? 0
                               : left < CHANNEL_LOOK_MS ? left
                                                        : CHANNEL_LOOK_MS));
        if (ready > 0 && fds[0].revents != 0) {
            return TS_WAITED_READY;
        }
        if (ts_guard_ended(guard)) {
            return TS_WAITED_ENDED;
        }
        if (ts_guard_now() >= until) {
            return TS_WAITED_LATE;
        }
    }
}

/* --- what messages hold ---------------------------------------------------------------------- */

ts_code ts_put_number(ts_ctx *ctx, ts_buf *to, uint64_t n)
{
    return ts_buf_put(ctx, to, &n, sizeof n);
}

ts_code ts_put_text(ts_ctx *ctx, ts_buf *to, ts_text text)
{
    ts_code code = ts_put_number(ctx, to, text.p == NULL ? UINT64_MAX : text.n);
    TS_STEP_IF(code, text.p != NULL, ts_buf_put(ctx, to, text.p, text.n));
    TS_STEP_IF(code, text.p != NULL, ts_buf_putc(ctx, to, '\0'));
    return code;
}

uint64_t ts_take_number(ts_text *from)
{
    uint64_t n = 0;
    if (from->n < sizeof n) {
        from->n = 0;
        return 0;
    }
    memcpy(&n, from->p, sizeof n);
    from->p += sizeof n;
    from->n -= sizeof n;
    return n;
}

ts_text ts_take_text(ts_text *from)
{
    uint64_t n = ts_take_number(from);
    if (n == UINT64_MAX) {
        return TS_TEXT_NULL;
    }
    if (n >= from->n || from->p[n] != '\0') {
        from->n = 0;
        return TS_TEXT_LIT("");
    }
    ts_text text = {from->p, (size_t)n};
    from->p += n + 1;
    from->n -= n + 1;
    return text;
}
