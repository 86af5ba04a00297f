/*
 * Traces: blocks of events of one thread each. A block has no length; its end is found by decoding.
 * The time of an event is the sum of the steps in its block so far, a 32-bit number of ms since the
 * agent began, taken at the turn of the 32 bits that is nearest to the block's own clock.
 */
#include "parsers/cloud/pod.h"

#include <inttypes.h>
#include <string.h>

/* --- where the trace is interrupted, and blocks that are not what the agent wrote ----------- */

#define SLICE_COLUMNS                                                                              \
    (TS_NULL_BIT(stack_slice, parent_id) | TS_NULL_BIT(stack_slice, node_id) |                     \
     TS_NULL_BIT(stack_slice, ts) | TS_NULL_BIT(stack_slice, dur) |                                \
     TS_NULL_BIT(stack_slice, self_dur) | TS_NULL_BIT(stack_slice, depth) |                        \
     TS_NULL_BIT(stack_slice, state))

#define TAG_COLUMNS                                                                                \
    (TS_NULL_BIT(cloud_tag, slice_id) | TS_NULL_BIT(cloud_tag, ts) |                               \
     TS_NULL_BIT(cloud_tag, word_id) | TS_NULL_BIT(cloud_tag, dictionary_id) |                     \
     TS_NULL_BIT(cloud_tag, type) | TS_NULL_BIT(cloud_tag, value) |                                \
     TS_NULL_BIT(cloud_tag, text_id) | TS_NULL_BIT(cloud_tag, text_file) |                         \
     TS_NULL_BIT(cloud_tag, text_offset))

#define ROOT_COLUMNS (TS_NULL_BIT(cloud_root, slice_id) | TS_NULL_BIT(cloud_root, record))

static ts_code invalidate_table(cloud_pod *pod, enum ts_table_id table, uint64_t before,
                                uint64_t end, uint64_t columns)
{
    return before >= end
               ? TS_OK
               : ts_sink_invalidate(pod->sink, table, (int64_t)before + 1, (int64_t)end, columns);
}

static ts_code invalidate_rows(cloud_pod *pod, const cloud_rows *before, const cloud_rows *end)
{
    ts_code code =
        invalidate_table(pod, TS_T_stack_slice, before->slices, end->slices, SLICE_COLUMNS);
    TS_STEP(code, invalidate_table(pod, TS_T_cloud_tag, before->tags, end->tags, TAG_COLUMNS));
    TS_STEP(code, invalidate_table(pod, TS_T_cloud_root, before->roots, end->roots, ROOT_COLUMNS));
    return code;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The blocks of the thread before this one, back to where nothing was open for certain. Each block
 * is visited once only: the thread's sure place then moves past it. */
static ts_code invalidate_before(cloud_pod *pod, const cloud_thread *t, size_t number)
{
    const cloud_roots *roots = &pod->roots;
    const cloud_rows *sure = &t->at.sure;
    ts_code code = TS_OK;
    for (size_t i = cloud_block_at(roots, number)->before; i > 0 && code == TS_OK;
         i = cloud_block_at(roots, i - 1)->before) {
        /* The next block of any thread begins there. */
        const cloud_rows *end = &cloud_block_at(roots, i)->rows;
        cloud_rows from = cloud_block_at(roots, i - 1)->rows;
        if (end->slices <= sure->slices && end->tags <= sure->tags) {
            break;
        }
        from.slices = later(from.slices, sure->slices);
        from.tags = later(from.tags, sure->tags);
        from.roots = later(from.roots, sure->roots);
        code = invalidate_rows(pod, &from, end);
    }
    return code;
}

/* The block is not what the agent wrote: it is not certain, and neither is what its thread did
 * since it last was certain that nothing was open. */
static ts_code cloud_distrust(cloud_pod *pod, size_t number, const char *why)
{
    const cloud_block *b = cloud_block_at(&pod->roots, number);
    cloud_thread *t = cloud_thread_at(&pod->threads, b->thread);
    cloud_rows now = cloud_rows_now(pod);
    ts_code code =
        cloud_missing(pod, TS_ISSUE_cloud_block_bad, "blocks",
                      "thread %" PRIu64 ", block at %" PRIu32 ": %s", t->tid, b->offset, why);
    cloud_roots_forget_from(&pod->roots, b->first);
    if (t->depth > 0) {
        cloud_root_forget(&pod->roots, t->at.root);
    }
    while (t->depth > 0 && code == TS_OK) {
        code = cloud_pop(pod, t, t->at.last, CLOUD_LOST);
    }
    TS_STEP(code, invalidate_rows(pod, &b->rows, &now));
    TS_STEP(code, invalidate_before(pod, t, number));
    t->at.lost = true;
    t->at.resync = false;
    t->at.sure = now;
    return code != TS_OK ? code : cloud_thread_busy(pod, t);
}

/* All that follows the last beginning of a call on the thread, except for that beginning. */
static ts_code distrust_open(cloud_pod *pod, const cloud_thread *t)
{
    const cloud_roots *roots = &pod->roots;
    const cloud_rows *sure = &t->at.sure;
    uint64_t slice = (uint64_t)cloud_root_slice(roots, t->at.root);
    cloud_rows end = cloud_rows_now(pod);
    ts_code code = TS_OK;
    for (size_t i = t->at.block; i > 0 && code == TS_OK; i = cloud_block_at(roots, i - 1)->before) {
        const cloud_block *b = cloud_block_at(roots, i - 1);
        cloud_rows to = i < roots->blocks.n ? cloud_block_at(roots, i)->rows : end;
        cloud_rows from = b->rows;
        bool first = b->first <= t->at.root;
        from.slices = later(from.slices, sure->slices);
        from.tags = later(from.tags, sure->tags);
        from.roots = to.roots; /* the record has just confirmed the beginning */
        from.slices = first ? later(from.slices, slice) : from.slices;
        code = invalidate_rows(pod, &from, &to);
        if (first) {
            break;
        }
    }
    return code;
}

bool cloud_trace_lacks_end(cloud_thread *t, size_t root)
{
    bool open = t->at.open && t->at.root == root;
    t->at.open = t->at.open && !open;
    t->at.ended = t->at.ended || open;
    return open;
}

/* The trace ends as it should, or goes on where calls say that a root is: it was not only cut,
 * and another part may be where that of the open call was. */
ts_code cloud_distrust_ended(cloud_pod *pod, bool strayed)
{
    ts_code code = TS_OK;
    if (pod->trace_incomplete && !strayed) {
        return TS_OK;
    }
    for (size_t i = 0; i < pod->threads.list.n && code == TS_OK; i++) {
        const cloud_thread *t = cloud_thread_at(&pod->threads, (uint32_t)i);
        code = t->at.ended ? distrust_open(pod, t) : TS_OK;
    }
    return code;
}

ts_code cloud_distrust_root(cloud_pod *pod, size_t block, size_t root)
{
    const cloud_roots *roots = &pod->roots;
    uint64_t slice = (uint64_t)cloud_root_slice(roots, root);
    uint32_t thread = cloud_block_at(roots, block)->thread;
    size_t n = roots->blocks.n;
    uint64_t next = 0;
    ts_code code = ts_sink_invalidate(pod->sink, TS_T_stack_slice, (int64_t)slice, (int64_t)slice,
                                      TS_NULL_BITS(stack_slice, dur, self_dur));
    for (size_t i = block; i < n && next == 0 && code == TS_OK; i++) {
        cloud_rows from = cloud_block_at(roots, i)->rows;
        cloud_rows to = i + 1 < n ? cloud_block_at(roots, i + 1)->rows : cloud_rows_now(pod);
        if (cloud_block_at(roots, i)->thread != thread) {
            continue;
        }
        next = (uint64_t)cloud_block_slice_behind(roots, i, root);
        from.slices = i == block ? slice : from.slices;
        from.roots = to.roots;
        to.slices = next != 0 ? next - 1 : to.slices;
        code = invalidate_rows(pod, &from, &to);
    }
    return code;
}

/* --- ends and gaps -------------------------------------------------------------------------- */

/* Closes what is open on all threads. *closed: how much that was. */
static ts_code close_open(uint64_t *closed, cloud_pod *pod, cloud_end end)
{
    cloud_thread *t;
    ts_code code = TS_OK;
    *closed = 0;
    for (size_t i = 0; (t = cloud_thread_idle(&pod->threads, i)) != NULL; i++) {
        t->at.lost = t->at.lost || (end == CLOUD_LOST && t->depth > 0);
        t->at.open = end == CLOUD_OPEN && t->depth > 0;
        t->at.resync = false;
        for (; t->depth > 0 && code == TS_OK; (*closed)++) {
            code = cloud_pop(pod, t, t->at.last, end);
        }
    }
    pod->threads.busy.n = 0;
    return code;
}

static ts_code note_closed(cloud_pod *pod, ts_issue_code issue, uint64_t closed)
{
    return ts_issue_n(pod->store, pod->source_id, issue, "trace", TS_NO_OFFSET, closed,
                      "invocations that were open: %" PRIu64, closed);
}

ts_code cloud_trace_end(cloud_pod *pod)
{
    uint64_t closed;
    ts_code code = close_open(&closed, pod, CLOUD_OPEN);
    if (code != TS_OK || closed == 0) {
        return code;
    }
    return note_closed(pod, TS_ISSUE_cloud_frames_open, closed);
}

ts_code cloud_trace_follow(cloud_pod *pod, bool gap)
{
    uint64_t closed;
    ts_code code;
    if (!pod->trace_incomplete && !gap) {
        return TS_OK;
    }
    pod->trace_incomplete = false;
    if ((code = close_open(&closed, pod, CLOUD_LOST)) != TS_OK || closed == 0 ||
        (code = cloud_lose(pod, "ends", closed)) != TS_OK) {
        return code;
    }
    return note_closed(pod, TS_ISSUE_cloud_frames_lost, closed);
}

/* --- batches of events: decoding, and looking ahead ----------------------------------------- */

enum { CLOUD_ENTER, CLOUD_EXIT, CLOUD_TAG, CLOUD_FINISH };
enum { CLOUD_INLINE_VALUE, CLOUD_XML_VALUE, CLOUD_INDEX_VALUE, CLOUD_SQL_VALUE };

/* Only what its kind and type have is set after `step`. */
typedef struct cloud_event {
    const uint8_t *end; /* where the next one begins */
    uint8_t kind;
    uint8_t type;
    uint8_t first; /* an ENTER: number in the batch of the callee that comes last; or none */
    uint8_t next;  /* an ENTER: that of the caller's callee before this one */
    uint32_t step;
    uint32_t word;
    uint32_t file;
    uint32_t offset;
    cloud_string value;
} cloud_event;

enum { CLOUD_BATCH = 64, CLOUD_NO_EVENT = 255 };

/* Events of a block that follow each other in the window. */
typedef struct cloud_batch {
    unsigned n;
    cloud_got got; /* what stopped it: nothing, or what events[n] lacks */
    cloud_event events[CLOUD_BATCH + 1];
} cloud_batch;

static void decode_event(cloud_event *e, cloud_cursor *c)
{
    uint8_t h = cloud_u8(c);
    e->kind = h & 3;
    e->type = 0;
    e->first = CLOUD_NO_EVENT;
    e->step = (uint32_t)(h & 0x7f) >> 2;
    if (e->kind == CLOUD_FINISH || c->got != CLOUD_GOT) {
        return;
    }
    if ((h & 0x80) != 0) {
        e->step |= cloud_varint(c) << 5;
    }
    if (e->kind == CLOUD_EXIT) {
        return;
    }
    e->word = cloud_varint(c);
    if (e->kind == CLOUD_ENTER) {
        return;
    }
    e->type = cloud_u8(c);
    if (e->type == CLOUD_INLINE_VALUE || e->type == CLOUD_INDEX_VALUE) {
        e->value = cloud_text(c);
    } else if (e->type == CLOUD_XML_VALUE || e->type == CLOUD_SQL_VALUE) {
        e->file = cloud_varint(c);
        e->offset = cloud_varint(c);
    } else {
        cloud_fail(c, CLOUD_BAD);
    }
}

/* Decodes events up to the end of the block, or of the window, or until the batch is full. */
static void decode_events(cloud_batch *batch, cloud_cursor c)
{
    bool finish = false;
    batch->n = 0;
    batch->got = CLOUD_GOT;
    while (batch->n < CLOUD_BATCH && !finish) {
        cloud_event *e = &batch->events[batch->n];
        decode_event(e, &c);
        if (c.got != CLOUD_GOT) {
            batch->got = c.got;
            return;
        }
        e->end = c.p;
        finish = e->kind == CLOUD_FINISH;
        batch->n++;
    }
}

/* Call paths are spread all over the memory. What the events of a batch will look up is fetched as
 * soon as the caller's path is known: before the batch is applied, and after each ENTER in it. */
static void fetch_path(const cloud_pod *pod, int64_t parent, uint32_t word)
{
    if (cloud_path_is(cloud_path_place(&pod->paths, (uint32_t)parent, word), (uint32_t)parent,
                      word)) {
        return;
    }
    int64_t method = cloud_word_method(&pod->words, word);
    if (method != 0) {
        ts_stack_node_fetch(pod->store, pod->source_id, parent, method, TS_NO_LINE);
    }
}

static void look_ahead(const cloud_pod *pod, const cloud_thread *t, cloud_batch *batch)
{
    uint8_t open[CLOUD_BATCH]; /* entered in the batch */
    unsigned open_n = 0;
    uint32_t depth = t->depth; /* of what was entered before it */
    for (unsigned i = 0; i < batch->n; i++) {
        cloud_event *e = &batch->events[i];
        if (e->kind == CLOUD_EXIT) {
            if (open_n > 0) {
                open_n--;
            } else if (depth > 0) {
                depth--;
            }
        }
        if (e->kind != CLOUD_ENTER) {
            continue;
        }
        if (open_n > 0) {
            cloud_event *caller = &batch->events[open[open_n - 1]];
            e->next = caller->first;
            caller->first = (uint8_t)i;
        } else {
            fetch_path(pod, cloud_thread_node(t, depth), e->word);
        }
        open[open_n++] = (uint8_t)i;
    }
}

/* What an ENTER that was applied calls in the batch. */
typedef struct cloud_below {
    unsigned first; /* as in cloud_event */
    int64_t node;
} cloud_below;

/* The places among the paths that were met lately come first, */
static cloud_below look_below(const cloud_pod *pod, const cloud_thread *t, const cloud_batch *batch,
                              unsigned i)
{
    const cloud_below below = {batch->events[i].first, cloud_thread_node(t, t->depth)};
    for (unsigned k = below.first; k != CLOUD_NO_EVENT; k = batch->events[k].next) {
        __builtin_prefetch(
            cloud_path_place(&pod->paths, (uint32_t)below.node, batch->events[k].word));
    }
    return below;
}

/* and one event later what is not there. */
static void fetch_below(const cloud_pod *pod, const cloud_batch *batch, cloud_below *below)
{
    for (unsigned k = below->first; k != CLOUD_NO_EVENT; k = batch->events[k].next) {
        fetch_path(pod, below->node, batch->events[k].word);
    }
    below->first = CLOUD_NO_EVENT;
}

/* --- events --------------------------------------------------------------------------------- */

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
    TS_TRY(cloud_root_add(&b->t->at.root, pod, &root, f->slice));
    return f->slice == 0 ? TS_OK : ts_put_cloud_root(pod->sink, &row);
}

static ts_code apply_enter(cloud_pod *pod, const block *b, const cloud_event *e, int64_t ms)
{
    cloud_thread *t = b->t;
    bool root = t->depth == 0;
    t->at.has_info = t->at.has_info && !root;
    ts_code code = cloud_push(pod, t, e->word, ms);
    TS_STEP_IF(code, root, put_root(pod, b, e, ms));
    if (code == TS_OK) {
        cloud_root_at(&pod->roots, t->at.root)->enters++;
    }
    return code;
}

static ts_code apply_exit(cloud_pod *pod, block *b, int64_t ms)
{
    cloud_thread *t = b->t;
    ts_tally *count = pod->counts[CLOUD_N_EXITS];
    ts_code code;
    count->seen++;
    if (t->depth > 0) {
        bool wanted = cloud_thread_top(t)->slice != 0;
        int64_t start = cloud_thread_root(t)->start;
        count->imported += wanted;
        count->skipped += !wanted;
        code = cloud_pop(pod, t, ms, CLOUD_ENDED);
        if (t->depth == 0) {
            cloud_root_end(&pod->roots, t->at.root, ts_sat_sub(ms, start));
            pod->roots_have_info = pod->roots_have_info || t->at.has_info;
            t->at.sure = cloud_rows_now(pod);
        }
        return code;
    }
    count->lost++;
    code = cloud_issue(pod, TS_ISSUE_cloud_stray_exit, cloud_offset(&pod->stream.reader),
                       "thread %" PRIu64 " has nothing open", b->tid);
    return code != TS_OK ? code : distrust(pod, b, "an exit without an enter");
}

/* Why this event cannot be where it is, or NULL. */
static const char *misplaced(const cloud_pod *pod, const cloud_thread *t, const cloud_event *e,
                             int64_t ms)
{
    /* The agent writes call.info, the tags after it and the end at once. */
    if (t->depth == 1 && t->at.has_info && e->kind == CLOUD_ENTER) {
        return "a method is entered after call.info";
    }
    if (t->depth == 1 && t->at.has_info && ms != t->at.last) {
        return "time passes after call.info";
    }
    if (e->kind == CLOUD_EXIT) {
        return t->depth == 1 && !t->at.has_info && pod->roots_have_info
                   ? "a call ends without call.info"
                   : NULL;
    }
    const cloud_word *w = cloud_word_of(&pod->words, e->word);
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
static size_t write_decimal(char out[DECIMAL + 1], int64_t v)
{
    uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    char *at = out + DECIMAL;
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left != 0);
    if (v < 0) {
        *--at = '-';
    }
    size_t n = (size_t)(out + DECIMAL - at);
    memmove(out, at, n);
    return n;
}

/* Are these the digits of the number, as the agent writes it? */
static bool is_decimal(cloud_string value, int64_t v)
{
    size_t i = value.units;
    if (i == 0 || i > DECIMAL || v <= 0) {
        return false;
    }
    for (uint64_t left = (uint64_t)v; i > 0; left /= 10) {
        i--;
        if (value.p[2 * i] != 0 || value.p[2 * i + 1] != '0' + left % 10) {
            return false;
        }
        if (left < 10) {
            return i == 0;
        }
    }
    return false;
}

/* Does the tag that says when the call began say something else? A text that is not made of digits
 * only, and begins otherwise, may be a date in a form of its own. */
static bool start_differs(const cloud_pod *pod, const cloud_thread *t, const cloud_event *e)
{
    char start[DECIMAL + 1];
    size_t digits = 0;
    size_t equal = 0;
    if (!cloud_word_is(&pod->words, e->word, CLOUD_WORD_STARTED) || t->depth != 1 ||
        e->type != CLOUD_INLINE_VALUE || is_decimal(e->value, cloud_thread_root(t)->start)) {
        return false;
    }
    size_t n = write_decimal(start, cloud_thread_root(t)->start);
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
    if (t->depth == 1 && !t->at.has_info) {
        t->at.has_info = true;
        return TS_OK;
    }
    ts_code code = cloud_missing(pod, TS_ISSUE_cloud_root_lost, "roots",
                                 "thread %" PRIu64 " ends a call with %" PRIu32 " invocations open",
                                 b->tid, t->depth);
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
    if (pod->text.n == 0) {
        return TS_OK;
    }
    if (pod->text.n >= CLOUD_AMOUNT_DIGITS && b->t->depth == 1) {
        TS_TRY(cloud_amount_note(pod, b->t->at.root, e->word, ts_buf_text(&pod->text)));
    }
    if (cloud_word_is(&pod->words, e->word, CLOUD_WORD_JAVA_THREAD)) {
        return cloud_name_thread(pod, b->t, ts_buf_text(&pod->text));
    }
    if (!cloud_word_is(&pod->words, e->word, CLOUD_WORD_NODE_NAME)) {
        return TS_OK;
    }
    ts_row_source *source = ts_source(pod->store, pod->source_id);
    return source->host.p != NULL ? TS_OK
                                  : ts_source_text(pod->store, pod->source_id, &source->host,
                                                   pod->text.p, pod->text.n);
}

static ts_code apply_tag(cloud_pod *pod, const block *b, const cloud_event *e, int64_t ms)
{
    cloud_thread *t = b->t;
    int64_t slice = t->depth == 0 ? 0 : cloud_thread_top(t)->slice;
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
    if (t->depth > 0 ? slice == 0 : !cloud_wanted(pod, ms)) {
        cloud_count_skipped(pod, CLOUD_N_TAGS);
        return TS_OK;
    }
    if (t->depth == 1 && cloud_word_is(&pod->words, e->word, CLOUD_WORD_STARTED)) {
        cloud_root_at(&pod->roots, t->at.root)->promised = 1;
    }
    row.id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_tag) + 1;
    if (e->type == CLOUD_INLINE_VALUE || e->type == CLOUD_INDEX_VALUE) {
        TS_SET_NULL(cloud_tag, &row, text_id, text_file, text_offset);
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
    TS_NULL_IF(slice == 0, cloud_tag, &row, slice_id);
    if (row.dictionary_id == 0) {
        TS_SET_NULL(cloud_tag, &row, dictionary_id);
        TS_TRY_INTO(code, cloud_no_word(pod, "a tag", e->word));
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
    ts_code code = TS_OK;
    b->sum += e->step;
    int64_t ms = ts_sat_add((int64_t)b->real, (int32_t)(b->sum - b->shift));
    b->first = b->events == 0 ? ms : b->first;
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
    if (t->depth >= CLOUD_MAX_DEPTH) {
        return "more than a million invocations are open on one thread";
    }
    return pod->threads.open >= CLOUD_MAX_OPEN ? "more than 2000000 invocations are open in a pod"
                                               : NULL;
}

/* Events of a batch, up to the end of the block; *complete: it was reached. */
static ts_code apply_batch(cloud_pod *pod, block *b, cloud_batch *batch, bool *complete)
{
    cloud_reader *r = &pod->stream.reader;
    const char *why = NULL;
    cloud_below below = {CLOUD_NO_EVENT, 0};
    cloud_below entered = below;
    ts_code code = TS_OK;
    look_ahead(pod, b->t, batch);
    for (unsigned i = 0; i < batch->n && code == TS_OK; i++) {
        const cloud_event *e = &batch->events[i];
        if (e->kind == CLOUD_FINISH) {
            *complete = true;
        } else if (e->kind == CLOUD_ENTER) {
            if ((why = too_many_open(pod, b->t)) != NULL) {
                break;
            }
            code = apply_timed(pod, b, e);
            entered = look_below(pod, b->t, batch, i);
        } else {
            code = apply_timed(pod, b, e);
        }
        fetch_below(pod, batch, &below);
        below = entered;
        entered.first = CLOUD_NO_EVENT;
        r->at = (size_t)(e->end - r->buf);
    }
    cloud_stream_keep(&pod->stream);
    TS_STEP_IF(code, why != NULL, cloud_stop_at(pod, CLOUD_N_ENTERS, why));
    return code;
}

/* What is at the reader's place is no complete event, and no more bytes come. */
static ts_code end_of_events(cloud_pod *pod, block *b, cloud_got got, const cloud_event *e)
{
    const cloud_reader *r = &pod->stream.reader;
    if (got == CLOUD_BAD) {
        ts_code code =
            cloud_stop_at(pod, CLOUD_N_TAGS,
                          e->type > CLOUD_SQL_VALUE ? "a tag has a value of an unknown kind"
                                                    : "a tag's text has an invalid length");
        return code != TS_OK ? code : distrust(pod, b, "invalid event");
    }
    if (r->at == r->n) {
        pod->stream.damaged = true;
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
    cloud_reader *r = &pod->stream.reader;
    cloud_batch batch;
    ts_code code = TS_OK;
    *complete = false;
    while (code == TS_OK && !*complete && !pod->stream.damaged) {
        decode_events(&batch, cloud_window(r));
        code = apply_batch(pod, b, &batch, complete);
        if (code != TS_OK || batch.got == CLOUD_GOT || pod->stream.damaged) {
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
        .file = pod->stream.file->index,
        .offset = (int64_t)offset,
        .bytes = (int64_t)(pod->stream.kept - offset),
        .itid = b->t->itid,
        .real_ts = cloud_ns((int64_t)b->real),
        .start_ts = cloud_ns(b->first),
        .end_ts = cloud_ns(b->last),
        .events = b->events,
        .complete = complete,
    };
    TS_NULL_IF(b->events == 0, cloud_block, &row, start_ts, end_ts);
    cloud_count(pod, CLOUD_N_BLOCKS);
    return ts_put_cloud_block(pod->sink, &row);
}

/* Adds the block, so that calls find the roots in it. */
static ts_code keep_block(cloud_pod *pod, block *b, uint64_t offset)
{
    cloud_block row = {.real = (int64_t)b->real};
    TS_TRY(cloud_thread_of(&b->thread, pod, b->tid));
    cloud_thread *t = cloud_thread_at(&pod->threads, b->thread);
    b->t = t;
    row.thread = b->thread;
    row.before = t->at.block;
    TS_TRY(cloud_block_add(&b->number, pod, row, offset));
    b->row = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_block) + 1;
    t->at.block = (uint32_t)b->number + 1;
    return TS_OK;
}

/* No block begins where the one before it ended: that was no end. */
static ts_code stop_behind_block(cloud_pod *pod, const char *why)
{
    size_t n = pod->roots.blocks.n;
    ts_code code = cloud_stop(pod, why);
    if (code != TS_OK || n == 0 ||
        cloud_block_at(&pod->roots, n - 1)->file != (uint32_t)pod->stream.file->index) {
        return code;
    }
    return cloud_distrust(pod, n - 1, "no block follows it");
}

static ts_code read_block(cloud_pod *pod, uint64_t timer)
{
    cloud_reader *r = &pod->stream.reader;
    cloud_cursor c = cloud_window(r);
    uint64_t offset = cloud_offset(r);
    block b = {0};
    bool complete;
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
    TS_TRY(keep_block(pod, &b, offset));
    cloud_take(r, &c);
    cloud_stream_keep(&pod->stream);
    TS_TRY(read_events(pod, &b, &complete));
    return put_block(pod, &b, offset, complete);
}

ts_code cloud_trace_import(cloud_pod *pod)
{
    cloud_reader *r = &pod->stream.reader;
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
    while (code == TS_OK && !pod->stream.damaged) {
        if ((code = cloud_need(r, 16)) != TS_OK || r->at == r->n) {
            break;
        }
        code = read_block(pod, timer);
    }
    pod->trace_incomplete = pod->trace_incomplete || (code == TS_OK && pod->stream.damaged);
    return code;
}
