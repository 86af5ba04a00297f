/* What the recorder and the kernel say that they lost. */
#include "parsers/perfetto/perfetto.h"

#include <inttypes.h>

/* --- the recorder ---------------------------------------------------------------------------- */

/* Numbers of all buffers, from the beginning of the recording: the last packet has them. */
static void take_buffer_stats(perfetto_stats *stats, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        uint64_t v = f.type == TS_WIRE_VARINT ? f.value : 0;
        stats->overwritten += f.number == 3 ? v : 0;
        stats->discarded += f.number == 18 ? v : 0;
        stats->writer_losses += f.number == 6 || f.number == 9 || f.number == 19 ? v : 0;
    }
    *good = *good && w.fault == TS_WIRE_OK;
}

ts_code perfetto_trace_stats(perfetto *p, const ts_wire_field *message, bool *good)
{
    perfetto_stats stats = {0};
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            take_buffer_stats(&stats, &f, good);
        } else if (f.type == TS_WIRE_VARINT) {
            stats.invalid = f.number == 10 ? f.value : stats.invalid;
            stats.flushes_failed = f.number == 14 ? f.value : stats.flushes_failed;
            stats.final_flush_failed = f.number == 15 ? f.value == 2 : stats.final_flush_failed;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    p->stats = *good ? stats : p->stats;
    return TS_OK;
}

/* --- the kernel ------------------------------------------------------------------------------ */

/* Numbers of events that a CPU lost. */
typedef struct cpu_loss {
    uint64_t cpu, at_start, lost;
} cpu_loss;

/* Numbers count from some time before the recording: what was lost is the difference between its
 * start and its end. */
static ts_code take_cpu(perfetto *p, const ts_wire_field *message, bool end, bool *good)
{
    enum { CPU = 1, OVERRUN = 3, DROPPED = 8, NUMBERS };
    uint64_t v[NUMBERS];
    uint64_t place;
    uint64_t now;
    cpu_loss *c;
    (void)perfetto_numbers(v, NUMBERS, message, good);
    if (!*good) {
        return TS_OK;
    }
    if (!ts_idmap_find(&place, &p->cpu_losses_of, (int64_t)v[CPU])) {
        place = p->cpu_losses.n;
        TS_TRY(ts_idmap_put(p->ctx, &p->cpu_losses_of, (int64_t)v[CPU], place));
        TS_NEED(p->ctx, c = ts_vec_add(p->ctx, &p->cpu_losses, sizeof *c));
        *c = (cpu_loss){.cpu = v[CPU]};
    }
    c = (cpu_loss *)p->cpu_losses.p + place;
    now = v[OVERRUN] + v[DROPPED] < v[OVERRUN] ? UINT64_MAX : v[OVERRUN] + v[DROPPED];
    if (end && now > c->at_start) {
        uint64_t more = now - c->at_start;
        c->lost = c->lost + more < more || c->lost + more > INT64_MAX ? INT64_MAX : c->lost + more;
    }
    c->at_start = now;
    return TS_OK;
}

ts_code perfetto_ftrace_stats(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum { PHASE = 1, CPUS, NUMBERS, PHASE_END = 2 };
    uint64_t v[NUMBERS];
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    (void)perfetto_numbers(v, NUMBERS, message, good);
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number == CPUS && f.type == TS_WIRE_BYTES) {
            code = take_cpu(p, &f, v[PHASE] == PHASE_END, good);
        }
    }
    return code;
}

static ts_code note_cpus(perfetto *p)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < p->cpu_losses.n && code == TS_OK; i++) {
        const cpu_loss *c = (const cpu_loss *)p->cpu_losses.p + i;
        if (c->lost > 0) {
            code = ts_count_add(p->store, p->source_id, TS_ITEM_ftrace_events, "dropped", 0,
                                c->lost, 0);
            TS_STEP(code,
                    ts_issue(p->store, p->source_id, TS_ISSUE_ftrace_overrun, NULL, TS_NO_OFFSET,
                             "CPU %" PRIu64 ": %" PRIu64 " events were overwritten or dropped",
                             c->cpu, c->lost));
        }
    }
    return code;
}

ts_code perfetto_stats_note(perfetto *p)
{
    const perfetto_stats *s = &p->stats;
    const struct {
        ts_issue_code issue;
        uint64_t count;
        const char *text;
    } notes[] = {
        {TS_ISSUE_perfetto_buffer_overwrote, s->overwritten,
         "the recorder's buffers were full: the oldest data were overwritten"},
        {TS_ISSUE_perfetto_discarded, s->discarded,
         "the recorder's buffers were full: data were discarded"},
        {TS_ISSUE_perfetto_packet_loss, s->writer_losses + s->invalid,
         "data of writers were lost on their way to the recorder's buffers"},
        {TS_ISSUE_perfetto_flush_failed, s->flushes_failed + (s->final_flush_failed ? 1 : 0),
         "writers did not hand over their last data when they were asked to"},
    };
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0] && code == TS_OK; i++) {
        if (notes[i].count > 0) {
            code = ts_issue_n(p->store, p->source_id, notes[i].issue, NULL, TS_NO_OFFSET,
                              notes[i].count > INT64_MAX ? INT64_MAX : notes[i].count, "%s",
                              notes[i].text);
        }
    }
    TS_STEP(code, note_cpus(p));
    return code;
}
