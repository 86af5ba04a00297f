/*
 * The bytes are a text trace of the kernel. See import_check.h for what must hold. Each line that
 * is an event goes to the machine.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void trace(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_ftrace_text, p, n, cuts);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, trace, data, size);
    check(r.code != TS_OK || r.bytes == size);
    fuzz_run_free(&r);
    return 0;
}
