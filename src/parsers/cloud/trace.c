/*
 * Traces: blocks of events of one thread each. A block has no length; its end is found by decoding.
 * The time of an event is the sum of the steps in its block so far, a 32-bit number of ms since the
 * agent began, taken at the turn of the 32 bits that is nearest to the block's own clock.
 */
#include "parsers/cloud/events.h"
#include "parsers/cloud/pod.h"

#include <inttypes.h>
#include <string.h>

typedef struct block {
    uint64_t tid;
    uint64_t real;
    uint32_t shift; /* real - timer0, low 32 bits */
    uint32_t sum;
    uint32_t thread;
    cloud_thread *t; /* none is added while the block is read */
    uint32_t events;
    int64_t first;
    int64_t last;
    int64_t row;
    size_t number; /* as cloud_block_at takes it */
    bool lost;     /* it is not what the agent wrote */
} block;

/* --- events --------------------------------------------------------------------------------- */

/* A dictionary that is not as new as the trace may lack a few words. */
enum { MAX_MISSING = 1024 };

/* Of ms since 1970, from 2001 to 2286. */
enum { STARTED_DIGITS = 13, STARTED_SOME = 5 };

enum { DECIMAL = 20 /* a sign and 19 digits */ };

static bool is_call_info(const cloud_pod *pod, const cloud_event *e)
{
    return cloud_word_is(&pod->words, e->word, CLOUD_WORD_CALL_INFO) &&
           e->type == CLOUD_INLINE_VALUE && e->value.units == 0;
}

/* The rest of the block is left out. */
static ts_code distrust(cloud_pod *pod, block *b, const char *why)
{
    b->lost = true;
    return cloud_distrust(pod, b->number, why);
}

static ts_code put_root(cloud_pod *pod, const block *b, const cloud_event *e, int64_t ms)
{
    const cloud_frame *f = cloud_thread_root(b->t);
    ts_row_cloud_root row = {
        .id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_root) + 1,
        .source_id = pod->source_id,
        .slice_id = f->slice,
        .block_id = b->row,
        .record = b->events,
    };
    cloud_root root = {
        .record = b->events,
        .word = e->word,
        .since = (int32_t)(ms - (int64_t)b->real),
        .dur = -1,
    };
    ts_code code;
    TS_TRY(code, cloud_root_add(&b->t->at.root, pod, &root, f->slice));
    return f->slice == 0 ? TS_OK : ts_put_cloud_root(pod->sink, &row);
}

static ts_code apply_enter(cloud_pod *pod, const block *b, const cloud_event *e, int64_t ms)
{
    cloud_thread *t = b->t;
    bool root = cloud_thread_depth(t) == 0;
    ts_code code;
    t->at.has_info = t->at.has_info && !root;
    code = cloud_push(pod, t, e->word, ms);
    TS_STEP_IF(code, root, put_root(pod, b, e, ms));
    if (code == TS_OK) {
        cloud_root_enter(&pod->roots, t->at.root);
    }
    return code;
}

static ts_code apply_exit(cloud_pod *pod, block *b, int64_t ms)
{
    cloud_thread *t = b->t;
    ts_tally *count = pod->counts[CLOUD_N_EXITS];
    ts_code code;
    count->seen++;
    if (cloud_thread_depth(t) > 0) {
        bool wanted = cloud_thread_top(t)->slice != 0;
        int64_t start = cloud_thread_root(t)->start;
        count->imported += wanted;
        count->skipped += !wanted;
        code = cloud_pop(pod, t, ms, CLOUD_ENDED);
        if (cloud_thread_depth(t) == 0) {
            cloud_root_end(&pod->roots, t->at.root, ts_sat_sub(ms, start));
            pod->trace.roots_have_info = pod->trace.roots_have_info || t->at.has_info;
            t->at.sure = cloud_rows_now(pod);
        }
        return code;
    }
    count->lost++;
    code = cloud_issue(pod, TS_ISSUE_cloud_stray_exit, cloud_stream_offset(&pod->stream),
                       "thread %" PRIu64 " has nothing open", b->tid);
    return code != TS_OK ? code : distrust(pod, b, "an exit without an enter");
}

/* Why this event cannot be where it is, or NULL. */
static const char *misplaced(const cloud_pod *pod, const cloud_thread *t, const cloud_event *e,
                             int64_t ms)
{
    const cloud_word *w;
    /* The agent writes call.info, the tags after it and the end at once. */
    if (cloud_thread_depth(t) == 1 && t->at.has_info && e->kind == CLOUD_ENTER) {
        return "a method is entered after call.info";
    }
    if (cloud_thread_depth(t) == 1 && t->at.has_info && ms != t->at.last) {
        return "time passes after call.info";
    }
    if (e->kind == CLOUD_EXIT) {
        return cloud_thread_depth(t) == 1 && !t->at.has_info && pod->trace.roots_have_info
                   ? "a call ends without call.info"
                   : NULL;
    }
    w = cloud_word_of(&pod->words, e->word);
    if (w == NULL) {
        return e->word > MAX_MISSING && e->word - MAX_MISSING > cloud_words_end(&pod->words)
                   ? "a word's number is far beyond the dictionary"
                   : NULL;
    }
    if (e->kind == CLOUD_ENTER) {
        return w->param || cloud_word_is(&pod->words, e->word, CLOUD_WORD_CALL_INFO)
                   ? "a parameter is entered as a method"
                   : NULL;
    }
    return w->signature ? "a method is in the place of a parameter" : NULL;
}

/* A number in decimal, which is as long as said. Ten times as fast as the C library's. */
static size_t write_decimal(char out[DECIMAL], int64_t v)
{
    uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    char *at = out + DECIMAL;
    size_t n;
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left != 0);
    if (v < 0) {
        *--at = '-';
    }
    n = (size_t)(out + DECIMAL - at);
    memmove(out, at, n);
    return n;
}

/* Does the tag that says when the call began say something else? A text that is not made of digits
 * only, and begins otherwise, may be a date in a form of its own. */
static bool start_differs(const cloud_pod *pod, const cloud_thread *t, const cloud_event *e)
{
    char start[DECIMAL];
    size_t digits = 0;
    size_t equal = 0;
    size_t n;
    if (!cloud_word_is(&pod->words, e->word, CLOUD_WORD_STARTED) || cloud_thread_depth(t) != 1 ||
        e->type != CLOUD_INLINE_VALUE) {
        return false;
    }
    n = write_decimal(start, cloud_thread_root(t)->start);
    while (digits < e->value.units && e->value.p[2 * digits] == 0 &&
           e->value.p[2 * digits + 1] >= '0' && e->value.p[2 * digits + 1] <= '9') {
        equal +=
            equal == digits && equal < n && (uint8_t)start[equal] == e->value.p[2 * digits + 1];
        digits++;
    }
    return (digits == STARTED_DIGITS && equal < n) ||
           (equal >= STARTED_SOME && e->value.units != equal);
}

/* call.info is once a root, just before its end. Not exactly the root open: something before
 * it was lost. */
static ts_code check_root(cloud_pod *pod, block *b)
{
    cloud_thread *t = b->t;
    ts_code code;
    if (cloud_thread_depth(t) == 1 && !t->at.has_info) {
        t->at.has_info = true;
        return TS_OK;
    }
    code = cloud_missing(pod, TS_ISSUE_cloud_root_lost, "roots",
                         "thread %" PRIu64 " ends a call with %" PRIu32 " invocations open", b->tid,
                         cloud_thread_depth(t));
    return code != TS_OK ? code : distrust(pod, b, "call.info is inside a call");
}

static ts_code find_tag_text(cloud_pod *pod, const cloud_event *e, ts_row_cloud_tag *row)
{
    cloud_kind kind = e->type == CLOUD_SQL_VALUE ? CLOUD_SQL : CLOUD_XML;
    row->value = TS_TEXT_NULL;
    row->text_file = e->file;
    row->text_offset = e->offset;
    row->text_id = cloud_text_at(&pod->texts, kind, e->file, e->offset);
    if (row->text_id != 0) {
        return TS_OK;
    }
    TS_SET_NULL(cloud_tag, row, text_id);
    return cloud_missing(pod, TS_ISSUE_cloud_text_missing, "texts",
                         "%s file %" PRIu32 " has no text at %" PRIu32,
                         kind == CLOUD_SQL ? "sql" : "xml", e->file, e->offset);
}

/* What tags say of their thread, of the host and of the call. */
static ts_code take_value(cloud_pod *pod, const block *b, const cloud_event *e)
{
    ts_row_source *source;
    if (pod->text.n == 0) {
        return TS_OK;
    }
    if (pod->text.n >= CLOUD_AMOUNT_DIGITS && cloud_thread_depth(b->t) == 1) {
        ts_code code;
        TS_TRY(code, cloud_amount_note(pod, b->t->at.root, e->word, ts_buf_text(&pod->text)));
    }
    if (cloud_word_is(&pod->words, e->word, CLOUD_WORD_JAVA_THREAD)) {
        return cloud_name_thread(pod, b->t, ts_buf_text(&pod->text));
    }
    if (!cloud_word_is(&pod->words, e->word, CLOUD_WORD_NODE_NAME)) {
        return TS_OK;
    }
    source = ts_source(pod->store, pod->source_id);
    return source->host.p != NULL ? TS_OK
                                  : ts_source_text(pod->store, pod->source_id, &source->host,
                                                   pod->text.p, pod->text.n);
}

static ts_code apply_tag(cloud_pod *pod, const block *b, const cloud_event *e, int64_t ms)
{
    cloud_thread *t = b->t;
    int64_t slice = cloud_thread_depth(t) == 0 ? 0 : cloud_thread_top(t)->slice;
    ts_row_cloud_tag row = {
        .source_id = pod->source_id,
        .slice_id = slice,
        .block_id = b->row,
        .record = b->events,
        .ts = cloud_ns(ms),
        .word_id = e->word,
        .dictionary_id = cloud_word_row(&pod->words, e->word),
        .type = e->type,
    };
    ts_code code;
    if (cloud_thread_depth(t) > 0 ? slice == 0 : !cloud_wanted(pod, ms)) {
        cloud_count_skipped(pod, CLOUD_N_TAGS);
        return TS_OK;
    }
    if (cloud_thread_depth(t) == 1 && cloud_word_is(&pod->words, e->word, CLOUD_WORD_STARTED)) {
        cloud_root_promise(&pod->roots, t->at.root);
    }
    row.id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_tag) + 1;
    if (e->type == CLOUD_INLINE_VALUE || e->type == CLOUD_INDEX_VALUE) {
        TS_SET_NULL(cloud_tag, &row, text_id);
        TS_SET_NULL(cloud_tag, &row, text_file);
        TS_SET_NULL(cloud_tag, &row, text_offset);
        if ((code = cloud_utf8(pod->ctx, &pod->text, e->value)) == TS_OK) {
            row.value = ts_buf_text(&pod->text);
            code = take_value(pod, b, e);
        }
    } else {
        code = find_tag_text(pod, e, &row);
    }
    if (code != TS_OK) {
        return code;
    }
    if (slice == 0) {
        TS_SET_NULL(cloud_tag, &row, slice_id);
    }
    if (row.dictionary_id == 0) {
        TS_SET_NULL(cloud_tag, &row, dictionary_id);
        TS_TRY(code, cloud_no_word(pod, "a tag", e->word));
    }
    cloud_count(pod, CLOUD_N_TAGS);
    return ts_put_cloud_tag(pod->sink, &row);
}

/* The last end in the root whose beginning was lost, and what is in it, are left out. */
static ts_code skip_lost(cloud_pod *pod, const block *b, const cloud_event *e)
{
    cloud_thread *t = b->t;
    bool last = e->kind == CLOUD_EXIT && t->at.resync;
    cloud_item item = e->kind == CLOUD_ENTER  ? CLOUD_N_ENTERS
                      : e->kind == CLOUD_EXIT ? CLOUD_N_EXITS
                                              : CLOUD_N_TAGS;
    cloud_count_lost(pod, item);
    if (b->lost) {
        return TS_OK;
    }
    if (last) {
        t->at.lost = false;
        t->at.sure = cloud_rows_now(pod);
    }
    t->at.resync = e->kind == CLOUD_TAG && (t->at.resync || is_call_info(pod, e));
    return t->at.resync ? cloud_thread_busy(pod, t) : TS_OK;
}

static ts_code apply_event(cloud_pod *pod, block *b, const cloud_event *e, int64_t ms)
{
    ts_code code = TS_OK;
    switch (e->kind) {
    case CLOUD_ENTER:
        return apply_enter(pod, b, e, ms);
    case CLOUD_EXIT:
        return apply_exit(pod, b, ms);
    default:
        if (is_call_info(pod, e)) {
            code = check_root(pod, b);
        } else if (start_differs(pod, b->t, e)) {
            code = distrust(pod, b, "a call began at another time");
        }
        return code != TS_OK || b->lost ? code : apply_tag(pod, b, e, ms);
    }
}

static ts_code apply_timed(cloud_pod *pod, block *b, const cloud_event *e)
{
    cloud_thread *t = b->t;
    bool certain = !b->lost && !t->at.lost;
    const char *why;
    int64_t ms;
    ts_code code = TS_OK;
    b->sum += e->step;
    ms = ts_sat_add((int64_t)b->real, (int32_t)(b->sum - b->shift));
    if (b->events == 0) {
        b->first = ms;
    }
    b->last = ms;
    if (certain && (why = misplaced(pod, t, e, ms)) != NULL) {
        code = distrust(pod, b, why);
        certain = false;
    }
    t->at.last = ms;
    if (code == TS_OK && !certain) {
        code = skip_lost(pod, b, e);
    } else if (code == TS_OK) {
        if (cloud_wanted(pod, ms)) {
            cloud_note_time(pod, ms);
        }
        code = apply_event(pod, b, e, ms);
    }
    b->events++;
    return code;
}

/* --- blocks --------------------------------------------------------------------------------- */

/* Why no more may be open, or NULL. */
static const char *too_many_open(const cloud_pod *pod, const cloud_thread *t)
{
    if (cloud_thread_depth(t) >= CLOUD_MAX_DEPTH) {
        return "more than a million invocations are open on one thread";
    }
    return cloud_threads_open(&pod->threads) >= CLOUD_MAX_OPEN
               ? "more than 2000000 invocations are open in a pod"
               : NULL;
}

/* Events of a batch, up to the end of the block; *complete: it was reached. */
static ts_code apply_batch(cloud_pod *pod, block *b, cloud_batch *batch, bool *complete)
{
    cloud_reader *r = cloud_stream_reader(&pod->stream);
    const char *why = NULL;
    ts_code code = TS_OK;
    cloud_look_ahead(pod, b->t, batch);
    for (unsigned i = 0; i < batch->n && code == TS_OK; i++) {
        const cloud_event *e = &batch->events[i];
        if (e->kind == CLOUD_FINISH) {
            *complete = true;
        } else if (e->kind == CLOUD_ENTER) {
            if ((why = too_many_open(pod, b->t)) != NULL) {
                break;
            }
            code = apply_timed(pod, b, e);
            cloud_look_below(pod, b->t, batch, i);
        } else {
            code = apply_timed(pod, b, e);
        }
        r->at = (size_t)(e->end - r->buf);
    }
    cloud_stream_keep(&pod->stream);
    TS_STEP_IF(code, why != NULL, cloud_stop_at(pod, CLOUD_N_ENTERS, why));
    return code;
}

/* What is at the reader's place is no complete event, and no more bytes come. */
static ts_code end_of_events(cloud_pod *pod, block *b, cloud_got got, const cloud_event *e)
{
    const cloud_reader *r = cloud_stream_reader(&pod->stream);
    if (got == CLOUD_BAD) {
        ts_code code =
            cloud_stop_at(pod, CLOUD_N_TAGS,
                          e->type > CLOUD_SQL_VALUE ? "a tag has a value of an unknown kind"
                                                    : "a tag's text has an invalid length");
        return code != TS_OK ? code : distrust(pod, b, "invalid event");
    }
    if (r->at == r->n) {
        cloud_stream_set_damaged(&pod->stream);
        return cloud_missing(pod, TS_ISSUE_cloud_record_cut, "ends",
                             "the stream ends inside a block, whose events are kept");
    }
    return cloud_cut(pod,
                     e->kind == CLOUD_ENTER  ? CLOUD_N_ENTERS
                     : e->kind == CLOUD_EXIT ? CLOUD_N_EXITS
                                             : CLOUD_N_TAGS,
                     "an event");
}

/* Events to the end of the block. *complete: it was reached. */
static ts_code read_events(cloud_pod *pod, block *b, bool *complete)
{
    cloud_reader *r = cloud_stream_reader(&pod->stream);
    cloud_batch batch;
    ts_code code = TS_OK;
    *complete = false;
    while (code == TS_OK && !*complete && !cloud_stream_is_damaged(&pod->stream)) {
        cloud_decode_events(&batch, cloud_window(r));
        code = apply_batch(pod, b, &batch, complete);
        if (code != TS_OK || batch.got == CLOUD_GOT || cloud_stream_is_damaged(&pod->stream)) {
            continue;
        }
        if (batch.got == CLOUD_SHORT && !r->ended && r->n - r->at < CLOUD_MAX_RECORD) {
            code = cloud_longer(r);
        } else {
            return end_of_events(pod, b, batch.got, &batch.events[batch.n]);
        }
    }
    return code;
}

static ts_code put_block(cloud_pod *pod, const block *b, uint64_t offset, bool complete)
{
    ts_row_cloud_block row = {
        .id = b->row,
        .source_id = pod->source_id,
        .file = cloud_stream_index(&pod->stream),
        .offset = (int64_t)offset,
        .bytes = (int64_t)(cloud_stream_kept(&pod->stream) - offset),
        .itid = cloud_thread_itid(b->t),
        .real_ts = cloud_ns((int64_t)b->real),
        .start_ts = cloud_ns(b->first),
        .end_ts = cloud_ns(b->last),
        .events = b->events,
        .complete = complete,
    };
    if (b->events == 0) {
        TS_SET_NULL(cloud_block, &row, start_ts);
        TS_SET_NULL(cloud_block, &row, end_ts);
    }
    cloud_count(pod, CLOUD_N_BLOCKS);
    return ts_put_cloud_block(pod->sink, &row);
}

/* Adds the block, so that calls find the roots in it. */
static ts_code keep_block(cloud_pod *pod, block *b, uint64_t offset)
{
    cloud_block row = {.real = (int64_t)b->real};
    cloud_thread *t;
    ts_code code;
    TS_TRY(code, cloud_thread_of(&b->thread, pod, b->tid));
    t = cloud_thread_at(&pod->threads, b->thread);
    b->t = t;
    row.thread = b->thread;
    row.before = t->at.block;
    TS_TRY(code, cloud_block_add(&b->number, pod, row, offset));
    b->row = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_block) + 1;
    t->at.block = (uint32_t)b->number + 1;
    return TS_OK;
}

/* No block begins where the one before it ended: that was no end. */
static ts_code stop_behind_block(cloud_pod *pod, const char *why)
{
    size_t n = cloud_block_count(&pod->roots);
    ts_code code = cloud_stop(pod, why);
    if (code != TS_OK || n == 0 ||
        cloud_block_at(&pod->roots, n - 1)->file != (uint32_t)cloud_stream_index(&pod->stream)) {
        return code;
    }
    return cloud_distrust(pod, n - 1, "no block follows it");
}

static ts_code read_block(cloud_pod *pod, uint64_t timer)
{
    cloud_reader *r = cloud_stream_reader(&pod->stream);
    cloud_cursor c = cloud_window(r);
    uint64_t offset = cloud_offset(r);
    block b = {0};
    bool complete;
    ts_code code;
    b.tid = cloud_fixed(&c, 8);
    b.real = cloud_fixed(&c, 8);
    if (c.got != CLOUD_GOT) {
        return cloud_cut(pod, CLOUD_N_BLOCKS, "the header of a block");
    }
    if (!cloud_plausible_ms(b.real) || b.tid > UINT32_MAX || b.tid == 0) {
        return stop_behind_block(pod, b.tid > UINT32_MAX || b.tid == 0
                                          ? "a thread id is out of range"
                                          : "a block's timestamp is out of range");
    }
    b.shift = (uint32_t)b.real - (uint32_t)timer;
    TS_TRY(code, keep_block(pod, &b, offset));
    cloud_take(r, &c);
    cloud_stream_keep(&pod->stream);
    TS_TRY(code, read_events(pod, &b, &complete));
    return put_block(pod, &b, offset, complete);
}

ts_code cloud_trace_import(cloud_pod *pod)
{
    cloud_reader *r = cloud_stream_reader(&pod->stream);
    ts_code code = cloud_need(r, 8);
    cloud_cursor c = cloud_window(r);
    uint64_t timer = cloud_fixed(&c, 8);
    if (code != TS_OK) {
        return code;
    }
    if (c.got != CLOUD_GOT) {
        return cloud_no_header(pod, 8);
    }
    cloud_take(r, &c);
    cloud_stream_keep(&pod->stream);
    code = cloud_fact(pod, "timer0", (int64_t)timer);
    TS_STEP(code, cloud_paths_open(pod->ctx, &pod->paths));
    while (code == TS_OK && !cloud_stream_is_damaged(&pod->stream)) {
        if ((code = cloud_need(r, 16)) != TS_OK || r->at == r->n) {
            break;
        }
        code = read_block(pod, timer);
    }
    if (code == TS_OK && cloud_stream_is_damaged(&pod->stream)) {
        pod->trace.incomplete = true;
    }
    return code;
}
