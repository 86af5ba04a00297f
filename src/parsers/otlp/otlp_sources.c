/*
 * Sources of a file: profiles of one resource, scope, kind of values and kind of period are one,
 * in whatever messages they come. Their rows of `profile` are written at the end, when it is known
 * when the first began and the last ended.
 */
#include "parsers/otlp/otlp.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

/* --- the key ---------------------------------------------------------------------------------- */

static ts_code key_text(otlp *o, ts_text text)
{
    TS_TRY(ts_buf_varint(o->ctx, &o->key, text.n));
    return text.n == 0 ? TS_OK : ts_buf_put(o->ctx, &o->key, text.p, text.n);
}

static ts_text value_text(const otlp *o, const otlp_attribute *a)
{
    return a->kind == 0 ? TS_TEXT_NULL : otlp_part_text(o, a->value);
}

static ts_code make_key(otlp *o)
{
    const otlp_attribute *a = o->others.p;
    const otlp_type *types = o->types_read.p;
    o->key.n = 0;
    TS_TRY(ts_buf_varint(o->ctx, &o->key, o->others.n));
    for (size_t i = 0; i < o->others.n; i++) {
        TS_TRY(key_text(o, i == o->scope_others ? TS_TEXT_LIT("scope") : TS_TEXT_LIT("")));
        TS_TRY(key_text(o, otlp_part_text(o, a[i].key)));
        TS_TRY(key_text(o, value_text(o, &a[i])));
    }
    TS_TRY(key_text(o, otlp_part_text(o, o->scope_name)));
    TS_TRY(key_text(o, otlp_part_text(o, o->scope_version)));
    TS_TRY(key_text(o, otlp_text(o, (uint64_t)o->profile.period_type)));
    TS_TRY(key_text(o, otlp_text(o, (uint64_t)o->profile.period_unit)));
    for (size_t i = 0; i < o->types_read.n; i++) {
        TS_TRY(key_text(o, otlp_text(o, (uint64_t)types[i].name)));
        TS_TRY(key_text(o, otlp_text(o, (uint64_t)types[i].unit)));
    }
    return TS_OK;
}

static bool has_key(const void *owner, uint32_t number, const void *key)
{
    const otlp *o = owner;
    const otlp_source *s = ((otlp_source *const *)o->sources.p)[number];
    const ts_buf *wanted = key;
    return s->key_n == wanted->n && memcmp(o->keys.p + s->key, wanted->p, wanted->n) == 0;
}

/* --- what it is of ---------------------------------------------------------------------------- */

static ts_code keep(otlp_part *column, otlp *o, ts_text text)
{
    column->at = o->keys.n;
    column->n = text.n;
    return ts_buf_put(o->ctx, &o->keys, text.p, text.n);
}

static bool is_kept(otlp_part column)
{
    return column.n != SIZE_MAX;
}

static ts_text kept_text(const otlp *o, otlp_part column)
{
    return is_kept(column) ? (ts_text){ts_buf_text(&o->keys).p + column.at, column.n}
                           : TS_TEXT_NULL;
}

/* Attributes of a resource that have a column; of one that is there twice the first counts. */
static ts_code keep_attribute(otlp_source *s, otlp *o, ts_text key, ts_text value)
{
    static const struct {
        const char *key;
        int column;
    } known[] = {
        {"service.name", OTLP_SERVICE},
        {"service.version", OTLP_VERSION},
        {"deployment.environment.name", OTLP_ENV},
        {"deployment.environment", OTLP_ENV},
        {"host.name", OTLP_HOST},
        {"process.pid", OTLP_PID},
        {"process.runtime.name", OTLP_RUNTIME},
        {"process.runtime.version", OTLP_LANGUAGE_VER},
        {"os.type", OTLP_OS},
        {"host.arch", OTLP_ARCH},
        {"service.instance.id", OTLP_RUNTIME_ID},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (ts_text_is(key, known[i].key) && !is_kept(s->column[known[i].column])) {
            return keep(&s->column[known[i].column], o, value);
        }
    }
    if (ts_text_is(key, "telemetry.sdk.language") && s->language == TS_LANG_UNKNOWN) {
        s->language = ts_language_of(value);
    }
    return TS_OK;
}

static ts_code put_tag(otlp *o, const otlp_source *s, ts_text key, ts_text value, bool scope)
{
    ts_row_profile_tag row = {.profile_id = s->profile_row, .key = key, .value = value};
    o->scratch.n = 0;
    if (scope) {
        TS_TRY(ts_buf_put(o->ctx, &o->scratch, "scope.", 6));
        TS_TRY(ts_buf_put(o->ctx, &o->scratch, key.p, key.n));
        row.key = ts_buf_text(&o->scratch);
    }
    row.value = value.p == NULL ? TS_TEXT_LIT("") : value;
    return ts_put_profile_tag(o->sink, &row);
}

static ts_code put_attributes(otlp *o, otlp_source *s)
{
    const otlp_attribute *a = o->others.p;
    for (size_t i = 0; i < o->others.n; i++) {
        ts_text key = otlp_part_text(o, a[i].key);
        ts_text value = value_text(o, &a[i]);
        bool scope = i >= o->scope_others;
        if (!a[i].good) {
            continue;
        }
        TS_TRY(put_tag(o, s, key, value, scope));
        if (!scope && value.p != NULL) {
            TS_TRY(keep_attribute(s, o, key, value));
        }
    }
    return TS_OK;
}

/* --- kinds of values -------------------------------------------------------------------------- */

static ts_code add_type(otlp *o, otlp_source *s, ts_text name, ts_text unit)
{
    ts_profile_type *type = ts_vec_add(o->ctx, &o->types, sizeof *type);
    TS_NEED(o->ctx, type);
    return name.p == NULL
               ? TS_OK
               : ts_profile_type_add(type, o->store, s->id, s->profile_row, name,
                                     unit.n == 0 ? TS_TEXT_NULL : unit, ts_text_of(o->job->name));
}

/* Samples of profiles of elapsed time are not of CPU time, although their numbers are called
 * samples there, too. */
static void set_causes(otlp *o, const otlp_source *s)
{
    ts_profile_type *types = otlp_types(o, s);
    const otlp_type *read = o->types_read.p;
    bool wall = false;
    for (size_t i = 0; i < s->type_n; i++) {
        ts_text name = otlp_text(o, (uint64_t)read[i].name);
        if (ts_text_is(name, "cpu") || ts_text_is(name, "cpu-time")) {
            return;
        }
        wall = wall || ts_text_is(types[i].cause, "wall");
    }
    for (size_t i = 0; wall && i < s->type_n; i++) {
        if (ts_text_is(types[i].cause, "cpu")) {
            types[i].cause = TS_TEXT_LIT("wall");
        }
    }
}

/* Samples without times whose period is one of CPU time: that is what each stands for. */
static ts_code add_estimated(otlp *o, otlp_source *s)
{
    const otlp_type *types = o->types_read.p;
    const ts_text period = otlp_text(o, (uint64_t)o->profile.period_type);
    const ts_text unit = otlp_text(o, (uint64_t)o->profile.period_unit);
    if (o->types_read.n != 1 || !o->profile.has_period ||
        !ts_text_is(otlp_text(o, (uint64_t)types[0].name), "samples") ||
        !ts_text_is(otlp_text(o, (uint64_t)types[0].unit), "count") || !ts_text_is(period, "cpu") ||
        !ts_text_is(unit, "nanoseconds")) {
        return TS_OK;
    }
    TS_TRY(add_type(o, s, period, unit));
    s->estimated = ((const ts_profile_type *)o->types.p)[o->types.n - 1].id;
    return ts_source_property(o->store, s->id, "estimated", period);
}

static ts_code put_types(otlp *o, otlp_source *s)
{
    const otlp_type *types = o->types_read.p;
    const otlp_profile *p = &o->profile;
    s->first_type = o->types.n;
    for (size_t i = 0; i < o->types_read.n; i++) {
        ts_text name = otlp_text(o, (uint64_t)types[i].name);
        TS_TRY(add_type(o, s, name, otlp_text(o, (uint64_t)types[i].unit)));
        o->cumulative += types[i].temporality == 2 ? 1 : 0;
        s->type_n++;
        if ((p->default_text > 0 && types[i].name == p->default_text) ||
            (p->default_type >= 0 && (uint64_t)p->default_type == i)) {
            s->default_type = ((const ts_profile_type *)o->types.p)[s->first_type + i].id;
        }
    }
    set_causes(o, s);
    return add_estimated(o, s);
}

/* --- a new source ----------------------------------------------------------------------------- */

static ts_code make_process(otlp *o, otlp_source *s)
{
    ts_text pid = kept_text(o, s->column[OTLP_PID]);
    ts_row_source *source = ts_source(o->store, s->id);
    int64_t v = 0;
    for (size_t i = 0; i < pid.n; i++) {
        if (!ts_is_digit(pid.p[i]) || ts_ckd_mul(&v, v, INT64_C(10)) ||
            ts_ckd_add(&v, v, (int64_t)(pid.p[i] - '0'))) {
            return TS_OK;
        }
    }
    if (pid.n == 0 || v == 0) {
        return TS_OK;
    }
    TS_SET_VALUE(source, source, pid, v);
    return ts_process(&s->ipid, o->store, s->id, v);
}

static ts_code fill_source(otlp *o, otlp_source *s)
{
    const otlp_profile *p = &o->profile;
    ts_row_source *source;
    TS_TRY(ts_job_source(&s->id, s->name, o->job, o->job->source_id, "profile", "otlp-profiles",
                         "Otlp"));
    source = ts_source(o->store, s->id);
    source->format_version = ts_text_of(otlp_layout_names[o->layout]);
    TS_TRY(put_attributes(o, s));
    ts_text host = kept_text(o, s->column[OTLP_HOST]);
    if (host.p != NULL) {
        TS_TRY(ts_source_text(o->store, s->id, &source->host, host.p, host.n));
    }
    const ts_text texts[] = {otlp_part_text(o, o->scope_name), otlp_part_text(o, o->scope_version),
                             otlp_text(o, (uint64_t)p->period_type),
                             otlp_text(o, (uint64_t)p->period_unit)};
    static const int columns[] = {OTLP_PROFILER, OTLP_AGENT_VER, OTLP_PERIOD_TYPE,
                                  OTLP_PERIOD_UNIT};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (texts[i].n > 0) {
            TS_TRY(keep(&s->column[columns[i]], o, texts[i]));
        }
    }
    TS_TRY(make_process(o, s));
    return put_types(o, s);
}

static ts_code new_source(otlp *o, ts_index_place place)
{
    otlp_source *s = ts_zalloc(o->ctx, 1, sizeof *s);
    TS_NEED(o->ctx, s);
    s->ipid = -1;
    s->start = s->end = TS_NO_TIME;
    for (int i = 0; i < OTLP_COLUMNS; i++) {
        s->column[i].n = SIZE_MAX;
    }
    s->profile_row = o->first_profile_row + (int64_t)o->sources.n;
    s->key = o->keys.n;
    s->key_n = o->key.n;
    ts_code code = ts_vec_push(o->ctx, &o->sources, &s, sizeof(otlp_source *));
    if (code != TS_OK) {
        ts_free(o->ctx, s);
        return code;
    }
    o->profile.source = s;
    TS_TRY(ts_buf_put(o->ctx, &o->keys, o->key.p, o->key.n));
    ts_index_add(&o->by_key, place, (uint32_t)(o->sources.n - 1));
    return fill_source(o, s);
}

ts_code otlp_source_find(otlp *o)
{
    ts_index_place place;
    TS_TRY(make_key(o));
    TS_TRY(ts_index_reserve(o->ctx, &o->by_key));
    ts_hash h = ts_hash_begin(&o->by_key.key);
    ts_hash_bytes(&h, o->key.p, o->key.n);
    uint32_t found = ts_index_search(&place, &o->by_key, ts_hash_end(&h), has_key, o, &o->key);
    if (found == TS_INDEX_NONE) {
        return new_source(o, place);
    }
    o->profile.source = ((otlp_source *const *)o->sources.p)[found];
    return TS_OK;
}

/* --- what all its profiles say -----------------------------------------------------------------
 */

static ts_code note_id(otlp *o, otlp_source *s)
{
    static const uint8_t none[16] = {0};
    const otlp_part id = o->profile.id;
    otlp_part hex;
    if (id.n != sizeof none || memcmp(o->bytes + id.at, none, sizeof none) == 0) {
        return TS_OK;
    }
    s->ids++;
    if (s->ids > 1) {
        return TS_OK;
    }
    TS_TRY(otlp_hex(&hex, o, o->bytes + id.at, id.n));
    return keep(&s->column[OTLP_PROFILE_ID], o, otlp_part_text(o, hex));
}

ts_code otlp_source_note(otlp *o)
{
    otlp_profile *p = &o->profile;
    otlp_source *s = p->source;
    int64_t end = ts_time_add(p->time, p->duration == TS_NO_TIME ? 0 : p->duration);
    s->profiles++;
    s->messages += s->last_message != o->number ? 1 : 0;
    s->last_message = o->number;
    s->dropped += p->dropped;
    if (p->time != TS_NO_TIME) {
        s->start = s->start == TS_NO_TIME || p->time < s->start ? p->time : s->start;
        o->bad_times += end == TS_NO_TIME ? 1 : 0;
        s->end = end != TS_NO_TIME && (s->end == TS_NO_TIME || end > s->end) ? end : s->end;
    }
    o->bad_times += p->bad_time ? 1 : 0;
    if (p->has_period && !s->has_period) {
        s->period = p->period;
        s->has_period = true;
    }
    return note_id(o, s);
}

/* --- the end -----------------------------------------------------------------------------------
 */

static ts_code put_number(otlp *o, const otlp_source *s, const char *key, uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, v);
    return v == 0 ? TS_OK : ts_source_property(o->store, s->id, key, ts_text_of(text));
}

static void note_time(otlp *o, otlp_source *s)
{
    ts_row_source *source = ts_source(o->store, s->id);
    if (s->start != TS_NO_TIME) {
        source->clock = TS_TEXT_LIT("realtime");
        TS_SET_VALUE(source, source, start_ts, s->start);
        ts_range_note(o->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, s->start);
    }
    if (s->end != TS_NO_TIME) {
        TS_SET_VALUE(source, source, end_ts, s->end);
        ts_range_note(o->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, s->end);
    }
}

static ts_code put_profile(otlp *o, otlp_source *s)
{
    ts_row_profile row;
    ts_profile_row(&row, o->store, s->id, "otlp");
    const struct {
        ts_text *cell;
        int column;
    } texts[] = {
        {&row.service, OTLP_SERVICE},
        {&row.version, OTLP_VERSION},
        {&row.env, OTLP_ENV},
        {&row.host, OTLP_HOST},
        {&row.pid, OTLP_PID},
        {&row.language_ver, OTLP_LANGUAGE_VER},
        {&row.runtime, OTLP_RUNTIME},
        {&row.runtime_os, OTLP_OS},
        {&row.runtime_arch, OTLP_ARCH},
        {&row.runtime_id, OTLP_RUNTIME_ID},
        {&row.profiler, OTLP_PROFILER},
        {&row.agent_ver, OTLP_AGENT_VER},
        {&row.period_type, OTLP_PERIOD_TYPE},
        {&row.period_unit, OTLP_PERIOD_UNIT},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i].cell = kept_text(o, s->column[texts[i].column]);
    }
    row.language = ts_text_of(ts_language_name(s->language));
    row.profile_id =
        s->ids == 1 && s->profiles == 1 ? kept_text(o, s->column[OTLP_PROFILE_ID]) : TS_TEXT_NULL;
    if (s->has_period) {
        TS_SET_VALUE(profile, &row, period, s->period);
    }
    if (s->default_type != 0) {
        TS_SET_VALUE(profile, &row, default_type_id, s->default_type);
    }
    ts_profile_times(&row, s->start, s->end,
                     s->start == TS_NO_TIME || s->end == TS_NO_TIME ? TS_NO_TIME
                                                                    : s->end - s->start);
    return ts_profile_put(o->store, &row);
}

static ts_code end_source(otlp *o, otlp_source *s)
{
    ts_store *store = o->store;
    note_time(o, s);
    if (o->not_whole) {
        ts_source(store, s->id)->complete = 0;
    }
    TS_TRY(put_profile(o, s));
    TS_TRY(put_number(o, s, "otlp.profiles", s->profiles));
    TS_TRY(put_number(o, s, "otlp.messages", s->messages));
    TS_TRY(put_number(o, s, "profile_ids", s->profiles > 1 ? s->ids : 0));
    TS_TRY(put_number(o, s, "dropped_attributes_count", s->dropped));
    TS_TRY(ts_count_add(store, s->id, TS_ITEM_otlp_profiles, NULL, s->profiles, 0, 0));
    TS_TRY(ts_count_add(store, s->id, TS_ITEM_profile_samples, NULL, s->samples, s->samples_lost,
                        s->samples_skipped));
    TS_TRY(ts_count_add(store, s->id, TS_ITEM_profile_values, NULL, s->values, s->values_lost,
                        s->values_skipped));
    ts_stack_release(store, s->id);
    return TS_OK;
}

ts_code otlp_sources_end(otlp *o)
{
    for (size_t i = 0; i < o->sources.n; i++) {
        TS_TRY(end_source(o, ((otlp_source *const *)o->sources.p)[i]));
    }
    return TS_OK;
}

void otlp_sources_free(otlp *o)
{
    for (size_t i = 0; i < o->sources.n; i++) {
        otlp_source *s = ((otlp_source *const *)o->sources.p)[i];
        if (s->paths != NULL) {
            ts_paths_free(o->ctx, s->paths);
        }
        ts_free(o->ctx, s->paths);
        ts_free(o->ctx, s);
    }
    ts_vec_free(o->ctx, &o->sources);
    ts_index_free(o->ctx, &o->by_key);
}
