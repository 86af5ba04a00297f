#include "htrace/header.h"

#include "base/bytes.h"

static const char magic[] = "OHOSPROF";

bool ts_htrace_magic(const uint8_t *p, size_t n)
{
    return n >= TS_HTRACE_MAGIC && memcmp(p, magic, TS_HTRACE_MAGIC) == 0;
}

static bool get_bytes(void *out, ts_bytes *b, size_t n)
{
    const uint8_t *p;
    bool good = ts_get_span(&p, b, n);
    if (good) {
        memcpy(out, p, n);
    }
    return good;
}

static bool get_clocks(ts_clock_set *out, ts_bytes *b)
{
    static const int order[] = {TS_CLOCK_BOOTTIME,         TS_CLOCK_REALTIME,
                                TS_CLOCK_REALTIME_COARSE,  TS_CLOCK_MONOTONIC,
                                TS_CLOCK_MONOTONIC_COARSE, TS_CLOCK_MONOTONIC_RAW};
    bool good = true;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        good &= ts_get_u64le(&out->at[order[i]], b);
    }
    return good;
}

/* Texts end at their first NUL or fill their width; `out` has one byte more, which is 0. */
bool ts_htrace_header_read(ts_htrace_header *out, const uint8_t *p, size_t n)
{
    ts_bytes b = {.p = p, .n = n, .at = TS_HTRACE_MAGIC};
    bool good = true;
    *out = (ts_htrace_header){0};
    if (n < TS_HTRACE_HEADER || !ts_htrace_magic(p, n)) {
        return false;
    }
    good &= ts_get_u64le(&out->length, &b);
    good &= ts_get_u32le(&out->version, &b);
    good &= ts_get_u32le(&out->pieces, &b);
    good &= get_bytes(out->sha256, &b, sizeof out->sha256);
    good &= ts_get_u32le(&out->data_type, &b);
    good &= get_clocks(&out->clocks, &b);
    good &= get_bytes(out->standalone, &b, TS_HTRACE_STANDALONE_NAME);
    good &= get_bytes(out->plugin_version, &b, TS_HTRACE_PLUGIN_VERSION);
    good &= ts_get_u64le(&out->duration_ns, &b);
    return good;
}
