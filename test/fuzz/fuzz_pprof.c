/*
 * The bytes are a profile of pprof. See import_check.h for what must hold. Each sample that was
 * imported is a row, and no more of its values than it has are.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void profile(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_pprof, p, n, cuts);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, profile, data, size);
    if (r.code != TS_OK) {
        fuzz_run_free(&r);
        return 0;
    }
    check(r.bytes == size);
    check(r.items[TS_ITEM_profile_samples] == r.sink.sink.rows[TS_T_stack_sample]);
    check(r.items[TS_ITEM_profile_values] == r.sink.sink.rows[TS_T_stack_sample_value]);
    check(r.sink.sink.rows[TS_T_profile] == 1);
    fuzz_run_free(&r);
    return 0;
}
