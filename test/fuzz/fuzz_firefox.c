/*
 * The bytes are a profile of the Firefox Profiler, of either form. See import_check.h for what must
 * hold. Each sample, marker and span that was imported is a row.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void profiles(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_firefox, p, n, cuts);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, profiles, data, size);
    if (r.code != TS_OK) {
        fuzz_run_free(&r);
        return 0;
    }
    check(r.bytes == size);
    check(r.items[TS_ITEM_profile_samples] == r.sink.sink.rows[TS_T_stack_sample]);
    check(r.items[TS_ITEM_firefox_markers] == r.sink.sink.rows[TS_T_firefox_marker]);
    check(r.items[TS_ITEM_firefox_slices] == r.sink.sink.rows[TS_T_firefox_slice]);
    check(r.sink.sink.rows[TS_T_stack_slice] == r.sink.sink.rows[TS_T_firefox_slice]);
    fuzz_run_free(&r);
    return 0;
}
