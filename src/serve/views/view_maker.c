#include "serve/views/view_maker.h"

#include "base/alloc.h"

#include <stdio.h>

enum { VIEW_LONG_NS = 200 * 1000 * 1000 };

/* What is kept of a database belongs to one file. */
static ts_code maker_views(ts_view_maker *m, const ts_lease *lease)
{
    const ts_view_db_options options = {.path = lease->path, .max_memory = m->max_memory};
    if (m->views != NULL && ts_identity_same(&m->identity, &lease->identity)) {
        ts_view_db_ctx(m->views)->limits.max_memory = m->max_memory;
        return TS_OK;
    }
    ts_view_maker_free(m);
    m->identity = lease->identity;
    return ts_view_db_open(&m->views, m->base, &options);
}

static ts_code maker_run(ts_view_maker *m, const ts_view_order *order, ts_lease *lease)
{
    ts_jout out;
    ts_view_args args;
    ts_ctx *ctx = ts_view_db_ctx(m->views);
    ts_code code = ts_endpoint_parse(&args, ctx, order->endpoint, order->pairs, order->pair_count);
    ts_jout_begin(&out, ctx, order->write, order->user);
    ts_view_call call = {.views = m->views,
                         .db = lease->sandbox.db,
                         .args = &args,
                         .out = &out,
                         .guard = order->guard,
                         .progress = {order->user, order->report}};
    if (code == TS_OK) {
        lease->sandbox.ctx = ctx;
        lease->sandbox.guard = order->guard;
        code = ts_endpoint_run(order->endpoint, &call);
    }
    ts_code ended = ts_jout_end(&out);
    return code != TS_OK ? code : ended;
}

ts_code ts_view_make(ts_view_maker *maker, const ts_view_order *order, char message[TS_ERROR_TEXT])
{
    ts_ctx ctx = *maker->base; /* for taking the connection */
    ts_lease *lease = NULL;
    ts_database_state state;
    const ts_error *error = &ctx.error;
    int64_t begun = ts_guard_now();
    ts_code code = ts_database_take(&lease, &state, maker->databases, &ctx, maker->database);
    TS_STEP(code, maker_views(maker, lease));
    if (code == TS_OK) {
        error = &ts_view_db_ctx(maker->views)->error;
        code = maker_run(maker, order, lease);
    }
    (void)snprintf(message, TS_ERROR_TEXT, "%s",
                   code != TS_OK && error->count > 0 ? error->causes[0] : "");
    ts_database_give(maker->databases, lease);
    if (ts_guard_now() - begun > VIEW_LONG_NS) {
        ts_alloc_trim(); /* what a view has built on the way is not needed again */
    }
    return code;
}

void ts_view_maker_free(ts_view_maker *maker)
{
    ts_view_db_close(maker->views);
    maker->views = NULL;
}
