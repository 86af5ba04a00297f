/*
 * CPU times of invocations (docs/formats.md, "TPTP traces"). When entry and exit carry the thread's
 * CPU clock it is their difference. When only exits do, each value is the clock or the call's own
 * time: the own times of a caller and then of its next callee fall, the clock never does. The first
 * TPTP_CPU_WINDOW exits of a thread decide; their rows wait for that.
 */
#include "parsers/tptp/trace_session.h"

#include <inttypes.h>

static ts_code settle_cpu(tptp_session *s, int64_t slice, int64_t cpu)
{
    if (cpu < 0) {
        ts_sink_release(s->sink, TS_T_stack_slice, slice);
        return tptp_slice_null(s, TPTP_NULL_CPU, slice);
    }
    return ts_sink_settle(s->sink, TS_T_stack_slice, slice, TS_NULL_BIT(stack_slice, cpu_dur),
                          &cpu);
}

static int64_t cpu_value(const tptp_thread *t, tptp_cpu_value v)
{
    return t->cpu_ns ? v.raw : v.ns;
}

/* The CPU time of one invocation, in the unit of the thread's values, or -1. */
static int64_t cpu_of(const tptp_thread *t, const tptp_cpu_wait *w)
{
    const bool entered = w->entered && !(w->before.ns == 0 && t->no_cpu_is_0);
    int64_t cpu;
    if (!entered && t->cpu_mode == TPTP_CPU_OWN) {
        return cpu_value(t, w->exit);
    }
    /* The first value of a clock says when it was, and not how much was used. */
    if (w->exit.ns == 0 || w->before.ns < (entered ? 0 : 1) ||
        ts_ckd_sub(&cpu, cpu_value(t, w->exit), cpu_value(t, w->before))) {
        return -1;
    }
    return cpu;
}

/*
 * Are the values ns and not ticks? The clock of a thread does not run faster than time; ticks are
 * what the format says.
 */
static bool are_ns(const tptp_thread *t)
{
    int64_t elapsed = ts_sat_sub(t->last_ts, t->cpu_begin);
    int64_t limit = ts_sat_add(elapsed, elapsed / 20);
    return t->cpu_mode == TPTP_CPU_CLOCK && t->last_ts != TS_NO_TIME &&
           t->cpu_begin != TS_NO_TIME && elapsed > 0 &&
           ts_sat_sub(t->cpu_last.ns, t->cpu_first.ns) > limit &&
           ts_sat_sub(t->cpu_last.raw, t->cpu_first.raw) <= limit;
}

/* It is known what the values are: the rows that wait get theirs. */
static ts_code decide_as(tptp_session *s, tptp_thread *t, tptp_cpu_mode mode)
{
    const tptp_cpu_wait *waits = t->cpu.p;
    ts_code code = TS_OK;
    t->cpu_mode = mode;
    t->cpu_ns = are_ns(t);
    s->cpu_ns = s->cpu_ns || t->cpu_ns;
    s->cpu_ticks = s->cpu_ticks || !t->cpu_ns;
    for (size_t i = 0; i < t->cpu.n && code == TS_OK; i++) {
        code = settle_cpu(s, waits[i].slice, cpu_of(t, &waits[i]));
    }
    ts_vec_free(s->ctx, &t->cpu);
    return code;
}

ts_code tptp_cpu_decide(tptp_session *s, tptp_thread *t)
{
    return t->cpu.n == 0
               ? TS_OK
               : decide_as(s, t, t->cpu_mode == TPTP_CPU_OWN ? TPTP_CPU_OWN : TPTP_CPU_CLOCK);
}

/* The thread's values fall: they are the calls' own, or a clock is wrong. */
static ts_code value_fell(tptp_session *s, tptp_thread *t, tptp_cpu_wait *w)
{
    if (t->cpu_mode == TPTP_CPU_UNDECIDED && !w->entered) {
        return decide_as(s, t, TPTP_CPU_OWN);
    }
    w->before.ns = -1;
    return tptp_issue(s, TS_ISSUE_tptp_cpu_clock,
                      "thread %" PRId64 ": the CPU time falls from %" PRId64 " to %" PRId64 " ns",
                      t->id, cpu_value(t, t->cpu_last), cpu_value(t, w->exit));
}

/* What the exit of a row is, for the value that it has, which is one. */
static ts_code note_exit(tptp_session *s, tptp_thread *t, tptp_cpu_wait *w)
{
    bool fell = t->cpu_last.ns != 0 && w->exit.ns < t->cpu_last.ns;
    ts_code code = fell && t->cpu_mode != TPTP_CPU_OWN ? value_fell(s, t, w) : TS_OK;
    t->cpu_first = t->cpu_first.ns == 0 ? w->exit : t->cpu_first;
    t->cpu_last = w->exit;
    return code;
}

ts_code tptp_cpu_of_exit(int64_t *cpu, tptp_session *s, tptp_thread *t, const tptp_frame *f,
                         const tptp_record *r)
{
    tptp_cpu_wait w = {f->slice, tptp_cpu_of(r), f->cpu, f->cpu_entered};
    *cpu = -1;
    if (w.exit.ns == 0) { /* not recorded */
        return TS_OK;
    }
    TS_TRY(note_exit(s, t, &w));
    *cpu = cpu_of(t, &w);
    return TS_OK;
}

ts_code tptp_cpu_exit(tptp_session *s, tptp_thread *t, const tptp_frame *f, const tptp_record *r)
{
    tptp_cpu_wait w = {f->slice, tptp_cpu_of(r), f->cpu, f->cpu_entered};
    if (w.exit.ns == 0) { /* not recorded */
        return settle_cpu(s, w.slice, -1);
    }
    TS_TRY(note_exit(s, t, &w));
    if (t->cpu_mode != TPTP_CPU_UNDECIDED) {
        return settle_cpu(s, w.slice, cpu_of(t, &w));
    }
    TS_TRY(tptp_reserve_one(s, &t->cpu, sizeof w));
    ((tptp_cpu_wait *)t->cpu.p)[t->cpu.n++] = w;
    return t->cpu.n < TPTP_CPU_WINDOW ? TS_OK : decide_as(s, t, TPTP_CPU_CLOCK);
}
