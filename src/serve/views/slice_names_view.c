/* GET slices/names: slices of a trace of the system that begin in a range, added up by their names.
 */
#include "model/slices.h"
#include "model/stack_tree.h"
#include "serve/views/timeline.h"
#include "serve/views/views_private.h"

enum { P_SOURCE, P_THREADS, P_FROM, P_TO, P_LIMIT };

const ts_view_param ts_slice_names_params[] = {TS_PARAM_SOURCE,
                                               TS_PARAM_THREADS(false, "itid of threads"),
                                               TS_PARAM_TIME("from", false),
                                               TS_PARAM_TIME("to", false),
                                               TS_PARAM_LIMIT(10000, 1000, "names"),
                                               {.name = NULL}};

/* Of one name; asynchronous slices have rows of their own. */
typedef struct name_sums {
    uint64_t count;
    ts_wide dur, self;
    int64_t longest;
} name_sums;

typedef struct names_pass {
    ts_ctx *ctx;
    ts_pool names;
    ts_vec sums[2]; /* name_sums by name: of calls of threads, of asynchronous slices */
} names_pass;

static ts_code names_slice(void *user, const ts_slice *one)
{
    names_pass *p = user;
    uint32_t name;
    if (!one->mark) {
        return TS_OK; /* GET methods has those */
    }
    ts_vec *all = &p->sums[one->async ? 1 : 0];
    TS_TRY(ts_pool_intern(p->ctx, &name, NULL, &p->names, one->name));
    TS_TRY(ts_vec_reach(p->ctx, all, name, sizeof(name_sums)));
    name_sums *sums = (name_sums *)all->p + name;
    sums->count++;
    sums->dur += one->dur.null ? 0 : one->dur.value;
    sums->self += one->self.null ? 0 : one->self.value;
    sums->longest =
        !one->dur.null && one->dur.value > sums->longest ? one->dur.value : sums->longest;
    return TS_OK;
}

static void names_put(ts_jout *out, const names_pass *p, uint32_t place, bool async)
{
    const name_sums *sums = (const name_sums *)p->sums[async ? 1 : 0].p + place;
    ts_jout_open(out, NULL, '[');
    ts_view_text(out, NULL, ts_pool_text(&p->names, place));
    ts_jout_bool(out, NULL, async);
    ts_jout_uint(out, NULL, sums->count);
    ts_wide_put(out, NULL, sums->dur);
    if (async) {
        ts_jout_null(out, NULL);
    } else {
        ts_wide_put(out, NULL, sums->self);
    }
    ts_jout_int(out, NULL, sums->longest);
    ts_jout_close(out, ']');
    ts_jout_line(out);
}

/* Those with the most time in themselves first, asynchronous ones after them by their time. */
static ts_code names_write(const names_pass *p, ts_view_call *call)
{
    uint64_t limit = (uint64_t)ts_view_value_of(call, P_LIMIT)->number;
    uint64_t count = 0;
    ts_code code = TS_OK;
    ts_jout_open(call->out, "rows", '[');
    for (unsigned kind = 0; code == TS_OK && kind < 2; kind++) {
        const name_sums *all = p->sums[kind].p;
        size_t n = p->sums[kind].n;
        uint32_t *places = ts_alloc(p->ctx, n + 1, sizeof *places);
        ts_wide *keys = ts_alloc(p->ctx, n + 1, sizeof *keys);
        code = places == NULL || keys == NULL ? p->ctx->error.code : TS_OK;
        for (size_t i = 0; code == TS_OK && i < n; i++) {
            places[i] = (uint32_t)i;
            keys[i] = kind == 0 ? all[i].self : all[i].dur;
        }
        if (code == TS_OK) {
            ts_sort_places(places, n, keys);
        }
        for (size_t i = 0; code == TS_OK && i < n; i++) {
            if (all[places[i]].count > 0 && count++ < limit) {
                names_put(call->out, p, places[i], kind == 1);
            }
        }
        ts_free(p->ctx, places);
        ts_free(p->ctx, keys);
    }
    ts_jout_close(call->out, ']');
    ts_jout_uint(call->out, "row_count", count);
    return code;
}

ts_code ts_slice_names_run(ts_view_call *call)
{
    static const char *const columns[] = {"name", "async", "count", "dur", "self", "longest"};
    names_pass p = {.ctx = ts_view_ctx(call)};
    ts_select select = {
        .span = {ts_view_time(call, P_FROM, INT64_MIN), ts_view_time(call, P_TO, INT64_MAX)}};
    ts_code code = ts_view_ids(&select.sources, p.ctx, ts_view_value_of(call, P_SOURCE));
    TS_STEP(code, ts_view_ids(&select.threads, p.ctx, ts_view_value_of(call, P_THREADS)));
    TS_STEP(code, ts_slices_each(call->views->model, &select, names_slice, &p));
    ts_jout_open(call->out, NULL, '{');
    ts_jout_open(call->out, "columns", '[');
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        ts_jout_str(call->out, NULL, columns[i]);
    }
    ts_jout_close(call->out, ']');
    TS_STEP(code, names_write(&p, call));
    ts_jout_close(call->out, '}');
    ts_vec_free(p.ctx, &p.sums[0]);
    ts_vec_free(p.ctx, &p.sums[1]);
    ts_pool_free(p.ctx, &p.names);
    ts_select_free(p.ctx, &select);
    return code;
}
