#include "parsers/proto_kind.h"

bool ts_wire_next_part(ts_wire_field *out, ts_wire *w)
{
    if (w->fault != TS_WIRE_OK || ts_wire_next(out, w)) {
        return w->fault == TS_WIRE_OK;
    }
    if (w->fault != TS_WIRE_LENGTH) {
        return false;
    }
    out->p = w->in.p + w->in.at; /* all but that is set */
    out->n = ts_bytes_left(&w->in);
    return true;
}

/* The first field of a message, which may go on. */
static bool first_field(ts_wire_field *out, const ts_wire_field *message)
{
    ts_wire w;
    ts_wire_init(&w, message->p, message->n);
    return ts_wire_next_part(out, &w);
}

/* Field 1 is a resource, whose attributes begin with a text, or a bundle of events. */
static ts_proto_kind kind_of_first(const ts_wire_field *first)
{
    ts_wire_field one;
    ts_wire_field inner;
    bool attribute = first_field(&one, first) && one.number == 1 && one.type == TS_WIRE_BYTES &&
                     first_field(&inner, &one) && inner.number == 1 && inner.type == TS_WIRE_BYTES;
    return attribute ? TS_PROTO_OTLP : TS_PROTO_UNKNOWN;
}

/* Field 2 is a list of processes and threads, whose field 1 is a number, or one of profiles: field
 * 1 of their instrument is its name, their own are kinds of values. */
static ts_proto_kind kind_of_second(const ts_wire_field *second)
{
    ts_wire w;
    ts_wire inner;
    ts_wire_field one;
    ts_wire_field f;
    ts_wire_init(&w, second->p, second->n);
    while (ts_wire_next_part(&one, &w) && one.number <= 3 && one.type == TS_WIRE_BYTES) {
        ts_wire_init(&inner, one.p, one.n);
        while (one.number < 3 && ts_wire_next_part(&f, &inner)) {
            if (f.number == 1) {
                return f.type == TS_WIRE_VARINT  ? TS_PROTO_PERFETTO
                       : f.type == TS_WIRE_BYTES ? TS_PROTO_OTLP
                                                 : TS_PROTO_UNKNOWN;
            }
        }
    }
    return TS_PROTO_UNKNOWN;
}

/* One message of field 1: a packet of a trace has a time, a sequence or one of many kinds of data,
 * all with numbers from 3 on; profiles of a resource have messages 1 and 2 and a text 3. */
static ts_proto_kind kind_of_message(const uint8_t *p, size_t n)
{
    enum { RESERVED = 1000, LARGEST = 200 };
    ts_wire w;
    ts_wire_field f;
    ts_proto_kind kind = TS_PROTO_UNKNOWN;
    ts_wire_init(&w, p, n);
    while (ts_wire_next_part(&f, &w)) {
        bool bytes = f.type == TS_WIRE_BYTES;
        if (f.number == RESERVED) {
            continue;
        }
        if (f.number > LARGEST || (f.number < 3 && !bytes)) {
            return TS_PROTO_UNKNOWN;
        }
        if (f.number > 3 || (f.number == 3 && !bytes)) {
            return TS_PROTO_PERFETTO;
        }
        if (kind == TS_PROTO_UNKNOWN) {
            kind = f.number == 1 ? kind_of_first(&f) : f.number == 2 ? kind_of_second(&f) : kind;
        }
    }
    return kind;
}

ts_proto_kind ts_proto_kind_of(ts_text head)
{
    enum { MESSAGES = 16 };
    ts_bytes in = {.p = (const uint8_t *)head.p, .n = head.n};
    ts_proto_kind kind = TS_PROTO_UNKNOWN;
    for (int i = 0; i < MESSAGES && kind == TS_PROTO_UNKNOWN && ts_bytes_left(&in) > 0; i++) {
        uint64_t n;
        if (in.p[in.at++] != (1 << 3 | TS_WIRE_BYTES) || !ts_get_varint(&n, &in)) {
            break;
        }
        size_t left = ts_bytes_left(&in);
        left = n < left ? (size_t)n : left;
        kind = kind_of_message(in.p + in.at, left);
        in.at += left;
    }
    return kind;
}
