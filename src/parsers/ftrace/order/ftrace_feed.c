#include "parsers/ftrace/order/ftrace_feed.h"

#include "base/alloc.h"

#include <inttypes.h>

ts_code ftrace_feed_open(ftrace_feed *f, ts_ctx *ctx, size_t memory)
{
    f->ctx = ctx;
    f->latest = INT64_MIN;
    f->earliest = INT64_MAX;
    return ftrace_queue_open(&f->queue, ctx, memory);
}

static ftrace_feed_cpu *cpu_at(const ftrace_feed *f, uint32_t i)
{
    return (ftrace_feed_cpu *)(uintptr_t)f->cpus.entries[i].value;
}

void ftrace_feed_close(ftrace_feed *f)
{
    if (f->ctx != NULL) {
        ftrace_queue_close(f->queue);
        for (uint32_t i = 0; i < f->cpus.count; i++) {
            ts_free(f->ctx, cpu_at(f, i));
        }
        ts_idmap_free(f->ctx, &f->cpus);
        f->queue = NULL;
    }
}

/* NULL: it was not met. */
static inline ftrace_feed_cpu *find_cpu(const ftrace_feed *f, uint32_t number)
{
    uint64_t value;
    if (number < FTRACE_FEED_CPUS) {
        return f->near_cpus[number];
    }
    return ts_idmap_find(&value, &f->cpus, number) ? (ftrace_feed_cpu *)(uintptr_t)value : NULL;
}

static ts_code add_cpu(ftrace_feed_cpu **out, ftrace_feed *f, uint32_t number)
{
    ts_code code;
    TS_NEED(f->ctx, *out = ts_alloc(f->ctx, 1, sizeof **out));
    **out = (ftrace_feed_cpu){.latest = INT64_MIN, .cpu = number};
    code = ts_idmap_put(f->ctx, &f->cpus, number, (uintptr_t)*out);
    if (code != TS_OK) {
        ts_free(f->ctx, *out);
    } else if (number < FTRACE_FEED_CPUS) {
        f->near_cpus[number] = *out;
    }
    return code;
}

/* What is known of the CPU; made when new. */
static inline ts_code feed_cpu(ftrace_feed_cpu **out, ftrace_feed *f, uint32_t number)
{
    *out = find_cpu(f, number);
    return *out != NULL ? TS_OK : add_cpu(out, f, number);
}

static ts_code feed_mark(ftrace_feed *f, unsigned kind, uint32_t cpu, int64_t ts)
{
    const ftrace_event mark = ftrace_loss(kind, cpu, ts);
    return ftrace_queue_add(f->queue, &mark);
}

static bool feed_misses(const ftrace_feed *f, const ftrace_feed_cpu *cpu)
{
    return cpu->lost || cpu->gaps != f->gaps;
}

/* What was lost of the CPU begins after its last event. A CPU without one was not there before the
 * part of the recording that was lost. */
static ts_code feed_begin(ftrace_feed *f, ftrace_feed_cpu *cpu, int64_t end)
{
    int64_t begin = cpu->lost || cpu->latest != INT64_MIN ? cpu->latest : f->gap;
    cpu->lost = false;
    cpu->gaps = f->gaps;
    return feed_mark(f, FTRACE_LOSS_BEGINS, cpu->cpu, begin < end ? begin : end);
}

/* An event of the CPU comes at ts. One that is earlier than the last one does not say where a loss
 * ends. */
static ts_code feed_end(ftrace_feed *f, ftrace_feed_cpu *cpu, int64_t ts)
{
    ts_code code = ts < cpu->latest ? TS_OK : feed_begin(f, cpu, ts);
    return code != TS_OK || ts < cpu->latest ? code : feed_mark(f, FTRACE_LOSS_ENDS, cpu->cpu, ts);
}

/* Before the next event: something of any CPU is missing. */
static ts_code feed_gap(ftrace_feed *f)
{
    f->lost = false;
    f->missing += f->has_events;
    return f->has_events ? feed_mark(f, FTRACE_GAP, 0, f->latest) : TS_OK;
}

ts_code ftrace_feed_lost_between(ftrace_feed *f, uint32_t cpu, int64_t begin, int64_t end)
{
    ts_code code = feed_mark(f, FTRACE_LOSS_BEGINS, cpu, begin < end ? begin : end);
    f->missing++;
    TS_STEP(code, feed_mark(f, FTRACE_LOSS_ENDS, cpu, end));
    return code;
}

int64_t ftrace_feed_latest(const ftrace_feed *f, uint32_t cpu)
{
    const ftrace_feed_cpu *met = find_cpu(f, cpu);
    return met == NULL ? INT64_MIN : met->latest;
}

void ftrace_feed_part_lost(ftrace_feed *f)
{
    f->lost = true;
    f->gaps++;
    f->gap = f->has_events ? f->latest : INT64_MIN;
}

/* Events of the CPU were lost before its next one. */
static ts_code lost_before(ftrace_feed *f, uint32_t number, bool started)
{
    ftrace_feed_cpu *cpu = NULL;
    ts_code code = feed_cpu(&cpu, f, number);
    if (code == TS_OK && !cpu->lost && (!started || cpu->latest != INT64_MIN)) {
        f->missing++;
        cpu->lost = true;
    }
    return code;
}

static ts_code feed_lose(ftrace_feed *f, const ftrace_event *loss)
{
    if (loss->kind == FTRACE_GAP) {
        f->lost = true;
        return TS_OK;
    }
    return loss->kind == FTRACE_LOST_HERE
               ? ftrace_feed_lost_between(f, loss->cpu, loss->ts, loss->ts)
               : lost_before(f, loss->cpu, loss->kind == FTRACE_STARTED);
}

ts_code ftrace_feed_add(ftrace_feed *f, const ftrace_event *event)
{
    ftrace_feed_cpu *cpu = NULL;
    ts_code code;
    if (event->kind >= FTRACE_KINDS) {
        return feed_lose(f, event);
    }
    TS_TRY_INTO(code, f->lost ? feed_gap(f) : TS_OK);
    f->latest = event->ts > f->latest ? event->ts : f->latest;
    f->earliest = event->ts < f->earliest ? event->ts : f->earliest;
    f->has_events = true;
    if (event->reader != FTRACE_FROM_FFRT) {
        if ((code = feed_cpu(&cpu, f, event->cpu)) != TS_OK ||
            (feed_misses(f, cpu) && (code = feed_end(f, cpu, event->ts)) != TS_OK)) {
            return code;
        }
        cpu->latest = event->ts > cpu->latest ? event->ts : cpu->latest;
    }
    return ftrace_queue_add(f->queue, event);
}

ts_code ftrace_feed_drain(ftrace_feed *f, ftrace_queue_take *take, void *user)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < f->cpus.count && code == TS_OK; i++) {
        code = feed_misses(f, cpu_at(f, i)) ? feed_begin(f, cpu_at(f, i), INT64_MAX) : TS_OK;
    }
    TS_STEP(code, ftrace_queue_drain(f->queue, take, user));
    return code;
}

ts_code ftrace_feed_note(const ftrace_feed *f, ts_store *store, int64_t source_id,
                         const char *stream)
{
    return ts_issue_n(store, source_id, TS_ISSUE_ftrace_gap, stream, TS_NO_OFFSET, f->missing,
                      "at %" PRIu64 " places events are missing: what was open there has no end",
                      f->missing);
}
