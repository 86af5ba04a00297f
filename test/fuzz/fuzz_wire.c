/*
 * Both readers of the protobuf wire format must give the same fields and the same fault, however
 * the message is cut into blocks. The first byte of the input chooses a block size; the rest is
 * the message.
 *
 * Options: -max_len=4096
 */
#include "fuzz.h"

#include "wire/wire.h"

/* What was seen, as one number. */
typedef struct seen {
    uint64_t hash;
    const uint8_t *body; /* the fuzzer's bytes are in one piece, so that pieces can be joined */
    size_t body_len;
    uint64_t fields;
} seen;

static void mix_field(seen *s, uint32_t field, const uint8_t *p, size_t n)
{
    mix(&s->hash, field);
    mix(&s->hash, TS_WIRE_BYTES);
    mix_bytes(&s->hash, p, n);
    s->fields++;
}

static ts_code on_number(void *user, uint32_t field, ts_wire_type type, uint64_t value)
{
    seen *s = user;
    mix(&s->hash, field);
    mix(&s->hash, (uint64_t)type);
    mix(&s->hash, value);
    s->fields++;
    return TS_OK;
}

static ts_code on_begin(void *user, uint32_t field, uint64_t n, bool *want)
{
    seen *s = user;
    (void)field;
    (void)n;
    check(*want);
    s->body = NULL;
    s->body_len = 0;
    return TS_OK;
}

static ts_code on_bytes(void *user, uint32_t field, const uint8_t *p, size_t n)
{
    seen *s = user;
    (void)field;
    check(n > 0);
    check(s->body == NULL || s->body + s->body_len == p);
    s->body = s->body == NULL ? p : s->body;
    s->body_len += n;
    return TS_OK;
}

static ts_code on_end(void *user, uint32_t field, bool complete)
{
    seen *s = user;
    if (complete) {
        mix_field(s, field, s->body, s->body_len);
    }
    return TS_OK;
}

/* Fields of one number that come together are those that would come one by one. */
static ts_code on_run(void *user, uint64_t at, uint64_t count, const uint8_t *p, size_t n)
{
    seen *s = user;
    ts_wire w;
    ts_wire_field f;
    (void)at;
    ts_wire_init(&w, p, n);
    for (; ts_wire_next(&f, &w); count--) {
        check(f.number == 1 && f.type == TS_WIRE_BYTES);
        mix_field(s, f.number, f.p, f.n);
    }
    check(w.fault == TS_WIRE_OK && count == 0);
    return TS_OK;
}

static void walk_pushed(seen *s, ts_wire_push *w, const uint8_t *p, size_t n, size_t block)
{
    static const ts_wire_handler handlers[2] = {
        {.number = on_number, .begin = on_begin, .bytes = on_bytes, .end = on_end},
        {.number = on_number,
         .begin = on_begin,
         .bytes = on_bytes,
         .end = on_end,
         .run = on_run,
         .run_field = 1},
    };
    ts_wire_push_init(w, &handlers[block & 1], s, n);
    for (size_t at = 0; at < n;) {
        size_t m = n - at < block ? n - at : block;
        check(ts_wire_push_feed(w, p + at, m) == TS_OK);
        check(ts_wire_push_body(w) <= n - at - m);
        at += m;
    }
    check(ts_wire_push_finish(w) == TS_OK);
}

/* Follows every bytes field as if it were a message, the first of each only. */
static void walk_down(const uint8_t *p, size_t n)
{
    ts_wire w;
    ts_wire_init(&w, p, n);
    for (unsigned i = 0; i <= TS_WIRE_NESTING; i++) {
        ts_wire_field f;
        ts_wire inner;
        do {
            if (!ts_wire_next(&f, &w)) {
                return;
            }
        } while (f.type != TS_WIRE_BYTES);
        ts_wire_enter(&inner, &w, &f);
        w = inner;
    }
    check(w.fault == TS_WIRE_DEPTH);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const uint8_t *p = data + 1;
    size_t n = size - 1;
    const size_t blocks[] = {1, 2, 3, 7, 8 + (size_t)data[0], size};
    seen memory = {0};
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, p, n);
    while (ts_wire_next(&f, &w)) {
        check(f.number > 0 && f.number <= TS_WIRE_FIELD_MAX);
        if (f.type == TS_WIRE_BYTES) {
            check(f.p >= p && f.n <= n && f.p + f.n <= p + n);
            mix_field(&memory, f.number, f.p, f.n);
        } else {
            on_number(&memory, f.number, f.type, f.value);
        }
    }
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        seen pushed = {0};
        ts_wire_push push;
        walk_pushed(&pushed, &push, p, n, blocks[i]);
        check(pushed.hash == memory.hash && pushed.fields == memory.fields);
        check(push.fault == w.fault && push.fault_at == w.fault_at);
    }
    walk_down(p, n);
    return 0;
}
