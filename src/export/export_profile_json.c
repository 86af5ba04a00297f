/*
 * Profiles as Datakit has them, a JSON object a line: what was profiled, and its samples by the
 * type of their event, each with values, labels and its stack, the innermost frame first.
 *
 * Memory does not grow with samples: they are sorted by profile and event with 8 MiB and a spool,
 * and written one after the other.
 */
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sorter.h"
#include "export/export_parts.h"
#include "tables/profile_kinds.h"

#include <inttypes.h>
#include <stdio.h>

enum { PJ_MEMORY = 8 << 20, PJ_DETAILS_MEMORY = 2 << 20 };

typedef enum pj_kind { PJ_SAMPLE, PJ_VALUE, PJ_LABEL } pj_kind;

enum { PJ_CALL = 1, PJ_CPU = 2 };

/* A sample, then its values, then its labels. */
typedef struct pj_record {
    uint64_t group; /* source, and place of the event's type in `events` */
    uint64_t number;
    int64_t kind;
    int64_t a; /* sample: call path; value: kind of value; label: row */
    int64_t b; /* sample: itid; value: the value */
    int64_t c; /* sample: its time, or TS_NO_TIME */
    int64_t d; /* sample: PJ_CALL, PJ_CPU */
} pj_record;

typedef struct pj_label {
    uint32_t key, value; /* places in the pool of the sample's texts */
} pj_label;

/* A value or a label of a sample. In the tables they may be in any order: they are sorted first. */
typedef struct pj_detail {
    uint64_t sample_id;
    int64_t a; /* of a value its kind, of a label the number of its row */
    int64_t b; /* of a value the value */
} pj_detail;

typedef struct pj_details {
    ts_sorter *sorter;
    const void *next; /* pj_detail; NULL at the end */
} pj_details;

typedef struct pj_work {
    ts_parts x;
    ts_pool events;    /* types of events */
    ts_pool causes;    /* of samples, of profiles that say what their values stand for */
    ts_idmap by_cause; /* (source, place in `causes`) -> place in `events` */
    ts_sorter *sorter;
    pj_details values, labels;
    ts_scan *label_rows;
    uint64_t number;
    ts_vec types;   /* pj_type, by id of stack_value_type */
    ts_pool texts;  /* JSON of their names and units, and of methods */
    uint32_t *head; /* by method: place in `texts` + 1 of a frame's beginning; 0: not made yet */
    /* The sample that is being written. */
    pj_record sample;
    bool open, any_value;
    ts_vec sample_labels; /* pj_label */
    ts_pool sample_texts;
    ts_idmap sample_keys; /* key -> place of its label */
    ts_buf scratch;
    /* The profile that is being written. */
    int64_t source_id; /* 0: none */
    uint32_t event;
} pj_work;

/* A kind of value: JSON strings. */
typedef struct pj_type {
    uint32_t name, unit; /* places in `texts` */
    int64_t source_id;
    bool known;
} pj_type;

/* --- values and labels ------------------------------------------------------------------------ */

/* Sorts all values, or all labels, for a walk over samples in the order of their ids. */
static ts_code details_open(pj_details *d, ts_parts *x, bool labels)
{
    static const unsigned values[] = {TS_C_stack_sample_value__sample_id,
                                      TS_C_stack_sample_value__value_type_id,
                                      TS_C_stack_sample_value__value};
    static const unsigned keys[] = {TS_C_stack_sample_label__sample_id};
    const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    ts_walk rows = labels ? ts_walk_of(ts_rows_of(x->reader), TS_T_stack_sample_label, keys, 1)
                          : ts_walk_of(ts_rows_of(x->reader), TS_T_stack_sample_value, values, 3);
    ts_code code = ts_sorter_open(&d->sorter, x->ctx, sizeof(pj_detail), &order, PJ_DETAILS_MEMORY);
    while (ts_walk_next(&code, &rows)) {
        const pj_detail one = {
            .sample_id = ts_sorter_key(ts_walk_int(&rows, 0)),
            .a = labels ? ts_walk_id(&rows) : ts_walk_int(&rows, 1),
            .b = labels ? 0 : ts_walk_int(&rows, 2),
        };
        code = ts_sorter_add(d->sorter, &one);
    }
    TS_STEP(code, ts_sorter_finish(d->sorter));
    TS_STEP(code, ts_sorter_next(&d->next, d->sorter));
    return code;
}

static void details_close(pj_details *d)
{
    ts_sorter_close(d->sorter);
    *d = (pj_details){0};
}

/* Puts those of a sample after it into the order of all. Ids of samples rise. */
static ts_code details_of(pj_details *d, pj_work *j, pj_record *record, int64_t sample_id)
{
    const uint64_t key = ts_sorter_key(sample_id);
    const pj_detail *one;
    ts_code code = TS_OK;
    while (code == TS_OK && (one = d->next) != NULL && one->sample_id <= key) {
        record->a = one->a;
        record->b = one->b;
        TS_STEP_IF(code, one->sample_id == key, ts_sorter_add(j->sorter, record));
        TS_STEP(code, ts_sorter_next(&d->next, d->sorter));
    }
    return code;
}

/* --- events ----------------------------------------------------------------------------------- */

/* What Datakit calls samples with this cause. */
static ts_text pj_event_type(ts_text event)
{
    static const struct {
        const char *event, *type;
    } known[] = {
        {"cpu", "cpu-samples"},        {"wall", "wall-samples"}, {"alloc", "alloc-samples"},
        {"heap", "heap-live-objects"}, {"lock", "lock-acquire"}, {"exception", "exception-samples"},
        {"goroutine", "goroutines"},   {"call", "calls"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (ts_text_is(event, known[i].event)) {
            return ts_text_of(known[i].type);
        }
    }
    return event.n == 0 ? TS_TEXT_LIT("samples") : event;
}

static int64_t pj_cause_key(int64_t source_id, uint32_t cause)
{
    return (int64_t)((uint64_t)source_id << 32 | cause);
}

/* A profile that says what its values stand for says so of its samples: what the first value of
 * their cause stands for. */
static ts_code pj_add_cause(pj_work *j, int64_t source_id, ts_text event)
{
    uint32_t cause, type;
    uint64_t known;
    ts_code code = ts_pool_intern(j->x.ctx, &cause, NULL, &j->causes, ts_sample_cause(event));
    if (code != TS_OK || ts_idmap_find(&known, &j->by_cause, pj_cause_key(source_id, cause))) {
        return code;
    }
    code = ts_pool_intern(j->x.ctx, &type, NULL, &j->events, event);
    TS_STEP(code, ts_idmap_put(j->x.ctx, &j->by_cause, pj_cause_key(source_id, cause), type));
    return code;
}

static ts_code pj_find_event(uint32_t *event, pj_work *j, const ts_calls_item *item)
{
    uint32_t cause;
    uint64_t type;
    if (ts_pool_find(&cause, &j->causes, item->event) &&
        ts_idmap_find(&type, &j->by_cause, pj_cause_key(item->source_id, cause))) {
        *event = (uint32_t)type;
        return TS_OK;
    }
    return ts_pool_intern(j->x.ctx, event, NULL, &j->events, pj_event_type(item->event));
}

/* --- reading ---------------------------------------------------------------------------------- */

static ts_code pj_item(void *user, const ts_calls_item *item)
{
    pj_work *j = user;
    const ts_upload *up;
    uint32_t event = 0;
    pj_record record = {
        .number = j->number++,
        .kind = PJ_SAMPLE,
        .a = item->node,
        .b = item->itid,
        .c = item->call ? item->own : item->dur,
        .d = (item->call ? PJ_CALL : 0) | (ts_text_is(item->event, "cpu") ? PJ_CPU : 0),
    };
    ts_code code = pj_find_event(&event, j, item);
    TS_STEP_IF(code, (item->source_id < 1 || item->source_id > UINT32_MAX),
               ts_rows_changed(j->x.ctx, "stack_sample"));
    up = code == TS_OK ? ts_uploads_find(&j->x.uploads, item->source_id) : NULL;
    record.group = (uint64_t)(up == NULL ? item->source_id : up->source_id) << 32 | event;
    TS_STEP(code, ts_sorter_add(j->sorter, &record));
    record.kind = PJ_VALUE;
    TS_STEP_IF(code, !item->call, details_of(&j->values, j, &record, item->id));
    record.kind = PJ_LABEL;
    TS_STEP_IF(code, !item->call, details_of(&j->labels, j, &record, item->id));
    return code;
}

static ts_code pj_sort(pj_work *j)
{
    const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    const ts_weight count = {.kind = TS_WEIGHT_SAMPLES};
    ts_code code = ts_sorter_open(&j->sorter, j->x.ctx, sizeof(pj_record), &order, PJ_MEMORY);
    TS_STEP(code, details_open(&j->values, &j->x, false));
    TS_STEP(code, details_open(&j->labels, &j->x, true));
    if (code == TS_OK) {
        j->x.calls.stackless = true;
        code = ts_calls_each(&j->x.calls, &count, pj_item, j);
    }
    details_close(&j->values);
    details_close(&j->labels);
    TS_STEP_IF(code, j->number == 0, ts_calls_explain(&j->x.calls, "no sample is asked for"));
    TS_STEP(code, ts_sorter_finish(j->sorter));
    return code;
}

/* Place of a text's JSON in `texts`. */
static ts_code pj_json(uint32_t *place, pj_work *j, ts_text text)
{
    j->scratch.n = 0;
    ts_code code = ts_json_quote(j->x.ctx, &j->scratch, text, TS_JOUT_STEERS);
    TS_STEP(code, ts_pool_intern(j->x.ctx, place, NULL, &j->texts, ts_buf_text(&j->scratch)));
    return code;
}

static ts_code pj_read_types(pj_work *j)
{
    static const unsigned columns[] = {TS_C_stack_value_type__name, TS_C_stack_value_type__unit,
                                       TS_C_stack_value_type__source_id};
    ts_walk rows = ts_walk_of(ts_rows_of(j->x.calls.reader), TS_T_stack_value_type, columns, 3);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        pj_type type = {.source_id = ts_walk_int(&rows, 2), .known = true};
        code = ts_vec_reach(j->x.ctx, &j->types, ts_walk_id(&rows), sizeof type);
        TS_STEP(code, pj_json(&type.name, j, ts_walk_text(&rows, 0)));
        TS_STEP(code, pj_json(&type.unit, j, ts_walk_text(&rows, 1)));
        if (code == TS_OK) {
            ((pj_type *)j->types.p)[ts_walk_id(&rows)] = type;
        }
    }
    return code;
}

/* Kinds of values as a profile calls them, and what they stand for. */
static ts_code pj_read_own_types(pj_work *j)
{
    static const unsigned columns[] = {TS_C_profile_value_type__value_type_id,
                                       TS_C_profile_value_type__type,
                                       TS_C_profile_value_type__event_type};
    ts_walk rows = ts_walk_of(ts_rows_of(j->x.calls.reader), TS_T_profile_value_type, columns, 3);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        int64_t id = ts_walk_int(&rows, 0);
        pj_type *type = id >= 0 && (uint64_t)id < j->types.n ? (pj_type *)j->types.p + id : NULL;
        if (type == NULL || !type->known) {
            continue;
        }
        code = pj_add_cause(j, type->source_id, ts_walk_text(&rows, 2));
        TS_STEP_IF(code, ts_walk_text(&rows, 1).n > 0,
                   pj_json(&type->name, j, ts_walk_text(&rows, 1)));
    }
    return code;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static bool pj_ends(ts_text text, ts_text with)
{
    return text.n >= with.n && memcmp(text.p + text.n - with.n, with.p, with.n) == 0;
}

/* {"name":...,"file":... of a method; with the arguments of a method of Java. */
static ts_code pj_make_head(uint32_t *place, pj_work *j, uint32_t node)
{
    uint32_t method = j->x.calls.method[node];
    ts_frame f = ts_frames_get(&j->x.frames, ts_calls_frame(&j->x.calls, node));
    ts_text text = ts_methods_get(&j->x.methods, j->x.methods.key[method]).method;
    const char *bracket = memchr(text.p, '(', text.n);
    ts_text arguments = {bracket, bracket == NULL ? 0 : (size_t)(text.p + text.n - bracket)};
    ts_buf name = {0};
    ts_jout head = ts_jout_into(j->x.ctx, &j->scratch);
    j->scratch.n = 0;
    ts_code code = ts_buf_put(j->x.ctx, &name, f.label.p, f.label.n);
    TS_STEP_IF(code, bracket != NULL && !pj_ends(f.label, arguments),
               ts_buf_put(j->x.ctx, &name, arguments.p, arguments.n));
    ts_jout_fail(&head, code);
    ts_jout_open(&head, NULL, '{');
    ts_jout_text(&head, "name", ts_buf_text(&name));
    ts_jout_text(&head, "file", f.file.p == NULL ? TS_TEXT_LIT("") : f.file);
    code = head.code;
    TS_STEP(code, ts_pool_intern(j->x.ctx, place, NULL, &j->texts, ts_buf_text(&j->scratch)));
    ts_buf_free(j->x.ctx, &name);
    return code;
}

static void pj_stack(pj_work *j, uint32_t node)
{
    for (uint32_t at = node; at != 0 && j->x.w.code == TS_OK; at = j->x.calls.parent[at]) {
        uint32_t method = j->x.calls.method[at];
        int32_t line = j->x.calls.line[at] > 0 ? j->x.calls.line[at] : j->x.methods.line[method];
        if (j->head[method] == 0) {
            uint32_t place = 0;
            ts_jout_fail(&j->x.w, pj_make_head(&place, j, at));
            j->head[method] = place + 1;
        }
        if (j->x.w.code == TS_OK) {
            ts_jout_raw(&j->x.w, NULL, ts_pool_text(&j->texts, j->head[method] - 1));
            ts_jout_int(&j->x.w, "line", line);
            ts_jout_close(&j->x.w, '}');
        }
    }
}

/* --- a sample --------------------------------------------------------------------------------- */

static void pj_value(pj_work *j, ts_text name, int64_t value, ts_text unit)
{
    ts_jout_open(&j->x.w, NULL, '{');
    ts_jout_raw(&j->x.w, "type", name);
    ts_jout_int(&j->x.w, "value", value);
    ts_jout_raw(&j->x.w, "unit", unit);
    ts_jout_close(&j->x.w, '}');
    j->any_value = true;
}

static void pj_recorded_value(pj_work *j, const pj_record *r)
{
    const pj_type *types = j->types.p;
    if (r->a >= 0 && (uint64_t)r->a < j->types.n && types[r->a].known) {
        pj_value(j, ts_pool_text(&j->texts, types[r->a].name), r->b,
                 ts_pool_text(&j->texts, types[r->a].unit));
    }
}

/* Of several labels with one key the first that says something counts. */
static ts_code pj_put_label(pj_work *j, ts_text key, ts_text value)
{
    pj_label label;
    uint64_t at;
    ts_code code = ts_pool_intern(j->x.ctx, &label.key, NULL, &j->sample_texts, key);
    TS_STEP(code, ts_pool_intern(j->x.ctx, &label.value, NULL, &j->sample_texts, value));
    if (code != TS_OK) {
        return code;
    }
    if (ts_idmap_find(&at, &j->sample_keys, label.key)) {
        pj_label *known = &((pj_label *)j->sample_labels.p)[at];
        bool empty = ts_pool_text(&j->sample_texts, known->value).n == 0;
        known->value = empty ? label.value : known->value;
        return TS_OK;
    }
    at = j->sample_labels.n;
    TS_TRY_INTO(code, ts_vec_push(j->x.ctx, &j->sample_labels, &label, sizeof label));
    return ts_idmap_put(j->x.ctx, &j->sample_keys, label.key, at);
}

static ts_code pj_read_label(pj_work *j, int64_t row)
{
    const ts_batch *b;
    ts_code code = ts_scan_row(&b, j->label_rows, row);
    TS_STEP_IF(code, b->rows > 0, pj_put_label(j, ts_cell_text(b, 0, 0), ts_cell_text(b, 1, 0)));
    return code;
}

static ts_text pj_label_of(const pj_work *j, const char *key)
{
    const pj_label *all = j->sample_labels.p;
    for (size_t i = 0; i < j->sample_labels.n; i++) {
        if (ts_text_is(ts_pool_text(&j->sample_texts, all[i].key), key)) {
            return ts_pool_text(&j->sample_texts, all[i].value);
        }
    }
    return (ts_text){"", 0};
}

/* pprof and JFR spell them differently. */
static ts_text pj_span_of(const pj_work *j, const char *key, const char *other)
{
    ts_text text = pj_label_of(j, key);
    return text.n == 0 ? pj_label_of(j, other) : text;
}

static ts_code pj_thread_labels(pj_work *j)
{
    char digits[24];
    ts_text name = ts_naming_thread(&j->x.names, j->sample.b);
    ts_who who = ts_naming_who(&j->x.names, j->source_id, j->sample.b);
    ts_code code = TS_OK;
    if (name.n > 0) {
        code = pj_put_label(j, TS_TEXT_LIT("thread name"), name);
    }
    if (code == TS_OK && who.tid < TS_WHO_MADE_UP) {
        int n = snprintf(digits, sizeof digits, "%" PRId64, who.tid);
        code = pj_put_label(j, TS_TEXT_LIT("thread id"), (ts_text){digits, (size_t)n});
    }
    return code;
}

static void pj_labels(pj_work *j)
{
    const pj_label *all = j->sample_labels.p;
    ts_jout_text(&j->x.w, "span_id", pj_span_of(j, "span id", "spanId"));
    ts_jout_text(&j->x.w, "root_span_id", pj_span_of(j, "local root span id", "localRootSpanId"));
    ts_jout_text(&j->x.w, "trace_endpoint", pj_label_of(j, "trace endpoint"));
    ts_jout_open(&j->x.w, "labels", '{');
    for (size_t i = 0; i < j->sample_labels.n; i++) {
        ts_jout_key(&j->x.w, ts_pool_text(&j->sample_texts, all[i].key));
        ts_jout_text(&j->x.w, NULL, ts_pool_text(&j->sample_texts, all[i].value));
    }
    ts_jout_close(&j->x.w, '}');
}

/* Ends the sample that is being written. Where no value was recorded it counts as one; the time
 * that it stands for is a value too. */
static void pj_end_sample(pj_work *j)
{
    static const ts_text ns = {"\"ns\"", 4};
    bool recorded = j->any_value;
    if (!j->open) {
        return;
    }
    if (!recorded) {
        pj_value(j, TS_TEXT_LIT("\"samples\""), 1, TS_TEXT_LIT("\"count\""));
    }
    if (j->sample.c != TS_NO_TIME) {
        bool cpu = !recorded && (j->sample.d & PJ_CPU) != 0;
        pj_value(j, cpu ? TS_TEXT_LIT("\"cpu\"") : TS_TEXT_LIT("\"wall\""), j->sample.c, ns);
    }
    ts_jout_close(&j->x.w, ']');
    if (j->sample.b != TS_NO_THREAD) {
        ts_jout_fail(&j->x.w, pj_thread_labels(j));
    }
    pj_labels(j);
    ts_jout_open(&j->x.w, "stack_trace", '[');
    pj_stack(j, (uint32_t)j->sample.a);
    ts_jout_ends(&j->x.w, "]}");
    j->open = false;
    j->sample_labels.n = 0;
    if (j->sample_texts.count > 0) {
        ts_pool_free(j->x.ctx, &j->sample_texts);
        ts_idmap_free(j->x.ctx, &j->sample_keys);
    }
}

static void pj_begin_sample(pj_work *j, const pj_record *r)
{
    ts_jout_open(&j->x.w, NULL, '{');
    ts_jout_open(&j->x.w, "values", '[');
    j->sample = *r;
    j->open = true;
    j->any_value = false;
}

/* --- a profile -------------------------------------------------------------------------------- */

static void pj_time(pj_work *j, const char *name, int64_t ns)
{
    if (ns == TS_NO_TIME) {
        ts_jout_null(&j->x.w, name);
    } else {
        ts_jout_int(&j->x.w, name, ns);
    }
}

static void pj_metrics(pj_work *j, const ts_upload *up)
{
    ts_metric metrics[TS_METRICS];
    char real[TS_REAL_DIGITS];
    unsigned n = ts_metrics_of(metrics, &j->x.metrics, up, false);
    for (unsigned i = 0; i < n; i++) {
        if (metrics[i].is_int) {
            ts_jout_printf(&j->x.w, metrics[i].name, "\"%" PRId64 "\"", metrics[i].i);
        } else {
            bool known = ts_plain_real(real, metrics[i].real);
            ts_jout_str(&j->x.w, metrics[i].name, known ? real : "");
        }
    }
}

static void pj_begin_profile(pj_work *j, const ts_upload *up)
{
    static const struct {
        const char *name;
        ts_upload_text text;
    } before[] = {{"agent_ver", TS_UP_AGENT_VER},
                  {"endpoint", TS_UP_ENDPOINT},
                  {"service", TS_UP_SERVICE},
                  {"env", TS_UP_ENV},
                  {"version", TS_UP_VERSION}},
      after[] = {{"host", TS_UP_HOST},
                 {"pid", TS_UP_PID},
                 {"language", TS_UP_LANGUAGE},
                 {"language_ver", TS_UP_LANGUAGE_VER},
                 {"runtime", TS_UP_RUNTIME},
                 {"runtime_os", TS_UP_RUNTIME_OS},
                 {"runtime_arch", TS_UP_RUNTIME_ARCH},
                 {"format", TS_UP_FORMAT}};
    ts_jout_open(&j->x.w, NULL, '{');
    ts_jout_text(&j->x.w, "profile_id", up->texts[TS_UP_ID]);
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        ts_jout_text(&j->x.w, before[i].name, up->texts[before[i].text]);
    }
    pj_time(j, "start", up->start);
    pj_time(j, "end", up->end);
    pj_time(j, "duration", up->dur);
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        ts_jout_text(&j->x.w, after[i].name, up->texts[after[i].text]);
    }
    ts_jout_open(&j->x.w, "tags", '{');
    for (size_t i = 0; i < up->tags; i++) {
        const ts_upload_tag *tag = (const ts_upload_tag *)j->x.uploads.tags.p + up->first_tag + i;
        ts_jout_key(&j->x.w, tag->key);
        ts_jout_text(&j->x.w, NULL, tag->value);
    }
    ts_jout_close(&j->x.w, '}');
    ts_jout_open(&j->x.w, "oss_path", '[');
    for (size_t i = 0; i < up->files; i++) {
        ts_jout_text(&j->x.w, NULL, ((const ts_text *)j->x.uploads.files.p)[up->first_file + i]);
    }
    if (up->files == 0 && up->texts[TS_UP_PATH].n > 0) {
        ts_jout_text(&j->x.w, NULL, up->texts[TS_UP_PATH]);
    }
    ts_jout_close(&j->x.w, ']');
    ts_jout_open(&j->x.w, "metrics", '{');
    pj_metrics(j, up);
    ts_jout_close(&j->x.w, '}');
    ts_jout_open(&j->x.w, "samples", '{');
}

static void pj_end_profile(pj_work *j)
{
    pj_end_sample(j);
    if (j->source_id != 0) {
        ts_jout_ends(&j->x.w, "]}}");
        ts_jout_line(&j->x.w);
        j->x.w.comma = false;
    }
    j->source_id = 0;
}

/* The profile and the event of a record. */
static void pj_enter(pj_work *j, uint64_t group)
{
    int64_t source_id = (int64_t)(group >> 32);
    uint32_t event = (uint32_t)group;
    if (source_id == j->source_id && event == j->event) {
        return;
    }
    if (source_id != j->source_id) {
        const ts_upload *up = ts_uploads_find(&j->x.uploads, source_id);
        pj_end_profile(j);
        if (up == NULL) {
            ts_jout_fail(&j->x.w, ts_rows_changed(j->x.ctx, "stack_sample"));
            return;
        }
        pj_begin_profile(j, up);
        j->source_id = source_id;
    } else {
        pj_end_sample(j);
        ts_jout_close(&j->x.w, ']');
    }
    j->event = event;
    ts_jout_key(&j->x.w, ts_pool_text(&j->events, event));
    ts_jout_open(&j->x.w, NULL, '[');
}

static ts_code pj_write(pj_work *j)
{
    const void *next = NULL;
    while (j->x.w.code == TS_OK) {
        ts_jout_fail(&j->x.w, ts_sorter_next(&next, j->sorter));
        if (j->x.w.code != TS_OK || next == NULL) {
            break;
        }
        const pj_record *r = next;
        if (r->kind == PJ_SAMPLE) {
            pj_end_sample(j);
            pj_enter(j, r->group);
            pj_begin_sample(j, r);
        } else if (r->kind == PJ_VALUE) {
            pj_recorded_value(j, r);
        } else {
            ts_jout_fail(&j->x.w, pj_read_label(j, r->a));
        }
    }
    if (j->x.w.code == TS_OK) {
        pj_end_profile(j);
    }
    return j->x.w.code;
}

/* --- all -------------------------------------------------------------------------------------- */

static ts_code pj_load(pj_work *j)
{
    static const unsigned labels[] = {TS_C_stack_sample_label__key, TS_C_stack_sample_label__value};
    ts_parts *x = &j->x;
    if (x->input->side.filter.weight != NULL) {
        return ts_fail(x->ctx, TS_ERR_USAGE,
                       "--to=profile-json has all values: --weight cannot be given");
    }
    TS_TRY(ts_parts_calls(x, TS_FRAME_FILE, TS_LOAD_COUNT));
    TS_TRY(ts_naming_load(&x->names, x->ctx, x->reader));
    TS_TRY(ts_uploads_load(&x->uploads, x->ctx, x->reader, true));
    TS_TRY(ts_methods_load(&x->methods, x->ctx, &x->calls, &x->frames, &x->uploads));
    TS_TRY(ts_metrics_load(&x->metrics, x->ctx, x->reader, &x->uploads));
    TS_TRY(pj_read_types(j));
    TS_TRY(pj_read_own_types(j));
    TS_NEED(x->ctx, j->head = ts_zalloc(x->ctx, (size_t)x->calls.methods + 1, sizeof *j->head));
    TS_TRY(ts_scan_open(&j->label_rows, x->reader, TS_T_stack_sample_label, labels, 2));
    return pj_sort(j);
}

static ts_code pj_run(void *work)
{
    pj_work *j = work;
    TS_TRY(pj_load(j));
    return pj_write(j);
}

static void pj_release(void *work)
{
    pj_work *j = work;
    ts_ctx *ctx = j->x.ctx;
    ts_scan_close(j->label_rows);
    ts_sorter_close(j->sorter);
    details_close(&j->values);
    details_close(&j->labels);
    ts_free(ctx, j->head);
    ts_vec_free(ctx, &j->types);
    ts_vec_free(ctx, &j->sample_labels);
    ts_pool_free(ctx, &j->sample_texts);
    ts_idmap_free(ctx, &j->sample_keys);
    ts_pool_free(ctx, &j->texts);
    ts_pool_free(ctx, &j->events);
    ts_pool_free(ctx, &j->causes);
    ts_idmap_free(ctx, &j->by_cause);
    ts_buf_free(ctx, &j->scratch);
}

const ts_export ts_export_profile_json = {
    .name = "profile-json",
    .title = "profiles as Datakit has them: samples, values, labels, stacks; JSON, one a line",
    .extension = ".json",
    .needs = TS_NEEDS_SAMPLES,
    .work = sizeof(pj_work),
    .run = pj_run,
    .release = pj_release,
};
