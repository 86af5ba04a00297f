/* What the parts of remote.h share. */
#ifndef TS_SERVE_REMOTE_PRIVATE_H
#define TS_SERVE_REMOTE_PRIVATE_H

#include "serve/api/app.h"
#include "serve/api/channel.h"

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
    ts_worker kept[REMOTE_KEPT];
    unsigned kept_count;
};

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
