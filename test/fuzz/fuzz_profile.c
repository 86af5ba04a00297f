/*
 * The bytes are a bare CPU profile. See import_check.h for what must hold. If the file has nothing
 * to complain about, the same text must give the same nodes inside a recording.
 *
 * Seeds: test/data/tiny test/data/spec_g
 */
#include "import_check.h"

static void bare(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_cpuprofile, p, n, cuts);
    check(r->code == TS_OK);
}

static void message(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_text t = fuzz_wrap("{\"id\":3,\"result\":{\"profile\":", p, n, "}}");
    ts_session *s = fuzz_session_begin(r);
    fuzz_send_mark(r, s, '3', 0);
    fuzz_send(r, s, t.p, t.n, cuts, 1, false);
    fuzz_session_end(r, s);
    check(r->code == TS_OK);
    free(t.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum ts_table_id tables[] = {TS_T_js_cpu_profiler_node};
    fuzz_run whole;
    fuzz_run other;
    fuzz_run_both(&whole, bare, data, size);
    check(whole.bytes == size);
    fuzz_run_both(&other, message, data, size);
    if (whole.sink.issues == 0) {
        fuzz_check_tables(&whole, &other, tables, 1);
    }
    fuzz_run_free(&other);
    fuzz_run_free(&whole);
    return 0;
}
