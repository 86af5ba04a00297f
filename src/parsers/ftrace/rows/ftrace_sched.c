/*
 * sched_slice and thread_state: which thread ran where, and what each thread was doing meanwhile.
 *
 * A CPU has at most one open slice, which the next switch on it ends. A thread has at most one last
 * state; the next one ends it. A wakeup becomes a state R only when its effect is known: at the
 * next switch to or from the thread, or at the end. The first wakeup counts. A state D or DK waits
 * (`blocked`) for its sched_blocked_reason, a state R+ after a call of binder for the transaction
 * (ftrace_runnable.c).
 *
 * A row is added to its log when it begins, and set when it ends, so logs are in order of time.
 * States that begin earlier than the last one of the log (place FTRACE_NO_PLACE) are sorted apart,
 * and both are merged at the end. Every value that spans a loss of events stays open: a thing keeps
 * the number of the event with which it began, and is closed only if no later loss concerns it
 * (ftrace_losses).
 */
#include "parsers/ftrace/rows/ftrace_state.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SORTER_MEMORY = 16 << 20 };

/* --- states -------------------------------------------------------------------------------- */

enum {
    STATE_NONE,
    STATE_R,
    STATE_RUNNING,
    STATE_D,
    STATE_D_IO,
    STATE_D_NIO,
    STATE_DK,
    STATE_DK_IO,
    STATE_DK_NIO,
    STATE_UNKNOWN,
    STATE_R_PLUS,
    STATE_R_PLUS_NEW,
    STATE_R_B,
    STATE_OTHERS,
};

static const struct {
    int64_t number; /* as recorded; -1: it is not */
    ts_text name;
} states[] = {
    [STATE_NONE] = {-1, {NULL, 0}},
    [STATE_R] = {0, TS_TEXT_LIT("R")},
    [STATE_RUNNING] = {3, TS_TEXT_LIT("Running")},
    [STATE_D] = {2, TS_TEXT_LIT("D")},
    [STATE_D_IO] = {21, TS_TEXT_LIT("D-IO")},
    [STATE_D_NIO] = {22, TS_TEXT_LIT("D-NIO")},
    [STATE_DK] = {130, TS_TEXT_LIT("DK")},
    [STATE_DK_IO] = {131, TS_TEXT_LIT("DK-IO")},
    [STATE_DK_NIO] = {132, TS_TEXT_LIT("DK-NIO")},
    [STATE_UNKNOWN] = {32768, TS_TEXT_LIT("U")},
    [STATE_R_PLUS] = {2048, TS_TEXT_LIT("R+")},
    [STATE_R_PLUS_NEW] = {256, TS_TEXT_LIT("R+")},
    [STATE_R_B] = {2049, TS_TEXT_LIT("R-B")},
    [STATE_OTHERS] = {1, TS_TEXT_LIT("S")},
    {4, TS_TEXT_LIT("T")},
    {8, TS_TEXT_LIT("t")},
    {16, TS_TEXT_LIT("X")},
    {32, TS_TEXT_LIT("Z")},
    {64, TS_TEXT_LIT("P")},
    {128, TS_TEXT_LIT("I")},
    {136, TS_TEXT_LIT("TK")},
    {4096, TS_TEXT_LIT("S")},
};

enum { STATE_COUNT = sizeof states / sizeof *states };

static ts_code state_of(uint8_t *state, ftrace_machine *m, int64_t number)
{
    for (unsigned i = STATE_R; i < STATE_COUNT; i++) {
        if (states[i].number == number) {
            *state = (uint8_t)i;
            return TS_OK;
        }
    }
    *state = STATE_UNKNOWN;
    return ts_issue(m->store, m->source_id, TS_ISSUE_ftrace_unknown_state, m->options.stream,
                    TS_NO_OFFSET, "state %" PRId64 " of a thread has no name", number);
}

/* --- rows to be ---------------------------------------------------------------------------- */

void ftrace_sched_init(ftrace_sched *s, ts_ctx *ctx)
{
    *s = (ftrace_sched){0};
    ftrace_rowlog_init(&s->slices, ctx, sizeof(ftrace_slice_row), FTRACE_ROWLOG_WINDOW);
    ftrace_rowlog_init(&s->states, ctx, sizeof(ftrace_state_row), FTRACE_ROWLOG_WINDOW);
}

ts_code ftrace_sched_state(ftrace_machine *m, const ftrace_state *state)
{
    static const ts_sorter_order order = {.key_offset = offsetof(ftrace_state_row, ts_key),
                                          .key_count = 2};
    ftrace_sched *s = &m->sched;
    return state->place != FTRACE_NO_PLACE
               ? ftrace_rowlog_set(&s->states, state->place - 1, &state->row)
               : ts_sorter_put(&s->others, m->ctx, &state->row, sizeof state->row, &order,
                               SORTER_MEMORY);
}

static int64_t time_of(const ftrace_state_row *row)
{
    return (int64_t)(row->ts_key ^ UINT64_C(1) << 63);
}

/* There is no other one: drop_blocked comes before a state of this kind. */
static ts_code keep_blocked(ftrace_machine *m, ftrace_thread_sched *t)
{
    ts_code code = TS_OK;
    if (t->blocked == NULL) {
        t->blocked = ts_alloc(m->ctx, 1, sizeof *t->blocked);
        code = t->blocked == NULL ? m->ctx->error.code : TS_OK;
    }
    if (code == TS_OK) {
        *t->blocked = t->last; /* its state may become known later */
        t->has_blocked = true;
    }
    return code;
}

/* The last state of the thread is none any more: its row is complete. */
static ts_code drop_last(ftrace_machine *m, ftrace_thread *thread)
{
    ftrace_thread_sched *t = &thread->sched;
    if (!t->has_last) {
        return TS_OK;
    }
    t->has_last = false;
    if (t->last_waits) {
        ftrace_runnable_keep(m, thread, &t->last);
        return TS_OK;
    }
    if (!t->last_blocked) {
        return ftrace_sched_state(m, &t->last);
    }
    t->last_blocked = false;
    return keep_blocked(m, t);
}

static ts_code drop_blocked(ftrace_machine *m, ftrace_thread_sched *t)
{
    bool has = t->has_blocked;
    t->has_blocked = false;
    t->last_blocked = false;
    return has ? ftrace_sched_state(m, t->blocked) : TS_OK;
}

void ftrace_sched_waits_for_reply(ftrace_state *state)
{
    state->row.state = STATE_R_B;
}

/* Is its last state, or that it has none, still what it is in? */
static bool knows_last(const ftrace_machine *m, const ftrace_thread *thread)
{
    uint64_t begun = thread->sched.has_last ? thread->sched.begun : 0;
    return ftrace_lost_of_thread(m, thread) <= begun;
}

/* known: no event of the thread is missing since. */
static void close_last(ftrace_thread_sched *t, int64_t ts, bool known)
{
    ftrace_state_row *row = &t->last.row;
    if (t->has_last && row->dur == TS_NO_TIME && known) {
        row->dur = ftrace_time_between(time_of(row), ts);
    }
}

/* A new last state, which begins at ts. */
static ts_code begin_state(ftrace_machine *m, ftrace_thread *thread, int64_t ts, unsigned state,
                           int64_t cpu)
{
    ftrace_sched *s = &m->sched;
    ftrace_state *last = &thread->sched.last;
    ts_code code = drop_last(m, thread);
    *last = (ftrace_state){.row = {.ts_key = ts_sorter_key(ts),
                                   .number = s->state_count++,
                                   .dur = TS_NO_TIME,
                                   .args = FTRACE_NO_ARGS,
                                   .itid = (uint32_t)thread->itid,
                                   .cpu = (int32_t)cpu,
                                   .state = state}};
    thread->sched.has_last = true;
    thread->sched.begun = m->losses.now;
    if (code == TS_OK && last->row.ts_key >= s->last_key) {
        s->last_key = last->row.ts_key;
        last->place = s->states.count + 1;
        code = ftrace_rowlog_add(&s->states, &last->row);
    }
    return code;
}

/*
 * The thread was woken before: it has been runnable since, unless it ran. When its state then is
 * not known, it did not run if it begins to now and no event of it is missing.
 */
static ts_code apply_wake(ftrace_machine *m, ftrace_thread *thread, bool begins)
{
    ftrace_thread_sched *t = &thread->sched;
    ts_code code;
    if (!t->has_wake) {
        return TS_OK;
    }
    t->has_wake = false;
    if (t->wake_known ? t->has_last && t->last.row.state == STATE_RUNNING
                      : !begins || ftrace_lost_of_thread(m, thread) > t->woken) {
        return TS_OK;
    }
    close_last(t, t->wake, t->wake_known);
    code = begin_state(m, thread, t->wake, STATE_R, -1);
    t->begun = t->woken;
    return code;
}

/* --- CPUs ---------------------------------------------------------------------------------- */

ts_code ftrace_cpu_of(ftrace_cpu **out, ftrace_machine *m, uint32_t number)
{
    ftrace_sched *s = &m->sched;
    ftrace_cpu *cpu;
    uint64_t value;
    ts_code code = TS_OK;
    if (number < FTRACE_NEAR_CPUS && s->cpus[number] != NULL) {
        *out = s->cpus[number];
        return TS_OK;
    }
    if (ts_idmap_find(&value, &s->cpu_numbers, number)) {
        *out = (ftrace_cpu *)(uintptr_t)value;
        return TS_OK;
    }
    TS_NEED(m->ctx, cpu = ts_zalloc(m->ctx, 1, sizeof *cpu));
    cpu->number = number;
    code = ts_idmap_put(m->ctx, &s->cpu_numbers, number, (uintptr_t)cpu);
    if (code != TS_OK) {
        ts_free(m->ctx, cpu);
    } else if (number < FTRACE_NEAR_CPUS) {
        s->cpus[number] = cpu;
    }
    *out = cpu;
    return code;
}

static ftrace_cpu *cpu_at(const ftrace_machine *m, uint32_t i)
{
    return (ftrace_cpu *)(uintptr_t)m->sched.cpu_numbers.entries[i].value;
}

/* --- sched_switch -------------------------------------------------------------------------- */

static ts_code switch_slice(ftrace_machine *m, const ftrace_event *event, ftrace_cpu *cpu,
                            const ftrace_thread *next, const ftrace_thread *prev, uint8_t state)
{
    ts_code code = TS_OK;
    if (cpu->has_slice && ftrace_lost_of_cpu(m, cpu) <= cpu->slice_begun) {
        cpu->slice.dur = ftrace_time_between(cpu->slice.ts, event->ts);
        cpu->slice.end_state = state;
        code = ftrace_rowlog_set(&m->sched.slices, cpu->slice_number, &cpu->slice);
    }
    cpu->has_slice = true;
    cpu->slice_number = m->sched.slices.count;
    cpu->slice_begun = m->losses.now;
    cpu->slice = (ftrace_slice_row){.ts = event->ts,
                                    .dur = TS_NO_TIME,
                                    .priority = event->number[FTRACE_N_sched_switch_next_prio],
                                    .itid = (uint32_t)next->itid,
                                    .prev_itid = (uint32_t)prev->itid,
                                    .cpu = event->cpu,
                                    .prev_state = state};
    return code != TS_OK ? code : ftrace_rowlog_add(&m->sched.slices, &cpu->slice);
}

static ts_code switch_in(ftrace_machine *m, const ftrace_event *event, ftrace_cpu *cpu,
                         ftrace_thread *next, const ftrace_thread *prev)
{
    ftrace_thread *other = cpu->running;
    ftrace_thread_sched *t = &next->sched;
    ts_code code;
    TS_TRY_INTO(code, apply_wake(m, next, true));
    close_last(t, event->ts, knows_last(m, next));
    TS_TRY_INTO(code, begin_state(m, next, event->ts, STATE_RUNNING, event->cpu));
    ftrace_thread_moves(m, next, cpu);
    if (other != NULL && other != prev && other->sched.place == cpu && other != next) {
        ftrace_thread_moves(m, other, NULL);
    }
    if (event->reader != FTRACE_FROM_PROTOBUF &&
        ftrace_has_text(event, FTRACE_T_sched_switch_next_info)) {
        ts_text info = event->text[FTRACE_T_sched_switch_next_info];
        code = ftrace_clean(&info, m);
        TS_STEP(code, ftrace_args_text(&t->last.row.args, &m->args, "next_info", info));
    }
    if (code == TS_OK && other != NULL && other != prev && other->sched.has_last &&
        other->sched.last.row.number == cpu->running_row &&
        other->sched.last.row.dur == TS_NO_TIME) {
        code = drop_last(m, other); /* its end was lost */
    }
    cpu->running = next;
    cpu->running_row = t->last.row.number;
    return code;
}

static ts_code switch_out(ftrace_machine *m, const ftrace_event *event, ftrace_thread *prev,
                          const ftrace_thread *next, uint8_t state)
{
    ftrace_thread_sched *t = &prev->sched;
    uint64_t rows;
    ts_code code;
    if (t->has_last && t->last.row.state == STATE_RUNNING &&
        t->last.row.cpu != (int32_t)event->cpu && time_of(&t->last.row) == event->ts) {
        return TS_OK; /* it runs on another CPU already */
    }
    rows = m->sched.state_count;
    code = apply_wake(m, prev, false);
    if (rows == m->sched.state_count || !m->compat /* QF-11 */) {
        close_last(t, event->ts, knows_last(m, prev));
    }
    prev->switched = true;
    TS_STEP(code, begin_state(m, prev, event->ts, state, -1));
    TS_STEP(code, drop_blocked(m, t));
    t->last_blocked = state == STATE_D || state == STATE_DK;
    t->waits = m->losses.now;
    TS_STEP_IF(code, t->has_call,
               ftrace_runnable_out(m, prev, next,
                                   state == STATE_R_PLUS && next != m->threads.idle &&
                                       ftrace_lost_of_thread(m, prev) <= t->called));
    ftrace_thread_moves(m, prev, NULL);
    return code;
}

ts_code ftrace_sched_switch(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_thread *next = NULL;
    ftrace_thread *prev = NULL;
    ftrace_cpu *cpu = NULL;
    uint8_t state = STATE_R;
    ts_code code =
        ftrace_thread_any(&next, &m->threads, event->number[FTRACE_N_sched_switch_next_pid],
                          event->text[FTRACE_T_sched_switch_next_comm]);
    TS_STEP(code,
            ftrace_thread_any(&prev, &m->threads, event->number[FTRACE_N_sched_switch_prev_pid],
                              event->text[FTRACE_T_sched_switch_prev_comm]));
    TS_STEP(code, ftrace_cpu_of(&cpu, m, event->cpu));
    TS_STEP(code, state_of(&state, m, event->number[FTRACE_N_sched_switch_prev_state]));
    TS_STEP(code, switch_slice(m, event, cpu, next, prev, state));
    TS_STEP_IF(code, next != m->threads.idle, switch_in(m, event, cpu, next, prev));
    TS_STEP_IF(code, prev != m->threads.idle, switch_out(m, event, prev, next, state));
    return code;
}

/* --- wakeups ------------------------------------------------------------------------------- */

ts_code ftrace_raw_put(ftrace_machine *m, const ftrace_event *event, ts_text name, int64_t cpu,
                       int64_t itid)
{
    const ts_row_raw row = {.null = cpu == FTRACE_NO_CPU ? TS_NULL_BIT(raw, cpu) : 0,
                            .id = (int64_t)ts_sink_rows(m->sink, TS_T_raw),
                            .ts = event->ts,
                            .name = name,
                            .cpu = cpu,
                            .itid = itid};
    return ts_put_raw(m->sink, &row);
}

/* The first wake counts, unless the thread may have run since. */
static ts_code wake(ftrace_machine *m, ftrace_thread *thread, int64_t ts)
{
    ftrace_thread_sched *t = &thread->sched;
    ts_code code;
    if (t->has_wake && ftrace_lost_of_thread(m, thread) <= t->woken) {
        return TS_OK;
    }
    code = apply_wake(m, thread, false);
    t->has_wake = true;
    t->wake_known = knows_last(m, thread);
    t->wake = ts;
    t->wake_number = m->sched.wake_count++;
    t->woken = m->losses.now;
    return code;
}

ts_code ftrace_sched_wakeup(ftrace_machine *m, const ftrace_event *event)
{
    bool waking = event->kind == FTRACE_sched_waking;
    bool of_waker;
    bool names = waking && event->reader == FTRACE_FROM_TEXT;
    int64_t cpu = event->number[FTRACE_N_sched_wakeup_target_cpu];
    ts_row_instant row = {.ts = event->ts, .ref_type = TS_TEXT_LIT("itid"), .value = 0};
    ftrace_thread *woken = NULL;
    ftrace_thread *waker = NULL;
    ts_code code = ftrace_thread_any(&woken, &m->threads, event->number[FTRACE_N_sched_wakeup_pid],
                                     TS_TEXT_NULL);
    TS_TRY_INTO(code, code != TS_OK ? code
                                    : ftrace_thread_any(&waker, &m->threads, event->pid,
                                                        names ? event->comm : TS_TEXT_NULL));
    row.name = waking ? TS_TEXT_LIT("sched_waking") : TS_TEXT_LIT("sched_wakeup");
    row.ref = woken->itid;
    row.wakeup_from = waker->itid;
    TS_TRY_INTO(code, !waking && woken != m->threads.idle ? wake(m, woken, event->ts) : TS_OK);
    if (event->reader == FTRACE_FROM_TEXT &&
        !ftrace_has_number(event, FTRACE_N_sched_wakeup_target_cpu)) {
        cpu = FTRACE_NO_CPU; /* a message without the field says 0 */
    }
    of_waker = waking || (m->compat /* QT-3 */ && event->reader == FTRACE_FROM_TEXT);
    TS_TRY_INTO(code, ts_put_instant(m->sink, &row));
    return ftrace_raw_put(m, event, row.name, cpu, of_waker ? waker->itid : woken->itid);
}

FTRACE_SAME(N, sched_wakeup, sched_waking, pid);
FTRACE_SAME(N, sched_wakeup, sched_wakeup_new, pid);
FTRACE_SAME(N, sched_wakeup, wakeup, pid);
FTRACE_SAME(N, sched_wakeup, sched_waking, target_cpu);
FTRACE_SAME(N, sched_wakeup, sched_wakeup_new, target_cpu);
FTRACE_SAME(N, sched_wakeup, wakeup, target_cpu);

/* --- sched_blocked_reason ------------------------------------------------------------------ */

static ts_code put_reason(ftrace_machine *m, const ftrace_event *event, ftrace_state_row *row)
{
    int64_t iowait = event->number[FTRACE_N_sched_blocked_reason_iowait] != 0;
    ts_text caller = event->text[FTRACE_T_sched_blocked_reason_caller_str];
    char hex[32];
    ts_code code = TS_OK;
    if (caller.n == 0) {
        int n = snprintf(hex, sizeof hex, "0x%" PRIx64,
                         (uint64_t)event->number[FTRACE_N_sched_blocked_reason_caller]);
        caller = (ts_text){hex, (size_t)n};
    } else {
        code = ftrace_clean(&caller, m);
    }
    row->args = FTRACE_NO_ARGS;
    TS_STEP(code, ftrace_args_int(&row->args, &m->args, "iowait", iowait));
    TS_STEP(code, ftrace_args_text(&row->args, &m->args, "caller", caller));
    TS_STEP_IF(code, ftrace_has_number(event, FTRACE_N_sched_blocked_reason_delay),
               ftrace_args_int(&row->args, &m->args, "delay",
                               event->number[FTRACE_N_sched_blocked_reason_delay]));
    if (row->state == STATE_D) {
        row->state = iowait ? STATE_D_IO : STATE_D_NIO;
    } else {
        row->state = iowait ? STATE_DK_IO : STATE_DK_NIO;
    }
    return code;
}

ts_code ftrace_sched_blocked(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_thread *thread = NULL;
    ftrace_thread_sched *t;
    ts_code code;
    TS_TRY_INTO(code,
                ftrace_thread_any(&thread, &m->threads,
                                  event->number[FTRACE_N_sched_blocked_reason_pid], TS_TEXT_NULL));
    t = &thread->sched;
    if ((t->last_blocked || t->has_blocked) && ftrace_lost_of_thread(m, thread) > t->waits &&
        (code = drop_blocked(m, t)) != TS_OK) { /* it is the reason of another one */
        return code;
    }
    if (m->compat /* QF-13 */ && event->reader != FTRACE_FROM_TEXT &&
        (t->has_blocked || (t->has_last && t->last_blocked))) {
        ftrace_stat(m, event->kind, FTRACE_RECEIVED_AGAIN);
    }
    if (t->has_last && t->last_blocked) {
        t->last_blocked = false;
        return put_reason(m, event, &t->last.row);
    }
    if (t->has_blocked) {
        TS_TRY_INTO(code, put_reason(m, event, &t->blocked->row));
        return drop_blocked(m, t);
    }
    ftrace_stat(m, event->kind, FTRACE_NOT_MATCH);
    return TS_OK;
}

/* --- the end ------------------------------------------------------------------------------- */

static void set_process(ftrace_machine *m, ts_row_thread_state *row)
{
    const ts_row_thread *thread = ts_thread_row(m->store, row->itid);
    row->tid = thread->tid;
    if ((thread->null & TS_NULL_BIT(thread, ipid)) == 0) {
        row->pid = ts_process_row(m->store, thread->ipid)->pid;
    } else {
        TS_SET_NULL(thread_state, row, pid);
    }
}

static ts_code put_state(ftrace_machine *m, const ftrace_state_row *state)
{
    ts_row_thread_state row = {.id = (int64_t)ts_sink_rows(m->sink, TS_T_thread_state),
                               .ts = time_of(state),
                               .dur = state->dur,
                               .cpu = state->cpu,
                               .itid = state->itid,
                               .state = states[state->state].name,
                               .arg_setid = state->args};
    row.null |= state->dur == TS_NO_TIME ? TS_NULL_BIT(thread_state, dur) : 0;
    row.null |= state->cpu < 0 ? TS_NULL_BIT(thread_state, cpu) : 0;
    row.null |= state->args == FTRACE_NO_ARGS ? TS_NULL_BIT(thread_state, arg_setid) : 0;
    set_process(m, &row);
    return ts_put_thread_state(m->sink, &row);
}

static ts_code put_slice(ftrace_machine *m, const ftrace_slice_row *slice)
{
    const ts_row_thread *thread = ts_thread_row(m->store, slice->itid);
    ts_row_sched_slice row = {.null = TS_NULL_BIT(sched_slice, arg_setid),
                              .id = (int64_t)ts_sink_rows(m->sink, TS_T_sched_slice),
                              .ts = slice->ts,
                              .dur = slice->dur,
                              .ts_end = ts_time_add(slice->ts, slice->dur),
                              .cpu = slice->cpu,
                              .itid = slice->itid,
                              .ipid = thread->ipid,
                              .end_state = states[slice->end_state].name,
                              .priority = slice->priority,
                              .prev_itid = slice->prev_itid,
                              .prev_state = states[slice->prev_state].name};
    row.null |= slice->dur == TS_NO_TIME
                    ? TS_NULL_BIT(sched_slice, dur) | TS_NULL_BIT(sched_slice, ts_end)
                    : 0;
    if (m->compat /* QF-7 */) {
        row.ts_end = 0;
        row.null &= ~TS_NULL_BIT(sched_slice, ts_end);
    }
    if (m->compat /* QF-8 */ && slice->end_state == STATE_NONE) {
        row.end_state = states[STATE_R].name;
    }
    row.null |=
        (thread->null & TS_NULL_BIT(thread, ipid)) != 0 ? TS_NULL_BIT(sched_slice, ipid) : 0;
    return ts_put_sched_slice(m->sink, &row);
}

static int by_wake(const void *a, const void *b)
{
    const ftrace_thread *x = *(ftrace_thread *const *)a;
    const ftrace_thread *y = *(ftrace_thread *const *)b;
    return (x->sched.wake_number > y->sched.wake_number) -
           (x->sched.wake_number < y->sched.wake_number);
}

/* Wakes that nothing came of, in their order. */
static ts_code apply_wakes(ftrace_machine *m)
{
    ts_vec woken = {0};
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < m->threads.threads.n; i++) {
        ftrace_thread *thread = ftrace_thread_at(&m->threads, i);
        ftrace_thread **slot;
        if (!thread->sched.has_wake) {
            continue;
        }
        slot = ts_vec_add(m->ctx, &woken, sizeof *slot);
        code = slot == NULL ? m->ctx->error.code : TS_OK;
        if (code == TS_OK) {
            *slot = thread;
        }
    }
    if (code == TS_OK && woken.n > 1) {
        qsort(woken.p, woken.n, sizeof(ftrace_thread *), by_wake);
    }
    for (size_t i = 0; code == TS_OK && i < woken.n; i++) {
        code = apply_wake(m, ((ftrace_thread **)woken.p)[i], false);
    }
    ts_vec_free(m->ctx, &woken);
    return code;
}

/* Rows that are still open. */
static ts_code end_all(ftrace_machine *m)
{
    ts_code code = m->compat /* QF-10 */ ? TS_OK : apply_wakes(m);
    for (size_t i = 0; code == TS_OK && i < m->threads.threads.n; i++) {
        ftrace_thread *thread = ftrace_thread_at(&m->threads, i);
        code = drop_last(m, thread);
        TS_STEP(code, drop_blocked(m, &thread->sched));
    }
    return code != TS_OK ? code : ftrace_runnable_finish(m);
}

static ts_code put_slices(ftrace_machine *m)
{
    const void *record = NULL;
    int64_t id;
    /* Viewers look this name of arguments up where threads run, whether or not one has it. */
    ts_code code =
        m->sched.slices.count == 0 ? TS_OK : ts_dict(&id, m->store, TS_TEXT_LIT("next_info"));
    TS_STEP(code, ftrace_rowlog_finish(&m->sched.slices));
    while (code == TS_OK && (code = ftrace_rowlog_next(&record, &m->sched.slices)) == TS_OK &&
           record != NULL) {
        code = put_slice(m, record);
    }
    return code;
}

static bool state_before(const ftrace_state_row *a, const ftrace_state_row *b)
{
    return a->ts_key != b->ts_key ? a->ts_key < b->ts_key : a->number < b->number;
}

/* Both are in order. */
static ts_code put_states(ftrace_machine *m)
{
    ftrace_sched *s = &m->sched;
    const void *state = NULL;
    const void *other = NULL;
    ts_code code = ftrace_rowlog_finish(&s->states);
    TS_STEP_IF(code, s->others != NULL && (code = ts_sorter_finish(s->others)) == TS_OK,
               ts_sorter_next(&other, s->others));
    TS_STEP(code, ftrace_rowlog_next(&state, &s->states));
    while (code == TS_OK && (state != NULL || other != NULL)) {
        if (other == NULL || (state != NULL && state_before(state, other))) {
            code = put_state(m, state);
            TS_STEP(code, ftrace_rowlog_next(&state, &s->states));
        } else {
            code = put_state(m, other);
            TS_STEP(code, ts_sorter_next(&other, s->others));
        }
    }
    return code;
}

ts_code ftrace_sched_finish(ftrace_machine *m)
{
    ts_code code = end_all(m);
    TS_STEP(code, put_slices(m));
    ftrace_rowlog_free(&m->sched.slices);
    m->sched.slices = (ftrace_rowlog){.ctx = m->ctx};
    return code != TS_OK ? code : put_states(m);
}

void ftrace_sched_free(ftrace_machine *m)
{
    for (uint32_t i = 0; i < m->sched.cpu_numbers.count; i++) {
        ts_free(m->ctx, cpu_at(m, i));
    }
    ts_idmap_free(m->ctx, &m->sched.cpu_numbers);
    ts_sorter_close(m->sched.others);
    ftrace_rowlog_free(&m->sched.states);
    ftrace_rowlog_free(&m->sched.slices);
    ftrace_runnable_free(m);
}
