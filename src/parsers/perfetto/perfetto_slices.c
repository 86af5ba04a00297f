/*
 * Begins and ends to rows of stack_slice. On each track an end closes the slice that began last and
 * is open, so that slices of a track nest. Pairs are matched track by track, and what is closed is
 * sorted once more: rows are in the order of their beginning, callers first.
 *
 * What is open when packets of the sequence are missing that the track's last event came from may
 * have ended there: its end is lost.
 */
#include "parsers/perfetto/perfetto.h"

#include "base/alloc.h"

typedef enum slice_state { SLICE_CLOSED, SLICE_OPEN, SLICE_LOST } slice_state;

/* A slice that is open, while pairs are matched. */
typedef struct open_slice {
    perfetto_pair begin;
    uint64_t inner; /* ns in those inside of it */
    int64_t ts;
    bool inner_known;
} open_slice;

/* A slice, and how slices are sorted. */
typedef struct slice {
    uint64_t ts; /* key */
    uint64_t class;
    uint64_t order;
    uint64_t depth; /* among those that are rows */
    int64_t event_id, end_event_id;
    int64_t dur, self, cpu; /* TS_NO_TIME: not known */
    uint32_t track, name;
    uint64_t state;
} slice;

/* What a row is to those inside of it. */
typedef struct frame {
    int64_t row, node;
} frame;

struct perfetto_slices {
    ts_sorter *sorter;
    ts_vec open;   /* open_slice, of the track */
    ts_vec depths; /* uint64_t: of each of them, rows around it */
    uint64_t track;
    uint32_t sequence, losses; /* of the track's last event */
    uint64_t order;            /* of the last one that is no whole slice */
    bool any, any_slice;
    ts_vec methods; /* int64_t, by name: id of stack_method, or 0 */
    int64_t base;
};

ts_code perfetto_slices_open(perfetto *p)
{
    static const ts_sorter_order pairs = {.key_offset = 0, .key_count = 4};
    static const ts_sorter_order slices = {.key_offset = 0, .key_count = 3};
    TS_NEED(p->ctx, p->slices = ts_zalloc(p->ctx, 1, sizeof *p->slices));
    TS_TRY(ts_sorter_open(&p->pairs_sorter, p->ctx, sizeof(perfetto_pair), &pairs,
                          PERFETTO_PAIR_MEMORY));
    return ts_sorter_open(&p->slices->sorter, p->ctx, sizeof(slice), &slices,
                          PERFETTO_SLICE_MEMORY);
}

void perfetto_slices_close(perfetto *p)
{
    ts_sorter_close(p->pairs_sorter);
    p->pairs_sorter = NULL;
    if (p->slices != NULL) {
        ts_sorter_close(p->slices->sorter);
        ts_vec_free(p->ctx, &p->slices->open);
        ts_vec_free(p->ctx, &p->slices->depths);
        ts_vec_free(p->ctx, &p->slices->methods);
        ts_free(p->ctx, p->slices);
        p->slices = NULL;
    }
}

ts_code perfetto_pair_add(perfetto *p, const perfetto_pair *pair)
{
    p->any_pair = true;
    return ts_sorter_add(p->pairs_sorter, pair);
}

/* --- matching -------------------------------------------------------------------------------- */

static open_slice *open_at(const perfetto_slices *s, size_t i)
{
    return (open_slice *)s->open.p + i;
}

/* The one around it has this much less time of its own. */
static void add_inner(perfetto_slices *s, int64_t dur)
{
    open_slice *outer = s->open.n == 0 ? NULL : open_at(s, s->open.n - 1);
    if (outer != NULL) {
        outer->inner_known = outer->inner_known && dur != TS_NO_TIME &&
                             !ts_ckd_add(&outer->inner, outer->inner, (uint64_t)dur);
    }
}

/* The innermost open slice is over. end: NULL: it was not seen. */
static ts_code close_slice(perfetto *p, const perfetto_pair *end, slice_state state)
{
    perfetto_slices *s = p->slices;
    const open_slice *o = open_at(s, s->open.n - 1);
    slice x = {
        .ts = o->begin.ts,
        .class = o->begin.class,
        .order = o->begin.order,
        .depth = ((const uint64_t *)s->depths.p)[s->open.n - 1],
        .event_id = o->begin.event_id,
        .end_event_id = end == NULL ? 0 : end->event_id,
        .dur = TS_NO_TIME,
        .self = TS_NO_TIME,
        .cpu = TS_NO_TIME,
        .track = (uint32_t)o->begin.track,
        .name = o->begin.name,
        .state = state,
    };
    if (o->begin.type == PERFETTO_COMPLETE) {
        x.dur = o->begin.dur;
        x.state = SLICE_CLOSED;
    } else if (end != NULL) {
        uint64_t dur = end->ts - o->begin.ts;
        x.dur = dur > INT64_MAX ? TS_NO_TIME : (int64_t)dur;
        if (o->begin.thread_ts != TS_NO_TIME && end->thread_ts >= o->begin.thread_ts) {
            x.cpu = end->thread_ts - o->begin.thread_ts;
        }
    }
    if (x.dur != TS_NO_TIME && o->inner_known) {
        bool crossing = o->inner > (uint64_t)x.dur;
        x.self = crossing ? TS_NO_TIME : x.dur - (int64_t)o->inner;
        p->n.crossing += crossing;
    }
    p->n.frames_open += x.state == SLICE_OPEN;
    p->n.frames_lost += x.state == SLICE_LOST;
    s->open.n--;
    s->depths.n--;
    add_inner(s, x.dur);
    if (x.event_id == 0) {
        p->n.slices_skipped++;
        return TS_OK;
    }
    s->any_slice = true;
    return ts_sorter_add(s->sorter, &x);
}

static ts_code close_all(perfetto *p, slice_state state)
{
    ts_code code = TS_OK;
    while (code == TS_OK && p->slices->open.n > 0) {
        code = close_slice(p, NULL, state);
    }
    return code;
}

/* Whole slices on top that are over at this time. */
static ts_code close_over(perfetto *p, uint64_t ts)
{
    perfetto_slices *s = p->slices;
    ts_code code = TS_OK;
    while (code == TS_OK && s->open.n > 0) {
        const perfetto_pair *b = &open_at(s, s->open.n - 1)->begin;
        if (b->type != PERFETTO_COMPLETE || ts - b->ts < (uint64_t)b->dur) {
            break;
        }
        code = close_slice(p, NULL, SLICE_CLOSED);
    }
    return code;
}

static ts_code begin_slice(perfetto *p, const perfetto_pair *b)
{
    perfetto_slices *s = p->slices;
    open_slice o = {.begin = *b, .inner_known = true};
    uint64_t depth = 0;
    if (s->open.n > 0) {
        open_slice *outer = open_at(s, s->open.n - 1);
        uint64_t left = (uint64_t)outer->begin.dur - (b->ts - outer->begin.ts);
        depth = ((const uint64_t *)s->depths.p)[s->open.n - 1] + (outer->begin.event_id != 0);
        if (b->type == PERFETTO_COMPLETE && outer->begin.type == PERFETTO_COMPLETE &&
            (uint64_t)b->dur > left) {
            outer->inner_known = false;
            p->n.crossing++;
        }
    }
    TS_TRY(ts_vec_push(p->ctx, &s->open, &o, sizeof o));
    return ts_vec_push(p->ctx, &s->depths, &depth, sizeof depth);
}

/* Slices that are whole do not end by an event: one that ends closes the innermost other one. */
static ts_code end_slice(perfetto *p, const perfetto_pair *end)
{
    perfetto_slices *s = p->slices;
    ts_code code = TS_OK;
    while (code == TS_OK && s->open.n > 0 &&
           open_at(s, s->open.n - 1)->begin.type == PERFETTO_COMPLETE) {
        code = close_slice(p, NULL, SLICE_CLOSED);
    }
    if (code != TS_OK) {
        return code;
    }
    if (s->open.n == 0) {
        p->n.ends_unmatched++;
        return TS_OK;
    }
    return close_slice(p, end, SLICE_CLOSED);
}

static ts_code end_track(perfetto *p)
{
    const perfetto_slices *s = p->slices;
    bool lost = s->open.n > 0 && s->losses != perfetto_losses(p, s->sequence);
    return close_all(p, lost ? SLICE_LOST : SLICE_OPEN);
}

/* Whether the end of what is open may be missing before this event: packets of the sequence are, or
 * parts of a damaged file have changed places, so that what follows in time is elsewhere. */
static bool lost_before(const perfetto *p, const perfetto_pair *x)
{
    const perfetto_slices *s = p->slices;
    return s->sequence == x->sequence &&
           (s->losses != x->losses ||
            (p->damages > 0 && x->type != PERFETTO_COMPLETE && x->order < s->order));
}

static ts_code match(perfetto *p, const perfetto_pair *x)
{
    perfetto_slices *s = p->slices;
    ts_code code = TS_OK;
    if (!s->any || x->track != s->track) {
        code = s->any ? end_track(p) : TS_OK;
        s->any = true;
        s->track = x->track;
        s->order = 0;
    } else if (lost_before(p, x)) {
        code = close_over(p, x->ts);
        TS_STEP(code, close_all(p, SLICE_LOST));
    }
    s->sequence = x->sequence;
    s->losses = x->losses;
    s->order = x->type == PERFETTO_COMPLETE ? s->order : x->order;
    TS_STEP(code, close_over(p, x->ts));
    if (code != TS_OK) {
        return code;
    }
    return x->type == PERFETTO_END ? end_slice(p, x) : begin_slice(p, x);
}

/* --- rows ------------------------------------------------------------------------------------ */

static ts_code find_node(int64_t *node, perfetto *p, uint32_t name, int64_t parent, uint64_t depth)
{
    perfetto_slices *s = p->slices;
    ts_method m = {.name = perfetto_text(p, name)};
    int64_t *method = NULL;
    bool added;
    if (name != PERFETTO_NONE) {
        if (s->methods.n <= name) {
            size_t more = p->texts.count - s->methods.n;
            TS_TRY(ts_vec_reserve(p->ctx, &s->methods, more, sizeof *method));
            memset((int64_t *)s->methods.p + s->methods.n, 0, more * sizeof *method);
            s->methods.n += more;
        }
        method = (int64_t *)s->methods.p + name;
        if (*method == 0) {
            TS_TRY(ts_stack_method(method, p->store, p->source_id, &m));
        }
    }
    return ts_stack_node(node, &added, p->store, p->source_id, parent, method == NULL ? 0 : *method,
                         TS_NO_LINE, (int64_t)depth, NULL);
}

static ts_code put_detail(perfetto *p, const slice *x, int64_t id)
{
    ts_row_perfetto_slice row = {
        .slice_id = id,
        .event_id = x->event_id,
        .end_event_id = x->end_event_id,
        .track_id = p->track_base + x->track + 1,
    };
    TS_NULL_IF(x->end_event_id == 0, perfetto_slice, &row, end_event_id);
    return ts_put_perfetto_slice(p->sink, &row);
}

static ts_code put_slice(perfetto *p, const slice *x)
{
    perfetto_track *t = perfetto_track_at(p, x->track);
    const frame *outer;
    frame f = {.row = (int64_t)ts_sink_rows(p->sink, TS_T_stack_slice) + 1};
    ts_row_stack_slice row = {
        .id = f.row,
        .source_id = p->source_id,
        .itid = t->itid,
        .ts = (int64_t)(x->ts ^ UINT64_C(1) << 63),
        .dur = x->dur,
        .self_dur = x->self,
        .cpu_dur = x->cpu,
        .depth = (int64_t)x->depth,
        .state = (int64_t)x->state,
    };
    if (x->depth > t->frames.n) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL, "a slice comes before the one around it");
    }
    outer = x->depth == 0 ? NULL : (const frame *)t->frames.p + (x->depth - 1);
    row.parent_id = outer == NULL ? 0 : outer->row;
    TS_TRY(find_node(&f.node, p, x->name, outer == NULL ? 0 : outer->node, x->depth));
    row.node_id = f.node;
    TS_NULL_IF(row.itid < 0, stack_slice, &row, itid);
    TS_NULL_IF(outer == NULL, stack_slice, &row, parent_id);
    TS_NULL_IF(x->dur == TS_NO_TIME, stack_slice, &row, dur);
    TS_NULL_IF(x->self == TS_NO_TIME, stack_slice, &row, self_dur);
    TS_NULL_IF(x->cpu == TS_NO_TIME, stack_slice, &row, cpu_dur);
    if (t->itid >= 0) {
        ts_count_slice(p->store, t->itid);
    }
    t->frames.n = (size_t)x->depth;
    TS_TRY(ts_vec_push(p->ctx, &t->frames, &f, sizeof f));
    TS_TRY(ts_put_stack_slice(p->sink, &row));
    return put_detail(p, x, row.id);
}

ts_code perfetto_slices_finish(perfetto *p)
{
    perfetto_slices *s = p->slices;
    const void *record = NULL;
    ts_code code = p->any_pair ? ts_sorter_finish(p->pairs_sorter) : TS_OK;
    while (code == TS_OK && p->any_pair &&
           (code = ts_sorter_next(&record, p->pairs_sorter)) == TS_OK && record != NULL) {
        code = match(p, record);
    }
    TS_STEP(code, end_track(p));
    ts_sorter_close(p->pairs_sorter);
    p->pairs_sorter = NULL;
    TS_STEP_IF(code, s->any_slice, ts_sorter_finish(s->sorter));
    while (code == TS_OK && s->any_slice && (code = ts_sorter_next(&record, s->sorter)) == TS_OK &&
           record != NULL) {
        code = put_slice(p, record);
    }
    ts_stack_release(p->store, p->source_id);
    return code;
}
