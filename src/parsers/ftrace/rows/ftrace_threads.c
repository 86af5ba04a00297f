/*
 * Which thread and which process an event means.
 *
 * The kernel gives the number of a thread that has ended to another one, so a number stands for
 * several threads (ftrace_tid): the youngest, and the older ones that have not ended (`before`). An
 * event that names a tid alone means the youngest that is alive, else the youngest, else a new one
 * without a process; one that names a process too means the thread of that pair, and a thread
 * without a process that has the tid joins the process. An end makes no new thread. Rows are the
 * store's and are never removed; at the end of the recording each thread gets a process.
 *
 * Texts of names are the store's. Look-ups try small caches of the last numbers first (near_tids,
 * near_pids), because most events name the same few.
 */
#include "parsers/ftrace/rows/ftrace_state.h"

#include "base/alloc.h"
#include "tables/store_processes.h"

static int64_t pair_key(int64_t tid, int64_t pid)
{
    return (int64_t)((uint64_t)pid << 32 | (uint32_t)tid);
}

static void *find(const ts_idmap *map, int64_t id)
{
    uint64_t value;
    return ts_idmap_find(&value, map, id) ? (void *)(uintptr_t)value : NULL;
}

/* The threads of a number, or NULL: most numbers come again soon. */
static ftrace_tid *find_tid(ftrace_threads *all, int64_t tid)
{
    ftrace_tid **near_tid = &all->near_tids[(uint64_t)tid % FTRACE_NEAR_TIDS];
    if (*near_tid == NULL || (*near_tid)->tid != tid) {
        ftrace_tid *found = find(&all->tids, tid);
        if (found == NULL) {
            return NULL;
        }
        *near_tid = found;
    }
    return *near_tid;
}

/* Adds a zeroed block of `size` bytes to a list of blocks, which owns it. */
static void *add_block(ts_ctx *ctx, ts_vec *list, size_t size)
{
    void **slot = ts_vec_add(ctx, list, sizeof *slot);
    void *block = slot == NULL ? NULL : ts_zalloc(ctx, 1, size);
    if (slot != NULL && block == NULL) {
        list->n--;
    } else if (slot != NULL) {
        *slot = block;
    }
    return block;
}

/* --- records ------------------------------------------------------------------------------- */

static ts_code add_process(ftrace_process **out, ftrace_threads *all, int64_t ipid, int64_t pid)
{
    const ts_row_process *row = ts_process_row(all->store, ipid);
    ftrace_process *process = add_block(all->ctx, &all->processes, sizeof *process);
    TS_NEED(all->ctx, process);
    *process = (ftrace_process){.ipid = ipid,
                                .pid = pid,
                                .name = row->name.p,
                                .name_n = (uint32_t)row->name.n,
                                .started = (row->null & TS_NULL_BIT(process, start_ts)) == 0};
    *out = process;
    return ts_idmap_put(all->ctx, &all->pids, pid, (uintptr_t)process);
}

static ts_code tid_of(ftrace_tid **out, ftrace_threads *all, int64_t tid)
{
    ftrace_tid *same = find_tid(all, tid);
    ts_code code = TS_OK;
    if (same == NULL) {
        TS_NEED(all->ctx, same = ts_zalloc(all->ctx, 1, sizeof *same));
        same->tid = tid;
        code = ts_idmap_put(all->ctx, &all->tids, tid, (uintptr_t)same);
        if (code != TS_OK) {
            ts_free(all->ctx, same);
        }
    }
    *out = same;
    return code;
}

static ts_code add_thread(ftrace_thread **out, ftrace_threads *all, int64_t itid, int64_t tid)
{
    ftrace_tid *same = NULL;
    ftrace_thread *thread;
    TS_TRY(tid_of(&same, all, tid));
    TS_NEED(all->ctx, thread = add_block(all->ctx, &all->threads, sizeof *thread));
    thread->itid = itid;
    thread->tid = tid;
    thread->name = ts_thread_row(all->store, itid)->name;
    thread->same = same;
    thread->before = same->alive;
    same->alive = thread;
    same->youngest = thread;
    *out = thread;
    return TS_OK;
}

static ts_code set_process(ftrace_threads *all, ftrace_thread *thread, ftrace_process *process)
{
    thread->process = process;
    process->main = thread->tid == process->pid ? thread : process->main;
    return ts_idmap_put(all->ctx, &all->pairs, pair_key(thread->tid, process->pid),
                        (uintptr_t)thread);
}

ts_code ftrace_threads_init(ftrace_threads *all, ts_ctx *ctx, ts_store *store, int64_t source_id)
{
    ftrace_process *process = NULL;
    *all = (ftrace_threads){.ctx = ctx, .store = store, .source_id = source_id};
    TS_TRY(add_process(&process, all, 0, 0));
    TS_TRY(add_thread(&all->idle, all, 0, 0));
    return set_process(all, all->idle, process);
}

void ftrace_threads_free(ftrace_threads *all)
{
    for (size_t i = 0; i < all->threads.n; i++) {
        ftrace_thread *thread = ftrace_thread_at(all, i);
        ts_free(all->ctx, thread->sched.blocked);
        if (thread->stack != NULL) {
            ts_free(all->ctx, thread->stack->slices);
            ts_free(all->ctx, thread->stack);
        }
        if (thread->call != NULL) {
            ftrace_call_free(all->ctx, thread->call);
            ts_free(all->ctx, thread->call);
        }
        if (thread->frames != NULL) {
            ts_free(all->ctx, thread->frames->vsyncs);
            ts_free(all->ctx, thread->frames);
        }
        ts_free(all->ctx, thread);
    }
    for (size_t i = 0; i < all->processes.n; i++) {
        ts_free(all->ctx, ((ftrace_process **)all->processes.p)[i]);
    }
    for (uint32_t i = 0; i < all->tids.count; i++) {
        ts_free(all->ctx, (void *)(uintptr_t)all->tids.entries[i].value);
    }
    ts_vec_free(all->ctx, &all->threads);
    ts_vec_free(all->ctx, &all->processes);
    ts_idmap_free(all->ctx, &all->tids);
    ts_idmap_free(all->ctx, &all->pairs);
    ts_idmap_free(all->ctx, &all->pids);
}

/* --- look-up ------------------------------------------------------------------------------- */

/* A thread that the store knows to be in the process: with the number that it gave, or the one
 * without a process that it took. */
static ts_code take_thread(ftrace_thread **out, ftrace_threads *all, int64_t itid, int64_t tid,
                           ftrace_process *process)
{
    const ftrace_tid *same = find_tid(all, tid);
    ftrace_thread *thread = same == NULL ? NULL : same->youngest;
    ts_code code = TS_OK;
    if (thread == NULL || thread->itid != itid) {
        code = add_thread(&thread, all, itid, tid);
    }
    *out = thread;
    return code != TS_OK ? code : set_process(all, thread, process);
}

/* The main thread of a process that was not known here. */
static ts_code take_main(ftrace_threads *all, ftrace_process *process)
{
    ftrace_thread *thread = NULL;
    int64_t itid = 0;
    if (process->main != NULL) {
        return TS_OK;
    }
    TS_TRY(ts_thread_seen(&itid, all->store, all->source_id, process->pid, process->pid));
    return take_thread(&thread, all, itid, process->pid, process);
}

static void begin_process(ftrace_threads *all, ftrace_process *process, int64_t ts)
{
    if (!process->started && ts != TS_NO_TIME && process->pid != 0) {
        ts_row_process *row = ts_process_row(all->store, process->ipid);
        row->start_ts = ts;
        row->null &= ~TS_NULL_BIT(process, start_ts);
        process->started = true;
    }
}

bool ftrace_process_known(const ftrace_threads *all, int64_t pid)
{
    return find(&all->pids, pid) != NULL;
}

ts_code ftrace_process_seen(ftrace_process **out, ftrace_threads *all, int64_t pid, int64_t ts)
{
    ftrace_process **near_pid = &all->near_pids[(uint64_t)pid % FTRACE_NEAR_PIDS];
    const bool same = *near_pid != NULL && (*near_pid)->pid == pid;
    ftrace_process *process = same ? *near_pid : find(&all->pids, pid);
    ts_code code = TS_OK;
    if (process == NULL) {
        int64_t ipid = 0;
        TS_TRY_INTO(code, ts_process_seen(&ipid, all->store, all->source_id, pid));
        TS_TRY_INTO(code, add_process(&process, all, ipid, pid));
        TS_TRY_INTO(code, take_main(all, process));
    }
    begin_process(all, process, ts);
    *near_pid = process;
    *out = process;
    return code;
}

/* Is the youngest thread with the tid in the process? Mostly. */
static inline bool is_youngest(ftrace_thread **out, ftrace_threads *all, int64_t tid, int64_t pid)
{
    const ftrace_tid *same = find_tid(all, tid);
    *out = same == NULL ? NULL : same->youngest;
    return *out != NULL && (*out)->process != NULL && (*out)->process->pid == pid;
}

ts_code ftrace_thread_seen(ftrace_thread **out, ftrace_threads *all, int64_t tid, int64_t pid)
{
    ftrace_process *process;
    int64_t itid = 0;
    ts_code code;
    if (tid == 0 || pid == 0) {
        return ftrace_thread_any(out, all, tid, TS_TEXT_NULL);
    }
    if (is_youngest(out, all, tid, pid)) {
        return TS_OK;
    }
    *out = find(&all->pairs, pair_key(tid, pid));
    if (*out != NULL) {
        return TS_OK;
    }
    /* The thread comes before the main thread of its process. */
    code = ts_thread_seen(&itid, all->store, all->source_id, tid, pid);
    process = find(&all->pids, pid);
    if (code == TS_OK && process == NULL) {
        int64_t ipid = ts_thread_row(all->store, itid)->ipid;
        code = add_process(&process, all, ipid, pid);
    }
    if (code != TS_OK || (code = take_thread(out, all, itid, tid, process)) != TS_OK) {
        return code;
    }
    return tid == pid ? TS_OK : take_main(all, process);
}

ts_code ftrace_thread_of_event(ftrace_thread **out, ftrace_threads *all, int64_t tid, int64_t pid)
{
    ftrace_thread *main_thread;
    if (pid == 0) {
        return ftrace_thread_any(out, all, tid, TS_TEXT_NULL);
    }
    if (is_youngest(out, all, tid, pid)) {
        return TS_OK;
    }
    TS_TRY(ftrace_thread_seen(&main_thread, all, pid, pid));
    return ftrace_thread_seen(out, all, tid, pid);
}

/* --- names --------------------------------------------------------------------------------- */

/* An empty name: none. */
static ts_code name_thread(ftrace_threads *all, ftrace_thread *thread, ts_text name)
{
    ts_code code;
    if (thread == all->idle || ts_text_equal(thread->name, name)) {
        return TS_OK;
    }
    code = ts_thread_name(all->store, thread->itid, name.n == 0 ? TS_TEXT_NULL : name);
    thread->name = ts_thread_row(all->store, thread->itid)->name;
    return code;
}

static ts_text process_name(const ftrace_process *process)
{
    return (ts_text){process->name, process->name_n};
}

static ts_code name_process(ftrace_threads *all, ftrace_process *process, ts_text name)
{
    ts_code code;
    if (process->pid == 0 || name.n == 0 || ts_text_equal(process_name(process), name)) {
        return TS_OK;
    }
    code = ts_process_name(all->store, process->ipid, name);
    name = ts_process_row(all->store, process->ipid)->name;
    process->name = name.p;
    process->name_n = (uint32_t)name.n;
    return code;
}

ts_code ftrace_process_named(ftrace_threads *all, int64_t pid, ts_text name)
{
    ftrace_process *process = NULL;
    ts_code code = ftrace_process_seen(&process, all, pid, TS_NO_TIME);
    if (code != TS_OK || (code = name_process(all, process, name)) != TS_OK ||
        process->name == NULL) {
        return code;
    }
    return process->main == NULL ? TS_OK : name_thread(all, process->main, process_name(process));
}

ts_code ftrace_thread_any(ftrace_thread **out, ftrace_threads *all, int64_t tid, ts_text name)
{
    const ftrace_tid *same = tid == 0 ? all->idle->same : find_tid(all, tid);
    ts_code code = TS_OK;
    if (same == NULL) {
        int64_t itid = 0;
        code = ts_thread_seen(&itid, all->store, all->source_id, tid, 0);
        TS_STEP(code, add_thread(out, all, itid, tid));
        if (code == TS_OK &&
            (ts_thread_row(all->store, itid)->null & TS_NULL_BIT(thread, ipid)) == 0) {
            int64_t ipid = ts_thread_row(all->store, itid)->ipid; /* another plugin knew it */
            int64_t pid = ts_process_row(all->store, ipid)->pid;
            ftrace_process *process = find(&all->pids, pid);
            if (process == NULL) {
                code = add_process(&process, all, ipid, pid);
            }
            TS_STEP(code, set_process(all, *out, process));
        }
    } else {
        *out = same->alive != NULL ? same->alive : same->youngest;
    }
    return code != TS_OK || name.n == 0 ? code : name_thread(all, *out, name);
}

ts_code ftrace_thread_named(ftrace_thread **out, ftrace_threads *all, int64_t tid, int64_t pid,
                            ts_text name)
{
    ts_code code = ftrace_thread_seen(out, all, tid, pid);
    TS_STEP(code, name_thread(all, *out, name));
    return code != TS_OK || tid != pid ? code : ftrace_process_named(all, pid, name);
}

/* --- beginning and end --------------------------------------------------------------------- */

void ftrace_thread_ended(ftrace_threads *all, ftrace_thread *thread, int64_t ts)
{
    ts_row_thread *row = ts_thread_row(all->store, thread->itid);
    if (thread == all->idle) {
        return;
    }
    row->end_ts = ts;
    row->null &= ~TS_NULL_BIT(thread, end_ts);
    if (!thread->ended) {
        thread->same->alive = thread->before; /* it is the first one: the youngest was asked for */
        thread->ended = true;
    }
}

void ftrace_thread_began(ftrace_threads *all, ftrace_thread *thread, int64_t ts)
{
    ts_row_thread *row = ts_thread_row(all->store, thread->itid);
    if ((row->null & TS_NULL_BIT(thread, start_ts)) != 0) {
        row->start_ts = ts;
        row->null &= ~TS_NULL_BIT(thread, start_ts);
    }
    if (thread->ended) {
        thread->ended = false;
        thread->before = thread->same->alive;
        thread->same->alive = thread;
    }
}

/* --- the end of the recording -------------------------------------------------------------- */

ts_code ftrace_threads_finish(ftrace_threads *all)
{
    for (size_t i = 0; i < all->threads.n; i++) {
        ftrace_thread *thread = ftrace_thread_at(all, i);
        ts_row_process *row;
        if (thread->process == NULL && thread->tid > 0) {
            ftrace_process *own = NULL;
            ts_code code = ftrace_process_seen(&own, all, thread->tid, TS_NO_TIME);
            TS_TRY_INTO(code, code != TS_OK ? code : name_process(all, own, thread->name));
        }
        if (thread->process == NULL) {
            continue;
        }
        row = ts_process_row(all->store, thread->process->ipid);
        row->slice_count += thread->has_slice;
        row->switch_count += thread->switched;
        ts_thread_row(all->store, thread->itid)->switch_count = thread->switched;
        if (thread->process->has_memory) {
            row->mem_count = 1;
        }
    }
    return TS_OK;
}

ts_code ftrace_threads_name(ftrace_threads *all)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < all->processes.n; i++) {
        ftrace_process *process = ((ftrace_process **)all->processes.p)[i];
        if (process->main != NULL) {
            code = name_process(all, process, process->main->name);
        }
    }
    return code;
}
