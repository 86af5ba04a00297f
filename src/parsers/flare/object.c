/*
 * The thread object, which the summary holds one of for each thread and which is the payload of a
 * stack record. The first collectors wrote the ids alone, as an array of the Redis protocol.
 */
#include "parsers/flare/sample_directory.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <stddef.h>
#include <string.h>

void flare_object_clear(flare_object *o)
{
    o->has = 0;
    o->field = 0;
    o->number = NULL;
    o->bad_frame = false;
    o->priority = 0;
    o->daemon = 0;
    o->sample_count = 1; /* collectors before November 2019 did not number the records */
    o->name.n = 0;
    o->state.n = 0;
    o->frame_count = 0;
}

void flare_object_free(flare_object *o)
{
    if (o->ctx != NULL) {
        ts_buf_free(o->ctx, &o->name);
        ts_buf_free(o->ctx, &o->state);
        ts_free(o->ctx, o->frames);
    }
}

void flare_object_key(flare_object *o, const char *p, size_t n)
{
    /* clang-format off */
    static const struct {
        const char *name;
        size_t n;
        unsigned field;
        size_t number; /* 0: it is none */
    } keys[] = {
#define KEY(text, field, number) {text, sizeof text - 1, field, number}
        KEY("id", FLARE_HAS_ID, offsetof(flare_object, id)),
        KEY("name", FLARE_HAS_NAME, 0),
        KEY("priority", FLARE_HAS_PRIORITY, offsetof(flare_object, priority)),
        KEY("daemon", FLARE_HAS_DAEMON, 0),
        KEY("state", FLARE_HAS_STATE, 0),
        KEY("cpu_time", FLARE_HAS_CPU, offsetof(flare_object, cpu_time)),
        KEY("cpu_time_delta", FLARE_HAS_DELTA, offsetof(flare_object, cpu_time_delta)),
        KEY("sample_time", FLARE_HAS_TIME, offsetof(flare_object, sample_time)),
        KEY("sample_count", FLARE_HAS_COUNT, offsetof(flare_object, sample_count)),
        KEY("stacktrace", FLARE_HAS_STACK, 0),
#undef KEY
    };
    /* clang-format on */
    o->field = 0;
    o->number = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].n == n && memcmp(keys[i].name, p, n) == 0) {
            size_t at = keys[i].number;
            o->field = keys[i].field;
            o->number = at == 0 ? NULL : (int64_t *)(void *)((char *)o + at);
            return;
        }
    }
}

ts_code flare_object_string(flare_object *o, const char *p, size_t n, unsigned flags)
{
    ts_buf *to = o->field == FLARE_HAS_NAME    ? &o->name
                 : o->field == FLARE_HAS_STATE ? &o->state
                                               : NULL;
    if (to == NULL) {
        return TS_OK;
    }
    if ((flags & TS_JSON_FIRST) != 0) {
        to->n = 0;
    }
    o->has |= o->field;
    return ts_buf_put(o->ctx, to, p, n);
}

void flare_object_number(flare_object *o, const ts_json_number *number)
{
    if (o->number != NULL && number->is_int) {
        *o->number = number->i;
        o->has |= o->field;
    }
}

void flare_object_literal(flare_object *o, ts_json_kind kind)
{
    if (o->field == FLARE_HAS_DAEMON && kind != TS_JSON_NULL) {
        o->daemon = kind == TS_JSON_TRUE;
        o->has |= FLARE_HAS_DAEMON;
    }
}

bool flare_object_array(flare_object *o)
{
    if (o->field != FLARE_HAS_STACK) {
        return false;
    }
    o->has |= FLARE_HAS_STACK;
    o->frame_count = 0;
    return true;
}

static ts_code take_ints(flare_object *o, const int64_t *v, size_t n)
{
    if (o->frame_cap - o->frame_count < n) {
        size_t cap;
        int64_t *frames;
        if (ts_ckd_add(&cap, o->frame_count, n) || ts_ckd_mul(&cap, cap, (size_t)2)) {
            return ts_fail(o->ctx, TS_ERR_LIMIT, "a stack has too many frames");
        }
        TS_NEED(o->ctx, frames = ts_realloc(o->ctx, o->frames, cap, sizeof *frames));
        o->frames = frames;
        o->frame_cap = cap;
    }
    memcpy(o->frames + o->frame_count, v, n * sizeof *v);
    o->frame_count += n;
    return TS_OK;
}

/* --- JSON ----------------------------------------------------------------------------------- */

static ts_code payload_open(void *user)
{
    flare_payloads *p = user;
    p->object.bad_frame = p->object.bad_frame || p->stack_depth != 0;
    p->depth++;
    return TS_OK;
}

static ts_code payload_close(void *user)
{
    flare_payloads *p = user;
    p->depth--;
    return TS_OK;
}

static ts_code payload_array_begin(void *user, int *want)
{
    flare_payloads *p = user;
    if (p->depth == 1 && flare_object_array(&p->object)) {
        *want = TS_JSON_WANT_INTS;
        p->stack_depth = 2;
        p->depth++;
        return TS_OK;
    }
    return payload_open(p);
}

static ts_code payload_array_end(void *user)
{
    flare_payloads *p = user;
    p->stack_depth = p->depth == p->stack_depth ? 0 : p->stack_depth;
    p->depth--;
    return TS_OK;
}

static ts_code payload_key(void *user, const char *key, size_t n)
{
    flare_payloads *p = user;
    if (p->depth == 1) {
        flare_object_key(&p->object, key, n);
    }
    return TS_OK;
}

static ts_code payload_string(void *user, const char *s, size_t n, unsigned flags)
{
    flare_payloads *p = user;
    p->object.bad_frame = p->object.bad_frame || p->stack_depth != 0;
    return p->depth == 1 ? flare_object_string(&p->object, s, n, flags) : TS_OK;
}

static ts_code payload_number(void *user, const ts_json_number *number)
{
    flare_payloads *p = user;
    if (p->depth == 1) {
        flare_object_number(&p->object, number);
    } else if (p->depth == p->stack_depth) {
        if (number->is_int) {
            return take_ints(&p->object, &number->i, 1);
        }
        p->object.bad_frame = true;
    }
    return TS_OK;
}

static ts_code payload_literal(void *user, ts_json_kind kind)
{
    flare_payloads *p = user;
    if (p->stack_depth != 0) {
        p->object.bad_frame = true;
    } else if (p->depth == 1) {
        flare_object_literal(&p->object, kind);
    }
    return TS_OK;
}

static ts_code payload_ints(void *user, const int64_t *v, size_t n)
{
    flare_payloads *p = user;
    return p->depth == p->stack_depth ? take_ints(&p->object, v, n) : TS_OK;
}

static const ts_json_handler payload_handler = {
    .object_begin = payload_open,
    .object_end = payload_close,
    .array_begin = payload_array_begin,
    .array_end = payload_array_end,
    .key = payload_key,
    .string = payload_string,
    .number = payload_number,
    .literal = payload_literal,
    .ints = payload_ints,
};

ts_code flare_payloads_open(flare_payloads *p, ts_ctx *ctx)
{
    *p = (flare_payloads){.object.ctx = ctx};
    return ts_json_new(&p->json, ctx, &payload_handler, p, 0);
}

void flare_payloads_close(flare_payloads *p)
{
    ts_json_free(p->json);
    flare_object_free(&p->object);
    *p = (flare_payloads){0};
}

static ts_code read_json(const char **why, flare_payloads *p, const uint8_t *bytes, size_t n)
{
    const flare_object *o = &p->object;
    p->depth = 0;
    p->stack_depth = 0;
    ts_json_reset(p->json);
    TS_TRY(ts_json_feed(p->json, (const char *)bytes, n));
    TS_TRY(ts_json_finish(p->json));
    *why = ts_json_state(p->json) != TS_JSON_DONE  ? ts_json_reason(p->json)
           : !flare_object_has(o, FLARE_HAS_TIME)  ? "sample_time is missing"
           : !flare_object_has(o, FLARE_HAS_STACK) ? "stacktrace is missing"
           : o->bad_frame                          ? "a method id is not an integer"
                                                   : NULL;
    return TS_OK;
}

/* --- Redis protocol ------------------------------------------------------------------------- */

/* <mark><integer>\r\n */
static bool take_line(int64_t *value, const uint8_t **p, const uint8_t *end, char mark)
{
    const uint8_t *at = *p;
    int64_t v = 0;
    if (at == end || *at++ != (uint8_t)mark) {
        return false;
    }
    bool negative = at < end && *at == '-';
    at += negative;
    if (at == end || *at < '0' || *at > '9') {
        return false;
    }
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        int64_t digit = *at - '0';
        if (ts_ckd_mul(&v, v, INT64_C(10)) || ts_ckd_add(&v, v, negative ? -digit : digit)) {
            return false;
        }
    }
    if (end - at < 2 || at[0] != '\r' || at[1] != '\n') {
        return false;
    }
    *p = at + 2;
    *value = v;
    return true;
}

static ts_code read_resp(const char **why, flare_payloads *p, const uint8_t *bytes, size_t n)
{
    const uint8_t *end = bytes + n;
    int64_t count;
    int64_t id;
    if (!take_line(&count, &bytes, end, '*') || count < 0) {
        *why = "not an array of the Redis protocol";
        return TS_OK;
    }
    p->object.has = FLARE_HAS_STACK;
    while (take_line(&id, &bytes, end, ':')) {
        TS_TRY(take_ints(&p->object, &id, 1));
    }
    *why = bytes != end                               ? "an element is not an integer"
           : (uint64_t)count != p->object.frame_count ? "the number of elements is wrong"
                                                      : NULL;
    return TS_OK;
}

ts_code flare_payload_read(const char **why, flare_payloads *p, const uint8_t *bytes, size_t n)
{
    flare_object_clear(&p->object);
    if (n > 0 && bytes[0] == '{') {
        return read_json(why, p, bytes, n);
    }
    if (n > 0 && bytes[0] == '*') {
        return read_resp(why, p, bytes, n);
    }
    *why = n == 0 ? "the record is empty" : "neither JSON nor an array of the Redis protocol";
    return TS_OK;
}
