/*
 * Messages between the server and the processes that run statements (workers.h), over a socket:
 * a kind and bytes. What a process sends is not trusted.
 */
#ifndef TS_SERVE_CHANNEL_H
#define TS_SERVE_CHANNEL_H

#include "base/buf.h"
#include "serve/api/sandbox.h"

typedef enum ts_message {
    TS_MESSAGE_REQUEST = 1, /* to a process: answer a request (remote.c) */
    TS_MESSAGE_MORE,        /* the next piece of the body */
    TS_MESSAGE_VIEW,        /* make a view (remote_view.c) */
    TS_MESSAGE_REPLY,       /* from it: the reply without what comes in pieces */
    TS_MESSAGE_PIECE,       /* some bytes of the body */
    TS_MESSAGE_END,         /* there are no more */
    TS_MESSAGE_BROKEN,      /* it cannot go on */
    TS_MESSAGE_PROGRESS,    /* of a view */
    TS_MESSAGE_MADE         /* the end of a view: its code and why */
} ts_message;

/* False: the other side has gone. */
bool ts_channel_send(int fd, ts_message kind, const void *bytes, size_t n);

/* Waits for a message; its bytes take the place of those in *bytes. False: the other side has gone,
 * or sends nonsense, or there is no memory. */
bool ts_channel_receive(int fd, ts_message *kind, ts_buf *bytes, ts_ctx *ctx);

typedef enum ts_waited {
    TS_WAITED_READY,
    TS_WAITED_LATE, /* nothing has come until then */
    TS_WAITED_ENDED /* the guard ended it */
} ts_waited;

/* Waits until something can be received, or until a time of ts_guard_now. */
ts_waited ts_channel_wait(int fd, ts_guard *guard, int64_t until);

/* What messages hold, one after the other. Texts keep whether they are NULL. */
ts_code ts_put_number(ts_ctx *ctx, ts_buf *to, uint64_t n);
ts_code ts_put_text(ts_ctx *ctx, ts_buf *to, ts_text text);

/* Takes them off the front; 0 and "" when there is no such thing. Texts are borrowed and end in a
 * zero byte. */
uint64_t ts_take_number(ts_text *from);
ts_text ts_take_text(ts_text *from);

#endif
