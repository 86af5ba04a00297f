/* Folded stacks as files: sniffing, lines, ending. */
#include "parsers/folded/folded.h"
#include "parsers/format.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

/* --- sniffing ------------------------------------------------------------------------------- */

static bool is_text(ts_text t)
{
    for (size_t i = 0; i < t.n; i++) {
        unsigned char c = (unsigned char)t.p[i];
        if (c == 0x7F || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) {
            return false;
        }
    }
    return true;
}

/* What austin writes looks like stacks, with a process and a thread as the outermost frames. */
static bool is_austin(ts_text line)
{
    size_t i = 1;
    while (i < line.n && ts_is_digit(line.p[i])) {
        i++;
    }
    return line.n > 0 && line.p[0] == 'P' && i > 1 && i + 2 < line.n && line.p[i] == ';' &&
           line.p[i + 1] == 'T' && ts_is_digit(line.p[i + 2]);
}

/*
 * The first line that is no comment ends in a blank and a number. Where no line has several frames
 * all others have to as well.
 */
static int folded_sniff(const ts_sniff *s)
{
    enum { LIKELY = 40 };
    ts_text head = {(const char *)s->head, s->n};
    size_t good = 0;
    size_t bad = 0;
    bool several = false;
    if (s->head == NULL || s->n == 0 || s->json_key != NULL || !is_text(head) || head.p[0] == '{') {
        return TS_SNIFF_NO;
    }
    while (head.n > 0) {
        ts_text line = ts_text_line(&head);
        folded_weights w;
        if (folded_is_comment(line) || (head.n == 0 && !s->whole && good > 0)) {
            continue;
        }
        w = folded_read_weights(line, 1);
        if (good == 0 && (w.count == 0 || is_austin(line))) {
            return TS_SNIFF_NO;
        }
        several = several || (w.count > 0 && memchr(line.p, ';', w.stack) != NULL);
        good += w.count;
        bad += 1 - w.count;
    }
    if (good == 0 || (!several && bad > 0)) {
        return TS_SNIFF_NO;
    }
    return several && bad < good ? LIKELY : TS_SNIFF_WEAK;
}

/* --- the stream ----------------------------------------------------------------------------- */

static void folded_close(void *self)
{
    folded *f = self;
    ts_ctx *ctx = f->job->ctx;
    ts_buf_free(ctx, &f->line);
    ts_buf_free(ctx, &f->held);
    ts_buf_free(ctx, &f->last);
    ts_buf_free(ctx, &f->clean);
    ts_buf_free(ctx, &f->scratch);
    ts_vec_free(ctx, &f->numbers);
    ts_vec_free(ctx, &f->path);
    ts_vec_free(ctx, &f->stack);
    ts_paths_free(ctx, &f->paths);
    ts_pool_free(ctx, &f->frames);
    ts_free(ctx, f);
}

static ts_code folded_open(void **self, ts_job *job)
{
    folded *f = ts_zalloc(job->ctx, 1, sizeof *f);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, f);
    f->job = job;
    f->sink = ts_store_sink(job->store);
    ts_profile_id_begin(&f->id);
    if ((code = ts_job_source(&f->source_id, f->name, job, job->source_id, "profile", "folded",
                              "Folded")) != TS_OK) {
        folded_close(f);
        return code;
    }
    *self = f;
    return TS_OK;
}

/* Two numbers at the end of all lines at the beginning: profiles that are compared. */
static ts_code decide(folded *f)
{
    ts_text held = ts_buf_text(&f->held);
    size_t two = 0;
    size_t one = 0;
    ts_code code = TS_OK;
    for (ts_text left = held; left.n > 0;) {
        ts_text line = ts_text_line(&left);
        if (!folded_is_comment(line)) {
            unsigned count = folded_read_weights(line, 2).count;
            two += count == 2 ? 1 : 0;
            one += count == 1 ? 1 : 0;
        }
    }
    f->decided = true;
    f->differential = two > 0 && one == 0;
    f->lines = 0;
    f->at = 0;
    for (ts_text left = held; left.n > 0 && code == TS_OK;) {
        f->lines++;
        f->at = (uint64_t)(left.p - held.p);
        code = folded_line(f, ts_text_line(&left));
    }
    ts_buf_free(f->job->ctx, &f->held);
    return code;
}

/* A line has ended at offset `end`, with or without LF. */
static ts_code end_line(folded *f, ts_text line, uint64_t end)
{
    uint64_t at = f->at;
    ts_code code = TS_OK;
    f->lines++;
    if (f->too_long) {
        code = f->decided ? TS_OK : decide(f);
        f->at = at;
        f->too_long = false;
        f->bad++;
        TS_STEP(code, ts_issue(f->job->store, f->source_id, TS_ISSUE_prof_too_large, f->name,
                               (int64_t)f->at, "a line is longer than 16 MiB"));
    } else if (f->decided) {
        line.n -= line.n > 0 && line.p[line.n - 1] == '\r' ? 1 : 0;
        code = folded_line(f, line);
    } else if ((code = ts_buf_put(f->job->ctx, &f->held, line.p, line.n)) == TS_OK &&
               (code = ts_buf_putc(f->job->ctx, &f->held, '\n')) == TS_OK &&
               f->held.n >= FOLDED_HELD) {
        uint64_t lines = f->lines;
        code = decide(f);
        f->lines = lines;
    }
    f->line.n = 0;
    f->at = end;
    return code;
}

static ts_code folded_feed(void *self, const uint8_t *bytes, size_t n)
{
    folded *f = self;
    const char *p = (const char *)bytes;
    ts_code code = TS_OK;
    ts_profile_id_add(&f->id, bytes, n);
    for (size_t at = 0; at < n && code == TS_OK;) {
        const char *lf = memchr(p + at, '\n', n - at);
        size_t part = lf == NULL ? n - at : (size_t)(lf - p) - at;
        f->too_long = f->too_long || part > FOLDED_MAX_LINE - f->line.n;
        if (lf != NULL && f->line.n == 0) {
            code = end_line(f, (ts_text){p + at, part}, f->fed + at + part + 1);
        } else {
            code = f->too_long ? TS_OK : ts_buf_put(f->job->ctx, &f->line, p + at, part);
            TS_STEP_IF(code, lf != NULL,
                       end_line(f, ts_buf_text(&f->line), f->fed + at + part + 1));
        }
        at += part + (lf == NULL ? 0 : 1);
    }
    f->fed += n;
    return code;
}

/* --- the end -------------------------------------------------------------------------------- */

static ts_code put_profile(folded *f)
{
    char id[TS_PROFILE_ID];
    char pid[24];
    ts_row_profile row;
    ts_profile_row(&row, f->job->store, f->source_id, "collapse");
    ts_profile_id_end(id, &f->id);
    row.profile_id = ts_text_of(id);
    if (f->pid != 0) {
        snprintf(pid, sizeof pid, "%" PRId64, f->pid);
        row.pid = ts_text_of(pid);
    }
    row.language = f->java == f->python
                       ? TS_TEXT_NULL
                       : ts_text_of(ts_language_name(f->java ? TS_LANG_JAVA : TS_LANG_PYTHON));
    return ts_profile_put(f->job->store, &row);
}

/* The line that the input was cut in may lack digits of its number. */
static ts_code end_last_line(folded *f, bool cut)
{
    ts_code code = TS_OK;
    if (cut && (f->line.n > 0 || f->too_long)) {
        f->bad++;
        f->line.n = 0;
        f->too_long = false;
        code = ts_issue(f->job->store, f->source_id, TS_ISSUE_prof_incomplete, f->name,
                        (int64_t)f->at, "the input ends in a line");
    } else if (f->line.n > 0 || f->too_long) {
        code = end_line(f, ts_buf_text(&f->line), f->fed);
    }
    TS_STEP_IF(code, !f->decided, decide(f));
    TS_STEP(code, folded_flush(f));
    return code;
}

static ts_code folded_finish(void *self, const ts_stream_end *end)
{
    folded *f = self;
    uint64_t values;
    TS_TRY(ts_count_add(f->job->store, f->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0));
    TS_TRY(end_last_line(f, end->damage != NULL && !end->damage->trailing));
    if (f->good == 0) {
        return ts_fail(f->job->ctx, TS_ERR_FORMAT,
                       "%s has no folded stacks: no line ends in a blank and a number",
                       f->job->name);
    }
    values = f->good * (f->differential ? 2 : 1);
    TS_TRY(put_profile(f));
    TS_TRY(ts_issue_n(f->job->store, f->source_id, TS_ISSUE_prof_rounded, f->name, TS_NO_OFFSET,
                      f->rounded, "weights were rounded"));
    TS_TRY(ts_issue_n(f->job->store, f->source_id, TS_ISSUE_prof_bad_text, f->name, TS_NO_OFFSET,
                      f->bad_texts, "parts of texts that are not valid text became U+FFFD"));
    TS_TRY(ts_count_add(f->job->store, f->source_id, TS_ITEM_profile_samples, NULL, f->good, f->bad,
                        0));
    TS_TRY(ts_count_add(f->job->store, f->source_id, TS_ITEM_profile_values, NULL, values, 0, 0));
    ts_stack_release(f->job->store, f->source_id);
    return TS_OK;
}

TS_SOURCE_FORMAT(folded) = {
    .name = "folded",
    .title = "folded (collapsed) stacks, as flamegraph.pl reads them",
    .source_type = "profile",
    .sniff = folded_sniff,
    .open = folded_open,
    .feed = folded_feed,
    .finish = folded_finish,
    .close = folded_close,
};
