/* The recordings that tools name: opened once, asked by many requests. */
#include "base/alloc.h"
#include "mcp/mcp_parts.h"
#include "session/conversion.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

ts_code ts_mcp_add(ts_mcp *m, const char *path)
{
    if (m->count == MCP_RECORDINGS) {
        return ts_fail(m->ctx, TS_ERR_LIMIT, "more than %d recordings", MCP_RECORDINGS);
    }
    char *copy = ts_strndup(m->ctx, path, strlen(path));
    TS_NEED(m->ctx, copy);
    m->recordings[m->count++] = (mcp_recording){.path = copy};
    return TS_OK;
}

/* The session that a request may cancel; NULL: none. */
static void mcp_set_asked(ts_mcp *m, tst_session *s)
{
    (void)pthread_mutex_lock(&m->lock);
    m->asked = s;
    if ((m->cancelled || m->late) && s != NULL) {
        tst_cancel(s);
    }
    (void)pthread_mutex_unlock(&m->lock);
}

static void remove_at(ts_mcp *m, size_t i)
{
    mcp_set_asked(m, NULL);
    tst_close(m->recordings[i].session);
    ts_free(m->ctx, m->recordings[i].path);
    m->count--;
    memmove(&m->recordings[i], &m->recordings[i + 1], (m->count - i) * sizeof m->recordings[0]);
}

void mcp_recordings_free(ts_mcp *m)
{
    while (m->count > 0) {
        remove_at(m, m->count - 1);
    }
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Whether the file is a database of SQLite. */
static bool is_database(ts_ctx *ctx, const char *path)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof magic] = {0};
    const int fd = ctx->sys.open(ctx->sys.user, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0) {
        return false;
    }
    const ssize_t n = ctx->sys.pread(ctx->sys.user, fd, head, sizeof head, 0);
    (void)ctx->sys.close(ctx->sys.user, fd);
    return n == (ssize_t)sizeof head && memcmp(head, magic, sizeof magic) == 0;
}

/* Tells the client that asked for it how far the import is, at most twice a second. */
static void tell_progress(void *user, const char *what, uint64_t done, int64_t total)
{
    mcp_call *call = user;
    ts_buf line = {0};
    const double now = ts_now();
    if (now - call->told < 0.5) {
        return;
    }
    call->told = now;
    ts_jout j = ts_jout_into(call->m->ctx, &line);
    ts_jout_open(&j, NULL, '{');
    ts_jout_str(&j, "jsonrpc", "2.0");
    ts_jout_str(&j, "method", "notifications/progress");
    ts_jout_open(&j, "params", '{');
    ts_jout_raw(&j, "progressToken", ts_text_of(call->progress));
    ts_jout_uint(&j, "progress", done);
    if (total >= 0) {
        ts_jout_int(&j, "total", total);
    }
    ts_jout_str(&j, "message", what);
    ts_jout_ends(&j, "}}");
    if (j.code == TS_OK) {
        (void)call->m->put(call->m->user, ts_buf_text(&line));
    }
    ts_buf_free(call->m->ctx, &line);
}

static int open_session(tst_session **out, mcp_call *call, const char *path, const char *analyze)
{
    const tst_options options = {
        .size = sizeof options, .analyze = analyze, .share_dir = call->m->ctx->share_dir};
    int code;
    if (is_database(call->m->ctx, path)) {
        return tst_open_database(out, path, &options);
    }
    code = tst_open(out, &options);
    if (code == TST_OK) {
        mcp_set_asked(call->m, *out);
        if (call->progress != NULL) {
            tst_on_progress(*out, tell_progress, call);
        }
        code = tst_add_path(*out, path);
    }
    code = code == TST_OK ? tst_finish(*out) : code;
    if (*out != NULL) {
        tst_on_progress(*out, NULL, NULL);
    }
    mcp_set_asked(call->m, NULL);
    return code;
}

static ts_code open_at(tst_session **out, mcp_call *call, size_t i, const char *analyze)
{
    mcp_recording *r = &call->m->recordings[i];
    ts_code code = TS_OK;
    *out = NULL;
    if (r->session == NULL) {
        tst_session *s = NULL;
        if (open_session(&s, call, r->path, analyze) != TST_OK) {
            code = mcp_refuse_session(call, s);
            tst_close(s);
            return code;
        }
        r->session = s;
    }
    *out = r->session;
    mcp_set_asked(call->m, r->session);
    return code;
}

static bool find_path(size_t *i, const ts_mcp *m, ts_text path)
{
    for (*i = 0; *i < m->count; ++*i) {
        if (ts_text_is(path, m->recordings[*i].path)) {
            return true;
        }
    }
    return false;
}

ts_code mcp_recording_open(tst_session **out, mcp_call *call, ts_text path, ts_text analyze)
{
    ts_mcp *m = call->m;
    ts_code code = TS_OK;
    char *names = NULL;
    char *copy = NULL;
    size_t i;
    *out = NULL;
    if (memchr(path.p, '\0', path.n) != NULL) {
        return mcp_refuse(call, "a path has no zero byte");
    }
    if (find_path(&i, m, path) && m->recordings[i].session == NULL) {
        remove_at(m, i); /* it was named on the command line: it may be asked for with analyses */
    }
    if (find_path(&i, m, path)) {
        return open_at(out, call, i, NULL);
    }
    if (m->count == MCP_RECORDINGS) {
        return mcp_refuse(call, "%d recordings are open: close one with the tool close",
                          MCP_RECORDINGS);
    }
    TS_TRY(ts_copy_text(&copy, m->ctx, path.p, path.n));
    code = ts_mcp_add(m, copy);
    ts_free(m->ctx, copy);
    if (code != TS_OK) {
        return code;
    }
    TS_STEP_IF(code, analyze.p != NULL, ts_copy_text(&names, m->ctx, analyze.p, analyze.n));
    TS_STEP(code, open_at(out, call, m->count - 1, names));
    ts_free(m->ctx, names);
    if (*out == NULL) {
        remove_at(m, m->count - 1);
    }
    return code;
}

/* --- finding ---------------------------------------------------------------------------------- */

/* By path, by base name where it is one recording's alone, or by number from 1. */
static bool find_named(size_t *i, const ts_mcp *m, ts_text name)
{
    size_t found = 0;
    if (find_path(i, m, name)) {
        return true;
    }
    for (size_t k = 0; k < m->count; k++) {
        if (ts_text_is(name, base_name(m->recordings[k].path))) {
            *i = k;
            found++;
        }
    }
    if (found == 0 && name.n == 1 && name.p[0] >= '1' && (size_t)(name.p[0] - '1') < m->count) {
        *i = (size_t)(name.p[0] - '1');
        found = 1;
    }
    return found == 1;
}

ts_code mcp_recordings_say(mcp_call *call)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < call->m->count && code == TS_OK; i++) {
        code = mcp_say(call, "%zu  %s%s\n", i + 1, call->m->recordings[i].path,
                       call->m->recordings[i].session == NULL ? "  (not opened yet)" : "");
    }
    return code;
}

static ts_code refuse_name(mcp_call *call, ts_text name, const char *argument)
{
    ts_code code;
    if (call->m->count == 0) {
        return mcp_refuse(
            call, "no recording is open: call open with the path of a recording or database");
    }
    if (name.p == NULL) {
        code = mcp_refuse(call, "several recordings are open: say which by \"%s\":\n", argument);
    } else {
        code = mcp_refuse(call,
                          "\"%.*s\" is not one of the open recordings; call open with its path, or "
                          "name one of:\n",
                          (int)(name.n < 200 ? name.n : 200), name.p);
    }
    TS_STEP(code, mcp_recordings_say(call));
    return code;
}

ts_code mcp_recording_of(tst_session **out, mcp_call *call, const char *argument)
{
    const ts_text name = mcp_argument(call, argument);
    size_t i = 0;
    *out = NULL;
    if (name.p == NULL ? call->m->count != 1 : !find_named(&i, call->m, name)) {
        return refuse_name(call, name, argument);
    }
    return open_at(out, call, i, NULL);
}

ts_code mcp_recording_close(mcp_call *call, ts_text name)
{
    size_t i = 0;
    if (name.p == NULL || !find_named(&i, call->m, name)) {
        return refuse_name(call, name, "recording");
    }
    remove_at(call->m, i);
    TS_TRY(mcp_say(call, "closed; open are %zu\n", call->m->count));
    return mcp_recordings_say(call);
}
