/*
 * The bytes are a trace of Chrome or Node.js. See import_check.h for what must hold. Each event is
 * a row, each span is a row of both tables, and those around it come before it.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void trace(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_chrome_trace, p, n, cuts);
    check(r->code == TS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, trace, data, size);
    check(r.bytes == size);
    check(r.items[TS_ITEM_chrome_events] == r.sink.sink.rows[TS_T_chrome_event]);
    check(r.items[TS_ITEM_chrome_slices] == r.sink.sink.rows[TS_T_chrome_slice]);
    check(r.sink.sink.rows[TS_T_stack_slice] == r.sink.sink.rows[TS_T_chrome_slice]);
    check(r.sink.sink.rows[TS_T_stack_sample] == r.sink.sink.rows[TS_T_chrome_sample]);
    fuzz_run_free(&r);
    return 0;
}
