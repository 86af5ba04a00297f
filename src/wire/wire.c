#include "wire/wire.h"

#include <endian.h>
#include <string.h>

const char *ts_wire_fault_text(ts_wire_fault fault)
{
    switch (fault) {
    case TS_WIRE_OK:
        return "there is no fault";
    case TS_WIRE_CUT:
        return "the message ends inside a tag or number";
    case TS_WIRE_LENGTH:
        return "a field reaches beyond the end of the message";
    case TS_WIRE_NUMBER:
        return "a number has more than 64 bits";
    case TS_WIRE_FIELD:
        return "a field number is out of range";
    case TS_WIRE_TYPE:
        return "a wire type is not supported";
    case TS_WIRE_DEPTH:
        return "messages are nested too deep";
    }
    return "damaged";
}

void ts_wire_init(ts_wire *w, const uint8_t *p, size_t n)
{
    *w = (ts_wire){.in = {.p = p, .n = n}};
}

void ts_wire_enter(ts_wire *inner, const ts_wire *outer, const ts_wire_field *field)
{
    ts_wire_init(inner, field->p, field->n);
    inner->depth = outer->depth + 1;
    if (inner->depth > TS_WIRE_NESTING) {
        inner->fault = TS_WIRE_DEPTH;
    }
}

static bool fail(ts_wire *w, ts_wire_fault fault, size_t at)
{
    w->fault = fault;
    w->fault_at = at;
    return false;
}

/* A varint that cannot be read either runs into the end or is too long. */
static bool get_varint(uint64_t *out, ts_wire *w, size_t at)
{
    if (ts_get_varint(out, &w->in)) {
        return true;
    }
    return fail(w, ts_bytes_left(&w->in) < 10 ? TS_WIRE_CUT : TS_WIRE_NUMBER, at);
}

static bool get_body(ts_wire_field *out, ts_wire *w, size_t at)
{
    uint32_t small;
    switch (out->type) {
    case TS_WIRE_VARINT:
        return get_varint(&out->value, w, at);
    case TS_WIRE_FIXED64:
        return ts_get_u64le(&out->value, &w->in) || fail(w, TS_WIRE_CUT, at);
    case TS_WIRE_FIXED32:
        if (!ts_get_u32le(&small, &w->in)) {
            return fail(w, TS_WIRE_CUT, at);
        }
        out->value = small;
        return true;
    case TS_WIRE_BYTES:
        if (!get_varint(&out->value, w, at)) {
            return false;
        }
        if (out->value > ts_bytes_left(&w->in)) {
            return fail(w, TS_WIRE_LENGTH, at);
        }
        out->n = (size_t)out->value;
        return ts_get_span(&out->p, &w->in, out->n);
    }
    return fail(w, TS_WIRE_TYPE, at);
}

/* Most fields have a tag of one byte, and so has their number or length. */
static bool take_small(ts_wire_field *out, ts_wire *w, size_t at)
{
    const uint8_t *p = w->in.p + at;
    size_t n = p[1];
    if (p[0] >= 0x80 || p[0] < 8 || n >= 0x80) {
        return false;
    }
    if ((p[0] & 7) == TS_WIRE_VARINT) {
        *out = (ts_wire_field){p[0] >> 3, TS_WIRE_VARINT, n, NULL, 0, at};
        w->in.at = at + 2;
        return true;
    }
    if ((p[0] & 7) != TS_WIRE_BYTES || n > ts_bytes_left(&w->in) - 2) {
        return false;
    }
    *out = (ts_wire_field){p[0] >> 3, TS_WIRE_BYTES, n, p + 2, n, at};
    w->in.at = at + 2 + n;
    return true;
}

bool ts_wire_next(ts_wire_field *out, ts_wire *w)
{
    uint64_t tag;
    size_t at = w->in.at;
    if (w->fault != TS_WIRE_OK || ts_bytes_left(&w->in) == 0) {
        return false;
    }
    if (ts_bytes_left(&w->in) >= 2 && take_small(out, w, at)) {
        return true;
    }
    if (!get_varint(&tag, w, at)) {
        return false;
    }
    if (tag >> 3 == 0 || tag >> 3 > TS_WIRE_FIELD_MAX) {
        return fail(w, TS_WIRE_FIELD, at);
    }
    *out =
        (ts_wire_field){.number = (uint32_t)(tag >> 3), .type = (ts_wire_type)(tag & 7), .at = at};
    return get_body(out, w, at);
}

/* Numbers of one byte or of two, which most lists are made of, eight bytes at a time; others one by
 * one. */
size_t ts_wire_packed_all(uint64_t *out, ts_wire *w)
{
    static const uint64_t more = UINT64_C(0x8080808080808080); /* these bytes are not the last */
    static const uint64_t two = UINT64_C(0x0080008000800080);
    size_t n = 0;
    do {
        const uint8_t *p = w->in.p + w->in.at;
        const uint8_t *end = w->in.p + w->in.n;
        uint64_t word;
        while (end - p >= (ptrdiff_t)sizeof word && w->fault == TS_WIRE_OK) {
            memcpy(&word, p, sizeof word);
            word = le64toh(word);
            if ((word & more) == 0) {
                for (unsigned i = 0; i < 8; i++) {
                    out[n + i] = word >> 8 * i & 0x7F;
                }
                n += 8;
            } else if ((word & more) == two) {
                word = (word & UINT64_C(0x007F007F007F007F)) |
                       (word >> 1 & UINT64_C(0x3F803F803F803F80));
                for (unsigned i = 0; i < 4; i++) {
                    out[n + i] = word >> 16 * i & 0x3FFF;
                }
                n += 4;
            } else {
                break;
            }
            p += sizeof word;
        }
        w->in.at = (size_t)(p - w->in.p);
    } while (ts_wire_packed(&out[n], w) && ++n > 0);
    return n;
}
