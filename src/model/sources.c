#include "model/sources.h"

#include "base/alloc.h"
#include "base/names.h"
#include "base/ckd.h"
#include "model/cells.h"

enum { S_ID, S_PARENT, S_START, S_END, S_TEXTS, S_COLUMNS = S_TEXTS + 5 };

/* A cell that outlives its batch. */
static ts_code cell_text(ts_text *out, ts_ctx *ctx, ts_pool *texts, const ts_batch *b,
                         unsigned column, unsigned row)
{
    const ts_scan_text *t = &b->columns[column].texts[row];
    uint32_t id;
    *out = TS_TEXT_NULL;
    if (b->columns[column].null[row]) {
        return TS_OK;
    }
    ts_code code = ts_pool_intern(ctx, &id, NULL, texts, (ts_text){t->p, t->n});
    *out = code == TS_OK ? ts_pool_text(texts, id) : TS_TEXT_NULL;
    return code;
}

/* --- sources --------------------------------------------------------------------------------- */

static void sources_free(ts_ctx *ctx, void *what)
{
    ts_sources *s = what;
    ts_vec_free(ctx, &s->rows);
    ts_pool_free(ctx, &s->texts);
    ts_free(ctx, s);
}

static ts_code sources_row(ts_sources *s, ts_ctx *ctx, const ts_batch *b, unsigned i)
{
    ts_source_entry *row = ts_vec_add(ctx, &s->rows, sizeof *row);
    TS_NEED(ctx, row);
    row->id = b->columns[S_ID].ints[i];
    row->parent = ts_cell_or(b, S_PARENT, i, 0);
    row->start_ts = ts_cell_or(b, S_START, i, TS_NO_TIME);
    row->end_ts = ts_cell_or(b, S_END, i, TS_NO_TIME);
    ts_text *const texts[] = {&row->kind, &row->path, &row->name, &row->format, &row->clock};
    for (unsigned k = 0; k < 5; k++) {
        TS_TRY(cell_text(texts[k], ctx, &s->texts, b, S_TEXTS + k, i));
    }
    return TS_OK;
}

static ts_code sources_build(void **what, ts_model *m, const void *user)
{
    static const unsigned columns[S_COLUMNS] = {
        TS_C_source__id,     TS_C_source__parent_id, TS_C_source__start_ts,
        TS_C_source__end_ts, TS_C_source__kind,      TS_C_source__path,
        TS_C_source__name,   TS_C_source__format,    TS_C_source__clock};
    ts_ctx *ctx = ts_model_ctx(m);
    ts_walk rows = ts_walk_of(*ts_model_rows(m), TS_T_source, columns, S_COLUMNS);
    ts_sources *s;
    ts_code code = TS_OK;
    (void)user;
    TS_NEED(ctx, *what = s = ts_zalloc(ctx, 1, sizeof *s));
    while (ts_walk_next(&code, &rows)) {
        code = sources_row(s, ctx, rows.b, rows.row);
    }
    return code;
}

ts_code ts_sources_get(const ts_sources **out, ts_model *m)
{
    void *what;
    ts_code code = ts_model_keep(&what, m, "sources", "", sources_build, sources_free, NULL);
    *out = what;
    return code;
}

/* --- threads --------------------------------------------------------------------------------- */

enum { T_ID, T_TID, T_NAME, T_IPID };
enum { P_ID, P_PID, P_NAME };

static void threads_free(ts_ctx *ctx, void *what)
{
    ts_threads *t = what;
    ts_vec_free(ctx, &t->rows);
    ts_pool_free(ctx, &t->texts);
    ts_free(ctx, t);
}

typedef struct threads_pass {
    ts_ctx *ctx;
    ts_threads *threads;
    ts_vec processes;
} threads_pass;

typedef struct process_row {
    int64_t id, pid;
    ts_text name;
} process_row;

/* Processes are in the order of their ids, of which a part of a recording does not have all. */
static const process_row *process_of(const ts_vec *all, int64_t id)
{
    const process_row *p = all->p;
    size_t low = 0;
    size_t high = all->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < all->n && p[low].id == id ? &p[low] : NULL;
}

static ts_code processes_row(threads_pass *p, const ts_batch *b, unsigned i)
{
    process_row *row = ts_vec_add(p->ctx, &p->processes, sizeof *row);
    TS_NEED(p->ctx, row);
    row->id = b->columns[P_ID].ints[i];
    row->pid = ts_cell_or(b, P_PID, i, INT64_MIN);
    return cell_text(&row->name, p->ctx, &p->threads->texts, b, P_NAME, i);
}

static ts_code threads_row(threads_pass *pass, const ts_batch *b, unsigned i)
{
    int64_t ipid = ts_cell_or(b, T_IPID, i, -1);
    const process_row *p = process_of(&pass->processes, ipid);
    ts_thread_entry *row = ts_vec_add(pass->ctx, &pass->threads->rows, sizeof *row);
    TS_NEED(pass->ctx, row);
    row->id = b->columns[T_ID].ints[i];
    row->tid = ts_cell_or(b, T_TID, i, INT64_MIN);
    row->pid = p == NULL ? INT64_MIN : p->pid;
    row->ipid = p == NULL ? -1 : ipid;
    row->process = p == NULL ? TS_TEXT_NULL : p->name;
    return cell_text(&row->name, pass->ctx, &pass->threads->texts, b, T_NAME, i);
}

static ts_code threads_build(void **what, ts_model *m, const void *user)
{
    static const unsigned threads[] = {TS_C_thread__id, TS_C_thread__tid, TS_C_thread__name,
                                       TS_C_thread__ipid};
    static const unsigned processes[] = {TS_C_process__id, TS_C_process__pid, TS_C_process__name};
    ts_ctx *ctx = ts_model_ctx(m);
    threads_pass p = {.ctx = ctx};
    ts_walk of_process = ts_walk_of(*ts_model_rows(m), TS_T_process, processes, 3);
    ts_walk of_thread = ts_walk_of(*ts_model_rows(m), TS_T_thread, threads, 4);
    ts_code code = TS_OK;
    (void)user;
    TS_NEED(ctx, *what = p.threads = ts_zalloc(ctx, 1, sizeof *p.threads));
    while (ts_walk_next(&code, &of_process)) {
        code = processes_row(&p, of_process.b, of_process.row);
    }
    while (ts_walk_next(&code, &of_thread)) {
        code = threads_row(&p, of_thread.b, of_thread.row);
    }
    ts_vec_free(ctx, &p.processes);
    return code;
}

ts_code ts_threads_get(const ts_threads **out, ts_model *m)
{
    void *what;
    ts_code code = ts_model_keep(&what, m, "threads", "", threads_build, threads_free, NULL);
    *out = what;
    return code;
}

const ts_thread_entry *ts_threads_at(const ts_threads *threads, int64_t itid)
{
    const ts_thread_entry *all = threads->rows.p;
    size_t low = 0;
    size_t high = threads->rows.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all[middle].id < itid) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < threads->rows.n && all[low].id == itid ? &all[low] : NULL;
}
