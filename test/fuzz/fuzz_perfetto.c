/*
 * The bytes are a trace of Perfetto. See import_check.h for what must hold. Each event and each
 * slice, sample, measurement and line that was imported is a row.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void trace(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_perfetto, p, n, cuts);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, trace, data, size);
    if (r.code == TS_OK) {
        check(r.bytes == size);
        check(r.items[TS_ITEM_perfetto_events] == r.sink.sink.rows[TS_T_perfetto_event]);
        check(r.items[TS_ITEM_perfetto_slices] == r.sink.sink.rows[TS_T_perfetto_slice]);
        check(r.items[TS_ITEM_perfetto_counters] + r.items[TS_ITEM_perfetto_points] ==
              r.sink.sink.rows[TS_T_timeseries_value]);
        check(r.items[TS_ITEM_perfetto_samples] == r.sink.sink.rows[TS_T_stack_sample]);
        check(r.items[TS_ITEM_perfetto_lines] == r.sink.sink.rows[TS_T_log]);
        check(r.sink.sink.rows[TS_T_stack_slice] == r.sink.sink.rows[TS_T_perfetto_slice]);
    }
    fuzz_run_free(&r);
    return 0;
}
