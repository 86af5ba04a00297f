/* What threads and CPUs did as the scheduler says, as the rows of the questions sched_latency and
 * cpu_busy. Memory: some 50 bytes a wake-up, or 100 a thread and CPU that it ran on. */
#include "model/sched_rows.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "model/keyed_rows.h"

#include <stdlib.h>

enum { LATENCY_COLUMNS = 9, BUSY_COLUMNS = 8, LATENCY_USUAL = 20, BUSY_USUAL = 1000 };

bool sched_wants_pid(const sched_pid *wanted, bool known, int64_t pid)
{
    return !wanted->asked || (known && (double)pid == wanted->pid);
}

sched_pid sched_pid_param(const ts_param *params, size_t count)
{
    const char *pid = ts_answer_param(params, count, "pid");
    char *end = NULL;
    sched_pid wanted = {.asked = pid != NULL, .pid = -0.5}; /* a process has no such id */
    double value = pid == NULL ? 0 : strtod(pid, &end);
    if (pid != NULL && *pid != '\0' && *end == '\0') {
        wanted.pid = value;
    }
    return wanted;
}

void sched_put_thread(ts_answer_row *row, const ts_thread_entry *t)
{
    ts_answer_text(row, t == NULL ? TS_TEXT_NULL : t->process);
    ts_answer_text(row, t == NULL ? TS_TEXT_NULL : t->name);
    ts_answer_int(row, t != NULL && t->tid != INT64_MIN, t == NULL ? 0 : t->tid);
}

/* --- sched_latency ---------------------------------------------------------------------------- */

/* The wake-ups of a thread at one moment. */
typedef struct wake {
    int64_t itid, ts;
    int64_t waker; /* of the first; -1: not known */
    uint32_t count;
    uint32_t place; /* of the first */
} wake;

typedef struct woken {
    int64_t itid;
    uint64_t wakes;
    ts_wide total;
    int64_t longest, ts, waker;
    uint32_t place; /* of the wake-up before the longest wait */
} woken;

typedef struct latencies {
    ts_ctx *ctx;
    ts_model *m;
    ts_keyed_rows wakes;
    ts_idmap by_itid; /* place in threads */
    ts_vec threads;   /* of woken */
} latencies;

static ts_code read_wakes(latencies *l)
{
    static const unsigned columns[] = {TS_C_instant__name, TS_C_instant__ref, TS_C_instant__ts,
                                       TS_C_instant__wakeup_from};
    ts_walk at = ts_walk_of(*ts_model_rows(l->m), TS_T_instant, columns, 4);
    ts_code code = TS_OK;
    for (uint32_t n = 0; ts_walk_next(&code, &at); n++) {
        const int64_t key[2] = {ts_walk_int(&at, 1), ts_walk_int(&at, 2)};
        if (!ts_text_is(ts_walk_text(&at, 0), "sched_wakeup") || ts_walk_null(&at, 1) ||
            ts_walk_null(&at, 2)) {
            continue;
        }
        wake *w = ts_keyed_row_of(&l->wakes, key);
        if (w == NULL) {
            code = l->ctx->error.code;
        } else if (w->count++ == 0) {
            w->waker = ts_walk_int_or(&at, 3, -1);
            w->place = n;
        }
    }
    return code;
}

static ts_code add_latency(latencies *l, const wake *w, int64_t dur)
{
    uint64_t place;
    woken *t;
    if (ts_idmap_find(&place, &l->by_itid, w->itid)) {
        t = (woken *)l->threads.p + place;
    } else {
        TS_NEED(l->ctx, t = ts_vec_add(l->ctx, &l->threads, sizeof *t));
        t->itid = w->itid;
        t->longest = INT64_MIN;
        TS_TRY(ts_idmap_put(l->ctx, &l->by_itid, w->itid, l->threads.n - 1));
    }
    t->wakes += w->count;
    t->total += (ts_wide)w->count * dur;
    if (t->wakes == w->count || dur > t->longest || (dur == t->longest && w->place < t->place)) {
        t->longest = dur;
        t->ts = w->ts;
        t->waker = w->waker;
        t->place = w->place;
    }
    return TS_OK;
}

/* The state that a wake-up began lasts until the thread ran. */
static ts_code read_waits(latencies *l)
{
    static const unsigned columns[] = {TS_C_thread_state__state, TS_C_thread_state__itid,
                                       TS_C_thread_state__ts, TS_C_thread_state__dur};
    ts_walk at = ts_walk_of(*ts_model_rows(l->m), TS_T_thread_state, columns, 4);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &at)) {
        const int64_t key[2] = {ts_walk_int(&at, 1), ts_walk_int(&at, 2)};
        const wake *w = !ts_text_is(ts_walk_text(&at, 0), "R") || ts_walk_null(&at, 1) ||
                                ts_walk_null(&at, 2) || ts_walk_null(&at, 3)
                            ? NULL
                            : ts_keyed_row(&l->wakes, key);
        TS_STEP_IF(code, w != NULL, add_latency(l, w, ts_walk_int(&at, 3)));
    }
    return code;
}

static int compare_woken(const void *a, const void *b)
{
    const woken *x = a;
    const woken *y = b;
    return x->longest != y->longest ? (x->longest < y->longest) - (x->longest > y->longest)
                                    : (x->itid > y->itid) - (x->itid < y->itid);
}

static ts_code put_latencies(latencies *l, const ts_param *params, size_t count,
                             const ts_rows_visitor *visitor)
{
    const sched_pid pid = sched_pid_param(params, count);
    const ts_threads *threads = NULL;
    const woken *all = l->threads.p;
    ts_answer_row row = {.ctx = l->ctx};
    uint32_t most = ts_answer_limit(params, count, LATENCY_USUAL, (uint32_t)l->threads.n);
    ts_code code = ts_threads_get(&threads, l->m);
    for (size_t i = 0; code == TS_OK && i < l->threads.n && most > 0; i++) {
        const woken *w = &all[i];
        const ts_thread_entry *t = ts_threads_at(threads, w->itid);
        const ts_thread_entry *waker = ts_threads_at(threads, w->waker);
        if (!sched_wants_pid(&pid, t != NULL && t->pid != INT64_MIN, t == NULL ? 0 : t->pid)) {
            continue;
        }
        most--;
        ts_answer_begin(&row);
        sched_put_thread(&row, t);
        ts_answer_int(&row, true, (int64_t)w->wakes);
        ts_answer_real(&row, true, (double)w->total / (double)w->wakes / 1000.0);
        ts_answer_real(&row, true, (double)w->longest / 1000.0);
        ts_answer_real(&row, true, (double)w->total / 1000000.0);
        ts_answer_text(&row, waker == NULL ? TS_TEXT_NULL : waker->name);
        ts_answer_int(&row, true, w->ts);
        code = ts_answer_put(&row, visitor);
    }
    ts_buf_free(l->ctx, &row.text);
    return code;
}

ts_code ts_answer_sched_latency(ts_model *m, const ts_param *params, size_t count,
                                const ts_rows_visitor *visitor)
{
    static const char *const names[LATENCY_COLUMNS] = {
        "process", "thread", "tid", "wakes", "mean_us", "max_us", "total_ms", "waker", "max_ts"};
    latencies l = {.ctx = ts_model_ctx(m), .m = m};
    l.wakes = (ts_keyed_rows){.ctx = l.ctx, .size = sizeof(wake)};
    ts_code code = read_wakes(&l);
    TS_STEP(code, read_waits(&l));
    if (code == TS_OK && l.threads.n > 1) {
        qsort(l.threads.p, l.threads.n, sizeof(woken), compare_woken);
    }
    TS_STEP_IF(code, visitor->header != NULL,
               visitor->header(visitor->user, names, LATENCY_COLUMNS));
    TS_STEP(code, put_latencies(&l, params, count, visitor));
    ts_keyed_rows_free(&l.wakes);
    ts_idmap_free(l.ctx, &l.by_itid);
    ts_vec_free(l.ctx, &l.threads);
    return code;
}

/* --- cpu_busy --------------------------------------------------------------------------------- */

/* What a thread ran on a CPU. */
typedef struct cpu_run {
    int64_t cpu, itid;
    uint64_t n;
    ts_wide ns;
    bool ended; /* one at least; else ns is not known */
} cpu_run;

static ts_code read_runs(ts_keyed_rows *runs, ts_model *m)
{
    static const unsigned columns[] = {TS_C_sched_slice__cpu, TS_C_sched_slice__itid,
                                       TS_C_sched_slice__dur};
    ts_walk at = ts_walk_of(*ts_model_rows(m), TS_T_sched_slice, columns, 3);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &at)) {
        const int64_t key[2] = {ts_walk_int(&at, 0), ts_walk_int(&at, 1)};
        cpu_run *r = ts_keyed_row_of(runs, key);
        if (r == NULL) {
            code = runs->ctx->error.code;
        } else {
            r->n++;
            r->ns += ts_walk_int(&at, 2);
            r->ended = r->ended || !ts_walk_null(&at, 2);
        }
    }
    return code;
}

static int compare_runs(const void *a, const void *b)
{
    const cpu_run *x = a;
    const cpu_run *y = b;
    return x->cpu != y->cpu ? (x->cpu > y->cpu) - (x->cpu < y->cpu)
                            : (x->itid > y->itid) - (x->itid < y->itid);
}

/* The row of the CPU whose runs begin here, which are in the order of their threads. */
static void put_cpu(ts_answer_row *row, const cpu_run *first, size_t n, const ts_threads *threads)
{
    const cpu_run *idle = first[0].itid == 0 ? first : NULL;
    const cpu_run *longest = NULL;
    uint64_t slices = 0;
    ts_wide busy = 0;
    bool known = idle != NULL; /* what the idle thread ran is no busy time: 0 of it */
    for (size_t i = 0; i < n; i++) {
        const cpu_run *r = &first[i];
        known = known || r->ended;
        if (r->itid != 0) {
            slices += r->n;
            busy += r->ns;
            bool longer = longest == NULL || (r->ended && (!longest->ended || r->ns > longest->ns));
            longest = longer ? r : longest;
        }
    }
    ts_wide all = busy + (idle == NULL ? 0 : idle->ns);
    const ts_thread_entry *t = longest == NULL ? NULL : ts_threads_at(threads, longest->itid);
    ts_answer_int(row, true, first[0].cpu);
    ts_answer_int(row, true, (int64_t)slices);
    ts_answer_int(row, true, (int64_t)(n - (idle != NULL)));
    ts_answer_sum(row, known, busy);
    ts_answer_sum(row, idle == NULL || idle->ended || n > 1, all - busy);
    ts_answer_real(row, known && all != 0, (double)busy / (double)all);
    ts_answer_text(row, t == NULL ? TS_TEXT_NULL : t->name);
    ts_answer_sum(row, longest != NULL && longest->ended, longest == NULL ? 0 : longest->ns);
}

ts_code ts_answer_cpu_busy(ts_model *m, const ts_param *params, size_t count,
                           const ts_rows_visitor *visitor)
{
    static const char *const names[BUSY_COLUMNS] = {
        "cpu", "slices", "threads", "busy_dur", "idle_dur", "busy_share", "thread", "thread_dur"};
    ts_keyed_rows runs = {.ctx = ts_model_ctx(m), .size = sizeof(cpu_run)};
    const ts_threads *threads = NULL;
    ts_answer_row row = {.ctx = runs.ctx};
    ts_code code = read_runs(&runs, m);
    TS_STEP(code, ts_threads_get(&threads, m));
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, BUSY_COLUMNS));
    if (code == TS_OK && runs.rows.n > 1) {
        qsort(runs.rows.p, runs.rows.n, sizeof(cpu_run), compare_runs);
    }
    const cpu_run *all = runs.rows.p;
    uint32_t most = ts_answer_limit(params, count, BUSY_USUAL, UINT32_MAX);
    for (size_t i = 0, n; code == TS_OK && i < runs.rows.n && most > 0; i += n, most--) {
        for (n = 1; i + n < runs.rows.n && all[i + n].cpu == all[i].cpu; n++) {
        }
        ts_answer_begin(&row);
        put_cpu(&row, &all[i], n, threads);
        code = ts_answer_put(&row, visitor);
    }
    ts_buf_free(runs.ctx, &row.text);
    ts_keyed_rows_free(&runs);
    return code;
}
