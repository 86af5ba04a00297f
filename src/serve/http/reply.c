#include "serve/http/reply.h"

#include <stdio.h>

void ts_reply_header(ts_reply *r, const char *name, const char *value)
{
    if (r->header_count < TS_REPLY_HEADERS) {
        r->headers[r->header_count].name = name;
        r->headers[r->header_count].value = value;
        r->header_count++;
    }
}

int ts_reply_write(void *user, const void *bytes, size_t len)
{
    ts_reply_sink *sink = user;
    return ts_buf_put(sink->ctx, &sink->reply->body, bytes, len) == TS_OK ? 0 : 1;
}

void ts_reply_free(ts_reply *r, ts_ctx *ctx)
{
    ts_buf_free(ctx, &r->body);
    if (r->stream != NULL) {
        r->stream->free(r->stream);
        r->stream = NULL;
    }
    if (r->release != NULL) {
        r->release(r->held);
        r->release = NULL;
    }
}

ts_code ts_reply_error(ts_reply *r, ts_ctx *ctx, int status, const char *code, const char *message,
                       long offset)
{
    ts_jout j;
    ts_reply_sink sink = {r, ctx};
    ts_reply_free(r, ctx);
    *r = (ts_reply){.status = status, .type = "application/json; charset=utf-8"};
    if (status == 503) {
        ts_reply_header(r, "Retry-After", "1");
    }
    ts_jout_begin(&j, ctx, ts_reply_write, &sink);
    ts_jout_open(&j, NULL, '{');
    ts_jout_open(&j, "error", '{');
    ts_jout_str(&j, "code", code);
    ts_jout_str(&j, "message", message);
    if (offset >= 0) {
        ts_jout_int(&j, "offset", offset);
    }
    ts_jout_ends(&j, "}}");
    return ts_jout_end(&j);
}

ts_code ts_reply_failure(ts_reply *r, ts_ctx *ctx)
{
    static const struct {
        int status;
        const char *code;
    } of[TS_CODE_COUNT] = {
        [TS_ERR_INPUT] = {500, "damaged"},
        [TS_ERR_USAGE] = {400, "bad_request"},
        [TS_ERR_OUTPUT] = {503, "busy"},
        /* replies are written to memory */[TS_ERR_FORMAT] = {404, "not_found"},
        [TS_ERR_LIMIT] = {503, "busy"},
        [TS_ERR_NOMEM] = {503, "busy"},
        [TS_ERR_INTERRUPTED] = {408, "timeout"},
        [TS_ERR_INTERNAL] = {500, "internal"},
    };
    char message[TS_ERROR_TEXT];
    ts_code code = ctx->error.code;
    bool known = code > TS_OK && code < TS_CODE_COUNT && ctx->error.count > 0;
    (void)snprintf(message, sizeof message, "%s",
                   known ? ctx->error.causes[ctx->error.count - 1] : "internal error");
    return ts_reply_error(r, ctx, known ? of[code].status : 500, known ? of[code].code : "internal",
                          message, -1);
}
