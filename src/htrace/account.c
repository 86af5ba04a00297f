#include "htrace/state.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

enum { SECTIONS_WITH_PROPERTIES = 16, VERSION_KNOWN = 0x00010000 };

void ts_tally_add(ts_tally *tally, ts_outcome outcome, uint64_t n)
{
    if (tally == NULL) {
        return;
    }
    tally->seen += n;
    switch (outcome) {
    case TS_IMPORTED:
        tally->imported += n;
        break;
    case TS_SKIPPED:
        tally->skipped += n;
        break;
    case TS_LOST:
        tally->lost += n;
        break;
    }
}

ts_code ts_htrace_open_counts(ts_htrace *h)
{
    const int64_t id = h->config.source_id;
    TS_TRY(ts_count(&h->account.bytes, h->store, id, TS_ITEM_bytes, NULL));
    TS_TRY(ts_count(&h->account.sections, h->store, id, TS_ITEM_sections, NULL));
    return ts_count(&h->account.segments, h->store, id, TS_ITEM_segments, NULL);
}

ts_code ts_htrace_count_raw(ts_htrace *h, uint64_t n)
{
    const ts_outcome outcome = h->section.reader != NULL ? TS_IMPORTED : TS_SKIPPED;
    ts_tally *tally = NULL;
    ts_tally_add(h->account.bytes, outcome, n);
    if (h->store != NULL) {
        TS_TRY(ts_count(&tally, h->store, h->config.source_id, TS_ITEM_section_bytes,
                        h->section.raw_kind));
    }
    ts_tally_add(tally, outcome, n);
    return TS_OK;
}

ts_code ts_htrace_stat(ts_htrace *h, const char *event, const char *type, uint64_t n)
{
    return h->store == NULL || event == NULL ? TS_OK : ts_stat(h->store, event, type, n);
}

/* --- headers ---------------------------------------------------------------------------------- */

/* A property of the source; of sections after the first the key says which. */
static ts_code put_text_property(ts_htrace *h, const char *key, const char *p, size_t n)
{
    char full[64];
    if (h->section.count > 1) {
        snprintf(full, sizeof full, "section%" PRIu64 ".%s", h->section.count, key);
        key = full;
    }
    return ts_source_property(h->store, h->config.source_id, key, (ts_text){p, n});
}

static ts_code put_number_property(ts_htrace *h, const char *key, uint64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, value);
    return put_text_property(h, key, text, (size_t)n);
}

static ts_code put_if(ts_htrace *h, const char *key, uint64_t value)
{
    return value == 0 ? TS_OK : put_number_property(h, key, value);
}

static ts_code put_clocks(ts_htrace *h)
{
    static const char *const keys[TS_CLOCK_COUNT] = {
        [TS_CLOCK_BOOTTIME] = "start_boottime_ns",
        [TS_CLOCK_REALTIME] = "start_realtime_ns",
        [TS_CLOCK_REALTIME_COARSE] = "start_realtime_coarse_ns",
        [TS_CLOCK_MONOTONIC] = "start_monotonic_ns",
        [TS_CLOCK_MONOTONIC_COARSE] = "start_monotonic_coarse_ns",
        [TS_CLOCK_MONOTONIC_RAW] = "start_monotonic_raw_ns",
    };
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < TS_CLOCK_COUNT; i++) {
        if (keys[i] != NULL) {
            code = put_if(h, keys[i], h->section.header.clocks.at[i]);
        }
    }
    return code;
}

static ts_code put_properties(ts_htrace *h)
{
    const ts_htrace_header *header = &h->section.header;
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"header_length", header->length},
        {"header_segments", header->pieces},
        {"data_type", header->data_type},
    };
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && code == TS_OK; i++) {
        code = put_number_property(h, numbers[i].key, numbers[i].value);
    }
    TS_STEP(code, put_if(h, "duration_ns", header->duration_ns));
    TS_STEP_IF(code, header->plugin_version[0] != '\0',
               put_text_property(h, "plugin_version", header->plugin_version,
                                 strlen(header->plugin_version)));
    TS_STEP_IF(
        code, header->standalone[0] != '\0',
        put_text_property(h, "standalone_plugin", header->standalone, strlen(header->standalone)));
    TS_STEP(code, put_clocks(h));
    return code;
}

static ts_code put_version(ts_htrace *h)
{
    char text[24];
    ts_row_source *row = ts_source(h->store, h->config.source_id);
    int n = snprintf(text, sizeof text, "%" PRIu32 ".%" PRIu32, h->section.header.version >> 16,
                     h->section.header.version & 0xffff);
    return ts_source_text(h->store, h->config.source_id, &row->format_version, text, (size_t)n);
}

ts_code ts_htrace_record_header(ts_htrace *h)
{
    const ts_htrace_header *header = &h->section.header;
    ts_code code = TS_OK;
    if (h->store == NULL) {
        return TS_OK;
    }
    if (h->section.count <= SECTIONS_WITH_PROPERTIES) {
        code = put_properties(h);
    }
    if (code == TS_OK && h->section.count == 1) {
        code = put_version(h);
        if (header->clocks.at[TS_CLOCK_BOOTTIME] != 0) {
            uint64_t start = header->clocks.at[TS_CLOCK_BOOTTIME];
            uint64_t end;
            h->account.has_start = start <= INT64_MAX;
            h->account.start_ts = (int64_t)start;
            h->account.has_end = h->account.has_start && header->duration_ns != 0 &&
                                 !ts_ckd_add(&end, start, header->duration_ns) && end <= INT64_MAX;
            h->account.end_ts = h->account.has_end ? (int64_t)end : 0;
        }
    }
    if (code == TS_OK && header->version != VERSION_KNOWN) {
        code = ts_htrace_issue(h, header_version, NULL, h->section.start,
                               "the header's version is 0x%08" PRIx32 ", known is 0x%08x",
                               header->version, (unsigned)VERSION_KNOWN);
    }
    return code;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Start and end are in the boottime clock, which counts only when rows have times in it. */
ts_code ts_htrace_record_times(ts_htrace *h)
{
    ts_row_source *row = ts_source(h->store, h->config.source_id);
    const char *clock = ts_clock_name(TS_CLOCK_BOOTTIME);
    if (!h->account.has_start || row->clock.p != NULL ||
        ts_trace_clock(h->store) == TS_CLOCK_UNKNOWN) {
        return TS_OK;
    }
    row->null &= ~TS_NULL_BIT(source, start_ts);
    row->start_ts = h->account.start_ts;
    if (h->account.has_end) {
        row->null &= ~TS_NULL_BIT(source, end_ts);
        row->end_ts = h->account.end_ts;
    }
    return ts_source_text(h->store, h->config.source_id, &row->clock, clock, strlen(clock));
}

/* A name of its own among the segments of a recording: it may be one of those, damaged. */
static ts_code report_single(ts_htrace *h, const ts_plugin *plugin)
{
    if (plugin->segments->seen != 1 || h->host.delivered < 2 ||
        plugin->first_offset < h->host.first || plugin->first_offset > h->host.last ||
        ts_plugin_find(plugin->name, strlen(plugin->name)) != NULL) {
        return TS_OK;
    }
    return ts_htrace_issue(h, plugin_name_single, plugin->name, plugin->first_offset,
                           "no plugin of this name is known, and only one segment has it");
}

ts_code ts_htrace_record_end(ts_htrace *h)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < h->names.count; i++) {
        const ts_plugin *plugin = &h->names.plugins[i];
        if (plugin->reader == NULL && plugin->segments->skipped > 0) {
            code = ts_issue_n(h->store, h->config.source_id, TS_ISSUE_plugin_not_decoded,
                              plugin->name, plugin->first_offset, plugin->segments->skipped,
                              "%" PRIu64 " segments of %" PRIu64 " bytes were skipped",
                              plugin->segments->skipped, plugin->bytes->skipped);
            TS_STEP(code, report_single(h, plugin));
        }
    }
    TS_STEP_IF(code, h->host.delivered + h->host.sections > 0 && !h->clocks.known,
               ts_htrace_issue(h, no_clock_snapshot, NULL, TS_NO_OFFSET,
                               "neither a header nor an ftrace segment has a clock snapshot"));
    return code;
}
