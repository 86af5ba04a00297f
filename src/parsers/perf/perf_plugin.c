/* Recordings of hiperf in .htrace: sections of their own, read when all clocks are known. */
#include "htrace/plugin.h"
#include "parsers/perf/perf_reader.h"

typedef struct perf_plugin {
    const ts_plugin_host *host;
    ts_perf_reader *reader; /* NULL: there was no section yet */
} perf_plugin;

static ts_code plugin_open(void **self, const ts_plugin_host *host)
{
    perf_plugin *p = *self;
    p->host = host;
    return TS_OK;
}

static ts_code plugin_begin(void *self, const ts_raw_section *section)
{
    perf_plugin *p = self;
    if (p->reader == NULL) {
        TS_TRY(ts_perf_reader_open(&p->reader, p->host->user));
    }
    return ts_perf_reader_begin(p->reader, section->offset);
}

static ts_code plugin_data(void *self, const ts_raw_section *section, const uint8_t *bytes,
                           size_t n)
{
    perf_plugin *p = self;
    (void)section;
    return ts_perf_reader_feed(p->reader, bytes, n);
}

static ts_code plugin_end(void *self, const ts_raw_section *section)
{
    (void)self;
    (void)section;
    return TS_OK;
}

static ts_code plugin_finish(void *self)
{
    perf_plugin *p = self;
    return p->reader == NULL ? TS_OK
                             : ts_perf_reader_finish(p->reader, p->host->source_id, p->host);
}

static void plugin_close(void *self)
{
    perf_plugin *p = self;
    ts_perf_reader_close(p->reader);
}

static const ts_plugin_name names[] = {{NULL, 0, NULL}};
static const ts_plugin_section sections[] = {{"hiperf", TS_RAW_HIPERF}, {NULL, TS_RAW_HIPERF}};

TS_HTRACE_PLUGIN(perf) = {
    .names = names,
    .sections = sections,
    .size = sizeof(perf_plugin),
    .open = plugin_open,
    .section_begin = plugin_begin,
    .section_data = plugin_data,
    .section_end = plugin_end,
    .finish = plugin_finish,
    .close = plugin_close,
};
