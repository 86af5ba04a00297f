/* Directories and archives: what set formats take of them, and what is recorded of the rest. */
#include "parsers/import_impl.h"

#include "base/alloc.h"

#include <inttypes.h>

/* What of a set could not be read, on the row of its source. */
static ts_code note_unread(ts_run *run, ts_fileset *set, int64_t id)
{
    const char *first;
    uint64_t at;
    uint32_t linked = ts_fileset_skipped(set);
    uint32_t unread = ts_fileset_unread(&first, set);
    uint64_t stray = ts_fileset_stray(&at, set);
    ts_code code = linked > 0
                       ? ts_issue_n(run->store, id, TS_ISSUE_member_linked, NULL, TS_NO_OFFSET,
                                    linked, "links to directories whose files were read")
                       : TS_OK;
    if (code == TS_OK && unread > 0) {
        ts_source(run->store, id)->complete = 0;
        code = ts_issue_n(run->store, id, TS_ISSUE_member_unread, first, TS_NO_OFFSET, unread,
                          "members that are neither files nor links to files");
    }
    if (code == TS_OK && stray > 0 &&
        (code = ts_count_add(run->store, id, TS_ITEM_stray_bytes, NULL, 0, stray, 0)) == TS_OK) {
        ts_source(run->store, id)->complete = 0;
        code = ts_issue(run->store, id, TS_ISSUE_archive_stray_bytes, NULL, (int64_t)at,
                        "%" PRIu64 " bytes belong to no member", stray);
    }
    return code;
}

/* Members that are neither listed nor skipped on purpose are lost. */
static ts_code count_unread(ts_run *run, ts_fileset *set, int64_t id)
{
    const char *first;
    uint32_t unread = ts_fileset_unread(&first, set);
    return unread == 0 ? TS_OK : ts_count_add(run->store, id, TS_ITEM_members, NULL, 0, unread, 0);
}

ts_code import_run_set_format(ts_run *run, const ts_format *format, ts_job *job, bool first)
{
    ts_code code = import_job_source(run, job, format, NULL);
    TS_STEP(code, format->import_set(job));
    if (code != TS_OK) {
        return import_failed(run, code, job->set, job->label);
    }
    if (first && ((code = note_unread(run, job->set, job->source_id)) != TS_OK ||
                  (code = count_unread(run, job->set, job->source_id)) != TS_OK)) {
        return code;
    }
    return import_done(run, format, job->name);
}

/*
 * The format that takes what is left of the set as a whole. One that is insisted on may find what
 * it takes in an archive inside.
 */
static ts_code choose_set_format(const ts_format **out, ts_run *run, ts_fileset *set,
                                 uint32_t count, const uint8_t *taken)
{
    const ts_format *format = run->request->format;
    const char **names = ts_alloc(run->ctx, count == 0 ? 1 : count, sizeof *names);
    uint32_t n = 0;
    *out = NULL;
    TS_NEED(run->ctx, names);
    for (uint32_t i = 0; i < count; i++) {
        if (taken[i] == 0) {
            names[n++] = ts_member_name(set, i);
        }
    }
    if (format == NULL) {
        *out = import_sniff_set(ts_fileset_name(set), names, n, ts_fileset_form(set) != NULL);
    } else if (format->import_set != NULL) {
        const ts_sniff s = {.name = ts_fileset_name(set),
                            .names = names,
                            .name_count = n,
                            .form = ts_fileset_form(set) != NULL};
        bool inside = ts_fileset_kind(set) == TS_SET_ARCHIVE && format->sniff(&s) == TS_SNIFF_NO;
        *out = inside ? NULL : format;
    }
    ts_free(run->ctx, names);
    return TS_OK;
}

ts_code import_try_set_formats(uint8_t **taken, ts_run *run, ts_fileset *set, uint32_t count)
{
    uint8_t *by_member = ts_zalloc(run->ctx, count + 1U, 1);
    const ts_format *before = NULL;
    uint32_t failed = run->result->failed;
    ts_code code = TS_OK;
    *taken = NULL;
    TS_NEED(run->ctx, by_member);
    for (;;) {
        const ts_format *format;
        code = choose_set_format(&format, run, set, count, by_member);
        if (code != TS_OK || format == NULL || format == before) {
            break;
        }
        ts_job job = import_job(run, ts_fileset_name(set), set);
        job.taken = by_member;
        code = import_label_set(&job.label, run, set, job.name);
        TS_STEP(code, import_run_set_format(run, format, &job, before == NULL));
        if (run->request->format != NULL || (before == NULL && run->result->failed > failed)) {
            memset(by_member, 1, count); /* nothing else is wanted of it */
        }
        before = format;
        *taken = by_member;
        if (code != TS_OK || run->result->failed > failed) {
            break;
        }
    }
    if (*taken == NULL) {
        ts_free(run->ctx, by_member);
    }
    return code;
}

/* The own row of an archive or directory, which only those of which not all is imported have. */
static ts_code archive_source(ts_run *run, const ts_fileset *set, int64_t *id, ts_tally **tally)
{
    const char *kind = ts_fileset_kind(set) == TS_SET_ARCHIVE ? "archive" : "directory";
    const char *label;
    TS_TRY(import_label_set(&label, run, set, ts_fileset_name(set)));
    TS_TRY(ts_source_add(id, run->store, import_parent(run), kind, label, NULL));
    return ts_count(tally, run->store, *id, TS_ITEM_members, NULL);
}

ts_code import_note_archive(ts_run *run, ts_fileset *set, import_level *l)
{
    const char *first;
    uint64_t at;
    const ts_damage *damage = ts_fileset_damage(set);
    if (ts_fileset_kind(set) == TS_SET_FILE ||
        (ts_fileset_skipped(set) == 0 && ts_fileset_unread(&first, set) == 0 &&
         ts_fileset_stray(&at, set) == 0 && damage == NULL)) {
        return TS_OK;
    }
    ts_code code = archive_source(run, set, &l->source_id, &l->members);
    TS_STEP(code, note_unread(run, set, l->source_id));
    if (code != TS_OK || damage == NULL) {
        return code;
    }
    ts_source(run->store, l->source_id)->complete = 0;
    return ts_fileset_kind(set) == TS_SET_ARCHIVE
               ? ts_issue(run->store, l->source_id, TS_ISSUE_wire_damage, NULL,
                          (int64_t)damage->offset, "%s", damage->what)
               : ts_issue(run->store, l->source_id, TS_ISSUE_member_failed, NULL, TS_NO_OFFSET,
                          "%s", damage->what);
}

ts_code import_count_members(ts_run *run, import_level *l)
{
    const char *first;
    uint32_t linked = ts_fileset_skipped(l->set);
    uint32_t unread = ts_fileset_unread(&first, l->set);
    ts_code code = TS_OK;
    if (ts_fileset_kind(l->set) == TS_SET_FILE || l->taken != NULL) {
        return TS_OK;
    }
    TS_STEP_IF(code, l->members == NULL && l->failed + (l->beside ? 0 : l->passed) > 0,
               archive_source(run, l->set, &l->source_id, &l->members));
    if (code == TS_OK && l->members != NULL) {
        *l->members = (ts_tally){
            .seen = (uint64_t)l->count - l->databases + linked + unread,
            .imported = l->count - l->databases - l->passed - l->failed,
            .lost = (uint64_t)l->failed + unread,
            .skipped = (uint64_t)l->passed + linked,
        };
        code = ts_issue_n(run->store, l->source_id, TS_ISSUE_members_lost, NULL, TS_NO_OFFSET,
                          l->failed, "members were not imported");
    }
    return code;
}
