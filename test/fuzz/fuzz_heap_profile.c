/*
 * The bytes are a sampling heap profile. See import_check.h for what must hold. Each node that was
 * imported has a call path, and each sample is one of the common samples.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void profile(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_heapprofile, p, n, cuts);
    check(r->code == TS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, profile, data, size);
    check(r.bytes == size);
    check(r.items[TS_ITEM_heap_profile_nodes] == r.sink.sink.rows[TS_T_heap_profile_node]);
    check(r.items[TS_ITEM_heap_profile_samples] == r.sink.sink.rows[TS_T_heap_profile_sample]);
    check(r.sink.sink.rows[TS_T_stack_node] <= r.sink.sink.rows[TS_T_heap_profile_node]);
    fuzz_run_free(&r);
    return 0;
}
