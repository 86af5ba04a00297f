/*
 * The bytes are a perf.data. See import_check.h for what must hold. Each sample that was imported
 * is a row for the viewer and one of the common model, with one value.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void recording(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_perf, p, n, cuts);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT || r->code == TS_ERR_LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, recording, data, size);
    if (r.code != TS_OK) {
        fuzz_run_free(&r);
        return 0;
    }
    check(r.bytes == size);
    check(r.items[TS_ITEM_perf_samples] == r.sink.sink.rows[TS_T_stack_sample]);
    check(r.items[TS_ITEM_perf_samples] == r.sink.sink.rows[TS_T_perf_sample]);
    check(r.items[TS_ITEM_perf_samples] == r.sink.sink.rows[TS_T_stack_sample_value]);
    fuzz_run_free(&r);
    return 0;
}
