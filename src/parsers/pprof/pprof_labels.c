/* Labels of samples: rows, and the threads that they name. */
#include "parsers/pprof/pprof.h"

#include <inttypes.h>
#include <stdio.h>

enum { NUMBER_TEXT = 24 };

/* Ids of spans use all 64 bits. */
static bool is_unsigned(ts_text key)
{
    return ts_text_is(key, "span id") || ts_text_is(key, "local root span id");
}

/* A text, or a number in decimal. */
static ts_text label_value(char out[NUMBER_TEXT], pprof *p, const pprof_label *label, ts_text key)
{
    int n;
    if (label->str != 0) {
        return pprof_text(p, label->str);
    }
    n = is_unsigned(key) ? snprintf(out, NUMBER_TEXT, "%" PRIu64, (uint64_t)label->num)
                         : snprintf(out, NUMBER_TEXT, "%" PRId64, label->num);
    return (ts_text){out, (size_t)n};
}

static ts_code put_unit(pprof *p, int64_t sample_id, const pprof_label *label, ts_text key)
{
    ts_row_profile_label_unit row = {.sample_id = sample_id, .key = key};
    if (label->str != 0 || label->unit == 0) {
        return TS_OK;
    }
    row.unit = pprof_text(p, label->unit);
    return row.unit.p == NULL ? TS_OK : ts_put_profile_label_unit(p->sink, &row);
}

ts_code pprof_labels_write(pprof *p, int64_t sample_id, const pprof_sample *s)
{
    const pprof_label *labels = s->labels.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < s->labels.n && code == TS_OK; i++) {
        char number[NUMBER_TEXT];
        ts_row_stack_sample_label row = {.sample_id = sample_id};
        row.key = labels[i].key == 0 ? TS_TEXT_NULL : pprof_text(p, labels[i].key);
        if (row.key.p == NULL) {
            p->bad_labels++;
            continue;
        }
        row.value = label_value(number, p, &labels[i], row.key);
        code = ts_put_stack_sample_label(p->sink, &row);
        if (code == TS_OK) {
            code = put_unit(p, sample_id, &labels[i], row.key);
        }
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
    ts_text key = pprof_text(p, label->key);
    if (ts_text_is(key, "thread native id")) {
        int64_t id = label_number(p, label);
        if (id != 0 && !out->native) {
            out->id = id;
            out->native = true;
        }
    } else if (ts_text_is(key, "thread id")) {
        out->id = out->id == 0 ? label_number(p, label) : out->id;
    } else if (ts_text_is(key, "thread name") && out->number == 0) {
        out->number = label->str;
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
    return code == TS_OK ? ts_idmap_put(p->job->ctx, &p->named, number, (uint64_t)*itid) : code;
}

ts_code pprof_labels_thread(int64_t *itid, pprof *p, const pprof_sample *s)
{
    const pprof_label *labels = s->labels.p;
    uint64_t bad = p->bad_strings;
    label_thread thread = {0, false, 0};
    ts_text name;
    ts_code code;
    *itid = -1;
    for (size_t i = 0; i < s->labels.n; i++) {
        read_label(&thread, p, &labels[i]);
    }
    name = thread.number == 0 ? TS_TEXT_NULL : pprof_text(p, thread.number);
    p->bad_strings = bad;
    if (thread.id == 0) {
        return name.n == 0 ? TS_OK : named_thread(itid, p, thread.number, name);
    }
    code = ts_thread(itid, p->job->store, p->source_id, thread.id, -1,
                     thread.native ? "os" : "unknown");
    if (code == TS_OK && name.n > 0 && ts_thread_row(p->job->store, *itid)->name.p == NULL) {
        code = ts_thread_name(p->job->store, *itid, name);
    }
    return code;
}
