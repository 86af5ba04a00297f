#include "serve/api/query.h"

#include "json/json.h"

#include <errno.h>
#include <stdlib.h>

enum { ASKED_DIGITS = 64, ASKED_PARAMS = 200 };

void ts_asked_free(ts_asked *q, ts_ctx *ctx)
{
    ts_buf_free(ctx, &q->db.text);
    ts_buf_free(ctx, &q->sql.text);
    ts_buf_free(ctx, &q->question.text);
    ts_buf_free(ctx, &q->ints.text);
    ts_buf_free(ctx, &q->format.text);
    ts_buf_free(ctx, &q->view.text);
    ts_buf_free(ctx, &q->texts);
    ts_vec_free(ctx, &q->params);
}

/* The text that a name stands for; NULL: there is none of this name. */
static ts_asked_text *asked_text(ts_asked *q, ts_text name)
{
    return ts_text_is(name, "db")         ? &q->db
           : ts_text_is(name, "sql")      ? &q->sql
           : ts_text_is(name, "question") ? &q->question
           : ts_text_is(name, "ints")     ? &q->ints
           : ts_text_is(name, "format")   ? &q->format
           : ts_text_is(name, "view")     ? &q->view
                                          : NULL;
}

static int64_t *asked_number(ts_asked *q, ts_text name)
{
    return ts_text_is(name, "limit")        ? &q->limit
           : ts_text_is(name, "timeout_ms") ? &q->timeout_ms
                                            : NULL;
}

static ts_code asked_bad(ts_ctx *ctx, ts_text name, const char *why)
{
    return ts_fail(ctx, TS_ERR_USAGE, "the parameter \"%.*s\" %s", (int)(name.n < 80 ? name.n : 80),
                   name.n == 0 ? "" : name.p, why);
}

static ts_code asked_add(ts_asked_param **out, ts_asked *q, ts_ctx *ctx, ts_text name)
{
    *out = NULL;
    if (name.n == 0) {
        return ts_fail(ctx, TS_ERR_USAGE, "a parameter of the statement has no name");
    }
    if (q->params.n == ASKED_PARAMS) {
        return ts_fail(ctx, TS_ERR_USAGE, "more than %d parameters of a statement", ASKED_PARAMS);
    }
    ts_asked_param *p = ts_vec_add(ctx, &q->params, sizeof *p);
    TS_NEED(ctx, p);
    p->name_at = q->texts.n;
    p->name_n = name.n;
    *out = p;
    return ts_buf_put(ctx, &q->texts, name.p, name.n);
}

bool ts_asked_number(ts_asked_param *out, ts_text text)
{
    char digits[ASKED_DIGITS];
    char *end;
    if (text.n == 0 || text.n >= sizeof digits) {
        return false;
    }
    memcpy(digits, text.p, text.n);
    digits[text.n] = '\0';
    if (strspn(digits, "+-.0123456789eE") != text.n || strpbrk(digits, "0123456789") == NULL) {
        return false;
    }
    errno = 0;
    long long i = strtoll(digits, &end, 10);
    if (*end == '\0' && errno == 0) {
        out->type = TS_ASKED_INT;
        out->i = i;
        return true;
    }
    out->d = strtod(digits, &end);
    out->type = TS_ASKED_REAL;
    return *end == '\0';
}

static ts_code asked_check(const ts_asked *q, ts_ctx *ctx)
{
    if (q->limit < -1 || q->timeout_ms < -1) {
        return ts_fail(ctx, TS_ERR_USAGE, "limit and timeout_ms are not negative");
    }
    if (q->ints.given && !ts_text_is(ts_buf_text(&q->ints.text), "text")) {
        return ts_fail(ctx, TS_ERR_USAGE, "the parameter \"ints\" can only be text");
    }
    return TS_OK;
}

/* --- from a URL ------------------------------------------------------------------------------ */

static ts_code url_param(ts_asked *q, ts_ctx *ctx, ts_text name, ts_text value)
{
    ts_asked_param *p;
    TS_TRY(asked_add(&p, q, ctx, name));
    if (!ts_asked_number(p, value)) {
        p->type = TS_ASKED_TEXT;
        p->at = q->texts.n;
        p->n = value.n;
        return ts_buf_put(ctx, &q->texts, value.p, value.n);
    }
    return TS_OK;
}

static ts_code url_arg(ts_asked *q, ts_ctx *ctx, const ts_arg *arg, const char *const *more)
{
    ts_text name = ts_text_of(arg->name);
    ts_text value = arg->value.p == NULL ? TS_TEXT_LIT("") : arg->value;
    ts_asked_text *text = asked_text(q, name);
    int64_t *number = asked_number(q, name);
    ts_asked_param n;
    if (text != NULL) {
        if (text->given) {
            return asked_bad(ctx, name, "was given twice");
        }
        text->given = true;
        return ts_buf_put(ctx, &text->text, value.p, value.n);
    }
    if (number != NULL) {
        if (!ts_asked_number(&n, value) || n.type != TS_ASKED_INT || *number != -1 || n.i < 0) {
            return asked_bad(ctx, name, "is not a number, or was given twice");
        }
        *number = n.i;
        return TS_OK;
    }
    if (name.n > 2 && memcmp(name.p, "p.", 2) == 0) {
        return url_param(q, ctx, (ts_text){name.p + 2, name.n - 2}, value);
    }
    for (; *more != NULL; more++) {
        if (ts_text_is(name, *more)) {
            return TS_OK;
        }
    }
    return asked_bad(ctx, name, "is unknown");
}

ts_code ts_asked_url(ts_asked *q, ts_ctx *ctx, const ts_request *r, const char *const *more)
{
    ts_code code = TS_OK;
    *q = (ts_asked){.limit = -1, .timeout_ms = -1};
    for (size_t i = 0; code == TS_OK && i < r->arg_count; i++) {
        code = url_arg(q, ctx, &r->args[i], more);
    }
    return code != TS_OK ? code : asked_check(q, ctx);
}

/* --- from a body ----------------------------------------------------------------------------- */

typedef struct body_reader {
    ts_asked *q;
    ts_ctx *ctx;
    ts_json *json;
    bool is_object;
    bool in_params;      /* level 2 is params */
    bool params_next;    /* the key was params */
    ts_asked_text *text; /* what the value of the last key goes to */
    int64_t *number;
    ts_asked_param *param;
} body_reader;

static ts_code body_wrong(body_reader *b, const char *what)
{
    return ts_fail(b->ctx, TS_ERR_USAGE, "%s in the body of the query", what);
}

static ts_code body_object(void *user)
{
    body_reader *b = user;
    uint64_t depth = ts_json_depth(b->json);
    if (depth == 1) {
        b->is_object = true;
        return TS_OK;
    }
    if (depth == 2 && b->params_next) {
        b->in_params = true;
        return TS_OK;
    }
    return body_wrong(b, "an object that has no meaning");
}

static ts_code body_object_end(void *user)
{
    body_reader *b = user;
    b->in_params = false;
    return TS_OK;
}

static ts_code body_array(void *user, int *want)
{
    (void)want;
    return body_wrong(user, "an array");
}

static ts_code body_key(void *user, const char *p, size_t n)
{
    body_reader *b = user;
    ts_text key = {p, n};
    b->text = NULL;
    b->number = NULL;
    b->param = NULL;
    if (b->in_params) {
        return asked_add(&b->param, b->q, b->ctx, key);
    }
    b->params_next = ts_text_is(key, "params");
    b->text = asked_text(b->q, key);
    b->number = asked_number(b->q, key);
    bool twice = (b->text != NULL && b->text->given) || (b->number != NULL && *b->number != -1);
    if (twice || (b->text == NULL && b->number == NULL && !b->params_next)) {
        return asked_bad(b->ctx, key, twice ? "was given twice" : "is unknown");
    }
    return TS_OK;
}

static ts_code body_string(void *user, const char *p, size_t n, unsigned flags)
{
    body_reader *b = user;
    if (b->param != NULL) {
        b->param->type = TS_ASKED_TEXT;
        b->param->at = (flags & TS_JSON_FIRST) != 0 ? b->q->texts.n : b->param->at;
        b->param->n += n;
        return ts_buf_put(b->ctx, &b->q->texts, p, n);
    }
    if (b->text == NULL) {
        return body_wrong(b, "a text that has no meaning");
    }
    b->text->given = true;
    return ts_buf_put(b->ctx, &b->text->text, p, n);
}

static ts_code body_number(void *user, const ts_json_number *number)
{
    body_reader *b = user;
    if (b->param != NULL) {
        b->param->type = number->is_int ? TS_ASKED_INT : TS_ASKED_REAL;
        b->param->i = number->i;
        b->param->d = number->d;
        return TS_OK;
    }
    if (b->number == NULL || !number->is_int || number->i < 0) {
        return body_wrong(b, "a number that has no meaning");
    }
    *b->number = number->i;
    return TS_OK;
}

static ts_code body_literal(void *user, ts_json_kind kind)
{
    body_reader *b = user;
    if (b->param == NULL) {
        /* Like a member that is not there. */
        return kind == TS_JSON_NULL ? TS_OK : body_wrong(b, "true or false without meaning");
    }
    b->param->type = kind == TS_JSON_NULL ? TS_ASKED_NULL : TS_ASKED_INT;
    b->param->i = kind == TS_JSON_TRUE ? 1 : 0;
    return TS_OK;
}

ts_code ts_asked_body(ts_asked *q, ts_ctx *ctx, ts_text body)
{
    static const ts_json_handler handler = {
        .object_begin = body_object,
        .object_end = body_object_end,
        .array_begin = body_array,
        .key = body_key,
        .string = body_string,
        .number = body_number,
        .literal = body_literal,
    };
    body_reader b = {.q = q, .ctx = ctx};
    *q = (ts_asked){.limit = -1, .timeout_ms = -1};
    ts_code code = ts_json_new(&b.json, ctx, &handler, &b, 0);
    TS_STEP(code, ts_json_feed(b.json, body.p == NULL ? "" : body.p, body.n));
    TS_STEP(code, ts_json_finish(b.json));
    if (code == TS_OK && (ts_json_state(b.json) != TS_JSON_DONE || !b.is_object)) {
        code = ts_fail(ctx, TS_ERR_USAGE, "the body of the query is not a JSON object%s%s",
                       ts_json_state(b.json) == TS_JSON_BAD ? ": " : "",
                       ts_json_state(b.json) == TS_JSON_BAD ? ts_json_reason(b.json) : "");
    }
    ts_json_free(b.json);
    return code != TS_OK ? code : asked_check(q, ctx);
}

/* --- binding --------------------------------------------------------------------------------- */

static int bind_asked(const ts_asked *q, const ts_asked_param *p, sqlite3_stmt *st, int at)
{
    switch (p->type) {
    case TS_ASKED_INT:
        return sqlite3_bind_int64(st, at, p->i);
    case TS_ASKED_REAL:
        return sqlite3_bind_double(st, at, p->d);
    case TS_ASKED_TEXT:
        return sqlite3_bind_text64(st, at, q->texts.p + p->at, p->n, SQLITE_STATIC, SQLITE_UTF8);
    case TS_ASKED_NULL:
        break;
    }
    return sqlite3_bind_null(st, at);
}

int ts_asked_bind(ts_text *unknown, const ts_asked *q, sqlite3_stmt *st)
{
    const ts_asked_param *all = q->params.p;
    int n = sqlite3_bind_parameter_count(st);
    int rc = SQLITE_OK;
    *unknown = TS_TEXT_NULL;
    for (size_t k = 0; k < q->params.n && rc == SQLITE_OK; k++) {
        ts_text name = {q->texts.p + all[k].name_at, all[k].name_n};
        bool found = false;
        for (int i = 1; i <= n && rc == SQLITE_OK; i++) {
            const char *at = sqlite3_bind_parameter_name(st, i);
            if (at != NULL && ts_text_is(name, at + 1)) {
                rc = bind_asked(q, &all[k], st, i);
                found = true;
            }
        }
        if (!found && unknown->p == NULL) {
            *unknown = name;
        }
    }
    return rc;
}
