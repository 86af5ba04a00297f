/* What chunks of a recording share, and its end. */
#include "parsers/jfr/recording.h"

#include "parsers/jfr/chunk.h"
#include "parsers/jfr/rules.h"

#include "tables/frame_names.h"

#include <inttypes.h>
#include <stdio.h>

void jfr_recording_free(jfr_recording *rec)
{
    ts_ctx *ctx = rec->ctx;
    ts_window_free(&rec->view);
    jfr_schema_free(ctx, rec->last.schema);
    jfr_stacks_free(ctx, &rec->stacks);
    ts_pool_free(ctx, &rec->names);
    ts_vec_free(ctx, &rec->types);
    ts_idmap_free(ctx, &rec->by_name);
    ts_pool_free(ctx, &rec->thread_keys);
    ts_vec_free(ctx, &rec->threads);
    ts_idmap_free(ctx, &rec->by_itid);
    ts_pool_free(ctx, &rec->series_keys);
    ts_vec_free(ctx, &rec->series);
    ts_vec_free(ctx, &rec->value_types);
    ts_pool_free(ctx, &rec->facts);
    ts_idmap_free(ctx, &rec->endpoints);
    ts_spool_free(rec->roots);
    ts_sorter_close(rec->gc);
    ts_buf_free(ctx, &rec->text);
    ts_buf_free(ctx, &rec->other);
    ts_buf_free(ctx, &rec->label);
    for (unsigned i = 0; i < JFR_PARTS; i++) {
        ts_buf_free(ctx, &rec->parts[i]);
    }
}

/* --- types ---------------------------------------------------------------------------------- */

/* Does the list, names divided by commas, have it? */
static bool is_listed(const char *list, ts_text name)
{
    while (list != NULL && *list != '\0') {
        size_t n = strcspn(list, ",");
        if (ts_text_is((ts_text){list, n}, "all") ||
            (n == name.n && memcmp(list, name.p, n) == 0)) {
            return true;
        }
        list += n + (list[n] == ',' ? 1 : 0);
    }
    return false;
}

ts_code jfr_type_number(uint32_t *number, jfr_recording *rec, ts_text name)
{
    uint64_t known;
    uint32_t id;
    jfr_type *type;
    TS_TRY(ts_pool_intern(rec->ctx, &id, NULL, &rec->names, name));
    if (ts_idmap_find(&known, &rec->by_name, id)) {
        *number = (uint32_t)known;
        return TS_OK;
    }
    TS_NEED(rec->ctx, type = ts_vec_add(rec->ctx, &rec->types, sizeof *type));
    *type = (jfr_type){.name = id,
                       .rule = jfr_rule_find(name),
                       .keep = is_listed(rec->job->options->jfr_events, name)};
    *number = (uint32_t)rec->types.n - 1;
    return ts_idmap_put(rec->ctx, &rec->by_name, id, *number);
}

/* --- value types ---------------------------------------------------------------------------- */

ts_code jfr_value_type_id(int64_t *id, jfr_recording *rec, const char *name, const char *unit,
                          jfr_family family)
{
    jfr_value_type *type;
    size_t n = rec->value_types.n;
    for (size_t i = 0; i < 2 * n; i++) {
        type = (jfr_value_type *)rec->value_types.p + (i < n ? i : i - n);
        /* The same rule has the same text. */
        bool same = i < n ? type->name == name : strcmp(type->name, name) == 0;
        if (type->family == family && same) {
            *id = type->id;
            return TS_OK;
        }
    }
    ts_row_stack_value_type row = {
        .id = (int64_t)ts_sink_rows(rec->sink, TS_T_stack_value_type) + 1,
        .source_id = rec->source_id,
        .name = ts_text_of(name),
        .unit = ts_text_of(unit),
    };
    TS_NEED(rec->ctx, type = ts_vec_add(rec->ctx, &rec->value_types, sizeof *type));
    *type = (jfr_value_type){name, unit, family, row.id};
    *id = row.id;
    return ts_put_stack_value_type(rec->sink, &row);
}

/* What the kind of value is called in the end: kinds that measure the same must not be added up. */
static const char *final_name(const jfr_recording *rec, const jfr_value_type *type)
{
    static const char *const names[JFR_FAMILIES] = {
        [JFR_ALLOC_SAMPLE] = "alloc_space_sampled", [JFR_ALLOC_TLAB] = "alloc_space_tlab"};
    const jfr_value_type *types = rec->value_types.p;
    jfr_family best = JFR_FAMILIES;
    for (size_t i = 0; i < rec->value_types.n; i++) {
        best = types[i].family != JFR_ALONE && types[i].family < best ? types[i].family : best;
    }
    return type->family == JFR_ALONE || type->family == best ? type->name : names[type->family];
}

static ts_code name_families(jfr_recording *rec)
{
    const jfr_value_type *types = rec->value_types.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < rec->value_types.n && code == TS_OK; i++) {
        const char *name = final_name(rec, &types[i]);
        TS_STEP_IF(code, name != types[i].name,
                   ts_sink_late_text(rec->sink, TS_T_stack_value_type, types[i].id,
                                     TS_C_stack_value_type__name, ts_text_of(name)));
    }
    return code;
}

/* --- threads -------------------------------------------------------------------------------- */

static jfr_thread *thread_at(const jfr_recording *rec, size_t i)
{
    return (jfr_thread *)rec->threads.p + i;
}

static ts_text name_at(const jfr_recording *rec, uint32_t number)
{
    ts_text text = ts_pool_text(&rec->names, number);
    return text.n == 0 ? TS_TEXT_NULL : text;
}

static ts_code name_thread(jfr_recording *rec, jfr_thread *t)
{
    ts_code code = TS_OK;
    rec->label.n = 0;
    code = jfr_thread_label(rec, &rec->label, t->itid);
    TS_STEP(code, ts_thread_name(rec->store, t->itid, ts_buf_text(&rec->label)));
    return code;
}

static ts_code new_thread(jfr_recording *rec, const jfr_thread *thread)
{
    jfr_thread *t = ts_vec_add(rec->ctx, &rec->threads, sizeof *t);
    bool os = thread->os_tid > 0;
    TS_NEED(rec->ctx, t);
    *t = *thread;
    ts_code code =
        ts_thread_new(&t->itid, rec->store, rec->source_id, os ? t->os_tid : t->java_tid, -1,
                      os                ? "os"
                      : t->java_tid > 0 ? "java"
                                        : "unknown");
    TS_STEP(code, ts_idmap_put(rec->ctx, &rec->by_itid, t->itid, rec->threads.n - 1));
    TS_STEP(code, name_thread(rec, t));
    return code;
}

ts_code jfr_thread_find(int64_t *itid, jfr_recording *rec, const jfr_thread *thread)
{
    const int64_t key[2] = {thread->os_tid, thread->java_tid};
    uint32_t number;
    bool added;
    ts_code code = ts_pool_intern(rec->ctx, &number, &added, &rec->thread_keys,
                                  (ts_text){(const char *)key, sizeof key});
    *itid = -1;
    if (code != TS_OK) {
        return code;
    }
    if (added && (code = new_thread(rec, thread)) != TS_OK) {
        return code;
    }
    jfr_thread *t = thread_at(rec, number);
    *itid = t->itid;
    if (!added &&
        (name_at(rec, t->java_name).p == NULL && name_at(rec, thread->java_name).p != NULL)) {
        t->java_name = thread->java_name;
        code = name_thread(rec, t);
    }
    return code;
}

ts_code jfr_thread_label(jfr_recording *rec, ts_buf *out, int64_t itid)
{
    uint64_t number;
    if (!ts_idmap_find(&number, &rec->by_itid, itid)) {
        return TS_OK;
    }
    const jfr_thread *t = thread_at(rec, (size_t)number);
    ts_text name = name_at(rec, t->java_name);
    name = name.p == NULL ? name_at(rec, t->os_name) : name;
    return name.p != NULL ? ts_buf_put(rec->ctx, out, name.p, name.n)
                          : ts_buf_printf(rec->ctx, out, "tid-%" PRId64,
                                          t->os_tid > 0 ? t->os_tid : t->java_tid);
}

static ts_code put_threads(jfr_recording *rec)
{
    int64_t ipid = -1;
    ts_code code = rec->pid > 0 ? ts_process(&ipid, rec->store, rec->source_id, rec->pid) : TS_OK;
    for (size_t i = 0; i < rec->threads.n && code == TS_OK; i++) {
        const jfr_thread *t = thread_at(rec, i);
        ts_row_thread *thread = ts_thread_row(rec->store, t->itid);
        ts_row_jfr_thread row = {
            .itid = t->itid,
            .source_id = rec->source_id,
            .os_tid = t->os_tid,
            .java_tid = t->java_tid,
            .os_name = name_at(rec, t->os_name),
            .java_name = name_at(rec, t->java_name),
            .group_name = name_at(rec, t->group),
            .is_virtual = t->is_virtual,
        };
        row.null = (t->os_tid <= 0 ? TS_NULL_BIT(jfr_thread, os_tid) : 0) |
                   (t->java_tid <= 0 ? TS_NULL_BIT(jfr_thread, java_tid) : 0) |
                   (t->is_virtual < 0 ? TS_NULL_BIT(jfr_thread, is_virtual) : 0);
        if (ipid >= 0) {
            TS_SET_VALUE(thread, thread, ipid, ipid);
            thread->is_main_thread = t->os_tid == rec->pid;
        }
        code = ts_put_jfr_thread(rec->sink, &row);
    }
    return code;
}

/* --- series --------------------------------------------------------------------------------- */

static ts_code new_series(jfr_recording *rec, ts_text name, const char *unit, int64_t itid)
{
    ts_row_timeseries row = {
        .id = (int64_t)ts_sink_rows(rec->sink, TS_T_timeseries) + 1,
        .source_id = rec->source_id,
        .itid = itid,
        .name = name,
        .unit = ts_text_of(unit),
        .null = TS_NULL_BIT(timeseries, interval) | (itid < 0 ? TS_NULL_BIT(timeseries, itid) : 0),
    };
    int64_t *id = ts_vec_add(rec->ctx, &rec->series, sizeof *id);
    TS_NEED(rec->ctx, id);
    *id = row.id;
    return ts_put_timeseries(rec->sink, &row);
}

ts_code jfr_series_id(int64_t *id, jfr_recording *rec, ts_text name, const char *unit, int64_t itid)
{
    ts_buf *key = &rec->text;
    uint32_t number;
    bool added;
    ts_code code;
    key->n = 0;
    if ((code = ts_buf_put(rec->ctx, key, &itid, sizeof itid)) != TS_OK ||
        (code = ts_buf_put(rec->ctx, key, name.p, name.n)) != TS_OK ||
        (code = ts_pool_intern(rec->ctx, &number, &added, &rec->series_keys, ts_buf_text(key))) !=
            TS_OK ||
        (added && (code = new_series(rec, name, unit, itid)) != TS_OK)) {
        return code;
    }
    *id = ((const int64_t *)rec->series.p)[number];
    return TS_OK;
}

ts_code jfr_series_put(jfr_recording *rec, int64_t id, int64_t ts, double value)
{
    ts_row_timeseries_value row = {.series_id = id, .ts = ts, .value = value};
    TS_NULL_IF(ts == TS_NO_TIME, timeseries_value, &row, ts);
    return ts_put_timeseries_value(rec->sink, &row);
}

void jfr_note_time(jfr_recording *rec, int64_t ts)
{
    if (ts != TS_NO_TIME) {
        rec->first_ts = rec->first_ts == TS_NO_TIME || ts < rec->first_ts ? ts : rec->first_ts;
        rec->last_ts = rec->last_ts == TS_NO_TIME || ts > rec->last_ts ? ts : rec->last_ts;
    }
}

/* --- garbage collections -------------------------------------------------------------------- */

/* The records of one collection. */
typedef struct collection {
    uint64_t gc;
    jfr_gc_record before, after, named, pause;
    unsigned befores, afters, names, pauses;
} collection;

static bool has_number(const collection *g)
{
    return g->gc != ts_sorter_key(INT64_MIN);
}

/* Sizes belong to a pause only when the collection has one. */
static ts_text gc_text(const jfr_recording *rec, uint32_t number)
{
    return number == 0 ? TS_TEXT_NULL : ts_pool_text(&rec->names, number);
}

static ts_code put_pause(jfr_recording *rec, const collection *g, const jfr_gc_record *pause,
                         bool alone)
{
    bool before = alone && g->befores == 1;
    bool after = alone && g->afters == 1;
    const jfr_gc_record *named = g->names == 1 && has_number(g) ? &g->named : pause;
    ts_row_runtime_pause row = {
        .id = (int64_t)ts_sink_rows(rec->sink, TS_T_runtime_pause) + 1,
        .source_id = rec->source_id,
        .kind = TS_TEXT_LIT("gc"),
        .ts = pause->ts,
        .dur = pause->dur,
        .bytes_before = g->before.used,
        .bytes_after = g->after.used,
        .bytes_total = g->after.size,
        .name = gc_text(rec, named->name == 0 ? pause->name : named->name),
        .cause = gc_text(rec, named->cause),
        .null =
            TS_NULL_BITS(runtime_pause, itid, objects_before, objects_after) |
            (before ? 0 : TS_NULL_BIT(runtime_pause, bytes_before)) |
            (after ? 0 : TS_NULL_BIT(runtime_pause, bytes_after)) |
            (after && g->after.size != TS_NO_TIME ? 0 : TS_NULL_BIT(runtime_pause, bytes_total)) |
            (pause->ts == TS_NO_TIME ? TS_NULL_BIT(runtime_pause, ts) : 0) |
            (pause->dur == TS_NO_TIME ? TS_NULL_BIT(runtime_pause, dur) : 0),
    };
    return ts_put_runtime_pause(rec->sink, &row);
}

static ts_code end_collection(jfr_recording *rec, const collection *g)
{
    return g->pauses == 1 ? put_pause(rec, g, &g->pause, has_number(g)) : TS_OK;
}

static ts_code add_part(jfr_recording *rec, collection *g, const jfr_gc_record *r)
{
    ts_code code = TS_OK;
    if (r->part == JFR_GC_BEFORE) {
        g->before = *r;
        g->befores++;
    } else if (r->part == JFR_GC_AFTER) {
        g->after = *r;
        g->afters++;
    } else if (r->part == JFR_GC_COLLECTION) {
        g->named = *r;
        g->names++;
    } else {
        if (g->pauses == 1) {
            code = put_pause(rec, g, &g->pause, false);
        }
        TS_STEP_IF(code, g->pauses >= 1, put_pause(rec, g, r, false));
        g->pause = *r;
        g->pauses += g->pauses < 2 ? 1 : 0;
    }
    return code;
}

static ts_code put_pauses(jfr_recording *rec)
{
    collection g = {0};
    const void *next = NULL;
    if (rec->gc == NULL) {
        return TS_OK;
    }
    ts_code code = ts_sorter_finish(rec->gc);
    while (code == TS_OK && (code = ts_sorter_next(&next, rec->gc)) == TS_OK && next != NULL) {
        const jfr_gc_record *r = next;
        if (r->gc != g.gc) {
            code = end_collection(rec, &g);
            g = (collection){.gc = r->gc};
        }
        TS_STEP(code, add_part(rec, &g, r));
    }
    TS_STEP(code, end_collection(rec, &g));
    return code;
}

/* --- the profile ---------------------------------------------------------------------------- */

static ts_text known_text(const jfr_recording *rec, uint32_t number)
{
    return number == 0 ? TS_TEXT_NULL : name_at(rec, number);
}

/* What is in `text` between two marks, or NULL; end: any of these characters. */
static ts_text between(ts_text text, const char *begin, const char *end)
{
    const char *p = text.p == NULL ? NULL : memmem(text.p, text.n, begin, strlen(begin));
    size_t n = 0;
    if (p == NULL) {
        return TS_TEXT_NULL;
    }
    p += strlen(begin);
    size_t left = (size_t)(text.p + text.n - p);
    while (n < left && strchr(end, p[n]) == NULL) {
        n++;
    }
    return n == 0 || n == left ? TS_TEXT_NULL : (ts_text){p, n};
}

static ts_text os_of(ts_text version, ts_text system)
{
    if (version.p != NULL && memmem(version.p, version.n, "Linux", 5) != NULL) {
        return TS_TEXT_LIT("linux");
    }
    return system;
}

static ts_code put_kind(jfr_recording *rec, int64_t profile, const jfr_value_type *type)
{
    ts_value_unit unit = ts_value_unit_of(ts_text_of(type->unit));
    bool cpu = strcmp(type->name, "cpu") == 0;
    ts_row_profile_value_type row = {
        .value_type_id = type->id,
        .profile_id = profile,
        .type = ts_text_of(type->name),
        .kind = ts_text_of(ts_value_kind_name(unit.kind)),
        .unit = ts_text_of(type->unit),
        .scale = 1,
    };
    ts_buf *event = &rec->text;
    event->n = 0;
    ts_code code = ts_buf_printf(rec->ctx, event, "%s", cpu ? "cpu-time" : final_name(rec, type));
    for (size_t i = 0; i < event->n && code == TS_OK; i++) {
        event->p[i] = event->p[i] == '_' ? '-' : event->p[i];
    }
    row.event_type = ts_buf_text(event);
    TS_STEP(code, ts_put_profile_value_type(rec->sink, &row));
    return code;
}

static ts_code put_profile(jfr_recording *rec)
{
    ts_text version = known_text(rec, rec->jvm_version);
    ts_text system = between(version, ") for ", "- ");
    char id[TS_PROFILE_ID];
    char pid[24];
    ts_row_profile row;
    ts_profile_row(&row, rec->store, rec->source_id, "jfr");
    ts_profile_id_end(id, &rec->id);
    row.profile_id = ts_text_of(id);
    if (rec->chunks > 0) {
        ts_profile_times(&row, rec->start_ts, rec->end_known ? rec->end_ts : TS_NO_TIME,
                         TS_NO_TIME);
    }
    if (rec->pid > 0) {
        snprintf(pid, sizeof pid, "%" PRId64, rec->pid);
        row.pid = ts_text_of(pid);
    }
    row.language = ts_text_of(ts_language_name(TS_LANG_JAVA));
    row.language_ver = between(version, "(", ")");
    row.runtime = known_text(rec, rec->jvm_name);
    row.runtime_os = os_of(known_text(rec, rec->os_version), system);
    if (system.p != NULL) {
        row.runtime_arch =
            between((ts_text){system.p, (size_t)(version.p + version.n - system.p)}, "-", " ,");
    }
    if (row.runtime_arch.p == NULL) {
        row.runtime_arch = known_text(rec, rec->os_arch);
    }
    row.agent_ver = known_text(rec, rec->agent_version);
    ts_code code = ts_profile_put(rec->store, &row);
    for (size_t i = 0; i < rec->value_types.n && code == TS_OK; i++) {
        code = put_kind(rec, row.id, (const jfr_value_type *)rec->value_types.p + i);
    }
    return code;
}

/* --- the end -------------------------------------------------------------------------------- */

static const char *fate_name(const jfr_type *type)
{
    static const char *const names[] = {
        [JFR_FATE_SAMPLE] = "sample",
        [JFR_FATE_SERIES] = "timeseries",
        [JFR_FATE_GC] = "gc",
        [JFR_FATE_PROPERTY] = "source_property",
        [JFR_FATE_SETTING] = "jfr_setting",
        [JFR_FATE_THREAD] = "thread",
        [JFR_FATE_ENDPOINT] = "label",
    };
    return type->rule == NULL ? "counted" : names[type->rule->fate];
}

static ts_code put_types(jfr_recording *rec, ts_tally *events)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < rec->types.n && code == TS_OK; i++) {
        const jfr_type *t = jfr_type_at(rec, (uint32_t)i);
        uint64_t skipped = t->rule == NULL ? t->seen - t->kept - t->lost : t->skipped;
        ts_row_jfr_event_type row = {
            .id = (int64_t)ts_sink_rows(rec->sink, TS_T_jfr_event_type) + 1,
            .source_id = rec->source_id,
            .name = ts_pool_text(&rec->names, t->name),
            .count = (int64_t)t->seen,
            .lost = (int64_t)t->lost,
            .became = ts_text_of(fate_name(t)),
            .kept = (int64_t)t->kept,
        };
        events->seen += t->seen;
        events->lost += t->lost;
        events->skipped += skipped;
        events->imported += t->seen - t->lost - skipped;
        code = ts_put_jfr_event_type(rec->sink, &row);
    }
    return code;
}

static ts_code note(jfr_recording *rec, ts_issue_code issue, uint64_t count, const char *text)
{
    return count == 0 ? TS_OK
                      : ts_issue_n(rec->store, rec->source_id, issue, NULL, TS_NO_OFFSET, count,
                                   "%s", text);
}

static ts_code put_counts(jfr_recording *rec)
{
    ts_tally *events;
    TS_TRY(ts_count_add(rec->store, rec->source_id, TS_ITEM_jfr_chunks, NULL,
                        rec->chunks - rec->chunks_lost, rec->chunks_lost, 0));
    TS_TRY(ts_count(&events, rec->store, rec->source_id, TS_ITEM_jfr_events, NULL));
    events->seen += rec->events_lost;
    events->lost += rec->events_lost;
    TS_TRY(put_types(rec, events));
    return ts_count_add(rec->store, rec->source_id, TS_ITEM_profile_samples, NULL,
                        ts_sink_rows(rec->sink, TS_T_stack_sample) - rec->samples_before, 0, 0);
}

ts_code jfr_recording_finish(jfr_recording *rec)
{
    ts_row_source *source = ts_source(rec->store, rec->source_id);
    ts_code code = put_pauses(rec);
    if (rec->chunks > 0) {
        TS_SET_VALUE(source, source, start_ts, rec->start_ts);
    }
    if (rec->chunks > 0 && rec->end_known) {
        TS_SET_VALUE(source, source, end_ts, rec->end_ts);
    }
    if (rec->pid > 0) {
        TS_SET_VALUE(source, source, pid, rec->pid);
    }
    if (code != TS_OK || (code = name_families(rec)) != TS_OK ||
        (code = jfr_put_endpoints(rec)) != TS_OK || (code = put_profile(rec)) != TS_OK ||
        (code = put_threads(rec)) != TS_OK || (code = put_counts(rec)) != TS_OK ||
        (code = note(rec, TS_ISSUE_jfr_unresolved, rec->unresolved,
                     "references to entries that no constant pool of their chunk has are NULL")) !=
            TS_OK ||
        (code = note(rec, TS_ISSUE_jfr_bad_value, rec->bad_values,
                     "values beyond 64 bits, or of another type, were left out")) != TS_OK ||
        (code = note(rec, TS_ISSUE_jfr_default_interval, rec->default_intervals,
                     "each sample counts as 10 ms, because their interval is not recorded")) !=
            TS_OK ||
        (code = note(rec, TS_ISSUE_jfr_bad_text, rec->replaced,
                     "parts of texts that are not valid text became U+FFFD")) != TS_OK) {
        return code;
    }
    ts_stack_release(rec->store, rec->source_id);
    return TS_OK;
}
