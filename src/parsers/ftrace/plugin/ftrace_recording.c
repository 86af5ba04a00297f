#include "parsers/ftrace/plugin/ftrace_recording.h"

#include "base/ckd.h"

#include <inttypes.h>

enum { SAME_MAX = 256 };

#define PLUGIN "ftrace-plugin"

void ftrace_recording_init(ftrace_recording *rec, const ts_plugin_host *host)
{
    *rec = (ftrace_recording){.host = host};
    rec->times.clocks = host->clocks;
}

void ftrace_recording_free(ftrace_recording *rec)
{
    ts_ctx *ctx = rec->host->ctx;
    ftrace_feed_close(&rec->feed);
    ftrace_machine_close(rec->machine);
    ts_buf_free(ctx, &rec->names);
    ts_vec_free(ctx, &rec->same);
}

/* --- names beside the events ----------------------------------------------------------------- */

typedef struct name_head {
    uint64_t what; /* ftrace_named */
    uint64_t number;
    uint64_t n;
} name_head;

ts_code ftrace_recording_name(ftrace_recording *rec, ftrace_named what, uint64_t number,
                              ts_text text)
{
    const name_head head = {what, number, text.n};
    TS_TRY(ts_buf_put(rec->host->ctx, &rec->names, &head, sizeof head));
    return ts_buf_put(rec->host->ctx, &rec->names, text.p, text.n);
}

static ts_code give_names(ftrace_recording *rec)
{
    ts_code code = TS_OK;
    for (size_t at = 0; at < rec->names.n && code == TS_OK;) {
        name_head head;
        ts_text text;
        memcpy(&head, rec->names.p + at, sizeof head);
        text = (ts_text){rec->names.p + at + sizeof head, (size_t)head.n};
        at += sizeof head + text.n;
        code = head.what == FTRACE_NAMED_SYMBOL
                   ? ftrace_machine_symbol(rec->machine, head.number, text)
               : head.what == FTRACE_NAMED_COMM
                   ? ftrace_machine_comm(rec->machine, (int32_t)(uint32_t)head.number, text)
                   : ftrace_machine_thread(rec->machine, (int32_t)(head.number >> 32),
                                           (int32_t)(uint32_t)head.number, text);
    }
    return code;
}

/* --- events ---------------------------------------------------------------------------------- */

ts_code ftrace_recording_unused(ftrace_recording *rec, ftrace_unused_kind kind)
{
    ts_code code = TS_OK;
    if (rec->unused == NULL) {
        code = ts_count(&rec->unused, rec->host->store, rec->host->source_id, TS_ITEM_ftrace_events,
                        "(none that is known)");
    }
    if (code == TS_OK) {
        rec->unused->seen++;
        *(kind == FTRACE_SKIPPED ? &rec->unused->skipped : &rec->unused->lost) += 1;
    }
    return code;
}

/*
 * The queue has times of one clock, that of the first event: when it becomes known how it is
 * related to the trace clock, all are moved. Times of another clock are converted as they come.
 */
static bool to_clock(int64_t *ts, ftrace_recording *rec, ts_clock clock)
{
    int64_t out;
    if (!rec->has_clock) {
        rec->has_clock = true;
        rec->clock = clock;
    }
    if (clock == rec->clock) {
        return true;
    }
    if (!ts_clock_convert(&out, rec->host->clocks, clock, rec->clock, *ts)) {
        rec->times.missing = true;
        rec->times.missing_clock = clock;
        return true;
    }
    *ts = out;
    return out != TS_NO_TIME;
}

/* The queue is made when it is first needed. */
static ts_code open_feed(ftrace_recording *rec)
{
    return rec->feed.queue != NULL
               ? TS_OK
               : ftrace_feed_open(&rec->feed, rec->host->ctx, FTRACE_RECORDING_QUEUE);
}

ts_code ftrace_recording_add(ftrace_recording *rec, ftrace_event *event, ts_clock clock)
{
    TS_TRY(open_feed(rec));
    if (!to_clock(&event->ts, rec, clock)) {
        rec->times.over++;
        return ftrace_recording_unused(rec, FTRACE_LOST_EVENT);
    }
    return ftrace_feed_add(&rec->feed, event);
}

ts_code ftrace_recording_lost(ftrace_recording *rec, uint32_t cpu)
{
    const ftrace_event loss = ftrace_loss(FTRACE_LOST_BEFORE, cpu, 0);
    ts_code code = open_feed(rec);
    TS_STEP(code, ftrace_feed_add(&rec->feed, &loss));
    return code;
}

void ftrace_recording_gap(ftrace_recording *rec)
{
    ftrace_feed_part_lost(&rec->feed);
    rec->damaged = true;
}

/* --- the end --------------------------------------------------------------------------------- */

static uint64_t hash_of(const ts_ctx *ctx, const ftrace_event *event)
{
    ts_hash hash = ts_hash_begin(&ctx->hash_key);
    ts_hash_word(&hash, (uint64_t)event->cpu << 32 | (uint32_t)event->pid);
    ts_hash_word(&hash, (uint64_t)event->kind << 32 | (uint32_t)event->tgid);
    ts_hash_word(&hash,
                 (uint64_t)event->reader << 16 | (uint64_t)event->numbers << 8 | event->texts);
    ts_hash_bytes(&hash, event->comm.p, event->comm.n);
    for (unsigned i = 0; i < FTRACE_NUMBERS; i++) {
        ts_hash_word(&hash, (uint64_t)event->number[i]);
    }
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        ts_hash_bytes(&hash, event->text[i].p, event->text[i].n);
    }
    return ts_hash_end(&hash);
}

/* Was the event there with this time before? Looks at the last SAME_MAX of them. */
static ts_code seen_before(bool *seen, ftrace_recording *rec, const ftrace_event *event)
{
    uint64_t hash = hash_of(rec->host->ctx, event);
    const uint64_t *all = rec->same.p;
    uint64_t *added;
    *seen = false;
    rec->same.n = rec->same_ts == event->ts && rec->same.n < SAME_MAX ? rec->same.n : 0;
    rec->same_ts = event->ts;
    for (size_t i = 0; i < rec->same.n && !*seen; i++) {
        *seen = all[i] == hash;
    }
    if (*seen) {
        rec->doubled++;
        return ftrace_recording_unused(rec, FTRACE_SKIPPED);
    }
    TS_NEED(rec->host->ctx, added = ts_vec_add(rec->host->ctx, &rec->same, sizeof *added));
    *added = hash;
    return TS_OK;
}

static ts_code open_machine(ftrace_recording *rec)
{
    const ts_plugin_host *host = rec->host;
    const ftrace_machine_options options = {
        .clock = rec->rows, .clocks = host->clocks, .stream = PLUGIN};
    ts_code code =
        ftrace_machine_open(&rec->machine, host->ctx, host->store, host->source_id, &options);
    TS_STEP(code, ftrace_machine_limit(rec->machine, &rec->wanted));
    return code != TS_OK ? code : give_names(rec);
}

static ts_code take_event(void *user, const ftrace_event *event)
{
    ftrace_recording *rec = user;
    ftrace_event moved;
    if (event->kind >= FTRACE_KINDS) {
        return ftrace_machine_event(rec->machine, event);
    }
    if (rec->repeated || rec->damaged) {
        bool seen;
        ts_code code = seen_before(&seen, rec, event);
        if (code != TS_OK || seen) {
            return code;
        }
    }
    if (rec->delta == 0) {
        return ftrace_machine_event(rec->machine, event);
    }
    moved = *event;
    if (ts_ckd_add(&moved.ts, event->ts, rec->delta)) {
        rec->times.over++;
        return ftrace_recording_unused(rec, FTRACE_LOST_EVENT);
    }
    return ftrace_machine_event(rec->machine, &moved);
}

/* What the clocks of the recording say at its end. Doubtful ones are not used: no time would be
 * known. */
static void choose_clock(ftrace_recording *rec)
{
    const ts_clock_set *clocks = rec->host->clocks;
    rec->rows = rec->clock;
    rec->delta = 0;
    if (rec->clock == TS_CLOCK_UNKNOWN || clocks->doubted) {
        return;
    }
    rec->delta = ts_htrace_time(&rec->rows, &rec->times, rec->clock, 0);
    if (rec->delta == TS_NO_TIME) {
        rec->rows = rec->clock;
        rec->delta = 0;
    }
}

static ts_code make_rows(ftrace_recording *rec)
{
    const ts_plugin_host *host = rec->host;
    ts_code code;
    choose_clock(rec);
    rec->wanted = TS_SPAN_ALL;
    if ((rec->feed.has_events &&
         (code = ts_htrace_wanted(&rec->wanted, host, PLUGIN, rec->rows,
                                  ts_sat_add(rec->feed.earliest, rec->delta))) != TS_OK) ||
        (code = open_machine(rec)) != TS_OK ||
        (rec->feed.queue != NULL &&
         (code = ftrace_feed_drain(&rec->feed, take_event, rec)) != TS_OK) ||
        (code = ftrace_machine_finish(rec->machine)) != TS_OK ||
        (code = ftrace_feed_note(&rec->feed, host->store, host->source_id, PLUGIN)) != TS_OK ||
        !rec->damaged || rec->repeated) {
        return code;
    }
    return ts_issue_n(host->store, host->source_id, TS_ISSUE_sample_repeated, PLUGIN, TS_NO_OFFSET,
                      rec->doubled, "%" PRIu64 " events are repeated", rec->doubled);
}

ts_code ftrace_recording_finish(ftrace_recording *rec)
{
    const ts_plugin_host *host = rec->host;
    ts_code code = TS_OK;
    TS_STEP_IF(code, rec->feed.queue != NULL || rec->names.n > 0, make_rows(rec));
    TS_STEP(code, ts_htrace_times_finish(&rec->times, host->store, host->source_id, PLUGIN));
    return code;
}
