/* What threads did, as the rows of the question threads. */
#include "model/answer_rows.h"
#include "model/spent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The parameters source, thread, from and to of a question. */
static ts_code select_params(ts_select *out, ts_model *m, const ts_param *params, size_t count)
{
    const ts_wanted wanted = {.source = ts_answer_param(params, count, "source"),
                              .thread = ts_answer_param(params, count, "thread")};
    const char *from = ts_answer_param(params, count, "from");
    const char *to = ts_answer_param(params, count, "to");
    ts_code code = ts_select_make(out, m, &wanted);
    TS_STEP_IF(code, from != NULL, ts_select_time(&out->span.from, m, "from", from, &out->sources));
    TS_STEP_IF(code, to != NULL, ts_select_time(&out->span.to, m, "to", to, &out->sources));
    TS_STEP_IF(code, out->span.from >= out->span.to,
               ts_fail(ts_model_ctx(m), TS_ERR_USAGE, "the parameter from is not before to"));
    return code;
}

static int64_t cpu_rank(const ts_spent *s)
{
    return s->cpu_from == 0 ? -1 : s->cpu;
}

/* Those with the most CPU time first, then those that waited longest. */
static int compare_rows(const void *a, const void *b)
{
    const ts_spent *x = a;
    const ts_spent *y = b;
    int64_t wx = ts_spent_waiting(x);
    int64_t wy = ts_spent_waiting(y);
    if (cpu_rank(x) != cpu_rank(y)) {
        return cpu_rank(x) > cpu_rank(y) ? -1 : 1;
    }
    if (wx != wy) {
        return wx > wy ? -1 : 1;
    }
    if (x->has_itid != y->has_itid) {
        return x->has_itid ? 1 : -1;
    }
    return x->has_itid ? (x->itid > y->itid) - (x->itid < y->itid)
                       : (x->source_id > y->source_id) - (x->source_id < y->source_id);
}

enum { ROW_COLUMNS = 13 };

/* "park 76243749, sleep 63176047": the longest first */
static void put_reasons(ts_answer_row *r, const ts_spent *s)
{
    char text[TS_WAIT_REASONS * 32];
    bool done[TS_WAIT_REASONS] = {false};
    size_t n = 0;
    text[0] = '\0';
    for (;;) {
        unsigned most = TS_WAIT_REASONS;
        for (unsigned i = 0; i < TS_WAIT_REASONS; i++) {
            if (!done[i] && s->waiting[i] > 0 &&
                (most == TS_WAIT_REASONS || s->waiting[i] > s->waiting[most])) {
                most = i;
            }
        }
        if (most == TS_WAIT_REASONS) {
            break;
        }
        done[most] = true;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %" PRId64, n == 0 ? "" : ", ",
                              ts_wait_reason_name(most), s->waiting[most]);
    }
    ts_answer_text(r, n == 0 ? TS_TEXT_NULL : (ts_text){text, n});
}

static ts_code put_row(ts_answer_row *r, const ts_spent *s, const ts_threads *threads,
                       const ts_rows_visitor *visitor)
{
    const ts_thread_entry *t = s->has_itid ? ts_threads_at(threads, s->itid) : NULL;
    char from[48];
    ts_answer_begin(r);
    snprintf(from, sizeof from, "%s%s", ts_spent_cpu_from(s), s->estimated ? ", estimated" : "");
    ts_answer_int(r, s->source_id != 0, s->source_id);
    ts_answer_int(r, s->has_itid, s->itid);
    ts_answer_int(r, t != NULL && t->pid != INT64_MIN, t == NULL ? 0 : t->pid);
    ts_answer_text(r, t == NULL ? TS_TEXT_NULL : t->process);
    ts_answer_int(r, t != NULL && t->tid != INT64_MIN, t == NULL ? 0 : t->tid);
    ts_answer_text(r, t == NULL ? TS_TEXT_NULL : t->name);
    ts_answer_int(r, s->cpu_from != 0, s->cpu);
    ts_answer_text(r, s->cpu_from == 0 ? TS_TEXT_NULL : ts_text_of(from));
    ts_answer_int(r, true, ts_spent_waiting(s));
    put_reasons(r, s);
    ts_answer_int(r, true, s->paused);
    ts_answer_int(r, s->length >= 0, s->unknown);
    ts_answer_int(r, s->length >= 0, s->length);
    return ts_answer_put(r, visitor);
}

ts_code ts_answer_spent(ts_model *m, const ts_param *params, size_t count,
                        const ts_rows_visitor *visitor)
{
    static const char *const names[ROW_COLUMNS] = {
        "source_id", "itid",     "pid",     "process", "tid",     "thread", "cpu_dur",
        "cpu_from",  "wait_dur", "reasons", "paused",  "unknown", "length"};
    const char *limit = ts_answer_param(params, count, "limit");
    size_t most = limit == NULL ? 20 : (size_t)strtoull(limit, NULL, 10);
    ts_answer_row cells = {.ctx = ts_model_ctx(m)};
    const ts_threads *threads = NULL;
    ts_select select;
    ts_vec all = {0};
    ts_code code = select_params(&select, m, params, count);
    if (code == TS_OK && (code = ts_threads_get(&threads, m)) == TS_OK &&
        (code = ts_spent_get(&all, m, &select)) == TS_OK && visitor->header != NULL) {
        code = visitor->header(visitor->user, names, ROW_COLUMNS);
    }
    if (code == TS_OK && all.n > 1) {
        qsort(all.p, all.n, sizeof(ts_spent), compare_rows);
    }
    for (size_t i = 0; code == TS_OK && i < all.n && i < most; i++) {
        code = put_row(&cells, (const ts_spent *)all.p + i, threads, visitor);
    }
    ts_vec_free(cells.ctx, &all);
    ts_buf_free(cells.ctx, &cells.text);
    ts_select_free(cells.ctx, &select);
    return code;
}
