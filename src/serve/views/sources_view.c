/* GET sources: what was recorded, as the question `sources` has it. */
#include "model/sources.h"
#include "serve/views/timeline.h"
#include "serve/views/views_private.h"

const ts_view_param ts_sources_params[] = {{.name = NULL}};

ts_code ts_sources_run(ts_view_call *call)
{
    const ts_sources *sources;
    ts_jout *out = call->out;
    TS_TRY(ts_sources_get(&sources, call->views->model));
    const ts_source_entry *all = sources->rows.p;
    ts_jout_open(out, NULL, '{');
    ts_jout_open(out, "sources", '[');
    for (size_t i = 0; i < sources->rows.n; i++) {
        const ts_source_entry *s = &all[i];
        bool start = s->start_ts != TS_NO_TIME;
        int64_t dur = 0;
        bool known = start && s->end_ts != TS_NO_TIME && !ts_ckd_sub(&dur, s->end_ts, s->start_ts);
        ts_jout_open(out, NULL, '{');
        ts_jout_int(out, "id", s->id);
        ts_view_int(out, "parent_id", (ts_cell){s->parent, s->parent == 0});
        ts_view_text(out, "kind", s->kind);
        ts_view_text(out, "path", ts_sources_path(sources, i));
        ts_view_text(out, "name", s->name);
        ts_view_text(out, "format", s->format);
        ts_view_text(out, "clock", s->clock);
        ts_view_int(out, "start", (ts_cell){start ? ts_view_since(call, s->start_ts) : 0, !start});
        ts_view_int(out, "dur", (ts_cell){dur, !known});
        ts_jout_close(out, '}');
    }
    ts_jout_ends(out, "]}");
    return TS_OK;
}
