/*
 * frame_slice, frame_maps and gpu_slice, from the texts of markers.
 *
 * A frame begins with H:ReceiveVsync or H:OnVsyncEvent and is the last of its thread's list. Later
 * markers find it by a key (thread and `now`) or by a number (thread and transaction): a thread of
 * the render service that processes commands shows the frames with these numbers. A frame leaves
 * the list when it has ended and has a number, when it is one of the render service, or when events
 * were lost; it is released, and its rows go to the sorter, when no number leads to it any more.
 * `numbers` counts those.
 *
 * Rows are sorted by the number that a frame got when it began, which is the order of ids: pairs of
 * frames refer to rows by it before those are written. Numbers in texts are saturated, and times of
 * markers are converted from the monotonic clock when the clocks are known.
 */
#include "parsers/ftrace/rows/ftrace_state.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/lanes.h"

#include <inttypes.h>
#include <stdio.h>

enum { FRAME_ROWS_MEMORY = 8 << 20, ABNORMAL_NS = 1000000 };
enum { FLAG_NONE = -1, FLAG_IN_TIME = 0, FLAG_LATE = 1, FLAG_UNUSED = 2, FLAG_ABNORMAL = 3 };

/* A row of frame_slice to be. */
typedef struct frame_row {
    uint64_t number;
    int64_t ts;
    int64_t dur;   /* TS_NO_TIME: not known */
    int64_t vsync; /* 0: not known */
    int64_t call;  /* -1: it has no row */
    int64_t dst;   /* -1: none */
    uint32_t ipid;
    uint32_t itid;
    int32_t flag;
    uint16_t expected; /* 1: what was expected */
    uint16_t lost;     /* 1: its end may be */
} frame_row;

/* Two frames, one of which shows the other. */
typedef struct frame_pair {
    uint64_t target;
    uint64_t number; /* in the order of coming */
    uint64_t source;
} frame_pair;

struct ftrace_frame {
    ftrace_thread *thread;
    ftrace_frame *before, *after; /* in the list of the thread */
    ftrace_frame *key_before, *key_behind;
    ftrace_frame *key_last; /* of the first one with a key */
    frame_row actual;
    frame_row expected;
    int64_t key;
    int64_t expected_end;
    int64_t queued;
    uint64_t queued_event; /* its number (ftrace_losses) */
    size_t place;          /* in `all` */
    uint32_t numbers;      /* under so many numbers it is known */
    bool has_key, has_expected, has_number, has_queued;
    bool listed, render, vsync_ended, ended, gpu_waits;
};

/* --- lists --------------------------------------------------------------------------------- */

static ftrace_key key_of(const ftrace_machine *m, const ftrace_thread *thread, int64_t number)
{
    return ftrace_key_of(m->ctx, thread->itid, number, TS_TEXT_NULL, TS_TEXT_NULL);
}

static ftrace_frame *frame_at(const ftrace_open *open, ftrace_key key)
{
    return (ftrace_frame *)(uintptr_t)ftrace_open_find(open, key);
}

static ts_code drop_key(ftrace_machine *m, ftrace_frame *frame)
{
    ftrace_key key;
    ftrace_frame *first;
    if (!frame->has_key) {
        return TS_OK;
    }
    frame->has_key = false;
    key = key_of(m, frame->thread, frame->key);
    first = frame_at(&m->frames.keys, key);
    if (frame->key_behind != NULL) {
        frame->key_behind->key_before = frame->key_before;
    } else {
        first->key_last = frame->key_before;
    }
    if (frame->key_before != NULL) {
        frame->key_before->key_behind = frame->key_behind;
        return TS_OK;
    }
    if (frame->key_behind == NULL) {
        ftrace_open_remove(&m->frames.keys, key);
        return TS_OK;
    }
    frame->key_behind->key_last = frame->key_last;
    return ftrace_open_put(m->ctx, &m->frames.keys, key, (uintptr_t)frame->key_behind);
}

/* The frame is the last one of its list. */
static ts_code set_key(ftrace_machine *m, ftrace_frame *frame, int64_t value)
{
    ts_code code = drop_key(m, frame);
    ftrace_key key = key_of(m, frame->thread, value);
    ftrace_frame *first = frame_at(&m->frames.keys, key);
    frame->has_key = true;
    frame->key = value;
    frame->key_before = first == NULL ? NULL : first->key_last;
    frame->key_behind = NULL;
    if (code == TS_OK && first == NULL) {
        frame->key_last = frame;
        code = ftrace_open_put(m->ctx, &m->frames.keys, key, (uintptr_t)frame);
        frame->has_key = code == TS_OK;
    } else if (code == TS_OK) {
        first->key_last->key_behind = frame;
        first->key_last = frame;
    }
    return code;
}

static ts_code add_row(ftrace_machine *m, const frame_row *row)
{
    static const ts_sorter_order order = {.key_offset = offsetof(frame_row, number),
                                          .key_count = 1};
    return ts_sorter_put(&m->frames.rows, m->ctx, row, sizeof *row, &order, FRAME_ROWS_MEMORY);
}

/* Nothing can change in the frame any more. */
static ts_code release(ftrace_machine *m, ftrace_frame *frame)
{
    ftrace_frame **all = m->frames.all.p;
    ts_code code = add_row(m, &frame->actual);
    TS_STEP_IF(code, frame->has_expected, add_row(m, &frame->expected));
    all[frame->place] = all[--m->frames.all.n];
    all[frame->place]->place = frame->place;
    ts_free(m->ctx, frame);
    return code;
}

/* Takes the frame off the list of its thread. */
static ts_code leave(ftrace_machine *m, ftrace_frame *frame)
{
    ftrace_thread_frames *list = frame->thread->frames;
    ts_code code = drop_key(m, frame);
    frame->listed = false;
    *(frame->before == NULL ? &list->first : &frame->before->after) = frame->after;
    *(frame->after == NULL ? &list->last : &frame->after->before) = frame->before;
    return code != TS_OK || frame->numbers > 0 ? code : release(m, frame);
}

static ts_code drop_number(ftrace_machine *m, ftrace_frame *frame)
{
    frame->numbers--;
    return frame->numbers > 0 || frame->listed ? TS_OK : release(m, frame);
}

/* The frame is known under the number of the thread from now on. */
static ts_code set_number(ftrace_machine *m, ftrace_frame *frame, const ftrace_thread *thread,
                          int64_t number)
{
    ftrace_key key = key_of(m, thread, number);
    ftrace_frame *other = frame_at(&m->frames.numbered, key);
    ts_code code = TS_OK;
    frame->has_number = true;
    if (other == frame) {
        return TS_OK;
    }
    frame->numbers++;
    code = ftrace_open_put(m->ctx, &m->frames.numbered, key, (uintptr_t)frame);
    return code != TS_OK || other == NULL ? code : drop_number(m, other);
}

static frame_row new_row(ftrace_machine *m, int64_t ts, const ftrace_process *process,
                         const ftrace_thread *thread, const ftrace_slice *slice)
{
    return (frame_row){.number = m->frames.count++,
                       .ts = ts,
                       .dur = TS_NO_TIME,
                       .call = slice->row - 1,
                       .dst = -1,
                       .ipid = (uint32_t)process->ipid,
                       .itid = (uint32_t)thread->itid,
                       .flag = FLAG_NONE};
}

static ftrace_frame *last_frame(const ftrace_thread *thread)
{
    return thread->frames == NULL ? NULL : thread->frames->last;
}

/* Most threads make no frames. */
static ts_code need_frames(ftrace_machine *m, ftrace_thread *thread)
{
    if (thread->frames == NULL) {
        thread->frames = ts_zalloc(m->ctx, 1, sizeof *thread->frames);
    }
    return thread->frames == NULL ? m->ctx->error.code : TS_OK;
}

/* The thread has its list. */
static ts_code add_frame(ftrace_frame **out, ftrace_machine *m, ftrace_thread *thread)
{
    ftrace_thread_frames *list = thread->frames;
    ftrace_frame **slot = ts_vec_add(m->ctx, &m->frames.all, sizeof *slot);
    ftrace_frame *frame = slot == NULL ? NULL : ts_zalloc(m->ctx, 1, sizeof *frame);
    if (frame == NULL) {
        m->frames.all.n -= slot != NULL;
        return m->ctx->error.code;
    }
    *slot = frame;
    frame->place = m->frames.all.n - 1;
    frame->thread = thread;
    frame->listed = true;
    frame->before = list->last;
    *(list->last == NULL ? &list->first : &list->last->after) = frame;
    list->last = frame;
    *out = frame;
    return TS_OK;
}

/* --- numbers in texts ---------------------------------------------------------------------- */

static bool is_digit(const ts_text *t, size_t at)
{
    return at < t->n && ts_is_digit(t->p[at]);
}

/* Digits at *at, which moves after them. A number beyond 64 bits is the largest one. */
static bool read_number(int64_t *out, const ts_text *t, size_t *at)
{
    int64_t n = 0;
    if (!is_digit(t, *at)) {
        return false;
    }
    for (; is_digit(t, *at); (*at)++) {
        n = ts_sat_add(ts_sat_mul(n, 10), t->p[*at] - '0');
    }
    *out = n;
    return true;
}

static bool read_text(const ts_text *t, size_t *at, const char *text)
{
    bool is = ts_text_begins(ts_text_from(*t, *at), text);
    *at += is ? strlen(text) : 0;
    return is;
}

/* [a,b] at *at, which moves after it when it is there. */
static bool read_pair(int64_t pair[2], const ts_text *t, size_t *at)
{
    size_t i = *at;
    if (!read_text(t, &i, "[") || !read_number(&pair[0], t, &i) || !read_text(t, &i, ",") ||
        !read_number(&pair[1], t, &i) || !read_text(t, &i, "]")) {
        return false;
    }
    *at = i;
    return true;
}

static bool is_word(char c)
{
    return c == '_' || ts_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The number after `key:`; the last one counts, 0: there is none. */
static int64_t value_of(const ts_text *t, const char *key)
{
    size_t n = strlen(key);
    int64_t value = 0;
    for (size_t at = 0; at + n < t->n; at++) {
        size_t after = at + n + 1;
        if (t->p[at + n] == ':' && memcmp(t->p + at, key, n) == 0 &&
            (at == 0 || !is_word(t->p[at - 1]))) {
            read_number(&value, t, &after);
        }
    }
    return value;
}

/* --- beginnings ---------------------------------------------------------------------------- */

static void count_vsync_row(ftrace_thread *thread, ftrace_slice *slice)
{
    thread->frames->vsync_rows++;
    slice->vsync_of = thread;
}

static int64_t to_trace_clock(const ftrace_machine *m, int64_t mono)
{
    int64_t ts = mono;
    if (m->options.clocks != NULL) {
        ts_clock_convert(&ts, m->options.clocks, TS_CLOCK_MONOTONIC, m->options.clock, mono);
    }
    return ts;
}

static ts_code note_vsync(ftrace_machine *m, ftrace_thread_frames *f, int64_t number, int64_t end)
{
    if (f->vsyncs == NULL) {
        TS_NEED(m->ctx, f->vsyncs = ts_zalloc(m->ctx, FTRACE_VSYNCS, sizeof *f->vsyncs));
    }
    f->vsyncs[f->vsync_count++ % FTRACE_VSYNCS] = (ftrace_vsync){number, end};
    return TS_OK;
}

/* H:ReceiveVsync */
static ts_code receive(ftrace_machine *m, const ftrace_event *event, ftrace_process *process,
                       ftrace_thread *thread, ftrace_slice *slice, ts_text args)
{
    int64_t now = value_of(&args, "now");
    int64_t end = value_of(&args, "expectedEnd");
    int64_t vsync = value_of(&args, "vsyncId");
    ftrace_frame *frame = NULL;
    m->frames.vsync++;
    if (now == 0 || end == 0 || vsync == 0) {
        return TS_OK;
    }
    TS_TRY(need_frames(m, thread));
    TS_TRY(add_frame(&frame, m, thread));
    frame->actual = new_row(m, event->ts, process, thread, slice);
    frame->actual.vsync = vsync;
    frame->expected = new_row(m, to_trace_clock(m, now), process, thread, slice);
    frame->expected.vsync = vsync;
    frame->expected.dur = end - now;
    frame->expected.expected = 1;
    frame->has_expected = true;
    frame->expected_end = to_trace_clock(m, end);
    count_vsync_row(thread, slice);
    TS_TRY(set_key(m, frame, now));
    return note_vsync(m, thread->frames, vsync, frame->expected_end);
}

/* H:OnVsyncEvent */
static ts_code on_vsync(ftrace_machine *m, const ftrace_event *event, ftrace_process *process,
                        ftrace_thread *thread, ftrace_slice *slice)
{
    ftrace_frame *frame = NULL;
    TS_TRY(need_frames(m, thread));
    if (event->pid != process->pid) {
        TS_TRY(add_frame(&frame, m, thread));
        frame->actual = new_row(m, event->ts, process, thread, slice);
    }
    if (thread->frames->vsync_rows < 2) {
        count_vsync_row(thread, slice);
    }
    return TS_OK;
}

/* H:UIVsyncTask[timestamp:T][vsyncID:V] */
static ts_code vsync_task(ftrace_machine *m, ftrace_process *process, ftrace_thread *thread,
                          ts_text prefix)
{
    ftrace_frame *frame = last_frame(thread);
    ftrace_thread *main_thread = NULL;
    const ftrace_thread_frames *f;
    size_t at = 0;
    int64_t key;
    int64_t vsync;
    ts_code code;
    if (frame == NULL || !read_text(&prefix, &at, "H:UIVsyncTask[timestamp:") ||
        !read_number(&key, &prefix, &at) || !read_text(&prefix, &at, "][vsyncID:") ||
        !read_number(&vsync, &prefix, &at) || !read_text(&prefix, &at, "]")) {
        return TS_OK;
    }
    code = ftrace_thread_seen(&main_thread, &m->threads, process->pid, process->pid);
    TS_TRY_INTO(code, code != TS_OK ? code : set_key(m, frame, key));
    frame->actual.vsync = vsync;
    frame->expected_end = 0;
    f = main_thread->frames;
    for (uint64_t i = 0; f != NULL && i < f->vsync_count && i < FTRACE_VSYNCS; i++) {
        const ftrace_vsync *v = &f->vsyncs[(f->vsync_count - 1 - i) % FTRACE_VSYNCS];
        if (v->number == vsync) {
            frame->expected_end = v->end;
            break;
        }
    }
    return TS_OK;
}

/* transactionFlag:[P,F], or [P,F],tid:X,timestamp:T */
static bool read_flag(int64_t value[4], bool *has_thread, const ts_text *t)
{
    for (size_t i = 0; i < t->n; i++) {
        size_t at = i;
        if (!read_text(t, &at, "transactionFlag:") || !read_pair(value, t, &at)) {
            continue;
        }
        *has_thread = read_text(t, &at, ",tid:") && read_number(&value[2], t, &at) &&
                      read_text(t, &at, ",timestamp:") && read_number(&value[3], t, &at);
        return true;
    }
    return false;
}

/* H:MarshRSTransactionData */
static ts_code marshal(ftrace_machine *m, ftrace_thread *thread, ts_text args)
{
    int64_t value[4];
    bool has_thread = false;
    ftrace_thread *owner = NULL;
    ftrace_frame *frame = last_frame(thread);
    ts_code code = TS_OK;
    if (!read_flag(value, &has_thread, &args)) {
        return TS_OK;
    }
    if (has_thread) {
        code = ftrace_thread_any(&owner, &m->threads, value[2], TS_TEXT_NULL);
        TS_STEP(code, ftrace_slices_check(m, owner));
        frame = code == TS_OK ? frame_at(&m->frames.keys, key_of(m, owner, value[3])) : NULL;
    } else if (frame != NULL && frame->ended) {
        frame = NULL;
    }
    if (code != TS_OK || frame == NULL) {
        return code;
    }
    code = ftrace_thread_any(&owner, &m->threads, value[0], TS_TEXT_NULL);
    TS_STEP(code, set_number(m, frame, owner, value[1]));
    TS_STEP_IF(code, has_thread && frame->ended, leave(m, frame));
    return code;
}

/* --- frames that show others --------------------------------------------------------------- */

static ts_code join(ftrace_machine *m, frame_row *source, const frame_row *target)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    const frame_pair pair = {target->number, m->frames.pairs++, source->number};
    const ts_row_frame_maps row = {
        .id = (int64_t)ts_sink_rows(m->sink, TS_T_frame_maps),
        .src_row = (int64_t)(m->frames.base + source->number),
        .dst_row = (int64_t)(m->frames.base + target->number),
    };
    source->dst = (int64_t)target->number;
    TS_TRY(ts_sorter_put(&m->frames.joined, m->ctx, &pair, sizeof pair, &order, FRAME_ROWS_MEMORY));
    return ts_put_frame_maps(m->sink, &row);
}

static ts_code show(ftrace_machine *m, ftrace_frame *frame, ftrace_frame *other)
{
    int64_t end;
    int64_t distance;
    ts_code code = join(m, &other->actual, &frame->actual);
    if (code != TS_OK || !other->has_expected || !frame->has_expected) {
        return code;
    }
    code = join(m, &other->expected, &frame->expected);
    end = ts_time_add(other->expected.ts, other->expected.dur);
    if (end == TS_NO_TIME || ts_ckd_sub(&distance, frame->expected.ts, end) ||
        distance >= ABNORMAL_NS || distance <= -ABNORMAL_NS) {
        frame->actual.flag = FLAG_ABNORMAL;
    }
    return code;
}

/* H:RSMainThread::ProcessCommandUni */
static ts_code process_commands(ftrace_machine *m, ftrace_thread *thread, ts_text args)
{
    ftrace_frame *frame = last_frame(thread);
    ts_code code = TS_OK;
    if (frame == NULL || frame->vsync_ended) {
        return TS_OK;
    }
    for (size_t at = 0; at < args.n && code == TS_OK;) {
        ftrace_thread *owner = NULL;
        ftrace_frame *other;
        int64_t pair[2];
        if (!read_pair(pair, &args, &at)) {
            at++;
            continue;
        }
        code = ftrace_thread_any(&owner, &m->threads, pair[0], TS_TEXT_NULL);
        other = code == TS_OK ? frame_at(&m->frames.numbered, key_of(m, owner, pair[1])) : NULL;
        if (other == NULL) {
            continue;
        }
        code = show(m, frame, other);
        if (code == TS_OK && other->ended) {
            ftrace_open_remove(&m->frames.numbered, key_of(m, owner, pair[1]));
            code = drop_number(m, other);
        }
    }
    return code;
}

ts_code ftrace_frame_begin(ftrace_machine *m, const ftrace_event *event, ftrace_process *process,
                           ftrace_slice *slice, ts_text name)
{
    static const char kinds[] = {'R', 'O', 'U', 'M'}; /* the third letter of what is looked for */
    const char *blank = name.n < 2 ? NULL : memchr(name.p, ' ', name.n);
    ts_text prefix = {name.p, blank == NULL ? name.n : (size_t)(blank - name.p)};
    ts_text args = {name.p + prefix.n, name.n - prefix.n};
    ftrace_thread *thread = NULL;
    ts_code code = TS_OK;
    if (prefix.n < 12 || memchr(kinds, prefix.p[2], sizeof kinds) == NULL ||
        (code = ftrace_thread_any(&thread, &m->threads, event->pid, TS_TEXT_NULL)) != TS_OK ||
        (code = ftrace_slices_check(m, thread)) != TS_OK) {
        return code;
    }
    if (ts_text_is(prefix, "H:ReceiveVsync")) {
        return receive(m, event, process, thread, slice, args);
    }
    if (ts_text_is(prefix, "H:OnVsyncEvent")) {
        return on_vsync(m, event, process, thread, slice);
    }
    if (ts_text_begins(prefix, "H:UIVsyncTask")) {
        return event->pid == process->pid ? TS_OK : vsync_task(m, process, thread, prefix);
    }
    if (ts_text_is(prefix, "H:MarshRSTransactionData")) {
        return marshal(m, thread, args);
    }
    if (ts_text_is(prefix, "H:RSMainThread::ProcessCommandUni")) {
        return process_commands(m, thread, args);
    }
    if (ts_text_begins(prefix, "H:RSMainThread::DoComposition")) {
        m->frames.compositions++;
        if (last_frame(thread) != NULL) {
            last_frame(thread)->render = true;
        }
    }
    return TS_OK;
}

/* --- ends ---------------------------------------------------------------------------------- */

static void end_frame(ftrace_frame *frame, int64_t ts)
{
    frame_row *row = &frame->actual;
    frame->ended = true;
    row->dur = ftrace_time_between(row->ts, ts);
    if (row->flag != FLAG_ABNORMAL) {
        row->flag = frame->expected_end >= ts ? FLAG_IN_TIME : FLAG_LATE;
    }
}

ts_code ftrace_frame_end(ftrace_machine *m, const ftrace_event *event, const ftrace_thread *owner)
{
    ftrace_thread *thread = NULL;
    ftrace_frame *frame;
    ts_code code = ftrace_thread_any(&thread, &m->threads, event->pid, TS_TEXT_NULL);
    TS_STEP(code, ftrace_slices_check(m, thread));
    if (code != TS_OK || thread != owner) {
        return code;
    }
    thread->frames->vsync_rows--;
    frame = thread->frames->last;
    if (frame == NULL) {
        m->frames.vsync_alone++;
        return TS_OK;
    }
    frame->vsync_ended = true;
    if (frame->render) {
        if (frame->gpu_waits) {
            return TS_OK;
        }
        end_frame(frame, event->ts);
        return leave(m, frame);
    }
    if (frame->ended) {
        m->frames.vsync_alone++;
        return TS_OK;
    }
    end_frame(frame, event->ts);
    return frame->has_number ? leave(m, frame) : TS_OK;
}

ts_code ftrace_frame_queued(ftrace_machine *m, int64_t ts, ftrace_thread *thread, bool begins)
{
    ts_row_gpu_slice row = {.id = (int64_t)ts_sink_rows(m->sink, TS_T_gpu_slice)};
    ts_code code = ftrace_slices_check(m, thread);
    ftrace_frame *frame;
    bool lost;
    if (code != TS_OK) {
        return code;
    }
    frame = thread->frames == NULL ? NULL : thread->frames->first;
    m->frames.queued += begins;
    if (frame == NULL) {
        m->frames.queued_alone += !begins;
        return TS_OK;
    }
    if (begins) {
        frame->queued = ts;
        frame->queued_event = m->losses.now;
        frame->has_queued = true;
        frame->gpu_waits = true;
        return TS_OK;
    }
    row.frame_row = (int64_t)(m->frames.base + frame->actual.number);
    lost = frame->has_queued && ftrace_lost(m) > frame->queued_event;
    if (lost || !frame->has_queued || ts < frame->queued ||
        ts_ckd_sub(&row.dur, ts, frame->queued)) {
        row.dur = ts_sat_add(ts, 1);
        row.null |= m->compat /* QF-35 */ ? 0 : TS_NULL_BIT(gpu_slice, dur);
    }
    code = ts_put_gpu_slice(m->sink, &row);
    frame->gpu_waits = false;
    if (code != TS_OK || !frame->vsync_ended) {
        return code;
    }
    if (!lost) {
        end_frame(frame, ts);
    }
    frame->actual.lost = lost;
    return leave(m, frame);
}

ts_code ftrace_frames_forget(ftrace_machine *m, const ftrace_thread *thread)
{
    ts_code code = TS_OK;
    while (thread->frames->last != NULL && code == TS_OK) {
        thread->frames->last->actual.lost = !thread->frames->last->ended;
        code = leave(m, thread->frames->last);
    }
    return code;
}

/* --- lanes --------------------------------------------------------------------------------- */

/* Of each process and kind: its lanes. */
static ts_code lane_of(int64_t *lane, ftrace_machine *m, const frame_row *row)
{
    uint64_t owner = (uint64_t)row->ipid << 1 | row->expected;
    ftrace_key key = ftrace_key_of(m->ctx, (int64_t)owner, 0, TS_TEXT_NULL, TS_TEXT_NULL);
    uint64_t place = ftrace_open_find(&m->frames.keys, key);
    int64_t end = ts_time_add(row->ts, row->dur);
    if (row->lost) {
        end = row->ts;
    } else if (end == TS_NO_TIME) {
        end = m->compat /* QF-32 */ ? ts_sat_add(row->ts, -1) : INT64_MAX;
    }
    if (place == 0) {
        ts_lanes *added = ts_vec_add(m->ctx, &m->frames.lanes, sizeof *added);
        TS_NEED(m->ctx, added);
        place = m->frames.lanes.n;
        TS_TRY(ftrace_open_put(m->ctx, &m->frames.keys, key, place));
    }
    return ts_lanes_take(lane, m->ctx, (ts_lanes *)m->frames.lanes.p + (place - 1), row->ts, end);
}

/* --- the end ------------------------------------------------------------------------------- */

/* Frames that were not used: those before the first one of the render service in each list. */
static void flag_unused(ftrace_machine *m)
{
    for (size_t i = 0; i < m->threads.threads.n; i++) {
        const ftrace_thread_frames *list = ftrace_thread_at(&m->threads, i)->frames;
        ftrace_frame *frame = list == NULL ? NULL : list->first;
        for (; frame != NULL && !frame->render; frame = frame->after) {
            frame->actual.flag = FLAG_UNUSED;
            frame->expected.flag = FLAG_UNUSED;
        }
    }
}

/* The numbers of the frames that a frame shows, joined by commas, in `scratch`. */
static ts_code sources_of(ts_text *src, ftrace_machine *m, const frame_pair **pair, uint64_t number)
{
    ts_code code = TS_OK;
    m->scratch.n = 0;
    while (*pair != NULL && (*pair)->target == number && code == TS_OK) {
        char text[32];
        int n = snprintf(text, sizeof text, "%s%" PRIu64, m->scratch.n > 0 ? "," : "",
                         m->frames.base + (*pair)->source);
        const void *next = NULL;
        code = ts_buf_put(m->ctx, &m->scratch, text, (size_t)n);
        TS_STEP(code, ts_sorter_next(&next, m->frames.joined));
        *pair = next;
    }
    *src = m->scratch.n == 0 ? TS_TEXT_NULL : ts_buf_text(&m->scratch);
    return code;
}

static ts_code put_row(ftrace_machine *m, const frame_row *r, const frame_pair **pair)
{
    ts_row_frame_slice row = {
        .id = (int64_t)ts_sink_rows(m->sink, TS_T_frame_slice),
        .ts = r->ts,
        .vsync = r->vsync,
        .ipid = r->ipid,
        .itid = r->itid,
        .callstack_id = r->call,
        .dur = r->dur,
        .dst = (int64_t)m->frames.base + r->dst,
        .type = r->expected,
        .type_desc = r->expected ? TS_TEXT_LIT("expect") : TS_TEXT_LIT("actural"),
        .flag = r->flag,
    };
    ts_code code = sources_of(&row.src, m, pair, r->number);
    row.null |= r->vsync == 0 ? TS_NULL_BIT(frame_slice, vsync) : 0;
    row.null |= r->call < 0 ? TS_NULL_BIT(frame_slice, callstack_id) : 0;
    row.null |= r->dur == TS_NO_TIME ? TS_NULL_BIT(frame_slice, dur) : 0;
    row.null |= r->dst < 0 ? TS_NULL_BIT(frame_slice, dst) : 0;
    row.null |= r->flag == FLAG_NONE ? TS_NULL_BIT(frame_slice, flag) : 0;
    if (r->flag == FLAG_UNUSED) {
        TS_SET_NULL(frame_slice, &row, depth);
    } else if (code == TS_OK) {
        code = lane_of(&row.depth, m, r);
    }
    return code != TS_OK ? code : ts_put_frame_slice(m->sink, &row);
}

static ts_code put_rows(ftrace_machine *m)
{
    const void *record = NULL;
    const void *joined = NULL;
    const frame_pair *pair;
    ts_code code = ts_sorter_finish(m->frames.rows);
    if (code == TS_OK && m->frames.joined != NULL) {
        code = ts_sorter_finish(m->frames.joined);
        TS_STEP(code, ts_sorter_next(&joined, m->frames.joined));
    }
    pair = joined;
    while (code == TS_OK && (code = ts_sorter_next(&record, m->frames.rows)) == TS_OK &&
           record != NULL) {
        code = put_row(m, record, &pair);
    }
    return code;
}

ts_code ftrace_frames_finish(ftrace_machine *m)
{
    ftrace_frames *f = &m->frames;
    ts_code code = ts_stat(m->store, "trace_vsync", "received", f->vsync);
    TS_STEP(code, ts_stat(m->store, "trace_vsync", "not_match", f->vsync_alone));
    TS_STEP(code, ts_stat(m->store, "trace_on_do_composition", "received", f->compositions));
    TS_STEP(code, ts_stat(m->store, "trace_frame_queue", "received", f->queued));
    TS_STEP(code, ts_stat(m->store, "trace_frame_queue", "not_match", f->queued_alone));
    flag_unused(m);
    while (f->all.n > 0 && code == TS_OK) {
        code = release(m, ((ftrace_frame **)f->all.p)[f->all.n - 1]);
    }
    ftrace_open_free(m->ctx, &f->keys); /* then the keys of lanes */
    return code != TS_OK || f->rows == NULL ? code : put_rows(m);
}

void ftrace_frames_free(ftrace_machine *m)
{
    ftrace_frames *f = &m->frames;
    for (size_t i = 0; i < f->all.n; i++) {
        ts_free(m->ctx, ((ftrace_frame **)f->all.p)[i]);
    }
    for (size_t i = 0; i < f->lanes.n; i++) {
        ts_lanes_free(m->ctx, &((ts_lanes *)f->lanes.p)[i]);
    }
    ts_vec_free(m->ctx, &f->all);
    ts_vec_free(m->ctx, &f->lanes);
    ftrace_open_free(m->ctx, &f->keys);
    ftrace_open_free(m->ctx, &f->numbered);
    ts_sorter_close(f->rows);
    ts_sorter_close(f->joined);
}
