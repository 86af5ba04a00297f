/* The metrics of all profiles, as rows. */
#include "analysis/profile_metrics/profile_metrics.h"

#include "analysis/profile_metrics/metric_sums.h"
#include "base/alloc.h"
#include "base/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const enum ts_table_id needs[] = {TS_T_profile, TS_TABLE_COUNT};
static const enum ts_table_id writes[] = {TS_T_profile_metric, TS_TABLE_COUNT};
static const ts_issue_code issues[] = {TS_ISSUE_COUNT};

/* --- all metrics ----------------------------------------------------------------------------- */

static int metric_by_name(const void *a, const void *b)
{
    return strcmp(((const ts_profile_metric *)a)->name, ((const ts_profile_metric *)b)->name);
}

/* The numbers that clients have computed, as they stand: in the order of the profiles. */
typedef struct metric_numbers {
    ts_scan *scan;
    const ts_batch *b;
    unsigned at;
} metric_numbers;

enum { NUMBER_PROFILE, NUMBER_NAME, NUMBER_VALUE, NUMBER_TEXT };

static ts_code metric_take_numbers(metric_list *list, metric_numbers *n, int64_t profile_id)
{
    ts_code code = TS_OK;
    while (code == TS_OK) {
        if (n->b == NULL || (n->b->rows > 0 && n->at == n->b->rows)) {
            n->at = 0;
            code = ts_scan_next(&n->b, n->scan);
            continue;
        }
        if (n->b->rows == 0 || n->b->columns[NUMBER_PROFILE].ints[n->at] > profile_id) {
            break;
        }
        if (n->b->columns[NUMBER_PROFILE].ints[n->at] == profile_id &&
            n->b->columns[NUMBER_VALUE].null[n->at] == 0) {
            metric_put_recorded(list, ts_cell_text(n->b, NUMBER_NAME, n->at),
                                n->b->columns[NUMBER_VALUE].reals[n->at],
                                ts_cell_text(n->b, NUMBER_TEXT, n->at));
        }
        n->at++;
    }
    return code;
}

static ts_code metric_call_all(metric_work *m, metric_list *list, ts_profile_metric_call call,
                               void *user)
{
    static const unsigned columns[] = {TS_C_profile_number__profile_id, TS_C_profile_number__name,
                                       TS_C_profile_number__value, TS_C_profile_number__text};
    metric_numbers numbers = {0};
    ts_code code = ts_scan_open(&numbers.scan, m->reader, TS_T_profile_number, columns, 4);
    for (size_t i = 0; i < m->profiles.n && code == TS_OK; i++) {
        const metric_profile *p = metric_profile_at(m, i);
        metric_make(list, p);
        code = metric_take_numbers(list, &numbers, p->id);
        metric_complete(list, p);
        qsort(list->all, list->n, sizeof list->all[0], metric_by_name);
        for (size_t k = 0; k < list->n && code == TS_OK; k++) {
            code = call(user, p->id, p->source_id, &list->all[k]);
        }
    }
    ts_scan_close(numbers.scan);
    return code;
}

ts_code ts_profile_metrics_read(ts_ctx *ctx, ts_reader *reader, const int64_t *parents, size_t n,
                                const ts_vec *lossy, ts_profile_metric_call call, void *user)
{
    metric_work m = {
        .ctx = ctx, .reader = reader, .parents = parents, .source_count = n, .lossy = lossy};
    metric_list *list = ts_alloc(ctx, 1, sizeof *list);
    ts_code code = list == NULL ? ctx->error.code : metric_read(&m);
    TS_STEP(code, metric_call_all(&m, list, call, user));
    ts_free(ctx, list);
    metric_free(&m);
    return code;
}

/* --- rows ------------------------------------------------------------------------------------ */

static ts_code metric_write(void *user, int64_t profile_id, int64_t source_id,
                            const ts_profile_metric *metric)
{
    static const char *const from[] = {"recorded", "datakit", "derived"};
    char text[TS_REAL_DIGITS];
    ts_row_profile_metric row = {
        .profile_id = profile_id,
        .name = ts_text_of(metric->name),
        .num = metric->is_int ? (double)metric->i : metric->real,
        .is_int = metric->is_int,
        .source = ts_text_of(from[metric->from]),
    };
    (void)source_id;
    if (metric->is_int) {
        (void)snprintf(text, sizeof text, "%" PRId64, metric->i);
    } else if (!ts_plain_real(text, metric->real)) {
        return TS_OK;
    }
    row.value = ts_text_of(text);
    return ts_put_profile_metric(user, &row);
}

static ts_code profile_metrics_run(ts_ctx *ctx, ts_reader *reader, ts_store *store)
{
    size_t n = (size_t)ts_source_count(store) + 1;
    int64_t *parents = ts_zalloc(ctx, n, sizeof *parents);
    ts_vec lossy = {0};
    ts_code code = parents == NULL ? ctx->error.code : TS_OK;
    for (size_t id = 1; id < n && code == TS_OK; id++) {
        const ts_row_source *source = ts_source(store, (int64_t)id);
        bool none = (source->null & TS_NULL_BIT(source, parent_id)) != 0;
        parents[id] = none ? 0 : source->parent_id;
        if (source->complete == 0) {
            int64_t *lost = ts_vec_add(ctx, &lossy, sizeof *lost);
            code = lost == NULL ? ctx->error.code : TS_OK;
            if (lost != NULL) {
                *lost = (int64_t)id;
            }
        }
    }
    TS_STEP(code, ts_profile_metrics_read(ctx, reader, parents, n, &lossy, metric_write,
                                          ts_store_sink(store)));
    ts_vec_free(ctx, &lossy);
    ts_free(ctx, parents);
    return code;
}

const ts_analysis ts_analysis_profile_metrics = {
    .name = "profile_metrics",
    .title = "what Datakit calls metrics of a profile",
    .cost = TS_ANALYSIS_DEFAULT,
    .needs = needs,
    .writes = writes,
    .issues = issues,
    .run = profile_metrics_run,
};
