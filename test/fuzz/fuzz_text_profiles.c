/*
 * The bytes are folded stacks, or, when they begin with '{', a file of speedscope, or, behind the
 * comment "#perf", samples of perf. See import_check.h for what must hold. Each sample that was
 * imported is a row.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void profile(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    const ts_format *format = n > 0 && p[0] == '{'                  ? &ts_format_speedscope
                              : n > 5 && memcmp(p, "#perf", 5) == 0 ? &ts_format_perf_text
                                                                    : &ts_format_folded;
    fuzz_import_format(r, format, p, n, cuts);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, profile, data, size);
    if (r.code == TS_OK) {
        check(r.bytes == size);
        check(r.items[TS_ITEM_profile_samples] == r.sink.sink.rows[TS_T_stack_sample]);
        check(r.items[TS_ITEM_profile_values] == r.sink.sink.rows[TS_T_stack_sample_value]);
        check(size > 0 && (data[0] == '{' || r.sink.sink.rows[TS_T_profile] == 1));
    }
    fuzz_run_free(&r);
    return 0;
}
