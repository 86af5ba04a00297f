/* Answers of tools: texts of bounded length, and rows of the library as lines. */
#include "base/alloc.h"
#include "base/utf8.h"
#include "mcp/mcp_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CELL_MOST = 240,       /* bytes of a cell; the rest is counted */
    NOTE = 160,            /* kept for the line that says what is left out */
    COUNTED_MOST = 1000000 /* rows that are read to be counted */
};

ts_text mcp_argument(const mcp_call *call, const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof path, "params.arguments.%s", name);
    return mcp_message_text(call->message, path);
}

int64_t mcp_argument_number(const mcp_call *call, const char *name, int64_t otherwise, int64_t most)
{
    const ts_text t = mcp_argument(call, name);
    int64_t v = 0;
    for (size_t i = 0; i < t.n; i++) {
        if (t.p[i] < '0' || t.p[i] > '9') {
            return otherwise;
        }
        v = v >= most ? most : v * 10 + (t.p[i] - '0');
    }
    return t.n == 0 ? otherwise : v < most ? v : most;
}

/* --- texts ------------------------------------------------------------------------------------ */

ts_code mcp_say_text(mcp_call *call, ts_text text)
{
    return ts_buf_put(call->m->ctx, &call->text, text.p, text.n);
}

__attribute__((format(printf, 2, 0))) static ts_code say(mcp_call *call, const char *fmt,
                                                         va_list args)
{
    char line[1024];
    const int n = vsnprintf(line, sizeof line, fmt, args);
    const size_t length = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    return ts_buf_put(call->m->ctx, &call->text, line, ts_utf8_cut(line, length));
}

ts_code mcp_say(mcp_call *call, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const ts_code code = say(call, fmt, args);
    va_end(args);
    return code;
}

ts_code mcp_refuse(mcp_call *call, const char *fmt, ...)
{
    va_list args;
    call->failed = true;
    call->text.n = 0;
    va_start(args, fmt);
    const ts_code code = say(call, fmt, args);
    va_end(args);
    return code;
}

ts_code mcp_refuse_session(mcp_call *call, const tst_session *s)
{
    const char *message = s == NULL ? "there is no memory" : tst_message(s);
    return mcp_refuse(call, "%s", message[0] == '\0' ? "this failed" : message);
}

size_t mcp_room(const mcp_call *call)
{
    return call->text.n + NOTE < MCP_ANSWER_MOST ? MCP_ANSWER_MOST - NOTE - call->text.n : 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* A cell in a line: without what would end it, cut where it is long. */
static ts_code put_cell(mcp_call *call, ts_text cell)
{
    ts_ctx *ctx = call->m->ctx;
    const size_t n = cell.n <= CELL_MOST ? cell.n : ts_utf8_cut(cell.p, CELL_MOST);
    for (size_t i = 0; i < n; i++) {
        const char c = cell.p[i];
        if (c == '\t' || c == '\n' || c == '\r') {
            const char escape[2] = {'\\', c == '\t' ? 't' : c == '\n' ? 'n' : 'r'};
            TS_TRY(ts_buf_put(ctx, &call->text, escape, sizeof escape));
        } else {
            TS_TRY(ts_buf_putc(ctx, &call->text, c));
        }
    }
    return n == cell.n ? TS_OK : mcp_say(call, "... (%zu bytes)", cell.n);
}

static ts_code put_names(mcp_call *call, const tst_rows *rows)
{
    ts_code code = TS_OK;
    for (int i = 0; i < tst_rows_columns(rows) && code == TS_OK; i++) {
        TS_STEP_IF(code, i > 0, ts_buf_putc(call->m->ctx, &call->text, '\t'));
        TS_STEP(code, put_cell(call, ts_text_of(tst_rows_name(rows, i))));
    }
    TS_STEP(code, ts_buf_putc(call->m->ctx, &call->text, '\n'));
    return code;
}

static ts_code put_row(mcp_call *call, tst_rows *rows)
{
    ts_code code = TS_OK;
    for (int i = 0; i < tst_rows_columns(rows) && code == TS_OK; i++) {
        size_t n = 0;
        TS_STEP_IF(code, i > 0, ts_buf_putc(call->m->ctx, &call->text, '\t'));
        if (tst_rows_type(rows, i) == TST_BLOB) {
            (void)tst_rows_blob(rows, i, &n);
            TS_STEP(code, mcp_say(call, "(%zu bytes)", n));
            continue;
        }
        const char *p = tst_rows_text(rows, i, &n);
        TS_STEP_IF(code, p != NULL, put_cell(call, (ts_text){p, n}));
    }
    TS_STEP(code, ts_buf_putc(call->m->ctx, &call->text, '\n'));
    return code;
}

ts_code mcp_say_rows(uint64_t *n, mcp_call *call, tst_session *s, const char *title, tst_rows *rows,
                     size_t room)
{
    const size_t most = call->text.n + (room < mcp_room(call) ? room : mcp_room(call));
    uint64_t all = 0;
    uint64_t shown = 0;
    int step = TST_ROW;
    bool full = false;
    ts_code code = title == NULL ? TS_OK : mcp_say(call, "%s\n", title);
    TS_STEP(code, put_names(call, rows));
    while (code == TS_OK && all < COUNTED_MOST && (step = tst_rows_next(rows)) == TST_ROW) {
        const size_t before = call->text.n;
        all++;
        TS_STEP_IF(code, !full, put_row(call, rows));
        full = full || call->text.n > most;
        if (full && shown == all - 1 && call->text.n > before) {
            call->text.n = before; /* whole rows only */
        }
        shown += full ? 0 : 1;
    }
    tst_rows_free(rows);
    if (n != NULL) {
        *n = all;
    }
    if (code == TS_OK && step != TST_ROW && step != TST_OK) {
        return mcp_refuse_session(call, s);
    }
    TS_STEP_IF(code, shown < all,
               mcp_say(call,
                       "(%" PRIu64 " of %s%" PRIu64
                       " rows; ask for fewer columns, a part, or with a limit and an offset)\n",
                       shown, step == TST_ROW ? "more than " : "", all));
    return code;
}

ts_code mcp_say_query(mcp_call *call, tst_session *s, const char *title, const char *sql,
                      size_t room)
{
    const size_t before = call->text.n;
    tst_rows *rows;
    uint64_t n = 0;
    if (tst_query(&rows, s, sql, NULL, 0) != TST_OK) {
        return mcp_refuse_session(call, s);
    }
    const ts_code code = mcp_say_rows(&n, call, s, title, rows, room);
    if (n == 0 && !call->failed) {
        call->text.n = before;
    }
    return code;
}

/* --- parameters ------------------------------------------------------------------------------- */

static ts_code add_text(mcp_params *p, ts_ctx *ctx, ts_text text)
{
    const size_t at = p->texts.n;
    TS_TRY(ts_vec_push(ctx, &p->offsets, &at, sizeof at));
    TS_TRY(ts_buf_put(ctx, &p->texts, text.p, text.n));
    return ts_buf_putc(ctx, &p->texts, '\0');
}

ts_code mcp_params_add(mcp_params *p, ts_ctx *ctx, ts_text name, ts_text value)
{
    TS_TRY(add_text(p, ctx, name));
    return add_text(p, ctx, value);
}

ts_code mcp_params_of(mcp_params *p, const mcp_call *call, const char *prefix)
{
    ts_text name;
    ts_text value;
    for (size_t at = 0; mcp_message_next(&name, &value, &at, call->message, prefix);) {
        TS_TRY(mcp_params_add(p, call->m->ctx, name, value));
    }
    return TS_OK;
}

ts_code mcp_params_end(mcp_params *p, ts_ctx *ctx)
{
    const size_t *offsets = p->offsets.p;
    for (size_t i = 0; i + 1 < p->offsets.n; i += 2) {
        const tst_param param = {p->texts.p + offsets[i], p->texts.p + offsets[i + 1]};
        TS_TRY(ts_vec_push(ctx, &p->all, &param, sizeof param));
    }
    return TS_OK;
}

void mcp_params_free(mcp_params *p, ts_ctx *ctx)
{
    ts_buf_free(ctx, &p->texts);
    ts_vec_free(ctx, &p->offsets);
    ts_vec_free(ctx, &p->all);
}
