/*
 * Sample directories of Flare. The first byte of the input chooses a part of the time, then come
 * files: a byte that says which (names below), two bytes of length (big-endian), the bytes.
 */
#include "fuzz_dir.h"
#include "import_check.h"
#include "parsers/registry.h"

static const char *const names[] = {
    "summary_info.json",      "method_info.fidx",        "method_info.fdata",
    "thread_1_cpu_time.fts",  "thread_1_cpu_time.2.fts", "thread_1_stack.fidx",
    "thread_1_stack.fdata",   "thread_132_cpu_time.fts", "thread_132_stack.fidx",
    "thread_132_stack.fdata",
};
enum { NAMES = sizeof names / sizeof names[0] };

static void import(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    static const int64_t second = 1000000000;
    const ts_import_request request = {0};
    ts_import_result result = {0};
    uint8_t part = n > 0 ? p[0] : 0;
    fuzz_dir_make();
    (void)fuzz_dir_clear();
    fuzz_dir_fill(names, NAMES, p + (n > 0), n > 0 ? n - 1 : 0);
    if ((part & 1) != 0) {
        r->ctx->time_range = (ts_time_range){
            .kind = TS_WANTED_OFFSET,
            .from = (part >> 1 & 7) * second / 20,
            .to = ((part >> 1 & 7) + 1 + (part >> 4)) * second / 20,
        };
    }
    r->run.request = &request;
    r->run.result = &result;
    r->options.block_size = cuts == 0 ? 65536 : 1 + (size_t)(cuts % 97);
    r->code = ts_fileset_open(&r->job.set, r->ctx, fuzz_dir);
    if (r->code != TS_OK) {
        check(r->code == TS_ERR_INPUT); /* there are no files */
        return;
    }
    check(ts_source_add(&r->job.source_id, r->store, 0, "input", "fuzz", NULL) == TS_OK);
    r->code = ts_format_flare.import_set(&r->job);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT || r->code == TS_ERR_LIMIT);
    ts_fileset_close(r->job.set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run whole;
    fuzz_run_both(&whole, import, data, size);
    check(whole.code != TS_OK ||
          whole.items[TS_ITEM_stack_records] == whole.sink.sink.rows[TS_T_stack_sample]);
    fuzz_run_free(&whole);
    return 0;
}
