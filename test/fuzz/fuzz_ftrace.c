/*
 * Messages of ftrace-plugin and ffrt-profiler of any length: the rows are the same for every way to
 * cut the recording into blocks, and all that import_check.h says of importers. The input: for each
 * segment the name (0 ftrace-plugin, 1 ffrt-profiler, 2 its configuration; 3: garbage before an
 * ftrace segment), the length of its data (2 bytes, the lower first), the data.
 */
#include "import_check.h"

enum { HEADER = 1024, MORE = 64 };

static uint8_t *put_bytes(uint8_t *p, uint8_t tag, const void *data, size_t n)
{
    uint64_t v = n;
    *p++ = tag;
    for (; v >= 0x80; v >>= 7) {
        *p++ = (uint8_t)(v | 0x80);
    }
    *p++ = (uint8_t)v;
    if (n > 0) {
        memcpy(p, data, n);
    }
    return p + n;
}

static size_t put_segment(uint8_t *out, uint8_t which, const uint8_t *data, size_t n)
{
    static const char *const names[] = {"ftrace-plugin", "ffrt-profiler", "ffrt-profiler_config",
                                        "ftrace-plugin"};
    const char *name = names[which % 4];
    uint8_t *p = out;
    uint8_t *body;
    if (which % 4 == 3) {
        memcpy(p, "\xff\xff\xff\xff--", 6);
        p += 6;
    }
    body = put_bytes(p + 4, 0x0a, name, strlen(name));
    body = put_bytes(body, 0x1a, data, n);
    memcpy(body, "\x28\x0c\x30\x07", 4); /* 12 s, 7 ns */
    body += 4;
    for (unsigned i = 0; i < 4; i++) {
        p[i] = (uint8_t)((size_t)(body - p - 4) >> (8 * i));
    }
    return (size_t)(body - out);
}

static void messages(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    uint8_t *file = calloc(1, HEADER + n * MORE);
    size_t size = HEADER;
    check(file != NULL);
    memcpy(file, "OHOSPROF", 8);
    file[18] = 1;
    file[60] = 100; /* boottime */
    file[70] = 1;   /* realtime, 65 536 */
    for (size_t at = 0; at + 3 <= n;) {
        size_t left = n - at - 3;
        size_t m = (size_t)p[at + 1] | (size_t)p[at + 2] << 8;
        m = m < left ? m : left;
        size += put_segment(file + size, p[at], p + at + 3, m);
        at += 3 + m;
    }
    for (unsigned i = 0; i < 8; i++) {
        file[8 + i] = (uint8_t)((uint64_t)size >> (8 * i));
    }
    fuzz_import_format(r, &ts_format_htrace, file, size, cuts);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, messages, data, size);
    check(r.code == TS_OK);
    fuzz_run_free(&r);
    return 0;
}
