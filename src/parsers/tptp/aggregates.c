/*
 * An aggregated call tree, written as pairs that nest, with totals (docs/formats.md, "TPTP
 * traces"). Each call path is also a stack_sample that weighs its own time, so that questions about
 * hot methods and flame graphs see it.
 */
#include "parsers/tptp/trace_session.h"

#include <inttypes.h>

static const tptp_aggregate_frame *aggregate_top(const tptp_thread *t)
{
    return t->aggregates.n == 0
               ? NULL
               : &((const tptp_aggregate_frame *)t->aggregates.p)[t->aggregates.n - 1];
}

static ts_code put_sample(tptp_session *s, const ts_row_tptp_aggregate *a)
{
    ts_row_stack_sample row = {
        .id = TPTP_NEXT_ROW(s, stack_sample),
        .source_id = s->source_id,
        .itid = a->itid,
        .dur = a->base_dur,
        .node_id = a->node_id,
        .event = TS_TEXT_LIT("aggregate"),
        .null = TS_NULL_BIT(stack_sample, ts),
    };
    TS_NULL_IF((a->null & TS_NULL_BIT(tptp_aggregate, itid)) != 0, stack_sample, &row, itid);
    TS_NULL_IF((a->null & TS_NULL_BIT(tptp_aggregate, node_id)) != 0, stack_sample, &row, node_id);
    TS_NULL_IF((a->null & TS_NULL_BIT(tptp_aggregate, base_dur)) != 0, stack_sample, &row, dur);
    return ts_put_stack_sample(s->sink, &row);
}

ts_code tptp_take_aggregate(tptp_session *s, const tptp_record *r)
{
    ts_row_tptp_aggregate row = {
        .id = TPTP_NEXT_ROW(s, tptp_aggregate),
        .source_id = s->source_id,
        .base_dur = r->num[TPTP_N_BASE_TIME],
        .min_dur = r->num[TPTP_N_MIN_TIME],
        .max_dur = r->num[TPTP_N_MAX_TIME],
        .base_cpu_dur = r->num[TPTP_N_BASE_CPU],
        .calls = r->num[TPTP_N_CALLS],
    };
    tptp_aggregate_frame *open;
    tptp_thread *t;
    ts_code code;
    TS_TRY_INTO(code, tptp_thread_of(&t, s, tptp_thread_id(r)));
    TS_TRY_INTO(code, tptp_method_of(&row.method_id, s, r->num[TPTP_N_METHOD]));
    const tptp_aggregate_frame *parent = t == NULL ? NULL : aggregate_top(t);
    bool unsure = t != NULL && t->aggregates_unsure && t->aggregates.n >= t->aggregates_above;
    row.parent_id = parent == NULL || parent->gap ? 0 : parent->row;
    row.depth = t == NULL ? 0 : (int64_t)t->aggregates.n;
    row.itid = t == NULL ? 0 : t->itid;
    TS_STEP_IF(code, !unsure,
               ts_stack_node(&row.node_id, NULL, s->store, s->source_id,
                             parent == NULL ? 0 : parent->node, row.method_id, TS_NO_LINE,
                             row.depth, NULL));
    TS_NULL_IF(unsure, tptp_aggregate, &row, node_id);
    TS_NULL_IF(unsure, tptp_aggregate, &row, depth);
    if (code != TS_OK) {
        return code;
    }
    TS_NULL_IF(t == NULL, tptp_aggregate, &row, itid);
    TS_NULL_ZEROS(tptp_aggregate, &row, parent_id, method_id);
    TS_NULL_IF((r->bad & TPTP_BIT(BASE_TIME)) != 0, tptp_aggregate, &row, base_dur);
    TS_NULL_IF((r->bad & TPTP_BIT(MIN_TIME)) != 0, tptp_aggregate, &row, min_dur);
    TS_NULL_IF((r->bad & TPTP_BIT(MAX_TIME)) != 0, tptp_aggregate, &row, max_dur);
    TS_NULL_IF((r->bad & TPTP_BIT(BASE_CPU)) != 0, tptp_aggregate, &row, base_cpu_dur);
    TS_NULL_IF((r->bad & TPTP_BIT(CALLS)) != 0, tptp_aggregate, &row, calls);
    if (t != NULL) {
        TS_NEED(s->ctx, open = tptp_reserve_one(s, &t->aggregates, sizeof *open) == TS_OK
                                   ? ts_vec_add(s->ctx, &t->aggregates, sizeof *open)
                                   : NULL);
        *open = (tptp_aggregate_frame){row.id, row.node_id, r->num[TPTP_N_METHOD], false};
    }
    code = ts_put_tptp_aggregate(s->sink, &row);
    return code != TS_OK ? code : put_sample(s, &row);
}

ts_code tptp_take_aggregate_exit(tptp_session *s, const tptp_record *r)
{
    tptp_thread *t;
    TS_TRY(tptp_thread_of(&t, s, tptp_thread_id(r)));
    const tptp_aggregate_frame *frames = t == NULL ? NULL : t->aggregates.p;
    size_t i = t == NULL ? 0 : t->aggregates.n;
    while (i > 0 && frames[i - 1].method != r->num[TPTP_N_METHOD] &&
           tptp_may_search(s, t->aggregates.n - i)) {
        i--;
    }
    if (i == 0 || frames[i - 1].method != r->num[TPTP_N_METHOD]) {
        tptp_count_lost(s, TPTP_C_CALLS);
        return tptp_issue(s, TS_ISSUE_tptp_exit_unmatched,
                          "thread %" PRId64 ": no call path of method %" PRId64 " is open",
                          tptp_thread_id(r), r->num[TPTP_N_METHOD]);
    }
    t->aggregates.n = i - 1;
    t->aggregates_unsure = t->aggregates_unsure && t->aggregates.n >= t->aggregates_above;
    return TS_OK;
}
