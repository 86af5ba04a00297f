/* Samples come back from the spool, find their call paths, and become rows. */
#include "parsers/pprof/pprof.h"

enum { READ_SIZE = 1 << 18 };

/* --- messages ------------------------------------------------------------------------------- */

static ts_code add_number(pprof *p, ts_vec *list, uint64_t v)
{
    ts_code code = ts_vec_reserve(p->job->ctx, list, 1, sizeof v);
    if (code == TS_OK) {
        ((uint64_t *)list->p)[list->n++] = v;
    }
    return code;
}

/* Lists are packed or not, also both in one message. */
static ts_code add_numbers(bool *good, pprof *p, ts_vec *list, const ts_wire_field *f)
{
    ts_wire w;
    uint64_t v;
    uint64_t *out;
    ts_code code;
    if (f->type == TS_WIRE_VARINT) {
        return add_number(p, list, f->value);
    }
    *good = f->type == TS_WIRE_BYTES;
    if (!*good) {
        return TS_OK;
    }
    code = ts_vec_reserve(p->job->ctx, list, f->n, sizeof v);
    if (code != TS_OK) {
        return code;
    }
    out = list->p;
    ts_wire_init(&w, f->p, f->n);
    while (ts_wire_packed(&v, &w)) {
        out[list->n++] = v;
    }
    *good = w.fault == TS_WIRE_OK;
    return TS_OK;
}

/* A label that is not well-formed is left out, the sample stays. */
static ts_code add_label(pprof *p, pprof_sample *s, const ts_wire *outer,
                         const ts_wire_field *field)
{
    ts_wire w;
    ts_wire_field f;
    bool good = true;
    pprof_label *label = ts_vec_add(p->job->ctx, &s->labels, sizeof *label);
    if (label == NULL) {
        return p->job->ctx->error.code;
    }
    ts_wire_enter(&w, outer, field);
    while (good && ts_wire_next(&f, &w)) {
        if (f.number <= 4) {
            int64_t *const cells[] = {&label->key, &label->str, &label->num, &label->unit};
            good = f.type == TS_WIRE_VARINT;
            *cells[f.number - 1] = (int64_t)f.value;
        }
    }
    if (!good || w.fault != TS_WIRE_OK) {
        p->bad_labels++;
        s->labels.n--;
    }
    return TS_OK;
}

/* A list that is the only one waits until it is known whether it was met before. */
static ts_code add_locations(bool *good, pprof *p, const ts_wire_field *f)
{
    pprof_sample *s = &p->sample;
    ts_wire_field first = {.type = TS_WIRE_BYTES, .p = s->packed, .n = s->packed_n};
    ts_code code = TS_OK;
    if (f->type == TS_WIRE_BYTES && s->packed == NULL && s->locations.n == 0) {
        s->packed = f->p;
        s->packed_n = f->n;
        return TS_OK;
    }
    if (s->packed != NULL) {
        s->packed = NULL;
        code = add_numbers(good, p, &s->locations, &first);
    }
    return code == TS_OK && *good ? add_numbers(good, p, &s->locations, f) : code;
}

static ts_code look_up_stack(bool *good, pprof *p)
{
    pprof_sample *s = &p->sample;
    ts_wire_field list = {.type = TS_WIRE_BYTES, .p = s->packed, .n = s->packed_n};
    int64_t node = s->packed == NULL ? 0 : pprof_find_stack(p, s->packed, s->packed_n);
    s->node = node == 0 ? -1 : node;
    return node != 0 || s->packed == NULL ? TS_OK : add_numbers(good, p, &s->locations, &list);
}

static ts_code find_node(int64_t *node, pprof *p)
{
    const pprof_sample *s = &p->sample;
    bool known;
    ts_code code;
    *node = s->node;
    if (s->node >= 0) {
        return TS_OK;
    }
    code = pprof_find_path(node, &known, p, s->locations.p, s->locations.n);
    return code == TS_OK && s->packed != NULL && known && *node != 0
               ? pprof_add_stack(p, s->packed, s->packed_n, *node)
               : code;
}

static ts_code read_sample(bool *good, pprof *p, const uint8_t *bytes, size_t n)
{
    pprof_sample *s = &p->sample;
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    s->locations.n = 0;
    s->values.n = 0;
    s->labels.n = 0;
    s->packed = NULL;
    *good = true;
    ts_wire_init(&w, bytes, n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number == 1) {
            code = add_locations(good, p, &f);
        } else if (f.number == 2) {
            code = add_numbers(good, p, &s->values, &f);
        } else if (f.number == 3) {
            *good = f.type == TS_WIRE_BYTES;
            code = *good ? add_label(p, s, &w, &f) : TS_OK;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code == TS_OK && *good ? look_up_stack(good, p) : code;
}

/* --- rows ----------------------------------------------------------------------------------- */

static ts_code put_values(pprof *p, int64_t sample_id)
{
    const pprof_value_type *types = p->value_types.p;
    const int64_t *values = p->sample.values.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < p->sample.values.n && code == TS_OK; i++) {
        ts_row_stack_sample_value row = {.sample_id = sample_id, .value_type_id = types[i].out.id};
        if (row.value_type_id == 0) {
            p->values_lost++;
        } else if (ts_profile_scaled(&row.value, values[i], types[i].out.scale)) {
            code = ts_put_stack_sample_value(p->sink, &row);
        } else {
            p->overflows++;
            p->values_lost++;
        }
    }
    return code;
}

/* What the first value that is not 0 is of. */
static ts_text cause_of(const pprof *p, bool values)
{
    const pprof_value_type *types = p->value_types.p;
    for (size_t i = 0; values && i < p->sample.values.n; i++) {
        if (((const int64_t *)p->sample.values.p)[i] != 0) {
            return types[i].out.cause;
        }
    }
    return p->value_types.n == 0 ? TS_TEXT_NULL : types[0].out.cause;
}

static ts_code put_sample(pprof *p)
{
    const pprof_sample *s = &p->sample;
    bool values = s->values.n == p->value_types.n;
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(p->sink, TS_T_stack_sample) + 1,
        .source_id = p->source_id,
        .event = cause_of(p, values),
    };
    ts_code code = find_node(&row.node_id, p);
    row.itid = -1;
    if (code == TS_OK && s->labels.n > 0) {
        code = pprof_labels_thread(&row.itid, p, s);
    }
    if (code != TS_OK) {
        return code;
    }
    TS_SET_NULL(stack_sample, &row, ts);
    TS_SET_NULL(stack_sample, &row, dur);
    if (row.itid < 0) {
        TS_SET_NULL(stack_sample, &row, itid);
    }
    if (row.node_id == 0) {
        TS_SET_NULL(stack_sample, &row, node_id);
    }
    p->values_seen += s->values.n;
    p->values_lost += values ? 0 : s->values.n;
    p->bad_values += values || p->value_types.n == 0 ? 0 : 1;
    if ((code = ts_put_stack_sample(p->sink, &row)) != TS_OK ||
        (values && (code = put_values(p, row.id)) != TS_OK)) {
        return code;
    }
    return s->labels.n == 0 ? TS_OK : pprof_labels_write(p, row.id, s);
}

static ts_code take_sample(pprof *p, const uint8_t *bytes, size_t n)
{
    bool good;
    ts_code code = read_sample(&good, p, bytes, n);
    if (code != TS_OK || good) {
        return code == TS_OK ? put_sample(p) : code;
    }
    p->samples_lost++;
    return ts_issue(p->job->store, p->source_id, TS_ISSUE_prof_bad_message, p->name,
                    (int64_t)p->sample.at, "a sample is not well-formed");
}

/* --- the spool ------------------------------------------------------------------------------ */

/* Bytes of the spool from `off` on; the first `n - at` of them are in memory. */
typedef struct spool_window {
    ts_buf buf;
    size_t at;
    uint64_t off; /* of what is not in memory yet */
} spool_window;

/* Has at least `want` bytes in memory, or all that are left. */
static ts_code window_fill(spool_window *w, pprof *p, size_t want)
{
    size_t have = w->buf.n - w->at;
    size_t size = want > READ_SIZE ? want : READ_SIZE;
    size_t got;
    ts_code code;
    if (have >= want || w->off == p->samples_end) {
        return TS_OK;
    }
    if ((code = ts_check_cancel(p->job->ctx)) != TS_OK) {
        return code;
    }
    if (w->at > 0) {
        memmove(w->buf.p, w->buf.p + w->at, have);
    }
    w->at = 0;
    w->buf.n = have;
    code = ts_buf_reserve(p->job->ctx, &w->buf, size);
    if (code != TS_OK) {
        return code;
    }
    size = size < p->samples_end - w->off ? size : (size_t)(p->samples_end - w->off);
    code = ts_spool_read(&got, p->samples, w->off, w->buf.p + have, size);
    if (code == TS_OK && got < size) {
        return ts_fail(p->job->ctx, TS_ERR_INTERNAL, "a temporary file is too short");
    }
    w->buf.n += size;
    w->off += size;
    return code;
}

static uint64_t window_number(spool_window *w)
{
    ts_bytes b = {(const uint8_t *)w->buf.p, w->buf.n, w->at};
    uint64_t v = 0;
    (void)ts_get_varint(&v, &b);
    w->at = b.at;
    return v;
}

ts_code pprof_samples_write(pprof *p)
{
    spool_window w = {{0}, 0, 0};
    ts_code code = TS_OK;
    while (code == TS_OK && (code = window_fill(&w, p, 20)) == TS_OK && w.at < w.buf.n) {
        size_t n;
        p->sample.at += window_number(&w);
        n = (size_t)window_number(&w);
        code = window_fill(&w, p, n);
        if (code == TS_OK) {
            code = take_sample(p, (const uint8_t *)w.buf.p + w.at, n);
            w.at += n;
        }
    }
    ts_buf_free(p->job->ctx, &w.buf);
    return code;
}
