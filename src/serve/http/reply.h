/* What a request is answered with. */
#ifndef TS_SERVE_REPLY_H
#define TS_SERVE_REPLY_H

#include "base/json_out.h"

/* A body that is made while it is sent. */
typedef struct ts_stream ts_stream;
struct ts_stream {
    /* At most max bytes into `out`, as soon as there are any. 0: the end; -1: it cannot go on.
     * Called by one thread. */
    ssize_t (*read)(ts_stream *stream, char *out, size_t max);
    void (*free)(ts_stream *stream);
};

enum { TS_REPLY_HEADERS = 6 };

/* Texts are static, unless a comment says so. */
typedef struct ts_reply {
    int status;
    const char *type;
    ts_text fixed; /* body that outlives the reply; p NULL: `body` or `stream` */
    ts_buf body;   /* of the reply's context */
    ts_stream *stream;
    void (*release)(void *held); /* of what `fixed` is in; NULL: nothing */
    void *held;
    char etag[40];  /* with its quotation marks; "": none */
    char file[120]; /* for Content-Disposition; "": none */
    struct {
        const char *name;
        const char *value;
    } headers[TS_REPLY_HEADERS];
    size_t header_count;
    char value[240]; /* of a header that is made for this reply */
} ts_reply;

void ts_reply_header(ts_reply *r, const char *name, const char *value);

/* Makes it {"error":{"code","message"}}; offset: in the SQL text, -1 for none. What was in it is
 * released. TS_ERR_NOMEM leaves an empty body. */
ts_code ts_reply_error(ts_reply *r, ts_ctx *ctx, int status, const char *code, const char *message,
                       long offset);

/* The same of ctx->error, with the status that fits its code. */
ts_code ts_reply_failure(ts_reply *r, ts_ctx *ctx);

/* A ts_jout_write to the reply's body; user is a ts_reply_sink. */
typedef struct ts_reply_sink {
    ts_reply *reply;
    ts_ctx *ctx;
} ts_reply_sink;
int ts_reply_write(void *user, const void *bytes, size_t len);

void ts_reply_free(ts_reply *r, ts_ctx *ctx);

#endif
