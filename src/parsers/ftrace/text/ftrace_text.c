/* Text traces as a stream: lines, pages of HTML around them, and lines that are no events. */
#include "parsers/ftrace/text/ftrace_text.h"

#include "base/alloc.h"
#include "base/lines.h"
#include "base/utf8.h"

#include <strings.h>

/* In a page of HTML only what a script element holds is the trace; other elements of the kind have
 * lists of processes and the like. */
typedef enum text_place {
    PLACE_BEGIN, /* nothing is known yet */
    PLACE_TRACE,
    PLACE_OUTSIDE, /* of all that may be the trace in a page */
    PLACE_ELEMENT, /* in one, of which nothing is known yet */
    PLACE_OTHER    /* in one that is no trace */
} text_place;

struct ftrace_text {
    ts_ctx *ctx;
    ftrace_text_calls calls;
    ftrace_names *names;
    ftrace_known *known;
    ts_lines lines;
    ts_buf clean;
    bool ascii;  /* the block is: lines that are not held need not be looked at */
    bool stacks; /* the line before was one of perf script, or of its stack */
    bool at_end; /* the line has no end, and may be cut */
    text_place place;
    ftrace_text_counts counts;
    ftrace_event event;
};

#define TRACE_BEGIN "<script class=\"trace-data\" type=\"application/text\">"
#define OLD_TRACE_BEGIN "var linuxPerfData = \"" /* of the first systrace: a text of JavaScript */
#define TRACE_END "</script>"

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
    return t->calls.defect(t->calls.user, what, t->lines.number, t->lines.at, detail);
}

static ts_code lose(ftrace_text *t, unsigned kind, uint32_t cpu, int64_t ts)
{
    const ftrace_event loss = ftrace_loss(kind, cpu, ts);
    return t->calls.take(t->calls.user, &loss);
}

/* --- lines that are no events ---------------------------------------------------------------- */

/* A whole text as the number of a CPU. */
static bool read_cpu_number(uint32_t *cpu, ts_text t)
{
    int64_t n;
    bool is = t.n > 0 && t.p[0] >= '0' && t.p[0] <= '9' && ftrace_decimal(&n, t) && n <= INT32_MAX;
    *cpu = is ? (uint32_t)n : 0;
    return is;
}

/* What is between two texts; false: it is not so. */
static bool text_between(ts_text *t, const char *begin, const char *end)
{
    size_t n = strlen(begin);
    size_t m = strlen(end);
    if (t->n < n + m || !ts_text_begins(*t, begin) || !ts_text_ends(*t, end)) {
        return false;
    }
    *t = (ts_text){t->p + n, t->n - n - m};
    return true;
}

/* "CPU:2 [LOST 1234 EVENTS]" of the kernel, "CPU:2 [1234 EVENTS DROPPED]" of trace-cmd, both also
 * without a number: events were dropped before they were read. */
static bool read_overrun(uint64_t *lost, uint32_t *cpu, ts_text line)
{
    const char *bracket = memchr(line.p, '[', line.n);
    ts_text number;
    ts_text what;
    int64_t n = 0;
    if (bracket == NULL) {
        return false;
    }
    number = (ts_text){line.p, (size_t)(bracket - line.p)};
    what = (ts_text){bracket, line.n - number.n};
    if (!text_between(&number, "CPU:", " ") || !read_cpu_number(cpu, number)) {
        return false;
    }
    *lost = 0;
    if (ts_text_is(what, "[LOST EVENTS]") || ts_text_is(what, "[EVENTS DROPPED]")) {
        return true;
    }
    if ((!text_between(&what, "[LOST ", " EVENTS]") &&
         !text_between(&what, "[", " EVENTS DROPPED]")) ||
        !ftrace_decimal(&n, what) || n < 0) {
        return false;
    }
    *lost = (uint64_t)n < UINT64_MAX / 16 ? (uint64_t)n : UINT64_MAX / 16;
    return true;
}

/* "app 20 [001] 12.5: PERF_RECORD_LOST lost 41": the same of perf script. */
static bool read_perf_lost(uint64_t *lost, uint32_t *cpu, ts_text line)
{
    static const char mark[] = ": PERF_RECORD_LOST lost ";
    const char *what = memmem(line.p, line.n, mark, sizeof mark - 1);
    const char *begin = what == NULL ? NULL : memrchr(line.p, '[', (size_t)(what - line.p));
    const char *end = begin == NULL ? NULL : memchr(begin, ']', (size_t)(what - begin));
    int64_t n = 0;
    if (end == NULL || !read_cpu_number(cpu, (ts_text){begin + 1, (size_t)(end - begin) - 1})) {
        return false;
    }
    what += sizeof mark - 1;
    *lost = ftrace_decimal(&n, (ts_text){what, (size_t)(line.p + line.n - what)}) && n > 0
                ? (uint64_t)n
                : 0;
    return true;
}

/* "##### CPU 2 buffer started ####": what the CPU had before is not there. */
static ts_code comment(ftrace_text *t, ts_text line)
{
    uint32_t cpu;
    return text_between(&line, "##### CPU ", " buffer started ####") && read_cpu_number(&cpu, line)
               ? lose(t, FTRACE_STARTED, cpu, 0)
               : TS_OK;
}

/* What atrace and trace-cmd write around the lines; the kernel's stacks and calls of functions, as
 * "app-20 [000] 12.5: <stack trace>", " => schedule", "app-20 [000] 12.5: do_exit <-__x64_sys". */
static bool is_title(ts_text line)
{
    const char *blank = memrchr(line.p, ' ', line.n);
    return ts_text_ends(line, "<stack trace>") || ts_text_ends(line, "<user stack trace>") ||
           ts_text_begins(line, " => ") || ts_text_begins(line, "=> ") ||
           (blank != NULL &&
            ts_text_begins((ts_text){blank, line.n - (size_t)(blank - line.p)}, " <-")) ||
           ts_text_begins(line, "TRACE:") || ts_text_begins(line, "capturing trace") ||
           ts_text_begins(line, "cpus=") || ts_text_begins(line, "version = ") ||
           (ts_text_begins(line, "CPU ") && ts_text_ends(line, "is empty"));
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
    return i > 0 && digits > 0;
}

static ts_code cut_line(ftrace_text *t)
{
    t->counts.cut++;
    return defect(t, FTRACE_TEXT_CUT, TS_TEXT_LIT(""));
}

static ts_code no_event(ftrace_text *t, ts_text line)
{
    uint64_t lost;
    uint32_t cpu;
    ts_code code;
    if (read_overrun(&lost, &cpu, line) || read_perf_lost(&lost, &cpu, line)) {
        t->counts.overruns++;
        t->counts.overrun_events += lost;
        t->counts.not_events++;
        return lose(t, FTRACE_LOST_BEFORE, cpu, 0);
    }
    if (is_title(line) || (t->stacks && is_frame(line))) {
        t->counts.not_events++;
        t->counts.frames += is_title(line) ? 0 : 1;
        return TS_OK;
    }
    if (t->at_end) {
        return cut_line(t);
    }
    t->counts.ticks = t->counts.unknown++ == 0 ? ftrace_line_ticks(line) : t->counts.ticks;
    code = lose(t, FTRACE_GAP, 0, 0);
    TS_STEP(code, defect(t, FTRACE_TEXT_UNKNOWN, line));
    return code;
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
    if (!ts_text_begins(t, mark)) {
        return;
    }
    t = (ts_text){t.p + n, t.n - n};
    if (ts_text_begins(t, "parent_ts=") && c->sync_monotonic == 0 &&
        ftrace_seconds(&v, (ts_text){t.p + 10, t.n - 10}) && v > 0) {
        c->sync_monotonic = v;
        c->sync_ts = e->ts;
        c->synced = true;
    } else if (ts_text_begins(t, "realtime_ts=") && c->sync_realtime == 0 &&
               ftrace_decimal(&v, (ts_text){t.p + 12, t.n - 12}) && v > 0 &&
               v < INT64_MAX / 1000000) {
        c->sync_realtime = v * 1000000;
    }
}

static ts_code one_event(ftrace_text *t, const ftrace_line *line, unsigned kind)
{
    ftrace_event *e = &t->event;
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
        if (t->at_end) {
            return cut_line(t);
        }
        ts_code code = lose(t, FTRACE_LOST_HERE, line->cpu, line->ts);
        t->counts.bad[kind]++;
        TS_STEP(code, defect(t, FTRACE_TEXT_BAD_ARGS, line->event));
        return code;
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
    unsigned kind;
    if (line.n == 0 || line.p[0] == '#') {
        return line.n == 0 ? TS_OK : comment(t, line);
    }
    TS_TRY(t->ascii && !ts_lines_open(&t->lines)
               ? TS_OK
               : ts_utf8_text(&line, t->ctx, &t->clean, &t->counts.bad_texts));
    t->counts.lines++;
    if (!ftrace_known_line(&parts, &kind, t->known, line)) {
        if (!ftrace_line_read(&parts, line)) {
            return no_event(t, line);
        }
        kind = ftrace_names_kind(t->names, parts.event);
        ftrace_known_keep(t->known, line, &parts, kind);
    }
    t->stacks = parts.perf;
    return one_event(t, &parts, kind);
}

/* --- pages ----------------------------------------------------------------------------------- */

/* The place after the tag of an element that may be the trace; NULL: the line has none. */
static const char *element_begin(ts_text line)
{
    const char *begin = memmem(line.p, line.n, TRACE_BEGIN, sizeof TRACE_BEGIN - 1);
    const char *old = memmem(line.p, line.n, OLD_TRACE_BEGIN, sizeof OLD_TRACE_BEGIN - 1);
    return begin != NULL && (old == NULL || begin < old) ? begin + sizeof TRACE_BEGIN - 1
           : old != NULL                                 ? old + sizeof OLD_TRACE_BEGIN - 1
                                                         : NULL;
}

/* Without blanks, and what ends a line in a text of JavaScript: \n\, or \n"; the last one. */
static ts_text without_end(ts_text line)
{
    static const char *const ends[] = {"\\n\\", "\\n\";", "\\"};
    while (line.n > 0 && strchr(" \t\r", line.p[line.n - 1]) != NULL) {
        line.n--;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (ts_text_ends(line, ends[i])) {
            return (ts_text){line.p, line.n - strlen(ends[i])};
        }
    }
    return line;
}

/* A line of an element: the first one that is not empty says what that is. */
static ts_code element_line(ftrace_text *t, ts_text line)
{
    ftrace_line parts;
    uint64_t lost;
    uint32_t cpu;
    line = without_end(line);
    if (t->place == PLACE_ELEMENT && line.n > 0) {
        bool is = line.p[0] == '#' || is_title(line) || read_overrun(&lost, &cpu, line) ||
                  ftrace_line_read(&parts, line);
        t->place = is ? PLACE_TRACE : PLACE_OTHER;
        t->counts.html_trace |= is;
    }
    return t->place == PLACE_TRACE ? trace_line(t, line) : TS_OK;
}

static ts_code page_line(ftrace_text *t, ts_text line)
{
    ts_code code = TS_OK;
    while (line.n > 0 && code == TS_OK) {
        const char *end;
        ts_text part;
        if (t->place == PLACE_OUTSIDE) {
            const char *begin = element_begin(line);
            if (begin == NULL) {
                return TS_OK;
            }
            line = (ts_text){begin, line.n - (size_t)(begin - line.p)};
            t->place = PLACE_ELEMENT;
        }
        end = memmem(line.p, line.n, TRACE_END, sizeof TRACE_END - 1);
        part = (ts_text){line.p, end == NULL ? line.n : (size_t)(end - line.p)};
        code = element_line(t, part);
        t->place = end == NULL ? t->place : PLACE_OUTSIDE;
        line = (ts_text){line.p + part.n, line.n - part.n};
    }
    return code;
}

/* The first line says what the text is; *line without a byte order mark. */
static void first_line(ftrace_text *t, ts_text *line)
{
    if (ts_text_begins(*line, "\xef\xbb\xbf")) {
        *line = (ts_text){line->p + 3, line->n - 3};
    }
    t->counts.html =
        text_begins_any_case(*line, "<!doctype html>") || text_begins_any_case(*line, "<html>");
    t->place = t->counts.html ? PLACE_OUTSIDE : PLACE_TRACE;
}

/* --- the stream ------------------------------------------------------------------------------ */

/* A line that is too long outside of the trace of a page is nothing: pages hold long scripts. */
static ts_code long_line(ftrace_text *t, ts_text begin)
{
    ts_code code;
    if (t->place == PLACE_OTHER) {
        return TS_OK;
    }
    if (t->place == PLACE_OUTSIDE || t->place == PLACE_ELEMENT) {
        return page_line(t, begin);
    }
    if (begin.n > 0 && begin.p[0] == '#') {
        return TS_OK;
    }
    t->counts.lines++;
    t->counts.too_long++;
    code = lose(t, FTRACE_GAP, 0, 0);
    TS_STEP(code, defect(t, FTRACE_TEXT_TOO_LONG, TS_TEXT_LIT("")));
    return code;
}

static ts_code any_line(void *user, ts_text line)
{
    ftrace_text *t = user;
    if (t->place == PLACE_BEGIN) {
        first_line(t, &line);
    }
    return t->lines.too_long ? long_line(t, line)
           : t->counts.html  ? page_line(t, line)
                             : trace_line(t, line);
}

ts_code ftrace_text_feed(ftrace_text *t, const char *p, size_t n)
{
    t->ascii = ts_utf8_ascii(p, n);
    return ts_lines_feed(t->ctx, &t->lines, any_line, t, p, n);
}

/* A page that does not end its element is cut. */
ts_code ftrace_text_end(ftrace_text *t)
{
    ts_text line = ts_buf_text(&t->lines.held);
    ts_code code = TS_OK;
    if (ts_lines_open(&t->lines)) {
        t->lines.number++;
        t->at_end = true;
        code = any_line(t, ts_text_line(&line));
    }
    if (code != TS_OK || !t->counts.html || t->counts.cut > 0 ||
        (t->place != PLACE_TRACE && t->place != PLACE_ELEMENT)) {
        return code;
    }
    t->counts.lines++;
    return cut_line(t);
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
    TS_STEP(code, ftrace_known_new(&t->known, ctx));
    if (code != TS_OK) {
        ts_free(ctx, t == NULL ? NULL : t->names);
        ts_free(ctx, t);
        return code;
    }
    t->ctx = ctx;
    t->calls = *calls;
    t->lines.max = FTRACE_TEXT_MAX_LINE;
    *out = t;
    return TS_OK;
}

void ftrace_text_close(ftrace_text *t)
{
    if (t != NULL) {
        ts_buf_free(t->ctx, &t->lines.held);
        ts_buf_free(t->ctx, &t->clean);
        ts_free(t->ctx, t->names);
        ts_free(t->ctx, t->known);
        ts_free(t->ctx, t);
    }
}
