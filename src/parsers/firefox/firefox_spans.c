/*
 * Spans of a thread to rows of stack_slice, in the order of their beginning, longer ones first.
 * Those whose schema is stack based nest: the open ones are those that contain the next one. Of
 * spans that overlap none contains the other, and which called which is not known from there to the
 * end of the last of them. All others are of no thread's stack.
 */
#include "parsers/firefox/firefox.h"

#include "base/alloc.h"

/* A span that is open. */
typedef struct frame {
    int64_t end; /* INT64_MAX: it stays open */
    int64_t row, node;
    int64_t depth;
    int64_t dur, inner; /* dur: TS_NO_TIME: not known */
} frame;

struct fox_spans {
    ts_sorter *sorter;
    ts_vec open;       /* frame */
    size_t doubted;    /* so many of them have no certain time of their own */
    int64_t doubt_end; /* nothing that begins before it has a certain caller */
};

ts_code fox_span_add(fox *f, const fox_span *span)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 3};
    if (f->spans == NULL) {
        TS_NEED(f->ctx, f->spans = ts_zalloc(f->ctx, 1, sizeof *f->spans));
    }
    return ts_sorter_put(&f->spans->sorter, f->ctx, span, sizeof *span, &order, FOX_SORT_MEMORY);
}

void fox_spans_free(fox *f)
{
    if (f->spans != NULL) {
        ts_sorter_close(f->spans->sorter);
        ts_vec_free(f->ctx, &f->spans->open);
        ts_free(f->ctx, f->spans);
        f->spans = NULL;
    }
}

static frame *top_of(const fox_spans *s)
{
    return s->open.n == 0 ? NULL : (frame *)s->open.p + (s->open.n - 1);
}

static ts_code pop(fox *f)
{
    fox_spans *s = f->spans;
    const frame *o = top_of(s);
    const uint64_t self = TS_NULL_BIT(stack_slice, self_dur);
    const bool known = s->open.n > s->doubted;
    const int64_t value = known && o->dur != TS_NO_TIME ? ts_sat_sub(o->dur, o->inner) : 0;
    s->open.n--;
    s->doubted = s->doubted < s->open.n ? s->doubted : s->open.n;
    if (o->dur == TS_NO_TIME) {
        return TS_OK; /* its row was put without one */
    }
    TS_TRY(ts_sink_settle(f->sink, TS_T_stack_slice, o->row, self, &value));
    return known ? TS_OK : ts_sink_invalidate(f->sink, TS_T_stack_slice, o->row, o->row, self);
}

static ts_code put_detail(fox *f, const fox_span *span, int64_t slice)
{
    ts_row_firefox_slice row = {
        .slice_id = slice,
        .marker_id = span->marker,
        .end_marker_id = span->end_marker,
        .async = span->nested ? 0 : 1,
    };
    TS_NULL_IF(span->end_marker == 0, firefox_slice, &row, end_marker_id);
    f->n.slices++;
    return ts_put_firefox_slice(f->sink, &row);
}

static ts_code put_slice(fox *f, const fox_thread *t, const fox_span *span, const frame *parent,
                         bool doubted, frame *o)
{
    const bool nested = span->nested != 0;
    bool added;
    ts_row_stack_slice row = {
        .id = (int64_t)ts_sink_rows(f->sink, TS_T_stack_slice) + 1,
        .source_id = f->source_id,
        .itid = t->itid,
        .parent_id = parent == NULL ? 0 : parent->row,
        .ts = (int64_t)ts_sorter_key((int64_t)span->key[0]),
        .dur = span->dur,
        .depth = parent == NULL ? 0 : parent->depth + 1,
        .state = span->dur == TS_NO_TIME ? 1 : 0,
    };
    const bool late = nested && !doubted && span->dur != TS_NO_TIME;
    *o = (frame){.row = row.id, .depth = row.depth, .dur = span->dur};
    o->end = span->dur == TS_NO_TIME ? INT64_MAX : ts_sat_add(row.ts, span->dur);
    if (!doubted) {
        TS_TRY(ts_stack_node(&o->node, &added, f->store, f->source_id,
                             parent == NULL ? 0 : parent->node, span->method, TS_NO_LINE, row.depth,
                             NULL));
    }
    row.node_id = o->node;
    TS_SET_NULL(stack_slice, &row, cpu_dur);
    TS_NULL_IF(!nested, stack_slice, &row, itid);
    TS_NULL_IF(parent == NULL, stack_slice, &row, parent_id);
    TS_NULL_IF(doubted || !nested, stack_slice, &row, depth);
    TS_NULL_IF(doubted, stack_slice, &row, node_id);
    TS_NULL_IF(span->dur == TS_NO_TIME, stack_slice, &row, dur);
    TS_NULL_IF(!late, stack_slice, &row, self_dur);
    if (nested) {
        ts_count_slice(f->store, t->itid);
    }
    TS_TRY(
        late ? ts_sink_reserve(f->sink, TS_T_stack_slice, &row, TS_NULL_BIT(stack_slice, self_dur))
             : ts_put_stack_slice(f->sink, &row));
    return put_detail(f, span, row.id);
}

static ts_code put_nested(fox *f, const fox_thread *t, const fox_span *span)
{
    fox_spans *s = f->spans;
    const int64_t begin = (int64_t)ts_sorter_key((int64_t)span->key[0]);
    const bool open = span->dur == TS_NO_TIME;
    const int64_t end = open ? INT64_MAX : ts_sat_add(begin, span->dur);
    bool doubted = begin < s->doubt_end;
    frame *parent;
    frame o;
    while (s->open.n > 0 && top_of(s)->end <= begin) {
        TS_TRY(pop(f));
    }
    parent = top_of(s);
    if (!doubted && parent != NULL && end > parent->end) {
        doubted = true;
    }
    if (doubted) {
        f->n.crossing++;
        s->doubted = s->open.n;
        s->doubt_end = !open && end > s->doubt_end ? end : s->doubt_end;
        return put_slice(f, t, span, NULL, true, &o);
    }
    TS_TRY(put_slice(f, t, span, parent, false, &o));
    if (parent != NULL && !open) {
        parent->inner = ts_sat_add(parent->inner, span->dur);
    }
    return ts_vec_push(f->ctx, &s->open, &o, sizeof o);
}

ts_code fox_spans_write(fox *f, const fox_thread *t)
{
    fox_spans *s = f->spans;
    const void *record = NULL;
    frame unused;
    ts_code code;
    if (s == NULL) {
        return TS_OK;
    }
    s->doubted = 0;
    s->doubt_end = INT64_MIN;
    code = ts_sorter_finish(s->sorter);
    while (code == TS_OK && (code = ts_sorter_next(&record, s->sorter)) == TS_OK &&
           record != NULL) {
        const fox_span *span = record;
        code = span->nested ? put_nested(f, t, span) : put_slice(f, t, span, NULL, false, &unused);
    }
    while (code == TS_OK && s->open.n > 0) {
        code = pop(f);
    }
    fox_spans_free(f);
    return code;
}
