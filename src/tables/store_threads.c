#include "tables/store_processes.h"
#include "tables/store_impl.h"

#include "tables/formats/common/common_constants.h"

static ts_process_rec *process_rec(const ts_store *store, int64_t ipid)
{
    return ts_stable_array_at(&store->processes, (size_t)ipid);
}

static ts_thread_rec *thread_rec(const ts_store *store, int64_t itid)
{
    return ts_stable_array_at(&store->threads, (size_t)itid);
}

ts_row_process *ts_process_row(ts_store *store, int64_t ipid)
{
    return &process_rec(store, ipid)->row;
}

ts_row_process_detail *ts_process_detail_row(ts_store *store, int64_t ipid)
{
    return &process_rec(store, ipid)->detail;
}

uint64_t ts_thread_count(const ts_store *store)
{
    return store->threads.n;
}

ts_row_thread *ts_thread_row(ts_store *store, int64_t itid)
{
    return &thread_rec(store, itid)->row;
}

ts_row_thread_detail *ts_thread_detail_row(ts_store *store, int64_t itid)
{
    return &thread_rec(store, itid)->detail;
}

void ts_count_slice(ts_store *store, int64_t itid)
{
    const ts_row_thread *row = ts_thread_row(store, itid);
    if ((row->null & TS_NULL_BIT(thread, ipid)) == 0) {
        process_rec(store, row->ipid)->row.slice_count++;
    }
}

/* A row with the next ipid. */
static ts_process_rec *add_process(ts_store *store, int64_t pid, int64_t source_id)
{
    int64_t ipid = (int64_t)store->processes.n;
    ts_process_rec *rec = ts_stable_array_add(store->ctx, &store->processes);
    if (rec == NULL) {
        return NULL;
    }
    rec->row.id = ipid;
    rec->row.ipid = ipid;
    rec->row.pid = pid;
    TS_SET_NULL(process, &rec->row, start_ts);
    rec->detail.ipid = ipid;
    rec->detail.source_id = source_id;
    rec->detail.pid_known = 1;
    if (source_id == 0) {
        TS_SET_NULL(process_detail, &rec->detail, source_id);
    }
    return rec;
}

/* A row with the next itid. */
static ts_thread_rec *add_thread(ts_store *store, int64_t tid, int64_t source_id)
{
    int64_t itid = (int64_t)store->threads.n;
    ts_thread_rec *rec = ts_stable_array_add(store->ctx, &store->threads);
    if (rec == NULL) {
        return NULL;
    }
    rec->row.id = itid;
    rec->row.itid = itid;
    rec->row.tid = tid;
    TS_SET_NULL(thread, &rec->row, start_ts);
    TS_SET_NULL(thread, &rec->row, end_ts);
    TS_SET_NULL(thread, &rec->row, ipid);
    rec->detail.itid = itid;
    rec->detail.source_id = source_id;
    TS_SET_NULL(thread_detail, &rec->detail, priority);
    TS_SET_NULL(thread_detail, &rec->detail, daemon);
    if (source_id == 0) {
        TS_SET_NULL(thread_detail, &rec->detail, source_id);
    }
    return rec;
}

static bool is_os(ts_text tid_kind)
{
    return ts_text_is(tid_kind, "os");
}

static void set_process_of(ts_store *store, ts_thread_rec *rec, int64_t ipid)
{
    const ts_process_rec *process = process_rec(store, ipid);
    rec->row.ipid = ipid;
    rec->row.null &= ~TS_NULL_BIT(thread, ipid);
    rec->row.is_main_thread = is_os(rec->detail.tid_kind) && process->row.pid == rec->row.tid;
}

ts_code ts_store_begin_threads(ts_store *store)
{
    ts_process_rec *process = add_process(store, 0, 0);
    ts_thread_rec *thread = process == NULL ? NULL : add_thread(store, 0, 0);
    TS_NEED(store->ctx, thread);
    process->row.name = TS_TEXT_LIT("swapper");
    thread->row.name = TS_TEXT_LIT("swapper");
    thread->detail.tid_kind = TS_TEXT_LIT("os");
    set_process_of(store, thread, 0);
    return TS_OK;
}

ts_code ts_process(int64_t *ipid, ts_store *store, int64_t source_id, int64_t pid)
{
    int64_t root = ts_source_root(store, source_id);
    uint32_t number;
    ts_code code;
    if (pid == 0) {
        *ipid = 0;
        return TS_OK;
    }
    if (!ts_keymap_find(&number, &store->process_keys, root, pid, 0)) {
        TS_NEED(store->ctx, add_process(store, pid, root));
        number = store->process_keys.index.count;
        code = ts_keymap_add(store->ctx, &store->process_keys, root, pid, 0);
        if (code != TS_OK) {
            ts_stable_array_drop(&store->processes);
            return code;
        }
    }
    *ipid = (int64_t)number + 1; /* row 0 has no key */
    return TS_OK;
}

/* A thread that is not there yet. other: 0, or what sets it apart from others with its tid. */
static ts_code new_thread(uint32_t *number, ts_store *store, int64_t root, int64_t tid,
                          int64_t other, const char *tid_kind)
{
    ts_text kind;
    ts_thread_rec *rec;
    ts_code code;
    TS_TRY_INTO(code,
                ts_store_keep(store, &kind, ts_text_of(tid_kind == NULL ? "unknown" : tid_kind)));
    TS_NEED(store->ctx, rec = add_thread(store, tid, root));
    rec->detail.tid_kind = kind;
    *number = store->thread_keys.index.count;
    code = ts_keymap_add(store->ctx, &store->thread_keys, root, tid, other);
    if (code != TS_OK) {
        ts_stable_array_drop(&store->threads);
    }
    return code;
}

ts_code ts_thread_new(int64_t *itid, ts_store *store, int64_t source_id, int64_t tid, int64_t ipid,
                      const char *tid_kind)
{
    uint32_t number = 0;
    TS_TRY(new_thread(&number, store, ts_source_root(store, source_id), tid,
                      (int64_t)store->thread_keys.index.count + 1, tid_kind));
    *itid = (int64_t)number + 1;
    if (ipid >= 0) {
        set_process_of(store, thread_rec(store, *itid), ipid);
    }
    return TS_OK;
}

ts_code ts_thread(int64_t *itid, ts_store *store, int64_t source_id, int64_t tid, int64_t ipid,
                  const char *tid_kind)
{
    int64_t root = ts_source_root(store, source_id);
    uint32_t number;
    ts_thread_rec *rec;
    if (tid == 0 && tid_kind != NULL && strcmp(tid_kind, "os") == 0) {
        *itid = 0;
        return TS_OK;
    }
    if (!ts_keymap_find(&number, &store->thread_keys, root, tid, 0)) {
        TS_TRY(new_thread(&number, store, root, tid, 0, tid_kind));
    }
    *itid = (int64_t)number + 1;
    rec = thread_rec(store, *itid);
    if (ipid >= 0 && (rec->row.null & TS_NULL_BIT(thread, ipid)) != 0) {
        set_process_of(store, rec, ipid);
    }
    return TS_OK;
}

/* The thread with this tid in a process. */
static ts_code thread_in(int64_t *itid, ts_store *store, int64_t source_id, int64_t tid,
                         int64_t ipid)
{
    int64_t root = ts_source_root(store, source_id);
    uint32_t number;
    const ts_row_thread *row;
    ts_code code = ts_thread(itid, store, source_id, tid, ipid, "os");
    if (code != TS_OK || tid == 0) {
        return code;
    }
    row = &thread_rec(store, *itid)->row;
    if (row->ipid == ipid) {
        return TS_OK;
    }
    if (!ts_keymap_find(&number, &store->thread_keys, root, tid, -1 - ipid)) {
        TS_TRY_INTO(code, new_thread(&number, store, root, tid, -1 - ipid, "os"));
        thread_rec(store, *itid)->last = (int64_t)number + 1;
    }
    *itid = (int64_t)number + 1;
    set_process_of(store, thread_rec(store, *itid), ipid);
    return TS_OK;
}

ts_code ts_process_seen(int64_t *ipid, ts_store *store, int64_t source_id, int64_t pid)
{
    size_t before = store->processes.n;
    int64_t itid;
    ts_code code = ts_process(ipid, store, source_id, pid);
    return code != TS_OK || store->processes.n == before
               ? code
               : thread_in(&itid, store, source_id, pid, *ipid);
}

ts_code ts_process_named(int64_t *ipid, ts_store *store, int64_t source_id, int64_t pid,
                         ts_text name)
{
    ts_text kept;
    int64_t itid;
    ts_code code = ts_process_seen(ipid, store, source_id, pid);
    if (code != TS_OK || name.n == 0 || *ipid == 0) {
        return code;
    }
    TS_TRY_INTO(code, ts_store_keep(store, &kept, name));
    TS_TRY_INTO(code, thread_in(&itid, store, source_id, pid, *ipid));
    process_rec(store, *ipid)->row.name = kept;
    thread_rec(store, itid)->row.name = kept;
    return TS_OK;
}

ts_code ts_thread_seen(int64_t *itid, ts_store *store, int64_t source_id, int64_t tid, int64_t pid)
{
    size_t before = store->processes.n;
    int64_t ipid = 0;
    int64_t main_itid;
    ts_code code;
    if (pid == 0) {
        ts_thread_rec *first;
        code = ts_thread(itid, store, source_id, tid, -1, "os");
        if (code == TS_OK) {
            first = thread_rec(store, *itid);
            first->alone = true;
            *itid = first->last == 0 ? *itid : first->last;
        }
        return code;
    }
    TS_TRY_INTO(code, ts_process(&ipid, store, source_id, pid));
    TS_TRY_INTO(code, thread_in(itid, store, source_id, tid, ipid));
    return store->processes.n == before || tid == pid
               ? TS_OK
               : thread_in(&main_itid, store, source_id, pid, ipid);
}

ts_code ts_process_name(ts_store *store, int64_t ipid, ts_text name)
{
    return ts_store_keep(store, &process_rec(store, ipid)->row.name, name);
}

ts_code ts_thread_name(ts_store *store, int64_t itid, ts_text name)
{
    return ts_store_keep(store, &thread_rec(store, itid)->row.name, name);
}

/* A thread that was seen without a process is the main thread of one. */
static ts_code own_processes(ts_store *store)
{
    ts_code code = TS_OK;
    for (size_t i = 1; i < store->threads.n && code == TS_OK; i++) {
        const ts_thread_rec *rec = thread_rec(store, (int64_t)i);
        if (rec->alone && (rec->row.null & TS_NULL_BIT(thread, ipid)) != 0 && rec->row.tid > 0) {
            int64_t itid;
            code = ts_thread_seen(&itid, store, rec->detail.source_id, rec->row.tid, rec->row.tid);
        }
    }
    return code;
}

/* A process without a name gets that of its main thread; its threads are counted. */
static void complete_processes(ts_store *store)
{
    for (size_t i = 1; i < store->threads.n; i++) {
        const ts_row_thread *thread = &thread_rec(store, (int64_t)i)->row;
        ts_row_process *process;
        if ((thread->null & TS_NULL_BIT(thread, ipid)) != 0 || thread->ipid == 0) {
            continue;
        }
        process = &process_rec(store, thread->ipid)->row;
        process->thread_count++;
        if (process->name.p == NULL && thread->is_main_thread == 1) {
            process->name = thread->name;
        }
    }
    for (size_t i = 0; i < store->processes.n && store->ctx->compat; i++) { /* QP-2 */
        ts_row_process *process = &process_rec(store, (int64_t)i)->row;
        process->thread_count -= process->thread_count > 0;
    }
}

/*
 * Viewers show no process whose pid is NULL or 0: one that is not known becomes a number that no
 * system gives and no other process has.
 */
static void number_processes(ts_store *store)
{
    int64_t last = TS_LARGEST_PID;
    for (size_t i = 0; i < store->processes.n; i++) {
        const ts_row_process *row = &process_rec(store, (int64_t)i)->row;
        if ((row->null & TS_NULL_BIT(process, pid)) == 0 && row->pid > last &&
            row->pid <= UINT32_MAX) {
            last = row->pid;
        }
    }
    for (size_t i = 0; i < store->processes.n; i++) {
        ts_process_rec *rec = process_rec(store, (int64_t)i);
        if ((rec->row.null & TS_NULL_BIT(process, pid)) != 0) {
            rec->row.null &= ~TS_NULL_BIT(process, pid);
            rec->row.pid = ++last;
            rec->detail.pid_known = 0;
        }
    }
}

ts_code ts_store_write_threads(ts_store *store)
{
    ts_code code = own_processes(store);
    complete_processes(store);
    number_processes(store);
    for (size_t i = 0; code == TS_OK && i < store->processes.n; i++) {
        ts_process_rec *rec = process_rec(store, (int64_t)i);
        code = ts_store_put(store, TS_T_process, &rec->row);
        TS_STEP(code, ts_store_put(store, TS_T_process_detail, &rec->detail));
    }
    for (size_t i = 0; code == TS_OK && i < store->threads.n; i++) {
        ts_thread_rec *rec = thread_rec(store, (int64_t)i);
        code = ts_store_put(store, TS_T_thread, &rec->row);
        TS_STEP(code, ts_store_put(store, TS_T_thread_detail, &rec->detail));
    }
    return code;
}
