/*
 * Texts of markers: what programs write into the trace (docs/formats.md, "ftrace-plugin").
 *
 *     B|20|name      begins a slice of the thread        E|20        ends it
 *     S|20|name|7    begins an asynchronous one          F|20|name|7 ends it
 *     G|20|cat|name|7, H|20|cat|name|7                   the same, by category
 *     C|20|name|5    value of a counter of the process
 */
#include "parsers/ftrace/rows/ftrace_state.h"
#include "parsers/ftrace/text/ftrace_text.h"

#include "tables/store_processes.h"

#include <inttypes.h>

typedef struct marker {
    char letter;
    int64_t tgid;
    ts_text rest; /* after the tgid */
} marker;

/* --- pieces of text ------------------------------------------------------------------------ */

/* What is before the first `c`; rest: what is after it, NULL when there is none. */
static ts_text cut_at(ts_text *rest, ts_text t, char c)
{
    const char *end = t.n == 0 ? NULL : memchr(t.p, c, t.n);
    if (end == NULL) {
        *rest = TS_TEXT_NULL;
        return t;
    }
    *rest = ts_text_from(t, (size_t)(end - t.p) + 1);
    return (ts_text){t.p, (size_t)(end - t.p)};
}

static ts_text strip_end(ts_text t)
{
    while (t.n > 0 && t.p[t.n - 1] == ' ') {
        t.n--;
    }
    return t;
}

static ts_text strip(ts_text t)
{
    while (t.n > 0 && t.p[0] == ' ') {
        t = ts_text_from(t, 1);
    }
    return strip_end(t);
}

/* H:[a,b,c]# at the beginning: the three, and what is after. */
static bool parse_chain(ts_text part[3], ts_text *rest, ts_text name)
{
    size_t at = 3;
    if (!ts_text_begins(name, "H:[")) {
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        size_t from = at;
        while (at < name.n &&
               (ts_is_digit(name.p[at]) || (name.p[at] >= 'a' && name.p[at] <= 'z'))) {
            at++;
        }
        if (at == from || at == name.n || name.p[at] != (i < 2 ? ',' : ']')) {
            return false;
        }
        part[i] = (ts_text){name.p + from, at - from};
        at++;
    }
    if (at == name.n || name.p[at] != '#') {
        return false;
    }
    *rest = ts_text_from(name, at + 1);
    return true;
}

/* M62: level M, tag 62. */
static void set_level(ts_row_callstack *row, ts_text part)
{
    size_t n = 1;
    if (part.n == 0) {
        return;
    }
    while (n < part.n && ((unsigned char)part.p[n] & 0xc0) == 0x80) {
        n++; /* of one character */
    }
    row->trace_level = (ts_text){part.p, n};
    if (n < part.n) {
        row->trace_tag = ts_text_from(part, n);
    }
}

/* --- B, E ---------------------------------------------------------------------------------- */

static void set_chain(ts_row_callstack *row, ts_text name)
{
    ts_text part[3];
    ts_text rest;
    size_t n;
    if (!parse_chain(part, &rest, name)) {
        return;
    }
    n = rest.n > 0 && (rest.p[0] == 'C' || rest.p[0] == 'S');
    if (rest.n < n + 2 || memcmp(rest.p + n, "##", 2) != 0) {
        return;
    }
    row->chainId = part[0];
    row->spanId = part[1];
    row->parentSpanId = part[2];
    row->flag = (ts_text){rest.p, n};
}

static ts_code bad_marker(ftrace_machine *m)
{
    ftrace_stat(m, FTRACE_tracing_mark_write, FTRACE_INVALID);
    m->outcome = FTRACE_INVALID_MARKER;
    m->bad_markers++;
    return TS_OK;
}

/* Programs may write any text, but none that begins with nothing or a control character. */
static ts_code other_marker(ftrace_machine *m, ts_text text)
{
    if (text.n == 0 || (unsigned char)text.p[0] < ' ') {
        return bad_marker(m);
    }
    ftrace_stat(m, FTRACE_tracing_mark_write, FTRACE_INVALID);
    m->outcome = FTRACE_OTHER_MARKER;
    m->other_markers++;
    return TS_OK;
}

static ts_code begin_slice(ftrace_machine *m, const ftrace_event *event, const marker *mark)
{
    ftrace_push_row push = {.text = strip_end(mark->rest), .args = FTRACE_NO_ARGS};
    ftrace_process *process = NULL;
    ftrace_thread *thread = NULL;
    ftrace_slice *slice = NULL;
    int64_t tgid;
    ts_text rest;
    ts_code code =
        mark->tgid != 0
            ? ftrace_thread_named(&thread, &m->threads, event->pid, mark->tgid, event->comm)
            : ftrace_thread_any(&thread, &m->threads, event->pid, event->comm);
    if (code != TS_OK) {
        return code;
    }
    if (push.text.n == 0 && m->compat /* QF-16 */) {
        return bad_marker(m);
    }
    m->empty_names += push.text.n == 0;
    set_chain(&push.row, push.text);
    cut_at(&rest, push.text, '|');
    if (rest.p != NULL) {
        set_level(&push.row, cut_at(&push.row.custom_args, rest, '|'));
    }
    code = ftrace_slice_push(&slice, m, thread, event->ts, &push);
    if (code != TS_OK || push.row.chainId.p != NULL) {
        return code;
    }
    tgid = mark->tgid != 0 ? mark->tgid : ftrace_process_of(event);
    TS_TRY_INTO(code, ftrace_process_seen(&process, &m->threads, tgid, TS_NO_TIME));
    return ftrace_frame_begin(m, event, process, slice, push.text);
}

static void unmatched(ftrace_machine *m)
{
    if (!m->compat /* QF-20, QF-21 */) {
        ftrace_stat(m, FTRACE_tracing_mark_write, FTRACE_NOT_MATCH);
    }
}

/* An end without a beginning: one issue a thread. */
static ts_code note_end(ftrace_machine *m, ftrace_thread *thread)
{
    unmatched(m);
    if (thread->end_noticed) {
        return TS_OK;
    }
    thread->end_noticed = true;
    return ts_issue(m->store, m->source_id, TS_ISSUE_ftrace_end_alone, m->options.stream,
                    TS_NO_OFFSET, "thread %" PRId64 " ends a slice that it did not begin",
                    thread->tid);
}

static ts_code end_slice(ftrace_machine *m, const ftrace_event *event, const marker *mark)
{
    ftrace_thread *thread = NULL;
    ftrace_slice *slice = NULL;
    const ftrace_thread *owner;
    ts_code code = ftrace_thread_seen(&thread, &m->threads, event->pid, mark->tgid);
    TS_TRY_INTO(code, code != TS_OK ? code
                                    : ftrace_slice_find(&slice, m, thread, event->ts,
                                                        FTRACE_CAT_NONE, FTRACE_NAME_OTHER));
    if (slice == NULL) {
        return note_end(m, thread);
    }
    owner = slice->vsync_of;
    code = ftrace_slice_end(m, thread, slice, event->ts);
    return code != TS_OK || owner == NULL ? code : ftrace_frame_end(m, event, owner);
}

/* --- S, F, G, H, C ------------------------------------------------------------------------- */

/* name|number|rest: without the first bar the number is after the last blank. */
static bool parse_named(ts_text *name, int64_t *number, ts_text *rest, ts_text t)
{
    ts_text after;
    ts_text first = cut_at(&after, t, '|');
    if (after.p == NULL) {
        size_t n = first.n;
        while (n > 0 && first.p[n - 1] != ' ') {
            n--;
        }
        if (n == 0) {
            return false;
        }
        after = ts_text_from(first, n);
        first.n = n - 1;
    }
    *name = first;
    return first.n > 0 && ftrace_decimal(number, cut_at(rest, after, '|'));
}

/* H:[a,b,c]#rest is H:rest. The text is in `scratch` then. */
static ts_code plain_name(ts_text *name, ftrace_machine *m)
{
    ts_text part[3];
    ts_text rest;
    ts_code code = TS_OK;
    if (parse_chain(part, &rest, *name)) {
        m->plain.n = 0;
        code = ts_buf_put(m->ctx, &m->plain, "H:", 2);
        TS_STEP(code, ts_buf_put(m->ctx, &m->plain, rest.p, rest.n));
        *name = ts_buf_text(&m->plain);
    }
    return code;
}

/* What is before the last $$ that has something on both sides. */
static ts_text category_of(ts_text name)
{
    for (size_t i = name.n < 3 ? 0 : name.n - 3; i > 0; i--) {
        if (name.p[i] == '$' && name.p[i + 1] == '$') {
            return strip((ts_text){name.p, i});
        }
    }
    return TS_TEXT_NULL;
}

/* used: the slice was not open. */
static ts_code begin_async(bool *used, ftrace_machine *m, const ftrace_event *event,
                           ftrace_async_key *key, ts_text rest)
{
    ts_row_callstack row = {.null = TS_NULL_BIT(callstack, argsetid), .name = key->name};
    ftrace_thread *emitter = NULL;
    ts_code code = TS_OK;
    if (key->group) {
        row.cat = key->category;
        row.null |= TS_NULL_BIT(callstack, parent_id);
        row.null |= m->compat /* QF-14 */ ? 0 : TS_NULL_BIT(callstack, child_callid);
        row.child_callid = FTRACE_NO_ROW;
    } else if ((code = ftrace_thread_any(&emitter, &m->threads, event->pid, TS_TEXT_NULL)) ==
               TS_OK) {
        row.cat = category_of(key->name);
        row.parent_id = emitter->itid;
        row.child_callid = emitter->itid;
        if (rest.p != NULL) {
            set_level(&row, cut_at(&rest, rest, '|'));
        }
        if (rest.p != NULL) {
            row.custom_category = cut_at(&row.custom_args, rest, '|');
        }
    }
    TS_STEP(code, ftrace_async_begin(used, m, key, event->ts, &row));
    if (code != TS_OK || *used) {
        return code;
    }
    unmatched(m);
    return ts_issue(m->store, m->source_id, TS_ISSUE_ftrace_begun_twice, m->options.stream,
                    TS_NO_OFFSET, "an asynchronous slice with cookie %" PRId64 " is open already",
                    key->cookie);
}

static ts_code end_async(bool *used, ftrace_machine *m, const ftrace_event *event,
                         const ftrace_async_key *key)
{
    ts_code code = ftrace_async_end(used, m, key, event->ts);
    return code != TS_OK || *used ? code : note_end(m, key->owner);
}

static ts_code async(ftrace_machine *m, const ftrace_event *event, const marker *mark)
{
    ftrace_async_key key = {.group = mark->letter == 'G' || mark->letter == 'H'};
    bool begins = mark->letter == 'S' || mark->letter == 'G';
    ts_text rest = mark->rest;
    ts_text last;
    bool valid = true;
    bool used = false;
    ts_code code;
    if (key.group) {
        key.category = cut_at(&rest, rest, '|');
        key.name = rest.p == NULL ? rest : cut_at(&rest, rest, '|');
        valid = rest.p != NULL && ftrace_decimal(&key.cookie, cut_at(&last, rest, '|'));
    } else {
        valid = parse_named(&key.name, &key.cookie, &rest, rest);
    }
    if (!valid) {
        return bad_marker(m);
    }
    code = key.group ? TS_OK : plain_name(&key.name, m);
    TS_STEP(code, ftrace_thread_any(&key.owner, &m->threads, mark->tgid, TS_TEXT_NULL));
    if (code != TS_OK) {
        return code;
    }
    code = begins ? begin_async(&used, m, event, &key, rest) : end_async(&used, m, event, &key);
    m->outcome = begins && !used ? FTRACE_WRONG : m->outcome;
    TS_STEP_IF(code, used && !key.group && ts_text_is(key.name, "H:M: Frame queued"),
               ftrace_frame_queued(m, event->ts, key.owner, begins));
    return code;
}

static ts_code counter(ftrace_machine *m, const ftrace_event *event, const marker *mark)
{
    ftrace_process *process = NULL;
    ts_text name;
    ts_text rest;
    int64_t value = 0;
    int64_t filter = 0;
    ts_code code;
    if (!parse_named(&name, &value, &rest, mark->rest)) {
        return bad_marker(m);
    }
    code = plain_name(&name, m);
    TS_STEP(code, ftrace_process_seen(&process, &m->threads, mark->tgid, TS_NO_TIME));
    if (code != TS_OK) {
        return code;
    }
    process->has_memory = true;
    TS_TRY_INTO(code, ts_filter(&filter, m->store, TS_FILTER_PROCESS, process->ipid, name));
    return ftrace_value_put(m, TS_T_process_measure, filter, event->ts, value);
}

/* --- all ----------------------------------------------------------------------------------- */

static bool parse_marker(marker *mark, ts_text t)
{
    static const char letters[] = {'B', 'E', 'C', 'S', 'F', 'G', 'H'};
    size_t at = 2;
    int64_t tgid = 0;
    *mark = (marker){0};
    if (t.n > 0 && t.p[t.n - 1] == '\n') {
        t.n--;
    }
    if (t.n == 0 || memchr(letters, t.p[0], sizeof letters) == NULL) {
        return false;
    }
    mark->letter = t.p[0];
    if (t.n == 1) {
        return mark->letter == 'E';
    }
    if (t.p[1] != '|' && t.p[1] != '\n') {
        return false;
    }
    while (at < t.n && ts_is_digit(t.p[at])) {
        tgid = tgid > INT32_MAX ? tgid : tgid * 10 + (t.p[at] - '0');
        at++;
    }
    if (at < t.n && t.p[at] != '|' && t.p[at] != '\n') {
        tgid = 0;
    }
    while (at < t.n && t.p[at] != '|') {
        at++;
    }
    mark->tgid = tgid > INT32_MAX ? 0 : tgid;
    if (at < t.n) {
        mark->rest = ts_text_from(t, at + 1);
    }
    return true;
}

static ts_code use_marker(ftrace_machine *m, const ftrace_event *event, const marker *mark)
{
    switch (mark->letter) {
    case 'B':
        return begin_slice(m, event, mark);
    case 'E':
        return end_slice(m, event, mark);
    case 'C':
        return counter(m, event, mark);
    default:
        return async(m, event, mark);
    }
}

ts_code ftrace_marker(ftrace_machine *m, const ftrace_event *event)
{
    ts_text text = event->text[FTRACE_T_print_buf];
    ftrace_process *process;
    marker mark;
    ts_code code;
    TS_TRY_INTO(code, ftrace_clean(&text, m));
    if (ts_text_begins(text, "trace_event_clock_sync") || !parse_marker(&mark, text)) {
        return other_marker(m, text);
    }
    if (mark.tgid != 0) {
        code = ftrace_process_seen(&process, &m->threads, mark.tgid, event->ts);
    }
    if (code == TS_OK && mark.rest.p == NULL && mark.letter != 'E') {
        return bad_marker(m);
    }
    return code != TS_OK ? code : use_marker(m, event, &mark);
}
