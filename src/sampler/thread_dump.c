/* Thread dumps of HotSpot, line by line. */
#include "sampler/thread_dump.h"

#include "base/ckd.h"

#include <string.h>

enum { NAME_MAX = 4096 }; /* bytes of a name that line breaks may be in */

typedef struct parser {
    ts_ctx *ctx;
    const char *at;
    const char *end;
    ts_dump_visit visit;
    void *user;
    bool open; /* a thread's lines are being read */
    ts_dump_thread thread;
    ts_vec frames; /* of ts_text */
    bool complete;
} parser;

const char *ts_dump_state_name(ts_dump_state state)
{
    static const char *const names[] = {"",        "NEW",           "RUNNABLE",  "BLOCKED",
                                        "WAITING", "TIMED_WAITING", "TERMINATED"};
    return names[state];
}

static ts_text after(ts_text line, size_t n)
{
    return (ts_text){line.p + n, line.n - n};
}

/* --- the first line of a thread ------------------------------------------------------------- */

/* A number in decimal, or in hexadecimal with 0x in front; -1: none. */
static int64_t number(ts_text t)
{
    bool hex = ts_text_begins(t, "0x");
    int64_t v = 0;
    size_t i = hex ? 2 : 0;
    if (i == t.n) {
        return -1;
    }
    for (; i < t.n; i++) {
        char c = t.p[i];
        int digit = c >= '0' && c <= '9'          ? c - '0'
                    : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : hex && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                  : -1;
        if (digit < 0 || ts_ckd_mul(&v, v, hex ? 16 : 10) || ts_ckd_add(&v, v, digit)) {
            return -1;
        }
    }
    return v;
}

/* "45.12ms" as ns; some locales write a comma. -1: not that. */
static int64_t milliseconds(ts_text t)
{
    int64_t ns = 0;
    int64_t unit = 1000000;
    size_t i = 0;
    if (t.n < 3 || memcmp(t.p + t.n - 2, "ms", 2) != 0) {
        return -1;
    }
    for (; i < t.n - 2 && t.p[i] >= '0' && t.p[i] <= '9'; i++) {
        if (ts_ckd_mul(&ns, ns, 10) || ts_ckd_add(&ns, ns, (t.p[i] - '0') * unit)) {
            return -1;
        }
    }
    if (i == 0 || (i < t.n - 2 && t.p[i] != '.' && t.p[i] != ',')) {
        return -1;
    }
    for (i++; i < t.n - 2; i++) {
        if (t.p[i] < '0' || t.p[i] > '9') {
            return -1;
        }
        unit /= 10;
        if (ts_ckd_add(&ns, ns, (t.p[i] - '0') * unit)) {
            return -1;
        }
    }
    return ns;
}

static void take_field(ts_dump_thread *t, ts_text field)
{
    if (ts_text_begins(field, "#")) {
        t->id = number(after(field, 1));
        t->id = t->id > 0 ? t->id : -1;
    } else if (ts_text_is(field, "daemon")) {
        t->daemon = true;
    } else if (ts_text_begins(field, "prio=")) {
        t->priority = number(after(field, 5));
    } else if (ts_text_begins(field, "cpu=")) {
        t->cpu_ns = milliseconds(after(field, 4));
    } else if (ts_text_begins(field, "nid=")) {
        t->nid = number(after(field, 4));
    }
}

/* What is after a name: fields with blanks between them, up to the thread's activity. */
static void take_fields(ts_dump_thread *t, ts_text rest)
{
    size_t i = 0;
    bool done = false;
    while (i < rest.n && !done) {
        size_t begin = i;
        while (i < rest.n && rest.p[i] != ' ') {
            i++;
        }
        take_field(t, (ts_text){rest.p + begin, i - begin});
        done = i - begin > 4 && memcmp(rest.p + begin, "nid=", 4) == 0;
        i++;
    }
}

static bool is_header_rest(ts_text rest)
{
    return rest.n > 1 && rest.p[0] == ' ' &&
           (rest.p[1] == '#' || ts_text_begins(after(rest, 1), "os_prio=") ||
            ts_text_begins(after(rest, 1), "prio=") || ts_text_begins(after(rest, 1), "daemon ") ||
            ts_text_begins(after(rest, 1), "cpu=") || ts_text_begins(after(rest, 1), "tid=")) &&
           memmem(rest.p, rest.n, " nid=", 5) != NULL;
}

/*
 * A name may hold quotation marks and line breaks: it ends at the last quotation mark of the first
 * line whose rest looks like the fields of a thread. True when `line` begins a thread; the lines of
 * a name are consumed.
 */
static bool take_header(parser *x, ts_text line)
{
    const char *begin = line.p + 1;
    const char *end = line.p + line.n;
    for (;;) {
        const char *quote = memrchr(begin, '"', (size_t)(end - begin));
        const char *next;
        if (quote != NULL && is_header_rest((ts_text){quote + 1, (size_t)(end - quote - 1)})) {
            x->thread = (ts_dump_thread){.name = {begin, (size_t)(quote - begin)},
                                         .id = -1,
                                         .nid = -1,
                                         .cpu_ns = -1,
                                         .priority = -1};
            take_fields(&x->thread, (ts_text){quote + 2, (size_t)(end - quote - 2)});
            next = memchr(end, '\n', (size_t)(x->end - end));
            x->at = next == NULL ? x->end : next + 1;
            return true;
        }
        if (end >= x->end || end - begin > NAME_MAX) {
            return false;
        }
        next = memchr(end + 1, '\n', (size_t)(x->end - end - 1));
        end = next == NULL ? x->end : next;
    }
}

/* --- the other lines ------------------------------------------------------------------------ */

static ts_dump_state state_of(ts_text t)
{
    ts_dump_state found = TS_DUMP_UNKNOWN;
    size_t n = 0;
    while (n < t.n && ((t.p[n] >= 'A' && t.p[n] <= 'Z') || t.p[n] == '_')) {
        n++;
    }
    for (int s = TS_DUMP_NEW; s <= TS_DUMP_TERMINATED; s++) {
        if (ts_text_is((ts_text){t.p, n}, ts_dump_state_name((ts_dump_state)s))) {
            found = (ts_dump_state)s;
        }
    }
    return found;
}

/* "class.method" of "class.method(File.java:12)". */
static ts_code take_frame(parser *x, ts_text line)
{
    const char *bracket = memchr(line.p, '(', line.n);
    size_t n = bracket == NULL ? line.n : (size_t)(bracket - line.p);
    if (n == 0) {
        return TS_OK;
    }
    const ts_text frame = {line.p, n};
    return ts_vec_push(x->ctx, &x->frames, &frame, sizeof frame);
}

/* "- waiting on <0x..> (a java.lang.Object)": the class. */
static ts_text class_of(ts_text line)
{
    const char *open = memmem(line.p, line.n, "(a ", 3);
    const char *close = open == NULL ? NULL : memrchr(open, ')', (size_t)(line.p + line.n - open));
    return close == NULL ? TS_TEXT_LIT("") : (ts_text){open + 3, (size_t)(close - open - 3)};
}

static ts_code take_line(parser *x, ts_text line)
{
    static const char state[] = "   java.lang.Thread.State: ";
    static const char *const waits[] = {"- waiting on ", "- waiting to lock ",
                                        "- waiting to re-lock ", "- parking to wait for "};
    ts_text rest;
    if (ts_text_begins(line, state)) {
        x->thread.state = state_of(after(line, sizeof state - 1));
        return TS_OK;
    }
    if (line.n == 0 || line.p[0] != '\t') {
        return TS_OK;
    }
    rest = after(line, 1);
    if (ts_text_begins(rest, "at ")) {
        return take_frame(x, after(rest, 3));
    }
    x->thread.locked += ts_text_begins(rest, "- locked ");
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        if (ts_text_begins(rest, waits[i])) {
            x->thread.waiting_on = class_of(rest);
        }
    }
    return TS_OK;
}

static ts_code end_thread(parser *x)
{
    if (!x->open) {
        return TS_OK;
    }
    x->open = false;
    x->thread.frames = x->frames.p;
    x->thread.frame_count = x->frames.n;
    return x->visit(x->user, &x->thread);
}

/* --- the dump ------------------------------------------------------------------------------- */

/* A line with its end; false for the rest of a text that was cut. */
static bool next_line(ts_text *line, const parser *x)
{
    const char *end = memchr(x->at, '\n', (size_t)(x->end - x->at));
    if (end == NULL) {
        return false;
    }
    *line = (ts_text){x->at, (size_t)(end - x->at)};
    if (line->n > 0 && line->p[line->n - 1] == '\r') {
        line->n--;
    }
    return true;
}

/* Consumes a line, or the lines of a thread's name. */
static ts_code step(parser *x, ts_text line)
{
    const char *next = (const char *)memchr(line.p, '\n', (size_t)(x->end - line.p)) + 1;
    ts_code code = TS_OK;
    if (line.n == 0) {
        x->at = next;
        return end_thread(x);
    }
    if (line.p[0] == '"') {
        code = end_thread(x);
        if (code == TS_OK && take_header(x, line)) {
            x->open = x->at > line.p && x->at[-1] == '\n';
            x->frames.n = 0;
            return TS_OK;
        }
        x->at = next;
        return code;
    }
    x->at = next;
    if (ts_text_begins(line, "JNI global ref")) {
        x->complete = true;
        return end_thread(x);
    }
    return x->open ? take_line(x, line) : TS_OK;
}

ts_code ts_thread_dump(bool *complete, ts_ctx *ctx, const char *text, size_t n, ts_dump_visit visit,
                       void *user)
{
    parser x = {.ctx = ctx, .at = text, .end = text + n, .visit = visit, .user = user};
    ts_text line;
    ts_code code = TS_OK;
    while (code == TS_OK && x.at < x.end && next_line(&line, &x)) {
        code = step(&x, line);
    }
    *complete = x.complete;
    ts_vec_free(ctx, &x.frames);
    return code;
}
