/*
 * Processes and threads. A thread is known by its process and its number: there are systems on
 * which threads of different processes have the same one. Ids may be texts.
 */
#include "parsers/chrome_trace/chrome_trace.h"

enum { KEY_BYTES = 17, HAS_PID = 1, HAS_TID = 2, TEXT_PID = 4, TEXT_TID = 8, RECENT = 64 };

/* What an event says of its thread, ids that are texts by their number. */
typedef struct thread_id {
    int64_t pid, tid;
    uint8_t has;
} thread_id;

static ts_code id_of(int64_t *id, uint8_t *has, chrome_trace *c, const chrome_piece *piece,
                     uint8_t there, uint8_t as_text)
{
    ts_text text = chrome_text(c, piece);
    uint32_t number;
    ts_code code;
    *has |= there;
    if (chrome_int(id, text.p, text.n)) {
        return TS_OK;
    }
    *has |= as_text;
    c->n.text_ids++;
    code = ts_pool_intern(c->ctx, &number, NULL, &c->text_ids, text);
    *id = (int64_t)number;
    return code;
}

static ts_code read_id(thread_id *id, chrome_trace *c)
{
    const chrome_event *e = &c->event;
    ts_code code = TS_OK;
    *id = (thread_id){0, 0, 0};
    if (e->has_pid) {
        id->pid = e->pid;
        id->has |= HAS_PID;
    } else if (e->pid_text.set) {
        code = id_of(&id->pid, &id->has, c, &e->pid_text, HAS_PID, TEXT_PID);
    }
    if (e->has_tid) {
        id->tid = e->tid;
        id->has |= HAS_TID;
    } else if (e->tid_text.set && code == TS_OK) {
        code = id_of(&id->tid, &id->has, c, &e->tid_text, HAS_TID, TEXT_TID);
    }
    return code;
}

static ts_code add_process(int64_t *ipid, chrome_trace *c, const thread_id *id)
{
    ts_text name;
    ts_row_process *row;
    *ipid = -1;
    if ((id->has & HAS_PID) == 0) {
        return TS_OK;
    }
    if ((id->has & TEXT_PID) == 0) {
        return ts_process(ipid, c->store, c->source_id, id->pid);
    }
    /* Numbers of texts are small: no process has them when they are negative. */
    TS_TRY(ts_process(ipid, c->store, c->source_id, INT64_MIN + 1 + id->pid));
    row = ts_process_row(c->store, *ipid);
    TS_SET_NULL(process, row, pid);
    name = ts_pool_text(&c->text_ids, (uint32_t)id->pid);
    return row->name.p == NULL ? ts_process_name(c->store, *ipid, name) : TS_OK;
}

static ts_code add_thread(chrome_trace *c, const thread_id *id)
{
    chrome_thread *thread = ts_vec_add(c->ctx, &c->threads, sizeof *thread);
    bool as_text = (id->has & TEXT_TID) != 0;
    ts_code code;
    TS_NEED(c->ctx, thread);
    thread->itid = -1;
    thread->track.doubt_end = INT64_MIN;
    code = add_process(&thread->ipid, c, id);
    if (code != TS_OK || (id->has & HAS_TID) == 0) {
        return code;
    }
    if (id->tid == 0 && id->pid == 0 && id->has == (HAS_PID | HAS_TID)) {
        thread->itid = 0;
        return TS_OK;
    }
    code = ts_thread_new(&thread->itid, c->store, c->source_id, id->tid, thread->ipid,
                         as_text ? "unknown" : "os");
    TS_STEP_IF(
        code, as_text,
        ts_thread_name(c->store, thread->itid, ts_pool_text(&c->text_ids, (uint32_t)id->tid)));
    return code;
}

ts_code chrome_thread_of(uint32_t *index, chrome_trace *c)
{
    char key[KEY_BYTES];
    thread_id id;
    unsigned slot;
    bool added;
    ts_code code;
    TS_TRY_INTO(code, read_id(&id, c));
    slot = (unsigned)((uint64_t)id.tid % RECENT);
    if (id.has == (HAS_PID | HAS_TID) && c->recent[slot].index > 0 &&
        c->recent[slot].pid == id.pid && c->recent[slot].tid == id.tid) {
        *index = (uint32_t)(c->recent[slot].index - 1);
        return TS_OK;
    }
    memcpy(key, &id.pid, 8);
    memcpy(key + 8, &id.tid, 8);
    key[16] = (char)id.has;
    code = ts_pool_intern(c->ctx, index, &added, &c->thread_keys, (ts_text){key, sizeof key});
    TS_STEP_IF(code, added, add_thread(c, &id));
    if (id.has == (HAS_PID | HAS_TID)) {
        c->recent[slot].pid = id.pid;
        c->recent[slot].tid = id.tid;
        c->recent[slot].index = (int64_t)*index + 1;
    }
    return code;
}
