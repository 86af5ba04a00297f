/*
 * Markers of a thread as rows, and those that take time as spans. A start and an end are two
 * markers: the end belongs to the innermost open start of its name. Older profiles have only a
 * time, and their data say the rest.
 */
#include "parsers/firefox/firefox.h"

#include "base/idmap.h"

enum { M_NAME, M_START, M_END, M_PHASE, M_CATEGORY, M_DATA, M_TIME, M_COLUMNS };
enum { PHASE_INSTANT, PHASE_INTERVAL, PHASE_START, PHASE_END };

/* A start that has no end yet. */
typedef struct opening {
    size_t before; /* the one around it of the same name + 1; 0: none */
    fox_span span;
    int64_t ts;
    bool closed;
} opening;

typedef struct marking {
    fox *f;
    const fox_thread *t;
    const fox_rows *r;
    bool old; /* a time only */
    fox_data data;
    ts_vec open;   /* opening */
    ts_idmap last; /* by number of a name: place in `open` + 1 */
} marking;

typedef struct marker {
    int64_t id, name, phase, start, end, method;
} marker;

static ts_code span_key(fox_span *span, marking *m, const marker *x)
{
    const ts_text type = ts_buf_text(&m->data.type);
    fox *f = m->f;
    uint32_t id;
    *span = (fox_span){.key = {ts_sorter_key(x->start), 0, (uint64_t)x->id},
                       .marker = x->id,
                       .dur = TS_NO_TIME,
                       .method = x->method};
    if (!m->data.has_type) {
        return TS_OK;
    }
    f->scratch.n = 0;
    TS_TRY(ts_buf_put(f->ctx, &f->scratch, type.p, type.n));
    TS_TRY(ts_buf_putc(f->ctx, &f->scratch, '\2'));
    span->nested = ts_pool_find(&id, &f->schemas, ts_buf_text(&f->scratch)) ? 1 : 0;
    return TS_OK;
}

/* The span takes this long, or is open. */
static ts_code add_span(marking *m, fox_span *span, int64_t start, int64_t end)
{
    if (end != TS_NO_TIME && end < start) {
        m->f->n.bad_times++;
        return TS_OK;
    }
    span->dur = end == TS_NO_TIME ? TS_NO_TIME : ts_sat_sub(end, start);
    span->key[1] = span->dur == TS_NO_TIME ? 0 : UINT64_MAX - (uint64_t)span->dur;
    return fox_span_add(m->f, span);
}

static ts_code begin_span(marking *m, const marker *x)
{
    opening o = {.ts = x->start};
    uint64_t before = 0;
    TS_TRY(span_key(&o.span, m, x));
    (void)ts_idmap_find(&before, &m->last, x->name);
    o.before = (size_t)before;
    TS_TRY(ts_vec_push(m->f->ctx, &m->open, &o, sizeof o));
    return ts_idmap_put(m->f->ctx, &m->last, x->name, m->open.n);
}

static ts_code end_span(marking *m, const marker *x)
{
    uint64_t at = 0;
    opening *o;
    if (!ts_idmap_find(&at, &m->last, x->name) || at == 0) {
        m->f->n.ends_unmatched++; /* it began before the recording */
        return TS_OK;
    }
    o = (opening *)m->open.p + (at - 1);
    o->closed = true;
    o->span.end_marker = x->id;
    TS_TRY(ts_idmap_put(m->f->ctx, &m->last, x->name, o->before));
    TS_TRY(add_span(m, &o->span, o->ts, x->end));
    while (m->open.n > 0 && ((const opening *)m->open.p)[m->open.n - 1].closed) {
        m->open.n--;
    }
    return TS_OK;
}

static ts_code end_all(marking *m)
{
    for (size_t i = 0; i < m->open.n; i++) {
        opening *o = (opening *)m->open.p + i;
        if (!o->closed) {
            m->f->n.open++;
            TS_TRY(add_span(m, &o->span, o->ts, TS_NO_TIME));
        }
    }
    return TS_OK;
}

/* --- rows --------------------------------------------------------------------------------------
 */

/* When it began and ended, and what it is. */
static void read_times(marker *x, marking *m)
{
    const fox_rows *r = m->r;
    const fox_cell *phase = fox_rows_cell(r, M_PHASE);
    if (!m->old) {
        x->phase = phase->tag == FOX_INT && phase->i >= PHASE_INSTANT && phase->i <= PHASE_END
                       ? phase->i
                       : FOX_NONE;
        m->f->n.bad_numbers += x->phase == FOX_NONE ? 1 : 0;
        x->start = fox_at(m->f, m->t, fox_rows_cell(r, M_START));
        x->end = fox_at(m->f, m->t, fox_rows_cell(r, M_END));
        return;
    }
    x->start = fox_at(m->f, m->t, fox_rows_cell(r, M_TIME));
    x->end = TS_NO_TIME;
    x->phase = PHASE_INSTANT;
    if (fox_is_number(&m->data.start) && fox_is_number(&m->data.end)) {
        x->phase = PHASE_INTERVAL;
        x->start = fox_at(m->f, m->t, &m->data.start);
        x->end = fox_at(m->f, m->t, &m->data.end);
    } else if (m->data.interval == 's') {
        x->phase = PHASE_START;
    } else if (m->data.interval == 'e') {
        x->phase = PHASE_END;
        x->end = x->start;
        x->start = TS_NO_TIME;
    }
}

static ts_code put_span(marking *m, const marker *x)
{
    fox_span span;
    const bool begins = x->phase == PHASE_INTERVAL || x->phase == PHASE_START;
    if ((begins && x->start == TS_NO_TIME) ||
        ((x->phase == PHASE_INTERVAL || x->phase == PHASE_END) && x->end == TS_NO_TIME)) {
        m->f->n.bad_times++;
        return TS_OK;
    }
    if (x->phase == PHASE_INTERVAL) {
        TS_TRY(span_key(&span, m, x));
        return add_span(m, &span, x->start, x->end);
    }
    if (x->phase == PHASE_START) {
        return begin_span(m, x);
    }
    return x->phase == PHASE_END ? end_span(m, x) : TS_OK;
}

static ts_code put_row(marking *m, marker *x, ts_text name, int64_t node)
{
    fox *f = m->f;
    const fox_cell *category = fox_rows_cell(m->r, M_CATEGORY);
    ts_text category_name;
    ts_row_firefox_marker row = {
        .id = x->id,
        .source_id = f->source_id,
        .itid = m->t->itid,
        .name = name,
        .phase = x->phase,
        .ts = x->start,
        .end_ts = x->end,
        .type = m->data.has_type ? ts_buf_text(&m->data.type) : TS_TEXT_NULL,
        .data = m->data.text.n > 0 ? ts_buf_text(&m->data.text) : TS_TEXT_NULL,
        .node_id = node,
    };
    TS_TRY(fox_category_name(&category_name, f, fox_index(f, category, INT32_MAX), FOX_NONE));
    row.category = category_name;
    TS_NULL_IF(x->phase == FOX_NONE, firefox_marker, &row, phase);
    TS_NULL_IF(x->start == TS_NO_TIME, firefox_marker, &row, ts);
    TS_NULL_IF(x->end == TS_NO_TIME, firefox_marker, &row, end_ts);
    TS_NULL_IF(node == 0, firefox_marker, &row, node_id);
    fox_note_time(f, x->start);
    fox_note_time(f, x->end);
    f->n.markers++;
    return ts_put_firefox_marker(f->sink, &row);
}

static ts_code take_marker(marking *m)
{
    fox *f = m->f;
    const fox_cell *name = fox_rows_cell(m->r, M_NAME);
    ts_method method = {.name = TS_TEXT_NULL};
    marker x = {.id = (int64_t)ts_sink_rows(f->sink, TS_T_firefox_marker) + 1,
                .name = name->tag == FOX_INT ? name->i : FOX_NONE};
    int64_t node;
    ts_text text;
    TS_TRY(fox_data_read(&m->data, f, fox_rows_cell(m->r, M_DATA)));
    read_times(&x, m);
    TS_TRY(fox_node(&node, f, &m->data.stack));
    TS_TRY(fox_string_at(&text, f, name));
    if (x.phase == PHASE_INTERVAL || x.phase == PHASE_START) {
        method.name = text;
        TS_TRY(ts_stack_method(&x.method, f->store, f->source_id, &method));
    }
    TS_TRY(put_row(m, &x, text, node));
    return put_span(m, &x);
}

ts_code fox_markers(fox *f, const fox_thread *t)
{
    static const fox_column_id columns[M_COLUMNS] = {FOX_C_NAME,  FOX_C_START_TIME, FOX_C_END_TIME,
                                                     FOX_C_PHASE, FOX_C_CATEGORY,   FOX_C_DATA,
                                                     FOX_C_TIME};
    const fox_table *table = fox_table_of(f, t->tables, FOX_T_MARKERS);
    marking m = {.f = f, .t = t};
    fox_rows *r = NULL;
    uint64_t missing;
    ts_code code;
    if (table == NULL) {
        return TS_OK;
    }
    (void)fox_table_rows(&missing, f, table);
    f->n.markers_lost += missing;
    code = fox_rows_open(&r, f, table, columns, M_COLUMNS);
    if (code == TS_OK) {
        fox_rows_need(r, M_NAME, M_NAME);
        fox_rows_need(r, M_START, M_TIME);
    }
    m.r = r;
    m.old = code == TS_OK && !fox_rows_has(r, M_START) && fox_rows_has(r, M_TIME);
    while (fox_rows_next(&code, r)) {
        code = take_marker(&m);
    }
    TS_STEP(code, end_all(&m));
    fox_rows_free(r);
    fox_data_free(&m.data, f);
    ts_vec_free(f->ctx, &m.open);
    ts_idmap_free(f->ctx, &m.last);
    return code;
}
