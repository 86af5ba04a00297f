/* Requests of the Flare protocol, read with the streaming reader. */
#include "serve/flare/flare_private.h"

#include "json/json.h"

#include <inttypes.h>

/*
 * Levels: 1 the request, 2 its options, 3 an array among them; what is deeper, or is elsewhere,
 * is passed over.
 */
typedef struct reader {
    fp_request *r;
    ts_json *json;
    const char *text;
    bool top_object; /* the document is an object */
    bool in_options; /* level 2 is the options */
    bool key_cmd, key_options;
    bool in_array;     /* level 3 is the array of the last option */
    uint64_t bad_from; /* where a nested item of that array begins */
} reader;

static fp_option *last_option(const fp_request *r)
{
    return (fp_option *)r->options.p + (r->options.n - 1);
}

static bool at_option(const reader *x)
{
    return x->in_options && ts_json_depth(x->json) == 2;
}

static bool at_item(const reader *x)
{
    return x->in_array && ts_json_depth(x->json) == 3;
}

/* --- events --------------------------------------------------------------------------------- */

static ts_code put_bad(reader *x, const char *p, size_t n)
{
    ts_buf *bad = &last_option(x->r)->bad;
    return bad->n > 0 ? TS_OK : ts_buf_put(x->r->ctx, bad, p, n < 200 ? n : 200);
}

/* A value begins that is neither a number nor a text. */
static ts_code on_object(void *user)
{
    reader *x = user;
    uint64_t depth = ts_json_depth(x->json);
    if (depth == 1) {
        x->top_object = true;
    } else if (depth == 2 && x->key_options) {
        x->in_options = true;
    } else if (depth == 4 && x->in_array) {
        x->bad_from = ts_json_position(x->json) - 1;
    }
    return TS_OK;
}

static ts_code on_end(void *user)
{
    reader *x = user;
    uint64_t depth = ts_json_depth(x->json);
    uint64_t at = ts_json_position(x->json);
    if (depth == 1) {
        x->in_options = false;
    } else if (depth == 2) {
        x->in_array = false;
    } else if (at_item(x) && at > x->bad_from) {
        return put_bad(x, x->text + x->bad_from, (size_t)(at - x->bad_from));
    }
    return TS_OK;
}

static ts_code on_array(void *user, int *want)
{
    reader *x = user;
    uint64_t depth = ts_json_depth(x->json);
    (void)want;
    if (depth == 3 && x->in_options) {
        last_option(x->r)->kind = FP_ARRAY;
        x->in_array = true;
    } else if (depth == 4 && x->in_array) {
        x->bad_from = ts_json_position(x->json) - 1;
    }
    return TS_OK;
}

static ts_code on_key(void *user, const char *p, size_t n)
{
    reader *x = user;
    ts_text key = {p, n};
    if (ts_json_depth(x->json) == 1) {
        x->key_cmd = ts_text_is(key, "cmd");
        x->key_options = ts_text_is(key, "options");
    } else if (at_option(x)) {
        fp_option *o = ts_vec_add(x->r->ctx, &x->r->options, sizeof *o);
        return o == NULL ? x->r->ctx->error.code : ts_buf_put(x->r->ctx, &o->name, p, n);
    }
    return TS_OK;
}

static ts_code on_string(void *user, const char *p, size_t n, unsigned flags)
{
    reader *x = user;
    if (ts_json_depth(x->json) == 1 && x->key_cmd && x->top_object) {
        x->r->has_cmd = true;
        x->r->cmd.n = (flags & TS_JSON_FIRST) != 0 ? 0 : x->r->cmd.n;
        return ts_buf_put(x->r->ctx, &x->r->cmd, p, n);
    }
    if (at_option(x)) {
        fp_option *o = last_option(x->r);
        o->kind = FP_TEXT;
        return ts_buf_put(x->r->ctx, &o->text, p, n);
    }
    if (at_item(x) && (flags & TS_JSON_FIRST) != 0 && last_option(x->r)->bad.n == 0) {
        return ts_buf_printf(x->r->ctx, &last_option(x->r)->bad, "\"%.*s\"",
                             (int)(n < 200 ? n : 200), p);
    }
    return TS_OK;
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    reader *x = user;
    if (at_option(x) && number->is_int) {
        last_option(x->r)->kind = FP_INT;
        last_option(x->r)->number = number->i;
    } else if (at_item(x) && number->is_int) {
        return ts_vec_push(x->r->ctx, &last_option(x->r)->items, &number->i, sizeof number->i);
    } else if (at_item(x)) {
        return put_bad(x, number->p, number->n);
    }
    return TS_OK;
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    static const char *const names[] = {"null", "false", "true"};
    reader *x = user;
    if (at_option(x) && kind == TS_JSON_TRUE) {
        last_option(x->r)->kind = FP_TRUE;
    }
    return at_item(x) ? put_bad(x, names[kind], strlen(names[kind])) : TS_OK;
}

/* --- reading -------------------------------------------------------------------------------- */

ts_code fp_request_read(fp_request *r, ts_ctx *ctx, const char *p, size_t n)
{
    static const ts_json_handler handler = {
        .object_begin = on_object,
        .object_end = on_end,
        .array_begin = on_array,
        .array_end = on_end,
        .key = on_key,
        .string = on_string,
        .number = on_number,
        .literal = on_literal,
    };
    reader x = {.r = r, .text = p};
    ts_code code;
    *r = (fp_request){.ctx = ctx};
    code = ts_json_new(&x.json, ctx, &handler, &x, 0);
    TS_STEP(code, ts_json_feed(x.json, p, n));
    TS_STEP(code, ts_json_finish(x.json));
    if (code == TS_OK && ts_json_state(x.json) != TS_JSON_DONE) {
        code = ts_buf_printf(ctx, &r->malformed, "%s at byte %" PRIu64,
                             ts_json_reason(x.json) == NULL ? "unexpected end"
                                                            : ts_json_reason(x.json),
                             ts_json_position(x.json));
    }
    ts_json_free(x.json);
    return code;
}

void fp_request_free(fp_request *r)
{
    if (r->ctx == NULL) {
        return;
    }
    for (size_t i = 0; i < r->options.n; i++) {
        fp_option *o = (fp_option *)r->options.p + i;
        ts_buf_free(r->ctx, &o->name);
        ts_buf_free(r->ctx, &o->text);
        ts_buf_free(r->ctx, &o->bad);
        ts_vec_free(r->ctx, &o->items);
    }
    ts_vec_free(r->ctx, &r->options);
    ts_buf_free(r->ctx, &r->cmd);
    ts_buf_free(r->ctx, &r->malformed);
    *r = (fp_request){0};
}

/* --- options -------------------------------------------------------------------------------- */

const fp_option *fp_request_option(const fp_request *r, const char *name)
{
    const fp_option *list = r->options.p;
    for (size_t i = r->options.n; i > 0; i--) {
        if (ts_text_is(ts_buf_text(&list[i - 1].name), name)) {
            return &list[i - 1];
        }
    }
    return NULL;
}

int64_t fp_request_int(const fp_request *r, const char *name, int64_t otherwise)
{
    const fp_option *o = fp_request_option(r, name);
    return o != NULL && o->kind == FP_INT ? o->number : otherwise;
}

bool fp_request_bool(const fp_request *r, const char *name)
{
    const fp_option *o = fp_request_option(r, name);
    return o != NULL && o->kind == FP_TRUE;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

ts_text fp_request_text(const fp_request *r, const char *name, const char *otherwise)
{
    const fp_option *o = fp_request_option(r, name);
    ts_text t = ts_text_of(otherwise);
    if (o != NULL && o->kind == FP_TEXT) {
        t = ts_buf_text(&o->text);
        while (t.n > 0 && is_blank(t.p[t.n - 1])) {
            t.n--;
        }
        while (t.n > 0 && is_blank(t.p[0])) {
            t.p++;
            t.n--;
        }
    }
    return t;
}

ts_code fp_request_need_text(ts_text *out, ts_ctx *ctx, const fp_request *r, const char *name)
{
    const fp_option *o = fp_request_option(r, name);
    if (o == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "missing option '%s'", name);
    }
    if (o->kind != FP_TEXT) {
        return ts_fail(ctx, TS_ERR_USAGE, "option value is not a string '%s'", name);
    }
    *out = ts_buf_text(&o->text);
    return TS_OK;
}

ts_code fp_request_need_ints(const int64_t **out, size_t *n, ts_ctx *ctx, const fp_request *r,
                             const char *name)
{
    const fp_option *o = fp_request_option(r, name);
    if (o == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "missing option: %s", name);
    }
    if (o->kind != FP_ARRAY) {
        return ts_fail(ctx, TS_ERR_USAGE, "option '%s' is not int array ", name);
    }
    if (o->bad.n > 0) {
        return ts_fail(ctx, TS_ERR_USAGE, "option '%s' contains none int value: %.*s ", name,
                       (int)o->bad.n, o->bad.p);
    }
    *out = o->items.p;
    *n = o->items.n;
    return TS_OK;
}
