/*
 * Events in order of time to rows, whichever reader they come from.
 *
 * Every event first makes its thread and process known, then goes to the part that handles its kind
 * (`uses`), and is counted: received, not supported, wrong or left out, for `stat` and for
 * import_count. Losses come as events of their own kinds and only change m->losses; each event and
 * each loss has a number (m->losses.now), by which the other parts tell what came before a loss. An
 * event that is earlier than the one before it is handled in its place and counted as late.
 *
 * The order of the end matters: slices and frames that may have ended where events were lost are
 * forgotten; threads get their processes, and processes their names, because rows need them; then
 * states, slices, interrupts, frames and counters are closed, and last --time-range writes what it
 * kept.
 */
#include "parsers/ftrace/rows/ftrace_state.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <inttypes.h>

ts_code ftrace_machine_open(ftrace_machine **out, ts_ctx *ctx, ts_store *store, int64_t source_id,
                            const ftrace_machine_options *options)
{
    ftrace_machine *m = ts_zalloc(ctx, 1, sizeof *m);
    ts_code code;
    *out = NULL;
    TS_NEED(ctx, m);
    m->ctx = ctx;
    m->store = store;
    m->sink = ts_store_sink(store);
    m->source_id = source_id;
    m->options = *options;
    ftrace_sched_init(&m->sched, ctx);
    m->compat = ctx->compat;
    ftrace_args_init(&m->args, store, m->sink);
    m->wanted = TS_SPAN_ALL;
    m->frames.base = ts_sink_rows(m->sink, TS_T_frame_slice);
    code = ftrace_threads_init(&m->threads, ctx, store, source_id);
    if (code != TS_OK) {
        ftrace_machine_close(m);
        return code;
    }
    *out = m;
    return TS_OK;
}

ts_code ftrace_machine_limit(ftrace_machine *m, const ts_span *wanted)
{
    ts_code code;
    if (m->limit != NULL || (wanted->from == INT64_MIN && wanted->to == INT64_MAX)) {
        return TS_OK;
    }
    m->wanted = *wanted;
    code = ftrace_limit_open(&m->limit, m->ctx, m->sink, wanted);
    if (code == TS_OK) {
        m->sink = ftrace_limit_sink(m->limit);
        m->args.sink = m->sink;
    }
    return code;
}

void ftrace_machine_close(ftrace_machine *m)
{
    if (m == NULL) {
        return;
    }
    ftrace_sched_free(m);
    ftrace_slices_free(m);
    ftrace_counters_free(m);
    ftrace_binder_free(m);
    ftrace_irq_free(m);
    ftrace_kernel_free(m);
    ftrace_frames_free(m);
    ftrace_threads_free(&m->threads);
    ftrace_limit_close(m->limit);
    ts_idmap_free(m->ctx, &m->comms);
    ts_idmap_free(m->ctx, &m->symbols);
    ts_pool_free(m->ctx, &m->names);
    ts_buf_free(m->ctx, &m->scratch);
    ts_buf_free(m->ctx, &m->plain);
    ts_free(m->ctx, m);
}

ts_code ftrace_clean(ts_text *text, ftrace_machine *m)
{
    uint64_t replaced = 0;
    ts_code code = text->p == NULL ? TS_OK : ts_utf8_text(text, m->ctx, &m->scratch, &replaced);
    m->bad_texts += replaced > 0;
    return code;
}

ts_code ftrace_clean_both(ts_text *a, ts_text *b, ftrace_machine *m)
{
    ts_code code = ftrace_clean(a, m);
    if (code == TS_OK && a->p != NULL && a->p == m->scratch.p) {
        m->plain.n = 0;
        code = ts_buf_put(m->ctx, &m->plain, a->p, a->n);
        *a = ts_buf_text(&m->plain);
    }
    return code != TS_OK ? code : ftrace_clean(b, m);
}

/* --- what a recording says of names -------------------------------------------------------- */

static ts_code keep_name(ftrace_machine *m, ts_idmap *map, int64_t id, ts_text name)
{
    uint32_t number = 0;
    ts_code code = ts_pool_intern(m->ctx, &number, NULL, &m->names, name);
    return code != TS_OK ? code : ts_idmap_put(m->ctx, map, id, number);
}

ts_code ftrace_machine_symbol(ftrace_machine *m, uint64_t addr, ts_text name)
{
    ts_row_symbols row = {.id = (int64_t)ts_sink_rows(m->sink, TS_T_symbols),
                          .addr = (int64_t)addr};
    TS_TRY(ftrace_clean(&name, m));
    row.funcname = ftrace_or_empty(name);
    TS_TRY(ts_put_symbols(m->sink, &row));
    return keep_name(m, &m->symbols, (int64_t)addr, row.funcname);
}

ts_code ftrace_machine_comm(ftrace_machine *m, int32_t tid, ts_text name)
{
    return name.n == 0 ? TS_OK : keep_name(m, &m->comms, tid, name);
}

ts_code ftrace_machine_thread(ftrace_machine *m, int32_t tid, int32_t pid, ts_text name)
{
    ftrace_thread *thread;
    return ftrace_thread_named(&thread, &m->threads, tid, pid, name);
}

/* --- losses -------------------------------------------------------------------------------- */

void ftrace_thread_moves(ftrace_machine *m, ftrace_thread *thread, ftrace_cpu *cpu)
{
    ftrace_thread_sched *t = &thread->sched;
    t->lost = ftrace_lost_of_thread(m, thread);
    t->placed = m->losses.now;
    t->place = cpu;
}

/* FTRACE_GAP, FTRACE_LOSS_BEGINS or FTRACE_LOSS_ENDS. */
static ts_code machine_lose(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_losses *l = &m->losses;
    ftrace_cpu *cpu = NULL;
    if (event->kind == FTRACE_GAP) {
        l->all = l->ended = l->now;
        return TS_OK;
    }
    TS_TRY(ftrace_cpu_of(&cpu, m, event->cpu));
    if (event->kind == FTRACE_LOSS_BEGINS) {
        l->open += cpu->losing == 0;
        cpu->losing++;
        return TS_OK;
    }
    cpu->losing--;
    l->open -= cpu->losing == 0;
    cpu->lost = l->ended = l->now;
    return TS_OK;
}

/* --- events -------------------------------------------------------------------------------- */

static ts_code see_thread(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_thread *thread;
    int64_t tgid = ftrace_process_of(event);
    if (event->reader == FTRACE_FROM_FFRT) {
        return TS_OK;
    }
    if (event->reader == FTRACE_FROM_TEXT && tgid != 0) {
        return ftrace_thread_named(&thread, &m->threads, event->pid, tgid, event->comm);
    }
    return ftrace_thread_of_event(&thread, &m->threads, event->pid, tgid);
}

static ts_code thread_ended(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_thread *thread = NULL;
    ts_code code =
        ftrace_thread_any(&thread, &m->threads, event->number[FTRACE_N_sched_process_exit_pid],
                          event->text[FTRACE_T_sched_process_exit_comm]);
    if (code == TS_OK) {
        ftrace_thread_ended(&m->threads, thread, event->ts);
    }
    return code;
}

FTRACE_SAME(N, sched_process_exit, sched_process_free, pid);
FTRACE_SAME(T, sched_process_exit, sched_process_free, comm);

static ts_code thread_renamed(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_thread *thread;
    return ftrace_thread_any(&thread, &m->threads, event->number[FTRACE_N_task_rename_pid],
                             event->text[FTRACE_T_task_rename_newcomm]);
}

static ts_code thread_began(ftrace_machine *m, const ftrace_event *event)
{
    enum { CLONE_THREAD = 0x10000 };
    bool thread_of = (event->number[FTRACE_N_task_newtask_clone_flags] & CLONE_THREAD) != 0;
    int64_t pid = event->number[FTRACE_N_task_newtask_pid];
    int64_t of_event = ftrace_process_of(event);
    int64_t tgid = thread_of ? of_event : pid;
    ftrace_thread *thread = NULL;
    ts_code code;
    ftrace_stat(m, event->kind, FTRACE_NOT_SUPPORTED);
    if (pid <= 0 || m->compat /* 2.4 */) {
        return TS_OK;
    }
    code = ftrace_thread_seen(&thread, &m->threads, pid, tgid);
    if (code == TS_OK) {
        ftrace_thread_began(&m->threads, thread, event->ts);
    }
    return code;
}

static ts_code not_used(ftrace_machine *m, const ftrace_event *event)
{
    (void)event;
    m->outcome = FTRACE_UNUSED;
    return TS_OK;
}

static ts_code not_supported(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_stat(m, event->kind, FTRACE_NOT_SUPPORTED);
    return not_used(m, event);
}

typedef ts_code use_event(ftrace_machine *m, const ftrace_event *event);

static use_event *const uses[FTRACE_KINDS] = {
#define FTRACE_KIND(kind, stat, number, use) use,
#include "parsers/ftrace/event_kinds.def"
};

FTRACE_SAME(T, print, tracing_mark_write, buf);

static void note_time(ftrace_machine *m, const ftrace_event *event)
{
    const int64_t ts = event->ts;
    if (ts == 0 || (event->reader == FTRACE_FROM_TEXT &&
                    (m->outcome == FTRACE_INVALID_MARKER || m->outcome == FTRACE_OTHER_MARKER))) {
        return;
    }
    if (!m->began || ts > m->last_ts) {
        m->last_ts = ts;
    } else if (ts < m->last_ts) {
        m->late_events++;
    }
    m->began = true;
    if (!ts_span_has(&m->wanted, ts)) {
        return;
    }
    if (!m->noted) {
        ts_range_note(m->store, m->options.clock, TS_RANGE_ROWS, ts);
    }
    m->first_noted = m->noted && m->first_noted < ts ? m->first_noted : ts;
    m->last_noted = m->noted && m->last_noted > ts ? m->last_noted : ts;
    m->noted = true;
}

ts_code ftrace_machine_event(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_kind_count *count;
    ts_code code;
    m->losses.now++;
    m->outcome = FTRACE_USED;
    if (event->kind >= FTRACE_GAP && event->kind <= FTRACE_LOSS_ENDS) {
        return machine_lose(m, event);
    }
    if (event->kind >= FTRACE_KINDS || event->reader > FTRACE_FROM_FFRT) {
        return ts_fail(m->ctx, TS_ERR_INTERNAL, "event of kind %u, reader %u", event->kind,
                       event->reader);
    }
    count = &m->counts[event->kind];
    code = see_thread(m, event);
    if (!ftrace_call_wanted(m, event)) {
        count->left_out++;
        note_time(m, event);
        return code;
    }
    count->received[event->reader]++;
    TS_STEP(code, uses[event->kind](m, event));
    note_time(m, event);
    count->unused += m->outcome == FTRACE_UNUSED || m->outcome == FTRACE_OTHER_MARKER;
    count->wrong += m->outcome >= FTRACE_WRONG;
    return code;
}

/* --- the end ------------------------------------------------------------------------------- */

/* The name under which a kind is counted in `stat`. */
static const char *stat_name(unsigned kind, ftrace_reader reader)
{
    if (reader == FTRACE_FROM_FFRT) {
        return "trace_ffrt";
    }
    if (kind == FTRACE_print && reader != FTRACE_FROM_PROTOBUF) {
        return "tracing_mark_write";
    }
    if (kind == FTRACE_sched_wakeup_new && reader == FTRACE_FROM_RAW) {
        return "sched_wakeup_new";
    }
    if (reader == FTRACE_FROM_TEXT) {
        switch ((ftrace_kind)kind) {
        case FTRACE_dma_fence_init:
        case FTRACE_dma_fence_destroy:
        case FTRACE_dma_fence_enable_signal:
        case FTRACE_dma_fence_signaled:
            return "dma_fence";
        case FTRACE_sys_exit:
            return "sys_enter";
        default:
            break;
        }
    }
    return ftrace_kinds[kind].stat;
}

static ts_code put_stat(ftrace_machine *m, const char *event, const char *type, uint64_t n)
{
    return n == 0 || event == NULL ? TS_OK : ts_stat(m->store, event, type, n);
}

static ts_code put_stats(ftrace_machine *m, unsigned kind)
{
    static const char *const types[FTRACE_STAT_TYPES] = {"not_match", "not_supported",
                                                         "invalid_data", "data_lost", "received"};
    const ftrace_kind_count *count = &m->counts[kind];
    ts_code code = TS_OK;
    for (unsigned r = 0; r <= FTRACE_FROM_FFRT && code == TS_OK; r++) {
        code = put_stat(m, stat_name(kind, (ftrace_reader)r), "received", count->received[r]);
    }
    for (unsigned t = 0; t < FTRACE_STAT_TYPES && code == TS_OK; t++) {
        code = put_stat(m, ftrace_kinds[kind].stat, types[t], count->stat[t]);
    }
    if (code == TS_OK && kind == FTRACE_print) { /* without it viewers draw no process */
        code = put_stat(m, "tracing_mark_write", "received",
                        count->received[FTRACE_FROM_PROTOBUF] + count->received[FTRACE_FROM_FFRT]);
    }
    return code;
}

static ts_code put_count(ftrace_machine *m, unsigned kind)
{
    const ftrace_kind_count *count = &m->counts[kind];
    uint64_t seen = count->left_out;
    uint64_t skipped = count->unused + count->left_out;
    for (unsigned r = 0; r <= FTRACE_FROM_FFRT; r++) {
        seen += count->received[r];
    }
    if (seen == 0) {
        return TS_OK;
    }
    return ts_count_add(m->store, m->source_id, TS_ITEM_ftrace_events, ftrace_kinds[kind].name,
                        seen - count->wrong - skipped, count->wrong, skipped);
}

static ts_code put_issue(ftrace_machine *m, ts_issue_code issue, uint64_t n, const char *what)
{
    return ts_issue_n(m->store, m->source_id, issue, m->options.stream, TS_NO_OFFSET, n,
                      "%" PRIu64 " %s", n, what);
}

static ts_code put_issues(ftrace_machine *m)
{
    ts_code code = put_issue(m, TS_ISSUE_ftrace_event_late, m->late_events, "events are late");
    TS_STEP(code, put_issue(m, TS_ISSUE_ftrace_bad_marker, m->bad_markers,
                            "markers lack what they need"));
    TS_STEP(code, put_issue(m, TS_ISSUE_ftrace_other_events, m->other_markers,
                            "markers have texts of other forms"));
    TS_STEP(code,
            put_issue(m, TS_ISSUE_ftrace_bad_text, m->bad_texts, "texts are not valid UTF-8"));
    return code;
}

/* Processes that have no name get that of the list. */
static ts_code name_processes(ftrace_machine *m)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < m->threads.processes.n && code == TS_OK; i++) {
        const ftrace_process *process = ((ftrace_process **)m->threads.processes.p)[i];
        uint64_t number;
        if (process->name == NULL && ts_idmap_find(&number, &m->comms, process->pid)) {
            code = ftrace_process_named(&m->threads, process->pid,
                                        ts_pool_text(&m->names, (uint32_t)number));
        }
    }
    return code != TS_OK ? code : ftrace_threads_name(&m->threads);
}

/* What may have ended where events were lost has not ended at the end of the recording. */
static ts_code check_threads(ftrace_machine *m)
{
    ts_code code = TS_OK;
    m->losses.now++;
    for (size_t i = 0; i < m->threads.threads.n && code == TS_OK; i++) {
        code = ftrace_slices_check(m, ftrace_thread_at(&m->threads, i));
    }
    return code;
}

ts_code ftrace_machine_finish(ftrace_machine *m)
{
    ts_code code = check_threads(m);
    TS_STEP(code, ftrace_threads_finish(&m->threads));
    TS_STEP(code, name_processes(m));
    TS_STEP(code, ftrace_sched_finish(m));
    TS_STEP(code, ftrace_slices_finish(m));
    TS_STEP(code, ftrace_irq_finish(m));
    TS_STEP(code, ftrace_frames_finish(m));
    TS_STEP(code, ftrace_counters_finish(m));
    TS_STEP_IF(code, m->limit != NULL, ftrace_limit_finish(m->limit, &m->args));
    for (unsigned kind = 0; kind < FTRACE_KINDS && code == TS_OK; kind++) {
        code = put_stats(m, kind);
        TS_STEP(code, put_count(m, kind));
    }
    TS_STEP(code, put_issues(m));
    TS_STEP(code, put_stat(m, "tracing_mark_write", "invalid_data", m->empty_names));
    if (code == TS_OK && m->noted) {
        ts_range_note(m->store, m->options.clock, TS_RANGE_ROWS, m->first_noted);
        ts_range_note(m->store, m->options.clock, TS_RANGE_ROWS, m->last_noted);
    }
    return code;
}
