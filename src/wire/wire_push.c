#include "wire/wire.h"

enum { ST_TAG, ST_NUMBER, ST_FIXED, ST_LENGTH, ST_BODY, ST_STOP };

void ts_wire_push_init(ts_wire_push *w, const ts_wire_handler *handler, void *user, uint64_t size)
{
    *w = (ts_wire_push){.handler = handler, .user = user, .size = size, .state = ST_TAG};
}

static void push_stop(ts_wire_push *w, ts_wire_fault fault)
{
    w->fault = fault;
    w->fault_at = w->tag_at;
    w->state = ST_STOP;
}

static ts_code give_number(ts_wire_push *w)
{
    w->state = ST_TAG;
    w->count = 0;
    if (w->handler->number == NULL) {
        return TS_OK;
    }
    return w->handler->number(w->user, w->field, (ts_wire_type)w->type, w->value);
}

static ts_code end_body(ts_wire_push *w, bool complete)
{
    w->state = ST_TAG;
    if (!complete) {
        push_stop(w, TS_WIRE_LENGTH);
    }
    return w->handler->end == NULL ? TS_OK : w->handler->end(w->user, w->field, complete);
}

static ts_code begin_body(ts_wire_push *w)
{
    ts_code code = TS_OK;
    uint64_t rest = w->size - w->at;
    w->state = ST_BODY;
    w->count = 0;
    w->want = true;
    w->over = w->value > rest;
    w->body = w->over ? rest : w->value;
    if (w->handler->begin != NULL) {
        code = w->handler->begin(w->user, w->field, w->value, &w->want);
    }
    TS_STEP_IF(code, w->body == 0, end_body(w, !w->over));
    return code;
}

static ts_code take_tag(ts_wire_push *w)
{
    uint64_t number = w->value >> 3;
    w->count = 0;
    if (number == 0 || number > TS_WIRE_FIELD_MAX) {
        push_stop(w, TS_WIRE_FIELD);
        return TS_OK;
    }
    w->field = (uint32_t)number;
    w->type = (uint8_t)(w->value & 7);
    switch (w->type) {
    case TS_WIRE_VARINT:
        w->state = ST_NUMBER;
        break;
    case TS_WIRE_FIXED64:
    case TS_WIRE_FIXED32:
        w->state = ST_FIXED;
        w->value = 0;
        break;
    case TS_WIRE_BYTES:
        w->state = ST_LENGTH;
        break;
    default:
        push_stop(w, TS_WIRE_TYPE);
    }
    return TS_OK;
}

static ts_code take_varint_byte(ts_wire_push *w, uint8_t byte)
{
    if (w->count == 0) {
        w->value = 0;
    }
    if (w->count == 9 && byte > 1) {
        push_stop(w, TS_WIRE_NUMBER);
        return TS_OK;
    }
    w->value |= (uint64_t)(byte & 0x7f) << (7 * w->count);
    w->count++;
    if (byte >= 0x80) {
        return TS_OK;
    }
    switch (w->state) {
    case ST_TAG:
        return take_tag(w);
    case ST_LENGTH:
        return begin_body(w);
    default:
        return give_number(w);
    }
}

static ts_code take_fixed_byte(ts_wire_push *w, uint8_t byte)
{
    w->value |= (uint64_t)byte << (8 * w->count);
    w->count++;
    return w->count == (w->type == TS_WIRE_FIXED64 ? 8 : 4) ? give_number(w) : TS_OK;
}

ts_code ts_wire_push_skip(ts_wire_push *w, uint64_t n)
{
    w->at += n;
    if (w->state == ST_BODY) {
        w->body -= n;
        if (w->body == 0) {
            return end_body(w, !w->over);
        }
    }
    return TS_OK;
}

/* Hands on what p holds of the current bytes field. */
static ts_code take_body(size_t *used, ts_wire_push *w, const uint8_t *p, size_t n)
{
    ts_code code = TS_OK;
    *used = n < w->body ? n : (size_t)w->body;
    if (w->want && w->handler->bytes != NULL) {
        code = w->handler->bytes(w->user, w->field, p, *used);
    }
    if (code != TS_OK) {
        return code;
    }
    return ts_wire_push_skip(w, *used);
}

/* The size of tag and length of a bytes field with this tag, and *n of what follows; 0: it is
 * another field, or its length has more than 3 bytes or is not there whole. */
static size_t field_head(size_t *body, uint8_t tag, const uint8_t *p, size_t n)
{
    if (n < 4 || p[0] != tag) {
        return 0;
    }
    *body = p[1] & 0x7f;
    if (p[1] < 0x80) {
        return 2;
    }
    *body |= (size_t)(p[2] & 0x7f) << 7;
    if (p[2] < 0x80) {
        return 3;
    }
    *body |= (size_t)(p[3] & 0x7f) << 14;
    return p[3] < 0x80 ? 4 : 0;
}

/* Whole fields of the number that may come so, from a tag on; *used is 0 when there are none. */
static ts_code take_run(size_t *used, ts_wire_push *w, const uint8_t *p, size_t n)
{
    uint8_t tag = (uint8_t)(w->handler->run_field << 3 | TS_WIRE_BYTES);
    uint64_t count = 0;
    size_t at = 0;
    size_t body = 0;
    size_t head;
    while ((head = field_head(&body, tag, p + at, n - at)) > 0 && body <= n - at - head) {
        at += head + body;
        count++;
    }
    *used = at;
    if (at == 0) {
        return TS_OK;
    }
    w->at += at;
    return w->handler->run(w->user, w->at - at, count, p, at);
}

/* What begins with a tag, or goes on in one or a number: *used bytes. */
static ts_code take_head(size_t *used, ts_wire_push *w, const uint8_t *p, size_t n)
{
    ts_code code = TS_OK;
    *used = 0;
    if (w->state == ST_TAG && w->count == 0) {
        if (w->handler->run != NULL) {
            code = take_run(used, w, p, n);
        }
        if (code != TS_OK || *used > 0) {
            return code;
        }
        w->tag_at = w->at;
    }
    w->at++;
    *used = 1;
    return w->state == ST_FIXED ? take_fixed_byte(w, p[0]) : take_varint_byte(w, p[0]);
}

ts_code ts_wire_push_feed(ts_wire_push *w, const uint8_t *p, size_t n)
{
    ts_code code = TS_OK;
    size_t at = 0;
    if (n > w->size - w->at) {
        n = (size_t)(w->size - w->at);
    }
    while (at < n && code == TS_OK) {
        size_t used = 0;
        if (w->state == ST_STOP) {
            used = n - at;
            w->at += used;
        } else if (w->state == ST_BODY) {
            code = take_body(&used, w, p + at, n - at);
        } else {
            code = take_head(&used, w, p + at, n - at);
        }
        at += used;
    }
    return code;
}

ts_code ts_wire_push_finish(ts_wire_push *w)
{
    if (w->state == ST_STOP) {
        return TS_OK;
    }
    if (w->state == ST_BODY) {
        return end_body(w, false);
    }
    if (w->state != ST_TAG || w->count > 0) {
        push_stop(w, TS_WIRE_CUT);
    } else if (w->at < w->size) {
        w->tag_at = w->at;
        push_stop(w, TS_WIRE_CUT);
    }
    return TS_OK;
}

uint64_t ts_wire_push_body(const ts_wire_push *w)
{
    return w->state == ST_BODY ? w->body : 0;
}

uint64_t ts_wire_push_unseen(const ts_wire_push *w)
{
    if (w->state == ST_STOP) {
        return w->size - w->at;
    }
    return w->state == ST_BODY && !w->want ? w->body : 0;
}
