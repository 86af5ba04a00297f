/* Requests and replies of the Flare protocol: which function answers what, and what a failure is.
 */
#include "base/alloc.h"
#include "serve/flare/flare_private.h"

static const struct {
    const char *name;
    ts_code (*answer)(fp_call *call);
    bool session; /* works on the session that the request names */
} commands[] = {
    {"list_sessions", fp_list_sessions, false},
    {"history_samples", fp_history_samples, false},
    {"open_sample", fp_open_sample, false},
    {"attach_jvm", fp_attach_jvm, false},
    {"connect_agent", fp_connect_agent, false},
    {"stop_sample", fp_stop_sample, false},
    {"close_session", fp_close_session, false},
    {"close_all_session", fp_close_all_session, false},
    {"dashboard", fp_dashboard, true},
    {"cpu_time", fp_cpu_time, true},
    {"cpu_ts", fp_cpu_ts, true},
    {"call_tree", fp_call_tree, true},
    {"sequenced_call_tree", fp_sequenced_call_tree, true},
    {"d3_flame_graph", fp_d3_flame_graph, true},
    {"flame_graph", fp_flame_graph, true},
    {"list_methods_by_filter", fp_list_methods_by_filter, true},
    {"search_slow_method_calls", fp_search_slow_method_calls, true},
};

/* --- replies -------------------------------------------------------------------------------- */

static int collect(void *user, const void *bytes, size_t len)
{
    fp_call *call = user;
    return ts_buf_put(call->ctx, &call->out, bytes, len) == TS_OK ? 0 : 1;
}

/* Frees what was written of a reply. */
static void discard(fp_call *call)
{
    ts_jout_fail(&call->json, TS_ERR_INTERNAL);
    (void)ts_jout_end(&call->json);
    ts_buf_free(call->ctx, &call->out);
    call->json = (ts_jout){0};
}

static void begin(fp_call *call, const char *result)
{
    call->out.n = 0;
    ts_jout_begin(&call->json, call->ctx, collect, call);
    ts_jout_open(&call->json, NULL, '{');
    ts_jout_str(&call->json, "result", result);
    ts_jout_text(&call->json, "cmd", ts_buf_text(&call->request->cmd));
}

void fp_reply_begin(fp_call *call)
{
    begin(call, "success");
    ts_jout_open(&call->json, "data", '{');
}

void fp_reply_session(fp_call *call)
{
    fp_reply_begin(call);
    ts_jout_str(&call->json, "session_id", call->session->id);
}

ts_code fp_reply_end(fp_call *call)
{
    ts_code code;
    ts_jout_ends(&call->json, "}}");
    code = ts_jout_end(&call->json);
    call->json = (ts_jout){0};
    if (code == TS_OK) {
        code = call->refused = call->reply(call->user, call->out.p, call->out.n);
    } else if (code == TS_ERR_OUTPUT) {
        code = ts_fail(call->ctx, TS_ERR_NOMEM, "cannot allocate the reply");
    }
    ts_buf_free(call->ctx, &call->out);
    return code;
}

/* The causes of an error in one line, the outermost first. */
static void write_message(ts_jout *j, const char *key, const ts_error *error)
{
    ts_buf text = {0};
    ts_code code = TS_OK;
    for (unsigned i = error->count; i > 0 && code == TS_OK; i--) {
        code = ts_buf_printf(j->ctx, &text, "%s%s", error->causes[i - 1], i > 1 ? ": " : "");
    }
    ts_jout_text(j, key, error->count == 0 ? TS_TEXT_LIT("failed") : ts_buf_text(&text));
    ts_jout_fail(j, code);
    ts_buf_free(j->ctx, &text);
}

/* The message is where the document has it, and where the UI looks for it. */
static ts_code reply_failure(fp_call *call, const ts_error *error)
{
    begin(call, "failure");
    write_message(&call->json, "message", error);
    ts_jout_open(&call->json, "data", '{');
    write_message(&call->json, "message", error);
    return fp_reply_end(call);
}

/* --- requests ------------------------------------------------------------------------------- */

/* The session that a request is about; the document calls it sample_instance. */
static ts_code session_id(ts_text *id, const fp_call *call)
{
    bool alias = fp_request_option(call->request, "session_id") == NULL &&
                 fp_request_option(call->request, "sample_instance") != NULL;
    return fp_request_need_text(id, call->ctx, call->request,
                                alias ? "sample_instance" : "session_id");
}

static ts_code answer_in_session(fp_call *call, ts_code (*answer)(fp_call *call))
{
    ts_ctx *own = call->ctx;
    ts_text id;
    ts_code code = session_id(&id, call);
    TS_STEP(code, fp_session_get(call, id));
    if (code != TS_OK) {
        return code;
    }
    code = answer(call);
    if (code != TS_OK) {
        discard(call);
        own->error = call->ctx->error;
    }
    fp_session_put(call);
    call->ctx = own;
    return code;
}

static ts_code dispatch(fp_call *call)
{
    const fp_request *r = call->request;
    if (r->malformed.n > 0) {
        return ts_fail(call->ctx, TS_ERR_USAGE, "%.*s", (int)r->malformed.n, r->malformed.p);
    }
    if (!r->has_cmd) {
        return ts_fail(call->ctx, TS_ERR_USAGE, "missing attribute 'cmd'");
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (ts_text_is(ts_buf_text(&r->cmd), commands[i].name)) {
            return commands[i].session ? answer_in_session(call, commands[i].answer)
                                       : commands[i].answer(call);
        }
    }
    return ts_fail(call->ctx, TS_ERR_USAGE, "unknown cmd: %.*s",
                   (int)(r->cmd.n < 200 ? r->cmd.n : 200), r->cmd.p);
}

ts_code ts_flare_hub_handle(ts_flare_hub *flare, ts_ctx *ctx, ts_guard *guard, const char *text,
                            size_t n, ts_flare_reply reply, void *user)
{
    fp_request request;
    fp_call call = {.flare = flare,
                    .ctx = ctx,
                    .guard = guard,
                    .request = &request,
                    .reply = reply,
                    .user = user};
    ts_error error;
    ts_code code = fp_request_read(&request, ctx, text, n);
    TS_STEP(code, dispatch(&call));
    discard(&call);
    if (code != TS_OK && call.refused == TS_OK) {
        error = ctx->error;
        request.cmd.n = request.malformed.n > 0 ? 0 : request.cmd.n;
        code = reply_failure(&call, &error);
        discard(&call);
    }
    fp_request_free(&request);
    return code;
}
