/*
 * The bytes are the text of an allocation timeline that comes in chunks of sizes chosen by the
 * input, between its two marks. The rows must not depend on where the chunks end, unless the text
 * is damaged: then a chunk that looks like a new beginning is taken for one.
 *
 * Seeds: test/data/tiny test/data/spec_g
 */
#include "import_check.h"

#include "heap_tables.h"

/* type 1, every 1 s, numbers, allocation stacks */
static const uint8_t config[] = {0x08, 0x07, 0x10, 0x01, 0x18, 0x01, 0x20, 0x01, 0x28, 0x01};

/* `sizes` seeds the sizes of the chunks, `cuts` those of the blocks in which messages are fed. */
static void recording(fuzz_run *r, const uint8_t *p, size_t n, uint64_t sizes, uint64_t cuts)
{
    ts_session *s = fuzz_session_begin(r);
    uint64_t state = sizes;
    r->code = ts_session_config(s, config, sizeof config, 0, false);
    fuzz_send_mark(r, s, '1', 1);
    for (size_t at = 0; at < n;) {
        size_t m = draw_block(&state, sizes == 0, n - at);
        fuzz_send_chunk(r, s, p + at, m, cuts, 2 + (int64_t)at);
        at += m;
    }
    fuzz_send_mark(r, s, '2', 3 + (int64_t)n);
    fuzz_session_end(r, s);
    check(r->code == TS_OK);
}

static void blocks(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    recording(r, p, n, n * 2 + 1, cuts);
}

static void one_chunk(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    recording(r, p, n, 0, cuts);
}

static void other_chunks(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    recording(r, p, n, cuts * 2 + 1, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run whole;
    fuzz_run other;
    fuzz_run_both(&whole, blocks, data, size);
    if (whole.sink.issues == 0) {
        fuzz_run_one(&other, NULL, one_chunk, data, size, 0);
        fuzz_check_tables(&whole, &other, heap_tables, HEAP_TABLES);
        fuzz_run_free(&other);
        fuzz_run_one(&other, NULL, other_chunks, data, size, size);
        fuzz_check_tables(&whole, &other, heap_tables, HEAP_TABLES);
        fuzz_run_free(&other);
    }
    fuzz_run_free(&whole);
    return 0;
}
