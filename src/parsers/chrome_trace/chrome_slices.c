/*
 * Spans in the order of their beginning, longer ones first, to rows of stack_slice: the open spans
 * of a thread are those that contain the next one.
 *
 * The own time of a span is known when the last one in it is. Rows wait in a ring; most are
 * complete when they leave it, the others are completed where they are.
 */
#include "parsers/chrome_trace/chrome_trace.h"

#include "base/alloc.h"

/* AROUND_MAX: spans that begin at one moment are looked at one by one. */
enum { RING = 512, AROUND_MAX = 1000 };

/* An open span. */
typedef struct chrome_frame {
    int64_t begin, end; /* end: INT64_MAX for one that stays open; never after that of its parent */
    int64_t row;
    int64_t node;
    int64_t inner;   /* ns in what it called */
    int64_t covered; /* up to here it is in inner */
    int64_t dur;     /* TS_NO_TIME: not known */
    uint64_t event_id;
    int64_t end_event_id;
    uint32_t parent; /* its place + 1 */
    uint32_t depth;
    bool path_known; /* node and depth */
    bool lost;       /* its end: it may have been over before */
} chrome_frame;

typedef struct ring_entry {
    ts_row_stack_slice row;
    bool open; /* self_dur is not known yet */
} ring_entry;

struct chrome_slices {
    ts_sorter *sorter;
    bool any;
    int64_t base;    /* rows of stack_slice before */
    int64_t next;    /* rows made, of this trace */
    int64_t written; /* rows that left the ring */
    uint64_t group;
    chrome_track async;
    ring_entry ring[RING];
};

ts_code chrome_slices_open(chrome_trace *c)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 5};
    TS_NEED(c->ctx, c->slices = ts_zalloc(c->ctx, 1, sizeof *c->slices));
    return ts_sorter_open(&c->slices->sorter, c->ctx, sizeof(chrome_slice), &order,
                          CHROME_SLICE_MEMORY);
}

void chrome_slices_close(chrome_trace *c)
{
    if (c->slices != NULL) {
        ts_sorter_close(c->slices->sorter);
        ts_vec_free(c->ctx, &c->slices->async.frames);
        ts_free(c->ctx, c->slices);
        c->slices = NULL;
    }
}

ts_code chrome_slice_add(chrome_trace *c, const chrome_slice *slice)
{
    c->slices->any = true;
    return ts_sorter_add(c->slices->sorter, slice);
}

static int64_t time_of(uint64_t key)
{
    return (int64_t)(key ^ UINT64_C(1) << 63);
}

/* --- rows ------------------------------------------------------------------------------------ */

static ring_entry *ring_at(chrome_slices *s, int64_t row)
{
    return &s->ring[(uint64_t)row % RING];
}

/* The oldest row leaves the ring. */
static ts_code write_row(chrome_trace *c)
{
    chrome_slices *s = c->slices;
    ring_entry *entry = ring_at(s, s->written + 1);
    s->written++;
    return entry->open ? ts_sink_reserve(c->sink, TS_T_stack_slice, &entry->row,
                                         UINT64_C(1) << TS_C_stack_slice__self_dur)
                       : ts_put_stack_slice(c->sink, &entry->row);
}

static ts_code make_row(chrome_trace *c, const ts_row_stack_slice *row)
{
    chrome_slices *s = c->slices;
    ts_code code = s->next - s->written == RING ? write_row(c) : TS_OK;
    ring_entry *entry;
    s->next++;
    if ((row->null & TS_NULL_BIT(stack_slice, itid)) == 0) {
        ts_count_slice(c->store, row->itid);
    }
    entry = ring_at(s, s->next);
    entry->row = *row;
    entry->row.id = s->base + s->next;
    entry->open = (row->null & TS_NULL_BIT(stack_slice, self_dur)) == 0;
    return code;
}

/* self: TS_NO_TIME when it is not known. */
static ts_code set_self(chrome_trace *c, int64_t row, int64_t self)
{
    chrome_slices *s = c->slices;
    ring_entry *entry = ring_at(s, row);
    if (row > s->written) {
        entry->open = false;
        entry->row.self_dur = self;
        TS_NULL_IF(self == TS_NO_TIME, stack_slice, &entry->row, self_dur);
        return TS_OK;
    }
    row += s->base;
    if (self != TS_NO_TIME) {
        return ts_sink_settle(c->sink, TS_T_stack_slice, row,
                              UINT64_C(1) << TS_C_stack_slice__self_dur, &self);
    }
    ts_sink_release(c->sink, TS_T_stack_slice, row);
    return ts_sink_invalidate(c->sink, TS_T_stack_slice, row, row,
                              TS_NULL_BIT(stack_slice, self_dur));
}

/* --- tracks ---------------------------------------------------------------------------------- */

static chrome_frame *frame_at(const chrome_track *t, size_t i)
{
    return (chrome_frame *)t->frames.p + i;
}

static ts_code pop_frame(chrome_trace *c, chrome_track *t)
{
    const chrome_frame *f = frame_at(t, t->frames.n - 1);
    bool known = t->frames.n > t->doubted;
    t->frames.n--;
    t->doubted = t->doubted < t->frames.n ? t->doubted : t->frames.n;
    if (f->dur == TS_NO_TIME) {
        return TS_OK; /* its row was made without an own time */
    }
    return set_self(c, f->row, known ? f->dur - f->inner : TS_NO_TIME);
}

static ts_code end_track(chrome_trace *c, chrome_track *t)
{
    ts_code code = TS_OK;
    while (code == TS_OK && t->frames.n > 0) {
        code = pop_frame(c, t);
    }
    ts_vec_free(c->ctx, &t->frames);
    *t = (chrome_track){.doubt_end = INT64_MIN};
    return code;
}

/* Both have two events, and those of `s` are between those of `f`. */
static bool is_between(const chrome_frame *f, const chrome_slice *s)
{
    return f->end_event_id != 0 && f->event_id < s->event_id &&
           (chrome_slice_end_event(s) == 0 ? s->event_id < (uint64_t)f->end_event_id
                                           : chrome_slice_end_event(s) < f->end_event_id);
}

/* Was f over when s began? An empty span where f ends may belong to it. */
static bool is_over(const chrome_frame *f, const chrome_slice *s, int64_t begin, int64_t end)
{
    return f->end < begin || (f->end == begin && !(end == begin && is_between(f, s)));
}

/* What a span is inside of. */
typedef struct place {
    int64_t begin, end;
    size_t parent; /* place of the frame + 1; 0: none */
    bool doubted;  /* not known */
} place;

/* Rounding to µs may make a span end up to 1 µs after the one around it. */
static int64_t tolerance(const chrome_slice *s)
{
    return (s->end & CHROME_SLICE_FINE) != 0 ? 1 : 1000;
}

/* Empty spans that ended before f began are after it in the order: f is not around them. */
static void find_around(place *at, const chrome_track *t, const chrome_slice *s)
{
    size_t i = t->frames.n;
    unsigned steps = 0;
    while (i > 0 && at->begin == at->end && chrome_slice_end_event(s) != 0) {
        const chrome_frame *f = frame_at(t, i - 1);
        if (f->begin != at->begin || f->end_event_id == 0 || f->event_id < s->event_id) {
            break;
        }
        i = f->parent;
        at->doubted = at->doubted || ++steps == AROUND_MAX;
        if (at->doubted) {
            return;
        }
    }
    at->parent = i;
}

static ts_code find_place(place *at, chrome_trace *c, chrome_track *t, chrome_slice *s)
{
    int64_t more = tolerance(s);
    ts_code code = TS_OK;
    at->parent = 0;
    at->doubted = false;
    while (code == TS_OK && t->frames.n > 0) {
        const chrome_frame *f = frame_at(t, t->frames.n - 1);
        bool beyond = at->end > ts_sat_add(f->end, more);
        if (!is_over(f, s, at->begin, at->end) &&
            !(beyond && at->end != INT64_MAX && ts_sat_add(at->begin, more) >= f->end)) {
            break;
        }
        code = pop_frame(c, t);
    }
    if (code != TS_OK || at->begin < t->doubt_end) {
        at->doubted = true;
        return code;
    }
    if (t->frames.n > 0) {
        const chrome_frame *f = frame_at(t, t->frames.n - 1);
        if (at->end == INT64_MAX && f->end != INT64_MAX) { /* open, and the one around it is not */
            s->end = (s->end & ~(uint64_t)CHROME_SLICE_OPEN) | CHROME_SLICE_LOST;
            at->end = f->end;
            c->n.ends++;
            c->n.ends_lost++;
            c->n.ends_missing++;
        }
        at->doubted = at->end > ts_sat_add(f->end, more);
        at->end = at->end > f->end && !at->doubted ? f->end : at->end;
        find_around(at, t, s);
    }
    return TS_OK;
}

/* --- spans ----------------------------------------------------------------------------------- */

static ts_code find_node(int64_t *node, chrome_trace *c, uint32_t name, const chrome_frame *parent)
{
    int64_t *method = NULL;
    bool added;
    ts_method m = {.name = TS_TEXT_NULL};
    *node = 0;
    if (name != CHROME_NO_NAME) {
        if (c->methods.n <= name) {
            size_t more = c->names.count - c->methods.n;
            TS_TRY(ts_vec_reserve(c->ctx, &c->methods, more, sizeof *method));
            memset((int64_t *)c->methods.p + c->methods.n, 0, more * sizeof *method);
            c->methods.n += more;
        }
        method = (int64_t *)c->methods.p + name;
        if (*method == 0) {
            m.name = ts_pool_text(&c->names, name);
            TS_TRY(ts_stack_method(method, c->store, c->source_id, &m));
        }
    }
    return ts_stack_node(node, &added, c->store, c->source_id, parent == NULL ? 0 : parent->node,
                         method == NULL ? 0 : *method, TS_NO_LINE,
                         parent == NULL ? 0 : (int64_t)parent->depth + 1, NULL);
}

static ts_code put_chrome_slice(chrome_trace *c, const chrome_slice *s)
{
    ts_row_chrome_slice row = {
        .slice_id = c->slices->base + c->slices->next,
        .event_id = (int64_t)s->event_id,
        .end_event_id = chrome_slice_end_event(s),
        .async = s->group != 0,
    };
    TS_NULL_IF(chrome_slice_end_event(s) == 0, chrome_slice, &row, end_event_id);
    return ts_put_chrome_slice(c->sink, &row);
}

/* The row of a span at its place; f: what it is to those inside of it. */
static ts_code put_span(chrome_trace *c, const chrome_slice *s, const place *at,
                        const chrome_frame *parent, chrome_frame *f)
{
    const chrome_thread *thread = chrome_thread_at(c, s->thread);
    bool certain = !at->doubted && (parent == NULL || !parent->lost);
    ts_row_stack_slice row = {
        .source_id = c->source_id,
        .itid = s->group != 0 ? -1 : thread->itid,
        .ts = at->begin,
        .cpu_dur = s->cpu,
        .state = (s->end & CHROME_SLICE_OPEN) != 0   ? 1
                 : (s->end & CHROME_SLICE_LOST) != 0 ? 2
                                                     : 0,
    };
    ts_code code = TS_OK;
    f->path_known = certain && (parent == NULL || parent->path_known);
    if (f->path_known) {
        code = find_node(&f->node, c, s->name, parent);
        f->depth = parent == NULL ? 0 : parent->depth + 1;
    }
    row.node_id = f->node;
    row.depth = f->depth;
    row.dur = f->dur;
    TS_NULL_IF(row.itid < 0, stack_slice, &row, itid);
    TS_NULL_IF(s->cpu == TS_NO_TIME, stack_slice, &row, cpu_dur);
    row.null |=
        f->path_known ? 0 : TS_NULL_BIT(stack_slice, node_id) | TS_NULL_BIT(stack_slice, depth);
    TS_NULL_IF(f->dur == TS_NO_TIME, stack_slice, &row, dur);
    TS_NULL_IF(f->dur == TS_NO_TIME || at->doubted, stack_slice, &row, self_dur);
    if (certain && parent != NULL) {
        row.parent_id = c->slices->base + parent->row;
    } else {
        TS_SET_NULL(stack_slice, &row, parent_id);
    }
    TS_STEP(code, make_row(c, &row));
    f->row = c->slices->next;
    TS_STEP(code, put_chrome_slice(c, s));
    return code;
}

/* Rounded times of neighbours may overlap. */
static void add_inner(chrome_frame *f, const place *at)
{
    int64_t from = at->begin > f->covered ? at->begin : f->covered;
    if (at->end > from) {
        f->inner = ts_sat_add(f->inner, ts_sat_sub(at->end, from));
        f->covered = at->end;
    }
}

static ts_code add_to_track(chrome_trace *c, chrome_track *t, chrome_slice *s)
{
    place at = {.begin = time_of(s->ts)};
    chrome_frame f = {.event_id = s->event_id, .end_event_id = chrome_slice_end_event(s)};
    chrome_frame *frame;
    uint64_t length = UINT64_MAX - s->length;
    ts_code code;
    at.end =
        s->length == 0 || length > INT64_MAX ? INT64_MAX : ts_sat_add(at.begin, (int64_t)length);
    f.dur = (s->end & (CHROME_SLICE_OPEN | CHROME_SLICE_LOST)) != 0 || length > INT64_MAX
                ? TS_NO_TIME
                : (int64_t)length;
    TS_TRY_INTO(code, find_place(&at, c, t, s));
    f.lost = (s->end & CHROME_SLICE_LOST) != 0;
    f.begin = at.begin;
    f.covered = at.begin;
    f.end = at.end;
    f.parent = (uint32_t)at.parent;
    c->n.frames_open += (s->end & CHROME_SLICE_OPEN) != 0 ? 1 : 0;
    code = put_span(c, s, &at, at.parent == 0 ? NULL : frame_at(t, at.parent - 1), &f);
    if (at.doubted) {
        c->n.crossing++;
        t->doubt_end = at.end > t->doubt_end ? at.end : t->doubt_end;
        t->doubted = t->frames.n;
        return code;
    }
    if (code != TS_OK || t->frames.n >= UINT32_MAX ||
        (frame = ts_vec_add(c->ctx, &t->frames, sizeof *frame)) == NULL) {
        return code != TS_OK ? code : c->ctx->error.code;
    }
    *frame = f;
    if (at.parent != 0) {
        add_inner(frame_at(t, at.parent - 1), &at);
    }
    if (f.lost) { /* how much of its time those around it had is not known */
        t->doubted = t->frames.n;
    }
    return TS_OK;
}

/* --- all of them ----------------------------------------------------------------------------- */

static ts_code take_slice(chrome_trace *c, const chrome_slice *record)
{
    chrome_slices *s = c->slices;
    chrome_slice slice = *record;
    ts_code code = TS_OK;
    if (slice.group == 0) {
        return add_to_track(c, &chrome_thread_at(c, slice.thread)->track, &slice);
    }
    if (slice.group != s->group) {
        code = end_track(c, &s->async);
        s->group = slice.group;
    }
    TS_STEP(code, add_to_track(c, &s->async, &slice));
    return code;
}

ts_code chrome_slices_finish(chrome_trace *c)
{
    chrome_slices *s = c->slices;
    const void *record = NULL;
    ts_code code = s->any ? ts_sorter_finish(s->sorter) : TS_OK;
    s->base = (int64_t)ts_sink_rows(c->sink, TS_T_stack_slice);
    s->async.doubt_end = INT64_MIN;
    while (code == TS_OK && s->any && (code = ts_sorter_next(&record, s->sorter)) == TS_OK &&
           record != NULL) {
        code = take_slice(c, record);
    }
    TS_STEP(code, end_track(c, &s->async));
    for (uint32_t i = 0; i < c->threads.n && code == TS_OK; i++) {
        code = end_track(c, &chrome_thread_at(c, i)->track);
    }
    while (code == TS_OK && s->written < s->next) {
        code = write_row(c);
    }
    return code;
}
