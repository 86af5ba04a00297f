/* Samples of perf as text files: sniffing, the stream, its end. */
#include "parsers/format.h"
#include "parsers/perf_text/perf_text.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

/* What --header writes, and what perf record says when both are written into one file. */
static bool is_note(ts_text t)
{
    return ts_text_begins(t, "#") || ts_text_begins(t, "[ perf ");
}

/* The frame in the line of a sample that has no stack: an address, and more. */
static bool flat_frame(perf_frame *frame, const perf_header *h)
{
    return perf_frame_read(frame, h->rest) && frame->address.p != NULL &&
           (frame->symbol.n > 0 || frame->image.p != NULL);
}

/* --- sniffing ------------------------------------------------------------------------------- */

typedef struct perf_seen {
    bool header; /* of perf itself, or one of its records */
    bool sample; /* of an event that is no tracepoint */
    bool timed;  /* with a time */
    bool tracepoint;
    bool frame;
    bool bare;  /* samples have neither time nor event: their frames must be as perf writes them */
    bool below; /* a line other than an empty one was before this one */
} perf_seen;

/* "\t", an address in 16 columns, and what it is. */
static bool is_column(const perf_frame *frame, ts_text line)
{
    enum { COLUMNS = 17 };
    return frame->address.p != NULL && line.p[0] == '\t' &&
           frame->address.p + frame->address.n - line.p >= COLUMNS;
}

/* False: this is not what perf script writes. */
static bool look_at_line(perf_seen *seen, ts_text line)
{
    perf_header h;
    perf_frame frame;
    const bool first = !seen->below;
    if (ts_text_trim(line).n == 0 || is_note(line)) {
        seen->header = seen->header || ts_text_begins(line, "# captured on ");
        seen->below = false;
        return true;
    }
    seen->below = true;
    if (perf_header_read(&h, line, first)) {
        bool tracepoint = perf_is_tracepoint(h.event);
        seen->header = seen->header || h.record;
        seen->frame = seen->frame || flat_frame(&frame, &h);
        seen->bare = h.bare;
        seen->tracepoint = seen->tracepoint || (tracepoint && !h.record);
        seen->sample = seen->sample || (!tracepoint && !h.record);
        seen->timed = seen->timed || (!tracepoint && !h.record && h.ts != TS_NO_TIME);
        return true;
    }
    if (!seen->sample && !seen->tracepoint) {
        return false;
    }
    if (perf_frame_read(&frame, line) && (!seen->bare || is_column(&frame, line))) {
        seen->frame = true;
        return true;
    }
    return !seen->bare;
}

/*
 * A line of a sample, and a frame. Tracepoints alone are events of the kernel: who has rows for
 * them takes them first.
 */
static int perf_sniff(const ts_sniff *s)
{
    enum { SAMPLES = 80, TRACEPOINTS = 50 };
    ts_text t = {(const char *)s->head, s->n};
    perf_seen seen = {0};
    if (s->head == NULL || s->n == 0 || s->json_key != NULL || memchr(t.p, '\0', t.n) != NULL) {
        return TS_SNIFF_NO;
    }
    while (t.n > 0) {
        if (!s->whole && memchr(t.p, '\n', t.n) == NULL) { /* it goes on */
            break;
        }
        if (!look_at_line(&seen, ts_text_line(&t))) {
            return TS_SNIFF_NO;
        }
    }
    return seen.frame && seen.sample       ? SAMPLES
           : seen.frame && seen.tracepoint ? TRACEPOINTS
           : seen.header || seen.timed     ? TS_SNIFF_WEAK
                                           : TS_SNIFF_NO;
}

/* --- the stream ----------------------------------------------------------------------------- */

static void perf_close(void *self)
{
    perf_text *p = self;
    ts_ctx *ctx = p->job->ctx;
    ts_buf_free(ctx, &p->lines.held);
    ts_buf_free(ctx, &p->clean);
    ts_buf_free(ctx, &p->key);
    ts_buf_free(ctx, &p->scratch);
    ts_vec_free(ctx, &p->stack);
    ts_vec_free(ctx, &p->itids);
    ts_vec_free(ctx, &p->types);
    ts_vec_free(ctx, &p->methods);
    ts_pool_free(ctx, &p->threads);
    ts_pool_free(ctx, &p->events);
    ts_pool_free(ctx, &p->frames);
    ts_free(ctx, p);
}

static ts_code perf_open(void **self, ts_job *job)
{
    perf_text *p = ts_zalloc(job->ctx, 1, sizeof *p);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, p);
    p->job = job;
    p->sink = ts_store_sink(job->store);
    p->lines.max = PERF_MAX_LINE;
    p->wanted = TS_SPAN_ALL;
    ts_profile_id_begin(&p->id);
    if ((code = ts_job_source(&p->source_id, p->name, job, job->source_id, "profile", "perf-text",
                              "Perf")) != TS_OK) {
        perf_close(p);
        return code;
    }
    *self = p;
    return TS_OK;
}

/* A line that is none of perf's: what it belongs to is lost, the stack or the whole sample. */
static ts_code bad_line(perf_text *p, ts_issue_code issue, const char *what)
{
    p->bad_lines++;
    p->stack_bad = true;
    p->has_last = false;
    if (p->place == PERF_BETWEEN) {
        p->lost++;
        p->place = PERF_LOST;
    }
    return ts_issue(p->job->store, p->source_id, issue, p->name, (int64_t)p->lines.at,
                    "line %" PRIu64 " %s", p->lines.number, what);
}

/* PERF_RECORD_LOST lost 12: so many samples the kernel could not hand over. */
static ts_code take_record(perf_text *p, ts_text rest)
{
    static const char lost[] = "PERF_RECORD_LOST lost ";
    uint64_t n = 0;
    p->records++;
    if (!ts_text_begins(rest, lost)) {
        return TS_OK;
    }
    for (size_t i = sizeof lost - 1; i < rest.n && ts_is_digit(rest.p[i]); i++) {
        n = n < UINT32_MAX ? n * 10 + (uint64_t)(rest.p[i] - '0') : n;
    }
    p->lost += n;
    return ts_issue_n(p->job->store, p->source_id, TS_ISSUE_prof_lost_samples, p->name,
                      (int64_t)p->lines.at, n, "the kernel lost %" PRIu64 " samples", n);
}

static ts_code take_header(perf_text *p, const perf_header *h)
{
    perf_frame frame;
    ts_code code = perf_sample_end(p);
    if (code != TS_OK || h->record) {
        return code != TS_OK ? code : take_record(p, h->rest);
    }
    if ((code = perf_sample_begin(p, h)) != TS_OK || p->skip || !flat_frame(&frame, h)) {
        return code;
    }
    p->flat = true;
    return perf_sample_frame(p, &frame);
}

/* Below the line of a sample. All frames of a file have addresses, or none has. */
static ts_code take_frame(perf_text *p, ts_text line)
{
    perf_frame frame;
    ts_text file;
    int64_t number;
    bool inlined;
    if (p->place == PERF_LOST || p->skip || p->stack_bad) {
        return TS_OK;
    }
    if (p->has_last && perf_source_read(&file, &number, &inlined, line)) {
        return perf_sample_source(p, file, number, inlined);
    }
    if (!perf_frame_read(&frame, line) || p->flat ||
        p->addresses == (frame.address.p != NULL ? -1 : 1)) {
        return bad_line(p, TS_ISSUE_prof_bad_line, "is not a frame");
    }
    p->addresses = frame.address.p != NULL ? 1 : -1;
    p->stacks = true;
    return perf_sample_frame(p, &frame);
}

static ts_code perf_line(void *self, ts_text line)
{
    perf_text *p = self;
    perf_header h;
    if (p->lines.too_long) {
        return bad_line(p, TS_ISSUE_prof_too_large, "is longer than 1 MiB");
    }
    if (ts_text_trim(line).n == 0) {
        return perf_sample_end(p);
    }
    if (is_note(line)) {
        return TS_OK;
    }
    TS_TRY(ts_utf8_text(&line, p->job->ctx, &p->clean, &p->bad_texts));
    if (perf_header_read(&h, line, p->place == PERF_BETWEEN)) {
        return take_header(p, &h);
    }
    return p->place == PERF_BETWEEN ? bad_line(p, TS_ISSUE_prof_bad_line, "begins no sample")
                                    : take_frame(p, line);
}

static ts_code perf_feed(void *self, const uint8_t *bytes, size_t n)
{
    perf_text *p = self;
    ts_profile_id_add(&p->id, bytes, n);
    return ts_lines_feed(p->job->ctx, &p->lines, perf_line, p, bytes, n);
}

/* --- the end -------------------------------------------------------------------------------- */

/* perf ends every stack with an empty line: what ends otherwise lacks frames, or a part of one. */
static ts_code end_text(perf_text *p)
{
    bool open = ts_lines_open(&p->lines);
    bool cut = open || (p->place == PERF_SAMPLE && p->stacks);
    ts_code code = TS_OK;
    if (!cut) {
        return perf_sample_end(p);
    }
    if (open && p->place == PERF_BETWEEN) {
        p->lost++;
    }
    p->stack_bad = true;
    p->has_last = false;
    code = ts_issue(p->job->store, p->source_id, TS_ISSUE_prof_incomplete, p->name,
                    (int64_t)p->lines.at, "the input ends in a sample");
    TS_STEP(code, perf_sample_end(p));
    return code;
}

static ts_code put_profile(perf_text *p)
{
    char id[TS_PROFILE_ID];
    ts_row_profile row;
    ts_profile_row(&row, p->job->store, p->source_id, "perf");
    ts_profile_id_end(id, &p->id);
    row.profile_id = ts_text_of(id);
    row.profiler = TS_TEXT_LIT("perf");
    return ts_profile_put(p->job->store, &row);
}

static ts_code perf_finish(void *self, const ts_stream_end *end)
{
    perf_text *p = self;
    ts_code code =
        ts_count_add(p->job->store, p->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0);
    p->job->text_bad = p->bad_lines > 0;
    if (code != TS_OK || (code = end_text(p)) != TS_OK) {
        return code;
    }
    if (p->good + p->skipped == 0) {
        return ts_fail(p->job->ctx, TS_ERR_FORMAT,
                       "%s has no samples of perf: no line is \"comm pid time: event:\"",
                       p->job->name);
    }
    TS_TRY_INTO(code, put_profile(p));
    TS_TRY_INTO(code, ts_issue_n(p->job->store, p->source_id, TS_ISSUE_prof_bad_text, p->name,
                                 TS_NO_OFFSET, p->bad_texts,
                                 "parts of texts that are not valid text became U+FFFD"));
    TS_TRY_INTO(code, ts_count_add(p->job->store, p->source_id, TS_ITEM_profile_samples, NULL,
                                   p->good, p->lost, p->skipped));
    TS_TRY_INTO(code, ts_count_add(p->job->store, p->source_id, TS_ITEM_profile_values, NULL,
                                   p->good, 0, 0));
    ts_stack_release(p->job->store, p->source_id);
    return TS_OK;
}

TS_SOURCE_FORMAT(perf_text) = {
    .name = "perf-text",
    .title = "samples of Linux perf with their stacks, as perf script writes them",
    .source_type = "profile",
    .sniff = perf_sniff,
    .open = perf_open,
    .feed = perf_feed,
    .finish = perf_finish,
    .close = perf_close,
};
