/* What the metadata of an upload becomes: cells of its row, tags, properties of its source. */
#include "parsers/datakit/datakit.h"
#include "parsers/shared/notes.h"

#include "tables/frame_names.h"

#include <inttypes.h>

/* --- cells ------------------------------------------------------------------------------------ */

/* The version in the event file is that of its form, not that of the service. */
static const struct {
    size_t cell;
    const char *names;
    datakit_where where;
} row_texts[] = {
    {offsetof(ts_row_profile, agent_ver), "profiler_version library_ver", DATAKIT_EITHER},
    {offsetof(ts_row_profile, endpoint), "endpoint", DATAKIT_EITHER},
    {offsetof(ts_row_profile, service), "service", DATAKIT_EITHER},
    {offsetof(ts_row_profile, env), "env", DATAKIT_EITHER},
    {offsetof(ts_row_profile, version), "version", DATAKIT_TAG},
    {offsetof(ts_row_profile, host), "host", DATAKIT_EITHER},
    {offsetof(ts_row_profile, pid), "pid process_id", DATAKIT_EITHER},
    {offsetof(ts_row_profile, language_ver), "runtime_version language_version", DATAKIT_EITHER},
    {offsetof(ts_row_profile, runtime), "runtime", DATAKIT_EITHER},
    {offsetof(ts_row_profile, runtime_os), "runtime_os", DATAKIT_EITHER},
    {offsetof(ts_row_profile, runtime_arch), "runtime_arch", DATAKIT_EITHER},
    {offsetof(ts_row_profile, profiler), "profiler", DATAKIT_EITHER},
    {offsetof(ts_row_profile, runtime_id), "runtime-id", DATAKIT_EITHER},
    {offsetof(ts_row_profile, profile_id), "profile_id", DATAKIT_EITHER},
};

static ts_code row_set(datakit_upload *u, size_t cell, ts_text text)
{
    ts_row_profile *row = ts_upload_row(u->store);
    return ts_upload_text(u->store, (ts_text *)((char *)row + cell), text);
}

/* "language" itself is always shown by the column when one of the three is known. */
static ts_code row_language(datakit_upload *u)
{
    static const char *const names[] = {"language", "runtime", "family"};
    const char *language = NULL;
    for (size_t i = 0; i < 3 && language == NULL; i++) {
        ts_text text = datakit_meta_get(&u->meta, names[i], DATAKIT_TAG);
        language = text.n == 0 ? NULL : ts_language_name(ts_language_of(text));
        if (language == NULL) {
            text = datakit_meta_get(&u->meta, names[i], DATAKIT_VALUE);
            language = text.n == 0 ? NULL : ts_language_name(ts_language_of(text));
        }
    }
    return language == NULL ? TS_OK
                            : row_set(u, offsetof(ts_row_profile, language), ts_text_of(language));
}

static ts_code row_format(datakit_upload *u)
{
    static const char *const known[][2] = {{"jfr", "jfr"},
                                           {"pprof", "pprof"},
                                           {"collapse", "collapse"},
                                           {"rawflamegraph", "collapse"},
                                           {"speedscope", "speedscope"}};
    ts_text format = datakit_meta_get(&u->meta, "format", DATAKIT_EITHER);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (ts_text_is(format, known[i][0])) {
            return row_set(u, offsetof(ts_row_profile, format), ts_text_of(known[i][1]));
        }
    }
    return TS_OK;
}

/* TS_NO_TIME: not recorded, or no time, which is an issue. */
static ts_code row_time(int64_t *ns, datakit_upload *u, const char *names)
{
    ts_text text = datakit_meta_get(&u->meta, names, DATAKIT_EITHER);
    *ns = TS_NO_TIME;
    if (text.n == 0 || datakit_time(ns, text)) {
        return TS_OK;
    }
    *ns = TS_NO_TIME;
    u->meta.broken++;
    return ts_issue(u->store, u->source_id, TS_ISSUE_datakit_bad_time, NULL, TS_NO_OFFSET,
                    "\"%.*s\" is not a time from 1970 on", (int)(text.n < 100 ? text.n : 100),
                    text.p);
}

static ts_code row_times(datakit_upload *u)
{
    int64_t start, end;
    ts_code code = row_time(&start, u, "recording-start start");
    if (code == TS_OK && (code = row_time(&end, u, "recording-end end")) == TS_OK) {
        ts_profile_times(ts_upload_row(u->store), start, end, TS_NO_TIME);
    }
    return code;
}

/* --- tags ------------------------------------------------------------------------------------- */

static ts_code row_put_pairs(datakit_upload *u)
{
    const datakit_pair *pairs = u->meta.pairs.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < u->meta.pairs.n && code == TS_OK; i++) {
        ts_text key = ts_pool_text(&u->meta.texts, pairs[i].key);
        ts_text value = ts_pool_text(&u->meta.texts, pairs[i].value);
        if (pairs[i].used) {
            continue;
        }
        if (pairs[i].tag) {
            const ts_row_profile_tag row = {
                .profile_id = u->profile_id, .key = key, .value = value};
            code = ts_put_profile_tag(ts_store_sink(u->store), &row);
        } else {
            ts_buf name = {0};
            code = ts_buf_put(u->ctx, &name, key.p, key.n);
            TS_STEP(code, ts_buf_putc(u->ctx, &name, '\0'));
            TS_STEP(code, ts_source_property(u->store, u->source_id, name.p, value));
            ts_buf_free(u->ctx, &name);
        }
    }
    return code;
}

static ts_code row_record(datakit_upload *u)
{
    const datakit_meta *m = &u->meta;
    const ts_note notes[] = {
        {TS_ISSUE_datakit_text_cut, m->cut, "texts longer than 1 MiB were cut"},
        {TS_ISSUE_datakit_too_much, m->too_many, "tags and values were left out"},
        {TS_ISSUE_datakit_bad_text, m->bad_texts,
         "parts of texts that are not valid text became U+FFFD"},
        {TS_ISSUE_datakit_no_metadata, m->pairs.n + m->broken == 0 ? 1 : 0,
         "there are neither tags nor an event file that can be read"},
    };
    ts_tally *tally;
    uint64_t lost;
    ts_code code = ts_count(&tally, u->store, u->source_id, TS_ITEM_datakit_tags, NULL);
    TS_STEP(code, ts_notes_put(u->store, u->source_id, NULL, TS_NO_OFFSET, notes,
                               sizeof notes / sizeof notes[0]));
    if (code == TS_OK) {
        tally->seen += m->seen;
        lost = m->too_many + m->cut + m->broken;
        tally->lost += lost < m->seen ? lost : m->seen;
        tally->imported = tally->seen - tally->lost;
    }
    return code;
}

ts_code datakit_row_fill(datakit_upload *u)
{
    const char *form = ts_fileset_form(u->job->set);
    ts_code code = row_language(u);
    for (size_t i = 0; i < sizeof row_texts / sizeof row_texts[0] && code == TS_OK; i++) {
        ts_text text = datakit_meta_get(&u->meta, row_texts[i].names, row_texts[i].where);
        code = text.n == 0 ? TS_OK : row_set(u, row_texts[i].cell, text);
    }
    TS_STEP_IF(code, ts_upload_row(u->store)->endpoint.n == 0 && form != NULL && form[0] != '\0',
               row_set(u, offsetof(ts_row_profile, endpoint), ts_text_of(form)));
    if (code != TS_OK || (code = row_format(u)) != TS_OK || (code = row_times(u)) != TS_OK ||
        (code = row_record(u)) != TS_OK) {
        return code;
    }
    return row_put_pairs(u);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Uploads of a run, by their ids. */
typedef struct row_run {
    ts_pool ids;
} row_run;

static void row_release(ts_ctx *ctx, void *bytes)
{
    ts_pool_free(ctx, &((row_run *)bytes)->ids);
}

/* An upload that was sent twice. */
static ts_code row_check_id(datakit_upload *u, ts_text id)
{
    void *shared;
    uint32_t number;
    bool added;
    ts_code code = ts_job_shared(&shared, u->job, "datakit", sizeof(row_run),
                                 (ts_shared_calls){NULL, row_release});
    TS_STEP(code, ts_pool_intern(u->ctx, &number, &added, &((row_run *)shared)->ids, id));
    return code != TS_OK || added
               ? code
               : ts_issue(u->store, u->source_id, TS_ISSUE_datakit_repeated, NULL, TS_NO_OFFSET,
                          "another upload has the profile_id %.*s", (int)(id.n < 100 ? id.n : 100),
                          id.p);
}

static ts_code row_finish_times(datakit_upload *u, ts_row_profile *row)
{
    bool start = (row->null & TS_NULL_BIT(profile, start_ts)) == 0;
    bool end = (row->null & TS_NULL_BIT(profile, end_ts)) == 0;
    int64_t from = start ? row->start_ts : u->start;
    int64_t to = end ? row->end_ts : u->end;
    int64_t dur = TS_NO_TIME;
    ts_row_source *source = ts_source(u->store, u->source_id);
    ts_code code = TS_OK;
    if (from != TS_NO_TIME && to != TS_NO_TIME) {
        dur = to < from ? 0 : to - from;
    }
    ts_profile_times(row, from, to, dur);
    if (from != TS_NO_TIME) {
        source->clock = TS_TEXT_LIT("realtime");
        TS_SET_VALUE(source, source, start_ts, from);
        ts_range_note(u->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, from);
    }
    if (to != TS_NO_TIME) {
        source->clock = TS_TEXT_LIT("realtime");
        TS_SET_VALUE(source, source, end_ts, to);
        ts_range_note(u->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, to);
    }
    if (dur == 0 && to < from) {
        code = ts_issue(u->store, u->source_id, TS_ISSUE_datakit_time_order, NULL, TS_NO_OFFSET,
                        "the end lies %" PRIu64 " ns before the beginning",
                        (uint64_t)from - (uint64_t)to);
    }
    return code;
}

ts_code datakit_row_finish(datakit_upload *u)
{
    ts_row_profile *row = ts_upload_row(u->store);
    char id[TS_PROFILE_ID];
    ts_code code = TS_OK;
    if (row->profile_id.n == 0) {
        ts_profile_id_end(id, &u->id);
        code = row_set(u, offsetof(ts_row_profile, profile_id), ts_text_of(id));
    }
    TS_STEP(code, row_check_id(u, row->profile_id));
    TS_STEP(code, row_finish_times(u, row));
    /* What only Go records. */
    TS_STEP_IF(code, row->runtime.n == 0 && ts_text_is(row->language, "golang"),
               row_set(u, offsetof(ts_row_profile, runtime), TS_TEXT_LIT("go")));
    return code;
}
