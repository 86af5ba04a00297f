/* The source format htrace: the container, with the ArkTS plugin's segments going to a session. */
#include "parsers/arkts/formats.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/ckd.h"
#include "htrace/htrace.h"
#include "wire/wire.h"
#include "parsers/arkts/session.h"

enum { RESULT_FIELD = 1, MAX_CONFIG = 1 << 20 };

typedef struct htrace_import {
    ts_job *job;
    ts_ctx *ctx;
    ts_htrace *container;
    ts_session *session;
    ts_blob *blob;
    ts_plugin_handler handlers[2];
    ts_buf config;
    /* The segment of results that is being read. */
    ts_wire_push wire;
    int64_t offset;
    bool begun;
    bool complete;
    bool repeated;
} htrace_import;

static int sniff(const ts_sniff *s)
{
    return s->head != NULL && s->n >= 8 && memcmp(s->head, "OHOSPROF", 8) == 0 ? TS_SNIFF_SURE
                                                                               : TS_SNIFF_NO;
}

/* --- results: field 1 of a segment's data is one debugger message --------------------------- */

static ts_code field_begin(void *user, uint32_t field, uint64_t n, bool *want)
{
    htrace_import *im = user;
    (void)n;
    *want = field == RESULT_FIELD && !im->begun;
    if (field != RESULT_FIELD) {
        return TS_OK;
    }
    if (im->begun) { /* a message has one result; the first counts, it is already on its way */
        im->repeated = true;
        return TS_OK;
    }
    im->begun = true;
    return ts_session_message_begin(im->session, im->offset);
}

static ts_code field_bytes(void *user, uint32_t field, const uint8_t *p, size_t n)
{
    htrace_import *im = user;
    (void)field;
    return ts_session_message_feed(im->session, (const char *)p, n);
}

static ts_code field_end(void *user, uint32_t field, bool complete)
{
    htrace_import *im = user;
    if (field == RESULT_FIELD && !im->repeated) {
        im->complete = complete;
    }
    return TS_OK;
}

static const ts_wire_handler result_fields = {
    .begin = field_begin,
    .bytes = field_bytes,
    .end = field_end,
};

static ts_code result_begin(void *user, const ts_segment *seg)
{
    htrace_import *im = user;
    im->offset = seg->offset;
    im->begun = false;
    im->complete = false;
    im->repeated = false;
    ts_session_clocks(im->session, ts_htrace_clocks(im->container));
    ts_wire_push_init(&im->wire, &result_fields, im, UINT64_MAX);
    return ts_datasource_clock(im->job->store, "arkts-plugin", TS_CLOCK_REALTIME);
}

static ts_code result_data(void *user, const ts_segment *seg, const uint8_t *p, size_t n)
{
    htrace_import *im = user;
    (void)seg;
    return ts_wire_push_feed(&im->wire, p, n);
}

static ts_code result_end(void *user, const ts_segment *seg)
{
    htrace_import *im = user;
    bool damaged = im->wire.fault != TS_WIRE_OK;
    const char *why = damaged ? ts_wire_fault_text(im->wire.fault) : "it has no result";
    ts_code code = ts_wire_push_finish(&im->wire);
    if (code != TS_OK) {
        return code;
    }
    if (im->begun && im->repeated) {
        code = ts_issue(im->job->store, im->job->source_id, TS_ISSUE_segment_duplicate_data,
                        "arkts-plugin", seg->offset, "a segment has two results; the first counts");
    }
    if (code == TS_OK && im->begun) {
        /* A segment that breaks off behind its data has lost its time. */
        bool has_ts = !seg->truncated && seg->ts != TS_NO_TIME;
        return ts_session_message_end(im->session, has_ts, seg->ts, !im->complete);
    }
    if (code == TS_OK) {
        code =
            ts_issue(im->job->store, im->job->source_id, TS_ISSUE_plugin_bad_message,
                     "arkts-plugin", seg->offset, "a segment carries no debugger message: %s", why);
    }
    return code != TS_OK ? code : ts_session_gap(im->session, seg->offset);
}

static ts_code on_gap(void *user, int64_t offset)
{
    htrace_import *im = user;
    return ts_session_gap(im->session, offset);
}

/* --- configurations ------------------------------------------------------------------------- */

static ts_code config_begin(void *user, const ts_segment *seg)
{
    htrace_import *im = user;
    (void)seg;
    im->config.n = 0;
    return ts_datasource_clock(im->job->store, "arkts-plugin", TS_CLOCK_REALTIME);
}

static ts_code config_data(void *user, const ts_segment *seg, const uint8_t *p, size_t n)
{
    htrace_import *im = user;
    (void)seg;
    if (n > MAX_CONFIG - im->config.n) {
        n = MAX_CONFIG - im->config.n;
    }
    return ts_buf_put(im->ctx, &im->config, p, n);
}

static ts_code config_end(void *user, const ts_segment *seg)
{
    htrace_import *im = user;
    ts_text bytes = ts_buf_text(&im->config);
    return ts_session_config(im->session, (const uint8_t *)bytes.p, bytes.n, seg->offset,
                             seg->truncated);
}

/* --- data without a name --------------------------------------------------------------------- */

/* Field 1, which is a JSON object and all there is. */
static bool reads_result(const uint8_t *p, size_t n, uint64_t size)
{
    uint64_t length = 0;
    size_t at = 1;
    if (n < 3 || p[0] != (RESULT_FIELD << 3 | TS_WIRE_BYTES)) {
        return false;
    }
    for (unsigned shift = 0; at < n && shift < 63; shift += 7) {
        length |= (uint64_t)(p[at] & 0x7f) << shift;
        if (p[at++] < 0x80) {
            return at < n && p[at] == '{' && length == size - at;
        }
    }
    return false;
}

/* Fields 1 to 8, all of them numbers but the last. */
static bool reads_config(const uint8_t *p, size_t n, uint64_t size)
{
    size_t at = 0;
    if (n == 0 || n < size) {
        return false;
    }
    while (at < n) {
        unsigned field = p[at] >> 3;
        bool text = (p[at] & 7) == TS_WIRE_BYTES;
        if (field < 1 || field > 8 || text != (field == 8) ||
            (!text && (p[at] & 7) != TS_WIRE_VARINT) || ++at == n) {
            return false;
        }
        if (text) {
            return p[at] < 0x80 && p[at] == n - at - 1;
        }
        while (at < n && p[at] >= 0x80) {
            at++;
        }
        at++;
    }
    return at == n;
}

/* --- the format ----------------------------------------------------------------------------- */

static ts_code read_blob(void *user, size_t *got, uint64_t off, void *buf, size_t n)
{
    return ts_blob_read(got, user, off, buf, n);
}

static void close_import(void *self)
{
    htrace_import *im = self;
    ts_htrace_free(im->container);
    ts_session_free(im->session);
    ts_buf_free(im->ctx, &im->config);
    if (im->blob != NULL) {
        ts_blob_close(im->blob);
    }
    ts_free(im->ctx, im);
}

static ts_code open_container(htrace_import *im)
{
    ts_htrace_config config = {
        .source_id = im->job->source_id,
        .handlers = im->handlers,
        .handler_count = 2,
    };
    ts_code code = TS_OK;
    /* Late clocks are looked for where that costs nothing but a few reads. */
    if (!im->job->options->directory_run && im->job->set != NULL &&
        ts_member_seekable(im->job->set, im->job->member)) {
        code = ts_member_blob(&im->blob, im->job->set, im->job->member);
        config.blob_user = im->blob;
        config.read_at = read_blob;
    }
    return code != TS_OK ? code : ts_htrace_new(&im->container, im->ctx, im->job->store, &config);
}

static ts_code open_import(void **self, ts_job *job)
{
    htrace_import *im = ts_zalloc(job->ctx, 1, sizeof *im);
    ts_code code;
    *self = NULL;
    if (im == NULL) {
        return job->ctx->error.code;
    }
    im->job = job;
    im->ctx = job->ctx;
    im->handlers[0] = (ts_plugin_handler){"arkts-plugin", im,     result_begin, result_data,
                                          result_end,     on_gap, reads_result};
    im->handlers[1] = (ts_plugin_handler){
        "arkts-plugin_config", im, config_begin, config_data, config_end, NULL, reads_config};
    if ((code = ts_session_new(&im->session, job)) != TS_OK ||
        (code = open_container(im)) != TS_OK) {
        close_import(im);
        return code;
    }
    *self = im;
    return TS_OK;
}

static ts_code feed(void *self, const uint8_t *p, size_t n)
{
    htrace_import *im = self;
    return ts_htrace_feed(im->container, p, n);
}

static ts_code feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    htrace_import *im = self;
    return ts_htrace_feed_zeros(im->container, used, n);
}

static ts_code next_file(void *self, const char *name, bool missing)
{
    htrace_import *im = self;
    ts_code code = ts_htrace_next_file(im->container);
    (void)name;
    return code != TS_OK || !missing ? code : ts_session_gap(im->session, 0);
}

static ts_code finish(void *self, const ts_stream_end *end)
{
    htrace_import *im = self;
    ts_code code = ts_htrace_finish(im->container);
    (void)end;
    if (code == TS_OK) {
        ts_session_clocks(im->session, ts_htrace_clocks(im->container));
        code = ts_session_finish(im->session);
    }
    return code;
}

const ts_format ts_format_htrace = {
    .name = "htrace",
    .title = "OpenHarmony .htrace with ArkTS heap snapshots, timelines and CPU profiles",
    .source_type = "proto-based-trace",
    .sniff = sniff,
    .open = open_import,
    .feed = feed,
    .feed_zeros = feed_zeros,
    .finish = finish,
    .close = close_import,
    .next_file = next_file,
};
