/*
 * Messages of plugins: whatever a segment of a plugin's name holds, its rows are the same for every
 * way to cut the recording into blocks, and all that import_check.h says of importers. The input:
 * for each segment the name (a place in the list of all plugins' names), flags, the length of its
 * data, its time in seconds, the data. bit 0 of the flags: without a time   bit 1: garbage before
 * the segment   bit 2: the data is cut off
 */
#include "htrace_file.h"

enum { NAMES = 64 };

/* All names of all plugins. */
static const char *name_at(uint8_t k)
{
    const char *names[NAMES];
    size_t n = 0;
    for (size_t i = 0; ts_htrace_plugins[i] != NULL; i++) {
        const ts_plugin_name *name = ts_htrace_plugins[i]->names;
        for (; name != NULL && name->name != NULL && n < NAMES; name++) {
            names[n++] = name->name;
        }
    }
    return names[k % n];
}

static void plugins(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    size_t size;
    uint8_t *file = file_begin(&size, n * FILE_MORE);
    for (size_t at = 0; at + 4 <= n;) {
        size_t left = n - at - 4;
        size_t m = p[at + 2] < left ? p[at + 2] : left;
        const file_segment segment = {.name = name_at(p[at]),
                                      .data = p + at + 4,
                                      .n = m,
                                      .garbage = (p[at + 1] & 2) != 0,
                                      .timed = (p[at + 1] & 1) == 0,
                                      .sec = p[at + 3],
                                      .missing = (p[at + 1] & 4) != 0 ? 9 : 0};
        size += file_segment_put(file + size, &segment);
        at += 4 + m;
    }
    file_import(r, file, size, cuts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, plugins, data, size);
    check(r.code == TS_OK);
    fuzz_run_free(&r);
    return 0;
}
