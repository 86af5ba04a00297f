/* Traces of Perfetto as files: sniffing, opening, feeding, ending. */
#include "parsers/format.h"
#include "parsers/perfetto/perfetto.h"
#include "parsers/proto_kind.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

/* --- sniffing -------------------------------------------------------------------------------- */

/*
 * There is no magic number: the first packets must be well-formed, as far as they can be seen, and
 * one of them must be of a kind that no other protobuf has. Damage may begin after that.
 */
static int perfetto_sniff(const ts_sniff *s)
{
    enum { PACKETS = 16 };
    ts_wire w;
    ts_wire inner;
    ts_wire_field f;
    ts_wire_field field;
    bool proven = false;
    size_t from = 0;
    if (s->head == NULL || s->n < 2 || s->head[0] != (1 << 3 | TS_WIRE_BYTES)) {
        return TS_SNIFF_NO;
    }
    ts_wire_init(&w, s->head, s->n);
    for (int i = 0; i < PACKETS && ts_wire_next_part(&f, &w); i++) {
        bool part = w.fault != TS_WIRE_OK;
        if (f.number != 1 || f.type != TS_WIRE_BYTES) {
            return proven ? TS_SNIFF_LIKELY : TS_SNIFF_NO;
        }
        ts_wire_init(&inner, f.p, f.n);
        while (ts_wire_next(&field, &inner)) {
        }
        if (!part && inner.fault != TS_WIRE_OK) {
            return proven ? TS_SNIFF_LIKELY : TS_SNIFF_NO;
        }
        if (part && s->whole) {
            break; /* it is cut, or none: texts that begin with an empty line look so */
        }
        proven = proven || ts_proto_kind_of((ts_text){(const char *)s->head + from,
                                                      (size_t)(f.p - s->head) + f.n - from}) ==
                               TS_PROTO_PERFETTO;
        from = (size_t)(f.p - s->head) + f.n;
        if (part) {
            break;
        }
    }
    return proven ? TS_SNIFF_SURE : TS_SNIFF_NO;
}

/* --- opening --------------------------------------------------------------------------------- */

static void free_sequences(perfetto *p)
{
    for (uint32_t i = 0; i < p->sequences.n; i++) {
        perfetto_sequence *s = perfetto_sequence_at(p, i);
        if (s->defaults != NULL) {
            ts_vec_free(p->ctx, &s->defaults->extra);
            ts_vec_free(p->ctx, &s->defaults->extra_double);
            ts_free(p->ctx, s->defaults);
        }
    }
    ts_vec_free(p->ctx, &p->sequences);
    ts_idmap_free(p->ctx, &p->sequence_of);
}

static void perfetto_close(void *self)
{
    perfetto *p = self;
    ts_ctx *ctx = p->ctx;
    free_sequences(p);
    for (uint32_t i = 0; i < p->tracks.n; i++) {
        ts_vec_free(ctx, &perfetto_track_at(p, i)->frames);
    }
    perfetto_slices_close(p);
    ts_kernel_packets_close(p->kernel);
    ts_window_free(&p->records);
    ts_vec_free(ctx, &p->tracks);
    ts_index_free(ctx, &p->track_index);
    ts_vec_free(ctx, &p->entries);
    ts_index_free(ctx, &p->entry_index);
    ts_pool_free(ctx, &p->texts);
    ts_vec_free(ctx, &p->clocks);
    ts_idmap_free(ctx, &p->clock_of);
    ts_vec_free(ctx, &p->shown);
    ts_vec_free(ctx, &p->pairs);
    ts_vec_free(ctx, &p->threads);
    ts_pool_free(ctx, &p->thread_keys);
    ts_idmap_free(ctx, &p->tids);
    ts_idmap_free(ctx, &p->accumulated);
    ts_idmap_free(ctx, &p->typed_of);
    ts_vec_free(ctx, &p->values);
    ts_vec_free(ctx, &p->extras);
    ts_pool_free(ctx, &p->mappings);
    ts_pool_free(ctx, &p->frames);
    ts_pool_free(ctx, &p->calls);
    ts_pool_free(ctx, &p->symbol_keys);
    ts_pool_free(ctx, &p->heap_keys);
    ts_pool_free(ctx, &p->series_keys);
    ts_vec_free(ctx, &p->symbols);
    ts_vec_free(ctx, &p->symbol_lines);
    ts_vec_free(ctx, &p->call_nodes);
    ts_vec_free(ctx, &p->frame_list);
    ts_vec_free(ctx, &p->list);
    ts_vec_free(ctx, &p->heap_sums);
    ts_vec_free(ctx, &p->series);
    ts_vec_free(ctx, &p->cpu_losses);
    ts_idmap_free(ctx, &p->rails);
    ts_idmap_free(ctx, &p->gauges);
    ts_idmap_free(ctx, &p->cpu_losses_of);
    ts_buf_free(ctx, &p->file.held);
    ts_buf_free(ctx, &p->args);
    ts_buf_free(ctx, &p->flows);
    ts_buf_free(ctx, &p->category);
    ts_buf_free(ctx, &p->clean);
    ts_buf_free(ctx, &p->scratch);
    ts_free(ctx, p);
}

static ts_code perfetto_open(void **self, ts_job *job)
{
    perfetto *p = ts_zalloc(job->ctx, 1, sizeof *p);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, p);
    p->job = job;
    p->ctx = job->ctx;
    p->store = job->store;
    p->sink = ts_store_sink(job->store);
    p->source_id = job->source_id;
    p->clock = PERFETTO_NONE;
    p->wanted = TS_SPAN_ALL;
    p->first_ts = TS_NO_TIME;
    p->last_ts = TS_NO_TIME;
    p->records.ctx = job->ctx;
    code = ts_window_begin(&p->records, UINT64_MAX);
    TS_STEP(code, perfetto_slices_open(p));
    if (code != TS_OK) {
        perfetto_close(p);
        return code;
    }
    *self = p;
    return TS_OK;
}

static ts_code perfetto_feed(void *self, const uint8_t *bytes, size_t n)
{
    perfetto *p = self;
    return perfetto_stream_feed(p, &p->file, bytes, n);
}

/* --- the end --------------------------------------------------------------------------------- */

/* What sequences lost, one issue each. */
static ts_code note_sequences(perfetto *p)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < p->sequences.n && code == TS_OK; i++) {
        const perfetto_sequence *s = perfetto_sequence_at(p, i);
        if (s->dropped > 0) {
            p->n.packets_lost += s->dropped;
            code = ts_issue_n(p->store, p->source_id, TS_ISSUE_perfetto_dropped, NULL,
                              s->dropped_at, s->dropped,
                              "packets of sequence %" PRIu32 " were lost at %" PRIu64
                              " places, reasons %#" PRIx64,
                              s->id, s->dropped, s->reasons);
        }
        TS_STEP_IF(code, s->skipped > 0,
                   ts_issue_n(p->store, p->source_id, TS_ISSUE_perfetto_state_lost, NULL,
                              s->skipped_at, s->skipped,
                              "%" PRIu64 " packets of sequence %" PRIu32
                              " need what was said before, which is lost",
                              s->skipped, s->id));
    }
    return code;
}

static uint64_t unread(const perfetto *p)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i <= PERFETTO_KINDS; i++) {
        n += p->n.skipped[i];
    }
    return n - p->n.other_machines;
}

static ts_code record_issues(perfetto *p)
{
    const perfetto_counts *n = &p->n;
    const struct {
        ts_issue_code issue;
        uint64_t count;
        int64_t at;
        const char *text;
    } notes[] = {
        {TS_ISSUE_perfetto_unread, unread(p), TS_NO_OFFSET,
         "packets are of kinds that are not read; import_count names them"},
        {TS_ISSUE_perfetto_other_machine, n->other_machines, TS_NO_OFFSET,
         "packets are of other machines"},
        {TS_ISSUE_perfetto_no_interned, n->no_interned, n->first_no_interned,
         "numbers of names or texts that were not sent"},
        {TS_ISSUE_perfetto_no_clock, n->no_clock, TS_NO_OFFSET,
         "times are of clocks that cannot be related to that of the trace"},
        {TS_ISSUE_perfetto_no_time, n->no_time, TS_NO_OFFSET, "events have no time"},
        {TS_ISSUE_time_overflow, n->overflow, TS_NO_OFFSET, "times do not fit into 64 bits"},
        {TS_ISSUE_perfetto_no_track, n->no_track, TS_NO_OFFSET,
         "tracks are used and not described"},
        {TS_ISSUE_perfetto_unknown_type, n->unknown_types, TS_NO_OFFSET,
         "events are of types that are not known"},
        {TS_ISSUE_perfetto_legacy_phase, n->other_phases, TS_NO_OFFSET,
         "events of old phases are rows of perfetto_event and nothing else"},
        {TS_ISSUE_perfetto_bad_counter, n->bad_counters, TS_NO_OFFSET,
         "values of counters are missing or have no counter"},
        {TS_ISSUE_perf_lost, n->perf_lost, TS_NO_OFFSET, "samples were lost by the recorder"},
        {TS_ISSUE_perfetto_skipped_samples, n->perf_skipped, TS_NO_OFFSET,
         "samples have no stack: the recorder had no time for them"},
        {TS_ISSUE_perfetto_bad_list, n->bad_lists, TS_NO_OFFSET,
         "lists of stacks and times have different lengths"},
        {TS_ISSUE_perfetto_lost, n->heap_gaps, TS_NO_OFFSET,
         "packets of dumps of heaps are missing: their numbers have gaps"},
        {TS_ISSUE_perfetto_end_unmatched, n->ends_unmatched, TS_NO_OFFSET,
         "slices end that did not begin in the trace"},
        {TS_ISSUE_perfetto_frames_open, n->frames_open, TS_NO_OFFSET,
         "slices were open at the end of the trace"},
        {TS_ISSUE_perfetto_frames_lost, n->frames_lost, TS_NO_OFFSET,
         "slices were open where packets are missing"},
        {TS_ISSUE_perfetto_crossing, n->crossing, TS_NO_OFFSET,
         "slices are longer than those around them"},
        {TS_ISSUE_perfetto_too_deep, n->deep, TS_NO_OFFSET,
         "arguments or tracks are nested deeper than the limit"},
        {TS_ISSUE_perfetto_text_cut, n->texts_cut, TS_NO_OFFSET, "texts are longer than the limit"},
        {TS_ISSUE_perfetto_bad_text, n->bad_texts, TS_NO_OFFSET,
         "parts of texts that are not valid text became U+FFFD"},
    };
    ts_code code = note_sequences(p);
    for (size_t i = 0; i < sizeof notes / sizeof notes[0] && code == TS_OK; i++) {
        if (notes[i].count > 0) {
            code = ts_issue_n(p->store, p->source_id, notes[i].issue, NULL, notes[i].at,
                              notes[i].count, "%s", notes[i].text);
        }
    }
    TS_STEP(code, perfetto_stats_note(p));
    return code;
}

static ts_code count(perfetto *p, ts_item item, const char *detail, uint64_t seen, uint64_t lost,
                     uint64_t skipped)
{
    return seen == 0 ? TS_OK
                     : ts_count_add(p->store, p->source_id, item, detail, seen - lost - skipped,
                                    lost, skipped);
}

static ts_code count_packets(perfetto *p)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i <= PERFETTO_KINDS && code == TS_OK; i++) {
        char number[16];
        const char *name = i == 0 ? "empty" : i == PERFETTO_KINDS ? "other" : perfetto_kind_name(i);
        snprintf(number, sizeof number, "%" PRIu32, i);
        code = count(p, TS_ITEM_perfetto_packets, name == NULL ? number : name, p->n.seen[i],
                     p->n.lost[i], p->n.skipped[i]);
    }
    TS_STEP(code,
            count(p, TS_ITEM_perfetto_packets, "lost", p->n.packets_lost, p->n.packets_lost, 0));
    for (uint32_t i = 0; i < p->typed_of.count && code == TS_OK; i++) {
        const ts_idmap_entry *e = &p->typed_of.entries[i];
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, e->id);
        code = count(p, TS_ITEM_perfetto_typed_args, number, e->value, 0, e->value);
    }
    return code;
}

static ts_code count_items(perfetto *p, uint64_t bytes)
{
    const perfetto_counts *n = &p->n;
    uint64_t values =
        n->no_interned + n->texts_cut + n->overflow + n->bad_counters + n->no_time + n->no_clock;
    ts_code code = ts_count_add(p->store, p->source_id, TS_ITEM_bytes, NULL, bytes, 0, 0);
    TS_STEP(code, count_packets(p));
    TS_STEP(code, count(p, TS_ITEM_perfetto_events, NULL, n->events, 0, n->events_skipped));
    TS_STEP(code,
            count(p, TS_ITEM_perfetto_slices, NULL, n->slices, n->slices_lost, n->slices_skipped));
    TS_STEP(code, count(p, TS_ITEM_perfetto_ends, NULL, n->ends + n->frames_lost,
                        n->ends_lost + n->frames_lost, n->ends_unmatched));
    TS_STEP(code, count(p, TS_ITEM_perfetto_counters, NULL, n->counters, n->counters_lost,
                        n->counters_skipped));
    TS_STEP(code, count(p, TS_ITEM_perfetto_samples, NULL, n->samples + n->sums_lost, n->sums_lost,
                        n->samples_skipped));
    TS_STEP(code,
            count(p, TS_ITEM_perfetto_points, NULL, n->points, n->points_lost, n->points_skipped));
    TS_STEP(code, count(p, TS_ITEM_perfetto_measures, NULL, n->measures, n->measures_lost,
                        n->measures_skipped));
    TS_STEP(code, count(p, TS_ITEM_perfetto_lines, NULL, n->lines, 0, n->lines_skipped));
    TS_STEP(code, count(p, TS_ITEM_perfetto_values, NULL, values, values, 0));
    return code;
}

static ts_code note_source(perfetto *p)
{
    const char *clock = ts_clock_name(p->trace_clock);
    ts_row_source *source = ts_source(p->store, p->source_id);
    source->complete = source->complete && !p->broken;
    if (p->first_ts != TS_NO_TIME) {
        source->start_ts = p->first_ts;
        source->end_ts = p->last_ts;
        source->null &= ~(TS_NULL_BIT(source, start_ts) | TS_NULL_BIT(source, end_ts));
        ts_range_note(p->store, p->trace_clock, TS_RANGE_ROWS, p->first_ts);
        ts_range_note(p->store, p->trace_clock, TS_RANGE_ROWS, p->last_ts);
    }
    return ts_source_text(p->store, p->source_id, &source->clock, clock, strlen(clock));
}

static ts_code perfetto_finish(void *self, const ts_stream_end *end)
{
    perfetto *p = self;
    bool any = false;
    TS_TRY(perfetto_stream_end(p, &p->file));
    for (uint32_t i = 0; i <= PERFETTO_KINDS; i++) {
        any = any || p->n.seen[i] > 0;
    }
    if (!any) {
        return ts_fail(p->ctx, TS_ERR_FORMAT, "%s is not a trace of Perfetto: it has no packets",
                       p->job->name);
    }
    p->job->text_bad = p->damages > 0;
    TS_TRY(perfetto_rows_finish(p));
    TS_TRY(record_issues(p));
    TS_TRY(note_source(p));
    return count_items(p, end->bytes);
}

TS_SOURCE_FORMAT(perfetto) = {
    .name = "perfetto",
    .title = "trace of Perfetto (.pftrace, .perfetto-trace: Perfetto, Android, Chrome)",
    .source_type = "perfetto",
    .sniff = perfetto_sniff,
    .open = perfetto_open,
    .feed = perfetto_feed,
    .finish = perfetto_finish,
    .close = perfetto_close,
};
