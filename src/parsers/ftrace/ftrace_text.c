/* Text traces as a stream: lines, pages of HTML around them, and lines that are no events. */
#include "parsers/ftrace/ftrace_text.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <strings.h>

/* In a page of HTML only what a script element holds is the trace. */
typedef enum text_place {
    PLACE_BEGIN, /* nothing is known yet */
    PLACE_TRACE,
    PLACE_OUTSIDE /* of the trace in a page */
} text_place;

struct ftrace_text {
    ts_ctx *ctx;
    ftrace_text_calls calls;
    ftrace_names *names;
    ts_buf line; /* the beginning of a line, from the blocks before */
    ts_buf clean;
    bool too_long;   /* the rest of the line is passed over: */
    uint64_t passed; /* so many bytes of it */
    bool stacks;     /* the line before was one of perf script, or of its stack */
    text_place place;
    uint64_t number; /* of the line, from 1 */
    uint64_t at;     /* offset of its beginning */
    ftrace_text_counts counts;
    ftrace_event event;
};

#define TRACE_BEGIN "<script class=\"trace-data\" type=\"application/text\">"
#define TRACE_END "</script>"

static bool text_begins(ts_text t, const char *s)
{
    size_t n = strlen(s);
    return t.n >= n && memcmp(t.p, s, n) == 0;
}

static bool text_begins_any_case(ts_text t, const char *s)
{
    size_t n = strlen(s);
    return t.n >= n && strncasecmp(t.p, s, n) == 0;
}

/* detail: well-formed UTF-8. */
static ts_code defect(ftrace_text *t, ftrace_text_defect what, ts_text detail)
{
    enum { SHOWN = 80 };
    detail.n = detail.n > SHOWN ? ts_utf8_cut(detail.p, SHOWN) : detail.n;
    return t->calls.defect(t->calls.user, what, t->number, t->at, detail);
}

/* --- lines that are no events ---------------------------------------------------------------- */

/* "CPU:2 [LOST 1234 EVENTS]": the kernel dropped events before they were read. */
static bool read_overrun(uint64_t *lost, ts_text line)
{
    const char *p = line.p;
    const char *end = line.p + line.n;
    *lost = 0;
    if (!text_begins(line, "CPU:")) {
        return false;
    }
    p = memmem(p, line.n, "[LOST ", 6);
    for (p = p == NULL ? end : p + 6; p < end && *p >= '0' && *p <= '9'; p++) {
        *lost = *lost < UINT64_MAX / 16 ? *lost * 10 + (uint64_t)(*p - '0') : *lost;
    }
    return p < end && text_begins((ts_text){p, (size_t)(end - p)}, " EVENTS]");
}

/* What atrace and trace-cmd write around the lines. */
static bool is_title(ts_text line)
{
    return text_begins(line, "TRACE:") || text_begins(line, "capturing trace") ||
           text_begins(line, "cpus=") || text_begins(line, "version = ") ||
           (text_begins(line, "CPU ") && line.n > 8 &&
            memcmp(line.p + line.n - 8, "is empty", 8) == 0);
}

/* "\tffffffff81 symbol+0x1 (file)": a frame below a line of perf script. */
static bool is_frame(ts_text line)
{
    size_t i = 0;
    size_t digits = 0;
    while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t')) {
        i++;
    }
    for (; i > 0 && i + digits < line.n && line.p[i + digits] != ' '; digits++) {
        char c = (char)(line.p[i + digits] | 0x20);
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
            return false;
        }
    }
    return i > 0 && digits >= 4;
}

static ts_code no_event(ftrace_text *t, ts_text line)
{
    uint64_t lost;
    if (read_overrun(&lost, line)) {
        t->counts.overruns++;
        t->counts.overrun_events += lost;
        t->counts.not_events++;
        return defect(t, FTRACE_TEXT_OVERRUN, line);
    }
    if (is_title(line) || (t->stacks && is_frame(line))) {
        t->counts.not_events++;
        t->counts.frames += is_title(line) ? 0 : 1;
        return TS_OK;
    }
    t->counts.unknown++;
    return defect(t, FTRACE_TEXT_UNKNOWN, line);
}

/* --- events ---------------------------------------------------------------------------------- */

/* "trace_event_clock_sync: parent_ts=12.5": the monotonic clock at this line; realtime_ts is in ms.
 * The first of each counts. */
static void read_sync(ftrace_text_counts *c, const ftrace_event *e)
{
    static const char mark[] = "trace_event_clock_sync: ";
    const size_t n = sizeof mark - 1;
    ts_text t = e->text[0];
    int64_t v;
    if (!text_begins(t, mark)) {
        return;
    }
    t = (ts_text){t.p + n, t.n - n};
    if (text_begins(t, "parent_ts=") && c->sync_monotonic == 0 &&
        ftrace_seconds(&v, (ts_text){t.p + 10, t.n - 10}) && v > 0) {
        c->sync_monotonic = v;
        c->sync_ts = e->ts;
        c->synced = true;
    } else if (text_begins(t, "realtime_ts=") && c->sync_realtime == 0 &&
               ftrace_decimal(&v, (ts_text){t.p + 12, t.n - 12}) && v > 0 &&
               v < INT64_MAX / 1000000) {
        c->sync_realtime = v * 1000000;
    }
}

static ts_code one_event(ftrace_text *t, const ftrace_line *line)
{
    ftrace_event *e = &t->event;
    unsigned kind = ftrace_names_kind(t->names, line->event);
    if (kind == FTRACE_KINDS) {
        t->counts.not_supported++;
        return TS_OK;
    }
    e->ts = line->ts;
    e->pid = line->pid;
    e->tgid = line->tgid;
    e->cpu = line->cpu;
    e->kind = (uint16_t)kind;
    e->reader = FTRACE_FROM_TEXT;
    e->comm = line->comm;
    if (!ftrace_args_read(e, t->names, line->args)) {
        t->counts.bad[kind]++;
        return defect(t, FTRACE_TEXT_BAD_ARGS, line->event);
    }
    if (kind == FTRACE_tracing_mark_write || kind == FTRACE_print) {
        read_sync(&t->counts, e);
    }
    t->counts.events++;
    return t->calls.take(t->calls.user, e);
}

/* A line of the trace without its end. */
static ts_code trace_line(ftrace_text *t, ts_text line)
{
    ftrace_line parts;
    line.n -= line.n > 0 && line.p[line.n - 1] == '\r' ? 1 : 0;
    if (line.n == 0 || line.p[0] == '#') {
        return TS_OK;
    }
    if (!ts_utf8_valid(line.p, line.n)) {
        ts_code code;
        t->clean.n = 0;
        code = ts_utf8_clean(t->ctx, &t->clean, &t->counts.bad_texts, line.p, line.n);
        if (code != TS_OK) {
            return code;
        }
        line = ts_buf_text(&t->clean);
    }
    t->counts.lines++;
    if (!ftrace_line_read(&parts, line)) {
        return no_event(t, line);
    }
    t->stacks = parts.perf;
    return one_event(t, &parts);
}

/* --- pages ----------------------------------------------------------------------------------- */

static ts_code page_line(ftrace_text *t, ts_text line)
{
    while (t->place == PLACE_OUTSIDE && line.n > 0) {
        const char *begin = memmem(line.p, line.n, TRACE_BEGIN, sizeof TRACE_BEGIN - 1);
        const char *end;
        ts_text part;
        ts_code code;
        if (begin == NULL) {
            return TS_OK;
        }
        begin += sizeof TRACE_BEGIN - 1;
        line = (ts_text){begin, line.n - (size_t)(begin - line.p)};
        end = memmem(line.p, line.n, TRACE_END, sizeof TRACE_END - 1);
        part = (ts_text){line.p, end == NULL ? line.n : (size_t)(end - line.p)};
        t->counts.html_trace = true;
        t->place = end == NULL ? PLACE_TRACE : PLACE_OUTSIDE;
        if ((code = trace_line(t, part)) != TS_OK || end == NULL) {
            return code;
        }
        line = (ts_text){end, line.n - part.n};
    }
    return TS_OK;
}

/* The trace in a page goes on; it ends with the element. */
static ts_code page_trace_line(ftrace_text *t, ts_text line)
{
    const char *end = memmem(line.p, line.n, TRACE_END, sizeof TRACE_END - 1);
    ts_text part = {line.p, end == NULL ? line.n : (size_t)(end - line.p)};
    ts_code code;
    if (end != NULL) {
        while (part.n > 0 && (part.p[part.n - 1] == ' ' || part.p[part.n - 1] == '\t')) {
            part.n--;
        }
    }
    code = trace_line(t, part);
    if (code != TS_OK || end == NULL) {
        return code;
    }
    t->place = PLACE_OUTSIDE;
    return page_line(t, (ts_text){end, line.n - (size_t)(end - line.p)});
}

/* The first line says what the text is; *line without a byte order mark. */
static void first_line(ftrace_text *t, ts_text *line)
{
    if (text_begins(*line, "\xef\xbb\xbf")) {
        *line = (ts_text){line->p + 3, line->n - 3};
    }
    t->counts.html =
        text_begins_any_case(*line, "<!doctype html>") || text_begins_any_case(*line, "<html>");
    t->place = t->counts.html ? PLACE_OUTSIDE : PLACE_TRACE;
}

static ts_code any_line(ftrace_text *t, ts_text line)
{
    if (t->place == PLACE_BEGIN) {
        first_line(t, &line);
    }
    if (t->place == PLACE_OUTSIDE) {
        return page_line(t, line);
    }
    return t->counts.html ? page_trace_line(t, line) : trace_line(t, line);
}

/* --- the stream ------------------------------------------------------------------------------ */

/* A line that is too long outside of the trace of a page is nothing: pages hold long scripts. */
static ts_code long_line(ftrace_text *t)
{
    ts_text begin = ts_buf_text(&t->line);
    t->too_long = false;
    if (t->place == PLACE_BEGIN) {
        first_line(t, &begin);
    }
    if (t->place == PLACE_OUTSIDE) {
        return page_line(t, begin);
    }
    if (begin.n > 0 && begin.p[0] == '#') {
        return TS_OK;
    }
    t->counts.lines++;
    t->counts.too_long++;
    return defect(t, FTRACE_TEXT_TOO_LONG, TS_TEXT_LIT(""));
}

ts_code ftrace_text_feed(ftrace_text *t, const char *p, size_t n)
{
    ts_code code = TS_OK;
    while (n > 0 && code == TS_OK) {
        const char *lf = memchr(p, '\n', n);
        size_t part = lf == NULL ? n : (size_t)(lf - p);
        size_t used = part + (lf == NULL ? 0 : 1);
        if (lf != NULL && t->line.n == 0 && part <= FTRACE_TEXT_MAX_LINE) {
            t->number++;
            code = any_line(t, (ts_text){p, part});
            t->at += used;
        } else {
            size_t kept = FTRACE_TEXT_MAX_LINE - t->line.n;
            t->too_long = t->too_long || part > kept;
            code = ts_buf_put(t->ctx, &t->line, p, part < kept ? part : kept);
            t->passed += part > kept ? part - kept : 0;
            if (code == TS_OK && lf != NULL) {
                uint64_t bytes = t->line.n + t->passed + 1;
                t->number++;
                code = t->too_long ? long_line(t) : any_line(t, ts_buf_text(&t->line));
                t->line.n = 0;
                t->passed = 0;
                t->at += bytes;
            }
        }
        p += used;
        n -= used;
    }
    return code;
}

ts_code ftrace_text_end(ftrace_text *t)
{
    ts_text line = ts_buf_text(&t->line);
    if (line.n == 0) {
        return TS_OK;
    }
    t->number++;
    if (t->place == PLACE_BEGIN) {
        first_line(t, &line);
    }
    if (t->counts.html && memmem(line.p, line.n, TRACE_END, sizeof TRACE_END - 1) != NULL) {
        return any_line(t, line);
    }
    if (t->place == PLACE_OUTSIDE || line.n == 0 || line.p[0] == '#') {
        return TS_OK;
    }
    t->counts.lines++;
    t->counts.cut++;
    return defect(t, FTRACE_TEXT_CUT, TS_TEXT_LIT(""));
}

const ftrace_text_counts *ftrace_text_count(const ftrace_text *t)
{
    return &t->counts;
}

ts_code ftrace_text_open(ftrace_text **out, ts_ctx *ctx, const ftrace_text_calls *calls)
{
    ftrace_text *t = ts_zalloc(ctx, 1, sizeof *t);
    ts_code code = t == NULL ? ctx->error.code : ftrace_names_new(&t->names, ctx);
    *out = NULL;
    if (code != TS_OK) {
        ts_free(ctx, t);
        return code;
    }
    t->ctx = ctx;
    t->calls = *calls;
    *out = t;
    return TS_OK;
}

void ftrace_text_close(ftrace_text *t)
{
    if (t != NULL) {
        ts_buf_free(t->ctx, &t->line);
        ts_buf_free(t->ctx, &t->clean);
        ts_free(t->ctx, t->names);
        ts_free(t->ctx, t);
    }
}
