/*
 * app_startup: the phases of each start of an application. A start is a call of phase 4, which
 * names its package; the last phase 3 of that package belongs to it, and so do the last phases 0 to
 * 2 that came before phase 3, or before phase 4 when there is no phase 3. Phase 5 is the next one
 * in the process of phase 4, phase 6 the first frame of that process from phase 4 on, phase 7 the
 * frame of the render service that shows it.
 */
#include "analysis/markers/marker_work.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"

#include <stdlib.h>

enum { TOUCH, START, LOAD, ATTACH, LAUNCH, TRANSACTION, FIRST_FRAME, SHOWN_FRAME, PHASES };
enum { EARLY = ATTACH }; /* phases before a package is named */

typedef struct startup_phase {
    int64_t ts;
    int64_t end; /* of frames; TS_NO_TIME: not known */
    int64_t itid;
    bool has;
} startup_phase;

typedef struct startup {
    startup_phase phases[PHASES];
    uint32_t package;
    int64_t ipid;  /* of phase 4; -1: not known */
    int64_t shown; /* id of the frame that shows the first one; -1: none */
} startup;

typedef struct startup_work {
    marker_work *w;
    uint32_t source;            /* of what follows */
    startup_phase early[EARLY]; /* the last ones that nothing was found for */
    ts_pool packages;
    ts_vec begun;       /* startup, by package: what came before phase 4 */
    ts_vec starts;      /* startup */
    ts_idmap processes; /* ipid -> 1 + number of its last start */
} startup_work;

static startup *start_at(const startup_work *s, size_t i)
{
    return (startup *)s->starts.p + i;
}

static startup *begun_at(const startup_work *s, size_t i)
{
    return (startup *)s->begun.p + i;
}

/* --- calls --------------------------------------------------------------------------------- */

/* Another recording begins: nothing of the one before belongs to it. */
static void set_source(startup_work *s, uint32_t source)
{
    if (source == s->source) {
        return;
    }
    s->source = source;
    memset(s->early, 0, sizeof s->early);
    for (size_t i = 0; i < s->begun.n; i++) {
        memset(begun_at(s, i)->phases, 0, sizeof begun_at(s, i)->phases);
    }
}

/* Between the first and the second "##"; all that follows when there is no second one. */
static ts_text package_of(const marker *m)
{
    ts_text rest = ts_text_from(m->name, m->prefix); /* the prefix ends with ## */
    return marker_part(&rest, "##");
}

static ts_code package_number(uint32_t *number, startup_work *s, ts_text package)
{
    bool added;
    ts_code code = ts_pool_intern(s->w->ctx, number, &added, &s->packages, package);
    TS_STEP_IF(code, added && ts_vec_add(s->w->ctx, &s->begun, sizeof(startup)) == NULL,
               s->w->ctx->error.code);
    return code;
}

static void take_early(startup_work *s, startup *to)
{
    for (unsigned i = 0; i < EARLY; i++) {
        if (s->early[i].has) {
            to->phases[i] = s->early[i];
            s->early[i].has = false;
        }
    }
}

static ts_code add_start(startup_work *s, const startup_phase *launch, int64_t ipid,
                         uint32_t package)
{
    startup *begun = begun_at(s, package);
    startup *start = ts_vec_add(s->w->ctx, &s->starts, sizeof *start);
    TS_NEED(s->w->ctx, start);
    if (!begun->phases[ATTACH].has) {
        take_early(s, begun);
    }
    *start = *begun;
    *begun = (startup){0};
    start->phases[LAUNCH] = *launch;
    start->package = package;
    start->ipid = ipid;
    start->shown = -1;
    return ipid < 0 ? TS_OK : ts_idmap_put(s->w->ctx, &s->processes, ipid, s->starts.n);
}

static ts_code startup_take(void *self, const marker *m, unsigned phase)
{
    startup_work *s = self;
    const marker_thread t = marker_thread_of(s->w, m->itid);
    const startup_phase p = {.ts = m->ts, .end = TS_NO_TIME, .itid = m->itid, .has = true};
    uint32_t package;
    uint64_t start;
    ts_code code = TS_OK;
    set_source(s, m->source);
    if (phase < EARLY) {
        s->early[phase] = p;
    } else if (phase == TRANSACTION) {
        if (t.ipid >= 0 && ts_idmap_find(&start, &s->processes, t.ipid) &&
            !start_at(s, (size_t)start - 1)->phases[TRANSACTION].has) {
            start_at(s, (size_t)start - 1)->phases[TRANSACTION] = p;
        }
    } else if ((code = package_number(&package, s, package_of(m))) == TS_OK && phase == ATTACH) {
        take_early(s, begun_at(s, package));
        begun_at(s, package)->phases[ATTACH] = p;
    } else if (code == TS_OK) {
        code = add_start(s, &p, t.ipid, package);
    }
    return code;
}

/* --- frames -------------------------------------------------------------------------------- */

typedef struct by_process {
    int64_t ipid;
    int64_t ts;
    size_t start;
} by_process;

static int process_compare(const void *a, const void *b)
{
    const by_process *x = a;
    const by_process *y = b;
    if (x->ipid != y->ipid) {
        return x->ipid < y->ipid ? -1 : 1;
    }
    if (x->ts != y->ts) {
        return x->ts < y->ts ? -1 : 1;
    }
    return x->start < y->start ? -1 : x->start > y->start;
}

enum { F_ID, F_TS, F_DUR, F_TYPE, F_IPID, F_ITID, F_DST, FRAME_COLUMNS };

static const unsigned frame_columns[FRAME_COLUMNS] = {
    [F_ID] = TS_C_frame_slice__id,     [F_TS] = TS_C_frame_slice__ts,
    [F_DUR] = TS_C_frame_slice__dur,   [F_TYPE] = TS_C_frame_slice__type,
    [F_IPID] = TS_C_frame_slice__ipid, [F_ITID] = TS_C_frame_slice__itid,
    [F_DST] = TS_C_frame_slice__dst,
};

static startup_phase frame_phase(const ts_batch *b, unsigned i)
{
    const ts_batch_column *c = b->columns;
    startup_phase p = {.ts = c[F_TS].ints[i], .itid = c[F_ITID].ints[i], .has = true};
    p.end = c[F_DUR].null[i] ? TS_NO_TIME : ts_time_add(p.ts, c[F_DUR].ints[i]);
    return p;
}

/* A frame: the first one of those starts of its process that begin before it and have none. `next`
 * is, by process, 1 + the place of the first start without. */
static ts_code meet_frame(startup_work *s, ts_idmap *next, const by_process *sorted,
                          const ts_batch *b, unsigned i)
{
    const ts_batch_column *c = b->columns;
    int64_t ipid = c[F_IPID].ints[i];
    uint64_t place;
    uint64_t at;
    if (c[F_TYPE].ints[i] != 0 || c[F_TS].null[i] || !ts_idmap_find(&place, next, ipid)) {
        return TS_OK;
    }
    for (at = place - 1;
         at < s->starts.n && sorted[at].ipid == ipid && sorted[at].ts <= c[F_TS].ints[i]; at++) {
        startup *start = start_at(s, sorted[at].start);
        start->phases[FIRST_FRAME] = frame_phase(b, i);
        start->shown = c[F_DST].null[i] ? -1 : c[F_DST].ints[i];
    }
    return at + 1 == place ? TS_OK : ts_idmap_put(s->w->ctx, next, ipid, at + 1);
}

static ts_code scan_frames(startup_work *s, const by_process *sorted)
{
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_idmap next = {0};
    ts_code code = TS_OK;
    for (size_t i = s->starts.n; i > 0 && code == TS_OK; i--) {
        if (sorted[i - 1].ipid >= 0) {
            code = ts_idmap_put(s->w->ctx, &next, sorted[i - 1].ipid, i);
        }
    }
    TS_STEP(code,
            ts_scan_open(&scan, s->w->reader, TS_T_frame_slice, frame_columns, FRAME_COLUMNS));
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = meet_frame(s, &next, sorted, b, i);
        }
    }
    for (size_t i = 0; i < s->starts.n && code == TS_OK; i++) {
        startup *start = start_at(s, i);
        if (start->shown >= 0 && start->shown < INT64_MAX &&
            (code = ts_scan_row(&b, scan, start->shown + 1)) == TS_OK && b->rows == 1 &&
            b->columns[F_ID].ints[0] == start->shown) {
            start->phases[SHOWN_FRAME] = frame_phase(b, 0);
        }
    }
    ts_scan_close(scan);
    ts_idmap_free(s->w->ctx, &next);
    return code;
}

static ts_code read_frames(startup_work *s)
{
    bool any = false;
    by_process *sorted = NULL;
    ts_code code = ts_reader_has_rows(&any, s->w->reader, TS_T_frame_slice);
    if (code != TS_OK || !any) {
        return code;
    }
    TS_NEED(s->w->ctx, sorted = ts_alloc(s->w->ctx, s->starts.n, sizeof *sorted));
    for (size_t i = 0; i < s->starts.n; i++) {
        sorted[i] = (by_process){start_at(s, i)->ipid, start_at(s, i)->phases[LAUNCH].ts, i};
    }
    qsort(sorted, s->starts.n, sizeof *sorted, process_compare);
    code = scan_frames(s, sorted);
    ts_free(s->w->ctx, sorted);
    return code;
}

/* --- rows ---------------------------------------------------------------------------------- */

static ts_code put_phase(startup_work *s, const startup *start, unsigned phase)
{
    const startup_phase *p = &start->phases[phase];
    const marker_thread t = marker_thread_of(s->w, p->itid);
    int64_t end = p->end;
    ts_row_app_startup row = {
        .id = (int64_t)ts_sink_rows(s->w->sink, TS_T_app_startup),
        .call_id = p->itid,
        .ipid = t.ipid,
        .tid = t.tid,
        .start_time = p->ts,
        .start_name = phase,
        .packed_name = ts_pool_text(&s->packages, start->package),
    };
    if (phase < FIRST_FRAME) {
        end = start->phases[phase + 1].has ? start->phases[phase + 1].ts : TS_NO_TIME;
    }
    row.end_time = end;
    row.null |= t.ipid < 0 ? TS_NULL_BIT(app_startup, ipid) : 0;
    row.null |= t.has_tid ? 0 : TS_NULL_BIT(app_startup, tid);
    row.null |= end == TS_NO_TIME || end < p->ts ? TS_NULL_BIT(app_startup, end_time) : 0;
    return ts_put_app_startup(s->w->sink, &row);
}

static ts_code startup_finish(void *self)
{
    startup_work *s = self;
    ts_code code = s->starts.n == 0 ? TS_OK : read_frames(s);
    for (size_t i = 0; i < s->starts.n && code == TS_OK; i++) {
        for (unsigned phase = 0; phase < PHASES && code == TS_OK; phase++) {
            code = start_at(s, i)->phases[phase].has ? put_phase(s, start_at(s, i), phase) : TS_OK;
        }
    }
    return code;
}

static void startup_close(void *self)
{
    startup_work *s = self;
    ts_pool_free(s->w->ctx, &s->packages);
    ts_vec_free(s->w->ctx, &s->begun);
    ts_vec_free(s->w->ctx, &s->starts);
    ts_idmap_free(s->w->ctx, &s->processes);
}

const marker_kind marker_startup = {sizeof(startup_work), startup_take, startup_finish,
                                    startup_close};
