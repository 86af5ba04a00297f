#include "htrace/header.h"

#include "base/bytes.h"

static const char magic[] = "OHOSPROF";

bool ts_htrace_magic(const uint8_t *p, size_t n)
{
    return n >= TS_HTRACE_MAGIC && memcmp(p, magic, TS_HTRACE_MAGIC) == 0;
}

/* A text field that ends at its first NUL or fills its `width` bytes; out has one byte more. */
static bool get_text(char *out, ts_bytes *b, size_t width)
{
    const uint8_t *p;
    if (!ts_get_span(&p, b, width)) {
        return false;
    }
    memcpy(out, p, width);
    out[width] = '\0';
    return true;
}

static bool get_clocks(ts_clock_set *out, ts_bytes *b)
{
    return ts_get_u64le(&out->at[TS_CLOCK_BOOTTIME], b) &&
           ts_get_u64le(&out->at[TS_CLOCK_REALTIME], b) &&
           ts_get_u64le(&out->at[TS_CLOCK_REALTIME_COARSE], b) &&
           ts_get_u64le(&out->at[TS_CLOCK_MONOTONIC], b) &&
           ts_get_u64le(&out->at[TS_CLOCK_MONOTONIC_COARSE], b) &&
           ts_get_u64le(&out->at[TS_CLOCK_MONOTONIC_RAW], b);
}

bool ts_htrace_header_read(ts_htrace_header *out, const uint8_t *p, size_t n)
{
    ts_bytes b = {.p = p, .n = n, .at = TS_HTRACE_MAGIC};
    const uint8_t *sha;
    *out = (ts_htrace_header){0};
    if (n < TS_HTRACE_HEADER || !ts_htrace_magic(p, n)) {
        return false;
    }
    if (!ts_get_u64le(&out->length, &b) || !ts_get_u32le(&out->version, &b) ||
        !ts_get_u32le(&out->pieces, &b) || !ts_get_span(&sha, &b, sizeof out->sha256) ||
        !ts_get_u32le(&out->data_type, &b) || !get_clocks(&out->clocks, &b) ||
        !get_text(out->standalone, &b, TS_HTRACE_STANDALONE_NAME) ||
        !get_text(out->plugin_version, &b, TS_HTRACE_PLUGIN_VERSION) ||
        !ts_get_u64le(&out->duration_ns, &b)) {
        return false;
    }
    memcpy(out->sha256, sha, sizeof out->sha256);
    return true;
}
