#include "parsers/ftrace/rows/ftrace_state.h"

#include "base/buf.h"

#include <inttypes.h>
#include <stdio.h>

enum { ONE_WAY = 1 };

/* Values of maps are not 0. */
static uint64_t packed(int64_t value)
{
    return (uint64_t)value << 1 | 1;
}

static int64_t unpacked(uint64_t value)
{
    return (int64_t)value >> 1;
}

static ftrace_key key_of(const ftrace_machine *m, int64_t id)
{
    return ftrace_key_of(m->ctx, id, 0, TS_TEXT_NULL, TS_TEXT_NULL);
}

static bool take(int64_t *value, ftrace_machine *m, ftrace_open *open, int64_t id)
{
    ftrace_key key = key_of(m, id);
    uint64_t found = ftrace_open_find(open, key);
    *value = unpacked(found);
    ftrace_open_remove(open, key);
    return found != 0;
}

static ts_code keep(ftrace_machine *m, ftrace_open *open, int64_t id, int64_t value)
{
    return ftrace_open_put(m->ctx, open, key_of(m, id), packed(value));
}

/* The thread that the event happened in. */
static ts_code this_thread(ftrace_thread **thread, ftrace_machine *m, const ftrace_event *event)
{
    ts_code code = ftrace_thread_seen(thread, &m->threads, event->pid, ftrace_process_of(event));
    return code != TS_OK ? code : ftrace_slices_check(m, *thread);
}

/* --- arguments ----------------------------------------------------------------------------- */

static ts_code add_flags(int64_t *set, ftrace_machine *m, int64_t flags)
{
    static const struct {
        int64_t bit;
        const char *text;
    } bits[] = {
        {1, " this is a one-way call: async, no return; "},
        {4, " contents are the components root object; "},
        {8, " contents are a 32-bit status code; "},
        {16, " allow replies with file descriptors; "},
    };
    char text[256];
    size_t n = (size_t)snprintf(text, sizeof text, "0x%" PRIx64, (uint64_t)flags);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        if ((flags & bits[i].bit) != 0) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", bits[i].text);
        }
    }
    if (flags == 0) {
        n += (size_t)snprintf(text + n, sizeof text - n, " No Flags Set");
    }
    return ftrace_args_text(set, &m->args, "flags", (ts_text){text, n});
}

static ts_code add_code(int64_t *set, ftrace_machine *m, int64_t number)
{
    char text[64];
    int n = snprintf(text, sizeof text, "0x%" PRIx64 " Java Layer Dependent", (uint64_t)number);
    return ftrace_args_text(set, &m->args, "code", (ts_text){text, (size_t)n});
}

/* What is known of a transaction that is sent. */
static ts_code add_sent(int64_t *set, ftrace_machine *m, const ftrace_event *event)
{
    const int64_t *n = event->number;
    ftrace_args *args = &m->args;
    ts_code code =
        ftrace_args_int(set, args, "transaction id", n[FTRACE_N_binder_transaction_debug_id]);
    TS_STEP(code, ftrace_args_int(set, args, "destination node",
                                  n[FTRACE_N_binder_transaction_target_node]));
    TS_STEP(code, ftrace_args_int(set, args, "destination process",
                                  n[FTRACE_N_binder_transaction_to_proc]));
    TS_STEP(code, ftrace_args_put(set, args, "reply transaction?", FTRACE_ARG_BOOL,
                                  n[FTRACE_N_binder_transaction_reply] != 0));
    TS_STEP(code, add_flags(set, m, (int32_t)n[FTRACE_N_binder_transaction_flags]));
    TS_STEP(code, add_code(set, m, (int32_t)n[FTRACE_N_binder_transaction_code]));
    return code != TS_OK ? code : ftrace_args_int(set, args, "calling tid", event->pid);
}

/* More was added to the set of an open slice. */
static ts_code give_set(ftrace_machine *m, ftrace_slice *slice, int64_t set)
{
    if (slice->args == FTRACE_NO_ARGS && m->compat /* QF-24 */) {
        return TS_OK;
    }
    return ftrace_slice_args(m, slice, set);
}

static ts_code add_thread(int64_t *set, ftrace_machine *m, int64_t tid)
{
    ftrace_thread *thread = NULL;
    TS_TRY(ftrace_args_int(set, &m->args, "destination thread", tid));
    TS_TRY(ftrace_thread_any(&thread, &m->threads, tid, TS_TEXT_NULL));
    return ftrace_args_text(set, &m->args, "destination name", ftrace_or_empty(thread->name));
}

/* --- transactions -------------------------------------------------------------------------- */

static ts_code send_reply(ftrace_machine *m, const ftrace_event *event, ftrace_thread *thread)
{
    const int64_t *n = event->number;
    int64_t receiver = n[FTRACE_N_binder_transaction_to_thread];
    uint64_t running = ftrace_open_find(&m->binder.running, key_of(m, event->pid));
    ftrace_slice *slice = NULL;
    int64_t set;
    ts_code code = TS_OK;
    if (running != 0 && unpacked(running) == receiver) {
        slice = ftrace_slice_top(thread, FTRACE_NAME_REPLY);
        if (slice != NULL) {
            set = slice->args;
            code = add_thread(&set, m, receiver);
            TS_STEP(code, give_set(m, slice, set));
        }
        ftrace_open_remove(&m->binder.running, key_of(m, event->pid));
    }
    TS_STEP(code,
            ftrace_slice_find(&slice, m, thread, event->ts, FTRACE_CAT_NONE, FTRACE_NAME_OTHER));
    if (code == TS_OK && slice != NULL) {
        const bool twice = m->compat /* QF-23 */ && slice->args == FTRACE_NO_ARGS;
        set = slice->args;
        code = add_sent(&set, m, event);
        code = code != TS_OK || !twice ? code : add_sent(&set, m, event);
        TS_STEP(code, ftrace_slice_args(m, slice, set));
        TS_STEP(code, ftrace_slice_end(m, thread, slice, event->ts));
    }
    TS_STEP(code, keep(m, &m->binder.replies, n[FTRACE_N_binder_transaction_debug_id], 0));
    return code;
}

static ts_code transaction(ftrace_machine *m, const ftrace_event *event, ftrace_thread *thread)
{
    const int64_t *n = event->number;
    bool one_way = (n[FTRACE_N_binder_transaction_flags] & ONE_WAY) != 0;
    ftrace_push_row push = {.cat = FTRACE_CAT_BINDER,
                            .name = one_way ? FTRACE_NAME_ASYNC : FTRACE_NAME_TRANSACTION,
                            .closed = one_way,
                            .args = FTRACE_NO_ARGS};
    int64_t id = n[FTRACE_N_binder_transaction_debug_id];
    ts_code code;
    if (n[FTRACE_N_binder_transaction_reply] != 0) {
        return send_reply(m, event, thread);
    }
    code = add_sent(&push.args, m, event);
    TS_STEP(code, ftrace_slice_push(NULL, m, thread, event->ts, &push));
    TS_STEP_IF(code, !one_way && !m->compat /* 2.9 */, ftrace_runnable_call(m, thread, id));
    if (code != TS_OK) {
        return code;
    }
    return one_way ? keep(m, &m->binder.one_way, id, push.args)
                   : keep(m, &m->binder.awaited, id, event->pid);
}

/* A call that needs a reply is received: both slices point to each other. */
static ts_code receive_call(ftrace_machine *m, const ftrace_event *event, ftrace_thread *thread,
                            int64_t sender_tid)
{
    ftrace_push_row push = {
        .cat = FTRACE_CAT_BINDER, .name = FTRACE_NAME_REPLY, .args = FTRACE_NO_ARGS};
    ftrace_thread *sender = NULL;
    ftrace_slice *call;
    int64_t reply;
    ts_code code = ftrace_slice_tidy(m, thread, event->ts);
    TS_STEP(code, ftrace_thread_any(&sender, &m->threads, sender_tid, TS_TEXT_NULL));
    TS_TRY_INTO(code, code != TS_OK ? code : ftrace_slices_check(m, sender));
    call = ftrace_slice_top(sender, FTRACE_NAME_TRANSACTION);
    if (call != NULL) {
        int64_t set = call->args;
        int64_t row = call->row - 1;
        reply = (int64_t)ts_sink_rows(m->sink, TS_T_callstack);
        code = add_thread(&set, m, event->pid);
        TS_STEP(code, ftrace_args_slice(&set, &m->args, "destination slice id", reply));
        TS_STEP(code, ftrace_args_slice(&push.args, &m->args, "destination slice id", row));
    }
    TS_STEP(code, ftrace_slice_push(NULL, m, thread, event->ts, &push));
    return code != TS_OK ? code : keep(m, &m->binder.running, event->pid, sender_tid);
}

static ts_code received(ftrace_machine *m, const ftrace_event *event, ftrace_thread *thread)
{
    int64_t id = event->number[FTRACE_N_binder_transaction_received_debug_id];
    ftrace_slice *slice = NULL;
    int64_t value;
    ts_code code;
    if (take(&value, m, &m->binder.replies, id)) {
        code = ftrace_slice_find(&slice, m, thread, event->ts, FTRACE_CAT_NONE, FTRACE_NAME_OTHER);
        return code != TS_OK || slice == NULL ? code
                                              : ftrace_slice_end(m, thread, slice, event->ts);
    }
    if (take(&value, m, &m->binder.awaited, id)) {
        TS_TRY_INTO(code, receive_call(m, event, thread, value));
        return ftrace_runnable_received(m, thread, id);
    }
    if (take(&value, m, &m->binder.one_way, id)) {
        ftrace_push_row push = {.cat = FTRACE_CAT_BINDER,
                                .name = FTRACE_NAME_ASYNC_RECEIVED,
                                .closed = true,
                                .args = value};
        return ftrace_slice_push(NULL, m, thread, event->ts, &push);
    }
    return TS_OK;
}

static ts_code alloc_buf(ftrace_machine *m, const ftrace_event *event, ftrace_thread *thread)
{
    ftrace_slice *call = ftrace_slice_top(thread, FTRACE_NAME_TRANSACTION);
    int64_t set;
    if (call == NULL) {
        return TS_OK;
    }
    set = call->args;
    TS_TRY(ftrace_args_int(&set, &m->args, "data size",
                           event->number[FTRACE_N_binder_transaction_alloc_buf_data_size]));
    TS_TRY(ftrace_args_int(&set, &m->args, "offsets size",
                           event->number[FTRACE_N_binder_transaction_alloc_buf_offsets_size]));
    return give_set(m, call, set);
}

/* --- the lock ------------------------------------------------------------------------------ */

static ts_code lock(ftrace_machine *m, const ftrace_event *event, ftrace_thread *thread)
{
    ftrace_push_row push = {.cat = FTRACE_CAT_BINDER,
                            .name = event->kind == FTRACE_binder_lock ? FTRACE_NAME_LOCK_WAITING
                                                                      : FTRACE_NAME_LOCK_HELD,
                            .args = FTRACE_NO_ARGS};
    bool unlock = event->kind == FTRACE_binder_unlock;
    ftrace_slice *slice = NULL;
    ts_code code = TS_OK;
    if (event->kind == FTRACE_binder_lock) {
        TS_TRY_INTO(code, ftrace_slice_push(NULL, m, thread, event->ts, &push));
        return keep(m, &m->binder.locks, event->pid, 0);
    }
    if (ftrace_open_find(&m->binder.locks, key_of(m, event->pid)) == 0) {
        ftrace_stat(m, event->kind, FTRACE_NOT_MATCH);
        return TS_OK;
    }
    code = ftrace_slice_find(&slice, m, thread, event->ts, FTRACE_CAT_NONE,
                             unlock ? FTRACE_NAME_LOCK_HELD : FTRACE_NAME_OTHER);
    TS_STEP_IF(code, slice != NULL, ftrace_slice_end(m, thread, slice, event->ts));
    if (unlock) {
        ftrace_open_remove(&m->binder.locks, key_of(m, event->pid));
        return code;
    }
    return code != TS_OK ? code : ftrace_slice_push(NULL, m, thread, event->ts, &push);
}

static ts_code event_of(ftrace_machine *m, const ftrace_event *event, ftrace_thread *thread)
{
    switch ((ftrace_kind)event->kind) {
    case FTRACE_binder_transaction:
        return transaction(m, event, thread);
    case FTRACE_binder_transaction_received:
        return received(m, event, thread);
    case FTRACE_binder_transaction_alloc_buf:
        return alloc_buf(m, event, thread);
    default:
        return lock(m, event, thread);
    }
}

ts_code ftrace_binder_event(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_thread *thread = NULL;
    ts_code code = this_thread(&thread, m, event);
    return code != TS_OK ? code : event_of(m, event, thread);
}

void ftrace_binder_free(ftrace_machine *m)
{
    ftrace_open_free(m->ctx, &m->binder.awaited);
    ftrace_open_free(m->ctx, &m->binder.replies);
    ftrace_open_free(m->ctx, &m->binder.one_way);
    ftrace_open_free(m->ctx, &m->binder.running);
    ftrace_open_free(m->ctx, &m->binder.locks);
}
