/*
 * -D: a recording that the device has split into hiprofiler_data_<8 digits>_<6 digits>_<n>.htrace,
 * and perhaps a file with the ArkTS data, hiprofiler_data_..._arkts.htrace. They are read in the
 * order of n, the ArkTS files last, as one source whose state goes on from file to file.
 */
#include "parsers/import_impl.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct split_file {
    uint32_t member;
    uint64_t number; /* UINT64_MAX for an ArkTS file */
    const char *name;
} split_file;

static bool take_digits(const char **p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((*p)[i] < '0' || (*p)[i] > '9') {
            return false;
        }
    }
    *p += n;
    return true;
}

static bool parse_name(uint64_t *number, const char *p)
{
    static const char prefix[] = "hiprofiler_data_";
    size_t digits = 0;
    if (strncmp(p, prefix, sizeof prefix - 1) != 0) {
        return false;
    }
    p += sizeof prefix - 1;
    if (!take_digits(&p, 8) || *p++ != '_' || !take_digits(&p, 6) || *p++ != '_') {
        return false;
    }
    if (strcmp(p, "arkts.htrace") == 0) {
        *number = UINT64_MAX;
        return true;
    }
    *number = 0;
    for (; *p >= '0' && *p <= '9' && digits < 18; p++, digits++) {
        *number = *number * 10 + (uint64_t)(*p - '0');
    }
    return digits > 0 && (strcmp(p, ".htrace") == 0 || strcmp(p, "_arkts.htrace") == 0);
}

static int directory_compare(const void *a, const void *b)
{
    const split_file *x = a;
    const split_file *y = b;
    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

static ts_code list_files(ts_run *run, ts_fileset *set, split_file **files, uint32_t *n)
{
    uint32_t count;
    ts_code code = ts_fileset_count(&count, set);
    *n = 0;
    if (code != TS_OK) {
        return code;
    }
    TS_NEED(run->ctx, *files = ts_alloc(run->ctx, count == 0 ? 1 : count, sizeof **files));
    for (uint32_t i = 0; i < count; i++) {
        const char *name = ts_member_name(set, i);
        uint64_t number;
        if (parse_name(&number, name)) {
            (*files)[(*n)++] = (split_file){i, number, name};
        }
    }
    qsort(*files, *n, sizeof **files, directory_compare);
    return TS_OK;
}

/* Is the file at k the next after the one before it? */
static ts_code check_sequence(ts_run *run, int64_t source_id, const split_file *files, uint32_t k,
                              bool *missing)
{
    uint64_t before = files[k - 1].number;
    uint64_t now = files[k].number;
    *missing = now != UINT64_MAX && now > before + 1;
    if (*missing) {
        return ts_issue_n(run->store, source_id, TS_ISSUE_sequence_gap, NULL, TS_NO_OFFSET,
                          now - before - 1, "files %" PRIu64 " to %" PRIu64 " are missing",
                          before + 1, now - 1);
    }
    if (now == before && now != UINT64_MAX) {
        return ts_issue(run->store, source_id, TS_ISSUE_sequence_duplicate, NULL, TS_NO_OFFSET,
                        "two files have the number %" PRIu64, now);
    }
    return TS_OK;
}

/* The first file whose text may be wrong anywhere: so may what follows it. */
typedef struct doubt {
    bool any;
    ts_damage damage;
    ts_row_marks from;
} doubt;

/* next: the file after this one, or NULL. */
static ts_code feed_file(ts_run *run, const ts_format *format, void *parser, ts_fileset *set,
                         const split_file *file, const split_file *next, int64_t source_id,
                         uint64_t *bytes, doubt *d)
{
    ts_stream *stream;
    bool broken;
    if (!d->any) {
        ts_row_marks_take(&d->from, ts_store_sink(run->store));
    }
    ts_code code = import_ahead_take(&stream, run, set, file->member);
    if (code == TS_ERR_INPUT) {
        return ts_issue(run->store, source_id, TS_ISSUE_member_failed, file->name, TS_NO_OFFSET,
                        "%s", run->ctx->error.causes[0]);
    }
    if (code != TS_OK) {
        return code;
    }
    if (next != NULL) {
        import_ahead_member(run, set, next->member);
    }
    code = import_feed(run, format, parser, stream, set, source_id, &broken);
    if (code == TS_OK) {
        *bytes += ts_stream_offset(stream);
        code = import_note_end(run, stream, source_id);
        if (!d->any && ts_stream_doubt(stream) != NULL) {
            d->any = true;
            d->damage = *ts_stream_doubt(stream);
        }
    }
    TS_STEP_IF(code, !broken && ts_stream_offset(stream) == 0,
               ts_issue(run->store, source_id, TS_ISSUE_member_failed, file->name, 0,
                        "the file is empty"));
    ts_stream_close(stream);
    return code;
}

static ts_code feed_all(ts_run *run, const ts_format *format, ts_job *job, const split_file *files,
                        uint32_t n)
{
    void *parser = NULL;
    ts_stream_end end = {0, NULL, false};
    doubt d = {.any = false};
    ts_code code;
    TS_TRY_INTO(code, format->open(&parser, job));
    for (uint32_t k = 0; k < n && code == TS_OK; k++) {
        bool missing = false;
        if (k > 0 && (code = check_sequence(run, job->source_id, files, k, &missing)) == TS_OK) {
            code = format->next_file(parser, files[k].name, missing);
        }
        TS_STEP(code, feed_file(run, format, parser, job->set, &files[k],
                                k + 1 < n ? &files[k + 1] : NULL, job->source_id, &end.bytes, &d));
    }
    if (code == TS_OK) {
        end.doubted = d.any;
        code = format->finish(parser, &end);
    }
    TS_STEP_IF(code, d.any, import_doubt(run, job->source_id, &d.damage, &d.from, end.bytes));
    TS_STEP(code, import_check_bytes(run, job->source_id, end.bytes));
    format->close(parser);
    return code;
}

ts_code import_directory(ts_run *run, const char *path)
{
    const ts_format *format = ts_format_find("htrace");
    ts_fileset *set = NULL;
    split_file *files = NULL;
    uint32_t n = 0;
    ts_job job = import_job(run, path, NULL);
    if (run->request->format != NULL && run->request->format != format) {
        return ts_fail(run->ctx, TS_ERR_USAGE, "-D reads files of the format %s, not of %s",
                       format->name, run->request->format->name);
    }
    ts_code code;
    TS_TRY_INTO(code, ts_fileset_open(&set, run->ctx, path));
    if ((code = list_files(run, set, &files, &n)) != TS_OK) {
        goto out;
    }
    if (n == 0) {
        code = ts_fail(run->ctx, TS_ERR_INPUT,
                       "%s holds no file named hiprofiler_data_<8 digits>_<6 digits>_<n>.htrace",
                       path);
        goto out;
    }
    job.set = set;
    job.member = files[0].member;
    job.name = job.label = ts_fileset_name(set);
    code = import_job_source(run, &job, format, NULL);
    TS_STEP(code, feed_all(run, format, &job, files, n));
    TS_STEP(code, import_done(run, format, job.name));
out:
    ts_free(run->ctx, files);
    import_ahead_drop(run, set);
    ts_fileset_close(set);
    return code;
}
