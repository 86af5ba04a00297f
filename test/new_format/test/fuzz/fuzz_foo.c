/* The bytes are a list of foo. See import_check.h for what must hold. */
#include "import_check.h"

static void list(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_foo, p, n, cuts);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, list, data, size);
    check(r.code != TS_OK || r.bytes == size);
    fuzz_run_free(&r);
    return 0;
}
