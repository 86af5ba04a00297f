/*
 * Cloud Profiler. An input that begins with 0x14 is a conversation. Of any other the first byte
 * chooses a part of the time, or --strict, then come files: a byte that says which (names below),
 * two bytes of length (big-endian), the bytes.
 */
#include "fuzz_dir.h"
#include "import_check.h"
#include "parsers/registry.h"

static const char *const names[] = {
    "p.dictionary.protocol",    "p.params.protocol", "p.suspend.protocol", "p.calls.0.protocol",
    "p.traces.0.bin",           "p.traces.1.bin",    "p.sql.0.protocol",   "p.xml.0.protocol",
    "p.posDictionary.protocol", "p.gc.0.protocol",   "q.calls.2.bin",      "q.traces.2.bin",
};
enum { NAMES = sizeof names / sizeof names[0] };

static void conversation(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_cloud_stream, p, n, cuts);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT);
}

static void files(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    static const int64_t start = INT64_C(1700000000000000000);
    const ts_import_request request = {0};
    ts_import_result result = {0};
    uint8_t part = n > 0 ? p[0] : 0;
    fuzz_dir_make();
    (void)fuzz_dir_clear();
    fuzz_dir_fill(names, NAMES, p + (n > 0), n > 0 ? n - 1 : 0);
    if ((part & 1) != 0) {
        r->ctx->time_range = (ts_time_range){
            .kind = TS_WANTED_REALTIME,
            .from = start + (part >> 1 & 7) * INT64_C(1000000000),
            .to = start + ((part >> 1 & 7) + 1 + (part >> 4)) * INT64_C(1000000000),
        };
    }
    r->ctx->strict = part >= 0xf0;
    r->run.request = &request;
    r->run.result = &result;
    r->options.block_size = cuts == 0 ? 65536 : 1 + (size_t)(cuts % 97);
    r->code = ts_fileset_open(&r->job.set, r->ctx, fuzz_dir);
    if (r->code != TS_OK) {
        check(r->code == TS_ERR_INPUT); /* there are no files */
        return;
    }
    check(ts_source_add(&r->job.source_id, r->store, 0, "input", "fuzz", NULL) == TS_OK);
    r->code = ts_format_cloud.import_set(&r->job);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT || r->code == TS_ERR_LIMIT);
    ts_fileset_close(r->job.set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run whole;
    fuzz_run_both(&whole, size > 0 && data[0] == 0x14 ? conversation : files, data, size);
    check(whole.code != TS_OK ||
          (whole.items[TS_ITEM_cloud_enters] == whole.sink.sink.rows[TS_T_stack_slice] &&
           whole.items[TS_ITEM_cloud_calls] == whole.sink.sink.rows[TS_T_cloud_call] &&
           whole.items[TS_ITEM_cloud_tags] == whole.sink.sink.rows[TS_T_cloud_tag]));
    fuzz_run_free(&whole);
    return 0;
}
