/* The end of a profile: what it says of itself, its samples, and what is wrong with it. */
#include "parsers/pprof/pprof.h"

#include <inttypes.h>

static ts_code note(pprof *p, ts_issue_code issue, uint64_t count, const char *text)
{
    return count == 0 ? TS_OK
                      : ts_issue_n(p->job->store, p->source_id, issue, p->name, TS_NO_OFFSET, count,
                                   "%s", text);
}

/* --- what it is of -------------------------------------------------------------------------- */

/* What the metadata of its upload says, else Go when a function's file is Go's, and Python when
 * most are Python's. */
static void guess_language(pprof *p)
{
    ts_text said = ts_upload_language(p->job->store);
    const pprof_function *functions = p->functions.items.p;
    uint64_t bad = p->bad_strings;
    size_t python = 0;
    size_t n = 0;
    p->language = said.n > 0 ? ts_language_of(said) : p->language;
    for (size_t i = 0; i < p->functions.items.n && said.n == 0; i++) {
        ts_text file = functions[i].file == 0 ? TS_TEXT_NULL : pprof_text(p, functions[i].file);
        ts_language language = ts_language_of_file(file);
        n += file.n > 0 ? 1 : 0;
        python += language == TS_LANG_PYTHON ? 1 : 0;
        if (language == TS_LANG_GO) {
            p->language = TS_LANG_GO;
            break;
        }
    }
    if (p->language == TS_LANG_UNKNOWN && said.n == 0 && python > n - python) {
        p->language = TS_LANG_PYTHON;
    }
    p->bad_strings = bad;
}

/* Start, end and length; a length of 0 is that of a dump, whose time is a moment. */
static ts_code take_times(pprof *p, ts_row_profile *row)
{
    ts_row_source *source = ts_source(p->job->store, p->source_id);
    int64_t start = p->number[PPROF_TIME] > 0 ? p->number[PPROF_TIME] : TS_NO_TIME;
    int64_t dur = p->has[PPROF_DURATION] && p->number[PPROF_DURATION] >= 0
                      ? p->number[PPROF_DURATION]
                      : TS_NO_TIME;
    int64_t end = ts_time_add(start, dur == TS_NO_TIME ? 0 : dur);
    bool bad = p->number[PPROF_TIME] < 0 || p->number[PPROF_DURATION] < 0 ||
               (start != TS_NO_TIME && end == TS_NO_TIME);
    ts_profile_times(row, start, end, dur);
    if (start != TS_NO_TIME) {
        source->clock = TS_TEXT_LIT("realtime");
        source->start_ts = start;
        source->null &= ~TS_NULL_BIT(source, start_ts);
        ts_range_note(p->job->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, start);
    }
    if (end != TS_NO_TIME) {
        source->end_ts = end;
        source->null &= ~TS_NULL_BIT(source, end_ts);
        ts_range_note(p->job->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, end);
    }
    return note(p, TS_ISSUE_prof_bad_time, bad ? 1 : 0,
                "the time or the duration is negative, or its end does not fit into 64 bits");
}

/* Samples of a profile of elapsed time are not of CPU time, although their numbers are called
 * samples there, too. */
static void set_causes(pprof *p)
{
    pprof_value_type *types = p->value_types.p;
    bool wall = false;
    for (size_t i = 0; i < p->value_types.n; i++) {
        ts_text name = pprof_text(p, types[i].type);
        if (name.p != NULL && (ts_text_is(name, "cpu") || ts_text_is(name, "cpu-time"))) {
            return;
        }
        wall = wall || ts_text_is(types[i].out.cause, "wall");
    }
    for (size_t i = 0; wall && i < p->value_types.n; i++) {
        if (ts_text_is(types[i].out.cause, "cpu")) {
            types[i].out.cause = TS_TEXT_LIT("wall");
        }
    }
}

static ts_code put_types(pprof *p, ts_row_profile *row)
{
    pprof_value_type *types = p->value_types.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < p->value_types.n && code == TS_OK; i++) {
        ts_text name = pprof_text(p, types[i].type);
        ts_text unit = types[i].unit == 0 ? TS_TEXT_LIT("") : pprof_text(p, types[i].unit);
        if (name.p == NULL || unit.p == NULL) {
            continue; /* it is unknown what such values belong to */
        }
        code = ts_profile_type_add(&types[i].out, p->job->store, p->source_id, row->id, name,
                                   unit.n == 0 ? TS_TEXT_NULL : unit, ts_text_of(p->job->name));
        if (p->has[PPROF_DEFAULT] && types[i].type == p->number[PPROF_DEFAULT]) {
            row->default_type_id = types[i].out.id;
            row->null &= ~TS_NULL_BIT(profile, default_type_id);
        }
    }
    set_causes(p);
    return code;
}

static void take_period(pprof *p, ts_row_profile *row)
{
    if (p->has[PPROF_PERIOD]) {
        row->period = p->number[PPROF_PERIOD];
        row->null &= ~TS_NULL_BIT(profile, period);
    }
    if (p->period_type.type != 0) {
        row->period_type = pprof_text(p, p->period_type.type);
    }
    if (p->period_type.unit != 0) {
        row->period_unit = pprof_text(p, p->period_type.unit);
    }
}

static ts_code put_property(pprof *p, const char *key, int64_t number)
{
    ts_text text = number == 0 ? TS_TEXT_NULL : pprof_text(p, number);
    return text.p == NULL ? TS_OK : ts_source_property(p->job->store, p->source_id, key, text);
}

/* What there is no column for. */
static ts_code put_properties(pprof *p)
{
    static const struct {
        int field;
        const char *key;
    } texts[] = {{PPROF_DROP, "drop_frames"}, {PPROF_KEEP, "keep_frames"}, {PPROF_DOC, "doc_url"}};
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && code == TS_OK; i++) {
        code = put_property(p, texts[i].key, p->number[texts[i].field]);
    }
    for (size_t i = 0; i < p->comments.n && code == TS_OK; i++) {
        code = put_property(p, "comment", ((const int64_t *)p->comments.p)[i]);
    }
    for (size_t i = 0; i < p->mappings.items.n && code == TS_OK; i++) {
        const pprof_mapping *m = (const pprof_mapping *)p->mappings.items.p + i;
        code = put_property(p, "mapping", m->file);
        TS_STEP(code, put_property(p, "build_id", m->build_id));
    }
    return code;
}

static ts_code put_profile(pprof *p)
{
    char id[TS_PROFILE_ID];
    ts_row_profile row;
    ts_code code;
    ts_profile_row(&row, p->job->store, p->source_id, "pprof");
    p->profile_row = row.id;
    if (p->wire.fault == TS_WIRE_OK) {
        ts_profile_id_end(id, &p->id);
        row.profile_id = ts_text_of(id);
    }
    row.language = ts_text_of(ts_language_name(p->language));
    row.runtime = p->language == TS_LANG_GO ? TS_TEXT_LIT("go") : TS_TEXT_NULL;
    take_period(p, &row);
    TS_TRY(code, take_times(p, &row));
    TS_TRY(code, put_types(p, &row));
    TS_TRY(code, ts_profile_put(p->job->store, &row));
    return put_properties(p);
}

/* --- what is wrong with it ------------------------------------------------------------------- */

static ts_code record_issues(pprof *p)
{
    const struct {
        ts_issue_code issue;
        uint64_t count;
        const char *text;
    } notes[] = {
        {TS_ISSUE_prof_no_types, p->value_types.n == 0 && p->values_seen > 0 ? 1 : 0,
         "there are no sample types"},
        {TS_ISSUE_prof_no_samples, p->samples_seen == 0 ? 1 : 0, "there are no samples"},
        {TS_ISSUE_prof_value_count, p->bad_values,
         "samples have another number of values than there are sample types"},
        {TS_ISSUE_prof_bad_string, p->bad_strings, "texts that are referred to are not there"},
        {TS_ISSUE_prof_unknown_id, p->unknown_ids,
         "locations or functions that are referred to are not there"},
        {TS_ISSUE_prof_unknown_mapping, p->unknown_mappings,
         "mappings that are referred to are not there"},
        {TS_ISSUE_prof_bad_label, p->bad_labels, "labels were left out"},
        {TS_ISSUE_time_overflow, p->overflows, "values do not fit into 64 bits"},
        {TS_ISSUE_prof_text_cut, p->texts_cut, "texts longer than 1 MiB were cut"},
        {TS_ISSUE_prof_bad_text, p->bad_texts, "parts of texts that are no text became U+FFFD"},
    };
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0] && code == TS_OK; i++) {
        code = note(p, notes[i].issue, notes[i].count, notes[i].text);
    }
    return code;
}

static ts_code count(pprof *p, ts_item item, uint64_t seen, uint64_t lost)
{
    return ts_count_add(p->job->store, p->source_id, item, NULL, seen - lost, lost, 0);
}

/* Just after the end of the list: where a text is when others before it were removed. */
static bool is_behind(const pprof *p, int64_t number)
{
    size_t n = p->text_ends.n;
    return number >= 0 && (uint64_t)number >= n && (uint64_t)number - n < n;
}

/* Texts may be missing in a list that is well-formed: then all others may have moved. */
static bool texts_are_missing(const pprof *p)
{
    const pprof_function *functions = p->functions.items.p;
    const pprof_mapping *mappings = p->mappings.items.p;
    bool behind = false;
    if (p->wire.fault != TS_WIRE_OK || p->certain != SIZE_MAX) {
        return false; /* it is known where */
    }
    for (size_t i = 0; i < p->functions.items.n && !behind; i++) {
        behind = is_behind(p, functions[i].name) || is_behind(p, functions[i].system_name) ||
                 is_behind(p, functions[i].file);
    }
    for (size_t i = 0; i < p->mappings.items.n && !behind; i++) {
        behind = is_behind(p, mappings[i].file) || is_behind(p, mappings[i].build_id);
    }
    return behind;
}

static ts_code check_texts(pprof *p)
{
    if (p->text_ends.n > 0 && ((const size_t *)p->text_ends.p)[0] != 0) {
        p->certain = 0;
        return ts_issue(p->job->store, p->source_id, TS_ISSUE_prof_first_string, p->name,
                        TS_NO_OFFSET, "the first text is not empty");
    }
    p->certain = texts_are_missing(p) ? 0 : p->certain;
    return TS_OK;
}

ts_code pprof_write(pprof *p)
{
    ts_code code = check_texts(p);
    guess_language(p);
    if (code != TS_OK || (code = put_profile(p)) != TS_OK ||
        (code = pprof_samples_write(p)) != TS_OK || (code = record_issues(p)) != TS_OK ||
        (code = count(p, TS_ITEM_profile_samples, p->samples_seen, p->samples_lost)) != TS_OK ||
        (code = count(p, TS_ITEM_profile_values, p->values_seen, p->values_lost)) != TS_OK) {
        return code;
    }
    ts_stack_release(p->job->store, p->source_id);
    return count(p, TS_ITEM_profile_frames, p->defined, p->defined_lost);
}
