/* Checks a document in all block sizes and with both ways to get integers. For the test_json_*.c.
 */
#ifndef TEST_JSON_CHECK_H
#define TEST_JSON_CHECK_H

#include "support.h"
#include "json_events.h"

/* What a document gives. A text in `in` of length n; n == 0 means strlen(in). */
typedef struct json_case {
    const char *in;
    size_t n;
    const char *events;
    const char *reason; /* NULL: the document is accepted */
    uint64_t position;  /* when it is not */
    uint64_t replaced;
} json_case;

static inline void json_check_once(ts_ctx *ctx, const json_case *c, size_t block, unsigned options,
                                   bool want_ints)
{
    size_t n = c->n == 0 ? strlen(c->in) : c->n;
    json_events ev = {.want_ints = want_ints};
    ts_json *js;
    assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, options));
    assert_ok(ctx, json_events_feed(js, c->in, n, block));
    const char *got = ev.text == NULL ? "" : ev.text;
    const char *reason = ts_json_reason(js);
    uint64_t position = c->reason == NULL ? n : c->position;
    if (strcmp(got, c->events) != 0 || ts_json_position(js) != position ||
        strcmp(reason == NULL ? "" : reason, c->reason == NULL ? "" : c->reason) != 0) {
        print_error(
            "input  %.200s (%zu bytes, block %zu, ints %d)\nevents %.2000s\nwanted %.2000s\n"
            "at %" PRIu64 ": %s; wanted at %" PRIu64 ": %s\n",
            c->in, n, block, want_ints, got, c->events, ts_json_position(js),
            reason == NULL ? "accepted" : reason, position,
            c->reason == NULL ? "accepted" : c->reason);
        fail();
    }
    assert_int_equal(ts_json_state(js), c->reason == NULL ? TS_JSON_DONE : TS_JSON_BAD);
    assert_int_equal(ts_json_replaced(js), c->replaced);
    assert_false(ev.wrong);
    ts_json_free(js);
    free(ev.text);
}

static inline void json_check(ts_ctx *ctx, const json_case *c, unsigned options)
{
    static const size_t blocks[] = {1, 2, 3, 7, 4096, SIZE_MAX / 2};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        json_check_once(ctx, c, blocks[i], options, false);
        json_check_once(ctx, c, blocks[i], options, true);
    }
}

static inline void json_check_all(const json_case *cases, size_t n, unsigned options)
{
    ts_ctx *ctx = test_ctx_new();
    for (size_t i = 0; i < n; i++) {
        json_check(ctx, &cases[i], options);
    }
    test_ctx_free(ctx);
}

#endif
