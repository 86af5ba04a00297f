/*
 * stream-plugin: a demonstration of the recorder, with a number and a text in each message. They
 * have no table and are counted. Docs: docs/formats.md, "stream-plugin".
 */
#include "htrace/plugins/plugin_records.h"

static ts_code open_plugin(void **self, const ts_plugin_host *host)
{
    *self = (void *)(uintptr_t)host; /* nothing else is needed */
    return TS_OK;
}

static ts_code end(void *self, const ts_segment *seg)
{
    const ts_plugin_host *host = self;
    ts_tally *messages;
    ts_code code =
        ts_count(&messages, host->store, host->source_id, TS_ITEM_plugin_messages, seg->plugin);
    if (code == TS_OK) {
        messages->seen++;
        messages->skipped++;
    }
    return code;
}

static const ts_plugin_name names[] = {
    {"stream-plugin", 0, NULL}, /* nothing is held */
    {NULL, 0, NULL},
};

TS_HTRACE_PLUGIN(stream) = {
    .names = names,
    .open = open_plugin,
    .end = end,
};
