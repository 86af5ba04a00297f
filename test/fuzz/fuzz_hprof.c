/*
 * The bytes are a heap dump of Java. See import_check.h for what must hold. Each dump has the rows
 * that it says it has, and references lead to its objects.
 */
#include "import_check.h"

#include "parsers/registry.h"

static void dump(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_hprof, p, n, cuts);
    check(r->code == TS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, dump, data, size);
    check(r.bytes == size);
    check(r.items[TS_ITEM_hprof_dumps] == r.sink.sink.rows[TS_T_java_heap_file]);
    check(r.items[TS_ITEM_hprof_roots] == r.sink.sink.rows[TS_T_java_heap_root]);
    check(r.items[TS_ITEM_hprof_strings] == r.sink.sink.rows[TS_T_java_heap_string]);
    check(r.items[TS_ITEM_hprof_objects] <= r.sink.sink.rows[TS_T_java_heap_object]);
    fuzz_run_free(&r);
    return 0;
}
