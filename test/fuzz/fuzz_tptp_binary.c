/*
 * Binary traces of the TPTP profiler. The bytes are what follows the magic number. See
 * import_check.h for what must hold.
 */
#include "import_check.h"
#include "parsers/registry.h"

static void trace(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    uint8_t *all = malloc(n + 4);
    check(all != NULL);
    memcpy(all, "0TBF", 4);
    if (n > 0) {
        memcpy(all + 4, p, n);
    }
    fuzz_import_format(r, &ts_format_tptp_binary, all, n + 4, cuts);
    free(all);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run whole;
    fuzz_run_both(&whole, trace, data, size);
    check(whole.code != TS_OK || whole.bytes == size + 4);
    fuzz_run_free(&whole);
    return 0;
}
