#include "parsers/ftrace/plugin/ftrace_recording.h"

#include "base/ckd.h"

#include <inttypes.h>

#define PLUGIN "ffrt-profiler"
#define NS_PER_S INT64_C(1000000000)

static const ts_field_def config_fields[] = {{4, TS_FIELD_INT32, "clock_id"}};
static const ts_field_def message_fields[] = {{1, TS_FIELD_BYTES, "ffrt_event"}};

enum { SEC, NSEC, PID, TID, PROCESS_NAME, THREAD_NAME, TRACE, RAW, EVENT_FIELDS };
static const ts_field_def event_fields[EVENT_FIELDS] = {
    [SEC] = {1, TS_FIELD_UINT, "tv_sec"},
    [NSEC] = {2, TS_FIELD_UINT, "tv_nsec"},
    [PID] = {4, TS_FIELD_INT32, "pid"},
    [TID] = {5, TS_FIELD_INT32, "tid"},
    [PROCESS_NAME] = {6, TS_FIELD_BYTES, "process_name"},
    [THREAD_NAME] = {7, TS_FIELD_BYTES, "thread_name"},
    [TRACE] = {8, TS_FIELD_BYTES, "trace"},
    [RAW] = {9, TS_FIELD_BYTES, "raw"},
};

enum { TYPE, LABEL, COOKIE, TRACE_FIELDS };
static const ts_field_def trace_fields[TRACE_FIELDS] = {
    [TYPE] = {2, TS_FIELD_BYTES, "trace_type"},
    [LABEL] = {3, TS_FIELD_BYTES, "label"},
    [COOKIE] = {4, TS_FIELD_INT, "cookie"},
};

void ftrace_ffrt_init(ftrace_ffrt *ffrt, const ts_plugin_host *host, ftrace_recording *recording)
{
    *ffrt = (ftrace_ffrt){.host = host, .recording = recording, .clock = TS_CLOCK_BOOTTIME};
}

void ftrace_ffrt_free(ftrace_ffrt *ffrt)
{
    ts_idmap_free(ffrt->host->ctx, &ffrt->names);
    ts_pool_free(ffrt->host->ctx, &ffrt->texts);
    ts_buf_free(ffrt->host->ctx, &ffrt->marker);
}

/* --- configuration ---------------------------------------------------------------------------- */

static ts_code read_config(ftrace_ffrt *ffrt, ts_message *m, const uint8_t *p, size_t n)
{
    ts_value id;
    ts_code code = ts_fields_part(&id, NULL, m, NULL, config_fields, 1, p, n);
    if (code != TS_OK || id.state != TS_VALUE_READ) {
        return code;
    }
    if (id.i >= TS_CLOCK_BOOTTIME && id.i <= TS_CLOCK_MONOTONIC_RAW) {
        ffrt->clock = (ts_clock)id.i;
        return TS_OK;
    }
    ffrt->clock = TS_CLOCK_UNKNOWN;
    return id.i == 0
               ? TS_OK
               : ts_issue(ffrt->host->store, ffrt->host->source_id, TS_ISSUE_ftrace_clock_unknown,
                          m->seg->plugin, m->seg->offset, "there is no clock %" PRId64, id.i);
}

/* --- events ----------------------------------------------------------------------------------- */

static int64_t thread_key(const ts_value *v)
{
    return (int64_t)((uint64_t)v[TID].i << 32 | (uint32_t)v[PID].i);
}

/* An event that names a thread and is no marker. */
static ts_code take_name(ftrace_ffrt *ffrt, const ts_value *v)
{
    const ts_value *value = v[PROCESS_NAME].n > 0 ? &v[PROCESS_NAME] : &v[THREAD_NAME];
    ts_text name = ts_value_text(value);
    uint32_t number;
    name.n = name.n > FTRACE_FFRT_NAME_MAX ? FTRACE_FFRT_NAME_MAX : name.n;
    TS_TRY(ts_pool_intern(ffrt->host->ctx, &number, NULL, &ffrt->texts, name));
    TS_TRY(ts_idmap_put(ffrt->host->ctx, &ffrt->names, thread_key(v), number));
    return ftrace_recording_name(ffrt->recording, FTRACE_NAMED_THREAD, (uint64_t)thread_key(v),
                                 name);
}

/* The marker as the kernel's are written: B|20|H:label|cookie. */
static ts_code write_marker(ftrace_ffrt *ffrt, const ts_value *v, const ts_value *trace)
{
    ts_ctx *ctx = ffrt->host->ctx;
    ts_buf *b = &ffrt->marker;
    ts_text label = ts_value_text(&trace[LABEL]);
    ts_text type = ts_value_text(&trace[TYPE]);
    ts_code code;
    while (label.n > 0 && label.p[label.n - 1] == '\0') {
        label.n--;
    }
    b->n = 0;
    TS_TRY_INTO(code, ts_buf_put(ctx, b, type.p, type.n));
    TS_TRY_INTO(code, ts_buf_putc(ctx, b, '|'));
    TS_TRY_INTO(code, ts_buf_decimal(ctx, b, v[PID].i));
    if (trace[LABEL].n > 0 && ((code = ts_buf_put(ctx, b, "|H:", 3)) != TS_OK ||
                               (code = ts_buf_put(ctx, b, label.p, label.n)) != TS_OK)) {
        return code;
    }
    if (trace[COOKIE].i != 0 && ((code = ts_buf_putc(ctx, b, '|')) != TS_OK ||
                                 (code = ts_buf_decimal(ctx, b, trace[COOKIE].i)) != TS_OK)) {
        return code;
    }
    return TS_OK;
}

/* False when the time is not known. */
static bool time_of_event(int64_t *ts, const ts_value *v)
{
    return v[SEC].state != TS_VALUE_UNKNOWN && v[NSEC].state != TS_VALUE_UNKNOWN &&
           !ts_ckd_mul(ts, v[SEC].i, NS_PER_S) && !ts_ckd_add(ts, *ts, v[NSEC].i);
}

static ts_code take_trace(bool *used, ftrace_ffrt *ffrt, ts_message *m, const ts_value *v)
{
    ts_value trace[TRACE_FIELDS];
    ftrace_event event = {.reader = FTRACE_FROM_FFRT, .kind = FTRACE_print, .comm = {"", 0}};
    uint64_t number;
    ts_code code =
        ts_fields_part(trace, NULL, m, "trace", trace_fields, TRACE_FIELDS, v[TRACE].p, v[TRACE].n);
    *used = false;
    for (unsigned i = 0; i < TRACE_FIELDS && code == TS_OK; i++) {
        if (trace[i].state == TS_VALUE_UNKNOWN) {
            return TS_OK;
        }
    }
    if (code != TS_OK || (code = write_marker(ffrt, v, trace)) != TS_OK) {
        return code;
    }
    if (!time_of_event(&event.ts, v)) {
        m->faults++;
        return ts_issue(ffrt->host->store, ffrt->host->source_id, TS_ISSUE_record_untimed,
                        m->seg->plugin, m->seg->offset,
                        "message %" PRIu64 ": the time of an event is not known", m->seg->number);
    }
    event.pid = (int32_t)v[TID].i;
    event.tgid = (int32_t)v[PID].i;
    event.texts = 1U << FTRACE_T_print_buf;
    event.text[FTRACE_T_print_buf] = ts_buf_text(&ffrt->marker);
    if (ts_idmap_find(&number, &ffrt->names, thread_key(v))) {
        event.comm = ts_pool_text(&ffrt->texts, (uint32_t)number);
    }
    *used = true;
    return ftrace_recording_add(ffrt->recording, &event, ffrt->clock);
}

static ts_code one_event(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    ftrace_ffrt *ffrt = user;
    ts_value v[EVENT_FIELDS];
    bool used = true;
    ts_code code = ts_fields_part(v, NULL, m, "ffrt_event", event_fields, EVENT_FIELDS, p, n);
    ffrt->events->seen++;
    if (code != TS_OK || v[PID].state == TS_VALUE_UNKNOWN || v[TID].state == TS_VALUE_UNKNOWN ||
        v[TRACE].state == TS_VALUE_UNKNOWN || v[RAW].state == TS_VALUE_UNKNOWN) {
        used = false;
    } else if (v[TRACE].state == TS_VALUE_READ) {
        code = take_trace(&used, ffrt, m, v);
    } else if (v[RAW].state == TS_VALUE_READ) {
        ffrt->events->skipped++;
        return TS_OK;
    } else if (v[PROCESS_NAME].state != TS_VALUE_UNKNOWN &&
               v[THREAD_NAME].state != TS_VALUE_UNKNOWN) {
        code = take_name(ffrt, v);
    } else {
        used = false;
    }
    *(used ? &ffrt->events->imported : &ffrt->events->lost) += 1;
    return code;
}

static ts_code read_events(ftrace_ffrt *ffrt, ts_message *m, const uint8_t *p, size_t n)
{
    ts_value events;
    ts_code code = ts_datasource_clock(ffrt->host->store, PLUGIN, ffrt->clock);
    TS_STEP_IF(code, ffrt->events == NULL,
               ts_count(&ffrt->events, ffrt->host->store, ffrt->host->source_id,
                        TS_ITEM_plugin_records, PLUGIN));
    TS_STEP(code, ts_fields_part(&events, NULL, m, NULL, message_fields, 1, p, n));
    TS_STEP(code, ts_fields_repeat(m, message_fields[0].number, p, n, one_event, ffrt));
    return code;
}

ts_code ftrace_ffrt_message(ftrace_ffrt *ffrt, const ts_segment *seg, const uint8_t *p, size_t n)
{
    ts_message m = {.host = ffrt->host, .seg = seg};
    bool config = strcmp(seg->plugin, PLUGIN) != 0;
    ts_tally **tally = config ? &ffrt->configs : &ffrt->messages;
    ts_code code = TS_OK;
    if (*tally == NULL) {
        code = ts_count(tally, ffrt->host->store, ffrt->host->source_id, TS_ITEM_plugin_messages,
                        seg->plugin);
    }
    if (code != TS_OK ||
        (code = config ? read_config(ffrt, &m, p, n) : read_events(ffrt, &m, p, n)) != TS_OK) {
        return code;
    }
    (*tally)->seen++;
    *(m.faults > 0 ? &(*tally)->lost : &(*tally)->imported) += 1;
    return TS_OK;
}
