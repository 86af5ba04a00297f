/*
 * Plugins that are open for an input, and how a segment gets to its plugin.
 *
 * All plugins of the configuration are opened before the first byte, in the order of the list, and
 * finish in it. A plugin is called in one of two ways, chosen for each of its names: `begin`,
 * `data` any number of times and `end`, or, with a limit (`whole`), `message` once with all of the
 * data. A message that comes in pieces is collected up to its limit; a larger one is lost with an
 * issue, and none of it is given.
 *
 * A raw section (hiperf, a standalone plugin) goes to the first plugin that lists it, always in
 * pieces, through calls of its own. One whose end is not known is given up to the next header.
 *
 * A loss is noted when it is found (ts_htrace_note_gap) and told to every plugin before the next
 * segment or raw section is delivered to any, so a plugin never sees data that follows a loss it
 * has not heard of. Of several losses in a row the first offset is told. A lost configuration opens
 * no gap.
 */
#include "htrace/state.h"

#include "base/alloc.h"

#include <inttypes.h>

/* --- opening and ending ----------------------------------------------------------------------- */

ts_code ts_readers_open(ts_htrace *h)
{
    const ts_htrace_plugin *const *list = h->config.plugins;
    size_t n = 0;
    while (list != NULL && list[n] != NULL) {
        n++;
    }
    if (n == 0) {
        return TS_OK;
    }
    TS_NEED(h->ctx, h->host.readers = ts_zalloc(h->ctx, n, sizeof *h->host.readers));
    for (size_t i = 0; i < n; i++) {
        ts_reader *reader = &h->host.readers[i];
        reader->plugin = list[i];
        reader->host = (ts_plugin_host){
            .ctx = h->ctx,
            .store = h->store,
            .source_id = h->config.source_id,
            .htrace = h,
            .clocks = &h->clocks.set,
            .user = h->config.user,
        };
        if (reader->plugin->size > 0) {
            TS_NEED(h->ctx, reader->self = ts_zalloc(h->ctx, 1, reader->plugin->size));
            h->host.count++; /* it is freed from here on */
        }
        TS_TRY(reader->plugin->open(&reader->self, &reader->host));
        h->host.count += reader->plugin->size == 0;
    }
    return TS_OK;
}

ts_code ts_readers_finish(ts_htrace *h)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < h->host.count; i++) {
        ts_reader *reader = &h->host.readers[i];
        if (reader->plugin->finish != NULL) {
            code = reader->plugin->finish(reader->self);
        }
    }
    return code;
}

void ts_readers_close(ts_htrace *h)
{
    for (size_t i = 0; i < h->host.count; i++) {
        ts_reader *reader = &h->host.readers[i];
        ts_buf_free(h->ctx, &reader->message);
        if (reader->plugin->close != NULL) {
            reader->plugin->close(reader->self);
        }
        if (reader->plugin->size > 0) {
            ts_free(h->ctx, reader->self);
        }
    }
    ts_free(h->ctx, h->host.readers);
}

ts_reader *ts_reader_find(const ts_plugin_name **as, const ts_htrace *h, const char *name, size_t n)
{
    for (size_t i = 0; i < h->host.count; i++) {
        for (*as = h->host.readers[i].plugin->names; *as != NULL && (*as)->name != NULL; (*as)++) {
            if (strlen((*as)->name) == n && memcmp((*as)->name, name, n) == 0) {
                return &h->host.readers[i];
            }
        }
    }
    *as = NULL;
    return NULL;
}

/* --- gaps ------------------------------------------------------------------------------------- */

void ts_htrace_note_gap(ts_htrace *h, uint64_t offset)
{
    if (!h->host.gap) {
        h->host.gap = true;
        h->host.gap_offset = (int64_t)offset;
    }
}

static ts_code pass_gap(const ts_reader *reader, int64_t offset)
{
    return reader->plugin->gap == NULL ? TS_OK : reader->plugin->gap(reader->self, offset);
}

ts_code ts_htrace_gap(ts_htrace *h, int64_t offset)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < h->host.count; i++) {
        code = pass_gap(&h->host.readers[i], offset);
    }
    return code;
}

/* Before data is given to any plugin: those hear of a loss first. */
static ts_code pass_noted_gap(ts_htrace *h)
{
    if (!h->host.gap) {
        return TS_OK;
    }
    h->host.gap = false;
    return ts_htrace_gap(h, h->host.gap_offset);
}

/* --- segments --------------------------------------------------------------------------------- */

ts_code ts_deliver_begin(ts_htrace *h)
{
    ts_segment_state *s = &h->segments.now;
    ts_reader *reader = s->plugin->reader;
    TS_TRY(pass_noted_gap(h));
    s->begun = true;
    s->seg = (ts_segment){
        .plugin = s->plugin->name,
        .which = (unsigned)(s->plugin->as - reader->plugin->names),
        .number = s->plugin->segments->seen + 1,
        .offset = (int64_t)s->start,
    };
    (void)ts_segment_time(&s->seg.ts, s);
    h->host.first = h->host.delivered == 0 ? s->seg.offset : h->host.first;
    h->host.last = s->seg.offset;
    h->host.delivered++;
    h->host.timed += !s->plugin->is_ftrace;
    reader->message.n = 0;
    reader->size = 0;
    if (s->plugin->as->whole > 0 || reader->plugin->begin == NULL) {
        return TS_OK;
    }
    return reader->plugin->begin(reader->self, &s->seg);
}

/* A piece of a message that is to come whole; nothing more is kept of one that is too large. */
static ts_code collect(ts_htrace *h, const uint8_t *p, size_t n)
{
    ts_reader *reader = h->segments.now.plugin->reader;
    reader->size += n;
    return reader->size > h->segments.now.plugin->as->whole
               ? TS_OK
               : ts_buf_put(h->ctx, &reader->message, p, n);
}

ts_code ts_deliver_data(ts_htrace *h, const uint8_t *p, size_t n)
{
    const ts_plugin *plugin = h->segments.now.plugin;
    ts_reader *reader = plugin->reader;
    if (n == 0) {
        return TS_OK;
    }
    if (plugin->as->whole > 0) {
        return collect(h, p, n);
    }
    return reader->plugin->data == NULL
               ? TS_OK
               : reader->plugin->data(reader->self, &h->segments.now.seg, p, n);
}

static ts_code reject_message(ts_htrace *h, uint64_t size)
{
    ts_segment_state *s = &h->segments.now;
    ts_code code;
    s->too_large = true;
    code = ts_htrace_issue(h, segment_too_large, s->plugin->name, s->start,
                           "message %" PRIu64 " has %" PRIu64 " bytes; the limit is %" PRIu64,
                           s->seg.number, size, s->plugin->as->whole);
    /* What a configuration says is lost with it, but no data that follows what came before. */
    return code != TS_OK || s->plugin->is_config ? code
                                                 : pass_gap(s->plugin->reader, s->seg.offset);
}

static ts_code deliver_message(ts_htrace *h, const uint8_t *p, size_t n, uint64_t size)
{
    ts_segment_state *s = &h->segments.now;
    const ts_reader *reader = s->plugin->reader;
    if (size > s->plugin->as->whole) {
        return reject_message(h, size);
    }
    return reader->plugin->message(reader->self, &s->seg, n == 0 ? (const uint8_t *)"" : p, n);
}

ts_code ts_deliver_end(ts_htrace *h)
{
    ts_segment_state *s = &h->segments.now;
    ts_reader *reader = s->plugin->reader;
    ts_code code;
    if (s->plugin->as->whole == 0) {
        return reader->plugin->end == NULL ? TS_OK : reader->plugin->end(reader->self, &s->seg);
    }
    code = deliver_message(h, (const uint8_t *)reader->message.p, reader->message.n, reader->size);
    /* Above the hold limit memory is not kept for the next one. */
    ts_buf_free(h->ctx, &reader->message);
    return code;
}

ts_code ts_deliver_whole(ts_htrace *h, const uint8_t *p, size_t n)
{
    ts_code code;
    if (h->segments.now.plugin->as->whole > 0) {
        return deliver_message(h, p, n, n);
    }
    code = ts_deliver_data(h, p, n);
    TS_STEP(code, ts_deliver_end(h));
    return code;
}

/* --- raw sections ----------------------------------------------------------------------------- */

/* The reader of the section that was opened, and the place in its list; NULL when none reads it. */
static ts_reader *raw_reader(unsigned *which, const ts_htrace *h)
{
    const uint32_t type = h->section.header.data_type;
    for (size_t i = 0; i < h->host.count; i++) {
        const ts_plugin_section *s = h->host.readers[i].plugin->sections;
        for (*which = 0; s != NULL && s[*which].name != NULL; (*which)++) {
            if ((uint32_t)s[*which].type == type &&
                (type != TS_RAW_STANDALONE ||
                 strcmp(s[*which].name, h->section.header.standalone) == 0)) {
                return &h->host.readers[i];
            }
        }
    }
    return NULL;
}

/* The reader of sections whose data begins with these bytes. */
static ts_reader *reader_of_magic(const ts_htrace *h, const uint8_t *magic)
{
    for (size_t i = 0; i < h->host.count; i++) {
        const ts_htrace_plugin *plugin = h->host.readers[i].plugin;
        if (plugin->section_magic != NULL &&
            memcmp(plugin->section_magic, magic, TS_RAW_MAGIC) == 0) {
            return &h->host.readers[i];
        }
    }
    return NULL;
}

ts_code ts_raw_begin(ts_htrace *h, const uint8_t *magic)
{
    unsigned which = 0;
    ts_reader *reader = magic == NULL ? raw_reader(&which, h) : reader_of_magic(h, magic);
    h->section.reader = NULL;
    if (reader == NULL) {
        return TS_OK;
    }
    TS_TRY(pass_noted_gap(h));
    reader->sections++;
    h->host.sections++;
    h->section.reader = reader;
    h->section.raw = (ts_raw_section){
        .name = reader->plugin->sections[which].name,
        .which = which,
        .number = reader->sections,
        .offset = (int64_t)(h->section.start + TS_HTRACE_HEADER),
        .size = h->section.bounded ? h->section.header.length - TS_HTRACE_HEADER : UINT64_MAX,
        .clocks = &h->section.header.clocks,
    };
    return reader->plugin->section_begin == NULL
               ? TS_OK
               : reader->plugin->section_begin(reader->self, &h->section.raw);
}

ts_code ts_raw_data(ts_htrace *h, const uint8_t *p, size_t n)
{
    const ts_reader *reader = h->section.reader;
    return reader == NULL || n == 0 || reader->plugin->section_data == NULL
               ? TS_OK
               : reader->plugin->section_data(reader->self, &h->section.raw, p, n);
}

ts_code ts_raw_end(ts_htrace *h, bool truncated)
{
    const ts_reader *reader = h->section.reader;
    if (reader == NULL) {
        return TS_OK;
    }
    h->section.reader = NULL;
    h->section.raw.truncated = truncated;
    ts_tally_add(h->account.sections, truncated ? TS_LOST : TS_IMPORTED, 1);
    if (truncated) {
        ts_htrace_note_gap(h, h->in.offset);
    }
    return reader->plugin->section_end == NULL
               ? TS_OK
               : reader->plugin->section_end(reader->self, &h->section.raw);
}

/* --- times ------------------------------------------------------------------------------------ */

ts_code ts_htrace_wanted(ts_span *span, const ts_plugin_host *host, const char *plugin,
                         ts_clock clock, int64_t first)
{
    const ts_htrace *h = host->htrace;
    bool headed = clock == TS_CLOCK_BOOTTIME && h->account.has_start;
    if (ts_wanted_span(span, host->ctx, clock, host->clocks,
                       headed ? h->account.start_ts : first)) {
        return TS_OK;
    }
    return ts_issue(host->store, host->source_id, TS_ISSUE_time_range_unrelated, plugin,
                    TS_NO_OFFSET, "times of %s cannot be related to the range; all are kept",
                    ts_clock_name(clock));
}
