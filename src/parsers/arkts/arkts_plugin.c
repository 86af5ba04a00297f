/* The ArkTS plugin of .htrace recordings: debugger messages and configurations, for a session. */
#include "base/alloc.h"
#include "base/ckd.h"
#include "htrace/plugin.h"
#include "wire/wire.h"
#include "parsers/arkts/session/session.h"

enum { RESULT_FIELD = 1, MAX_CONFIG = 1 << 20 };

typedef struct arkts_plugin {
    const ts_plugin_host *host;
    ts_session *session;
    /* The segment of results that is being read. */
    ts_wire_push wire;
    int64_t offset;
    bool begun;
    bool complete;
    bool repeated;
} arkts_plugin;

/* --- results: field 1 of a segment's data is one debugger message --------------------------- */

static ts_code field_begin(void *user, uint32_t field, uint64_t n, bool *want)
{
    arkts_plugin *im = user;
    (void)n;
    *want = field == RESULT_FIELD && !im->begun;
    if (field != RESULT_FIELD) {
        return TS_OK;
    }
    if (im->begun) { /* a message has one result; the first counts, it is already being read */
        im->repeated = true;
        return TS_OK;
    }
    im->begun = true;
    return ts_session_message_begin(im->session, im->offset);
}

static ts_code field_bytes(void *user, uint32_t field, const uint8_t *p, size_t n)
{
    arkts_plugin *im = user;
    (void)field;
    return ts_session_message_feed(im->session, (const char *)p, n);
}

static ts_code field_end(void *user, uint32_t field, bool complete)
{
    arkts_plugin *im = user;
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

static ts_code result_begin(void *self, const ts_segment *seg)
{
    arkts_plugin *im = self;
    im->offset = seg->offset;
    im->begun = false;
    im->complete = false;
    im->repeated = false;
    ts_wire_push_init(&im->wire, &result_fields, im, UINT64_MAX);
    return ts_datasource_clock(im->host->store, "arkts-plugin", TS_CLOCK_REALTIME);
}

static ts_code result_data(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    arkts_plugin *im = self;
    (void)seg;
    return ts_wire_push_feed(&im->wire, p, n);
}

static ts_code result_end(void *self, const ts_segment *seg)
{
    arkts_plugin *im = self;
    bool damaged = im->wire.fault != TS_WIRE_OK;
    const char *why = damaged ? ts_wire_fault_text(im->wire.fault) : "it has no result";
    ts_code code;
    TS_TRY_INTO(code, ts_wire_push_finish(&im->wire));
    if (im->begun && im->repeated) {
        code = ts_issue(im->host->store, im->host->source_id, TS_ISSUE_segment_duplicate_data,
                        "arkts-plugin", seg->offset, "a segment has two results; the first counts");
    }
    if (code == TS_OK && im->begun) {
        /* A segment that breaks off after its data has lost its time. */
        bool has_ts = !seg->truncated && seg->ts != TS_NO_TIME;
        return ts_session_message_end(im->session, has_ts, seg->ts, !im->complete);
    }
    if (code == TS_OK) {
        code =
            ts_issue(im->host->store, im->host->source_id, TS_ISSUE_plugin_bad_message,
                     "arkts-plugin", seg->offset, "a segment carries no debugger message: %s", why);
    }
    return code != TS_OK ? code : ts_session_gap(im->session, seg->offset);
}

/* --- configurations ------------------------------------------------------------------------- */

static ts_code config_message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    arkts_plugin *im = self;
    ts_code code = ts_datasource_clock(im->host->store, "arkts-plugin", TS_CLOCK_REALTIME);
    return code != TS_OK ? code : ts_session_config(im->session, p, n, seg->offset, seg->truncated);
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

/* --- the plugin ----------------------------------------------------------------------------- */

static ts_code arkts_open(void **self, const ts_plugin_host *host)
{
    arkts_plugin *im = ts_zalloc(host->ctx, 1, sizeof *im);
    ts_code code;
    *self = NULL;
    TS_NEED(host->ctx, im);
    im->host = host;
    code = ts_session_new(&im->session, host->user);
    if (code != TS_OK) {
        ts_free(host->ctx, im);
        return code;
    }
    ts_session_clocks(im->session, host->clocks);
    *self = im;
    return TS_OK;
}

static ts_code arkts_gap(void *self, int64_t offset)
{
    arkts_plugin *im = self;
    return ts_session_gap(im->session, offset);
}

static ts_code arkts_finish(void *self)
{
    arkts_plugin *im = self;
    return ts_session_finish(im->session);
}

static void arkts_close(void *self)
{
    arkts_plugin *im = self;
    ts_session_free(im->session);
    ts_free(im->host->ctx, im);
}

static const ts_plugin_name names[] = {
    {"arkts-plugin", 0, reads_result},
    {"arkts-plugin_config", MAX_CONFIG, reads_config},
    {NULL, 0, NULL},
};

TS_HTRACE_PLUGIN(arkts) = {
    .names = names,
    .open = arkts_open,
    .begin = result_begin,
    .data = result_data,
    .end = result_end,
    .message = config_message,
    .gap = arkts_gap,
    .finish = arkts_finish,
    .close = arkts_close,
};
