/* Binary traces of the Eclipse TPTP Java profiler (.trcbin). */
#include "parsers/tptp/binary_trace.h"
#include "parsers/tptp/formats.h"

static int sniff_binary(const ts_sniff *s)
{
    return s->head != NULL && s->n >= 4 && memcmp(s->head, "0TBF", 4) == 0 ? TS_SNIFF_SURE
                                                                           : TS_SNIFF_NO;
}

static ts_code open_binary(void **self, ts_job *job)
{
    static const tptp_forced none = {-1, -1, -1};
    tptp_binary *b;
    ts_code code = tptp_binary_open(&b, job, &none);
    if (code != TS_OK) {
        tptp_binary_close(b);
        b = NULL;
    }
    *self = b;
    return code;
}

static ts_code feed_binary(void *self, const uint8_t *p, size_t n)
{
    return tptp_binary_feed(self, p, n);
}

static ts_code finish_binary(void *self, const ts_stream_end *end)
{
    (void)end;
    return tptp_binary_finish(self);
}

static void close_binary(void *self)
{
    tptp_binary_close(self);
}

const ts_format ts_format_tptp_binary = {
    .name = "trcbin",
    .title = "Binary trace of the Eclipse TPTP Java profiler (.trcbin)",
    .source_type = "tptp",
    .sniff = sniff_binary,
    .open = open_binary,
    .feed = feed_binary,
    .finish = finish_binary,
    .close = close_binary,
};
