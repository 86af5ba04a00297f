/*
 * Web viewers look for traced invocations in callstack. They are in stack_slice already, so
 * callstack becomes a view of that, and of the rows that another input filled it with.
 */
#include "analysis/analysis.h"

static const enum ts_table_id needs[] = {TS_T_stack_slice, TS_TABLE_COUNT};
static const enum ts_table_id writes[] = {TS_TABLE_COUNT};
static const ts_issue_code issues[] = {TS_ISSUE_COUNT};

static ts_code call_views_run(ts_ctx *ctx, ts_reader *reader, ts_store *store)
{
    bool any;
    ts_code code = ts_reader_has_rows(&any, reader, TS_T_callstack);
    (void)ctx;
    if (code == TS_OK) {
        ts_sink_show(ts_store_sink(store), any ? TS_SHOW_BOTH_CALLS : TS_SHOW_CALLS);
    }
    return code;
}

const ts_analysis ts_analysis_call_views = {
    .name = "call_views",
    .title = "callstack as a view of traced invocations",
    .cost = TS_ANALYSIS_FREE,
    .needs = needs,
    .writes = writes,
    .issues = issues,
    .run = call_views_run,
};
