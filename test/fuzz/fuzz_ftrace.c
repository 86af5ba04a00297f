/*
 * Messages of ftrace-plugin and ffrt-profiler of any length: the rows are the same for every way to
 * cut the recording into blocks, and all that import_check.h says of importers. The input: for each
 * segment the name (0 ftrace-plugin, 1 ffrt-profiler, 2 its configuration; 3: garbage before an
 * ftrace segment), the length of its data (2 bytes, the lower first), the data.
 */
#include "htrace_file.h"

static void messages(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    static const char *const names[] = {"ftrace-plugin", "ffrt-profiler", "ffrt-profiler_config",
                                        "ftrace-plugin"};
    size_t size;
    uint8_t *file = file_begin(&size, n * FILE_MORE);
    for (size_t at = 0; at + 3 <= n;) {
        size_t left = n - at - 3;
        size_t m = (size_t)p[at + 1] | (size_t)p[at + 2] << 8;
        m = m < left ? m : left;
        const file_segment segment = {.name = names[p[at] % 4],
                                      .data = p + at + 3,
                                      .n = m,
                                      .garbage = p[at] % 4 == 3,
                                      .timed = true,
                                      .sec = 12};
        size += file_segment_put(file + size, &segment);
        at += 3 + m;
    }
    file_import(r, file, size, cuts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, messages, data, size);
    check(r.code == TS_OK);
    fuzz_run_free(&r);
    return 0;
}
