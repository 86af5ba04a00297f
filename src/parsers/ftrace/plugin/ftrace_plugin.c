/*
 * ftrace-plugin and ffrt-profiler of .htrace recordings: events of the kernel and of a scheduler in
 * user space, which become the same rows. Docs: docs/formats.md, "ftrace-plugin".
 */
#include "base/alloc.h"
#include "base/vec.h"
#include "parsers/ftrace/plugin/ftrace_protobuf.h"
#include "parsers/ftrace/plugin/ftrace_recording.h"
#include "parsers/ftrace/plugin/ftrace_result.h"

#include <inttypes.h>

enum { CPUS_MAX = 4096 }; /* whose counters are kept */

#define PLUGIN "ftrace-plugin"

/* What a CPU's counters say at the end. */
typedef struct cpu_losses {
    uint64_t cpu;
    uint64_t overrun[2]; /* at the beginning and at the end */
    uint64_t dropped[2];
    uint64_t overwritten; /* before parts of its events */
} cpu_losses;

/* What is compared to find a message that is repeated; times of events do not come again. */
typedef struct message_print {
    uint64_t size;
    uint64_t events;
    uint64_t times; /* their sum */
} message_print;

typedef struct ftrace_plugin {
    const ts_plugin_host *host;
    ftrace_recording recording;
    ftrace_protobuf reader;
    ftrace_result result;
    ftrace_ffrt ffrt;
    ts_tally *messages; /* NULL before the first */
    ts_clock clock;     /* of the events that follow */
    ts_clock known;     /* the last that is one of the clocks of the recording */
    bool has_events;
    uint64_t odd_clocks; /* names of clocks that are none */
    uint64_t not_supported;
    uint64_t overwrites; /* parts of events before which some were overwritten */
    uint64_t untimed;
    bool part_begun;           /* the part under way has an event, the first one: */
    int64_t part_after;        /* of its CPU's events before that the latest time */
    int64_t part_first;        /* its own time */
    message_print now, before; /* of messages with events */
    uint64_t repeated;         /* messages */
    ts_vec cpus;               /* cpu_losses, in the order in which they are named */
} ftrace_plugin;

/* --- parts of a message ---------------------------------------------------------------------- */

static ts_code take_clock(void *user, ts_text name)
{
    ftrace_plugin *plugin = user;
    const ts_plugin_host *host = plugin->host;
    if (name.n == 0) {
        return TS_OK;
    }
    plugin->clock = ts_text_is(name, "boot")   ? TS_CLOCK_BOOTTIME
                    : ts_text_is(name, "mono") ? TS_CLOCK_MONOTONIC
                                               : TS_CLOCK_UNKNOWN;
    if (plugin->clock != TS_CLOCK_UNKNOWN) {
        return TS_OK;
    }
    return plugin->odd_clocks++ > 0
               ? TS_OK
               : ts_issue(host->store, host->source_id, TS_ISSUE_ftrace_clock_unknown, PLUGIN,
                          plugin->result.message.seg->offset,
                          "times of events from here on are not boottime or monotonic");
}

/* The counters of a CPU; NULL when there are too many. */
static ts_code losses_of(cpu_losses **out, ftrace_plugin *plugin, uint64_t cpu)
{
    cpu_losses *all = plugin->cpus.p;
    *out = NULL;
    for (size_t i = 0; i < plugin->cpus.n; i++) {
        if (all[i].cpu == cpu) {
            *out = &all[i];
            return TS_OK;
        }
    }
    if (plugin->cpus.n == CPUS_MAX) {
        return TS_OK;
    }
    TS_NEED(plugin->host->ctx, *out = ts_vec_add(plugin->host->ctx, &plugin->cpus, sizeof **out));
    (*out)->cpu = cpu;
    return TS_OK;
}

/* The last counters count: those at the end of the recording. */
static ts_code take_stats(void *user, const ftrace_cpu_stats *stats)
{
    ftrace_plugin *plugin = user;
    cpu_losses *losses;
    ts_code code = TS_OK;
    if (stats->overrun == 0 && stats->dropped == 0) {
        return TS_OK;
    }
    code = losses_of(&losses, plugin, stats->cpu);
    if (code == TS_OK && losses != NULL) {
        losses->overrun[stats->at_end] = stats->overrun;
        losses->dropped[stats->at_end] = stats->dropped;
    }
    return code;
}

static void begin_part(void *user)
{
    ftrace_plugin *plugin = user;
    plugin->part_begun = false;
}

/* What was overwritten before a part is missing between its CPU's last event and its first one:
 * before that, which is in the queue already. */
static ts_code take_overwrite(void *user, uint32_t cpu, uint64_t n)
{
    ftrace_plugin *plugin = user;
    cpu_losses *losses;
    int64_t first;
    ts_code code = losses_of(&losses, plugin, cpu);
    plugin->overwrites++;
    if (code == TS_OK && losses != NULL) {
        losses->overwritten += n < UINT64_MAX - losses->overwritten ? n : 0;
    }
    if (code != TS_OK) {
        return code;
    }
    if (!plugin->part_begun) {
        return ftrace_recording_lost(&plugin->recording, cpu);
    }
    first = plugin->part_first;
    return ftrace_feed_lost_between(&plugin->recording.feed, cpu, plugin->part_after,
                                    first > plugin->part_after ? first - 1 : first);
}

/* An event that is not there; the next one of its CPU is. */
static ts_code no_event(ftrace_plugin *plugin, uint32_t cpu)
{
    ts_code code = ftrace_recording_unused(&plugin->recording, FTRACE_LOST_EVENT);
    TS_STEP(code, ftrace_recording_lost(&plugin->recording, cpu));
    return code;
}

static ts_code bad_event(ftrace_plugin *plugin, uint32_t cpu, ts_issue_code issue, const char *why)
{
    const ts_plugin_host *host = plugin->host;
    const ts_segment *seg = plugin->result.message.seg;
    ts_code code = no_event(plugin, cpu);
    plugin->result.message.faults++;
    TS_STEP(code, ts_issue(host->store, host->source_id, issue, PLUGIN, seg->offset,
                           "message %" PRIu64 ": an event is not read: %s", seg->number, why));
    return code;
}

static ts_code add_event(ftrace_plugin *plugin, ftrace_event *event)
{
    ts_code code;
    if (plugin->part_begun) {
        return ftrace_recording_add(&plugin->recording, event, plugin->clock);
    }
    plugin->part_after = ftrace_feed_latest(&plugin->recording.feed, event->cpu);
    code = ftrace_recording_add(&plugin->recording, event, plugin->clock);
    plugin->part_begun = true;
    plugin->part_first = event->ts;
    return code;
}

static ts_code take_event(void *user, uint32_t cpu, const uint8_t *p, size_t n, size_t room)
{
    ftrace_plugin *plugin = user;
    ftrace_event event;
    switch (ftrace_protobuf_event(&event, &plugin->reader, cpu, p, n, room)) {
    case FTRACE_FOUND_EVENT:
        plugin->has_events = true;
        plugin->known = plugin->clock;
        plugin->now.events++;
        plugin->now.times += (uint64_t)event.ts;
        return add_event(plugin, &event);
    case FTRACE_FOUND_OTHER:
        plugin->not_supported++;
        return ftrace_recording_unused(&plugin->recording, FTRACE_SKIPPED);
    case FTRACE_FOUND_UNTIMED:
        plugin->untimed++;
        return no_event(plugin, cpu);
    case FTRACE_FOUND_ODD:
        return bad_event(plugin, cpu, TS_ISSUE_plugin_bad_field,
                         "a field has another type than it should");
    default:
        return bad_event(plugin, cpu, TS_ISSUE_plugin_bad_message, "it is damaged");
    }
}

/* What breaks off is recorded as damage of what is around it. */
static ts_code lose_event(void *user, uint32_t cpu, const char *why)
{
    ftrace_plugin *plugin = user;
    return why == NULL ? no_event(plugin, cpu)
                       : bad_event(plugin, cpu, TS_ISSUE_plugin_bad_message, why);
}

static ts_code take_symbol(void *user, uint64_t addr, ts_text name)
{
    ftrace_plugin *plugin = user;
    return ftrace_recording_name(&plugin->recording, FTRACE_NAMED_SYMBOL, addr, name);
}

static ts_code take_comm(void *user, int32_t tid, ts_text name)
{
    ftrace_plugin *plugin = user;
    return ftrace_recording_name(&plugin->recording, FTRACE_NAMED_COMM, (uint32_t)tid, name);
}

static const ftrace_result_calls result_calls = {
    .clock = take_clock,
    .stats = take_stats,
    .part = begin_part,
    .overwrite = take_overwrite,
    .event = take_event,
    .lost = lose_event,
    .symbol = take_symbol,
    .comm = take_comm,
};

/* --- segments -------------------------------------------------------------------------------- */

static ts_code begin(void *self, const ts_segment *seg)
{
    ftrace_plugin *plugin = self;
    ts_code code = TS_OK;
    if (plugin->messages == NULL) {
        code = ts_count(&plugin->messages, plugin->host->store, plugin->host->source_id,
                        TS_ITEM_plugin_messages, PLUGIN);
    }
    plugin->now = (message_print){0};
    ftrace_result_begin(&plugin->result, seg);
    return code;
}

static ts_code data(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    ftrace_plugin *plugin = self;
    plugin->now.size += n;
    return ftrace_result_feed(&plugin->result, seg, p, n);
}

static ts_code end(void *self, const ts_segment *seg)
{
    ftrace_plugin *plugin = self;
    uint64_t faults;
    ts_code code = ftrace_result_end(&faults, &plugin->result, seg);
    if (plugin->now.events > 0) {
        plugin->repeated += memcmp(&plugin->now, &plugin->before, sizeof plugin->now) == 0;
        plugin->before = plugin->now;
    }
    plugin->messages->seen++;
    *(faults > 0 ? &plugin->messages->lost : &plugin->messages->imported) += 1;
    if (faults > 0) {
        ftrace_recording_gap(&plugin->recording);
    }
    return code;
}

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    ftrace_plugin *plugin = self;
    return ftrace_ffrt_message(&plugin->ffrt, seg, p, n);
}

static ts_code gap(void *self, int64_t offset)
{
    ftrace_plugin *plugin = self;
    (void)offset;
    ftrace_recording_gap(&plugin->recording);
    return TS_OK;
}

/* --- the end --------------------------------------------------------------------------------- */

/* What a counter rose by; one that is lower at the end began anew. */
static uint64_t rise(const uint64_t counter[2])
{
    return counter[1] < counter[0] ? counter[1] : counter[1] - counter[0];
}

/* Of a CPU: as many as its counters say, or as the parts of its events do, and one at least. */
static ts_code record_loss(const ftrace_plugin *plugin, const cpu_losses *l)
{
    const ts_plugin_host *host = plugin->host;
    uint64_t overrun = rise(l->overrun);
    uint64_t dropped = rise(l->dropped);
    uint64_t lost = dropped > UINT64_MAX - overrun ? UINT64_MAX : overrun + dropped;
    lost = lost > l->overwritten ? lost : l->overwritten;
    if (lost == 0) {
        return TS_OK;
    }
    TS_TRY(
        ts_count_add(host->store, host->source_id, TS_ITEM_ftrace_events, "dropped", 0, lost, 0));
    return ts_issue(host->store, host->source_id, TS_ISSUE_ftrace_overrun, PLUGIN, TS_NO_OFFSET,
                    "CPU %" PRIu64 ": %" PRIu64 " events were overwritten, %" PRIu64
                    " dropped; %" PRIu64 " of them before parts of the recording",
                    l->cpu, overrun, dropped, l->overwritten);
}

static ts_code record_losses(const ftrace_plugin *plugin)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < plugin->cpus.n && code == TS_OK; i++) {
        code = record_loss(plugin, (const cpu_losses *)plugin->cpus.p + i);
    }
    return code;
}

static ts_code finish(void *self)
{
    ftrace_plugin *plugin = self;
    const ts_plugin_host *host = plugin->host;
    ts_code code;
    if ((code = ts_stat(host->store, "other", "not_supported", plugin->not_supported)) != TS_OK ||
        (code = ts_stat(host->store, "other", "data_lost", plugin->overwrites)) != TS_OK ||
        (code = record_losses(plugin)) != TS_OK ||
        (plugin->has_events && plugin->known != TS_CLOCK_UNKNOWN &&
         (code = ts_datasource_clock(host->store, PLUGIN, plugin->known)) != TS_OK) ||
        (code =
             ts_issue_n(host->store, host->source_id, TS_ISSUE_time_overflow, PLUGIN, TS_NO_OFFSET,
                        plugin->untimed, "times of events have more than 63 bits")) != TS_OK ||
        (code = ts_issue_n(host->store, host->source_id, TS_ISSUE_sample_repeated, PLUGIN,
                           TS_NO_OFFSET, plugin->repeated, "%" PRIu64 " messages are repeated",
                           plugin->repeated)) != TS_OK) {
        return code;
    }
    plugin->recording.repeated = plugin->repeated > 0;
    return ftrace_recording_finish(&plugin->recording);
}

static void close_plugin(void *self)
{
    ftrace_plugin *plugin = self;
    if (plugin != NULL) {
        ts_ctx *ctx = plugin->host->ctx;
        ftrace_ffrt_free(&plugin->ffrt);
        ftrace_result_free(&plugin->result);
        ftrace_recording_free(&plugin->recording);
        ts_vec_free(ctx, &plugin->cpus);
        ts_free(ctx, plugin);
    }
}

static ts_code open_plugin(void **self, const ts_plugin_host *host)
{
    ftrace_plugin *plugin = ts_zalloc(host->ctx, 1, sizeof *plugin);
    *self = plugin;
    TS_NEED(host->ctx, plugin);
    plugin->host = host;
    plugin->clock = TS_CLOCK_BOOTTIME;
    ftrace_recording_init(&plugin->recording, host);
    ftrace_protobuf_init(&plugin->reader);
    ftrace_result_init(&plugin->result, host, &result_calls, plugin);
    ftrace_ffrt_init(&plugin->ffrt, host, &plugin->recording);
    return TS_OK;
}

static const ts_plugin_name names[] = {
    {"ftrace-plugin", 0, NULL},
    {"ffrt-profiler", FTRACE_FFRT_MESSAGE, NULL},
    {"ffrt-profiler_config", FTRACE_FFRT_CONFIG, NULL},
    {NULL, 0, NULL},
};

TS_HTRACE_PLUGIN(ftrace) = {
    .names = names,
    .open = open_plugin,
    .begin = begin,
    .data = data,
    .end = end,
    .message = message,
    .gap = gap,
    .finish = finish,
    .close = close_plugin,
};
