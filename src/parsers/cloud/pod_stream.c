/* The stream file that is being read. */
#include "parsers/cloud/pod.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GZIP_MIN = 18 /* header and trailer */ };

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
                                    (int64_t)cloud_offset(&pod->stream.reader), "%s", text);
}

ts_code cloud_cut(cloud_pod *pod, cloud_item item, const char *what)
{
    pod->stream.damaged = true;
    cloud_count_lost(pod, item);
    return cloud_issue(pod, TS_ISSUE_cloud_record_cut, cloud_offset(&pod->stream.reader),
                       "the stream ends inside %s", what);
}

ts_code cloud_stop(cloud_pod *pod, const char *what)
{
    pod->stream.damaged = true;
    return cloud_issue(pod, TS_ISSUE_cloud_stream_bad, cloud_offset(&pod->stream.reader), "%s",
                       what);
}

ts_code cloud_stop_at(cloud_pod *pod, cloud_item item, const char *what)
{
    cloud_count_lost(pod, item);
    return cloud_stop(pod, what);
}

/* The reason of the last rejection, which is taken. */
static const char *cloud_stream_take_reason(cloud_stream *s)
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
    pod->words.lost = pod->words.lost || pod->stream.file->kind <= CLOUD_POS_DICTIONARY;
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
    return cloud_issue(pod, TS_ISSUE_cloud_live_file, cloud_offset(&pod->stream.reader), "%s",
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
        (ts_stream_doubt(r->stream) != NULL || pod->suspend.wrong)) {
        ts_code code;
        TS_TRY_INTO(code, cloud_doubt_pauses(pod));
    }
    if (strstr(damage->what, "ends early") != NULL) {
        return note_no_end(pod, damage->what);
    }
    lose_words(pod);
    ts_issue_code issue = damage->trailing ? TS_ISSUE_wrapper_trailing_bytes : TS_ISSUE_wire_damage;
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
    ts_code code =
        pod->stream.phrases > 0 ? cloud_fact(pod, "phrases", pod->stream.phrases) : TS_OK;
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
    ts_code code = cloud_drain(r);
    if (code != TS_OK || (code = note_wrapper(pod)) != TS_OK || (code = note_facts(pod)) != TS_OK ||
        pod->stream.file->borrowed ||
        (code = ts_count(&tally, pod->store, pod->source_id, TS_ITEM_cloud_stream_bytes,
                         pod->stream.file->stream)) != TS_OK) {
        return code;
    }
    uint64_t size = cloud_offset(r);
    uint64_t kept = pod->stream.damaged ? pod->stream.kept : size;
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
            TS_TRY_INTO(code, cloud_lose(pod, "files", 1));
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
    if (pod->stream.ended == 0 || pod->stream.unended == 0) {
        return TS_OK;
    }
    TS_TRY(cloud_lose(pod, "ends", pod->stream.unended));
    return ts_issue_n(pod->store, pod->source_id, TS_ISSUE_cloud_file_cut, NULL, TS_NO_OFFSET,
                      pod->stream.unended, "%" PRIu64 " streams have no end, %" PRIu64 " have one",
                      pod->stream.unended, pod->stream.ended);
}

/* --- records, one after the other or in phrases --------------------------------------------- */

enum { MAX_PHRASE = 1 << 20 };

ts_code cloud_records(cloud_pod *pod, cloud_record record, cloud_item item, const char *what)
{
    cloud_reader *r = &pod->stream.reader;
    ts_code code = TS_OK;
    while (code == TS_OK) {
        cloud_cursor c = cloud_window(r);
        if (c.p == c.end && r->ended) {
            break;
        }
        code = c.p == c.end ? TS_OK : record(pod, &c, cloud_offset(r));
        if (code != TS_OK) {
            break;
        }
        if (c.got == CLOUD_GOT && c.p > r->buf + r->at) {
            cloud_take(r, &c);
            cloud_stream_keep(&pod->stream);
        } else if (c.got == CLOUD_BAD) {
            return cloud_stop_at(pod, item, cloud_stream_take_reason(&pod->stream));
        } else if (r->n - r->at >= CLOUD_MAX_RECORD) {
            return cloud_stop_at(pod, item, "a record has more than 268435456 bytes");
        } else if (!r->ended) {
            code = cloud_longer(r);
        } else {
            return cloud_cut(pod, item, what);
        }
    }
    return code;
}

/* The phrase that is being read. */
typedef struct phrase {
    size_t n;
    bool cut; /* the stream ends inside it */
    bool bad; /* a part was left out */
} phrase;

/* What is at the cursor, to the end of the phrase, is no valid record. */
static ts_code leave_out(cloud_pod *pod, phrase *f, const cloud_cursor *c, size_t n,
                         cloud_item item, const char *what)
{
    cloud_reader *r = &pod->stream.reader;
    uint64_t offset = cloud_offset(r) + f->n - n;
    f->bad = true;
    if (c->got == CLOUD_SHORT && f->cut) {
        r->at += f->n - n;
        return cloud_cut(pod, item, what);
    }
    cloud_count_lost(pod, item);
    return cloud_issue(
        pod, TS_ISSUE_cloud_phrase_bad, offset, "%s: %zu bytes of the phrase are left out",
        c->got == CLOUD_BAD ? cloud_stream_take_reason(&pod->stream) : "a record is incomplete", n);
}

/* The records of a phrase, which is in the window. */
static ts_code read_phrase(cloud_pod *pod, phrase *f, cloud_record record, cloud_item item,
                           const char *what)
{
    cloud_reader *r = &pod->stream.reader;
    size_t after = r->at + f->n;
    cloud_cursor c = {r->buf + r->at, r->buf + after, CLOUD_GOT};
    ts_code code = TS_OK;
    while (c.p < c.end && code == TS_OK && !f->bad) {
        const uint8_t *begin = c.p;
        code = record(pod, &c, r->base + (uint64_t)(begin - r->buf));
        TS_STEP_IF(code, c.got != CLOUD_GOT,
                   leave_out(pod, f, &c, after - (size_t)(begin - r->buf), item, what));
    }
    r->at = after;
    return code;
}

/* The length of the next phrase; 0 when there is none or it is invalid. */
static ts_code begin_phrase(cloud_pod *pod, phrase *f)
{
    cloud_reader *r = &pod->stream.reader;
    ts_code code = cloud_need(r, 4);
    *f = (phrase){0};
    cloud_cursor c = cloud_window(r);
    if (code != TS_OK || c.p == c.end) {
        return code;
    }
    uint64_t length = cloud_fixed(&c, 4);
    if (c.got != CLOUD_GOT) {
        return cloud_stop(pod, "the stream ends inside the length of a phrase");
    }
    if (length == 0 || length > MAX_PHRASE) {
        char text[64];
        snprintf(text, sizeof text, "invalid length of a phrase: %" PRIu64 " bytes", length);
        return cloud_stop(pod, text);
    }
    cloud_take(r, &c);
    pod->stream.phrases++;
    TS_TRY_INTO(code, cloud_need(r, (size_t)length));
    f->n = (size_t)length;
    if (r->n - r->at < f->n) {
        f->cut = true;
        f->n = r->n - r->at;
    }
    return TS_OK;
}

/* After a phrase: is it the last one that is read? */
static ts_code end_phrase(cloud_pod *pod, const phrase *f, bool exact, const char *what)
{
    uint64_t offset = cloud_offset(&pod->stream.reader);
    pod->stream.damaged = f->cut || (f->bad && exact);
    pod->stream.kept = !f->bad ? offset : pod->stream.kept;
    if (f->cut) {
        return f->bad ? TS_OK
                      : cloud_missing(pod, TS_ISSUE_cloud_record_cut, "ends",
                                      "the stream ends inside a phrase, between two records");
    }
    return pod->stream.damaged ? cloud_issue(pod, TS_ISSUE_cloud_stream_bad, offset,
                                             "the number that %s has after that is not known", what)
                               : TS_OK;
}

ts_code cloud_phrases(cloud_pod *pod, cloud_record record, size_t header, cloud_item item,
                      bool exact, const char *what)
{
    ts_code code = TS_OK;
    while (code == TS_OK && !pod->stream.damaged) {
        phrase f;
        if ((code = begin_phrase(pod, &f)) != TS_OK || (f.n == 0 && !f.cut)) {
            return code;
        }
        if (header > f.n) {
            pod->stream.damaged = true;
            TS_TRY_INTO(code, cloud_lose(pod, "headers", 1));
            return cloud_issue(pod, TS_ISSUE_cloud_header_cut, 0,
                               "the first phrase has %zu bytes, the header %zu", f.n, header);
        }
        pod->stream.reader.at += header; /* it was decoded before the first phrase */
        f.n -= header;
        header = 0;
        code = read_phrase(pod, &f, record, item, what);
        TS_STEP(code, end_phrase(pod, &f, exact, what));
    }
    return code;
}
