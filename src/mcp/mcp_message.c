/* Messages of the client: JSON becomes a list of values with their paths. */
#include "base/alloc.h"
#include "json/json.h"
#include "mcp/mcp_parts.h"

/* More than any message of the protocol has. */
enum { VALUES_MOST = 4096 };

typedef struct mcp_value {
    size_t path, path_n; /* in the texts */
    size_t text, text_n; /* as JSON */
    bool quoted;         /* it is a text; its content is after the JSON */
    size_t content_n;
} mcp_value;

typedef struct reading {
    ts_ctx *ctx;
    mcp_message *m;
    ts_buf string; /* the pieces of one */
} reading;

/* --- reading --------------------------------------------------------------------------------- */

static size_t level_of(const mcp_message *m)
{
    const size_t *levels = m->levels.p;
    return m->levels.n == 0 ? 0 : levels[m->levels.n - 1];
}

static ts_code open_level(void *user)
{
    reading *r = user;
    const size_t n = r->m->path.n;
    return ts_vec_push(r->ctx, &r->m->levels, &n, sizeof n);
}

static ts_code open_list(void *user, int *want)
{
    (void)want;
    return open_level(user);
}

static ts_code close_level(void *user)
{
    reading *r = user;
    r->m->path.n = level_of(r->m);
    r->m->levels.n--;
    r->m->path.n = r->m->levels.n == 0 ? 0 : r->m->path.n;
    return TS_OK;
}

static ts_code take_key(void *user, const char *p, size_t n)
{
    reading *r = user;
    ts_buf *path = &r->m->path;
    path->n = level_of(r->m);
    if (path->n > 0) {
        TS_TRY(ts_buf_putc(r->ctx, path, '.'));
    }
    return ts_buf_put(r->ctx, path, p, n);
}

/* A value of the present path: `json`, and of a text what it says. */
static ts_code add_value(reading *r, ts_text json, const ts_text *content)
{
    mcp_message *m = r->m;
    mcp_value *v;
    if (m->values.n >= VALUES_MOST) {
        return TS_OK;
    }
    TS_NEED(r->ctx, v = ts_vec_add(r->ctx, &m->values, sizeof *v));
    v->path = m->texts.n;
    v->path_n = m->path.n;
    TS_TRY(ts_buf_put(r->ctx, &m->texts, m->path.p, m->path.n));
    v->text = m->texts.n;
    if (content == NULL) {
        v->text_n = json.n;
        return ts_buf_put(r->ctx, &m->texts, json.p, json.n);
    }
    TS_TRY(ts_json_quote(r->ctx, &m->texts, *content, TS_JOUT_PLAIN));
    v->text_n = m->texts.n - v->text;
    v->quoted = true;
    v->content_n = content->n;
    return ts_buf_put(r->ctx, &m->texts, content->p, content->n);
}

static ts_code take_string(void *user, const char *p, size_t n, unsigned flags)
{
    reading *r = user;
    if ((flags & TS_JSON_FIRST) != 0) {
        r->string.n = 0;
    }
    TS_TRY(ts_buf_put(r->ctx, &r->string, p, n));
    const ts_text content = ts_buf_text(&r->string);
    return (flags & TS_JSON_LAST) == 0 ? TS_OK : add_value(r, content, &content);
}

static ts_code take_number(void *user, const ts_json_number *number)
{
    return add_value(user, (ts_text){number->p, number->n}, NULL);
}

static ts_code take_literal(void *user, ts_json_kind kind)
{
    return kind == TS_JSON_NULL
               ? TS_OK
               : add_value(user, kind == TS_JSON_TRUE ? TS_TEXT_LIT("true") : TS_TEXT_LIT("false"),
                           NULL);
}

static const ts_json_handler handler = {.object_begin = open_level,
                                        .object_end = close_level,
                                        .array_begin = open_list,
                                        .array_end = close_level,
                                        .key = take_key,
                                        .string = take_string,
                                        .number = take_number,
                                        .literal = take_literal};

ts_code mcp_message_read(mcp_message *out, ts_ctx *ctx, ts_text line)
{
    reading r = {.ctx = ctx, .m = out};
    ts_json *json = NULL;
    *out = (mcp_message){0};
    ts_code code = ts_json_new(&json, ctx, &handler, &r, 0);
    TS_STEP(code, ts_json_feed(json, line.p, line.n));
    TS_STEP(code, ts_json_finish(json));
    const ts_text trimmed = ts_text_trim(line);
    out->good = code == TS_OK && ts_json_state(json) == TS_JSON_DONE && trimmed.n > 0 &&
                trimmed.p[0] == '{';
    ts_json_free(json);
    ts_buf_free(ctx, &r.string);
    return code;
}

void mcp_message_free(mcp_message *m, ts_ctx *ctx)
{
    ts_buf_free(ctx, &m->texts);
    ts_buf_free(ctx, &m->path);
    ts_vec_free(ctx, &m->values);
    ts_vec_free(ctx, &m->levels);
}

/* --- asking ---------------------------------------------------------------------------------- */

static ts_text content_of(const mcp_message *m, const mcp_value *v)
{
    return v->quoted ? (ts_text){m->texts.p + v->text + v->text_n, v->content_n}
                     : (ts_text){m->texts.p + v->text, v->text_n};
}

static const mcp_value *find(const mcp_message *m, const char *path)
{
    const mcp_value *values = m->values.p;
    for (size_t i = 0; i < m->values.n; i++) {
        if (ts_text_is((ts_text){m->texts.p + values[i].path, values[i].path_n}, path)) {
            return &values[i];
        }
    }
    return NULL;
}

ts_text mcp_message_text(const mcp_message *m, const char *path)
{
    const mcp_value *v = find(m, path);
    return v == NULL ? TS_TEXT_NULL : content_of(m, v);
}

ts_text mcp_message_json(const mcp_message *m, const char *path)
{
    const mcp_value *v = find(m, path);
    return v == NULL ? TS_TEXT_NULL : (ts_text){m->texts.p + v->text, v->text_n};
}

bool mcp_message_next(ts_text *name, ts_text *text, size_t *at, const mcp_message *m,
                      const char *prefix)
{
    const mcp_value *values = m->values.p;
    for (; *at < m->values.n; ++*at) {
        const mcp_value *v = &values[*at];
        const ts_text path = {m->texts.p + v->path, v->path_n};
        if (ts_text_begins(path, prefix)) {
            *name = ts_text_from(path, strlen(prefix));
            *text = content_of(m, v);
            ++*at;
            return true;
        }
    }
    return false;
}
