/* static_initalize: the calls that load a library, in lanes by process. */
#include "analysis/markers/marker_work.h"

#include "base/idmap.h"
#include "base/lanes.h"
#include "base/vec.h"

typedef struct library_record {
    uint64_t number;
    int64_t row;
    int64_t ts, end;
    int64_t itid;
} library_record;

typedef struct library_work {
    marker_work *w;
    uint64_t count;
    ts_sorter *records; /* in the order of their coming */
    ts_idmap processes; /* ipid -> number of its lanes + 1 */
    ts_vec lanes;       /* ts_lanes */
} library_work;

static ts_code libraries_take(void *self, const marker *m, unsigned pattern)
{
    library_work *l = self;
    const library_record record = {
        .number = l->count++, .row = m->row, .ts = m->ts, .end = m->end, .itid = m->itid};
    (void)pattern;
    return marker_keep(l->w, &l->records, &record, sizeof record, 1);
}

static ts_code lane_of(int64_t *lane, library_work *l, int64_t ipid, const library_record *r)
{
    ts_ctx *ctx = l->w->ctx;
    uint64_t number;
    if (!ts_idmap_find(&number, &l->processes, ipid)) {
        TS_NEED(ctx, ts_vec_add(ctx, &l->lanes, sizeof(ts_lanes)));
        number = l->lanes.n;
        TS_TRY(ts_idmap_put(ctx, &l->processes, ipid, number));
    }
    return ts_lanes_take(lane, ctx, (ts_lanes *)l->lanes.p + (number - 1), r->ts,
                         r->end == TS_NO_TIME ? INT64_MAX : r->end);
}

static ts_code put_library(void *self, const void *record)
{
    library_work *l = self;
    const library_record *r = record;
    const marker_thread t = marker_thread_of(l->w, r->itid);
    ts_row_static_initalize row = {
        .id = (int64_t)ts_sink_rows(l->w->sink, TS_T_static_initalize),
        .ipid = t.ipid,
        .tid = t.tid,
        .call_id = r->itid,
        .start_time = r->ts,
        .end_time = r->end,
    };
    ts_code code = lane_of(&row.depth, l, t.ipid, r);
    row.null |= t.ipid < 0 ? TS_NULL_BIT(static_initalize, ipid) : 0;
    row.null |= t.has_tid ? 0 : TS_NULL_BIT(static_initalize, tid);
    row.null |= r->end == TS_NO_TIME ? TS_NULL_BIT(static_initalize, end_time) : 0;
    TS_STEP(code, marker_name(&row.so_name, l->w, r->row));
    return code != TS_OK ? code : ts_put_static_initalize(l->w->sink, &row);
}

static ts_code libraries_finish(void *self)
{
    library_work *l = self;
    return ts_sorter_drain(l->records, put_library, l);
}

static void libraries_close(void *self)
{
    library_work *l = self;
    for (size_t i = 0; i < l->lanes.n; i++) {
        ts_lanes_free(l->w->ctx, (ts_lanes *)l->lanes.p + i);
    }
    ts_vec_free(l->w->ctx, &l->lanes);
    ts_idmap_free(l->w->ctx, &l->processes);
    ts_sorter_close(l->records);
}

const marker_kind marker_libraries = {sizeof(library_work), libraries_take, libraries_finish,
                                      libraries_close};
