/*
 * The bytes are a bare heap snapshot (or timeline). See import_check.h for what must hold. If the
 * file has nothing to complain about, the same text must give the same rows inside a recording: as
 * one chunk, in chunks that end anywhere, and as an object.
 *
 * Seeds: test/data/tiny test/data/spec_g
 */
#include "import_check.h"

#include "heap_tables.h"

static void bare(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_heapsnapshot, p, n, cuts);
    check(r->code == TS_OK);
}

static void chunks(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    ts_session *s = fuzz_session_begin(r);
    uint64_t state = cuts;
    for (size_t at = 0; at < n;) {
        size_t m = draw_block(&state, cuts == 0, n - at);
        fuzz_send_chunk(r, s, p + at, m, cuts, (int64_t)at);
        at += m;
    }
    fuzz_send_mark(r, s, '1', (int64_t)n);
    fuzz_session_end(r, s);
    check(r->code == TS_OK);
}

static void object(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_text t = fuzz_wrap("{\"params\":{\"chunk\":", p, n, "}}");
    ts_session *s = fuzz_session_begin(r);
    fuzz_send(r, s, t.p, t.n, cuts, 0, false);
    fuzz_send_mark(r, s, '1', 1);
    fuzz_session_end(r, s);
    check(r->code == TS_OK);
    free(t.p);
}

static void compare(const fuzz_run *whole, fuzz_import form, const uint8_t *p, size_t n,
                    uint64_t cuts)
{
    fuzz_run other;
    fuzz_run_one(&other, NULL, form, p, n, cuts);
    fuzz_check_tables(whole, &other, heap_tables, HEAP_TABLES);
    fuzz_run_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run whole;
    fuzz_run_both(&whole, bare, data, size);
    check(whole.bytes == size);
    if (whole.sink.issues == 0) {
        compare(&whole, chunks, data, size, 0);
        compare(&whole, chunks, data, size, size * 2 + 1);
        compare(&whole, object, data, size, size * 2 + 1);
    }
    fuzz_run_free(&whole);
    return 0;
}
