/* The stream file that is being read. */
#include "parsers/cloud/pod.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GZIP_MIN = 18 /* header and trailer */ };

void cloud_stream_close(cloud_pod *pod)
{
    ts_buf_free(pod->ctx, &pod->stream.facts);
}

/* --- issues --------------------------------------------------------------------------------- */

ts_code cloud_issue(cloud_pod *pod, ts_issue_code issue, uint64_t offset, const char *fmt, ...)
{
    char text[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return ts_issue(pod->store, pod->source_id, issue, pod->stream.label, (int64_t)offset, "%s",
                    text);
}

ts_code cloud_lose_of(ts_store *store, int64_t source_id, const char *what, uint64_t n)
{
    return ts_count_add(store, source_id, TS_ITEM_cloud_missing, what, 0, n, 0);
}

ts_code cloud_lose(cloud_pod *pod, const char *what, uint64_t n)
{
    return cloud_lose_of(pod->store, pod->source_id, what, n);
}

ts_code cloud_missing(cloud_pod *pod, ts_issue_code issue, const char *what, const char *fmt, ...)
{
    char text[200];
    va_list ap;
    ts_code code = cloud_lose(pod, what, 1);
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return code != TS_OK ? code
                         : ts_issue(pod->store, pod->source_id, issue, pod->stream.label,
                                    (int64_t)cloud_stream_offset(&pod->stream), "%s", text);
}

ts_code cloud_cut(cloud_pod *pod, cloud_item item, const char *what)
{
    pod->stream.damaged = true;
    cloud_count_lost(pod, item);
    return cloud_issue(pod, TS_ISSUE_cloud_record_cut, cloud_stream_offset(&pod->stream),
                       "the stream ends inside %s", what);
}

ts_code cloud_stop(cloud_pod *pod, const char *what)
{
    pod->stream.damaged = true;
    return cloud_issue(pod, TS_ISSUE_cloud_stream_bad, cloud_stream_offset(&pod->stream), "%s",
                       what);
}

ts_code cloud_stop_at(cloud_pod *pod, cloud_item item, const char *what)
{
    cloud_count_lost(pod, item);
    return cloud_stop(pod, what);
}

const char *cloud_stream_take_reason(cloud_stream *s)
{
    const char *why = s->why;
    s->why = NULL;
    return why != NULL ? why : "a text has an invalid length";
}

ts_code cloud_fact(cloud_pod *pod, const char *name, int64_t value)
{
    return ts_buf_printf(pod->ctx, &pod->stream.facts, "%s%s %" PRId64,
                         pod->stream.facts.n == 0 ? "" : ", ", name, value);
}

ts_code cloud_no_header(cloud_pod *pod, size_t n)
{
    const cloud_reader *r = &pod->stream.reader;
    ts_code code = cloud_lose(pod, "headers", 1);
    pod->stream.damaged = true;
    if (code != TS_OK) {
        return code;
    }
    return r->n == r->at ? cloud_issue(pod, TS_ISSUE_cloud_header_cut, 0, "the stream is empty")
                         : cloud_issue(pod, TS_ISSUE_cloud_header_cut, 0,
                                       "%zu bytes, the header has %zu", r->n - r->at, n);
}

ts_code cloud_stream_skipped(cloud_pod *pod)
{
    return ts_issue(pod->store, pod->source_id, TS_ISSUE_cloud_stream_skipped, pod->stream.label,
                    TS_NO_OFFSET, "%s is not imported", pod->stream.file->stream);
}

/* --- files ---------------------------------------------------------------------------------- */

/* What is wrong with the file may have taken words. */
static void lose_words(cloud_pod *pod)
{
    if (pod->stream.file->kind <= CLOUD_POS_DICTIONARY) {
        cloud_words_set_lost(&pod->words);
    }
}

/* A compressed file without an end: usual for the newest of an agent that runs. */
static ts_code note_no_end(cloud_pod *pod, const char *what)
{
    if (!pod->stream.newest) {
        return cloud_missing(pod, TS_ISSUE_cloud_file_cut, "ends", "%s, and a later file follows",
                             what);
    }
    pod->stream.unended += pod->stream.file->kind < CLOUD_OTHER;
    lose_words(pod);
    return cloud_issue(pod, TS_ISSUE_cloud_live_file, cloud_stream_offset(&pod->stream), "%s",
                       what);
}

/* Too short to be compressed, which its name says that it is. */
static bool is_incomplete_header(const cloud_pod *pod)
{
    const cloud_reader *r = &pod->stream.reader;
    size_t n = strlen(pod->stream.file->name);
    return r->stream != NULL && ts_stream_wrappers(r->stream)[0] == '\0' &&
           cloud_offset(r) < GZIP_MIN && n > 3 &&
           strcmp(pod->stream.file->name + n - 3, ".gz") == 0;
}

/* Damage of the compression around the file. */
static ts_code note_wrapper(cloud_pod *pod)
{
    const cloud_reader *r = &pod->stream.reader;
    const ts_damage *damage = r->stream == NULL ? NULL : ts_stream_damage(r->stream);
    ts_issue_code issue;
    if (r->broken) {
        lose_words(pod);
        return cloud_missing(pod, TS_ISSUE_input_read_failed, "ends", "%s",
                             pod->ctx->error.causes[0]);
    }
    if (damage == NULL && is_incomplete_header(pod)) {
        return note_no_end(pod, "gzip data ends before its header does");
    }
    if (damage == NULL) {
        pod->stream.ended += pod->stream.newest && pod->stream.file->kind < CLOUD_OTHER &&
                             r->stream != NULL && ts_stream_wrappers(r->stream)[0] != '\0';
        return TS_OK;
    }
    /* What has no end is right as far as it goes, unless it makes no sense before that. */
    if (pod->stream.file->kind == CLOUD_SUSPEND && !damage->trailing &&
        (ts_stream_doubt(r->stream) != NULL || cloud_suspend_wrong(&pod->suspend))) {
        ts_code code;
        TS_TRY(code, cloud_doubt_pauses(pod));
    }
    if (strstr(damage->what, "ends early") != NULL) {
        return note_no_end(pod, damage->what);
    }
    lose_words(pod);
    issue = damage->trailing ? TS_ISSUE_wrapper_trailing_bytes : TS_ISSUE_wire_damage;
    if (ts_issue_list[issue].severity >= TS_DATA_LOSS) {
        ts_code code = cloud_lose(pod, "ends", 1);
        TS_STEP_IF(code, !damage->trailing && pod->stream.file->kind <= CLOUD_POS_DICTIONARY,
                   cloud_doubt_words(pod));
        if (code != TS_OK) {
            return code;
        }
    }
    return cloud_issue(pod, issue, cloud_offset(r),
                       "%s (at byte %" PRIu64 " of the compressed file)", damage->what,
                       damage->offset);
}

static ts_code note_facts(cloud_pod *pod)
{
    ts_code code = TS_OK;
    if (pod->stream.phrases > 0) {
        code = cloud_fact(pod, "phrases", pod->stream.phrases);
    }
    return code != TS_OK || pod->stream.facts.n == 0
               ? code
               : ts_source_property(pod->store, pod->source_id, pod->stream.label,
                                    ts_buf_text(&pod->stream.facts));
}

/* Of `size` bytes those up to `kept` were imported. skipped: none was meant to be. */
static void count_bytes(ts_tally *tally, bool skipped, uint64_t kept, uint64_t size)
{
    tally->seen += size;
    tally->imported += skipped ? 0 : kept;
    tally->skipped += skipped ? size : 0;
    tally->lost += skipped ? 0 : size - kept;
}

/* After its records: all bytes of the file are accounted for. */
static ts_code end_file(cloud_pod *pod)
{
    cloud_reader *r = &pod->stream.reader;
    bool other = pod->stream.file->kind == CLOUD_OTHER;
    ts_tally *tally;
    uint64_t kept;
    uint64_t size;
    ts_code code = cloud_drain(r);
    if (code != TS_OK || (code = note_wrapper(pod)) != TS_OK || (code = note_facts(pod)) != TS_OK ||
        pod->stream.file->borrowed ||
        (code = ts_count(&tally, pod->store, pod->source_id, TS_ITEM_cloud_stream_bytes,
                         pod->stream.file->stream)) != TS_OK) {
        return code;
    }
    size = cloud_offset(r);
    kept = pod->stream.damaged ? pod->stream.kept : size;
    count_bytes(tally, other, kept, size);
    if (r->stream == NULL) {
        return TS_OK;
    }
    ts_job_read(pod->job, size);
    ts_source(pod->store, pod->source_id)->bytes += (int64_t)size;
    if ((code = ts_count(&tally, pod->store, pod->source_id, TS_ITEM_bytes, NULL)) == TS_OK) {
        count_bytes(tally, other, kept, size);
    }
    return code;
}

ts_code cloud_stream_import(cloud_pod *pod, const cloud_file *file, bool newest)
{
    cloud_reader *r = &pod->stream.reader;
    ts_code code = TS_OK;
    pod->stream.file = file;
    pod->stream.newest = newest;
    pod->stream.damaged = false;
    pod->stream.kept = 0;
    pod->stream.phrases = 0;
    pod->stream.facts.n = 0;
    snprintf(pod->stream.label, sizeof pod->stream.label, "%s %" PRId64, file->stream, file->index);
    *r = (cloud_reader){.ctx = pod->ctx, .spool = file->spool};
    if (file->spool == NULL) {
        code = ts_member_open(&r->stream, pod->job->set, file->member);
        if (code == TS_ERR_INPUT) {
            lose_words(pod);
            TS_TRY(code, cloud_lose(pod, "files", 1));
            return ts_issue(pod->store, pod->source_id, TS_ISSUE_member_failed, pod->stream.label,
                            TS_NO_OFFSET, "%s", pod->ctx->error.causes[0]);
        }
        r->block = pod->job->options->block_size;
    }
    TS_STEP(code, cloud_need(r, 1));
    TS_STEP(code, cloud_pod_read_stream(pod));
    TS_STEP(code, end_file(pod));
    if (r->stream != NULL) {
        ts_stream_close(r->stream);
    }
    cloud_reader_free(r);
    return code;
}

ts_code cloud_stream_check_ends(cloud_pod *pod)
{
    ts_code code;
    if (pod->stream.ended == 0 || pod->stream.unended == 0) {
        return TS_OK;
    }
    code = cloud_lose(pod, "ends", pod->stream.unended);
    return code != TS_OK ? code
                         : ts_issue_n(pod->store, pod->source_id, TS_ISSUE_cloud_file_cut, NULL,
                                      TS_NO_OFFSET, pod->stream.unended,
                                      "%" PRIu64 " streams have no end, %" PRIu64 " have one",
                                      pod->stream.unended, pod->stream.ended);
}
