/* Samples come back from the spool, find their call paths, and become rows. */
#include "parsers/pprof/pprof.h"

/* --- labels: rows, and the threads that they name ------------------------------------------- */

/* --- keys ----------------------------------------------------------------------------------- */

static pprof_key_kind kind_of(ts_text key)
{
    return ts_text_is(key, "thread native id")                                   ? PPROF_KEY_NATIVE
           : ts_text_is(key, "thread id")                                        ? PPROF_KEY_THREAD
           : ts_text_is(key, "thread name")                                      ? PPROF_KEY_NAME
           : ts_text_is(key, "span id") || ts_text_is(key, "local root span id") ? PPROF_KEY_SPAN
                                                                                 : PPROF_KEY_OTHER;
}

/* There are few keys, and each sample has them: they are kept. One that is not there is not, so
 * that each of its labels counts. */
static const pprof_key *find_key(pprof *p, int64_t number)
{
    static const pprof_key none = {0, {NULL, 0}, PPROF_KEY_OTHER};
    pprof_key *slot = &p->keys[(uint64_t)number % PPROF_KEYS];
    if (number == 0) {
        return &none;
    }
    if (slot->number == number) {
        return slot;
    }
    ts_text text = pprof_text(p, number);
    if (text.p == NULL) {
        return &none;
    }
    *slot = (pprof_key){number, text, kind_of(text)};
    return slot;
}

/* --- rows ----------------------------------------------------------------------------------- */

/* In decimal, at the end of `out`; ids of spans use all 64 bits. */
static ts_text decimal(char out[PPROF_NUMBER], int64_t v, bool is_unsigned)
{
    bool negative = v < 0 && !is_unsigned;
    uint64_t left = negative ? 0 - (uint64_t)v : (uint64_t)v;
    size_t at = PPROF_NUMBER;
    for (; left >= 100; left /= 100) {
        unsigned two = (unsigned)(left % 100);
        out[--at] = (char)('0' + two % 10);
        out[--at] = (char)('0' + two / 10);
    }
    out[--at] = (char)('0' + left % 10);
    if (left >= 10) {
        out[--at] = (char)('0' + left / 10);
    }
    if (negative) {
        out[--at] = '-';
    }
    return (ts_text){out + at, PPROF_NUMBER - at};
}

static ts_code put_unit(pprof *p, int64_t sample_id, int64_t unit, ts_text key)
{
    ts_row_profile_label_unit row = {.sample_id = sample_id, .key = key};
    row.unit = pprof_text(p, unit);
    return row.unit.p == NULL ? TS_OK : ts_put_profile_label_unit(p->sink, &row);
}

static ts_code pprof_labels_flush(pprof *p)
{
    unsigned n = p->label_row_n;
    p->label_row_n = 0;
    return n == 0 ? TS_OK
                  : ts_sink_put_many(p->sink, TS_T_stack_sample_label, p->label_rows,
                                     sizeof p->label_rows[0], n);
}

static ts_code pprof_labels_write(pprof *p, int64_t sample_id, const pprof_sample *s)
{
    const pprof_label *labels = (const pprof_label *)p->labels.p + s->first_label;
    ts_code code = TS_OK;
    for (size_t i = 0; i < s->label_n && code == TS_OK; i++) {
        const pprof_key *key = find_key(p, labels[i].key);
        ts_row_stack_sample_label *row = &p->label_rows[p->label_row_n];
        if (key->text.p == NULL) {
            p->bad_labels++;
            continue;
        }
        row->sample_id = sample_id;
        row->key = key->text;
        row->value = labels[i].str != 0 ? pprof_text(p, labels[i].str)
                                        : decimal(p->numbers[p->label_row_n], labels[i].num,
                                                  key->kind == PPROF_KEY_SPAN);
        TS_STEP_IF(code, ++p->label_row_n == PPROF_LABEL_ROWS, pprof_labels_flush(p));
        TS_STEP_IF(code, labels[i].str == 0 && labels[i].unit != 0,
                   put_unit(p, sample_id, labels[i].unit, key->text));
    }
    return code;
}

/* --- threads -------------------------------------------------------------------------------- */

/* What labels say of a thread; the first one of each wins. */
typedef struct label_thread {
    int64_t id;     /* 0: none */
    bool native;    /* it is the system's */
    int64_t number; /* of the name's text; 0: none */
} label_thread;

/* A number, also one that is written as a text; 0 when it is none. */
static int64_t label_number(pprof *p, const pprof_label *label)
{
    int64_t v = 0;
    if (label->str == 0) {
        return label->num;
    }
    ts_text t = pprof_text(p, label->str);
    for (size_t i = 0; i < t.n; i++) {
        int digit = t.p[i] - '0';
        if (digit < 0 || digit > 9 || ts_ckd_mul(&v, v, INT64_C(10)) ||
            ts_ckd_add(&v, v, (int64_t)digit)) {
            return 0;
        }
    }
    return v;
}

/* Labels may be wrong anywhere: what is not known here is counted when they are written. */
static void read_label(label_thread *out, pprof *p, const pprof_label *label)
{
    int64_t id;
    switch (find_key(p, label->key)->kind) {
    case PPROF_KEY_NATIVE:
        id = label_number(p, label);
        if (id != 0 && !out->native) {
            out->id = id;
            out->native = true;
        }
        break;
    case PPROF_KEY_THREAD:
        out->id = out->id == 0 ? label_number(p, label) : out->id;
        break;
    case PPROF_KEY_NAME:
        out->number = out->number == 0 ? label->str : out->number;
        break;
    case PPROF_KEY_SPAN:
    case PPROF_KEY_OTHER:
        break;
    }
}

static ts_code named_thread(int64_t *itid, pprof *p, int64_t number, ts_text name)
{
    uint64_t known;
    if (ts_idmap_find(&known, &p->named, number)) {
        *itid = (int64_t)known;
        return TS_OK;
    }
    ts_code code = ts_profile_named_thread(itid, p->job->store, p->source_id, name);
    TS_STEP(code, ts_idmap_put(p->job->ctx, &p->named, number, (uint64_t)*itid));
    return code;
}

static ts_code find_thread(int64_t *itid, pprof *p, const label_thread *thread)
{
    ts_text name = thread->number == 0 ? TS_TEXT_NULL : pprof_text(p, thread->number);
    if (thread->id == 0) {
        return name.n == 0 ? TS_OK : named_thread(itid, p, thread->number, name);
    }
    ts_code code = ts_thread(itid, p->job->store, p->source_id, thread->id, -1,
                             thread->native ? "os" : "unknown");
    TS_STEP_IF(code, name.n > 0 && ts_thread_row(p->job->store, *itid)->name.p == NULL,
               ts_thread_name(p->job->store, *itid, name));
    return code;
}

/* The thread that its labels name, or -1. */
static ts_code pprof_labels_thread(int64_t *itid, pprof *p, const pprof_sample *s)
{
    const pprof_label *labels = (const pprof_label *)p->labels.p + s->first_label;
    uint64_t bad = p->bad_strings;
    label_thread thread = {0, false, 0};
    *itid = -1;
    for (size_t i = 0; i < s->label_n; i++) {
        read_label(&thread, p, &labels[i]);
    }
    pprof_thread *slot =
        &p->threads[((uint64_t)thread.id ^ (uint64_t)thread.number) % PPROF_THREADS];
    if (slot->found && slot->id == thread.id && slot->native == thread.native &&
        slot->number == thread.number) {
        *itid = slot->itid;
        p->bad_strings = bad;
        return TS_OK;
    }
    ts_code code = find_thread(itid, p, &thread);
    p->bad_strings = bad;
    if (code == TS_OK) {
        *slot = (pprof_thread){thread.id, thread.number, *itid, thread.native, true};
    }
    return code;
}

/* Frames of a batch that are looked up together; the others one sample after the other. */
enum { READ_SIZE = 1 << 18, BATCH_FRAMES = 1 << 15 };

/* --- messages ------------------------------------------------------------------------------- */

/* Lists are packed or not, also both in one message. */
static ts_code add_numbers(bool *good, pprof *p, ts_vec *list, const ts_wire_field *f)
{
    ts_wire w;
    size_t n = f->type == TS_WIRE_BYTES ? f->n : 1;
    TS_TRY(ts_vec_reserve(p->job->ctx, list, n, sizeof(uint64_t)));
    uint64_t *out = (uint64_t *)list->p + list->n;
    if (f->type == TS_WIRE_VARINT) {
        *out = f->value;
        list->n++;
        return TS_OK;
    }
    *good = f->type == TS_WIRE_BYTES;
    if (!*good) {
        return TS_OK;
    }
    ts_wire_init(&w, f->p, f->n);
    list->n += ts_wire_packed_all(out, &w);
    *good = w.fault == TS_WIRE_OK;
    return TS_OK;
}

/* The numbers of a label that has no other fields; false: see what it is. */
static inline bool quick_label(int64_t cells[4], const uint8_t *p, size_t n)
{
    size_t at = 0;
    while (at < n) {
        unsigned cell = (unsigned)(p[at] >> 3) - 1;
        unsigned shift = 0;
        uint64_t v = 0;
        if ((p[at] & 7) != TS_WIRE_VARINT || cell > 3) {
            return false;
        }
        do {
            if (++at == n || (shift == 63 && p[at] > 1)) {
                return false;
            }
            v |= (uint64_t)(p[at] & 0x7F) << shift;
            shift += 7;
        } while (p[at] >= 0x80);
        at++;
        cells[cell] = (int64_t)v;
    }
    return true;
}

static ts_code put_label(pprof *p, const int64_t cells[4])
{
    ts_code code = ts_vec_reserve(p->job->ctx, &p->labels, 1, sizeof(pprof_label));
    if (code == TS_OK) {
        ((pprof_label *)p->labels.p)[p->labels.n++] =
            (pprof_label){cells[0], cells[1], cells[2], cells[3]};
    }
    return code;
}

/* A label that is not well-formed is left out, the sample stays. */
static ts_code add_label(pprof *p, const ts_wire *outer, const ts_wire_field *field)
{
    ts_wire w;
    ts_wire_field f;
    bool good = true;
    int64_t cells[4] = {0};
    if (quick_label(cells, field->p, field->n)) {
        return put_label(p, cells);
    }
    memset(cells, 0, sizeof cells);
    ts_wire_enter(&w, outer, field);
    while (good && ts_wire_next(&f, &w)) {
        if (f.number <= 4) {
            good = f.type == TS_WIRE_VARINT;
            cells[f.number - 1] = (int64_t)f.value;
        }
    }
    if (!good || w.fault != TS_WIRE_OK) {
        p->bad_labels++;
        return TS_OK;
    }
    return put_label(p, cells);
}

static ts_code read_packed(pprof *p, pprof_sample *s)
{
    ts_wire_field list = {.type = TS_WIRE_BYTES, .p = s->packed, .n = s->packed_n};
    s->first_location = p->locations_of.n;
    ts_code code = add_numbers(&s->good, p, &p->locations_of, &list);
    s->location_n = p->locations_of.n - s->first_location;
    return code;
}

/* A list that is the only one waits until it is known whether it was met before. */
static ts_code add_locations(pprof *p, pprof_sample *s, const ts_wire_field *f)
{
    ts_code code = TS_OK;
    if (f->type == TS_WIRE_BYTES && s->packed == NULL && s->location_n == 0) {
        s->packed = f->p;
        s->packed_n = f->n;
        return TS_OK;
    }
    if (s->packed != NULL) {
        code = read_packed(p, s);
        s->packed = NULL;
    }
    TS_STEP_IF(code, s->good, add_numbers(&s->good, p, &p->locations_of, f));
    s->location_n = p->locations_of.n - s->first_location;
    return code;
}

/* Lists and labels mostly have a length of one byte. */
static inline bool next_field(ts_wire_field *f, ts_wire *w)
{
    const uint8_t *p = w->in.p + w->in.at;
    size_t left = ts_bytes_left(&w->in);
    if (left >= 2 && (p[0] & 7) == TS_WIRE_BYTES && p[0] >= 8 && p[0] < 0x80 && p[1] < 0x80 &&
        p[1] <= left - 2) {
        f->number = p[0] >> 3;
        f->type = TS_WIRE_BYTES;
        f->p = p + 2;
        f->n = p[1];
        w->in.at += 2 + f->n;
        return true;
    }
    return ts_wire_next(f, w);
}

static ts_code read_sample(pprof *p, pprof_sample *s, const uint8_t *bytes, size_t n)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    *s = (pprof_sample){
        .at = p->sample_at,
        .first_location = p->locations_of.n,
        .first_value = p->values.n,
        .first_label = p->labels.n,
        .good = true,
    };
    ts_wire_init(&w, bytes, n);
    while (code == TS_OK && s->good && next_field(&f, &w)) {
        if (f.number == 1) {
            code = add_locations(p, s, &f);
        } else if (f.number == 2) {
            code = add_numbers(&s->good, p, &p->values, &f);
        } else if (f.number == 3) {
            s->good = f.type == TS_WIRE_BYTES;
            code = s->good ? add_label(p, &w, &f) : TS_OK;
        }
    }
    s->good = s->good && w.fault == TS_WIRE_OK;
    s->value_n = p->values.n - s->first_value;
    s->label_n = p->labels.n - s->first_label;
    s->hashed = s->packed != NULL && pprof_stack_hash(&s->key, p, s->packed, s->packed_n);
    return code;
}

/* Its path, when its list was met before, or its frames. */
static ts_code look_up(pprof *p, pprof_sample *s)
{
    ts_code code = TS_OK;
    if (s->packed != NULL) {
        s->node = s->hashed ? pprof_stack_find(p, s->key) : 0;
        if (s->node != 0) {
            s->packed = NULL;
            s->expanded = true;
            return TS_OK;
        }
        code = read_packed(p, s);
    }
    TS_STEP_IF(code, s->good && p->stack.n < BATCH_FRAMES, pprof_expand(p, s, false));
    return code;
}

/* --- rows ----------------------------------------------------------------------------------- */

static ts_code flush_values(pprof *p)
{
    unsigned n = p->value_row_n;
    p->value_row_n = 0;
    return n == 0 ? TS_OK
                  : ts_sink_put_many(p->sink, TS_T_stack_sample_value, p->value_rows,
                                     sizeof p->value_rows[0], n);
}

static ts_code put_values(pprof *p, const pprof_sample *s, int64_t sample_id)
{
    const pprof_value_type *types = p->value_types.p;
    const int64_t *values = (const int64_t *)p->values.p + s->first_value;
    ts_code code = TS_OK;
    for (size_t i = 0; i < s->value_n && code == TS_OK; i++) {
        ts_row_stack_sample_value *row = &p->value_rows[p->value_row_n];
        row->sample_id = sample_id;
        row->value_type_id = types[i].out.id;
        if (row->value_type_id == 0) {
            p->values_lost++;
        } else if (ts_profile_scaled(&row->value, values[i], types[i].out.scale)) {
            code = ++p->value_row_n == PPROF_VALUE_ROWS ? flush_values(p) : TS_OK;
        } else {
            p->overflows++;
            p->values_lost++;
        }
    }
    return code;
}

/* What the first value that is not 0 is of. */
static ts_text cause_of(const pprof *p, const pprof_sample *s, bool values)
{
    const pprof_value_type *types = p->value_types.p;
    for (size_t i = 0; values && i < s->value_n; i++) {
        if (((const int64_t *)p->values.p)[s->first_value + i] != 0) {
            return types[i].out.cause;
        }
    }
    return p->value_types.n == 0 ? TS_TEXT_NULL : types[0].out.cause;
}

static ts_code find_node(pprof *p, pprof_sample *s)
{
    ts_code code = TS_OK;
    if (!s->expanded) {
        p->stack.n = p->batch_frames; /* nothing needs those of the sample before */
        code = pprof_expand(p, s, true);
    }
    if (code != TS_OK || s->node != 0 || (code = pprof_walk(p, s)) != TS_OK) {
        return code;
    }
    return s->hashed && s->known && s->node != 0 ? pprof_stack_add(p, s->key, s->node) : TS_OK;
}

static ts_code put_sample(pprof *p, pprof_sample *s)
{
    bool values = s->value_n == p->value_types.n;
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(p->sink, TS_T_stack_sample) + 1,
        .source_id = p->source_id,
        .event = cause_of(p, s, values),
        .itid = -1,
    };
    ts_code code = find_node(p, s);
    row.node_id = s->node;
    TS_STEP_IF(code, s->label_n > 0, pprof_labels_thread(&row.itid, p, s));
    if (code != TS_OK) {
        return code;
    }
    TS_SET_NULL(stack_sample, &row, ts, dur);
    TS_NULL_IF(row.itid < 0, stack_sample, &row, itid);
    TS_NULL_IF(row.node_id == 0, stack_sample, &row, node_id);
    p->values_seen += s->value_n;
    p->values_lost += values ? 0 : s->value_n;
    p->bad_values += values || p->value_types.n == 0 ? 0 : 1;
    if ((code = ts_put_stack_sample(p->sink, &row)) != TS_OK ||
        (values && (code = put_values(p, s, row.id)) != TS_OK)) {
        return code;
    }
    return s->label_n == 0 ? TS_OK : pprof_labels_write(p, row.id, s);
}

/* All samples of the batch, in their order. */
static ts_code put_batch(pprof *p)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < p->batch_n && code == TS_OK; i++) {
        code = look_up(p, &p->batch[i]);
    }
    p->batch_frames = p->stack.n;
    if (code == TS_OK) {
        pprof_walk_ahead(p);
    }
    for (size_t i = 0; i < p->batch_n && code == TS_OK; i++) {
        pprof_sample *s = &p->batch[i];
        if (s->good) {
            code = put_sample(p, s);
            continue;
        }
        p->samples_lost++;
        code = ts_issue(p->job->store, p->source_id, TS_ISSUE_prof_bad_message, p->name,
                        (int64_t)s->at, "a sample is not well-formed");
    }
    TS_STEP(code, ts_paths_flush(&p->paths, p->job->store));
    TS_STEP(code, flush_values(p));
    TS_STEP(code, pprof_labels_flush(p));
    p->batch_n = 0;
    p->locations_of.n = 0;
    p->values.n = 0;
    p->labels.n = 0;
    p->stack.n = 0;
    return code;
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
    TS_TRY_INTO(code, ts_check_cancel(p->job->ctx));
    if (w->at > 0) {
        memmove(w->buf.p, w->buf.p + w->at, have);
    }
    w->at = 0;
    w->buf.n = have;
    TS_TRY_INTO(code, ts_buf_reserve(p->job->ctx, &w->buf, size));
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

/* A message of n bytes. A batch ends where the bytes of its samples do. */
static ts_code take_sample(spool_window *w, pprof *p, size_t n)
{
    ts_code code;
    TS_TRY_INTO(code, p->batch_n == PPROF_BATCH || (p->batch_n > 0 && w->buf.n - w->at < n)
                          ? put_batch(p)
                          : TS_OK);
    TS_TRY_INTO(code, window_fill(w, p, n));
    code = read_sample(p, &p->batch[p->batch_n++], (const uint8_t *)w->buf.p + w->at, n);
    w->at += n;
    return code;
}

/* What is next in the spool: a distance, or the field of a sample. */
static ts_code take_next(spool_window *w, pprof *p)
{
    size_t begin = w->at;
    bool is_sample = w->buf.p[w->at++] != 0;
    uint64_t n = window_number(w);
    uint64_t head = w->at - begin;
    if (!is_sample) {
        p->sample_at += n;
        return TS_OK;
    }
    ts_code code = take_sample(w, p, (size_t)n);
    p->sample_at += head + n;
    return code;
}

ts_code pprof_samples_write(pprof *p)
{
    enum { HEAD = 11 };
    spool_window w = {{0}, 0, 0};
    ts_code code = pprof_paths_begin(p);
    while (code == TS_OK) {
        TS_STEP_IF(code, w.buf.n - w.at < HEAD && w.off < p->samples_end, put_batch(p));
        if (code != TS_OK || (code = window_fill(&w, p, HEAD)) != TS_OK || w.at == w.buf.n) {
            break;
        }
        code = take_next(&w, p);
    }
    TS_STEP(code, put_batch(p));
    ts_buf_free(p->job->ctx, &w.buf);
    return code;
}
