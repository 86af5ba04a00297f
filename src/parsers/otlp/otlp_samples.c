/* Samples: one message may stand for many observations, each of which is a row. */
#include "parsers/otlp/otlp.h"

#include <inttypes.h>
#include <stdio.h>

/* A label of all rows of a sample; its texts do not move. */
typedef struct label {
    ts_text key, value;
    int64_t unit; /* number of its text; 0: none */
} label;

enum { TRACE_ID = 16, SPAN_ID = 8, NUMBER = 24 };

typedef struct sample {
    uint64_t start, length, stack, link;
    bool has_link, has_locations, good;
    uint32_t node;
    int64_t itid; /* -1: none */
    char trace[2 * TRACE_ID], span[2 * SPAN_ID];
} sample;

/* --- the message -------------------------------------------------------------------------------
 */

static ts_code read_list(sample *s, otlp *o, uint8_t role, const ts_wire_field *f)
{
    ts_vec *list = role == SAMPLE_VALUE       ? &o->values
                   : role == SAMPLE_TIME      ? &o->times
                   : role == SAMPLE_ATTRIBUTE ? &o->attribute_list
                                              : &o->location_list;
    bool fixed = role == SAMPLE_TIME && o->layout >= OTLP_1_8 && !o->names;
    s->has_locations = s->has_locations || role == SAMPLE_LOCATION;
    return otlp_numbers(&s->good, o, list, f, fixed);
}

static ts_code read_sample(sample *s, otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter(o, OTLP_SAMPLE, part);
    *s = (sample){.good = true, .itid = -1};
    o->values.n = o->times.n = o->attribute_list.n = o->location_list.n = 0;
    while (s->good && otlp_next(&f, &w)) {
        switch (w.role) {
        case SAMPLE_START:
            s->start = f.value;
            break;
        case SAMPLE_LENGTH:
            s->length = f.value;
            break;
        case SAMPLE_STACK:
            s->stack = f.value;
            break;
        case SAMPLE_LINK:
            s->link = f.value;
            s->has_link = true;
            break;
        case SAMPLE_LABEL:
            break;
        default:
            TS_TRY(read_list(s, o, w.role, &f));
        }
    }
    s->good = s->good && otlp_good(&w);
    return TS_OK;
}

/* The part of the profile's list of locations; what is beyond its end is not there. */
static ts_code find_node(sample *s, otlp *o)
{
    uint64_t all = o->locations.n;
    if (o->layout >= OTLP_1_8) {
        return otlp_stack(&s->node, o, s->stack);
    }
    if (s->has_locations) {
        return otlp_path(&s->node, o, o->location_list.p, o->location_list.n);
    }
    if (s->length == 0) {
        return TS_OK;
    }
    if (s->start > all || s->length > all - s->start) {
        o->bad_index++;
        s->start = s->start < all ? s->start : all;
        s->length = all - s->start;
    }
    return s->length == 0 ? TS_OK
                          : otlp_path(&s->node, o, (const uint64_t *)o->locations.p + s->start,
                                      (size_t)s->length);
}

/* --- threads -----------------------------------------------------------------------------------
 */

typedef struct whose {
    int64_t tid, pid; /* 0: none */
    ts_text thread, program;
} whose;

static int64_t number_of(ts_text t)
{
    int64_t v = 0;
    for (size_t i = 0; i < t.n; i++) {
        if (!ts_is_digit(t.p[i]) || ts_ckd_mul(&v, v, INT64_C(10)) ||
            ts_ckd_add(&v, v, (int64_t)(t.p[i] - '0'))) {
            return 0;
        }
    }
    return v;
}

/* A thread whose number is not recorded: one for each name of a source. */
static ts_code named_thread(int64_t *itid, otlp *o, ts_text name)
{
    uint64_t known;
    ts_hash h = ts_hash_begin(&o->ctx->hash_key);
    ts_hash_word(&h, (uint64_t)o->profile.source->id);
    ts_hash_bytes(&h, name.p, name.n);
    int64_t hash = (int64_t)ts_hash_end(&h);
    if (ts_idmap_find(&known, &o->named, hash)) {
        *itid = (int64_t)known;
        return TS_OK;
    }
    TS_TRY(ts_profile_named_thread(itid, o->store, o->profile.source->id, name));
    return ts_idmap_put(o->ctx, &o->named, hash, (uint64_t)*itid);
}

static ts_code find_thread(sample *s, otlp *o, const whose *w)
{
    const otlp_source *source = o->profile.source;
    int64_t ipid = source->ipid;
    if (w->pid != 0) {
        TS_TRY(ts_process(&ipid, o->store, source->id, w->pid));
    }
    if (ipid >= 0 && w->program.n > 0 && ts_process_row(o->store, ipid)->name.p == NULL) {
        TS_TRY(ts_process_name(o->store, ipid, w->program));
    }
    if (w->tid == 0) {
        return w->thread.n == 0 ? TS_OK : named_thread(&s->itid, o, w->thread);
    }
    TS_TRY(ts_thread(&s->itid, o->store, source->id, w->tid, ipid, "os"));
    return w->thread.n > 0 && ts_thread_row(o->store, s->itid)->name.p == NULL
               ? ts_thread_name(o->store, s->itid, w->thread)
               : TS_OK;
}

static void note_meaning(whose *w, const otlp_attribute *a, ts_text value)
{
    switch (a->meaning) {
    case OTLP_MEANS_THREAD:
        w->tid = number_of(value);
        break;
    case OTLP_MEANS_THREAD_NAME:
        w->thread = value;
        break;
    case OTLP_MEANS_PROCESS:
        w->pid = number_of(value);
        break;
    case OTLP_MEANS_EXECUTABLE:
        w->program = value;
        break;
    default:
        break;
    }
}

/* --- labels ------------------------------------------------------------------------------------
 */

static ts_code add_label(otlp *o, ts_text key, ts_text value, int64_t unit)
{
    label l = {key, value, unit};
    return ts_vec_push(o->ctx, &o->labels, &l, sizeof l);
}

static ts_code attribute_labels(sample *s, otlp *o)
{
    whose w = {0};
    for (size_t i = 0; i < o->attribute_list.n; i++) {
        const otlp_attribute *a = otlp_attribute_at(o, ((const uint64_t *)o->attribute_list.p)[i]);
        if (a == NULL) {
            continue;
        }
        if (!a->good) {
            o->bad_labels++;
            continue;
        }
        ts_text value = a->kind == 0 ? TS_TEXT_NULL : otlp_part_text(o, a->value);
        TS_TRY(add_label(o, otlp_part_text(o, a->key), value, a->unit));
        if (a->meaning != OTLP_MEANS_NOTHING && value.p != NULL) {
            note_meaning(&w, a, value);
        }
    }
    return find_thread(s, o, &w);
}

/* In hex; one of zeros is none. */
static ts_code add_id(otlp *o, const char *key, char *out, const ts_wire_field *f, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t any = 0;
    if (f->n != n) {
        o->bad_entries += f->n == 0 ? 0 : 1;
        return TS_OK;
    }
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[f->p[i] >> 4];
        out[2 * i + 1] = digits[f->p[i] & 15];
        any |= f->p[i];
    }
    return any == 0 ? TS_OK : add_label(o, ts_text_of(key), (ts_text){out, 2 * n}, 0);
}

static ts_code link_labels(sample *s, otlp *o)
{
    ts_wire_field f;
    ts_wire_field trace = {0};
    ts_wire_field span = {0};
    otlp_part part;
    if (!s->has_link || otlp_is_none(o, s->link) || !otlp_entry(&part, o, TABLE_LINK, s->link)) {
        return TS_OK;
    }
    otlp_walk w = otlp_enter(o, OTLP_LINK, part);
    while (otlp_next(&f, &w)) {
        trace = w.role == LINK_TRACE ? f : trace;
        span = w.role == LINK_SPAN ? f : span;
    }
    if (!otlp_good(&w)) {
        o->bad_entries++;
        return TS_OK;
    }
    TS_TRY(add_id(o, "trace id", s->trace, &trace, TRACE_ID));
    return add_id(o, "span id", s->span, &span, SPAN_ID);
}

/* Labels of 1.3, which are those of pprof. */
static ts_code old_label(otlp *o, const ts_wire_field *field)
{
    ts_wire_field f;
    uint64_t v[LABEL_UNIT + 1] = {0};
    char digits[NUMBER];
    otlp_walk w = otlp_enter(o, OTLP_LABEL, otlp_part_of(o, field));
    while (otlp_next(&f, &w)) {
        v[w.role] = f.value;
    }
    ts_text key = otlp_good(&w) && v[LABEL_KEY] != 0 ? otlp_text(o, v[LABEL_KEY]) : TS_TEXT_NULL;
    if (key.p == NULL) {
        o->bad_labels++;
        return TS_OK;
    }
    if (v[LABEL_TEXT] != 0) {
        ts_text text = otlp_text(o, v[LABEL_TEXT]);
        o->bad_labels += text.p == NULL ? 1 : 0;
        return text.p == NULL ? TS_OK : add_label(o, key, text, 0);
    }
    /* Texts of labels may not move: the number is in a buffer of its own, from its offset on. */
    snprintf(digits, sizeof digits, "%" PRId64, (int64_t)v[LABEL_NUMBER]);
    ts_text number = {NULL, o->scratch.n};
    TS_TRY(ts_buf_put(o->ctx, &o->scratch, digits, strlen(digits) + 1));
    return add_label(o, key, number, (int64_t)v[LABEL_UNIT]);
}

static ts_code old_labels(otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter_again(o, OTLP_SAMPLE, part);
    size_t first = o->labels.n;
    o->scratch.n = 0;
    while (otlp_next(&f, &w)) {
        if (w.role == SAMPLE_LABEL) {
            TS_TRY(old_label(o, &f));
        }
    }
    for (label *l = (label *)o->labels.p; first < o->labels.n; first++) {
        if (l[first].value.p == NULL && l[first].value.n < o->scratch.n) {
            l[first].value = ts_text_of(o->scratch.p + l[first].value.n);
        }
    }
    return TS_OK;
}

static ts_code find_labels(sample *s, otlp *o, otlp_part part)
{
    o->labels.n = 0;
    if (!o->guessed) {
        TS_TRY(attribute_labels(s, o));
    }
    TS_TRY(link_labels(s, o));
    return o->layout == OTLP_1_3 ? old_labels(o, part) : TS_OK;
}

static ts_code put_labels(otlp *o, int64_t sample_id)
{
    const label *l = o->labels.p;
    for (size_t i = 0; i < o->labels.n; i++) {
        ts_row_stack_sample_label row = {
            .sample_id = sample_id, .key = l[i].key, .value = l[i].value};
        TS_TRY(ts_put_stack_sample_label(o->sink, &row));
        ts_row_profile_label_unit unit = {.sample_id = sample_id, .key = l[i].key};
        unit.unit = l[i].unit == 0 ? TS_TEXT_NULL : otlp_text(o, (uint64_t)l[i].unit);
        if (unit.unit.n > 0) {
            TS_TRY(ts_put_profile_label_unit(o->sink, &unit));
        }
    }
    return TS_OK;
}

/* --- values ------------------------------------------------------------------------------------
 */

static ts_code flush_values(otlp *o)
{
    unsigned n = o->value_row_n;
    o->value_row_n = 0;
    return n == 0 ? TS_OK
                  : ts_sink_put_many(o->sink, TS_T_stack_sample_value, o->value_rows,
                                     sizeof o->value_rows[0], n);
}

static ts_code add_value(otlp *o, int64_t sample_id, int64_t type, int64_t value)
{
    o->value_rows[o->value_row_n].sample_id = sample_id;
    o->value_rows[o->value_row_n].value_type_id = type;
    o->value_rows[o->value_row_n].value = value;
    return ++o->value_row_n == OTLP_VALUE_ROWS ? flush_values(o) : TS_OK;
}

/* One value for each kind from the first on; and what is made of a number of samples. */
static ts_code put_values(otlp *o, int64_t sample_id, const int64_t *values, size_t n)
{
    otlp_source *s = o->profile.source;
    const ts_profile_type *types = otlp_types(o, s);
    int64_t v;
    for (size_t i = 0; i < n; i++) {
        if (i >= s->type_n || types[i].id == 0) {
            s->values_lost++;
            o->no_types += s->type_n == 0 ? 1 : 0;
        } else if (ts_profile_scaled(&v, values[i], types[i].scale)) {
            s->values++;
            TS_TRY(add_value(o, sample_id, types[i].id, v));
        } else {
            s->values_lost++;
            o->overflows++;
        }
    }
    return n > 0 && s->estimated != 0 && ts_profile_scaled(&v, values[0], o->profile.period)
               ? add_value(o, sample_id, s->estimated, v)
               : TS_OK;
}

/* --- rows --------------------------------------------------------------------------------------
 */

/* What the first value that is not 0 is of. */
static ts_text cause_of(const otlp *o, const int64_t *values, size_t n)
{
    const otlp_source *s = o->profile.source;
    const ts_profile_type *types = otlp_types(o, s);
    for (size_t i = 0; i < n && i < s->type_n; i++) {
        if (values[i] != 0) {
            return types[i].cause;
        }
    }
    return s->type_n == 0 ? TS_TEXT_NULL : types[0].cause;
}

/* The range begins with the first time that is recorded. */
static ts_code choose_wanted(otlp *o, int64_t ts)
{
    if (o->spanned || ts == TS_NO_TIME) {
        return TS_OK;
    }
    o->spanned = true;
    return ts_wanted_span(&o->wanted, o->ctx, TS_CLOCK_REALTIME, NULL, ts)
               ? TS_OK
               : ts_issue(o->store, o->job->source_id, TS_ISSUE_time_range_unrelated, NULL,
                          TS_NO_OFFSET, "all samples are kept");
}

/* One observation; ts NULL: its time is not recorded. */
static ts_code put_row(otlp *o, const sample *s, const uint64_t *time, const int64_t *values,
                       size_t n)
{
    otlp_source *source = o->profile.source;
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(o->sink, TS_T_stack_sample) + 1,
        .source_id = source->id,
        .event = cause_of(o, values, n),
        .itid = s->itid,
        .node_id = s->node,
        .ts = TS_NO_TIME,
    };
    if (time != NULL && *time != 0) {
        row.ts = *time > INT64_MAX ? TS_NO_TIME : (int64_t)*time;
        o->overflows += row.ts == TS_NO_TIME ? 1 : 0;
    }
    TS_TRY(choose_wanted(o, row.ts));
    if (row.ts != TS_NO_TIME && !ts_span_has(&o->wanted, row.ts)) {
        source->samples_skipped++;
        source->values_skipped += n;
        return TS_OK;
    }
    TS_SET_NULL(stack_sample, &row, dur);
    TS_NULL_IF(row.ts == TS_NO_TIME, stack_sample, &row, ts);
    TS_NULL_IF(row.itid < 0, stack_sample, &row, itid);
    TS_NULL_IF(row.node_id == 0, stack_sample, &row, node_id);
    if (row.ts != TS_NO_TIME) {
        ts_range_note(o->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, row.ts);
    }
    TS_TRY(ts_put_stack_sample(o->sink, &row));
    source->samples++;
    TS_TRY(put_values(o, row.id, values, n));
    return put_labels(o, row.id);
}

static ts_code put_rows(otlp *o, const sample *s, size_t n, size_t times, const int64_t *value,
                        size_t step)
{
    const uint64_t *time = o->times.p;
    if (!otlp_spend(o, n * o->labels.n)) {
        o->too_much++;
        o->labels.n = 0;
    }
    for (size_t i = 0; i < n; i++) {
        const int64_t *own = value == NULL ? NULL : value + i * step;
        TS_TRY(put_row(o, s, i < times ? &time[i] : NULL, own, own == NULL ? 0 : 1));
    }
    return TS_OK;
}

/* Since 1.8: each value and each time is an observation. */
static ts_code put_observations(otlp *o, const sample *s)
{
    static const int64_t one = 1;
    const int64_t *values = o->values.p;
    const size_t n = o->values.n;
    const size_t times = o->times.n;
    bool ones = true;
    for (size_t i = 0; o->guessed && i < o->attribute_list.n; i++) {
        ones = ones && ((const uint64_t *)o->attribute_list.p)[i] == 1;
    }
    if (n > 0 && (times == n || times == 0)) {
        return put_rows(o, s, n, times, values, 1);
    }
    if (n == 0 && times > 0) {
        return put_rows(o, s, times, times, ones ? &one : NULL, 0);
    }
    o->shapes++;
    o->profile.source->values_lost += n;
    return put_rows(o, s, 1, 0, NULL, 0);
}

/* Before 1.8: a value for each kind. Times are those of single events when there are as many
 * values, or one of 1; else only the first one can be kept. */
static ts_code put_old(otlp *o, const sample *s)
{
    static const int64_t one = 1;
    otlp_source *source = o->profile.source;
    const int64_t *values = o->values.p;
    const uint64_t *time = o->times.p;
    const size_t n = o->values.n;
    const size_t times = o->times.n;
    if (source->type_n <= 1 && n == times && n > 0) {
        return put_rows(o, s, n, times, values, 1);
    }
    if (source->type_n <= 1 && n == 1 && values[0] == 1 && times > 1) {
        return put_rows(o, s, times, times, &one, 0);
    }
    bool fits = n == source->type_n;
    o->times_skipped += times > 1 ? times - 1 : 0;
    o->shapes += fits || source->type_n == 0 ? 0 : 1;
    o->no_types += source->type_n == 0 ? n : 0;
    source->values_lost += fits ? 0 : n;
    if (!otlp_spend(o, o->labels.n)) {
        o->too_much++;
        o->labels.n = 0;
    }
    return put_row(o, s, times > 0 ? time : NULL, values, fits ? n : 0);
}

ts_code otlp_sample(otlp *o, otlp_part part)
{
    sample s;
    TS_TRY(read_sample(&s, o, part));
    if (!s.good) {
        o->profile.source->samples_lost++;
        return ts_issue(o->store, o->profile.source->id, TS_ISSUE_prof_bad_message,
                        o->profile.source->name,
                        (int64_t)(o->message_at + (o->names ? 0 : (uint64_t)part.at)),
                        "a sample is not well-formed");
    }
    TS_TRY(find_node(&s, o));
    TS_TRY(find_labels(&s, o, part));
    return o->layout >= OTLP_1_8 ? put_observations(o, &s) : put_old(o, &s);
}

ts_code otlp_samples_flush(otlp *o)
{
    TS_TRY(flush_values(o));
    ts_path_store *paths = o->profile.source->paths;
    return paths == NULL ? TS_OK : ts_paths_flush(paths, o->store);
}
