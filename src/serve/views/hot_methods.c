/* GET methods: what each method weighs, by itself and with what it calls (v_stack_hot_method). */
#include "serve/views/flame.h"
#include "model/stack_methods.h"
#include "serve/views/frame_tree.h"

enum { P_SORT = TS_P_CHOSEN, P_BY, P_OFFSET, P_LIMIT };

const ts_view_param ts_methods_params[] = {
    TS_CHOSEN_PARAMS,
    {.name = "sort", .type = TS_VIEW_CHOICE, .choices = "self,total", .doc = "largest first"},
    {.name = "by",
     .type = TS_VIEW_CHOICE,
     .choices = "name,source",
     .doc = "source: a method of several recordings is a row for each"},
    TS_PARAMS_PAGE(10000, 200, "rows"),
    {.name = NULL}};

static ts_code methods_put(ts_view_call *call, const ts_method_sums *m, const uint32_t *places,
                           uint32_t n, const ts_paths *paths, const ts_weight *weight)
{
    ts_ctx *ctx = ts_view_ctx(call);
    ts_jout *out = call->out;
    const ts_page page = ts_view_page(call, P_OFFSET);
    uint64_t end = page.end < n ? page.end : n;
    bool capped = false;
    ts_wide all;
    uint64_t count;
    ts_method_list list;
    ts_code code = ts_method_list_begin(&list, ctx, paths);
    list.demangle = ts_view_value_of(call, TS_P_DEMANGLE)->number != 0;
    ts_jout_open(out, NULL, '{');
    ts_view_weight_put(out, weight);
    ts_view_all(&all, &count, &weight->of);
    ts_view_all_put(out, all, count);
    ts_jout_uint(out, "row_count", n);
    ts_jout_open(out, "method", '[');
    for (uint64_t i = page.first; code == TS_OK && i < end; i++) {
        uint32_t *place = places[i] == m->n ? NULL : ts_vec_add(ctx, &list.methods, sizeof *place);
        if (places[i] != m->n && place == NULL) {
            code = ctx->error.code;
        } else if (place != NULL) {
            *place = places[i];
            list.number[places[i]] = (uint32_t)list.methods.n - 1;
        }
        ts_jout_int(out, NULL, place == NULL ? -1 : (int64_t)list.methods.n - 1);
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "self", '[');
    for (uint64_t i = page.first; i < end; i++) {
        ts_jout_int(out, NULL, ts_wide_cap(m->self[places[i]], &capped));
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "total", '[');
    for (uint64_t i = page.first; i < end; i++) {
        ts_jout_int(out, NULL, ts_wide_cap(m->total[places[i]], &capped));
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "count", '[');
    for (uint64_t i = page.first; i < end; i++) {
        ts_jout_uint(out, NULL, m->count[places[i]]);
    }
    ts_jout_close(out, ']');
    ts_jout_bool(out, "capped", capped);
    TS_STEP(code, ts_method_list_write(call, "methods", &list, paths));
    ts_jout_close(out, '}');
    ts_method_list_free(ctx, &list);
    return code;
}

ts_code ts_methods_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    const ts_paths *paths = NULL;
    const uint32_t *one = NULL;
    ts_calls calls = {0};
    ts_method_sums m = {0};
    uint32_t *places = NULL;
    uint32_t n = 0;
    ts_code code = ts_view_weigh(&calls, call, true);
    paths = calls.paths;
    TS_STEP(code, ts_methods_one(&one, call->views->model, paths,
                                 ts_view_value_of(call, P_BY)->number == 1));
    TS_STEP(code, ts_method_sums_make(&m, ctx, paths, one, &ts_view_weight(&calls)->of));
    TS_STEP_IF(code, (places = ts_alloc(ctx, (size_t)m.n + 1, sizeof *places)) == NULL,
               ctx->error.code);
    if (code == TS_OK) {
        for (uint32_t i = 0; i <= m.n; i++) {
            if (m.seen[i] && m.total[i] != 0 && (i == m.n || paths->idle[i] != TS_ROOT)) {
                places[n++] = i;
            }
        }
        ts_sort_places(places, n, ts_view_value_of(call, P_SORT)->number == 1 ? m.total : m.self);
        code = methods_put(call, &m, places, n, paths, ts_view_weight(&calls));
    }
    ts_free(ctx, places);
    ts_method_sums_free(ctx, &m);
    ts_calls_free(&calls);
    return code;
}
