/*
 * The JSON reader must report the same for every way to cut its input into blocks, and the same
 * numbers whether or not integers come in batches. The first byte of the input chooses a block
 * size; the rest is the document.
 */
#include "../unit/json_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct outcome {
    json_events ev;
    ts_json_status status;
    uint64_t position;
    uint64_t depth;
    uint64_t replaced;
    const char *reason;
} outcome;

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const char *p = (const char *)data + 1;
    size_t n = size - 1;
    const size_t blocks[] = {SIZE_MAX / 2, 1, 2, 3, 7, 8 + (size_t)data[0]};
    ts_ctx *ctx = malloc(sizeof *ctx);
    check(ctx != NULL);
    ts_ctx_init(ctx);
    ctx->limits.json_depth = 100;
    for (unsigned options = 0; options <= TS_JSON_RAW_STRINGS; options++) {
        outcome whole;
        read_document(&whole, ctx, p, n, SIZE_MAX / 2, options, false);
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
            for (int want_ints = 0; want_ints < 2; want_ints++) {
                outcome other;
                read_document(&other, ctx, p, n, blocks[i], options, want_ints != 0);
                compare(&whole, &other);
                free(other.ev.text);
            }
        }
        free(whole.ev.text);
    }
    check(ctx->memory_used == 0);
    free(ctx);
    return 0;
}
