/* Labels of samples: rows, and the threads that they name. */
#include "parsers/pprof/pprof.h"

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
    ts_text text;
    if (number == 0) {
        return &none;
    }
    if (slot->number == number) {
        return slot;
    }
    text = pprof_text(p, number);
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

ts_code pprof_labels_flush(pprof *p)
{
    unsigned n = p->label_row_n;
    p->label_row_n = 0;
    return n == 0 ? TS_OK
                  : ts_sink_put_many(p->sink, TS_T_stack_sample_label, p->label_rows,
                                     sizeof p->label_rows[0], n);
}

ts_code pprof_labels_write(pprof *p, int64_t sample_id, const pprof_sample *s)
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
        if (++p->label_row_n == PPROF_LABEL_ROWS) {
            code = pprof_labels_flush(p);
        }
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
    ts_text t;
    int64_t v = 0;
    if (label->str == 0) {
        return label->num;
    }
    t = pprof_text(p, label->str);
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
    ts_code code;
    if (ts_idmap_find(&known, &p->named, number)) {
        *itid = (int64_t)known;
        return TS_OK;
    }
    code = ts_profile_named_thread(itid, p->job->store, p->source_id, name);
    TS_STEP(code, ts_idmap_put(p->job->ctx, &p->named, number, (uint64_t)*itid));
    return code;
}

static ts_code find_thread(int64_t *itid, pprof *p, const label_thread *thread)
{
    ts_text name = thread->number == 0 ? TS_TEXT_NULL : pprof_text(p, thread->number);
    ts_code code;
    if (thread->id == 0) {
        return name.n == 0 ? TS_OK : named_thread(itid, p, thread->number, name);
    }
    code = ts_thread(itid, p->job->store, p->source_id, thread->id, -1,
                     thread->native ? "os" : "unknown");
    TS_STEP_IF(code, name.n > 0 && ts_thread_row(p->job->store, *itid)->name.p == NULL,
               ts_thread_name(p->job->store, *itid, name));
    return code;
}

ts_code pprof_labels_thread(int64_t *itid, pprof *p, const pprof_sample *s)
{
    const pprof_label *labels = (const pprof_label *)p->labels.p + s->first_label;
    uint64_t bad = p->bad_strings;
    label_thread thread = {0, false, 0};
    pprof_thread *slot;
    ts_code code;
    *itid = -1;
    for (size_t i = 0; i < s->label_n; i++) {
        read_label(&thread, p, &labels[i]);
    }
    slot = &p->threads[((uint64_t)thread.id ^ (uint64_t)thread.number) % PPROF_THREADS];
    if (slot->found && slot->id == thread.id && slot->native == thread.native &&
        slot->number == thread.number) {
        *itid = slot->itid;
        p->bad_strings = bad;
        return TS_OK;
    }
    code = find_thread(itid, p, &thread);
    p->bad_strings = bad;
    if (code == TS_OK) {
        *slot = (pprof_thread){thread.id, thread.number, *itid, thread.native, true};
    }
    return code;
}
