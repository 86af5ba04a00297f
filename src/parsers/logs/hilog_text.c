/*
 * The system's log as text: "[name ]time pid tid L tag: text". Lines become rows of log in order of
 * time. Docs: docs/formats.md, "Logs as text".
 *
 * Memory: HILOG_SORT bytes of records; texts and further records wait in temporary files.
 */
#include "parsers/format.h"
#include "parsers/logs/log_lines.h"

#include "base/alloc.h"
#include "base/sorter.h"
#include "base/utf8.h"
#include "input/byte_window.h"
#include "tables/store_processes.h"

#include <inttypes.h>

enum { HILOG_SORT = 16 << 20, DEFAULT_YEAR = 2000 };

/* A line that waits for its place. Its tag and its text are in the spool. */
typedef struct hilog_record {
    uint64_t key; /* of the time */
    uint64_t place;
    int64_t line;
    uint32_t tag_n;
    uint32_t text_n;
    int32_t pid;
    int32_t tid;
    uint64_t level;
} hilog_record;

typedef struct hilog_import {
    log_lines lines;
    ts_sorter *sorter;
    ts_window texts;
    ts_buf clean;
    int year; /* of dates without one */
    bool given;
    int month; /* of the date before, which has no year */
    uint64_t good, bad, bad_texts, no_year;
    ts_span span;     /* wanted */
    bool spanned;     /* it is known */
    uint64_t skipped; /* rows that are not wanted */
} hilog_import;

/* --- sniffing --------------------------------------------------------------------------------- */

static bool read_year(int *year, const char *options)
{
    const char *p = options + 5;
    if (strncmp(options, "year=", 5) != 0 || strlen(p) != 4 || strspn(p, "0123456789") != 4) {
        return false;
    }
    *year = 0;
    for (int i = 0; i < 4; i++) {
        *year = *year * 10 + (p[i] - '0');
    }
    return *year >= 1970 && *year <= 2261;
}

static bool check_options(const char *options)
{
    int year;
    return read_year(&year, options);
}

/* Half of the lines, or more, are of this form. */
static int hilog_sniff(const ts_sniff *s)
{
    enum { LIKELY = 50 };
    ts_text t = {(const char *)s->head, s->n};
    size_t good = 0;
    size_t lines = 0;
    if (s->head == NULL || s->n == 0 || s->json_key != NULL ||
        memchr(s->head, '\0', s->n) != NULL) {
        return TS_SNIFF_NO;
    }
    while (t.n > 0) {
        ts_text text = ts_text_line(&t);
        hilog_line line;
        good += hilog_line_read(&line, text) ? 1 : 0;
        lines += text.n > 0 ? 1 : 0;
    }
    return good > 0 && 2 * good >= lines ? LIKELY : TS_SNIFF_NO;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* The year of a date without one: the next one where January follows December. */
static int year_of(hilog_import *im, const hilog_line *line)
{
    enum { HALF = 6 };
    if (line->year != 0 || !line->dated) {
        return line->year;
    }
    im->no_year += im->given ? 0 : 1;
    im->year += im->month - line->month > HALF ? 1 : 0;
    im->month = line->month;
    return im->year;
}

static ts_code bad_line(hilog_import *im)
{
    const ts_job *job = im->lines.job;
    im->bad++;
    return ts_issue(job->store, job->source_id, TS_ISSUE_log_bad_line, NULL,
                    (int64_t)im->lines.text.at, "line %" PRIu64 " is not a line of the log",
                    im->lines.text.number);
}

static ts_code hilog_one(void *user, ts_text text)
{
    hilog_import *im = user;
    hilog_line line;
    hilog_record record = {0};
    int64_t ts;
    if (text.n == 0) {
        return TS_OK;
    }
    TS_TRY(ts_utf8_text(&text, im->lines.job->ctx, &im->clean, &im->bad_texts));
    if (!hilog_line_read(&line, text) || !hilog_line_time(&ts, &line, year_of(im, &line))) {
        return bad_line(im);
    }
    im->good++;
    record.key = ts_sorter_key(ts);
    record.place = ts_window_total(&im->texts);
    record.line = (int64_t)im->lines.text.number;
    record.tag_n = (uint32_t)line.tag.n;
    record.text_n = (uint32_t)line.text.n;
    record.pid = line.pid;
    record.tid = line.tid;
    record.level = (unsigned char)line.level;
    TS_TRY(ts_window_add(&im->texts, line.tag.p, line.tag.n));
    TS_TRY(ts_window_add(&im->texts, line.text.p, line.text.n));
    return ts_sorter_add(im->sorter, &record);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The range that is wanted begins with the first line. */
static ts_code choose_wanted(hilog_import *im, int64_t first)
{
    const ts_job *job = im->lines.job;
    im->spanned = true;
    return ts_wanted_span(&im->span, job->ctx, TS_CLOCK_REALTIME, NULL, first)
               ? TS_OK
               : ts_issue(job->store, job->source_id, TS_ISSUE_time_range_unrelated, NULL,
                          TS_NO_OFFSET, "all lines are kept");
}

static ts_code put_row(void *user, const void *sorted)
{
    hilog_import *im = user;
    const hilog_record *record = sorted;
    const ts_job *job = im->lines.job;
    const char level[1] = {(char)record->level};
    ts_row_log row = {.seq = record->line,
                      .pid = record->pid,
                      .tid = record->tid,
                      .level = {level, 1},
                      .ts = (int64_t)(record->key ^ UINT64_C(1) << 63)};
    const uint8_t *bytes;
    size_t n;
    int64_t itid;
    ts_code code = im->spanned ? TS_OK : choose_wanted(im, row.ts);
    if (code == TS_OK && !ts_span_has(&im->span, row.ts)) {
        im->skipped++;
        return TS_OK;
    }
    if (code != TS_OK ||
        (code = ts_window_get(&bytes, &n, &im->texts, record->place,
                              (size_t)record->tag_n + record->text_n)) != TS_OK ||
        (code = ts_thread_seen(&itid, job->store, job->source_id, record->tid, record->pid)) !=
            TS_OK) {
        return code;
    }
    const char *p = bytes == NULL ? "" : (const char *)bytes;
    row.origints = row.ts;
    row.tag = (ts_text){p, record->tag_n};
    row.context = (ts_text){p + record->tag_n, record->text_n};
    ts_range_note(job->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, row.ts);
    return ts_put_log(ts_store_sink(job->store), &row);
}

/* --- the stream ------------------------------------------------------------------------------- */

static void hilog_close(void *self)
{
    hilog_import *im = self;
    ts_ctx *ctx = im->lines.job->ctx;
    log_lines_free(&im->lines);
    ts_sorter_close(im->sorter);
    ts_window_free(&im->texts);
    ts_buf_free(ctx, &im->clean);
    ts_free(ctx, im);
}

static ts_code hilog_open(void **self, ts_job *job)
{
    const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    hilog_import *im = ts_zalloc(job->ctx, 1, sizeof *im);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, im);
    im->lines = (log_lines){.job = job, .call = hilog_one, .user = im};
    im->year = DEFAULT_YEAR;
    im->given =
        job->options->format_options != NULL && read_year(&im->year, job->options->format_options);
    im->texts.ctx = job->ctx;
    code = ts_window_begin(&im->texts, INT64_MAX); /* a spool: the sorter has the memory */
    if (code != TS_OK || (code = ts_sorter_open(&im->sorter, job->ctx, sizeof(hilog_record), &order,
                                                HILOG_SORT)) != TS_OK) {
        hilog_close(im);
        return code;
    }
    *self = im;
    return TS_OK;
}

static ts_code hilog_feed(void *self, const uint8_t *p, size_t n)
{
    hilog_import *im = self;
    return log_lines_feed(&im->lines, p, n);
}

static ts_code hilog_finish(void *self, const ts_stream_end *end)
{
    hilog_import *im = self;
    const ts_job *job = im->lines.job;
    TS_TRY(log_lines_end(&im->lines));
    if (im->good == 0) {
        return ts_fail(job->ctx, TS_ERR_FORMAT, "%s has no line of a log", job->name);
    }
    ts_window_part(&im->texts, 0, ts_window_total(&im->texts));
    TS_TRY(ts_sorter_drain(im->sorter, put_row, im));
    TS_TRY(ts_count_add(job->store, job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0));
    TS_TRY(ts_count_add(job->store, job->source_id, TS_ITEM_log_lines, NULL, im->good - im->skipped,
                        im->bad + im->lines.lost, im->skipped));
    TS_TRY(ts_stat(job->store, "hilog", "received", im->good));
    TS_TRY(ts_issue_n(job->store, job->source_id, TS_ISSUE_log_no_year, NULL, TS_NO_OFFSET,
                      im->no_year,
                      "%" PRIu64 " dates have no year: %d was taken for the first; "
                      "--format hilog-text:year=YYYY gives another",
                      im->no_year, (int)DEFAULT_YEAR));
    return ts_issue_n(job->store, job->source_id, TS_ISSUE_plugin_bad_text, NULL, TS_NO_OFFSET,
                      im->bad_texts, "parts of texts that are not valid text became U+FFFD");
}

TS_SOURCE_FORMAT(hilog_text) = {
    .name = "hilog-text",
    .title = "the system log of OpenHarmony as text (hilog)",
    .source_type = "txt-based-trace",
    .sniff = hilog_sniff,
    .check_options = check_options,
    .open = hilog_open,
    .feed = hilog_feed,
    .finish = hilog_finish,
    .close = hilog_close,
};
