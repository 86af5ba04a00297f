/* The row of `profile`: what a recording says of itself. */
#include "parsers/jfr/recording.h"

#include "tables/frame_names.h"

#include <inttypes.h>
#include <stdio.h>

static ts_text fact(const jfr_recording *rec, uint32_t number)
{
    ts_text text = number == 0 ? TS_TEXT_NULL : ts_pool_text(&rec->names, number);
    return text.n == 0 ? TS_TEXT_NULL : text;
}

/* What is in `text` between two marks, or NULL; end: any of these characters. */
static ts_text between(ts_text text, const char *begin, const char *end)
{
    const char *p = text.p == NULL ? NULL : memmem(text.p, text.n, begin, strlen(begin));
    size_t n = 0;
    size_t left;
    if (p == NULL) {
        return TS_TEXT_NULL;
    }
    p += strlen(begin);
    left = (size_t)(text.p + text.n - p);
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
    ts_code code;
    event->n = 0;
    code = ts_buf_printf(rec->ctx, event, "%s", cpu ? "cpu-time" : jfr_value_type_name(rec, type));
    for (size_t i = 0; i < event->n && code == TS_OK; i++) {
        event->p[i] = event->p[i] == '_' ? '-' : event->p[i];
    }
    row.event_type = ts_buf_text(event);
    TS_STEP(code, ts_put_profile_value_type(rec->sink, &row));
    return code;
}

ts_code jfr_put_profile(jfr_recording *rec)
{
    ts_text version = fact(rec, rec->jvm_version);
    ts_text system = between(version, ") for ", "- ");
    char id[TS_PROFILE_ID];
    char pid[24];
    ts_row_profile row;
    ts_code code;
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
    row.runtime = fact(rec, rec->jvm_name);
    row.runtime_os = os_of(fact(rec, rec->os_version), system);
    if (system.p != NULL) {
        row.runtime_arch =
            between((ts_text){system.p, (size_t)(version.p + version.n - system.p)}, "-", " ,");
    }
    if (row.runtime_arch.p == NULL) {
        row.runtime_arch = fact(rec, rec->os_arch);
    }
    row.agent_ver = fact(rec, rec->agent_version);
    code = ts_profile_put(rec->store, &row);
    for (size_t i = 0; i < rec->value_types.n && code == TS_OK; i++) {
        code = put_kind(rec, row.id, (const jfr_value_type *)rec->value_types.p + i);
    }
    return code;
}
