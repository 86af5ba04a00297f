/* What the parts of remote.h share. */
#ifndef TS_SERVE_REMOTE_PRIVATE_H
#define TS_SERVE_REMOTE_PRIVATE_H

#include "serve/api/app.h"

/* --- channel.c -------------------------------------------------------------------------------- */

/*
 * Messages between the server and the processes that run statements (remote.h), over a socket:
 * a kind and bytes. What a process sends is not trusted.
 */

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

/* --- remote.c --------------------------------------------------------------------------------- */

enum {
    REMOTE_KEPT = 8,       /* processes that wait for the next request */
    REMOTE_GRACE_MS = 500, /* for work to end by itself when its time is over */
    REMOTE_NICE = 5,       /* of what was put aside */
    REMOTE_SHARE = 4       /* the process of a request has this part of --max-memory, */
};
#define REMOTE_LEAST (INT64_C(16) * 1024 * 1024) /* and no less than this */
#define REMOTE_PIECE ((size_t)64 * 1024)

/* What the processes read and the server writes. */
typedef struct remote_shared {
    atomic_bool cancel[TS_DATABASES]; /* the view of a database is not wanted any more */
} remote_shared;

struct ts_remote {
    ts_ctx ctx;
    ts_app *app;
    ts_workers *workers;
    remote_shared *shared;
    pthread_mutex_t lock;
    atomic_uint views; /* that are being made */
    ts_worker kept[REMOTE_KEPT];
    unsigned kept_count;
};

/* A part of --max-memory, and no less than REMOTE_LEAST. */
uint64_t ts_remote_share(const ts_app *app, uint64_t parts);

/* ts_channel_wait for work that has a place (work_slots.h): when it takes long it leaves that,
 * *aside, and its process is less urgent than others from then on. */
ts_waited ts_remote_wait(bool *aside, ts_remote *all, const ts_worker *one, ts_guard *guard,
                         int64_t until);

/* The error of a process that has ended by itself, or was killed for its memory. */
ts_code ts_remote_lost(ts_remote *all, const ts_worker *one, ts_ctx *ctx);

/* What a process does with TS_MESSAGE_REQUEST and TS_MESSAGE_VIEW; false: it ends. */
bool ts_remote_serve_request(ts_app *app, int fd, ts_buf *message, ts_ctx *ctx);
bool ts_remote_serve_view(ts_view_maker *maker, const ts_remote *all, int fd, ts_buf *message,
                          ts_ctx *ctx);

#endif
