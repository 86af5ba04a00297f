/* Threads and their processes, and which of the threads are read. */
#include "parsers/firefox/firefox.h"

/* --- who they are ------------------------------------------------------------------------------
 */

/* The number that a text is, up to a point: "123.1" is a second process 123. */
static bool id_of(int64_t *id, ts_text t, bool point)
{
    size_t i = t.n > 0 && t.p[0] == '-' ? 1 : 0;
    const size_t from = i;
    int64_t v = 0;
    for (; i < t.n && ts_is_digit(t.p[i]); i++) {
        if (ts_ckd_mul(&v, v, (int64_t)10) || ts_ckd_add(&v, v, (int64_t)(t.p[i] - '0'))) {
            return false;
        }
    }
    *id = from == 1 ? -v : v;
    return i > from && (i == t.n || (point && t.p[i] == '.'));
}

static ts_code name_process(fox *f, int64_t ipid, const fox_thread *t)
{
    ts_text name = fox_text(f, t->process_name);
    name = name.n > 0 ? name : fox_text(f, t->process_type);
    return name.n > 0 && ts_process_row(f->store, ipid)->name.p == NULL
               ? ts_process_name(f->store, ipid, name)
               : TS_OK;
}

/* Ids that are texts have numbers that no process has: they are negative. */
static ts_code process_of(int64_t *ipid, fox *f, const fox_thread *t)
{
    const ts_text pid = fox_text(f, t->pid);
    uint32_t number;
    int64_t id;
    *ipid = -1;
    if (pid.n == 0) {
        return TS_OK;
    }
    if (id_of(&id, pid, true)) {
        TS_TRY(ts_process(ipid, f->store, f->source_id, id));
        return name_process(f, *ipid, t);
    }
    f->n.text_ids++;
    TS_TRY(ts_pool_intern(f->ctx, &number, NULL, &f->texts_as_ids, pid));
    TS_TRY(ts_process(ipid, f->store, f->source_id, INT64_MIN + 1 + (int64_t)number));
    TS_SET_NULL(process, ts_process_row(f->store, *ipid), pid);
    return name_process(f, *ipid, t);
}

static ts_code put_key(fox *f, fox_name name)
{
    const ts_text t = fox_text(f, name);
    const uint64_t n = t.p == NULL ? UINT64_MAX : t.n;
    TS_TRY(ts_buf_put(f->ctx, &f->scratch, &n, sizeof n));
    return ts_buf_put(f->ctx, &f->scratch, t.p, t.n);
}

/* Threads of one process, number and name are one: markers and samples may be in two tables. */
static ts_code find_thread(fox *f, fox_thread *t)
{
    const ts_text tid = fox_text(f, t->tid), name = fox_text(f, t->name);
    int64_t id = 0;
    uint32_t number;
    bool added;
    const bool known = id_of(&id, tid, false);
    TS_TRY(process_of(&t->ipid, f, t));
    f->scratch.n = 0;
    TS_TRY(put_key(f, t->pid));
    TS_TRY(put_key(f, t->tid));
    TS_TRY(put_key(f, t->name));
    TS_TRY(ts_pool_intern(f->ctx, &number, &added, &f->thread_keys, ts_buf_text(&f->scratch)));
    if (!added) {
        t->itid = ((const int64_t *)f->thread_ids.p)[number];
        return TS_OK;
    }
    f->n.text_ids += !known && tid.n > 0 ? 1 : 0;
    TS_TRY(ts_thread_new(&t->itid, f->store, f->source_id, id, t->ipid, known ? "os" : "unknown"));
    if (!known) {
        TS_SET_NULL(thread, ts_thread_row(f->store, t->itid), tid);
    }
    if (name.n > 0) {
        TS_TRY(ts_thread_name(f->store, t->itid, name));
    }
    return ts_vec_push(f->ctx, &f->thread_ids, &t->itid, sizeof t->itid);
}

/* --- tables ------------------------------------------------------------------------------------
 */

/* What is certain: all of one thread, and, of a text that is cut, all that it refers to. */
static bool is_usable(const fox *f, const fox_thread *t)
{
    const fox_process *all = f->processes.p;
    const bool own = fox_table_of(f, t->tables, FOX_T_STACKS) != NULL &&
                     fox_table_of(f, t->tables, FOX_T_STRINGS) != NULL;
    return !t->twice && (f->done || (t->complete && all[0].has_meta && all[t->process].has_meta &&
                                     (own || f->shared_complete)));
}

static ts_code load_tables(fox *f, const fox_thread *t)
{
    const fox_process *all = f->processes.p;
    f->set = &f->common;
    if (f->common.has_stacks) {
        return TS_OK;
    }
    fox_set_free(f, &f->own);
    f->set = &f->own;
    f->own.libs = t->libs.count > 0                ? t->libs
                  : all[t->process].libs.count > 0 ? all[t->process].libs
                                                   : all[0].libs;
    return fox_set_load(f, &f->own, t->tables);
}

static ts_code write_thread(fox *f, fox_thread *t)
{
    fox_process *p = (fox_process *)f->processes.p + t->process;
    f->n.threads++;
    f->n.bad_elements += fox_table_of(f, t->tables, FOX_T_SAMPLES) == NULL ? 1 : 0;
    f->n.bad_elements += fox_table_of(f, t->tables, FOX_T_MARKERS) == NULL ? 1 : 0;
    TS_TRY(ts_check_cancel(f->ctx));
    TS_TRY(find_thread(f, t));
    p->ipid = p->ipid < 0 ? t->ipid : p->ipid;
    TS_TRY(load_tables(f, t));
    TS_TRY(fox_samples(f, t));
    TS_TRY(fox_allocations(f, t));
    TS_TRY(fox_markers(f, t));
    return fox_spans_write(f, t);
}

/* What would have become rows. */
static void lose_thread(fox *f, const fox_thread *t)
{
    const fox_table *samples = fox_table_of(f, t->tables, FOX_T_SAMPLES);
    const fox_table *markers = fox_table_of(f, t->tables, FOX_T_MARKERS);
    uint64_t missing;
    f->n.threads_lost++;
    f->n.samples_lost += samples == NULL ? 0 : fox_table_rows(&missing, f, samples);
    f->n.markers_lost += markers == NULL ? 0 : fox_table_rows(&missing, f, markers);
}

ts_code fox_threads(fox *f)
{
    fox_process *first = f->processes.p;
    ts_code code = TS_OK;
    f->set = &f->common;
    f->n.bad_elements += f->done && !f->has_threads ? 1 : 0;
    if (f->processes.n == 0) {
        return TS_OK;
    }
    f->common.libs = first->libs;
    if (f->done || f->shared_complete) {
        code = fox_set_load(f, &f->common, f->shared);
    }
    for (size_t i = 0; i < f->threads.n && code == TS_OK; i++) {
        fox_thread *t = (fox_thread *)f->threads.p + i;
        if (is_usable(f, t)) {
            code = write_thread(f, t);
        } else {
            lose_thread(f, t);
        }
    }
    return code;
}
