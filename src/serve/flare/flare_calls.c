/* sequenced_call_tree, d3_flame_graph and call_tree: trees of calls (docs/flare.md). */
#include "serve/flare/flare_private.h"

ts_code fp_sequenced_tree(fp_tree *tree, int64_t *thread_id, int64_t *start, int64_t *end,
                          fp_call *call)
{
    fp_data *data = &call->session->data;
    fp_thread *thread;
    size_t first;
    size_t last;
    bool any;
    *tree = (fp_tree){0};
    *thread_id = fp_request_int(call->request, "thread_id", 0);
    *start = fp_request_int(call->request, "start_time", -1);
    *end = fp_request_int(call->request, "end_time", -1);
    if (*thread_id <= 0) {
        return ts_fail(call->ctx, TS_ERR_USAGE, "missing or invalid option 'thread_id'");
    }
    thread = fp_data_thread(data, *thread_id);
    if (thread == NULL) {
        return ts_fail(call->ctx, TS_ERR_USAGE, "thread cpu time file not found");
    }
    TS_TRY(fp_data_records(data, thread));
    TS_TRY(fp_tree_open(tree, data, false));
    fp_tree_range(&first, &last, &any, data, thread, *start, *end);
    return any ? fp_tree_sequence(tree, start, end, thread, first, last) : TS_OK;
}

static ts_code sequenced(fp_call *call, const char *key)
{
    fp_tree tree;
    int64_t thread_id;
    int64_t start;
    int64_t end;
    ts_code code = fp_sequenced_tree(&tree, &thread_id, &start, &end, call);
    if (code == TS_OK) {
        fp_reply_session(call);
        ts_jout_int(&call->json, "thread_id", thread_id);
        ts_jout_int(&call->json, "start_time", start);
        ts_jout_int(&call->json, "end_time", end);
        ts_jout_text(&call->json, "stats_type",
                     fp_request_text(call->request, "stats_type", "duration"));
        code = fp_tree_write(&call->json, key, &tree, "root");
    }
    fp_tree_close(&tree);
    return code != TS_OK ? code : fp_reply_end(call);
}

ts_code fp_sequenced_call_tree(fp_call *call)
{
    return sequenced(call, "sequenced_call_tree_data");
}

ts_code fp_d3_flame_graph(fp_call *call)
{
    return sequenced(call, "d3_flame_graph_stacks");
}

/* --- merged --------------------------------------------------------------------------------- */

static ts_code merge_thread(fp_tree *tree, fp_call *call, fp_thread *thread, int64_t start,
                            int64_t end)
{
    fp_data *data = &call->session->data;
    size_t first;
    size_t last;
    bool any;
    TS_TRY(fp_data_records(data, thread));
    fp_tree_range(&first, &last, &any, data, thread, start, end);
    return any ? fp_tree_merge(tree, thread, first, last) : TS_OK;
}

/* Threads without a series are passed over, as in the original; [] asks for all. */
static ts_code merge_threads(fp_tree *tree, fp_call *call, const int64_t *ids, size_t n)
{
    const fp_data *data = &call->session->data;
    fp_thread *list = data->threads.p;
    int64_t start = fp_request_int(call->request, "start_time", -1);
    int64_t end = fp_request_int(call->request, "end_time", -1);
    ts_code code = TS_OK;
    for (size_t i = 0; i < (n == 0 ? data->threads.n : n) && code == TS_OK; i++) {
        fp_thread *t = n == 0 ? &list[i] : fp_data_thread(data, ids[i]);
        if (t != NULL && t->has_series && (n > 0 || fp_data_listed(t))) {
            code = merge_thread(tree, call, t, start, end);
        }
    }
    return code;
}

ts_code fp_call_tree(fp_call *call)
{
    const int64_t *ids = NULL;
    size_t n = 0;
    fp_tree tree = {0};
    ts_code code;
    TS_TRY_INTO(code, fp_request_need_ints(&ids, &n, call->ctx, call->request, "thread_ids"));
    code = fp_tree_open(&tree, &call->session->data, true);
    TS_STEP(code, merge_threads(&tree, call, ids, n));
    if (code == TS_OK) {
        fp_reply_session(call);
        ts_jout_open(&call->json, "call_tree_data", '[');
        code = fp_tree_write(&call->json, NULL, &tree, "CallStack");
        ts_jout_close(&call->json, ']');
    }
    fp_tree_close(&tree);
    return code != TS_OK ? code : fp_reply_end(call);
}
