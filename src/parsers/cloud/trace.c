/*
 * Traces: blocks of events of one thread each. A block has no length; its end is found by decoding.
 * The time of an event is the sum of the steps in its block so far, a 32-bit number of ms since the
 * agent began, taken at the turn of the 32 bits that is nearest to the block's own clock.
 */
#include "parsers/cloud/trace.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct block {
    uint64_t tid;
    uint64_t real;
    uint32_t shift; /* real - timer0, low 32 bits */
    uint32_t sum;
    uint32_t thread;
    uint32_t events;
    int64_t first;
    int64_t last;
    int64_t row;
    size_t number; /* in cloud_pod.blocks */
    bool lost;     /* it is not what the agent wrote */
} block;

/* --- events --------------------------------------------------------------------------------- */

/* A dictionary that is not as new as the trace may lack a few words. */
enum { MAX_MISSING = 1024 };

/* Of ms since 1970, from 2001 to 2286. */
enum { STARTED_DIGITS = 13, STARTED_SOME = 5 };

static cloud_thread *thread_of(const cloud_pod *pod, const block *b)
{
    return (cloud_thread *)pod->threads.p + b->thread;
}

static bool is_call_info(const cloud_pod *pod, const cloud_event *e)
{
    return (int64_t)e->word == pod->word_call_info && e->type == CLOUD_INLINE_VALUE &&
           e->value.units == 0;
}

/* The rest of the block is left out. */
static ts_code distrust(cloud_pod *pod, block *b, const char *why)
{
    b->lost = true;
    return cloud_distrust(pod, b->number, why);
}

static ts_code put_root(cloud_pod *pod, const block *b, const cloud_event *e, int64_t ms)
{
    const cloud_frame *f = &thread_of(pod, b)->frames[0];
    ts_row_cloud_root row = {
        .id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_root) + 1,
        .source_id = pod->source_id,
        .slice_id = f->slice,
        .block_id = b->row,
        .record = b->events,
    };
    int64_t slice = f->slice == 0 ? 0 : f->slice - pod->first_slice;
    ts_code code = cloud_grow(pod->ctx, &pod->roots, sizeof(cloud_root));
    if (code != TS_OK) {
        return code;
    }
    if (slice > INT32_MAX) {
        return ts_fail(pod->ctx, TS_ERR_LIMIT, "a pod has more than 2^31 invocations");
    }
    thread_of(pod, b)->root = pod->roots.n;
    ((cloud_root *)pod->roots.p)[pod->roots.n++] = (cloud_root){
        .record = b->events,
        .word = e->word,
        .slice = (uint32_t)slice & INT32_MAX,
        .since = (int32_t)(ms - (int64_t)b->real),
        .dur = -1,
    };
    return f->slice == 0 ? TS_OK : ts_put_cloud_root(pod->sink, &row);
}

static ts_code enter(cloud_pod *pod, const block *b, const cloud_event *e, int64_t ms)
{
    cloud_thread *t = thread_of(pod, b);
    bool root = t->depth == 0;
    ts_code code;
    t->told = t->told && !root;
    code = cloud_push(pod, t, e->word, ms);
    if (code == TS_OK && root) {
        code = put_root(pod, b, e, ms);
    }
    if (code == TS_OK) {
        ((cloud_root *)pod->roots.p)[t->root].enters++;
    }
    return code;
}

static ts_code leave(cloud_pod *pod, block *b, int64_t ms)
{
    cloud_thread *t = thread_of(pod, b);
    ts_tally *count = pod->counts[CLOUD_N_EXITS];
    ts_code code;
    count->seen++;
    if (t->depth > 0) {
        bool wanted = t->frames[t->depth - 1].slice != 0;
        count->imported += wanted;
        count->skipped += !wanted;
        code = cloud_pop(pod, t, ms, 0);
        if (t->depth == 0) {
            int64_t dur = ms - t->frames[0].start;
            ((cloud_root *)pod->roots.p)[t->root].dur =
                dur < 0 || dur > INT32_MAX ? -1 : (int32_t)dur;
            pod->roots_told = pod->roots_told || t->told;
            t->sure = cloud_rows_now(pod);
        }
        return code;
    }
    count->lost++;
    code = cloud_issue(pod, TS_ISSUE_cloud_stray_exit, cloud_offset(&pod->reader),
                       "thread %" PRIu64 " has nothing open", b->tid);
    return code != TS_OK ? code : distrust(pod, b, "something ends that never began");
}

/* Why this event cannot be where it is, or NULL. */
static const char *misplaced(const cloud_pod *pod, const cloud_thread *t, const cloud_event *e,
                             int64_t ms)
{
    const cloud_word *w;
    /* The agent writes call.info, the tags behind it and the end at once. */
    if (t->depth == 1 && t->told && e->kind == CLOUD_ENTER) {
        return "a method is entered after call.info";
    }
    if (t->depth == 1 && t->told && ms != t->last) {
        return "time passes after call.info";
    }
    if (e->kind == CLOUD_EXIT) {
        return t->depth == 1 && !t->told && pod->roots_told ? "a call ends without call.info"
                                                            : NULL;
    }
    w = cloud_word_of(pod, e->word);
    if (w == NULL) {
        return !pod->words_lost && e->word > pod->word_end + MAX_MISSING
                   ? "a word's number is far beyond the dictionary"
                   : NULL;
    }
    if (e->kind == CLOUD_ENTER) {
        return w->param || (int64_t)e->word == pod->word_call_info
                   ? "a parameter is entered as a method"
                   : NULL;
    }
    return w->signature ? "a method stands where a parameter does" : NULL;
}

/* Does the tag that says when the call began say something else? A text that is not made of digits
 * only, and begins otherwise, may be a date in a form of its own. */
static bool began_elsewhen(const cloud_pod *pod, const cloud_thread *t, const cloud_event *e)
{
    char start[32];
    size_t digits = 0;
    size_t equal = 0;
    size_t n;
    if ((int64_t)e->word != pod->word_started || t->depth != 1 || e->type != CLOUD_INLINE_VALUE) {
        return false;
    }
    n = (size_t)snprintf(start, sizeof start, "%" PRId64, t->frames[0].start);
    while (digits < e->value.units && e->value.p[2 * digits] == 0 &&
           e->value.p[2 * digits + 1] >= '0' && e->value.p[2 * digits + 1] <= '9') {
        equal +=
            equal == digits && equal < n && (uint8_t)start[equal] == e->value.p[2 * digits + 1];
        digits++;
    }
    return (digits == STARTED_DIGITS && equal < n) ||
           (equal >= STARTED_SOME && e->value.units != equal);
}

/* call.info stands once a root, just before its end. Not exactly the root open: something before
 * it was lost. */
static ts_code check_root(cloud_pod *pod, block *b)
{
    cloud_thread *t = thread_of(pod, b);
    ts_code code;
    if (t->depth == 1 && !t->told) {
        t->told = true;
        return TS_OK;
    }
    code = cloud_missing(pod, TS_ISSUE_cloud_root_lost, "roots",
                         "thread %" PRIu64 " ends a call with %" PRIu32 " invocations open", b->tid,
                         t->depth);
    return code != TS_OK ? code : distrust(pod, b, "call.info stands within a call");
}

static ts_code find_text(cloud_pod *pod, const cloud_event *e, ts_row_cloud_tag *row)
{
    cloud_kind kind = e->type == CLOUD_SQL_VALUE ? CLOUD_SQL : CLOUD_XML;
    row->value = TS_TEXT_NULL;
    row->text_file = e->file;
    row->text_offset = e->offset;
    row->text_id = cloud_text_at(pod, kind, e->file, e->offset);
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
    ts_row_source *source = ts_source(pod->store, pod->source_id);
    if (pod->text.n == 0) {
        return TS_OK;
    }
    if (pod->text.n >= CLOUD_AMOUNT_DIGITS && thread_of(pod, b)->depth == 1) {
        ts_code code = cloud_amount_note(pod, thread_of(pod, b), e->word, ts_buf_text(&pod->text));
        if (code != TS_OK) {
            return code;
        }
    }
    if ((int64_t)e->word == pod->word_java_thread) {
        return cloud_name_thread(pod, thread_of(pod, b), ts_buf_text(&pod->text));
    }
    if ((int64_t)e->word == pod->word_node_name && source->host.p == NULL) {
        return ts_source_text(pod->store, pod->source_id, &source->host, pod->text.p, pod->text.n);
    }
    return TS_OK;
}

static ts_code tag(cloud_pod *pod, const block *b, const cloud_event *e, int64_t ms)
{
    cloud_thread *t = thread_of(pod, b);
    int64_t slice = t->depth == 0 ? 0 : t->frames[t->depth - 1].slice;
    ts_row_cloud_tag row = {
        .source_id = pod->source_id,
        .slice_id = slice,
        .block_id = b->row,
        .record = b->events,
        .ts = cloud_ns(ms),
        .word_id = e->word,
        .dictionary_id = cloud_word_row(pod, e->word),
        .type = e->type,
    };
    ts_code code;
    if (t->depth > 0 ? slice == 0 : !cloud_wanted(pod, ms)) {
        cloud_count_skipped(pod, CLOUD_N_TAGS);
        return TS_OK;
    }
    if (t->depth == 1 && (int64_t)e->word == pod->word_started) {
        ((cloud_root *)pod->roots.p)[t->root].promised = 1;
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
        code = find_text(pod, e, &row);
    }
    if (code != TS_OK) {
        return code;
    }
    if (slice == 0) {
        TS_SET_NULL(cloud_tag, &row, slice_id);
    }
    if (row.dictionary_id == 0) {
        TS_SET_NULL(cloud_tag, &row, dictionary_id);
        if ((code = cloud_no_word(pod, "a tag", e->word)) != TS_OK) {
            return code;
        }
    }
    cloud_count(pod, CLOUD_N_TAGS);
    return ts_put_cloud_tag(pod->sink, &row);
}

/* The last end in the root whose beginning was lost, and what is in it, are left out. */
static ts_code skip_lost(cloud_pod *pod, const block *b, const cloud_event *e)
{
    cloud_thread *t = thread_of(pod, b);
    bool last = e->kind == CLOUD_EXIT && t->resync;
    cloud_item item = e->kind == CLOUD_ENTER  ? CLOUD_N_ENTERS
                      : e->kind == CLOUD_EXIT ? CLOUD_N_EXITS
                                              : CLOUD_N_TAGS;
    pod->counts[item]->seen++;
    pod->counts[item]->lost++;
    if (b->lost) {
        return TS_OK;
    }
    if (last) {
        t->lost = false;
        t->sure = cloud_rows_now(pod);
    }
    t->resync = e->kind == CLOUD_TAG && (t->resync || is_call_info(pod, e));
    return t->resync ? cloud_thread_busy(pod, t) : TS_OK;
}

static ts_code apply_event(cloud_pod *pod, block *b, const cloud_event *e, int64_t ms)
{
    ts_code code = TS_OK;
    switch (e->kind) {
    case CLOUD_ENTER:
        return enter(pod, b, e, ms);
    case CLOUD_EXIT:
        return leave(pod, b, ms);
    default:
        if (is_call_info(pod, e)) {
            code = check_root(pod, b);
        } else if (began_elsewhen(pod, thread_of(pod, b), e)) {
            code = distrust(pod, b, "a call began at another time");
        }
        return code != TS_OK || b->lost ? code : tag(pod, b, e, ms);
    }
}

static ts_code apply(cloud_pod *pod, block *b, const cloud_event *e)
{
    cloud_thread *t = thread_of(pod, b);
    const char *why;
    int64_t ms;
    ts_code code = TS_OK;
    b->sum += e->step;
    ms = ts_sat_add((int64_t)b->real, (int32_t)(b->sum - b->shift));
    b->first = b->events == 0 ? ms : b->first;
    b->last = ms;
    if (!b->lost && !t->lost && (why = misplaced(pod, t, e, ms)) != NULL) {
        code = distrust(pod, b, why);
    }
    t->last = ms;
    if (code == TS_OK && (b->lost || t->lost)) {
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

/* Events of a batch, up to the end of the block; *complete: it was met. */
static ts_code apply_batch(cloud_pod *pod, block *b, cloud_batch *batch, bool *complete)
{
    cloud_reader *r = &pod->reader;
    cloud_thread *t = thread_of(pod, b);
    ts_code code = TS_OK;
    cloud_look_ahead(pod, t, batch);
    for (unsigned i = 0; i < batch->n && code == TS_OK; i++) {
        const cloud_event *e = &batch->events[i];
        if (e->kind == CLOUD_ENTER && t->depth >= CLOUD_MAX_DEPTH) {
            return cloud_stop_at(pod, CLOUD_N_ENTERS,
                                 "more than a million invocations are open on one thread");
        }
        if (e->kind == CLOUD_ENTER && pod->open >= CLOUD_MAX_OPEN) {
            return cloud_stop_at(pod, CLOUD_N_ENTERS,
                                 "more than 2000000 invocations are open in a pod");
        }
        if (e->kind != CLOUD_FINISH) {
            code = apply(pod, b, e);
        }
        if (e->kind == CLOUD_ENTER) {
            cloud_look_below(pod, t, batch, i);
        }
        r->at = (size_t)(e->end - r->buf);
        pod->kept = cloud_offset(r);
        *complete = e->kind == CLOUD_FINISH;
    }
    return code;
}

/* What stands at the reader's place is no whole event, and no more bytes come. */
static ts_code end_of_events(cloud_pod *pod, block *b, cloud_got got, const cloud_event *e)
{
    const cloud_reader *r = &pod->reader;
    if (got == CLOUD_BAD) {
        ts_code code =
            cloud_stop_at(pod, CLOUD_N_TAGS,
                          e->type > CLOUD_SQL_VALUE ? "a tag has a value of an unknown kind"
                                                    : "a tag's text has an impossible length");
        return code != TS_OK ? code : distrust(pod, b, "an event that cannot be");
    }
    if (r->at == r->n) {
        pod->damaged = true;
        return cloud_missing(pod, TS_ISSUE_cloud_record_cut, "ends",
                             "the stream ends inside a block, whose events are kept");
    }
    return cloud_cut(pod,
                     e->kind == CLOUD_ENTER  ? CLOUD_N_ENTERS
                     : e->kind == CLOUD_EXIT ? CLOUD_N_EXITS
                                             : CLOUD_N_TAGS,
                     "an event");
}

/* Events to the end of the block. *complete: it was met. */
static ts_code events(cloud_pod *pod, block *b, bool *complete)
{
    cloud_reader *r = &pod->reader;
    cloud_batch batch;
    ts_code code = TS_OK;
    *complete = false;
    while (code == TS_OK && !*complete && !pod->damaged) {
        cloud_decode_events(&batch, cloud_window(r));
        code = apply_batch(pod, b, &batch, complete);
        if (code != TS_OK || batch.got == CLOUD_GOT || pod->damaged) {
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
        .file = pod->file->index,
        .offset = (int64_t)offset,
        .bytes = (int64_t)(pod->kept - offset),
        .itid = thread_of(pod, b)->itid,
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

/* Makes the block known, so that calls find the roots in it. */
static ts_code keep_block(cloud_pod *pod, block *b, uint64_t offset)
{
    cloud_thread *t;
    ts_code code = cloud_thread_of(&b->thread, pod, b->tid);
    if (code != TS_OK ||
        (code = cloud_grow(pod->ctx, &pod->blocks, sizeof(cloud_block))) != TS_OK) {
        return code;
    }
    t = thread_of(pod, b);
    b->number = pod->blocks.n;
    b->row = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_block) + 1;
    /* No call refers to what lies beyond 4 GiB; such blocks sort behind all others. */
    ((cloud_block *)pod->blocks.p)[pod->blocks.n++] = (cloud_block){
        .file = (uint32_t)pod->file->index,
        .offset = offset > UINT32_MAX ? UINT32_MAX : (uint32_t)offset,
        .first = pod->roots.n,
        .real = (int64_t)b->real,
        .thread = b->thread,
        .before = t->block,
        .rows = cloud_rows_now(pod),
    };
    t->block = (uint32_t)pod->blocks.n;
    return TS_OK;
}

/* No block begins where the one before it ended: that was no end. */
static ts_code stop_behind_block(cloud_pod *pod, const char *why)
{
    const cloud_block *blocks = pod->blocks.p;
    size_t n = pod->blocks.n;
    ts_code code = cloud_stop(pod, why);
    return code != TS_OK || n == 0 || blocks[n - 1].file != (uint32_t)pod->file->index
               ? code
               : cloud_distrust(pod, n - 1, "no block follows it");
}

static ts_code read_block(cloud_pod *pod, uint64_t timer)
{
    cloud_reader *r = &pod->reader;
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
                                          ? "no thread has such a number"
                                          : "a block's clock shows no time that can be");
    }
    b.shift = (uint32_t)b.real - (uint32_t)timer;
    if ((code = keep_block(pod, &b, offset)) != TS_OK) {
        return code;
    }
    cloud_take(r, &c);
    pod->kept = cloud_offset(r);
    if ((code = events(pod, &b, &complete)) != TS_OK) {
        return code;
    }
    return put_block(pod, &b, offset, complete);
}

ts_code cloud_trace_import(cloud_pod *pod)
{
    cloud_reader *r = &pod->reader;
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
    pod->kept = cloud_offset(r);
    code = cloud_fact(pod, "timer0", (int64_t)timer);
    while (code == TS_OK && !pod->damaged) {
        if ((code = cloud_need(r, 16)) != TS_OK || r->at == r->n) {
            break;
        }
        code = read_block(pod, timer);
    }
    if (code == TS_OK && pod->damaged) {
        pod->trace_torn = true;
    }
    return code;
}
