/* Raw traces of the kernel as files: sniffing, issues, ending. */
#include "parsers/format.h"
#include "parsers/ftrace/ftrace_files.h"
#include "parsers/ftrace/raw/ftrace_raw.h"

#include "base/alloc.h"

typedef struct raw_import {
    ftrace_file file; /* the first: ftrace_file_take */
    ftrace_raw *raw;
} raw_import;

static int raw_sniff(const ts_sniff *s)
{
    return s->head != NULL && s->n >= FTRACE_RAW_HEADER &&
                   s->head[0] == (FTRACE_RAW_MAGIC & 0xFF) && s->head[1] == FTRACE_RAW_MAGIC >> 8 &&
                   s->head[2] <= 1
               ? TS_SNIFF_SURE - 1
               : TS_SNIFF_NO;
}

static ts_code raw_defect(void *user, ftrace_raw_defect defect, uint64_t at, const char *what)
{
    static const struct {
        ts_issue_code issue;
        const char *text;
    } defects[] = {
        [FTRACE_RAW_BAD_PAGE] = {TS_ISSUE_ftrace_raw_bad_page, "the rest of a page is lost: "},
        [FTRACE_RAW_BAD_SECTION] = {TS_ISSUE_ftrace_raw_bad_section, "the rest is lost: "},
        [FTRACE_RAW_CUT] = {TS_ISSUE_ftrace_raw_cut, "the input ends in "},
        [FTRACE_RAW_NO_FORMATS] = {TS_ISSUE_ftrace_raw_no_formats,
                                   "pages before the formats of events were not read"},
        [FTRACE_RAW_HONGMENG] = {TS_ISSUE_ftrace_raw_hongmeng,
                                 "pages of the HongMeng kernel were not read"},
    };
    raw_import *im = user;
    return ts_issue(im->file.job->store, im->file.job->source_id, defects[defect].issue, NULL,
                    (int64_t)at, "%s%s", defects[defect].text, what);
}

static ts_code raw_symbol(void *user, uint64_t addr, ts_text name)
{
    const raw_import *im = user;
    return ftrace_machine_symbol(im->file.machine, addr, name);
}

static void raw_close(void *self)
{
    raw_import *im = self;
    ftrace_raw_close(im->raw);
    ftrace_file_close(&im->file);
    ts_free(im->file.job->ctx, im);
}

static ts_code raw_open(void **self, ts_job *job)
{
    raw_import *im = ts_zalloc(job->ctx, 1, sizeof *im);
    ftrace_raw_calls calls = {im, ftrace_file_take, raw_symbol, raw_defect};
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, im);
    if ((code = ftrace_file_open(&im->file, job)) != TS_OK ||
        (code = ftrace_file_machine(&im->file, NULL)) != TS_OK ||
        (code = ftrace_raw_open(&im->raw, job->ctx, &calls)) != TS_OK) {
        raw_close(im);
        return code;
    }
    *self = im;
    return TS_OK;
}

static ts_code raw_feed(void *self, const uint8_t *p, size_t n)
{
    raw_import *im = self;
    return ftrace_raw_feed(im->raw, p, n);
}

/* Bytes are lost where they were not read, and at least one for each part that is missing. */
static ts_code raw_counts(const raw_import *im, const ftrace_raw_counts *c, uint64_t bytes)
{
    const ftrace_file *f = &im->file;
    uint64_t lost = c->lost_bytes > bytes ? bytes : c->lost_bytes;
    uint64_t bad_lines = ftrace_raw_bad_lines(im->raw);
    TS_TRY(ts_stat(f->job->store, "other", "not_supported", c->not_supported));
    TS_TRY(ts_stat(f->job->store, "other", "invalid_data", c->bad_events + c->no_format));
    TS_TRY(ftrace_file_count(f, TS_ITEM_bytes, NULL, bytes - lost, lost, 0));
    TS_TRY(
        ftrace_file_count(f, TS_ITEM_ftrace_pages, NULL, c->pages - c->bad_pages, c->bad_pages, 0));
    TS_TRY(ftrace_file_count(f, TS_ITEM_ftrace_raw_texts, NULL, 0, bad_lines, 0));
    return ftrace_file_count(f, TS_ITEM_ftrace_records, NULL, c->events,
                             c->bad_events + c->no_format, c->not_supported);
}

static ts_code raw_finish(void *self, const ts_stream_end *end)
{
    raw_import *im = self;
    ftrace_file *f = &im->file;
    const ftrace_raw_counts *c = ftrace_raw_count(im->raw);
    TS_TRY(ftrace_raw_end(im->raw));
    TS_TRY(raw_counts(im, c, end->bytes));
    TS_TRY(ftrace_file_note(f, TS_ISSUE_ftrace_raw_no_format, c->no_format,
                            "records of events whose format is not in the file"));
    TS_TRY(ftrace_file_note(f, TS_ISSUE_ftrace_raw_bad_record, c->bad_events,
                            "records that do not have what their format says"));
    TS_TRY(ftrace_file_note(f, TS_ISSUE_ftrace_raw_bad_line, ftrace_raw_bad_lines(im->raw),
                            "lines of texts that describe the pages"));
    TS_TRY(ftrace_file_note(f, TS_ISSUE_ftrace_other_events, c->not_supported,
                            "events of kinds that have no rows"));
    TS_TRY(ftrace_file_dropped(f, c->missed_pages, c->missed_events));
    return ftrace_file_finish(f);
}

TS_SOURCE_FORMAT(ftrace_raw) = {
    .name = "ftrace-raw",
    .title = "raw traces of the kernel: pages of its ring buffers (.sys)",
    .source_type = "raw-trace",
    .sniff = raw_sniff,
    .open = raw_open,
    .feed = raw_feed,
    .finish = raw_finish,
    .close = raw_close,
};
