/* Uploads to Datakit in a set: a form is one, and so is each directory with an event file. */
#include "parsers/datakit/datakit.h"
#include "parsers/format.h"

#include "base/alloc.h"

#include <stdlib.h>

static size_t datakit_dir(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash == NULL ? 0 : (size_t)(slash - name) + 1;
}

static bool is_event(const char *name)
{
    return strcmp(name, "event") == 0 || strcmp(name, "event.json") == 0;
}

static int datakit_sniff(const ts_sniff *s)
{
    if (s->names == NULL) {
        return TS_SNIFF_NO;
    }
    for (uint32_t i = 0; i < s->name_count; i++) {
        if (is_event(s->names[i] + datakit_dir(s->names[i]))) {
            return TS_SNIFF_LIKELY;
        }
    }
    return s->form && s->name_count > 0 ? TS_SNIFF_LIKELY : TS_SNIFF_NO;
}

/* --- members ---------------------------------------------------------------------------------- */

static datakit_part part_of_file(const char *name, const char *field)
{
    if (is_event(name) || (field != NULL && is_event(field))) {
        return DATAKIT_EVENT;
    }
    if (strcmp(name, "metrics.json") == 0 ||
        (field != NULL && strcmp(field, "metrics.json") == 0)) {
        return DATAKIT_METRICS;
    }
    return DATAKIT_FILE;
}

static void look_at_member(datakit_entry *e, const ts_job *job, uint32_t i)
{
    const char *name = ts_member_name(job->set, i);
    bool value;
    const char *field = ts_member_field(&value, job->set, i);
    *e = (datakit_entry){.member = i, .dir = field == NULL ? datakit_dir(name) : 0};
    e->part = part_of_file(name + e->dir, field);
    /* A form may have the event as a value, too. */
    if (field != NULL && value && e->part != DATAKIT_EVENT) {
        e->part = DATAKIT_FORM_VALUE;
    }
}

static int compare_dirs(const char *a, size_t a_n, const char *b, size_t b_n)
{
    int order = memcmp(a, b, a_n < b_n ? a_n : b_n);
    return order != 0 ? order : (a_n > b_n) - (a_n < b_n);
}

/* Entries with the names that they are sorted by. */
typedef struct named_entry {
    const char *name;
    datakit_entry entry;
} named_entry;

/* Directory by directory, in it in the order of the set. */
static int compare_entries(const void *a, const void *b)
{
    const named_entry *x = a;
    const named_entry *y = b;
    int order = compare_dirs(x->name, x->entry.dir, y->name, y->entry.dir);
    return order != 0 ? order
                      : (x->entry.member > y->entry.member) - (x->entry.member < y->entry.member);
}

static ts_code list_members(datakit_entry **entries, size_t *n, ts_job *job)
{
    uint32_t count;
    named_entry *named = NULL;
    ts_code code = ts_fileset_count(&count, job->set);
    *n = 0;
    *entries = NULL;
    if (code != TS_OK) {
        return code;
    }
    named = ts_alloc(job->ctx, (size_t)count + 1, sizeof *named);
    *entries = ts_alloc(job->ctx, (size_t)count + 1, sizeof **entries);
    if (named == NULL || *entries == NULL) {
        ts_free(job->ctx, named);
        return job->ctx->error.code;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!ts_job_taken(job, i)) {
            named[*n].name = ts_member_name(job->set, i);
            look_at_member(&named[(*n)++].entry, job, i);
        }
    }
    qsort(named, *n, sizeof *named, compare_entries);
    for (size_t i = 0; i < *n; i++) {
        (*entries)[i] = named[i].entry;
    }
    ts_free(job->ctx, named);
    return TS_OK;
}

/* --- uploads ---------------------------------------------------------------------------------- */

/* The upload's row: that of the input for the first one, as a Flare directory has it. */
static ts_code begin_source(int64_t *id, ts_job *job, const datakit_entry *e, bool first)
{
    const char *name = ts_member_name(job->set, e->member);
    size_t end = e->dir == 0 ? 0 : e->dir - 1;
    size_t begin = end;
    ts_row_source *source;
    ts_code code;
    *id = job->source_id;
    if (!first &&
        (code = ts_source_add(id, job->store, 0, "upload", job->label, "datakit")) != TS_OK) {
        return code;
    }
    source = ts_source(job->store, *id);
    code = ts_source_text(job->store, *id, &source->kind, "upload", 6);
    while (begin > 0 && name[begin - 1] != '/') {
        begin--;
    }
    if (code == TS_OK && begin < end) {
        code = ts_source_property(
            job->store, *id, ts_fileset_kind(job->set) == TS_SET_ARCHIVE ? "archive" : "directory",
            ts_text_of(job->label));
        TS_STEP(code, ts_source_text(job->store, *id, &source->path, name + begin, end - begin));
    }
    return code;
}

static bool has_event(const datakit_entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (entries[i].part == DATAKIT_EVENT) {
            return true;
        }
    }
    return false;
}

/* *good: there is something in it beside its metadata, or there was before it was damaged. */
static ts_code import_one(bool *good, ts_job *job, datakit_entry *entries, size_t n, bool first)
{
    datakit_upload u = {
        .job = job, .ctx = job->ctx, .store = job->store, .entries = entries, .entry_n = n};
    ts_code code = begin_source(&u.source_id, job, &entries[0], first);
    for (size_t i = 0; i < n; i++) {
        ts_job_take(job, entries[i].member);
    }
    TS_STEP(code, datakit_upload_import(&u));
    *good = *good || !u.useless;
    return code;
}

/* How much of the set is missing is unknown: it counts as one member. */
static ts_code note_damage(ts_job *job)
{
    const ts_damage *damage = ts_fileset_damage(job->set);
    if (damage == NULL) {
        return TS_OK;
    }
    ts_source(job->store, job->source_id)->complete = 0;
    TS_TRY(ts_count_add(job->store, job->source_id, TS_ITEM_members, NULL, 0, 1, 0));
    return ts_issue(job->store, job->source_id, TS_ISSUE_wire_damage, NULL, (int64_t)damage->offset,
                    "%s", damage->what);
}

static ts_code import_uploads(ts_job *job)
{
    datakit_entry *entries = NULL;
    bool form = ts_fileset_form(job->set) != NULL;
    bool first = true;
    bool good = false;
    size_t n = 0;
    ts_code code = list_members(&entries, &n, job);
    for (size_t i = 0, end; i < n && code == TS_OK; i = end) {
        const char *name = ts_member_name(job->set, entries[i].member);
        for (end = i + 1; end < n; end++) {
            const char *other = ts_member_name(job->set, entries[end].member);
            if (!form && compare_dirs(name, entries[i].dir, other, entries[end].dir) != 0) {
                break;
            }
        }
        if (form || has_event(entries + i, end - i)) {
            code = import_one(&good, job, entries + i, end - i, first);
            first = false;
        }
    }
    TS_STEP_IF(code, first,
               ts_fail(job->ctx, TS_ERR_FORMAT,
                       "%s is not an upload: it has neither a form nor an event file", job->name));
    if (code == TS_OK && (code = note_damage(job)) == TS_OK && !good &&
        ts_fileset_damage(job->set) == NULL) {
        code =
            ts_fail(job->ctx, TS_ERR_FORMAT,
                    "%s: none of the uploaded files is a recording of a known format", job->name);
    }
    ts_free(job->ctx, entries);
    return code;
}

TS_SOURCE_FORMAT(datakit) = {
    .name = "datakit",
    .title = "upload of profiles to Datakit: form, HTTP request, or directory with event.json",
    .source_type = "profile",
    .sniff = datakit_sniff,
    .import_set = import_uploads,
};
