#include "parsers/ftrace/rows/ftrace_state.h"

typedef struct runnable_wait {
    int64_t id; /* of the transaction */
    ftrace_thread *from;
    const ftrace_thread *to;
    ftrace_state row; /* when it is complete */
    bool complete;
    bool taken;
    uint32_t next_free; /* 1 + place */
} runnable_wait;

enum { OF_THREAD = 1, OF_TRANSACTION = 2 };

static ftrace_key key_of(const ftrace_machine *m, int64_t id, int64_t kind)
{
    return ftrace_key_of(m->ctx, id, kind, TS_TEXT_NULL, TS_TEXT_NULL);
}

static runnable_wait *wait_at(ftrace_machine *m, uint64_t place)
{
    return (runnable_wait *)m->runnable.waits.p + (place - 1);
}

ts_code ftrace_runnable_call(ftrace_machine *m, ftrace_thread *thread, int64_t id)
{
    ts_code code = ftrace_open_put(m->ctx, &m->runnable.calls, key_of(m, thread->itid, OF_THREAD),
                                   (uint64_t)id << 1 | 1);
    thread->sched.has_call = code == TS_OK;
    thread->sched.called = m->losses.now;
    return code;
}

/* The transaction is not waited for any more: its state goes where all go. */
static ts_code end_wait(ftrace_machine *m, uint64_t place)
{
    ftrace_runnable *r = &m->runnable;
    runnable_wait *wait = wait_at(m, place);
    ts_code code = TS_OK;
    ftrace_open_remove(&r->calls, key_of(m, wait->id, OF_TRANSACTION));
    if (wait->complete) {
        code = ftrace_sched_state(m, &wait->row);
    } else {
        wait->from->sched.last_waits = false;
        ftrace_open_remove(&r->states, key_of(m, wait->from->itid, OF_THREAD));
    }
    *wait = (runnable_wait){.next_free = r->free};
    r->free = (uint32_t)place;
    return code;
}

static ts_code new_wait(uint64_t *place, ftrace_machine *m)
{
    ftrace_runnable *r = &m->runnable;
    if (r->free != 0) {
        *place = r->free;
        r->free = wait_at(m, r->free)->next_free;
        return TS_OK;
    }
    if (r->waits.n >= UINT32_MAX - 1) {
        return ts_fail(m->ctx, TS_ERR_LIMIT, "too many transactions that are not received");
    }
    *place = r->waits.n + 1;
    return ts_vec_add(m->ctx, &r->waits, sizeof(runnable_wait)) == NULL ? m->ctx->error.code
                                                                        : TS_OK;
}

ts_code ftrace_runnable_out(ftrace_machine *m, ftrace_thread *thread, const ftrace_thread *next,
                            bool wanted)
{
    ftrace_runnable *r = &m->runnable;
    ftrace_key by_thread = key_of(m, thread->itid, OF_THREAD);
    int64_t id = (int64_t)ftrace_open_find(&r->calls, by_thread) >> 1;
    ftrace_key by_id = key_of(m, id, OF_TRANSACTION);
    uint64_t place = ftrace_open_find(&r->calls, by_id);
    ts_code code = TS_OK;
    thread->sched.has_call = false;
    ftrace_open_remove(&r->calls, by_thread);
    if (!wanted) {
        return TS_OK;
    }
    if ((place != 0 && (code = end_wait(m, place)) != TS_OK) ||
        (code = new_wait(&place, m)) != TS_OK) {
        return code;
    }
    *wait_at(m, place) = (runnable_wait){.id = id, .from = thread, .to = next, .taken = true};
    code = ftrace_open_put(m->ctx, &r->calls, by_id, place);
    TS_STEP(code, ftrace_open_put(m->ctx, &r->states, by_thread, place));
    thread->sched.last_waits = code == TS_OK;
    return code;
}

void ftrace_runnable_keep(ftrace_machine *m, ftrace_thread *thread, const ftrace_state *row)
{
    ftrace_key key = key_of(m, thread->itid, OF_THREAD);
    runnable_wait *wait = wait_at(m, ftrace_open_find(&m->runnable.states, key));
    wait->row = *row;
    wait->complete = true;
    thread->sched.last_waits = false;
    ftrace_open_remove(&m->runnable.states, key);
}

ts_code ftrace_runnable_received(ftrace_machine *m, const ftrace_thread *thread, int64_t id)
{
    uint64_t place = ftrace_open_find(&m->runnable.calls, key_of(m, id, OF_TRANSACTION));
    runnable_wait *wait;
    if (place == 0) {
        return TS_OK;
    }
    wait = wait_at(m, place);
    if (wait->to == thread) {
        ftrace_sched_waits_for_reply(wait->complete ? &wait->row : &wait->from->sched.last);
    }
    return end_wait(m, place);
}

ts_code ftrace_runnable_finish(ftrace_machine *m)
{
    ts_code code = TS_OK;
    for (size_t i = 1; i <= m->runnable.waits.n && code == TS_OK; i++) {
        const runnable_wait *wait = wait_at(m, i);
        code = wait->taken && wait->complete ? ftrace_sched_state(m, &wait->row) : TS_OK;
    }
    return code;
}

void ftrace_runnable_free(ftrace_machine *m)
{
    ftrace_open_free(m->ctx, &m->runnable.calls);
    ftrace_open_free(m->ctx, &m->runnable.states);
    ts_vec_free(m->ctx, &m->runnable.waits);
}
