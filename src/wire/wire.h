/*
 * A bounded reader of the protobuf wire format, for any message.
 *
 * It knows no schema: it hands out fields one by one, in the order of the bytes, and the caller
 * decides what they mean. Padded varints, fields in any order and unknown fields are all fine. What
 * is not fine ends the walk with a fault that says what and where; the fields before it stay valid.
 * Groups (wire types 3 and 4), types 6 and 7, field number 0 and lengths beyond the end are faults.
 *
 * Two forms of the same thing: ts_wire walks a message that is in memory and borrows from it;
 * ts_wire_push is fed a message in pieces of any size and keeps nothing of it.
 */
#ifndef TS_WIRE_WIRE_H
#define TS_WIRE_WIRE_H

#include "base/bytes.h"
#include "base/result.h"

typedef enum ts_wire_type {
    TS_WIRE_VARINT = 0,
    TS_WIRE_FIXED64 = 1,
    TS_WIRE_BYTES = 2,
    TS_WIRE_FIXED32 = 5
} ts_wire_type;

typedef enum ts_wire_fault {
    TS_WIRE_OK = 0,
    TS_WIRE_CUT,    /* the message ends inside a tag or a number */
    TS_WIRE_LENGTH, /* a length reaches beyond the end of the message */
    TS_WIRE_NUMBER, /* a varint of more than 64 bits or 10 bytes */
    TS_WIRE_FIELD,  /* field number 0 or above 2^29 - 1 */
    TS_WIRE_TYPE,   /* wire type 3, 4, 6 or 7 */
    TS_WIRE_DEPTH   /* nested deeper than TS_WIRE_NESTING */
} ts_wire_fault;

enum { TS_WIRE_NESTING = 64, TS_WIRE_FIELD_MAX = (1 << 29) - 1 };

/* What a fault is, for messages ("a length reaches beyond the end"). Static text. */
const char *ts_wire_fault_text(ts_wire_fault fault);

/* --- in memory ------------------------------------------------------------------------------ */

typedef struct ts_wire_field {
    uint32_t number;
    ts_wire_type type;
    uint64_t value;   /* varint or fixed; for bytes their number */
    const uint8_t *p; /* bytes: borrowed from the message */
    size_t n;
    size_t at; /* of the tag */
} ts_wire_field;

typedef struct ts_wire {
    ts_bytes in;
    ts_wire_fault fault;
    size_t fault_at; /* of the tag of the field that is damaged */
    unsigned depth;
} ts_wire;

/* Begins a walk of p[0..n). */
void ts_wire_init(ts_wire *w, const uint8_t *p, size_t n);

/* The next field; false at the end and at a fault (w->fault distinguishes them). */
bool ts_wire_next(ts_wire_field *out, ts_wire *w);

/* Begins a walk of the message that is nested in a bytes field. Its fault is TS_WIRE_DEPTH from the
 * beginning when it lies deeper than TS_WIRE_NESTING. */
void ts_wire_enter(ts_wire *inner, const ts_wire *outer, const ts_wire_field *field);

/*
 * The next number of a packed list (w walks the bytes of the field); false at its end and at a
 * fault (w->fault distinguishes them).
 */
static inline bool ts_wire_packed(uint64_t *v, ts_wire *w)
{
    if (w->fault != TS_WIRE_OK || ts_bytes_left(&w->in) == 0) {
        return false;
    }
    if (w->in.p[w->in.at] < 0x80) { /* most of them */
        *v = w->in.p[w->in.at++];
        return true;
    }
    if (ts_bytes_left(&w->in) > 1 && w->in.p[w->in.at + 1] < 0x80) {
        *v = (uint64_t)(w->in.p[w->in.at] & 0x7F) | (uint64_t)w->in.p[w->in.at + 1] << 7;
        w->in.at += 2;
        return true;
    }
    if (ts_get_varint(v, &w->in)) {
        return true;
    }
    w->fault = ts_bytes_left(&w->in) < 10 ? TS_WIRE_CUT : TS_WIRE_NUMBER;
    w->fault_at = w->in.at;
    return false;
}

/* All numbers of a packed list, up to its end or a fault, into `out`, which has room for one a byte
 * of the list. Returns how many there are. */
size_t ts_wire_packed_all(uint64_t *out, ts_wire *w);

/* --- pushed --------------------------------------------------------------------------------- */

/* What a pushed walk calls. NULL members are skipped; each may stop the walk with a code. */
typedef struct ts_wire_handler {
    /* A varint, or the bits of a fixed number. */
    ts_code (*number)(void *user, uint32_t field, ts_wire_type type, uint64_t value);
    /* A bytes field of n bytes begins; *want is true: set it to false to let the bytes pass unseen.
     * n may reach beyond the end of the message: what there is comes, then `end` says it was cut.
     */
    ts_code (*begin)(void *user, uint32_t field, uint64_t n, bool *want);
    /* Consecutive bytes of it, n > 0. */
    ts_code (*bytes)(void *user, uint32_t field, const uint8_t *p, size_t n);
    /* Its end, wanted or not; complete is false when the message ended inside. */
    ts_code (*end)(void *user, uint32_t field, bool complete);
    /* Bytes fields of the number run_field (1 to 15) that follow each other and are whole in what
     * was fed, each shorter than 2 MiB: `count` of them, n bytes with tags and lengths, the first
     * tag at offset `at`. Instead of the calls above; which fields come so depends on the pieces
     * that are fed. */
    ts_code (*run)(void *user, uint64_t at, uint64_t count, const uint8_t *p, size_t n);
    uint32_t run_field; /* 0: none */
} ts_wire_handler;

typedef struct ts_wire_push {
    const ts_wire_handler *handler; /* borrowed */
    void *user;
    uint64_t size; /* of the whole message */
    uint64_t at;   /* bytes seen */
    uint64_t body; /* bytes that are left of the current bytes field */
    uint64_t tag_at;
    uint64_t value;
    uint32_t field;
    uint8_t type;
    uint8_t state;
    uint8_t count; /* bytes of the current varint or fixed number */
    bool want;
    bool over; /* the current bytes field reaches beyond the end */
    ts_wire_fault fault;
    uint64_t fault_at;
} ts_wire_push;

/* Begins a walk of a message of `size` bytes. */
void ts_wire_push_init(ts_wire_push *w, const ts_wire_handler *handler, void *user, uint64_t size);

/* Its next n bytes; bytes beyond `size` and after a fault are ignored. Only codes of the handler.
 */
ts_code ts_wire_push_feed(ts_wire_push *w, const uint8_t *p, size_t n);

/*
 * The message ends here. When fewer than `size` bytes came, or they end inside a field, w->fault is
 * set: TS_WIRE_CUT, or TS_WIRE_LENGTH inside a bytes field.
 */
ts_code ts_wire_push_finish(ts_wire_push *w);

/* Bytes that follow next and are only passed over: they may be left out with ts_wire_push_skip. */
uint64_t ts_wire_push_unseen(const ts_wire_push *w);

/* Bytes that are left of the current bytes field, wanted or not; 0 outside of one. */
uint64_t ts_wire_push_body(const ts_wire_push *w);

/* Moves on by n bytes that are not looked at; n is at most ts_wire_push_body, or, after a fault,
 * anything. Calls `end` when the field is complete. */
ts_code ts_wire_push_skip(ts_wire_push *w, uint64_t n);

#endif
