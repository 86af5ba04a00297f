/* The heap side of a session: chunks become snapshots and timelines. */
#include "parsers/arkts/session/session_state.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_timeline(const ts_session *s, int64_t mark)
{
    if (s->configs.has_type && s->configs.type == TS_HEAP_TIMELINE && mark != 1) {
        return true;
    }
    if (s->configs.has_type && s->configs.type == TS_HEAP_SNAPSHOT && mark != 2) {
        return false;
    }
    return ts_heap_has_samples(s->heap);
}

ts_code session_open_heap(ts_session *s)
{
    bool timeline = s->configs.has_type && s->configs.type == TS_HEAP_TIMELINE;
    char label[32];
    char file[48];
    snprintf(label, sizeof label, "%s", "Timeline");
    if (!timeline) {
        snprintf(label, sizeof label, "Snapshot%" PRIu64,
                 ts_sink_rows(ts_store_sink(s->store), TS_T_js_heap_files));
    }
    snprintf(file, sizeof file, "%s.%s", label, timeline ? "heaptimeline" : "heapsnapshot");
    TS_TRY(ts_heap_begin(s->heap, s->job->source_id, label, "heapsnapshot"));
    ts_heap_chunk_begin(s->heap);
    s->heaps.count++;
    s->heaps.start_pending = true;
    s->heaps.has_start = false;
    s->heaps.has_last = false;
    ts_heap_at(s->heap, s->now.offset);
    return extract_begin(s->job, &s->heaps.file, file);
}

static ts_code check_mode(ts_session *s, int64_t mark, bool timeline)
{
    if (mark == 0 || !s->configs.has_type || (s->configs.type == TS_HEAP_TIMELINE) == timeline) {
        return TS_OK;
    }
    return ts_issue(s->store, s->job->source_id, TS_ISSUE_mark_wrong_mode, "arkts-plugin",
                    s->now.offset, "the configured heap type is %" PRId64 " but the data is a %s",
                    s->configs.type, timeline ? "timeline" : "snapshot");
}

/* The bars of a timeline are drawn no further than the trace goes. */
static void note_samples(ts_session *s, const ts_heap_end *end)
{
    int64_t ns;
    if (end->timeline && !end->marked &&
        !ts_ckd_mul(&ns, ts_heap_last_sample_us(s->heap), INT64_C(1000))) {
        ts_range_note(s->store, end->clock, TS_RANGE_ROWS, ts_time_add(end->start_ts, ns));
    }
}

/* mark: the id of the end mark, 0 when there is none. */
ts_code session_close_heap(ts_session *s, bool has_end, int64_t end_ts, int64_t mark)
{
    bool timeline = is_timeline(s, mark);
    ts_heap_end end = {.timeline = timeline, .marked = mark != 0};
    bool complete;
    ts_code code;
    TS_TRY_INTO(code, check_mode(s, mark, timeline));
    if (timeline && s->heaps.has_timeline_start) {
        end.start_ts = session_time(s, &end.clock, s->heaps.timeline_start);
        end.has_start = end.start_ts != TS_NO_TIME;
    } else if (s->heaps.has_start) {
        end.start_ts = session_time(s, &end.clock, s->heaps.start_ts);
        end.has_start = end.start_ts != TS_NO_TIME;
    }
    if (timeline && !s->heaps.has_timeline_start) {
        code = ts_issue(s->store, ts_heap_source(s->heap), TS_ISSUE_timeline_no_start, "Timeline",
                        s->now.offset, "no start mark; the first chunk's time was taken");
    }
    if (has_end) {
        ts_heap_chunk_time(s->heap, true, end_ts);
    } else if (ts_heap_complete(s->heap) && s->heaps.has_last) {
        has_end = true; /* it ended no earlier; viewers hide a file without an end */
        end_ts = s->heaps.last_ts;
    }
    if (has_end) {
        end.end_ts = session_time(s, &end.clock, end_ts);
        end.has_end = end.end_ts != TS_NO_TIME;
        ts_range_note(s->store, end.clock, TS_RANGE_ROWS, end.end_ts);
    }
    if (end.has_start) {
        ts_range_note(s->store, end.clock, TS_RANGE_ROWS, end.start_ts);
        note_samples(s, &end);
    }
    s->heaps.has_timeline_start = false;
    s->heaps.has_start = false;
    s->heaps.start_pending = false;
    complete = ts_heap_complete(s->heap);
    session_config_note_heap(&s->configs, timeline);
    TS_STEP(code, ts_heap_finish(s->heap, &end));
    return code != TS_OK ? code : extract_end(s->job, &s->heaps.file, complete);
}

/* --- text whose beginning is lost ----------------------------------------------------------- */

static bool is_member(const char *p, size_t n)
{
    static const char *const members[] = {
        "snapshot",  "nodes", "edges", "locations", "samples", "strings", "trace_function_infos",
        "trace_tree"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (ts_text_is((ts_text){p, n}, members[i])) {
            return true;
        }
    }
    return false;
}

/*
 * One byte of passed-over text. True when it completes {"member": inside a JSON string the quotes
 * would be escaped, so that this can only be the beginning of a snapshot.
 */
static bool find_start(start_finder *f, char c)
{
    if (c == '{') {
        f->n = 0;
    } else if (f->n == 1 && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
        return false;
    } else if (f->n == 0 || f->n == sizeof f->text || (f->n == 1 && c != '"')) {
        f->n = 0;
        return false;
    }
    f->text[f->n++] = c;
    if (c != '"' || f->n < 3) {
        return false;
    }
    if (is_member(f->text + 2, f->n - 3)) {
        return true;
    }
    f->n = 0;
    return false;
}

static ts_code feed_heap(ts_session *s, const char *p, size_t n);

static ts_code skip_text(ts_session *s, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (find_start(&s->heaps.finder, p[i])) {
            size_t begun = s->heaps.finder.n;
            size_t here = begun < i + 1 ? begun : i + 1; /* the rest of it came with earlier text */
            s->heaps.finder.n = 0;
            s->heaps.lost = false;
            s->text_bytes->lost += i + 1 - here;
            s->text_bytes->lost -= begun - here;
            TS_TRY(session_open_heap(s));
            TS_TRY(feed_heap(s, s->heaps.finder.text, begun));
            return feed_heap(s, p + i + 1, n - i - 1);
        }
    }
    s->text_bytes->lost += n;
    return TS_OK;
}

static size_t leading_blanks(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && (p[i] == ' ' || p[i] == '\n' || p[i] == '\r' || p[i] == '\t')) {
        i++;
    }
    return i;
}

static ts_code feed_heap(ts_session *s, const char *p, size_t n)
{
    ts_code code = TS_OK;
    while (n > 0 && code == TS_OK) {
        uint64_t before;
        uint64_t taken;
        size_t used;
        if (!ts_heap_is_open(s->heap) && (code = session_open_heap(s)) != TS_OK) {
            break;
        }
        before = ts_heap_taken(s->heap);
        code = ts_heap_feed(s->heap, &used, p, n);
        taken = ts_heap_taken(s->heap) - before;
        TS_STEP(code, extract_write(s->job, &s->heaps.file, true, p, used));
        s->text_bytes->imported += taken;
        s->text_bytes->lost += used - taken; /* may take back a byte order mark */
        p += used;
        n -= used;
        if (code == TS_OK && n > 0) { /* the snapshot is complete and another one begins */
            code = ts_issue(s->store, ts_heap_source(s->heap), TS_ISSUE_second_document, NULL,
                            s->now.offset, "another snapshot begins without an end mark");
            TS_STEP(code, session_close_heap(s, false, 0, 0));
        }
    }
    return code;
}

void session_chunk_begin(ts_session *s)
{
    if (ts_heap_is_open(s->heap)) {
        ts_heap_chunk_begin(s->heap);
    }
}

ts_code session_chunk_text(ts_session *s, const char *p, size_t n)
{
    s->text_bytes->seen += n;
    if (s->heaps.lost) {
        return skip_text(s, p, n);
    }
    if (!ts_heap_is_open(s->heap)) {
        size_t blanks = leading_blanks(p, n);
        s->text_bytes->skipped += blanks;
        p += blanks;
        n -= blanks;
    }
    return feed_heap(s, p, n);
}
