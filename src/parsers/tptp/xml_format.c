/* XML traces of the Eclipse TPTP Java profiler (.trcxml). */
#include "parsers/format.h"
#include "parsers/tptp/xml_trace.h"

static int sniff_xml(const ts_sniff *s)
{
    return s->head != NULL && tptp_xml_sniff(s->head, s->n) ? TS_SNIFF_SURE : TS_SNIFF_NO;
}

static ts_code open_xml(void **self, ts_job *job)
{
    tptp_xml *x;
    ts_code code = tptp_xml_open(&x, job);
    if (code != TS_OK) {
        tptp_xml_close(x);
        x = NULL;
    }
    *self = x;
    return code;
}

static ts_code feed_xml(void *self, const uint8_t *p, size_t n)
{
    return tptp_xml_feed(self, p, n);
}

static ts_code finish_xml(void *self, const ts_stream_end *end)
{
    (void)end;
    return tptp_xml_finish(self);
}

static void close_xml(void *self)
{
    tptp_xml_close(self);
}

TS_SOURCE_FORMAT(tptp_xml) = {
    .name = "trcxml",
    .title = "XML trace of the Eclipse TPTP Java profiler (.trcxml)",
    .source_type = "tptp",
    .sniff = sniff_xml,
    .open = open_xml,
    .feed = feed_xml,
    .finish = finish_xml,
    .close = close_xml,
};
