/* Events that become time series, pauses, properties, settings and times of threads. */
#include "parsers/jfr/rules.h"

#include <inttypes.h>

/* Its text in the recording's scratch. */
static ts_code text_of(ts_text *text, jfr_chunk *c, ts_buf *scratch, const jfr_value *v)
{
    bool null;
    scratch->n = 0;
    ts_code code = jfr_value_text(&null, c, scratch, v);
    *text = null ? TS_TEXT_NULL : ts_buf_text(scratch);
    return code;
}

/* --- series --------------------------------------------------------------------------------- */

static const char *unit_name(const jfr_value *v)
{
    switch (v->unit) {
    case JFR_SPAN_TICKS:
    case JFR_SPAN_NS:
    case JFR_SPAN_US:
    case JFR_SPAN_MS:
    case JFR_SPAN_S:
        return "ns";
    case JFR_BYTES:
        return "bytes";
    case JFR_BITS:
        return "bits";
    case JFR_FRACTION:
        return "fraction";
    case JFR_HERTZ:
        return "hertz";
    default:
        return NULL;
    }
}

/* What several series of one field differ in, put after their names in brackets. */
static ts_code put_dimension(jfr_chunk *c, ts_buf *name, const jfr_rule *rule,
                             const jfr_value *values)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; i < JFR_RULE_FIELDS && code == TS_OK; i++) {
        ts_text text;
        if (rule->fields[i].label == NULL || jfr_field_of(values, i)->kind == JFR_V_NONE) {
            continue;
        }
        code = text_of(&text, c, &c->rec->parts[1], jfr_field_of(values, i));
        TS_STEP_IF(
            code, text.p != NULL,
            ts_buf_printf(c->ctx, name, "[%.*s]", (int)(text.n > 4096 ? 4096 : text.n), text.p));
    }
    return code;
}

/* Does the name depend on more than the field? */
static bool has_dimension(const jfr_rule *rule)
{
    for (unsigned i = 0; i < JFR_RULE_FIELDS; i++) {
        if (rule->fields[i].label != NULL) {
            return true;
        }
    }
    return false;
}

static ts_code named_series(int64_t *id, jfr_chunk *c, const jfr_rule *rule,
                            const jfr_value *values, const char *path, const char *unit,
                            int64_t itid)
{
    ts_buf *name = &c->rec->parts[0];
    name->n = 0;
    TS_TRY(ts_buf_put(c->ctx, name, rule->event, strlen(rule->event)));
    TS_TRY(ts_buf_putc(c->ctx, name, '.'));
    TS_TRY(ts_buf_put(c->ctx, name, path, strlen(path)));
    TS_TRY(put_dimension(c, name, rule, values));
    return jfr_series_id(id, c->rec, ts_buf_text(name), unit, itid);
}

static ts_code series_of(int64_t *id, jfr_chunk *c, const jfr_rule *rule, const jfr_value *values,
                         const char *path, const char *unit, int64_t itid)
{
    uint64_t spread = ((uint64_t)(uintptr_t)path + (uint64_t)itid) * c->pools.random[1];
    jfr_recent_series *recent = &c->rec->recent[(spread >> 48) % JFR_RECENT_SERIES];
    if (recent->rule == rule && recent->path == path && recent->itid == itid) {
        *id = recent->id;
        return TS_OK;
    }
    ts_code code = named_series(id, c, rule, values, path, unit, itid);
    if (code == TS_OK && !has_dimension(rule)) {
        *recent = (jfr_recent_series){rule, path, itid, *id};
    }
    return code;
}

static ts_code put_point(jfr_chunk *c, const jfr_rule *rule, const jfr_value *values,
                         const char *path, const jfr_value *v, int64_t itid, int64_t ts)
{
    double value;
    int64_t id;
    if (!jfr_value_real(&value, v)) {
        return TS_OK;
    }
    if (v->unit >= JFR_SPAN_TICKS && v->unit <= JFR_SPAN_S) {
        int64_t ns = jfr_value_span(c, v);
        if (ns == TS_NO_TIME) {
            return TS_OK;
        }
        value = (double)ns;
    }
    ts_code code = series_of(&id, c, rule, values, path, unit_name(v), itid);
    TS_STEP(code, jfr_series_put(c->rec, id, ts, value));
    return code;
}

ts_code jfr_run_series(jfr_chunk *c, uint32_t cls, const jfr_rule *rule, const jfr_value *values)
{
    int64_t ts = jfr_value_time(c, &values[SLOT_TIME]);
    int64_t itid = -1;
    ts_code code = TS_OK;
    (void)cls;
    jfr_note_time(c->rec, ts);
    TS_STEP_IF(code, rule->kind != NULL, jfr_value_thread(&itid, c, &values[SLOT_EVENT_THREAD]));
    TS_STEP_IF(code, rule->span == JFR_SPAN_DURATION,
               put_point(c, rule, values, "duration", &values[SLOT_DURATION], itid, ts));
    for (unsigned i = 0; i < JFR_RULE_FIELDS && code == TS_OK; i++) {
        TS_STEP_IF(
            code, rule->fields[i].path != NULL && rule->fields[i].label == NULL,
            put_point(c, rule, values, rule->fields[i].path, jfr_field_of(values, i), itid, ts));
    }
    return code;
}

/* --- garbage collections -------------------------------------------------------------------- */

enum { GC_USED, GC_SIZE, GC_ID, GC_WHEN, GC_NAME, GC_CAUSE = GC_WHEN };

static ts_code keep_gc(jfr_recording *rec, const jfr_gc_record *record)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    ts_code code = rec->gc == NULL
                       ? ts_sorter_open(&rec->gc, rec->ctx, sizeof *record, &order, JFR_GC_MEMORY)
                       : TS_OK;
    TS_STEP(code, ts_sorter_add(rec->gc, record));
    return code;
}

/* Its time and number. */
static jfr_gc_record gc_record(const jfr_chunk *c, jfr_gc_part part, const jfr_value *values)
{
    int64_t id = -1;
    jfr_gc_record record = {.part = part,
                            .ts = jfr_value_time(c, &values[SLOT_TIME]),
                            .dur = jfr_value_span(c, &values[SLOT_DURATION]),
                            .used = TS_NO_TIME,
                            .size = TS_NO_TIME};
    (void)jfr_value_int(&id, jfr_field_of(values, GC_ID));
    record.gc = ts_sorter_key(jfr_field_of(values, GC_ID)->kind == JFR_V_INT ? id : INT64_MIN);
    jfr_note_time(c->rec, record.ts);
    return record;
}

static ts_code gc_text(uint32_t *number, jfr_chunk *c, const jfr_value *v)
{
    ts_text text;
    ts_code code = text_of(&text, c, &c->rec->text, v);
    TS_STEP_IF(code, text.n > 0, ts_pool_intern(c->ctx, number, NULL, &c->rec->names, text));
    return code;
}

ts_code jfr_run_gc(jfr_chunk *c, uint32_t cls, const jfr_rule *rule, const jfr_value *values)
{
    jfr_gc_record record = gc_record(c, JFR_GC_PAUSE, values);
    ts_text when;
    ts_code code;
    (void)cls;
    if (rule->kind != NULL) {
        code = gc_text(&record.name, c, jfr_field_of(values, GC_NAME));
        TS_STEP(code, keep_gc(c->rec, &record));
        return code;
    }
    for (unsigned i = 0; i <= GC_SIZE; i++) {
        TS_TRY_INTO(code, put_point(c, rule, values, rule->fields[i].path, jfr_field_of(values, i),
                                    -1, record.ts));
    }
    TS_TRY_INTO(code, text_of(&when, c, &c->rec->text, jfr_field_of(values, GC_WHEN)));
    record.part = ts_text_is(when, "After GC") ? JFR_GC_AFTER : JFR_GC_BEFORE;
    if (jfr_field_of(values, GC_USED)->kind != JFR_V_INT ||
        (record.part == JFR_GC_BEFORE && !ts_text_is(when, "Before GC"))) {
        return TS_OK;
    }
    record.used = jfr_field_of(values, GC_USED)->i;
    record.size = jfr_field_of(values, GC_SIZE)->kind == JFR_V_INT
                      ? jfr_field_of(values, GC_SIZE)->i
                      : TS_NO_TIME;
    return keep_gc(c->rec, &record);
}

/* A collection, which may have several pauses: its durations are series, its pauses have its name.
 */
ts_code jfr_run_collection(jfr_chunk *c, uint32_t cls, const jfr_rule *rule,
                           const jfr_value *values)
{
    jfr_gc_record record = gc_record(c, JFR_GC_COLLECTION, values);
    ts_code code = put_point(c, rule, values, "duration", &values[SLOT_DURATION], -1, record.ts);
    (void)cls;
    for (unsigned i = 0; i < GC_ID && code == TS_OK; i++) {
        code = put_point(c, rule, values, rule->fields[i].path, jfr_field_of(values, i), -1,
                         record.ts);
    }
    if (code != TS_OK ||
        (code = gc_text(&record.name, c, jfr_field_of(values, GC_NAME))) != TS_OK ||
        (code = gc_text(&record.cause, c, jfr_field_of(values, GC_CAUSE))) != TS_OK) {
        return code;
    }
    return keep_gc(c->rec, &record);
}

/* --- facts ---------------------------------------------------------------------------------- */

static ts_code put_property(jfr_chunk *c, ts_text key, ts_text value)
{
    jfr_recording *rec = c->rec;
    uint32_t number;
    bool added;
    ts_buf *both = &rec->parts[2];
    ts_code code;
    /* Each chunk says it again. */
    both->n = 0;
    if ((code = ts_buf_put(c->ctx, both, key.p, key.n)) != TS_OK ||
        (code = ts_buf_putc(c->ctx, both, '=')) != TS_OK ||
        (code = ts_buf_put(c->ctx, both, value.p == NULL ? "" : value.p, value.n)) != TS_OK ||
        (code = ts_pool_intern(c->ctx, &number, &added, &rec->facts, ts_buf_text(both))) != TS_OK ||
        !added) {
        return code;
    }
    both->p[key.n] = '\0';
    return ts_source_property(rec->store, rec->source_id, both->p, value);
}

/* Those that the row of the profile has. */
static ts_code keep_fact(jfr_recording *rec, const char *label, ts_text text)
{
    uint32_t *to = strcmp(label, "jvmName") == 0      ? &rec->jvm_name
                   : strcmp(label, "jvmVersion") == 0 ? &rec->jvm_version
                   : strcmp(label, "osVersion") == 0  ? &rec->os_version
                   : strcmp(label, "os.arch") == 0    ? &rec->os_arch
                   : strcmp(label, "version") == 0    ? &rec->agent_version
                                                      : NULL;
    return to == NULL ? TS_OK : ts_pool_intern(rec->ctx, to, NULL, &rec->names, text);
}

ts_code jfr_run_property(jfr_chunk *c, uint32_t cls, const jfr_rule *rule, const jfr_value *values)
{
    ts_text text;
    ts_code code = TS_OK;
    (void)cls;
    if (rule->kind != NULL) {
        ts_text key;
        code = text_of(&key, c, &c->rec->parts[0], jfr_field_of(values, 0));
        if (code == TS_OK && key.p != NULL &&
            (code = text_of(&text, c, &c->rec->text, jfr_field_of(values, 1))) == TS_OK) {
            TS_STEP_IF(code, ts_text_is(key, "os.arch") && text.p != NULL,
                       keep_fact(c->rec, "os.arch", text));
            TS_STEP(code, put_property(c, key, text));
        }
        return code;
    }
    for (unsigned i = 0; i < JFR_RULE_FIELDS && code == TS_OK; i++) {
        const char *label = rule->fields[i].label;
        if (label == NULL || jfr_field_of(values, i)->kind == JFR_V_NONE) {
            continue;
        }
        if (strcmp(label, "pid") == 0) {
            (void)jfr_value_int(&c->rec->pid, jfr_field_of(values, i));
        }
        code = text_of(&text, c, &c->rec->text, jfr_field_of(values, i));
        TS_STEP_IF(code, text.p != NULL && (code = keep_fact(c->rec, label, text)) == TS_OK,
                   put_property(c, ts_text_of(label), text));
    }
    return code;
}

/* "10 ms", "20 us", bare digits in ns. 0: not such a text. */
static int64_t interval_of(ts_text text)
{
    static const struct {
        const char *unit;
        int64_t ns;
    } units[] = {{"", 1},   {" ns", 1},   {" us", 1000},   {" ms", 1000000}, {" s", 1000000000},
                 {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    int64_t v = 0;
    size_t i = 0;
    for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++) {
        if (ts_ckd_mul(&v, v, INT64_C(10)) || ts_ckd_add(&v, v, (int64_t)(text.p[i] - '0'))) {
            return 0;
        }
    }
    for (size_t u = 0; u < sizeof units / sizeof units[0] && i > 0; u++) {
        if (ts_text_is((ts_text){text.p + i, text.n - i}, units[u].unit)) {
            return ts_ckd_mul(&v, v, units[u].ns) ? 0 : v;
        }
    }
    return 0;
}

static void take_setting(jfr_chunk *c, ts_text event, ts_text name, ts_text value)
{
    bool interval = ts_text_is(name, "period") || ts_text_is(name, "interval");
    int64_t ns = interval ? interval_of(value) : 0;
    if (ts_text_is(event, "jdk.ExecutionSample") && ns > 0) {
        c->cpu_interval = ns;
    } else if (ts_text_is(event, "profiler.WallClockSample") && ns > 0) {
        c->wall_interval = ns;
    } else if (ts_text_is(event, "jdk.ActiveRecording")) {
        if (ts_text_is(name, "event") || ts_text_is(name, "engine")) {
            c->wall_mode = ts_text_is(value, "wall");
        } else if (ts_text_is(name, "wall") && ns == 0) {
            ns = interval_of(value);
            c->wall_interval = ns > 0 ? ns : c->wall_interval;
        }
    }
}

ts_code jfr_run_setting(jfr_chunk *c, uint32_t cls, const jfr_rule *rule, const jfr_value *values)
{
    ts_row_jfr_setting row = {.chunk_id = (int64_t)ts_sink_rows(c->rec->sink, TS_T_jfr_chunk) + 1};
    uint32_t named = JFR_NO_CLASS;
    ts_code code;
    (void)cls;
    if (rule->kind != NULL) {
        int64_t cpu = jfr_value_span(c, jfr_field_of(values, 0));
        int64_t wall = jfr_value_span(c, jfr_field_of(values, 1));
        c->cpu_interval = cpu > 0 ? cpu : c->cpu_interval;
        c->wall_interval = wall > 0 ? wall : c->wall_interval;
        return TS_OK;
    }
    uint32_t setting = jfr_field_of(values, 0)->kind == JFR_V_INT
                           ? jfr_class_find(&c->schema->meta, (uint64_t)jfr_field_of(values, 0)->i)
                           : named;
    TS_TRY_INTO(code, text_of(&row.name, c, &c->rec->parts[0], jfr_field_of(values, 1)));
    TS_TRY_INTO(code, text_of(&row.value, c, &c->rec->parts[2], jfr_field_of(values, 2)));
    row.event =
        setting == JFR_NO_CLASS ? TS_TEXT_NULL : jfr_class_at(&c->schema->meta, setting)->name;
    take_setting(c, row.event, row.name, row.value);
    if (ts_text_is(row.event, "jdk.ActiveRecording") && ts_text_is(row.name, "version") &&
        (code = keep_fact(c->rec, "version", row.value)) != TS_OK) {
        return code;
    }
    return ts_put_jfr_setting(c->rec->sink, &row);
}

ts_code jfr_run_thread(jfr_chunk *c, uint32_t cls, const jfr_rule *rule, const jfr_value *values)
{
    int64_t ts = jfr_value_time(c, &values[SLOT_TIME]);
    const jfr_value *v = jfr_field_of(values, 0)->kind == JFR_V_REF ? jfr_field_of(values, 0)
                                                                    : &values[SLOT_EVENT_THREAD];
    int64_t itid;
    ts_code code = jfr_value_thread(&itid, c, v);
    (void)cls;
    jfr_note_time(c->rec, ts);
    if (code != TS_OK || itid < 0 || ts == TS_NO_TIME) {
        return code;
    }
    ts_row_thread *row = ts_thread_row(c->rec->store, itid);
    if (strcmp(rule->kind, "start") == 0) {
        TS_SET_VALUE(thread, row, start_ts, ts);
    } else {
        TS_SET_VALUE(thread, row, end_ts, ts);
    }
    return TS_OK;
}

/* --- endpoints of traces -------------------------------------------------------------------- */

/* The endpoints of traces: an event of its own names the endpoint of a root span, before or after
 * the samples of the span, also in another chunk. Samples with a root span wait in a spool. */
enum { ROOT, ENDPOINT };

ts_code jfr_run_endpoint(jfr_chunk *c, uint32_t cls, const jfr_rule *rule, const jfr_value *values)
{
    jfr_recording *rec = c->rec;
    int64_t root;
    uint64_t known;
    uint32_t number;
    bool null;
    ts_code code = TS_OK;
    (void)cls;
    (void)rule;
    if (!jfr_value_int(&root, &values[SLOT_FIELD + ROOT]) || root == 0 ||
        ts_idmap_find(&known, &rec->endpoints, root)) {
        return TS_OK;
    }
    rec->text.n = 0;
    code = jfr_value_text(&null, c, &rec->text, &values[SLOT_FIELD + ENDPOINT]);
    if (code != TS_OK || rec->text.n == 0 ||
        (code = ts_pool_intern(c->ctx, &number, NULL, &rec->names, ts_buf_text(&rec->text))) !=
            TS_OK) {
        return code;
    }
    return ts_idmap_put(c->ctx, &rec->endpoints, root, number);
}

ts_code jfr_note_root(jfr_recording *rec, int64_t sample, int64_t root)
{
    ts_code code = rec->roots == NULL ? ts_spool_new(&rec->roots, rec->ctx) : TS_OK;
    TS_STEP(code, ts_spool_put_int(rec->roots, sample));
    TS_STEP(code, ts_spool_put_int(rec->roots, root));
    return code;
}

ts_code jfr_put_endpoints(jfr_recording *rec)
{
    ts_spool_cursor cursor;
    ts_row_stack_sample_label row = {.key = TS_TEXT_LIT("trace endpoint")};
    int64_t root = 0;
    bool end = false;
    ts_code code = TS_OK;
    if (rec->roots == NULL || rec->endpoints.count == 0) {
        return TS_OK;
    }
    ts_spool_rewind(&cursor, rec->roots);
    while (code == TS_OK) {
        uint64_t number;
        if ((code = ts_spool_next_int(&row.sample_id, &end, &cursor)) != TS_OK || end ||
            (code = ts_spool_next_int(&root, &end, &cursor)) != TS_OK || end) {
            break;
        }
        if (ts_idmap_find(&number, &rec->endpoints, root)) {
            row.value = ts_pool_text(&rec->names, (uint32_t)number);
            code = ts_put_stack_sample_label(rec->sink, &row);
        }
    }
    return code;
}
