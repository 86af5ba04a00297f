/* Labels: what recordings are told apart and asked by, such as the build and the device. */
#include "fleet/fleet.h"

#include "base/alloc.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MAX = 1024 * 1024 };

static ts_code check_key(ts_ctx *ctx, ts_text key)
{
    for (size_t i = 0; i < key.n; i++) {
        const char c = key.p[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-') {
            key.n = 0;
        }
    }
    return key.n > 0 && key.n <= TS_FLEET_LABEL_KEY
               ? TS_OK
               : ts_fail(
                     ctx, TS_ERR_USAGE,
                     "bad key of a label: it has 1 to %d letters, digits, \".\", \"_\" and \"-\"",
                     TS_FLEET_LABEL_KEY);
}

static ts_code add(ts_fleet_labels *l, ts_ctx *ctx, ts_text key, ts_text value)
{
    TS_TRY(check_key(ctx, key));
    for (size_t i = 0; i < l->count; i++) {
        if (ts_text_is(key, l->all[i].key)) {
            return ts_fail(ctx, TS_ERR_USAGE, "the label %s was given twice", l->all[i].key);
        }
    }
    if (value.n > TS_FLEET_LABEL_VALUE || l->count == TS_FLEET_LABELS) {
        return ts_fail(ctx, TS_ERR_USAGE, "%.*s: a recording has at most %d labels of %d bytes",
                       (int)key.n, key.p, TS_FLEET_LABELS, TS_FLEET_LABEL_VALUE);
    }
    TS_TRY(ts_copy_text(&l->all[l->count].key, ctx, key.p, key.n));
    l->count++;
    return ts_copy_text(&l->all[l->count - 1].value, ctx, value.p, value.n);
}

ts_code ts_fleet_labels_add(ts_fleet_labels *labels, ts_ctx *ctx, const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "bad label \"%s\": it is KEY=VALUE", text);
    }
    return add(labels, ctx, (ts_text){text, (size_t)(equals - text)}, ts_text_of(equals + 1));
}

void ts_fleet_labels_free(ts_fleet_labels *labels, ts_ctx *ctx)
{
    for (size_t i = 0; i < labels->count; i++) {
        ts_free(ctx, labels->all[i].key);
        ts_free(ctx, labels->all[i].value);
    }
    *labels = (ts_fleet_labels){0};
}

/* --- a file of them --------------------------------------------------------------------------- */

typedef struct reading {
    ts_ctx *ctx;
    ts_fleet_labels *labels;
    ts_buf key, value;
    bool inside; /* the object */
} reading;

static ts_code not_flat(const reading *r)
{
    return ts_fail(r->ctx, TS_ERR_USAGE,
                   "labels are one JSON object whose values are texts, numbers, true or false");
}

static ts_code on_object(void *user)
{
    reading *r = user;
    const bool first = !r->inside;
    r->inside = true;
    return first ? TS_OK : not_flat(r);
}

static ts_code on_end(void *user)
{
    (void)user;
    return TS_OK;
}

static ts_code on_array(void *user, int *want)
{
    (void)want;
    return not_flat(user);
}

static ts_code on_key(void *user, const char *p, size_t n)
{
    reading *r = user;
    r->key.n = 0;
    r->value.n = 0;
    return ts_buf_put(r->ctx, &r->key, p, n);
}

static ts_code take(reading *r, const char *p, size_t n)
{
    return r->inside ? add(r->labels, r->ctx, ts_buf_text(&r->key), (ts_text){p, n}) : not_flat(r);
}

static ts_code on_string(void *user, const char *p, size_t n, unsigned flags)
{
    reading *r = user;
    TS_TRY(ts_buf_put(r->ctx, &r->value, p, n));
    return (flags & TS_JSON_LAST) != 0 ? take(r, r->value.p, r->value.n) : TS_OK;
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    return take(user, number->p, number->n);
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    return kind == TS_JSON_NULL   ? not_flat(user)
           : kind == TS_JSON_TRUE ? take(user, "true", 4)
                                  : take(user, "false", 5);
}

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

static ts_code parse(reading *r, const char *p, size_t n)
{
    ts_json *json = NULL;
    ts_code code = ts_json_new(&json, r->ctx, &handler, r, 0);
    TS_STEP(code, ts_json_feed(json, p, n));
    TS_STEP(code, ts_json_finish(json));
    if (code == TS_OK && ts_json_state(json) != TS_JSON_DONE) {
        code = ts_fail(r->ctx, TS_ERR_USAGE, "no JSON at byte %llu: %s",
                       (unsigned long long)ts_json_position(json), ts_json_reason(json));
    }
    ts_json_free(json);
    return code;
}

ts_code ts_fleet_labels_read(ts_fleet_labels *labels, ts_ctx *ctx, const char *path)
{
    reading r = {.ctx = ctx, .labels = labels};
    char *text = ts_alloc(ctx, FILE_MAX, 1);
    TS_NEED(ctx, text);
    const int fd = ts_sys_open(ctx, path, O_RDONLY | O_CLOEXEC, 0);
    const ssize_t n = fd < 0 ? -1 : ts_sys_read_all(ctx, fd, text, FILE_MAX);
    ts_code code = n < 0           ? ts_fail(ctx, TS_ERR_USAGE, "%s", strerror(errno))
                   : n == FILE_MAX ? ts_fail(ctx, TS_ERR_USAGE, "it is longer than 1 MiB")
                                   : parse(&r, text, (size_t)n);
    if (fd >= 0) {
        (void)ctx->sys.close(ctx->sys.user, fd);
    }
    ts_free(ctx, text);
    ts_buf_free(ctx, &r.key);
    ts_buf_free(ctx, &r.value);
    return code == TS_OK ? TS_OK : ts_cause(ctx, "cannot read the labels: path=\"%s\"", path);
}
