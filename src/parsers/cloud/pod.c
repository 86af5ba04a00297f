/* One pod: the order of its files, what all streams have in common, its rows. */
#include "parsers/cloud/cloud_impl.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_PHRASE = 1 << 20, GZIP_MIN = 18 /* header and trailer */ };

ts_code cloud_grow(ts_ctx *ctx, cloud_array *a, size_t size)
{
    size_t cap;
    void *p;
    if (a->n < a->cap) {
        return TS_OK;
    }
    cap = a->cap < 64 ? 64 : a->cap + a->cap / 2;
    p = ts_realloc(ctx, a->p, cap, size);
    if (p == NULL) {
        return ctx->error.code;
    }
    a->p = p;
    a->cap = cap;
    return TS_OK;
}

/* --- what went wrong ------------------------------------------------------------------------ */

ts_code cloud_issue(cloud_pod *pod, ts_issue_code issue, uint64_t offset, const char *fmt, ...)
{
    char text[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return ts_issue(pod->store, pod->source_id, issue, pod->label, (int64_t)offset, "%s", text);
}

ts_code cloud_lose_of(ts_store *store, int64_t source_id, const char *what, uint64_t n)
{
    ts_tally *tally;
    ts_code code = ts_count(&tally, store, source_id, TS_ITEM_cloud_missing, what);
    if (code == TS_OK) {
        tally->seen += n;
        tally->lost += n;
    }
    return code;
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
                         : ts_issue(pod->store, pod->source_id, issue, pod->label,
                                    (int64_t)cloud_offset(&pod->reader), "%s", text);
}

ts_code cloud_cut(cloud_pod *pod, cloud_item item, const char *what)
{
    pod->damaged = true;
    pod->counts[item]->seen++;
    pod->counts[item]->lost++;
    return cloud_issue(pod, TS_ISSUE_cloud_record_cut, cloud_offset(&pod->reader),
                       "the stream ends inside %s", what);
}

ts_code cloud_stop(cloud_pod *pod, const char *what)
{
    pod->damaged = true;
    return cloud_issue(pod, TS_ISSUE_cloud_stream_bad, cloud_offset(&pod->reader), "%s", what);
}

ts_code cloud_stop_at(cloud_pod *pod, cloud_item item, const char *what)
{
    pod->counts[item]->seen++;
    pod->counts[item]->lost++;
    return cloud_stop(pod, what);
}

/* Why no record can be at the cursor. */
static const char *take_why(cloud_pod *pod)
{
    const char *why = pod->why;
    pod->why = NULL;
    return why != NULL ? why : "a text has an impossible length";
}

ts_code cloud_fact(cloud_pod *pod, const char *name, int64_t value)
{
    return ts_buf_printf(pod->ctx, &pod->facts, "%s%s %" PRId64, pod->facts.n == 0 ? "" : ", ",
                         name, value);
}

ts_code cloud_no_header(cloud_pod *pod, size_t n)
{
    const cloud_reader *r = &pod->reader;
    ts_code code = cloud_lose(pod, "headers", 1);
    pod->damaged = true;
    if (code != TS_OK) {
        return code;
    }
    return r->n == r->at ? cloud_issue(pod, TS_ISSUE_cloud_header_cut, 0, "the stream is empty")
                         : cloud_issue(pod, TS_ISSUE_cloud_header_cut, 0,
                                       "%zu bytes, the header has %zu", r->n - r->at, n);
}

/* --- records -------------------------------------------------------------------------------- */

ts_code cloud_records(cloud_pod *pod, cloud_record record, cloud_item item, const char *what)
{
    cloud_reader *r = &pod->reader;
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
            pod->kept = cloud_offset(r);
        } else if (c.got == CLOUD_BAD) {
            return cloud_stop_at(pod, item, take_why(pod));
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

/* What is at the cursor, to the end of the phrase, is no record. */
static ts_code leave_out(cloud_pod *pod, phrase *f, const cloud_cursor *c, size_t n,
                         cloud_item item, const char *what)
{
    cloud_reader *r = &pod->reader;
    uint64_t offset = cloud_offset(r) + f->n - n;
    f->bad = true;
    if (c->got == CLOUD_SHORT && f->cut) {
        r->at += f->n - n;
        return cloud_cut(pod, item, what);
    }
    pod->counts[item]->seen++;
    pod->counts[item]->lost++;
    return cloud_issue(pod, TS_ISSUE_cloud_phrase_bad, offset,
                       "%s: %zu bytes of the phrase are left out",
                       c->got == CLOUD_BAD ? take_why(pod) : "a record has no end", n);
}

/* The records of a phrase, which is in the window. */
static ts_code read_phrase(cloud_pod *pod, phrase *f, cloud_record record, cloud_item item,
                           const char *what)
{
    cloud_reader *r = &pod->reader;
    size_t after = r->at + f->n;
    cloud_cursor c = {r->buf + r->at, r->buf + after, CLOUD_GOT};
    ts_code code = TS_OK;
    while (c.p < c.end && code == TS_OK && !f->bad) {
        const uint8_t *begin = c.p;
        code = record(pod, &c, r->base + (uint64_t)(begin - r->buf));
        if (code == TS_OK && c.got != CLOUD_GOT) {
            code = leave_out(pod, f, &c, after - (size_t)(begin - r->buf), item, what);
        }
    }
    r->at = after;
    return code;
}

/* The length of the next phrase; 0 when there is none or none that can be. */
static ts_code begin_phrase(cloud_pod *pod, phrase *f)
{
    cloud_reader *r = &pod->reader;
    cloud_cursor c;
    uint64_t length;
    ts_code code = cloud_need(r, 4);
    *f = (phrase){0};
    c = cloud_window(r);
    if (code != TS_OK || c.p == c.end) {
        return code;
    }
    length = cloud_fixed(&c, 4);
    if (c.got != CLOUD_GOT) {
        return cloud_stop(pod, "the stream ends inside the length of a phrase");
    }
    if (length == 0 || length > MAX_PHRASE) {
        char text[64];
        snprintf(text, sizeof text, "no phrase has %" PRIu64 " bytes", length);
        return cloud_stop(pod, text);
    }
    cloud_take(r, &c);
    pod->phrases++;
    if ((code = cloud_need(r, (size_t)length)) != TS_OK) {
        return code;
    }
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
    uint64_t offset = cloud_offset(&pod->reader);
    pod->damaged = f->cut || (f->bad && exact);
    if (!f->bad) {
        pod->kept = offset;
    }
    if (f->cut) {
        return f->bad ? TS_OK
                      : cloud_missing(pod, TS_ISSUE_cloud_record_cut, "ends",
                                      "the stream ends inside a phrase, between two records");
    }
    return pod->damaged ? cloud_issue(pod, TS_ISSUE_cloud_stream_bad, offset,
                                      "nothing says which number %s has after that", what)
                        : TS_OK;
}

ts_code cloud_phrases(cloud_pod *pod, cloud_record record, size_t header, cloud_item item,
                      bool exact, const char *what)
{
    ts_code code = TS_OK;
    while (code == TS_OK && !pod->damaged) {
        phrase f;
        if ((code = begin_phrase(pod, &f)) != TS_OK || (f.n == 0 && !f.cut)) {
            return code;
        }
        if (header > f.n) {
            pod->damaged = true;
            if ((code = cloud_lose(pod, "headers", 1)) != TS_OK) {
                return code;
            }
            return cloud_issue(pod, TS_ISSUE_cloud_header_cut, 0,
                               "the first phrase has %zu bytes, the header %zu", f.n, header);
        }
        pod->reader.at += header; /* it was decoded before the first phrase */
        f.n -= header;
        header = 0;
        if ((code = read_phrase(pod, &f, record, item, what)) == TS_OK) {
            code = end_phrase(pod, &f, exact, what);
        }
    }
    return code;
}

/* --- files ---------------------------------------------------------------------------------- */

static int compare_files(const void *a, const void *b)
{
    const cloud_file *x = a;
    const cloud_file *y = b;
    int order;
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->kind == CLOUD_OTHER && (order = strcmp(x->stream, y->stream)) != 0) {
        return order;
    }
    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    return x->member < y->member ? -1 : x->member > y->member;
}

static ts_code other_stream(cloud_pod *pod)
{
    ts_code code =
        strcmp(pod->file->stream, "callsDictionary") == 0 ? cloud_calls_words_check(pod) : TS_OK;
    return code != TS_OK
               ? code
               : ts_issue(pod->store, pod->source_id, TS_ISSUE_cloud_stream_skipped, pod->label,
                          TS_NO_OFFSET, "%s is not imported", pod->file->stream);
}

static ts_code read_stream(cloud_pod *pod)
{
    switch (pod->file->kind) {
    case CLOUD_DICTIONARY:
    case CLOUD_POS_DICTIONARY:
        return cloud_dictionary_import(pod);
    case CLOUD_PARAMS:
        return cloud_params_import(pod);
    case CLOUD_SUSPEND:
        return cloud_suspend_import(pod);
    case CLOUD_SQL:
    case CLOUD_XML:
        return cloud_texts_import(pod);
    case CLOUD_TRACE:
        return cloud_trace_import(pod);
    case CLOUD_CALLS:
        return cloud_calls_import(pod);
    default:
        return other_stream(pod);
    }
}

/* What is wrong with the file may have taken words. */
static void lose_words(cloud_pod *pod)
{
    pod->words_lost = pod->words_lost || pod->file->kind <= CLOUD_POS_DICTIONARY;
}

/* A compressed file without an end: usual for the newest of an agent that runs. */
static ts_code note_no_end(cloud_pod *pod, const char *what)
{
    if (!pod->newest) {
        return cloud_missing(pod, TS_ISSUE_cloud_file_cut, "ends", "%s, and a later file follows",
                             what);
    }
    pod->unended += pod->file->kind < CLOUD_OTHER;
    lose_words(pod);
    return cloud_issue(pod, TS_ISSUE_cloud_live_file, cloud_offset(&pod->reader), "%s", what);
}

/* Too short to be compressed, which its name says that it is. */
static bool is_stump(const cloud_pod *pod)
{
    const cloud_reader *r = &pod->reader;
    size_t n = strlen(pod->file->name);
    return r->stream != NULL && ts_stream_wrappers(r->stream)[0] == '\0' &&
           cloud_offset(r) < GZIP_MIN && n > 3 && strcmp(pod->file->name + n - 3, ".gz") == 0;
}

/* Damage of the compression around the file. */
static ts_code note_wrapper(cloud_pod *pod)
{
    const cloud_reader *r = &pod->reader;
    const ts_damage *damage = r->stream == NULL ? NULL : ts_stream_damage(r->stream);
    ts_issue_code issue;
    if (r->broken) {
        lose_words(pod);
        return cloud_missing(pod, TS_ISSUE_input_read_failed, "ends", "%s",
                             pod->ctx->error.causes[0]);
    }
    if (damage == NULL && is_stump(pod)) {
        return note_no_end(pod, "gzip data ends before its header does");
    }
    if (damage == NULL) {
        pod->ended += pod->newest && pod->file->kind < CLOUD_OTHER && r->stream != NULL &&
                      ts_stream_wrappers(r->stream)[0] != '\0';
        return TS_OK;
    }
    /* What has no end is right as far as it goes, unless it makes no sense before that. */
    if (pod->file->kind == CLOUD_SUSPEND && !damage->trailing &&
        (ts_stream_doubt(r->stream) != NULL || pod->pauses_wrong)) {
        ts_code code = cloud_doubt_pauses(pod);
        if (code != TS_OK) {
            return code;
        }
    }
    if (strstr(damage->what, "ends early") != NULL) {
        return note_no_end(pod, damage->what);
    }
    lose_words(pod);
    issue = damage->trailing ? TS_ISSUE_wrapper_trailing_bytes : TS_ISSUE_wire_damage;
    if (ts_issue_list[issue].severity >= TS_DATA_LOSS) {
        ts_code code = cloud_lose(pod, "ends", 1);
        if (code == TS_OK && !damage->trailing && pod->file->kind <= CLOUD_POS_DICTIONARY) {
            code = cloud_doubt_words(pod);
        }
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
    if (pod->phrases > 0) {
        code = cloud_fact(pod, "phrases", pod->phrases);
    }
    return code != TS_OK || pod->facts.n == 0
               ? code
               : ts_source_property(pod->store, pod->source_id, pod->label,
                                    ts_buf_text(&pod->facts));
}

/* After its records: all bytes of the file are accounted for. */
static ts_code end_file(cloud_pod *pod)
{
    cloud_reader *r = &pod->reader;
    bool other = pod->file->kind == CLOUD_OTHER;
    ts_tally *tally;
    uint64_t kept;
    uint64_t size;
    ts_code code = cloud_drain(r);
    if (code != TS_OK || (code = note_wrapper(pod)) != TS_OK || (code = note_facts(pod)) != TS_OK ||
        pod->file->borrowed ||
        (code = ts_count(&tally, pod->store, pod->source_id, TS_ITEM_cloud_stream_bytes,
                         pod->file->stream)) != TS_OK) {
        return code;
    }
    size = cloud_offset(r);
    kept = pod->damaged ? pod->kept : size;
    tally->seen += size;
    tally->imported += other ? 0 : kept;
    tally->skipped += other ? size : 0;
    tally->lost += other ? 0 : size - kept;
    if (r->stream == NULL) {
        return TS_OK;
    }
    ts_job_read(pod->job, size);
    ts_source(pod->store, pod->source_id)->bytes += (int64_t)size;
    if ((code = ts_count(&tally, pod->store, pod->source_id, TS_ITEM_bytes, NULL)) == TS_OK) {
        tally->seen += size;
        tally->imported += other ? 0 : kept;
        tally->skipped += other ? size : 0;
        tally->lost += other ? 0 : size - kept;
    }
    return code;
}

static ts_code read_file(cloud_pod *pod, const cloud_file *file)
{
    cloud_reader *r = &pod->reader;
    ts_code code = TS_OK;
    pod->file = file;
    pod->damaged = false;
    pod->kept = 0;
    pod->phrases = 0;
    pod->facts.n = 0;
    snprintf(pod->label, sizeof pod->label, "%s %" PRId64, file->stream, file->index);
    *r = (cloud_reader){.ctx = pod->ctx, .spool = file->spool};
    if (file->spool == NULL) {
        code = ts_member_open(&r->stream, pod->job->set, file->member);
        if (code == TS_ERR_INPUT) {
            lose_words(pod);
            if ((code = cloud_lose(pod, "files", 1)) != TS_OK) {
                return code;
            }
            return ts_issue(pod->store, pod->source_id, TS_ISSUE_member_failed, pod->label,
                            TS_NO_OFFSET, "%s", pod->ctx->error.causes[0]);
        }
        r->block = pod->job->options->block_size;
    }
    if (code == TS_OK && (code = cloud_need(r, 1)) == TS_OK) {
        code = read_stream(pod);
    }
    if (code == TS_OK) {
        code = end_file(pod);
    }
    if (r->stream != NULL) {
        ts_stream_close(r->stream);
    }
    cloud_reader_free(r);
    return code;
}

/* Is the file at i the one after that before it? *again: it has the same number. */
static ts_code check_index(cloud_pod *pod, const cloud_file *files, size_t i, bool *again)
{
    const cloud_file *f = &files[i];
    bool first = i == 0 || files[i - 1].kind != f->kind;
    int64_t before = first ? 0 : files[i - 1].index;
    ts_code code;
    *again = !first && f->index == before && f->kind != CLOUD_OTHER;
    if (*again) {
        if ((code = cloud_lose(pod, "files", 1)) != TS_OK) {
            return code;
        }
        return ts_issue(pod->store, pod->source_id, TS_ISSUE_cloud_file_twice, f->name,
                        TS_NO_OFFSET, "a second file has the number %" PRId64, f->index);
    }
    if (f->kind == CLOUD_TRACE && !first && (pod->trace_torn || f->index > before + 1)) {
        code = cloud_close_frames(pod, 2);
        pod->trace_torn = false;
        if (code != TS_OK) {
            return code;
        }
    }
    if (f->kind == CLOUD_OTHER || f->index <= before + 1) {
        return TS_OK;
    }
    if ((code = cloud_lose(pod, "files", (uint64_t)(f->index - before - 1))) != TS_OK) {
        return code;
    }
    return ts_issue_n(pod->store, pod->source_id, TS_ISSUE_cloud_file_gap, f->stream, TS_NO_OFFSET,
                      (uint64_t)(f->index - before - 1),
                      "files %" PRId64 " to %" PRId64 " are missing", before + 1, f->index - 1);
}

static ts_code end_kind(cloud_pod *pod, cloud_kind kind)
{
    switch (kind) {
    case CLOUD_POS_DICTIONARY: /* behind CLOUD_DICTIONARY */
        return cloud_dictionary_end(pod);
    case CLOUD_SUSPEND:
        cloud_suspend_end(pod);
        return TS_OK;
    case CLOUD_SQL:
        pod->xml_first = pod->texts.n;
        return TS_OK;
    case CLOUD_TRACE:
        cloud_amounts_end(pod);
        return cloud_close_frames(pod, 1);
    case CLOUD_CALLS:
        return cloud_calls_end(pod);
    default:
        return TS_OK;
    }
}

static ts_code read_files(cloud_pod *pod, const cloud_file *files, size_t n)
{
    size_t i = 0;
    ts_code code = TS_OK;
    for (int kind = 0; kind < CLOUD_KINDS && code == TS_OK; kind++) {
        for (; i < n && files[i].kind == (cloud_kind)kind && code == TS_OK; i++) {
            bool again;
            code = check_index(pod, files, i, &again);
            pod->newest =
                i + 1 == n || files[i + 1].kind != files[i].kind ||
                (kind == CLOUD_OTHER && strcmp(files[i + 1].stream, files[i].stream) != 0);
            if (code == TS_OK && !again) {
                code = read_file(pod, &files[i]);
            }
        }
        if (code == TS_OK) {
            code = end_kind(pod, (cloud_kind)kind);
        }
    }
    return code;
}

/* --- the pod -------------------------------------------------------------------------------- */

static ts_code begin(cloud_pod *pod)
{
    static const ts_item items[CLOUD_ITEMS] = {
        TS_ITEM_cloud_words,  TS_ITEM_cloud_params,      TS_ITEM_cloud_pauses, TS_ITEM_cloud_texts,
        TS_ITEM_cloud_blocks, TS_ITEM_cloud_enters,      TS_ITEM_cloud_exits,  TS_ITEM_cloud_tags,
        TS_ITEM_cloud_calls,  TS_ITEM_cloud_call_params,
    };
    ts_row_source *source = ts_source(pod->store, pod->source_id);
    int64_t at = (source->null & TS_NULL_BIT(source, start_ts)) != 0 ? 0 : source->start_ts;
    ts_code code = TS_OK;
    for (size_t i = 0; i < CLOUD_ITEMS && code == TS_OK; i++) {
        code = ts_count(&pod->counts[i], pod->store, pod->source_id, items[i], NULL);
    }
    source->clock = TS_TEXT_LIT("realtime");
    if (code == TS_OK && (code = ts_process(&pod->ipid, pod->store, pod->source_id, -1)) == TS_OK) {
        TS_SET_NULL(process, ts_process_row(pod->store, pod->ipid), pid);
        ts_process_detail_row(pod->store, pod->ipid)->runtime = TS_TEXT_LIT("Java VM");
        if (source->name.p != NULL) {
            code = ts_process_name(pod->store, pod->ipid, source->name);
        }
    }
    pod->wanted = TS_SPAN_ALL;
    if (code == TS_OK && at == 0 && pod->ctx->time_range.kind == TS_WANTED_OFFSET) {
        return ts_issue(pod->store, pod->source_id, TS_ISSUE_time_range_unrelated, NULL,
                        TS_NO_OFFSET, "nothing says when the pod began");
    }
    (void)ts_wanted_span(&pod->wanted, pod->ctx, TS_CLOCK_REALTIME, NULL, at);
    return code;
}

/* An agent that runs has ended none of its newest files, one that was stopped has ended all. */
static ts_code check_ends(cloud_pod *pod)
{
    ts_code code;
    if (pod->ended == 0 || pod->unended == 0) {
        return TS_OK;
    }
    code = cloud_lose(pod, "ends", pod->unended);
    return code != TS_OK
               ? code
               : ts_issue_n(pod->store, pod->source_id, TS_ISSUE_cloud_file_cut, NULL, TS_NO_OFFSET,
                            pod->unended, "%" PRIu64 " streams have no end, %" PRIu64 " have one",
                            pod->unended, pod->ended);
}

static ts_code end(cloud_pod *pod, uint64_t losses)
{
    ts_row_source *source = ts_source(pod->store, pod->source_id);
    uint64_t slices = ts_sink_rows(pod->sink, TS_T_stack_slice) - (uint64_t)pod->first_slice;
    ts_code code = check_ends(pod);
    if (code != TS_OK) {
        return code;
    }
    if (slices > 0) { /* viewers draw callstack only where these say that there is something */
        ts_process_row(pod->store, pod->ipid)->slice_count = (int64_t)slices;
        code = ts_stat(pod->store, "print", "received", slices);
    }
    if (pod->first_ms <= pod->last_ms) {
        ts_range_note(pod->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, cloud_ns(pod->first_ms));
        ts_range_note(pod->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, cloud_ns(pod->last_ms));
        source->end_ts = cloud_ns(pod->last_ms);
        source->null &= ~TS_NULL_BIT(source, end_ts);
    } else if ((source->null & TS_NULL_BIT(source, start_ts)) == 0) {
        ts_range_note(pod->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, source->start_ts);
    } else {
        source->clock = TS_TEXT_NULL;
    }
    if (ts_issue_total(pod->store, TS_DATA_LOSS) + ts_issue_total(pod->store, TS_ERROR) > losses) {
        source->complete = 0;
    }
    ts_stack_release(pod->store, pod->source_id);
    return code;
}

static void pod_free(cloud_pod *pod)
{
    ts_ctx *ctx = pod->ctx;
    cloud_trace_free(pod);
    ts_free(ctx, pod->words.p);
    ts_free(ctx, pod->far_words.p);
    cloud_slots_clear(ctx, &pod->far_slots);
    ts_free(ctx, pod->by_text.p);
    ts_pool_free(ctx, &pod->texts_of_words);
    ts_free(ctx, pod->calls.names.p);
    ts_pool_free(ctx, &pod->thread_names);
    ts_free(ctx, pod->pauses.p);
    ts_free(ctx, pod->amounts.p);
    ts_free(ctx, pod->texts.p);
    ts_buf_free(ctx, &pod->facts);
    ts_buf_free(ctx, &pod->text);
    ts_buf_free(ctx, &pod->more);
    ts_buf_free(ctx, &pod->name);
    ts_free(ctx, pod);
}

ts_code cloud_pod_import(ts_job *job, int64_t source_id, cloud_file *files, size_t n, bool agent)
{
    uint64_t losses =
        ts_issue_total(job->store, TS_DATA_LOSS) + ts_issue_total(job->store, TS_ERROR);
    cloud_pod *pod = ts_zalloc(job->ctx, 1, sizeof *pod);
    ts_code code;
    if (pod == NULL) {
        return job->ctx->error.code;
    }
    pod->job = job;
    pod->ctx = job->ctx;
    pod->store = job->store;
    pod->sink = ts_store_sink(job->store);
    pod->source_id = source_id;
    pod->agent = agent;
    pod->first_ms = INT64_MAX;
    pod->last_ms = INT64_MIN;
    pod->pauses_known = INT64_MAX;
    pod->first_word = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_dictionary);
    pod->first_method = (int64_t)ts_sink_rows(pod->sink, TS_T_stack_method);
    pod->first_slice = (int64_t)ts_sink_rows(pod->sink, TS_T_stack_slice);
    if (n > 1) {
        qsort(files, n, sizeof *files, compare_files);
    }
    if ((code = begin(pod)) == TS_OK && (code = read_files(pod, files, n)) == TS_OK) {
        code = end(pod, losses);
    }
    pod_free(pod);
    return code;
}
