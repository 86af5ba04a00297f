/*
 * System events as text, a JSON object in each line: the rows are those of hisysevent-plugin, which
 * gets each line as a message. Docs: docs/formats.md, "Logs as text".
 */
#include "parsers/format.h"
#include "parsers/logs/log_lines.h"

#include "base/alloc.h"
#include "htrace/plugin.h"

extern const ts_htrace_plugin ts_plugin_hisysevent;

typedef struct events_import {
    log_lines lines;
    ts_clock_set clocks; /* none is known: times stay as they are */
    ts_plugin_host host;
    void *plugin;
    ts_buf message;
    uint64_t events;
    uint64_t before; /* rows of other inputs */
} events_import;

static int events_sniff(const ts_sniff *s)
{
    return s->json_key != NULL && strcmp(s->json_key, "domain_") == 0 ? TS_SNIFF_SURE - 1
                                                                      : TS_SNIFF_NO;
}

static ts_code put_varint(ts_ctx *ctx, ts_buf *b, uint64_t v)
{
    ts_code code = TS_OK;
    while (code == TS_OK && v > 0x7F) {
        code = ts_buf_putc(ctx, b, (char)(v | 0x80));
        v >>= 7;
    }
    return code != TS_OK ? code : ts_buf_putc(ctx, b, (char)v);
}

static size_t varint_bytes(uint64_t v)
{
    size_t n = 1;
    while ((v >>= 7) != 0) {
        n++;
    }
    return n;
}

/* HisyseventInfo {1 info {1 raw_content, 2 id}}. */
static ts_code make_message(events_import *im, ts_text line)
{
    enum { INFO = 1 << 3 | 2, CONTENT = 1 << 3 | 2, ID = 2 << 3 };
    ts_ctx *ctx = im->lines.job->ctx;
    ts_buf *b = &im->message;
    const uint64_t info =
        2 + varint_bytes(line.n) + line.n + varint_bytes(im->lines.text.number); /* two tags */
    b->n = 0;
    TS_TRY(ts_buf_putc(ctx, b, INFO));
    TS_TRY(put_varint(ctx, b, info));
    TS_TRY(ts_buf_putc(ctx, b, CONTENT));
    TS_TRY(put_varint(ctx, b, line.n));
    TS_TRY(ts_buf_put(ctx, b, line.p, line.n));
    TS_TRY(ts_buf_putc(ctx, b, ID));
    return put_varint(ctx, b, im->lines.text.number);
}

static ts_code event_line(void *user, ts_text line)
{
    events_import *im = user;
    const ts_segment seg = {.plugin = "hisysevent-plugin",
                            .number = im->lines.text.number,
                            .offset = (int64_t)im->lines.text.at,
                            .timed = true};
    if (line.n == 0 || line.p[0] == '#') {
        return TS_OK;
    }
    im->events++;
    TS_TRY(make_message(im, line));
    return ts_plugin_hisysevent.message(im->plugin, &seg, (const uint8_t *)im->message.p,
                                        im->message.n);
}

static void events_close(void *self)
{
    events_import *im = self;
    ts_ctx *ctx = im->lines.job->ctx;
    ts_plugin_hisysevent.close(im->plugin);
    log_lines_free(&im->lines);
    ts_buf_free(ctx, &im->message);
    ts_free(ctx, im);
}

static ts_code events_open(void **self, ts_job *job)
{
    events_import *im = ts_zalloc(job->ctx, 1, sizeof *im);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, im);
    im->lines = (log_lines){.job = job, .call = event_line, .user = im};
    im->host = (ts_plugin_host){.ctx = job->ctx,
                                .store = job->store,
                                .source_id = job->source_id,
                                .clocks = &im->clocks,
                                .user = job};
    im->before = ts_sink_rows(ts_store_sink(job->store), TS_T_hisys_all_event);
    code = ts_plugin_hisysevent.open(&im->plugin, &im->host);
    if (code != TS_OK) {
        events_close(im);
        return code;
    }
    *self = im;
    return TS_OK;
}

static ts_code events_feed(void *self, const uint8_t *p, size_t n)
{
    events_import *im = self;
    return log_lines_feed(&im->lines, p, n);
}

static ts_code events_finish(void *self, const ts_stream_end *end)
{
    events_import *im = self;
    const ts_job *job = im->lines.job;
    TS_TRY(log_lines_end(&im->lines));
    TS_TRY(ts_count_add(job->store, job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0));
    if (job->ctx->time_range.kind == TS_WANTED_ALL && im->events > 0 &&
        ts_sink_rows(ts_store_sink(job->store), TS_T_hisys_all_event) == im->before) {
        return ts_fail(job->ctx, TS_ERR_FORMAT, "%s has no system event: no line is a JSON object",
                       job->name);
    }
    TS_TRY(ts_count_add(job->store, job->source_id, TS_ITEM_log_lines, NULL, im->events,
                        im->lines.lost, 0));
    return ts_plugin_hisysevent.finish(im->plugin);
}

TS_SOURCE_FORMAT(hisysevent_text) = {
    .name = "hisysevent-text",
    .title = "system events of OpenHarmony as text, a JSON object in each line",
    .source_type = "txt-based-trace",
    .sniff = events_sniff,
    .open = events_open,
    .feed = events_feed,
    .finish = events_finish,
    .close = events_close,
};
