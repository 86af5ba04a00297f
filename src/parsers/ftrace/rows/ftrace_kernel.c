#include "parsers/ftrace/rows/ftrace_state.h"

#include "base/alloc.h"
#include "base/names.h"

#include <inttypes.h>
#include <stdio.h>

/* --- fences -------------------------------------------------------------------------------- */

/* Time since the event before of this timeline; 0 for its first one. */
static ts_code since_last(int64_t *dur, ftrace_machine *m, ts_text timeline, int64_t ts)
{
    ftrace_kernel *k = &m->kernel;
    ftrace_key key = ftrace_key_of(m->ctx, 0, 0, timeline, TS_TEXT_NULL);
    uint64_t place = ftrace_open_find(&k->timelines, key);
    ftrace_fence *last;
    *dur = 0;
    if (place == 0) {
        TS_NEED(m->ctx, last = ts_vec_add(m->ctx, &k->fences, sizeof *last));
        *last = (ftrace_fence){ts, m->losses.now};
        return ftrace_open_put(m->ctx, &k->timelines, key, k->fences.n);
    }
    last = (ftrace_fence *)k->fences.p + (place - 1);
    *dur = ftrace_lost(m) > last->number ? TS_NO_TIME : ftrace_time_between(last->ts, ts);
    *last = (ftrace_fence){ts, m->losses.now};
    return TS_OK;
}

ts_code ftrace_fence_event(ftrace_machine *m, const ftrace_event *event)
{
    ts_row_dma_fence row = {.id = (int64_t)ts_sink_rows(m->sink, TS_T_dma_fence),
                            .ts = event->ts,
                            .cat = ts_text_of(ftrace_kinds[event->kind].name),
                            .context = event->number[FTRACE_N_dma_fence_init_context],
                            .seqno = event->number[FTRACE_N_dma_fence_init_seqno]};
    ts_text timeline = event->text[FTRACE_T_dma_fence_init_timeline];
    ts_code code;
    if (timeline.n == 0) {
        return TS_OK;
    }
    code = since_last(&row.dur, m, timeline, event->ts);
    row.null |= row.dur == TS_NO_TIME ? TS_NULL_BIT(dma_fence, dur) : 0;
    row.timeline = timeline;
    row.driver = ftrace_or_empty(event->text[FTRACE_T_dma_fence_init_driver]);
    TS_STEP(code, ftrace_clean_both(&row.driver, &row.timeline, m));
    return code != TS_OK ? code : ts_put_dma_fence(m->sink, &row);
}

FTRACE_SAME(T, dma_fence_init, dma_fence_destroy, timeline);
FTRACE_SAME(T, dma_fence_init, dma_fence_enable_signal, timeline);
FTRACE_SAME(T, dma_fence_init, dma_fence_signaled, timeline);

/* --- work queues --------------------------------------------------------------------------- */

/* The function: its name, that of its symbol, or its address. */
static ts_text function_of(char hex[32], ftrace_machine *m, const ftrace_event *event)
{
    int64_t addr = event->number[FTRACE_N_workqueue_execute_start_function];
    ts_text name = event->text[FTRACE_T_workqueue_execute_start_function_name];
    uint64_t number;
    if (name.n > 0) {
        return name;
    }
    if (ts_idmap_find(&number, &m->symbols, addr)) {
        return ts_pool_text(&m->names, (uint32_t)number);
    }
    return (ts_text){hex, (size_t)snprintf(hex, 32, "0x%" PRIx64, (uint64_t)addr)};
}

static ts_code work_begins(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_push_row push = {.cat = FTRACE_CAT_WORKQUEUE, .args = FTRACE_NO_ARGS};
    int64_t tgid = ftrace_process_of(event);
    ftrace_thread *thread = NULL;
    char hex[32];
    ts_code code = tgid != 0
                       ? ftrace_thread_named(&thread, &m->threads, event->pid, tgid, event->comm)
                       : ftrace_thread_any(&thread, &m->threads, event->pid, event->comm);
    push.text = function_of(hex, m, event);
    TS_STEP(code, ftrace_clean(&push.text, m));
    return code != TS_OK ? code : ftrace_slice_push(NULL, m, thread, event->ts, &push);
}

ts_code ftrace_work_event(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_thread *thread = NULL;
    ftrace_slice *slice = NULL;
    ts_code code;
    if (event->kind == FTRACE_workqueue_execute_start) {
        return work_begins(m, event);
    }
    code = ftrace_thread_seen(&thread, &m->threads, event->pid, ftrace_process_of(event));
    TS_STEP(code, ftrace_slice_find(&slice, m, thread, event->ts, FTRACE_CAT_WORKQUEUE,
                                    FTRACE_NAME_OTHER));
    if (code == TS_OK &&
        (m->compat /* QF-30 */ ? slice != NULL && slice->row > 1 : slice == NULL)) {
        ftrace_stat(m, event->kind, FTRACE_NOT_MATCH);
    }
    if (code == TS_OK && slice == NULL) {
        return TS_OK;
    }
    return code != TS_OK ? code : ftrace_slice_end(m, thread, slice, event->ts);
}

/* --- system calls -------------------------------------------------------------------------- */

void ftrace_call_free(ts_ctx *ctx, ftrace_call *call)
{
    ts_free(ctx, call->args);
    *call = (ftrace_call){0};
}

static ts_code call_begins(ftrace_machine *m, const ftrace_event *event, ftrace_thread *thread)
{
    ts_text args = event->text[FTRACE_T_sys_enter_args];
    ftrace_call *call = thread->call;
    if (call == NULL && (call = ts_zalloc(m->ctx, 1, sizeof *call)) == NULL) {
        return m->ctx->error.code;
    }
    thread->call = call;
    ftrace_call_free(m->ctx, call);
    call->open = true;
    call->number = event->number[FTRACE_N_sys_enter_id];
    call->ts = event->ts;
    call->begun = m->losses.now;
    if (ftrace_has_text(event, FTRACE_T_sys_enter_args) && args.p != NULL) {
        call->args = ts_strndup(m->ctx, args.p, args.n);
        call->args_n = args.n;
        return call->args == NULL ? m->ctx->error.code : TS_OK;
    }
    return TS_OK;
}

FTRACE_SAME(N, sys_enter, sys_exit, id);

bool ftrace_call_wanted(const ftrace_machine *m, const ftrace_event *event)
{
    return (event->kind != FTRACE_sys_enter && event->kind != FTRACE_sys_exit) ||
           m->ctx->syscalls == NULL ||
           ts_number_list_has(m->ctx->syscalls, event->number[FTRACE_N_sys_enter_id]);
}

static ts_code call_ends(ftrace_machine *m, const ftrace_event *event, ftrace_thread *thread)
{
    ts_row_syscall row = {.ret = event->number[FTRACE_N_sys_exit_ret]};
    ftrace_call *call = thread->call;
    ts_code code;
    if (call == NULL || !call->open || call->number != event->number[FTRACE_N_sys_exit_id] ||
        ftrace_lost_of_thread(m, thread) > call->begun) {
        return TS_OK;
    }
    row.syscall_number = call->number;
    row.ts = call->ts;
    row.itid = thread->itid;
    row.args = call->args == NULL ? TS_TEXT_NULL : (ts_text){call->args, call->args_n};
    row.dur = ftrace_time_between(call->ts, event->ts);
    row.null |= row.dur == TS_NO_TIME ? TS_NULL_BIT(syscall, dur) : 0;
    code = ftrace_clean(&row.args, m);
    TS_STEP(code, ts_put_syscall(m->sink, &row));
    ftrace_call_free(m->ctx, call);
    return code;
}

ts_code ftrace_call_event(ftrace_machine *m, const ftrace_event *event)
{
    const bool begins = event->kind == FTRACE_sys_enter;
    ftrace_thread *thread = NULL;
    ts_code code = ftrace_thread_seen(&thread, &m->threads, event->pid, ftrace_process_of(event));
    return code != TS_OK ? code : (begins ? call_begins : call_ends)(m, event, thread);
}

/* --- timers -------------------------------------------------------------------------------- */

ts_code ftrace_timer_event(ftrace_machine *m, const ftrace_event *event)
{
    const int64_t *n = event->number;
    ts_text name = ftrace_or_empty(event->text[FTRACE_T_timerfd_wakeup_thread_name]);
    ts_row_timerfd_wakeup row = {.id = (int64_t)ts_sink_rows(m->sink, TS_T_timerfd_wakeup),
                                 .ts = event->ts,
                                 .pid = n[FTRACE_N_timerfd_wakeup_thread_pid],
                                 .tid = n[FTRACE_N_timerfd_wakeup_thread_tid],
                                 .interval = n[FTRACE_N_timerfd_wakeup_interval],
                                 .expire_mono = n[FTRACE_N_timerfd_wakeup_expire_mono]};
    char mono[32];
    int length = snprintf(mono, sizeof mono, "%" PRId64, n[FTRACE_N_timerfd_wakeup_curr_mono]);
    ts_code code = ftrace_clean(&name, m);
    row.curr_mono = (ts_text){mono, (size_t)length};
    TS_STEP(code, ts_dict(&row.thread_name, m->store, name));
    return code != TS_OK ? code : ts_put_timerfd_wakeup(m->sink, &row);
}

void ftrace_kernel_free(ftrace_machine *m)
{
    ftrace_open_free(m->ctx, &m->kernel.timelines);
    ts_vec_free(m->ctx, &m->kernel.fences);
}
