#include "htrace/plugins/hisysevent/event_json.h"

#include "base/sort.h"

#include <string.h>

/* --- reading ---------------------------------------------------------------------------------- */

/* Appends to texts; where it begins in *at. */
static ts_code keep(uint32_t *at, event_json *e, const char *p, size_t n)
{
    *at = (uint32_t)e->texts.n; /* texts are not longer than the line, but for U+FFFD: 3 times */
    return ts_buf_put(e->ctx, &e->texts, p, n);
}

static ts_code add_value(event_value **out, event_json *e, event_kind kind)
{
    const uint32_t place = (uint32_t)e->values.n;
    event_value *v = ts_vec_add(e->ctx, &e->values, sizeof *v);
    *out = v;
    TS_NEED(e->ctx, v);
    *v = (event_value){.kind = kind,
                       .parent = e->open,
                       .next = EVENT_NONE,
                       .first = EVENT_NONE,
                       .last = EVENT_NONE,
                       .key = e->key,
                       .key_n = e->key_n};
    if (e->open != EVENT_NONE) {
        event_value *values = e->values.p;
        event_value *parent = &values[e->open];
        *(parent->last == EVENT_NONE ? &parent->first : &values[parent->last].next) = place;
        parent->last = place;
    }
    e->key_n = 0;
    return TS_OK;
}

static ts_code open_value(event_json *e, event_kind kind)
{
    event_value *v;
    ts_code code = add_value(&v, e, kind);
    e->open = (uint32_t)e->values.n - 1;
    return code;
}

static ts_code on_object(void *user)
{
    return open_value(user, EVENT_OBJECT);
}

static ts_code on_array(void *user, int *want)
{
    (void)want;
    return open_value(user, EVENT_ARRAY);
}

static ts_code on_end(void *user)
{
    event_json *e = user;
    e->open = event_json_at(e, e->open)->parent;
    return TS_OK;
}

static ts_code on_key(void *user, const char *p, size_t n)
{
    event_json *e = user;
    e->key_n = (uint32_t)n;
    return keep(&e->key, e, p, n);
}

static ts_code on_string(void *user, const char *p, size_t n, unsigned flags)
{
    event_json *e = user;
    event_value *v = e->values.p == NULL ? NULL : (event_value *)e->values.p + e->values.n - 1;
    uint32_t at;
    ts_code code = TS_OK;
    if ((flags & TS_JSON_FIRST) != 0 && (code = add_value(&v, e, EVENT_TEXT)) == TS_OK) {
        v->text = (uint32_t)e->texts.n;
    }
    if (code == TS_OK) {
        v->text_n += (uint32_t)n;
        code = keep(&at, e, p, n);
    }
    return code;
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    event_json *e = user;
    event_value *v;
    TS_TRY(add_value(&v, e, EVENT_NUMBER));
    v->is_int = number->is_int;
    v->i = number->i;
    v->d = number->d;
    v->text_n = (uint32_t)number->n;
    return keep(&v->text, e, number->p, number->n);
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    static const char *const words[] = {"null", "false", "true"};
    event_json *e = user;
    event_value *v;
    TS_TRY(add_value(&v, e, EVENT_LITERAL));
    v->text_n = (uint32_t)strlen(words[kind]);
    return keep(&v->text, e, words[kind], v->text_n);
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

/* --- order of members ------------------------------------------------------------------------- */

static int compare_texts(ts_text a, ts_text b)
{
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

/* By key, and those of one key in the order of the line. */
static int by_key(const void *a, const void *b, void *user)
{
    const event_json *e = user;
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    int order = compare_texts(event_json_key(e, event_json_at(e, x)),
                              event_json_key(e, event_json_at(e, y)));
    return order != 0 ? order : (x > y) - (x < y);
}

static ts_code sort_members(event_json *e, uint32_t object)
{
    event_value *values = e->values.p;
    uint32_t *order;
    uint32_t *link = &values[object].first;
    e->order.n = 0;
    for (uint32_t m = values[object].first; m != EVENT_NONE; m = values[m].next) {
        uint32_t *added = ts_vec_add(e->ctx, &e->order, sizeof *added);
        TS_NEED(e->ctx, added);
        *added = m;
    }
    if (e->order.n == 0) {
        return TS_OK;
    }
    order = e->order.p;
    ts_sort(order, e->order.n, sizeof *order, by_key, e);
    for (size_t k = 0; k < e->order.n; k++) {
        if (k + 1 < e->order.n && compare_texts(event_json_key(e, &values[order[k]]),
                                                event_json_key(e, &values[order[k + 1]])) == 0) {
            continue; /* a later one has the same key */
        }
        *link = order[k];
        link = &values[order[k]].next;
        values[object].last = order[k];
    }
    *link = EVENT_NONE;
    return TS_OK;
}

ts_code event_json_read(const char **reason, uint64_t *at, event_json *e, ts_ctx *ctx,
                        const char *p, size_t n)
{
    ts_code code = TS_OK;
    *reason = NULL;
    *at = 0;
    e->ctx = ctx;
    e->values.n = 0;
    e->texts.n = 0;
    e->open = EVENT_NONE;
    e->key_n = 0;
    if (n > EVENT_LINE_MAX) {
        *reason = "longer than 1 MiB";
        return TS_OK;
    }
    if (e->js == NULL && (code = ts_json_new(&e->js, ctx, &handler, e, 0)) != TS_OK) {
        return code;
    }
    ts_json_reset(e->js);
    TS_TRY_INTO(code, ts_json_feed(e->js, p, n));
    TS_TRY_INTO(code, ts_json_finish(e->js));
    e->replaced = ts_json_replaced(e->js);
    *at = ts_json_position(e->js);
    if (ts_json_state(e->js) != TS_JSON_DONE) {
        *reason = ts_json_state(e->js) == TS_JSON_BAD ? ts_json_reason(e->js) : "it is empty";
        return TS_OK;
    }
    if (event_json_at(e, 0)->kind != EVENT_OBJECT) {
        *reason = "it is not an object";
        return TS_OK;
    }
    for (uint32_t v = 0; code == TS_OK && v < e->values.n; v++) {
        code = event_json_at(e, v)->kind == EVENT_OBJECT ? sort_members(e, v) : TS_OK;
    }
    return code;
}

const event_value *event_json_member(const event_json *e, const char *key)
{
    const event_value *v = event_json_at(e, event_json_at(e, 0)->first);
    while (v != NULL && compare_texts(event_json_key(e, v), ts_text_of(key)) != 0) {
        v = event_json_at(e, v->next);
    }
    return v;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* A scalar, or the beginning of an array or object. */
static void write_begin(ts_jout *j, const event_json *e, const event_value *v)
{
    enum { CUT = 64 }; /* the reader passes on no more of a number */
    const ts_text text = event_json_text(e, v);
    if (v->kind <= EVENT_ARRAY) {
        ts_jout_open(j, NULL, v->kind == EVENT_OBJECT ? '{' : '[');
    } else if (v->kind == EVENT_TEXT) {
        ts_jout_text(j, NULL, text);
    } else if (v->kind == EVENT_NUMBER && text.n >= CUT) {
        ts_jout_printf(j, NULL, "%.17g", v->d);
    } else {
        ts_jout_raw(j, NULL, text);
    }
}

static void write_end(ts_jout *j, const event_value *v)
{
    if (v->kind <= EVENT_ARRAY) {
        ts_jout_close(j, v->kind == EVENT_OBJECT ? '}' : ']');
    }
}

void event_json_write(ts_jout *j, const event_json *e, const event_value *root)
{
    const event_value *v = root;
    write_begin(j, e, v);
    while (j->code == TS_OK) {
        const event_value *next = event_json_at(e, v->first);
        if (next == NULL) {
            /* After it, or after the first array or object around it that goes on. */
            write_end(j, v);
            while (v != root && v->next == EVENT_NONE) {
                v = event_json_at(e, v->parent);
                write_end(j, v);
            }
            if (v == root) {
                return;
            }
            next = event_json_at(e, v->next);
        }
        v = next;
        if (event_json_at(e, v->parent)->kind == EVENT_OBJECT) {
            ts_jout_key(j, event_json_key(e, v));
        }
        write_begin(j, e, v);
    }
}

void event_json_free(event_json *e)
{
    if (e->ctx != NULL) {
        ts_json_free(e->js);
        ts_vec_free(e->ctx, &e->values);
        ts_vec_free(e->ctx, &e->order);
        ts_buf_free(e->ctx, &e->texts);
    }
}
