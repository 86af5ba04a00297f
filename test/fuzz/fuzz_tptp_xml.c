/* XML traces of the TPTP profiler. See import_check.h for what must hold. */
#include "import_check.h"
#include "parsers/registry.h"

static void trace(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_tptp_xml, p, n, cuts);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run whole;
    fuzz_run_both(&whole, trace, data, size);
    check(whole.code != TS_OK || whole.bytes == size);
    fuzz_run_free(&whole);
    return 0;
}
