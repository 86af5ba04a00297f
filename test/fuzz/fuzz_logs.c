/*
 * The bytes are lines of the system's log, or, when they begin with '{', system events. See
 * import_check.h for what must hold.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void import_log(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    const ts_format *format =
        n > 0 && p[0] == '{' ? &ts_format_hisysevent_text : &ts_format_hilog_text;
    fuzz_import_format(r, format, p, n, cuts);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, import_log, data, size);
    check(r.code != TS_OK || r.bytes == size);
    fuzz_run_free(&r);
    return 0;
}
