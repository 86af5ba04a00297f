/*
 * Messages of plugins: whatever a segment of a plugin's name holds, its rows are the same for every
 * way to cut the recording into blocks, and all that import_check.h says of importers. The input:
 * for each segment the name (a place in the list of all plugins' names), flags, the length of its
 * data, its time in seconds, the data. bit 0 of the flags: without a time   bit 1: garbage before
 * the segment   bit 2: the data is cut off
 */
#include "import_check.h"

enum { HEADER = 1024, MORE = 64, NAMES = 64 };

/* All names of all plugins. */
static const char *name_at(uint8_t k)
{
    const char *names[NAMES];
    size_t n = 0;
    for (size_t i = 0; ts_htrace_plugins[i] != NULL; i++) {
        const ts_plugin_name *name = ts_htrace_plugins[i]->names;
        for (; name->name != NULL && n < NAMES; name++) {
            names[n++] = name->name;
        }
    }
    return names[k % n];
}

static uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) {
        *p++ = (uint8_t)(v | 0x80);
    }
    *p++ = (uint8_t)v;
    return p;
}

/* One segment; the data is at most 255 bytes. */
static size_t put_segment(uint8_t *out, const char *name, uint8_t flags, uint8_t sec,
                          const uint8_t *data, size_t n)
{
    uint8_t *p = out;
    uint8_t *body;
    size_t name_n = strlen(name);
    if ((flags & 2) != 0) {
        memcpy(p, "\xff\xff\xff\xff--", 6);
        p += 6;
    }
    body = p + 4;
    *body++ = 0x0a;
    body = put_varint(body, name_n);
    memcpy(body, name, name_n);
    body += name_n;
    *body++ = 0x1a;
    body = put_varint(body, n + ((flags & 4) != 0 ? 9 : 0));
    memcpy(body, data, n);
    body += n;
    if ((flags & 1) == 0) {
        *body++ = 0x28;
        body = put_varint(body, sec);
        *body++ = 0x30;
        body = put_varint(body, 7);
    }
    for (unsigned i = 0; i < 4; i++) {
        p[i] = (uint8_t)((size_t)(body - p - 4) >> (8 * i));
    }
    return (size_t)(body - out);
}

static void plugins(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    uint8_t *file = calloc(1, HEADER + n * MORE);
    size_t size = HEADER;
    check(file != NULL);
    memcpy(file, "OHOSPROF", 8);
    file[18] = 1;
    file[60] = 100; /* boottime */
    file[70] = 1;   /* realtime, 65 536 */
    for (size_t at = 0; at + 4 <= n;) {
        size_t left = n - at - 4;
        size_t m = p[at + 2] < left ? p[at + 2] : left;
        size += put_segment(file + size, name_at(p[at]), p[at + 1], p[at + 3], p + at + 4, m);
        at += 4 + m;
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
    fuzz_run_both(&r, plugins, data, size);
    check(r.code == TS_OK);
    fuzz_run_free(&r);
    return 0;
}
