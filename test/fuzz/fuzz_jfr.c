/*
 * The bytes are a JFR recording. See import_check.h for what must hold. Each sample has its row of
 * jfr_sample, each chunk that was seen its own.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void recording(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_jfr, p, n, cuts);
    check(r->code == TS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, recording, data, size);
    check(r.bytes == size);
    check(r.sink.sink.rows[TS_T_jfr_sample] == r.sink.sink.rows[TS_T_stack_sample]);
    check(r.sink.sink.rows[TS_T_lock_wait] <= r.sink.sink.rows[TS_T_stack_sample]);
    fuzz_run_free(&r);
    return 0;
}
