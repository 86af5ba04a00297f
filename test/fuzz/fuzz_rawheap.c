/*
 * The bytes are a binary heap dump of ArkTS. See import_check.h for what must hold. A file has
 * nodes and edges or none; each string that is a name is there.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void dump(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_rawheap, p, n, cuts);
    check(r->code == TS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, dump, data, size);
    check(r.bytes == size);
    check(r.items[TS_ITEM_nodes] == r.sink.sink.rows[TS_T_js_heap_nodes]);
    check(r.items[TS_ITEM_edges] == r.sink.sink.rows[TS_T_js_heap_edges]);
    check(r.sink.sink.rows[TS_T_js_heap_files] <= 1);
    fuzz_run_free(&r);
    return 0;
}
