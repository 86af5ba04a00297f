/* Text traces of the kernel as files: sniffing, issues, ending. */
#include "parsers/format.h"
#include "parsers/ftrace/ftrace_files.h"
#include "parsers/ftrace/text/ftrace_text.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <strings.h>

typedef struct text_import {
    ftrace_file file; /* the first: ftrace_file_take */
    ftrace_text *text;
    ts_clock_set clocks;
} text_import;

/* --- sniffing --------------------------------------------------------------------------------- */

static bool head_has(ts_text t, const char *part)
{
    return t.n > 0 && memmem(t.p, t.n, part, strlen(part)) != NULL;
}

static bool head_begins(ts_text t, const char *part)
{
    return t.n >= strlen(part) && strncasecmp(t.p, part, strlen(part)) == 0;
}

/* Pages of systrace and its like; their scripts may be longer than what is looked at. */
static int sniff_page(const ts_sniff *s, ts_text head)
{
    enum { TITLE = 4096 };
    ts_text begin = {head.p, head.n < TITLE ? head.n : TITLE};
    if (head_has(head, "class=\"trace-data\"") || head_has(head, "var linuxPerfData = ")) {
        return TS_SNIFF_SURE;
    }
    return !s->whole && (head_has(begin, "race</title>") || head_has(begin, "race Viewer</title>"))
               ? TS_SNIFF_LIKELY
               : TS_SNIFF_NO;
}

/* Does the text have a line that is an event? perf writes samples of anything in this form: its
 * lines count only when they are of a kind that has rows. */
static int sniff_lines(ts_text t)
{
    ftrace_line line;
    int best = TS_SNIFF_NO;
    while (t.n > 0 && best < TS_SNIFF_LIKELY) {
        if (ftrace_line_read(&line, ts_text_line(&t))) {
            best = line.perf && ftrace_kind_of(line.event) == FTRACE_KINDS ? TS_SNIFF_WEAK
                                                                           : TS_SNIFF_LIKELY;
        }
    }
    return best;
}

static int text_sniff(const ts_sniff *s)
{
    ts_text head = {(const char *)s->head, s->n};
    if (s->head == NULL || s->n == 0 || s->json_key != NULL) {
        return TS_SNIFF_NO;
    }
    head = ts_text_from(head, ts_text_begins(head, "\xef\xbb\xbf") ? 3 : 0);
    if (head_begins(head, "<!doctype html>") || head_begins(head, "<html>")) {
        return sniff_page(s, head);
    }
    if (head_begins(head, "# tracer") || head_begins(head, "# TRACE")) {
        return TS_SNIFF_SURE;
    }
    if (memchr(head.p, '\0', head.n) != NULL || head.p[0] == '{' || head.p[0] == '[' ||
        head.p[0] == '<') {
        return TS_SNIFF_NO;
    }
    return head_has(head, "# tracer") || head_has(head, "# TRACE") ? TS_SNIFF_LIKELY
                                                                   : sniff_lines(head);
}

/* --- the stream ------------------------------------------------------------------------------- */

static ts_code on_defect(void *user, ftrace_text_defect defect, uint64_t line, uint64_t at,
                         ts_text what)
{
    static const struct {
        ts_issue_code issue;
        const char *text;
    } defects[] = {
        [FTRACE_TEXT_UNKNOWN] = {TS_ISSUE_ftrace_bad_line, "is not an event: "},
        [FTRACE_TEXT_BAD_ARGS] = {TS_ISSUE_ftrace_bad_args, "lacks arguments of the event "},
        [FTRACE_TEXT_TOO_LONG] = {TS_ISSUE_ftrace_long_line, "is longer than 1 MiB"},
        [FTRACE_TEXT_CUT] = {TS_ISSUE_ftrace_cut_line, "is cut"},
    };
    const text_import *im = user;
    const ts_job *job = im->file.job;
    return ts_issue(job->store, job->source_id, defects[defect].issue, NULL, (int64_t)at,
                    "line %" PRIu64 " %s%.*s", line, defects[defect].text, (int)what.n, what.p);
}

static void text_close(void *self)
{
    text_import *im = self;
    ftrace_text_close(im->text);
    ftrace_file_close(&im->file);
    ts_free(im->file.job->ctx, im);
}

static ts_code text_open(void **self, ts_job *job)
{
    text_import *im = ts_zalloc(job->ctx, 1, sizeof *im);
    ftrace_text_calls calls = {im, ftrace_file_take, on_defect};
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, im);
    if ((code = ftrace_file_open(&im->file, job)) != TS_OK ||
        (code = ftrace_text_open(&im->text, job->ctx, &calls)) != TS_OK) {
        text_close(im);
        return code;
    }
    *self = im;
    return TS_OK;
}

static ts_code text_feed(void *self, const uint8_t *p, size_t n)
{
    text_import *im = self;
    return ftrace_text_feed(im->text, (const char *)p, n);
}

/* --- the end ---------------------------------------------------------------------------------- */

static uint64_t bad_events(const ftrace_text_counts *c)
{
    uint64_t n = 0;
    for (unsigned kind = 0; kind < FTRACE_KINDS; kind++) {
        n += c->bad[kind];
    }
    return n;
}

/* Counters of `stat`, and tallies. */
static ts_code text_counts(const text_import *im, const ftrace_text_counts *c, uint64_t bytes)
{
    ts_store *store = im->file.job->store;
    const uint64_t lost = c->unknown + c->too_long + c->cut + bad_events(c);
    ts_code code = TS_OK;
    for (unsigned kind = 0; kind < FTRACE_KINDS && code == TS_OK; kind++) {
        const char *name = ftrace_kinds[kind].stat;
        if (c->bad[kind] > 0 && name != NULL) {
            code = ts_stat(store, name, "invalid_data", c->bad[kind]);
        }
    }
    if (code != TS_OK ||
        (code = ts_stat(store, "other", "invalid_data",
                        (im->file.job->ctx->compat ? 2 : 1) * (c->unknown + c->not_events))) !=
            TS_OK ||
        (code = ts_stat(store, "other", "not_supported", c->not_supported)) != TS_OK ||
        (code = ftrace_file_count(&im->file, TS_ITEM_bytes, NULL, bytes, 0, 0)) != TS_OK) {
        return code;
    }
    return ftrace_file_count(&im->file, TS_ITEM_ftrace_lines, NULL, c->events, lost,
                             c->not_supported + c->not_events);
}

/* What a line says of the monotonic clock relates it to that of the lines. */
static const ts_clock_set *text_clocks(text_import *im, const ftrace_text_counts *c)
{
    if (!c->synced || c->sync_ts <= 0) {
        return NULL;
    }
    im->clocks.at[TS_CLOCK_BOOTTIME] = (uint64_t)c->sync_ts;
    im->clocks.at[TS_CLOCK_MONOTONIC] = (uint64_t)c->sync_monotonic;
    return &im->clocks;
}

static ts_code text_finish(void *self, const ts_stream_end *end)
{
    text_import *im = self;
    ftrace_file *file = &im->file;
    const ftrace_text_counts *c = ftrace_text_count(im->text);
    uint64_t read;
    ts_code code = ftrace_text_end(im->text);
    read = c->events + c->not_supported + bad_events(c);
    if (code == TS_OK && c->html && !c->html_trace) {
        return ts_fail(file->job->ctx, TS_ERR_FORMAT, "%s is a page without a trace",
                       file->job->name);
    }
    if (code == TS_OK && c->lines > c->not_events && read == 0) {
        return ts_fail(file->job->ctx, TS_ERR_FORMAT,
                       c->ticks
                           ? "%s has times that are not seconds: record it with the trace_clock "
                             "mono or boot"
                           : "%s is not a text trace: no line is an event of the kernel",
                       file->job->name);
    }
    if (code != TS_OK || (code = text_counts(im, c, end->bytes)) != TS_OK ||
        (code = ftrace_file_note(file, TS_ISSUE_ftrace_bad_text, c->bad_texts,
                                 "parts of texts that are not valid text became U+FFFD")) !=
            TS_OK ||
        (code = ftrace_file_note(file, TS_ISSUE_ftrace_other_events, c->not_supported,
                                 "events of kinds that have no rows")) != TS_OK ||
        (code = ftrace_file_note(file, TS_ISSUE_ftrace_stacks, c->frames,
                                 "frames of stacks were passed over")) != TS_OK ||
        (code = ftrace_file_dropped(file, c->overruns, c->overrun_events)) != TS_OK ||
        (code = ftrace_file_machine(file, text_clocks(im, c))) != TS_OK) {
        return code;
    }
    return ftrace_file_finish(file);
}

TS_SOURCE_FORMAT(ftrace_text) = {
    .name = "ftrace-text",
    .title =
        "text traces of the kernel: atrace, systrace (also HTML), trace-cmd report, perf script",
    .source_type = "txt-based-trace",
    .sniff = text_sniff,
    .open = text_open,
    .feed = text_feed,
    .finish = text_finish,
    .close = text_close,
};
