/* The protocol: what comes, and what is answered. Tools are in mcp_tools.c. */
#include "base/alloc.h"
#include "mcp/mcp_parts.h"
#include "session/conversion.h"

/* Codes of JSON-RPC 2.0. */
enum { NO_JSON = -32700, NO_REQUEST = -32600, NO_METHOD = -32601, NO_PARAMS = -32602 };

static const char instructions[] =
    "Recordings of profilers as tables of SQLite: sampled stacks, calls, heaps, scheduling, "
    "counters. "
    "Begin with open (a path), then overview: it says what the recording holds, whether it is "
    "whole, and "
    "which questions fit. ask answers a question by name, flame shows where time or memory goes as "
    "a tree, "
    "sql runs your own SQL (schema lists tables and columns with their units). Times are ns and "
    "sizes "
    "bytes unless a column says otherwise. Answers are cut to 8 KB and say what they leave out.";

ts_code ts_mcp_new(ts_mcp **out, ts_ctx *ctx, ts_mcp_put *put, void *user)
{
    ts_mcp *m = ts_zalloc(ctx, 1, sizeof *m);
    *out = NULL;
    TS_NEED(ctx, m);
    *m = (ts_mcp){.ctx = ctx, .put = put, .user = user};
    if (pthread_mutex_init(&m->lock, NULL) != 0) {
        ts_free(ctx, m);
        return ts_fail(ctx, TS_ERR_NOMEM, "cannot make a lock");
    }
    *out = m;
    return TS_OK;
}

void ts_mcp_free(ts_mcp *m)
{
    if (m != NULL) {
        mcp_recordings_free(m);
        ts_buf_free(m->ctx, &m->id);
        (void)pthread_mutex_destroy(&m->lock);
        ts_free(m->ctx, m);
    }
}

/* --- answers -----------------------------------------------------------------------------------
 */

static void begin_answer(ts_jout *j, ts_text id)
{
    ts_jout_open(j, NULL, '{');
    ts_jout_str(j, "jsonrpc", "2.0");
    ts_jout_raw(j, "id", id.n == 0 ? TS_TEXT_LIT("null") : id);
}

static ts_code end_answer(ts_mcp *m, ts_jout *j, ts_buf *line)
{
    ts_jout_close(j, '}');
    ts_code code = j->code;
    TS_STEP(code, m->put(m->user, ts_buf_text(line)));
    ts_buf_free(m->ctx, line);
    return code;
}

static ts_code refuse(ts_mcp *m, ts_text id, int number, const char *why)
{
    ts_buf line = {0};
    ts_jout j = ts_jout_into(m->ctx, &line);
    begin_answer(&j, id);
    ts_jout_open(&j, "error", '{');
    ts_jout_int(&j, "code", number);
    ts_jout_str(&j, "message", why);
    ts_jout_close(&j, '}');
    return end_answer(m, &j, &line);
}

/* --- methods ------------------------------------------------------------------------------------
 */

static void put_initialized(ts_jout *j, const mcp_message *message)
{
    static const char *const versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
    const ts_text asked = mcp_message_text(message, "params.protocolVersion");
    const char *version = versions[0];
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        version = ts_text_is(asked, versions[i]) ? versions[i] : version;
    }
    ts_jout_open(j, "result", '{');
    ts_jout_str(j, "protocolVersion", version);
    ts_jout_open(j, "capabilities", '{');
    ts_jout_open(j, "tools", '{');
    ts_jout_ends(j, "}}");
    ts_jout_open(j, "serverInfo", '{');
    ts_jout_str(j, "name", "trace_streamer");
    ts_jout_str(j, "version", tst_version());
    ts_jout_close(j, '}');
    ts_jout_str(j, "instructions", instructions);
    ts_jout_close(j, '}');
}

static void put_called(ts_jout *j, const mcp_call *call)
{
    ts_jout_open(j, "result", '{');
    ts_jout_open(j, "content", '[');
    ts_jout_open(j, NULL, '{');
    ts_jout_str(j, "type", "text");
    ts_jout_text(j, "text", ts_buf_text(&call->text));
    ts_jout_ends(j, "}]");
    ts_jout_bool(j, "isError", call->failed);
    ts_jout_close(j, '}');
}

/* The request that may be cancelled from now on; id empty: none. One that is set already may have
 * been cancelled by now. */
static ts_code set_request(bool *cancelled, ts_mcp *m, ts_text id)
{
    ts_code code = TS_OK;
    (void)pthread_mutex_lock(&m->lock);
    if (id.n == 0 || id.n != m->id.n || memcmp(id.p, m->id.p, id.n) != 0) {
        m->id.n = 0;
        code = ts_buf_put(m->ctx, &m->id, id.p, id.n);
        m->cancelled = m->late = false;
        m->asked = NULL;
        m->began = id.n == 0 ? 0 : ts_now();
    }
    *cancelled = m->cancelled;
    (void)pthread_mutex_unlock(&m->lock);
    return code;
}

/* What ended a request early. A session that was told so after its last call forgets it. */
static ts_code take_ends(bool *cancelled, ts_mcp *m, mcp_call *call)
{
    tst_rows *rows = NULL;
    (void)pthread_mutex_lock(&m->lock);
    *cancelled = m->cancelled;
    const bool late = m->late;
    tst_session *asked = m->asked;
    m->id.n = 0;
    (void)pthread_mutex_unlock(&m->lock);
    if ((*cancelled || late) && asked != NULL) {
        (void)tst_query(&rows, asked, "SELECT 1", NULL, 0);
        tst_rows_free(rows);
    }
    return late ? mcp_refuse(call,
                             "this took too long and was stopped: ask for less, such as a part "
                             "of the time, one source or one thread")
                : TS_OK;
}

static ts_code call_tool(ts_mcp *m, const mcp_message *message, ts_text id)
{
    mcp_call call = {.m = m, .message = message};
    const ts_text name = mcp_message_text(message, "params.name");
    const ts_text token = mcp_message_json(message, "params._meta.progressToken");
    ts_buf line = {0};
    bool known = false;
    bool cancelled = false;
    char *progress = NULL;
    ts_code code = TS_OK;
    TS_STEP_IF(code, token.p != NULL, ts_copy_text(&progress, m->ctx, token.p, token.n));
    call.progress = progress;
    TS_STEP_IF(code, name.p != NULL, mcp_tool_run(&known, &call, name));
    TS_STEP(code, take_ends(&cancelled, m, &call));
    if (code == TS_OK && !known) {
        code = refuse(m, id, NO_PARAMS, "there is no such tool: tools/list lists them");
    } else if (code == TS_OK && !cancelled) {
        ts_jout j = ts_jout_into(m->ctx, &line);
        begin_answer(&j, id);
        put_called(&j, &call);
        code = end_answer(m, &j, &line);
    }
    ts_free(m->ctx, progress);
    ts_buf_free(m->ctx, &call.text);
    return code;
}

static ts_code answer_now(ts_mcp *m, const mcp_message *message, ts_text id)
{
    const ts_text method = mcp_message_text(message, "method");
    ts_buf line = {0};
    if (ts_text_is(method, "tools/call")) {
        return call_tool(m, message, id);
    }
    ts_jout j = ts_jout_into(m->ctx, &line);
    begin_answer(&j, id);
    if (ts_text_is(method, "initialize")) {
        put_initialized(&j, message);
    } else if (ts_text_is(method, "ping")) {
        ts_jout_open(&j, "result", '{');
        ts_jout_close(&j, '}');
    } else if (ts_text_is(method, "tools/list")) {
        ts_jout_open(&j, "result", '{');
        mcp_tools_list(&j);
        ts_jout_close(&j, '}');
    } else {
        ts_buf_free(m->ctx, &line);
        return refuse(m, id, NO_METHOD,
                      "the server has initialize, ping, tools/list and tools/call");
    }
    return end_answer(m, &j, &line);
}

static const char initialize[] = "initialize"; /* it cannot be cancelled */

static ts_code answer(ts_mcp *m, const mcp_message *message, ts_text id)
{
    bool cancelled = false;
    ts_code code = set_request(&cancelled, m, id);
    if (code == TS_OK &&
        (!cancelled || ts_text_is(mcp_message_text(message, "method"), initialize))) {
        code = answer_now(m, message, id);
    }
    TS_STEP(code, set_request(&cancelled, m, TS_TEXT_LIT("")));
    return code;
}

ts_code ts_mcp_next(ts_mcp *m, ts_text line)
{
    mcp_message message;
    bool cancelled;
    if (line.n > MCP_LINE_MOST) {
        return TS_OK;
    }
    ts_code code = mcp_message_read(&message, m->ctx, line);
    if (code == TS_OK && message.good && mcp_message_text(&message, "method").p != NULL) {
        const ts_text id = mcp_message_json(&message, "id");
        TS_STEP_IF(code, id.p != NULL, set_request(&cancelled, m, id));
    }
    mcp_message_free(&message, m->ctx);
    return code;
}

ts_code ts_mcp_take(ts_mcp *m, ts_text line)
{
    mcp_message message;
    if (ts_text_trim(line).n == 0) {
        return TS_OK;
    }
    if (line.n > MCP_LINE_MOST) {
        return refuse(m, TS_TEXT_NULL, NO_REQUEST, "a message has at most 1 MiB");
    }
    ts_code code = mcp_message_read(&message, m->ctx, line);
    if (code == TS_OK) {
        const ts_text id = mcp_message_json(&message, "id");
        const ts_text method = mcp_message_text(&message, "method");
        if (!message.good) {
            code = refuse(m, TS_TEXT_NULL, NO_JSON, "a message is a JSON object in one line");
        } else if (method.p == NULL && id.p == NULL) {
            code = refuse(m, TS_TEXT_NULL, NO_REQUEST, "a request has a method and an id");
        } else if (method.p != NULL && id.p != NULL) { /* others: notifications, and answers */
            code = answer(m, &message, id);
        }
    }
    mcp_message_free(&message, m->ctx);
    return code;
}

/* --- cancelling ---------------------------------------------------------------------------------
 */

ts_code ts_mcp_cancels(ts_buf *id, ts_ctx *ctx, ts_text line)
{
    static const char method[] = "notifications/cancelled";
    mcp_message message;
    id->n = 0;
    if (line.n > MCP_LINE_MOST || memmem(line.p, line.n, method, sizeof method - 1) == NULL) {
        return TS_OK;
    }
    ts_code code = mcp_message_read(&message, ctx, line);
    if (code == TS_OK && ts_text_is(mcp_message_text(&message, "method"), method)) {
        const ts_text asked = mcp_message_json(&message, "params.requestId");
        TS_STEP_IF(code, asked.p != NULL, ts_buf_put(ctx, id, asked.p, asked.n));
    }
    mcp_message_free(&message, ctx);
    return code;
}

ts_code ts_mcp_is_request(bool *is, ts_ctx *ctx, ts_text line, ts_text id)
{
    mcp_message message;
    *is = false;
    if (line.n > MCP_LINE_MOST || memmem(line.p, line.n, id.p, id.n) == NULL) {
        return TS_OK;
    }
    ts_code code = mcp_message_read(&message, ctx, line);
    if (code == TS_OK && message.good) {
        const ts_text method = mcp_message_text(&message, "method");
        const ts_text own = mcp_message_json(&message, "id");
        *is = method.p != NULL && !ts_text_is(method, initialize) && own.p != NULL &&
              ts_text_equal(own, id);
    }
    mcp_message_free(&message, ctx);
    return code;
}

bool ts_mcp_cancel(ts_mcp *m, ts_text id)
{
    (void)pthread_mutex_lock(&m->lock);
    const bool found =
        m->id.n > 0 && (id.p == NULL || (id.n == m->id.n && memcmp(id.p, m->id.p, id.n) == 0));
    if (found) {
        m->cancelled = m->cancelled || id.p != NULL;
        m->late = m->late || id.p == NULL;
        if (m->asked != NULL) {
            tst_cancel(m->asked);
        }
    }
    (void)pthread_mutex_unlock(&m->lock);
    return found;
}

double ts_mcp_busy(ts_mcp *m)
{
    (void)pthread_mutex_lock(&m->lock);
    const double seconds = m->id.n == 0 ? 0 : ts_now() - m->began;
    (void)pthread_mutex_unlock(&m->lock);
    return seconds;
}
