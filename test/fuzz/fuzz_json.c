/*
 * The JSON reader must report the same for every way to cut its input into blocks, and the same
 * numbers whether or not integers come in batches. The first byte of the input chooses
 * how it is cut; the rest is the document.
 */
#include "fuzz.h"

#include "json_events.h"

typedef struct outcome {
    json_events ev;
    ts_json_status status;
    uint64_t position;
    uint64_t depth;
    uint64_t replaced;
    const char *reason;
} outcome;

static void read_document(outcome *out, ts_ctx *ctx, const char *p, size_t n, size_t block,
                          unsigned options, bool want_ints)
{
    memset(out, 0, sizeof *out);
    out->ev.want_ints = want_ints;
    ts_json *js;
    check(ts_json_new(&js, ctx, &json_events_handler, &out->ev, options) == TS_OK);
    json_events_put(&out->ev, "", 0);
    check(json_events_feed(js, p, n, block) == TS_OK);
    out->status = ts_json_state(js);
    out->position = ts_json_position(js);
    out->depth = ts_json_depth(js);
    out->replaced = ts_json_replaced(js);
    out->reason = ts_json_reason(js);
    check(!out->ev.wrong);
    check(out->status != TS_JSON_MORE);
    check((out->status == TS_JSON_BAD) == (out->reason != NULL));
    check(out->status == TS_JSON_BAD ? out->position <= n : out->position == n && out->depth == 0);
    ts_json_free(js);
}

static void compare(const outcome *a, const outcome *b)
{
    check(a->ev.n == b->ev.n && memcmp(a->ev.text, b->ev.text, a->ev.n) == 0);
    check(a->status == b->status);
    check(a->position == b->position);
    check(a->depth == b->depth);
    check(a->replaced == b->replaced);
    check((a->reason == NULL) == (b->reason == NULL));
    check(a->reason == NULL || strcmp(a->reason, b->reason) == 0);
}

/* One way to read the document, and what it must be equal to. */
static void compare_reading(const outcome *whole, ts_ctx *ctx, const char *p, size_t n,
                            size_t block, unsigned options, bool want_ints)
{
    outcome other;
    read_document(&other, ctx, p, n, block, options, want_ints);
    compare(whole, &other);
    free(other.ev.text);
}

/* All ways: for the corpus. While fuzzing, the input chooses some of them. */
static void read_all(ts_ctx *ctx, const char *p, size_t n, uint8_t choice)
{
    const size_t blocks[] = {SIZE_MAX / 2, 1, 2, 3, 7, 8 + (size_t)choice};
#ifdef TS_FUZZ_REPLAY
    const bool all = true;
#else
    const bool all = false;
#endif
    for (unsigned options = 0; options <= TS_JSON_RAW_STRINGS; options++) {
        outcome whole;
        if (!all && options != (choice >> 3 & 1U)) {
            continue;
        }
        read_document(&whole, ctx, p, n, SIZE_MAX / 2, options, false);
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
            bool chosen = i == 0 || i == 1 + (choice & 3U) || i == 5;
            for (unsigned ints = 0; ints < 2 && (all || chosen); ints++) {
                if (all || i == 0 || ints == (choice >> 2 & 1U)) {
                    compare_reading(&whole, ctx, p, n, blocks[i], options, ints != 0);
                }
            }
        }
        free(whole.ev.text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    ts_ctx *ctx = fuzz_ctx_new();
    ctx->limits.json_depth = 100;
    read_all(ctx, (const char *)data + 1, size - 1, data[0]);
    fuzz_ctx_free(ctx);
    return 0;
}
