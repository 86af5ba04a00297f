/*
 * hidump-plugin: frame rates. One row of hidump for each measurement, in the order of the
 * recording. Docs: docs/formats.md, "hidump-plugin".
 *
 * Each measurement says the clock of its time, and clocks may become known late: all are kept until
 * the end. Memory: 32 bytes a measurement.
 */
#include "htrace/plugins/plugin_records.h"

#include "base/ckd.h"
#include "base/vec.h"

#include <inttypes.h>

enum { EVENTS = 1 };
static const ts_field_def message_fields[] = {{EVENTS, TS_FIELD_BYTES, "fps_event"}};

enum { CLOCK, TIME, FPS, FIELDS };
static const ts_field_def fields[FIELDS] = {
    [CLOCK] = {1, TS_FIELD_INT32, "id"},
    [TIME] = {2, TS_FIELD_BYTES, "time"},
    [FPS] = {3, TS_FIELD_UINT32, "fps"},
};

enum { SEC, NSEC, TIME_FIELDS };
static const ts_field_def time_fields[TIME_FIELDS] = {
    [SEC] = {1, TS_FIELD_UINT32, "tv_sec"},
    [NSEC] = {2, TS_FIELD_UINT32, "tv_nsec"},
};

typedef struct measured_fps {
    int64_t ts; /* as recorded, or TS_NO_TIME */
    int64_t fps;
    int32_t clock; /* a ts_clock; TS_CLOCK_UNKNOWN: not converted */
    bool known;    /* fps */
} measured_fps;

typedef struct hidump {
    ts_records records;
    ts_vec events; /* measured_fps */
    ts_tally *counted;
    uint64_t odd_clocks;
} hidump;

/* The clock of a time. The numbers are those of clock snapshots. */
static int32_t clock_of(hidump *h, const ts_value *clock)
{
    if (clock->state == TS_VALUE_UNKNOWN) {
        return TS_CLOCK_UNKNOWN;
    }
    if (clock->i < TS_CLOCK_UNKNOWN || clock->i > TS_CLOCK_MONOTONIC_RAW) {
        h->odd_clocks++;
        return TS_CLOCK_UNKNOWN;
    }
    return (int32_t)clock->i;
}

/* The time of an event as recorded. */
static ts_code time_of(int64_t *ts, hidump *h, ts_message *m, const ts_value *v)
{
    ts_value time[TIME_FIELDS];
    ts_code code = TS_OK;
    *ts = TS_NO_TIME;
    if (v[TIME].state == TS_VALUE_READ) {
        code = ts_fields_part(time, NULL, m, fields[TIME].name, time_fields, TIME_FIELDS, v[TIME].p,
                              v[TIME].n);
        if (code == TS_OK && time[SEC].state != TS_VALUE_UNKNOWN &&
            time[NSEC].state != TS_VALUE_UNKNOWN) {
            *ts = ts_records_ns(&h->records, time[SEC].i, time[NSEC].i);
        }
    }
    /* A time of a clock that is not known is none. */
    if (v[CLOCK].state == TS_VALUE_UNKNOWN || *ts == TS_NO_TIME) {
        *ts = TS_NO_TIME;
        ts_records_untimed(&h->records, m);
    }
    return code;
}

static ts_code one_event(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    hidump *h = user;
    ts_value v[FIELDS];
    measured_fps *event;
    int64_t ts;
    TS_TRY(ts_fields_part(v, NULL, m, "fps_event", fields, FIELDS, p, n));
    h->counted->seen++;
    if (v[TIME].state == TS_VALUE_UNKNOWN && v[FPS].state == TS_VALUE_UNKNOWN) {
        h->counted->lost++;
        return TS_OK;
    }
    TS_TRY(time_of(&ts, h, m, v));
    TS_NEED(h->records.host->ctx,
            event = ts_vec_add(h->records.host->ctx, &h->events, sizeof *event));
    *event = (measured_fps){.ts = ts,
                            .fps = v[FPS].i,
                            .clock = clock_of(h, &v[CLOCK]),
                            .known = v[FPS].state != TS_VALUE_UNKNOWN};
    ts_records_lose(&h->records, event->known ? 0 : 1);
    return TS_OK;
}

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    hidump *h = self;
    ts_value events;
    ts_message m;
    ts_code code = ts_records_begin(&m, &h->records, seg);
    TS_STEP_IF(code, h->counted == NULL, ts_records_tally(&h->counted, &h->records, NULL));
    if (code != TS_OK || ts_records_again(&h->records, &m, p, n) ||
        (code = ts_fields_part(&events, NULL, &m, NULL, message_fields, 1, p, n)) != TS_OK ||
        (code = ts_fields_repeat(&m, EVENTS, p, n, one_event, h)) != TS_OK) {
        return code;
    }
    ts_records_end(&h->records, &m);
    return TS_OK;
}

/* A row; one whose clock is not related to others keeps its time. */
static ts_code put_event(hidump *h, ts_span *span, bool *spanned, const measured_fps *event)
{
    ts_records *r = &h->records;
    ts_sink *sink = ts_store_sink(r->host->store);
    ts_row_hidump row = {.id = (int64_t)ts_sink_rows(sink, TS_T_hidump), .fps = event->fps};
    ts_clock clock = TS_CLOCK_BOOTTIME;
    ts_code code = TS_OK;
    bool wanted;
    row.ts = event->clock == TS_CLOCK_UNKNOWN
                 ? event->ts
                 : ts_htrace_time(&clock, &r->times, (ts_clock)event->clock, event->ts);
    if (!*spanned && row.ts != TS_NO_TIME) {
        *spanned = true;
        code = ts_htrace_wanted(span, r->host, r->plugin, clock, row.ts);
    }
    wanted = row.ts == TS_NO_TIME ? r->host->ctx->time_range.kind == TS_WANTED_ALL
                                  : ts_span_has(span, row.ts);
    if (code != TS_OK || !wanted) {
        h->counted->skipped += code == TS_OK;
        return code;
    }
    ts_range_note(r->host->store, clock, TS_RANGE_ROWS, row.ts);
    TS_NULL_IF(row.ts == TS_NO_TIME, hidump, &row, ts);
    TS_NULL_IF(!event->known, hidump, &row, fps);
    h->counted->imported++;
    return ts_put_hidump(sink, &row);
}

static ts_code finish(void *self)
{
    hidump *h = self;
    const measured_fps *events = h->events.p;
    ts_store *store = h->records.host->store;
    ts_span span = TS_SPAN_ALL;
    bool spanned = false;
    ts_code code = TS_OK;
    if (h->counted == NULL) {
        return TS_OK;
    }
    if (h->events.n > 0 && events[h->events.n - 1].clock != TS_CLOCK_UNKNOWN) {
        code =
            ts_datasource_clock(store, h->records.plugin, (ts_clock)events[h->events.n - 1].clock);
    }
    TS_STEP(code, ts_stat(store, "hidump_fps", "received", h->counted->seen));
    for (size_t i = 0; code == TS_OK && i < h->events.n; i++) {
        code = put_event(h, &span, &spanned, &events[i]);
    }
    if (code == TS_OK && h->odd_clocks > 0) {
        code = ts_issue_n(store, h->records.host->source_id, TS_ISSUE_plugin_odd_value,
                          h->records.plugin, TS_NO_OFFSET, h->odd_clocks,
                          "the clocks of %" PRIu64 " times are not known", h->odd_clocks);
    }
    return code != TS_OK ? code : ts_records_finish(&h->records);
}

static void close_plugin(void *self)
{
    hidump *h = self;
    ts_ctx *ctx = h->records.host->ctx;
    ts_vec_free(ctx, &h->events);
}

static ts_code open_plugin(void **self, const ts_plugin_host *host)
{
    hidump *h = *self;
    ts_records_init(&h->records, host, "hidump-plugin");
    h->records.recorded = TS_CLOCK_UNKNOWN; /* each says its own */
    return TS_OK;
}

static const ts_plugin_name names[] = {
    {"hidump-plugin", TS_RECORDS_MESSAGE, NULL},
    {NULL, 0, NULL},
};

TS_HTRACE_PLUGIN(hidump) = {
    .names = names,
    .size = sizeof(hidump),
    .open = open_plugin,
    .message = message,
    .finish = finish,
    .close = close_plugin,
};
