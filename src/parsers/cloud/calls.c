/* Records of finished calls, formats 0 to 4. */
#include "parsers/cloud/cloud_impl.h"

#include "base/alloc.h"

#include <inttypes.h>

#define FORMAT_MAGIC UINT64_C(0xfffefdfc)
enum { NEWEST_FORMAT = 4, MAX_PARAMS = 4096, MAX_VALUES = 1 << 20 };

typedef struct call {
    int64_t start;
    bool timed;    /* the start is known and fits */
    uint32_t wide; /* a bit for each of cpu, wait, memory and io that does not fit */
    uint32_t method;
    int32_t dur;
    uint32_t enters;
    uint32_t thread; /* number of a name */
    bool named;      /* the name stands here */
    cloud_string name;
    uint32_t logs_written, logs_more;
    uint32_t file, offset, record;
    int64_t cpu, wait, memory;
    int64_t io[4]; /* file read, written; net read, written */
    uint32_t transactions, queue_wait;
    uint32_t params;
    uint64_t values;       /* of all parameters */
    const uint8_t *groups; /* where they begin */
} call;

/* --- decoding ------------------------------------------------------------------------------- */

/* Bits of call.wide; those of io follow. */
enum { WIDE_CPU = 1, WIDE_WAIT = 2, WIDE_MEMORY = 4, WIDE_IO = 8 };

static int64_t take_long(call *k, cloud_cursor *c, uint32_t bit)
{
    bool wide = false;
    int64_t v = (int64_t)cloud_varlong(c, &wide);
    if (wide) {
        k->wide |= bit;
        return INT64_MIN; /* no amount of a tag */
    }
    return v;
}

/* A number of ms that the writer cut to 32 bits. */
static int64_t take_ms(call *k, cloud_cursor *c, uint32_t bit)
{
    int64_t v = take_long(k, c, bit);
    if (v >= INT64_C(1) << 31 && v < INT64_C(1) << 32) {
        v -= INT64_C(1) << 32;
    }
    if (!cloud_fits(v)) {
        k->wide |= bit;
    }
    return v;
}

static void decode_numbers(call *k, cloud_cursor *c, int format)
{
    if (format >= 2) {
        k->cpu = take_ms(k, c, WIDE_CPU);
        k->wait = take_ms(k, c, WIDE_WAIT);
        k->memory = take_long(k, c, WIDE_MEMORY);
    }
    for (uint32_t i = 0; i < 4 && format >= 3; i++) {
        k->io[i] = take_long(k, c, (uint32_t)WIDE_IO << i);
    }
    if (format >= 4) {
        k->transactions = cloud_varint(c);
        k->queue_wait = cloud_varint(c);
    }
}

/* Walks over the groups, so that the whole record is known to be there. */
static void decode_params(cloud_pod *pod, call *k, cloud_cursor *c)
{
    k->params = cloud_varint(c);
    k->groups = c->p;
    if (k->params > MAX_PARAMS) {
        cloud_refuse(pod, c, "a call has more than 4096 parameters");
        return;
    }
    for (uint32_t i = 0; i < k->params && c->got == CLOUD_GOT; i++) {
        uint32_t values;
        (void)cloud_varint(c);
        values = cloud_varint(c);
        k->values += values;
        if (values > MAX_VALUES) {
            cloud_refuse(pod, c, "a parameter has more than 2^20 values");
            return;
        }
        for (uint32_t v = 0; v < values && c->got == CLOUD_GOT; v++) {
            (void)cloud_text(c);
        }
    }
}

static void decode(cloud_pod *pod, call *k, cloud_cursor *c)
{
    const cloud_calls *calls = &pod->calls;
    int32_t delta = cloud_zigzag(c);
    k->timed = !calls->lost && !ts_ckd_add(&k->start, calls->last, delta);
    k->method = cloud_varint(c);
    k->dur = (int32_t)cloud_varint(c);
    k->enters = cloud_varint(c);
    if (calls->format >= 1) {
        k->thread = cloud_varint(c);
        k->named = k->thread == calls->names.n;
        if (k->named) {
            k->name = cloud_text(c);
        }
        k->logs_written = cloud_varint(c);
        k->logs_more = cloud_varint(c);
    }
    k->file = cloud_varint(c);
    k->offset = cloud_varint(c);
    k->record = cloud_varint(c);
    decode_numbers(k, c, calls->format);
    decode_params(pod, k, c);
}

/* --- rows ----------------------------------------------------------------------------------- */

static void clear_absent(ts_row_cloud_call *row, int format)
{
    if (format < 1) {
        row->thread_name = TS_TEXT_NULL;
        TS_SET_NULL(cloud_call, row, thread_index);
        TS_SET_NULL(cloud_call, row, logs_written);
        TS_SET_NULL(cloud_call, row, logs_generated);
    }
    if (format < 2) {
        TS_SET_NULL(cloud_call, row, cpu_dur);
        TS_SET_NULL(cloud_call, row, wait_dur);
        TS_SET_NULL(cloud_call, row, memory);
    }
    if (format < 3) {
        TS_SET_NULL(cloud_call, row, file_read);
        TS_SET_NULL(cloud_call, row, file_written);
        TS_SET_NULL(cloud_call, row, net_read);
        TS_SET_NULL(cloud_call, row, net_written);
    }
    if (format < 4) {
        TS_SET_NULL(cloud_call, row, transactions);
        TS_SET_NULL(cloud_call, row, queue_wait_dur);
    }
}

/* What does not fit is NULL. */
static ts_code clear_wide(cloud_pod *pod, const call *k, ts_row_cloud_call *row)
{
    static const uint64_t bits[] = {
        TS_NULL_BIT(cloud_call, cpu_dur),      TS_NULL_BIT(cloud_call, wait_dur),
        TS_NULL_BIT(cloud_call, memory),       TS_NULL_BIT(cloud_call, file_read),
        TS_NULL_BIT(cloud_call, file_written), TS_NULL_BIT(cloud_call, net_read),
        TS_NULL_BIT(cloud_call, net_written),
    };
    bool times = !k->timed || (k->wide & (WIDE_CPU | WIDE_WAIT)) != 0;
    ts_code code = TS_OK;
    if (!k->timed) {
        TS_SET_NULL(cloud_call, row, ts);
        TS_SET_NULL(cloud_call, row, suspend_dur);
    }
    for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        row->null |= (k->wide >> i & 1) != 0 ? bits[i] : 0;
    }
    if (times) {
        code = cloud_missing(pod, TS_ISSUE_time_overflow, "values",
                             "the beginning of a call, or what it took, does not fit");
    }
    if (code == TS_OK && k->wide >= WIDE_MEMORY) {
        code = cloud_missing(pod, TS_ISSUE_cloud_amount_overflow, "values",
                             "an amount of a call has more than 64 bits");
    }
    return code;
}

#define TIME_COLUMNS (TS_NULL_BIT(cloud_call, ts) | TS_NULL_BIT(cloud_call, suspend_dur))

/*
 * The record and its root say different things. Each beginning counts from that of the record
 * before: those since the last one that agreed with its root are not certain, this one neither. The
 * next ones count from what the root says.
 */
static ts_code contradict(cloud_pod *pod, const call *k, ts_row_cloud_call *row, uint32_t method,
                          int64_t start)
{
    cloud_calls *calls = &pod->calls;
    ts_code code = cloud_missing(pod, TS_ISSUE_cloud_call_mismatch, "roots",
                                 "method %" PRIu32 " at %" PRId64 " ms, in the trace %" PRIu32
                                 " at %" PRId64 " ms",
                                 k->method, k->start, method, start);
    if (method != k->method) {
        TS_SET_NULL(cloud_call, row, method_id);
    }
    if (code != TS_OK || !k->timed || start == k->start) {
        return code;
    }
    row->null |= TIME_COLUMNS;
    if (row->id > calls->sure + 1) {
        code = ts_sink_invalidate(pod->sink, TS_T_cloud_call, calls->sure + 1, row->id - 1,
                                  TIME_COLUMNS);
    }
    calls->sure = row->id;
    calls->last = start;
    calls->shift = ts_sat_sub(k->start, start);
    return code;
}

/*
 * After a record that contradicts its root: its difference may be wrong, and then this one counts
 * from the root's beginning, or the agent wrote another beginning, and then this one counts from
 * that (spec 4.5). The root of this one says which.
 */
static void settle(cloud_calls *calls, const cloud_pod *pod, call *k)
{
    int64_t other = ts_sat_add(k->start, calls->shift);
    const cloud_block *block = NULL;
    const cloud_root *root;
    if (!k->timed || calls->shift == 0) {
        return;
    }
    calls->shift = 0;
    root = cloud_root_at(&block, pod, k->file, k->offset, k->record);
    if (root != NULL && block->real + root->since == other) {
        k->start = other;
    }
}

/* The agent writes the record of a call behind its end. A trace without that end lacks a part. */
static ts_code check_end(cloud_pod *pod, cloud_thread *t, const cloud_root *root)
{
    const cloud_root *roots = pod->roots.p;
    if (!t->open || root != roots + t->root) {
        return TS_OK;
    }
    t->open = false;
    t->ended = true;
    return cloud_missing(pod, TS_ISSUE_cloud_root_lost, "roots",
                         "thread %" PRIu64 ": the trace has no end of a call that ended", t->tid);
}

/*
 * How much there is in the call, and how long it lasted: a reactive one may end behind its root. A
 * negative length is wrong in the record (see implausible) and says nothing about the root.
 */
static ts_code check_amount(cloud_pod *pod, const call *k, ts_row_cloud_call *row,
                            const cloud_block *block, const cloud_root *root)
{
    ts_code code;
    if (root->slice == 0 || root->dur < 0 ||
        (root->enters == k->enters && (k->dur < 0 || root->dur <= k->dur))) {
        return TS_OK;
    }
    row->null |= TS_NULL_BIT(cloud_call, calls) | TS_NULL_BIT(cloud_call, dur) |
                 TS_NULL_BIT(cloud_call, suspend_dur);
    code = cloud_missing(pod, TS_ISSUE_cloud_call_mismatch, "roots",
                         "%" PRIu32 " invocations in %" PRId32 " ms, in the trace %" PRIu32
                         " in %" PRId32 " ms",
                         k->enters, k->dur, root->enters, root->dur);
    return code != TS_OK ? code : cloud_distrust_root(pod, block, root);
}

static ts_code find_root(cloud_pod *pod, const call *k, ts_row_cloud_call *row)
{
    const cloud_block *block = NULL;
    cloud_root *root = cloud_root_at(&block, pod, k->file, k->offset, k->record);
    cloud_thread *thread;
    int64_t start;
    ts_code code;
    TS_SET_NULL(cloud_call, row, root_slice_id);
    if (root == NULL) {
        TS_SET_NULL(cloud_call, row, itid);
        pod->calls.strayed = pod->calls.strayed || cloud_traced_behind(pod, k->file, k->offset);
        return cloud_missing(
            pod,
            cloud_has_trace(pod, k->file) ? TS_ISSUE_cloud_call_no_root
                                          : TS_ISSUE_cloud_call_no_trace,
            "roots", "trace file %" PRIu32 " has no root at byte %" PRIu32 ", record %" PRIu32,
            k->file, k->offset, k->record);
    }
    root->promised = 0;
    thread = (cloud_thread *)pod->threads.p + block->thread;
    start = block->real + root->since;
    row->itid = thread->itid;
    if (root->slice != 0) {
        row->root_slice_id = pod->first_slice + root->slice;
        row->null &= ~TS_NULL_BIT(cloud_call, root_slice_id);
    }
    code = check_end(pod, thread, root);
    if (code == TS_OK) {
        code = cloud_name_thread(pod, thread, row->thread_name);
    }
    if (code == TS_OK) {
        code = cloud_amounts_mend(pod, root, row);
    }
    if (code != TS_OK) {
        return code;
    }
    if (root->word == k->method && (!k->timed || start == k->start)) {
        pod->calls.sure = row->id;
        return check_amount(pod, k, row, block, root);
    }
    return contradict(pod, k, row, root->word, start);
}

/* The texts of the thread's name live in pod->more until the row is put. */
static ts_code take_thread(cloud_pod *pod, const call *k, ts_row_cloud_call *row)
{
    cloud_calls *calls = &pod->calls;
    uint32_t *names = calls->names.p;
    ts_code code;
    if (calls->format < 1) {
        return TS_OK;
    }
    if (k->named) {
        if ((code = cloud_utf8(pod->ctx, &pod->more, k->name)) != TS_OK ||
            (code = cloud_grow(pod->ctx, &calls->names, sizeof *names)) != TS_OK) {
            return code;
        }
        names = calls->names.p;
        code = ts_pool_intern(pod->ctx, &names[calls->names.n], NULL, &pod->thread_names,
                              ts_buf_text(&pod->more));
        if (code != TS_OK) {
            return code;
        }
        calls->names.n++;
    }
    if (k->thread < calls->names.n) {
        row->thread_name = ts_pool_text(&pod->thread_names, names[k->thread]);
        return TS_OK;
    }
    pod->more.n = 0;
    code = ts_buf_printf(pod->ctx, &pod->more, "unknown # %" PRIu32, k->thread);
    row->thread_name = ts_buf_text(&pod->more);
    return code;
}

static ts_code put_params(cloud_pod *pod, const call *k, const uint8_t *end, int64_t id)
{
    cloud_cursor c = {k->groups, end, CLOUD_GOT};
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < k->params && code == TS_OK; i++) {
        uint32_t word = cloud_varint(&c);
        uint32_t values = cloud_varint(&c);
        ts_row_cloud_call_param row = {
            .call_id = id,
            .word_id = word,
            .dictionary_id = cloud_word_row(pod, word),
        };
        if (row.dictionary_id == 0) {
            TS_SET_NULL(cloud_call_param, &row, dictionary_id);
            code = cloud_no_word(pod, "a parameter", word);
        }
        for (uint32_t v = 0; v < values && code == TS_OK; v++) {
            code = cloud_utf8(pod->ctx, &pod->text, cloud_text(&c));
            if (code == TS_OK) {
                row.ordinal = v;
                row.value = ts_buf_text(&pod->text);
                cloud_count(pod, CLOUD_N_CALL_PARAMS);
                code = ts_put_cloud_call_param(pod->sink, &row);
            }
        }
    }
    return code;
}

static ts_row_cloud_call make_row(const cloud_pod *pod, const call *k)
{
    return (ts_row_cloud_call){
        .id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_call) + 1,
        .source_id = pod->source_id,
        .calls_file = pod->file->index,
        .record = pod->calls.record,
        .ts = k->timed ? cloud_ns(k->start) : 0,
        .dur = cloud_ns(k->dur),
        .calls = k->enters,
        .thread_index = k->thread,
        .logs_written = k->logs_written,
        .logs_generated = (int64_t)k->logs_written + k->logs_more,
        .cpu_dur = cloud_ns(k->cpu),
        .wait_dur = cloud_ns(k->wait),
        .memory = k->memory,
        .file_read = k->io[0],
        .file_written = k->io[1],
        .net_read = k->io[2],
        .net_written = k->io[3],
        .transactions = k->transactions,
        .queue_wait_dur = cloud_ns(k->queue_wait),
        .suspend_dur = k->timed ? cloud_ns(cloud_paused(pod, k->start, k->start + k->dur)) : 0,
        .null = k->timed && k->start + k->dur <= pod->pauses_known
                    ? 0
                    : TS_NULL_BIT(cloud_call, suspend_dur),
        .trace_file = k->file,
        .trace_offset = k->offset,
        .trace_record = k->record,
    };
}

/* What cannot be in a call, or NULL. */
static const char *implausible(const cloud_pod *pod, const call *k)
{
    if (k->dur < 0) {
        return "a call lasts less than nothing";
    }
    if (pod->calls.format >= 1 && k->thread > pod->calls.names.n) {
        return "a call's thread has no name";
    }
    /* When words were lost their numbers say nothing about the call. */
    return k->method >= pod->word_end && !pod->words_lost ? "a call's method has no word" : NULL;
}

/* Most often the records before it were damaged, and all that follow make no sense either. */
static ts_code check(cloud_pod *pod, const call *k, cloud_cursor *c)
{
    const char *why = implausible(pod, k);
    if (why == NULL) {
        return TS_OK;
    }
    if (pod->ctx->strict) {
        cloud_refuse(pod, c, why);
        return TS_OK;
    }
    return cloud_missing(pod, TS_ISSUE_cloud_call_implausible, "values",
                         "%s: method %" PRIu32 ", thread %" PRIu32 ", %" PRId32 " ms", why,
                         k->method, k->thread, k->dur);
}

/* The trace ends as it should, or goes on where calls say that a root stands: it was not only cut,
 * and another part may stand where that of the open call was. */
static ts_code distrust_ended(cloud_pod *pod)
{
    const cloud_thread *threads = pod->threads.p;
    ts_code code = TS_OK;
    for (size_t i = 0;
         i < pod->threads.n && code == TS_OK && (!pod->trace_torn || pod->calls.strayed); i++) {
        code = threads[i].ended ? cloud_distrust_open(pod, &threads[i]) : TS_OK;
    }
    return code;
}

ts_code cloud_calls_end(cloud_pod *pod)
{
    const cloud_root *roots = pod->roots.p;
    uint64_t missing = 0;
    ts_code code = distrust_ended(pod);
    if (code != TS_OK) {
        return code;
    }
    for (size_t i = 0; i < pod->roots.n; i++) {
        missing += roots[i].promised;
    }
    if (missing == 0 || (code = cloud_lose(pod, "calls", missing)) != TS_OK) {
        return missing == 0 ? TS_OK : code;
    }
    return ts_issue_n(pod->store, pod->source_id, TS_ISSUE_cloud_call_missing, "calls",
                      TS_NO_OFFSET, missing,
                      "roots of the trace whose calls have no record: %" PRIu64, missing);
}

static ts_code call_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    call k = {0};
    ts_row_cloud_call row;
    bool in_time;
    ts_code code;
    (void)offset;
    decode(pod, &k, c);
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    in_time = k.timed;
    settle(&pod->calls, pod, &k);
    k.timed = k.timed && cloud_fits(k.start) && cloud_fits(ts_sat_add(k.start, k.dur));
    row = make_row(pod, &k);
    if ((code = check(pod, &k, c)) != TS_OK || c->got != CLOUD_GOT ||
        (code = take_thread(pod, &k, &row)) != TS_OK) {
        return code;
    }
    pod->calls.last = k.start;
    pod->calls.lost = !in_time;
    pod->calls.record++;
    if (k.timed && !cloud_wanted(pod, k.start)) {
        cloud_count_skipped(pod, CLOUD_N_CALLS);
        pod->counts[CLOUD_N_CALL_PARAMS]->seen += k.values;
        pod->counts[CLOUD_N_CALL_PARAMS]->skipped += k.values;
        return TS_OK;
    }
    if ((code = cloud_method(&row.method_id, pod, k.method)) != TS_OK ||
        (code = find_root(pod, &k, &row)) != TS_OK || (code = clear_wide(pod, &k, &row)) != TS_OK) {
        return code;
    }
    clear_absent(&row, pod->calls.format);
    if (k.timed) {
        cloud_note_time(pod, k.start);
        cloud_note_time(pod, k.start + k.dur);
    }
    cloud_count(pod, CLOUD_N_CALLS);
    code = ts_put_cloud_call(pod->sink, &row);
    return code != TS_OK ? code : put_params(pod, &k, c->p, row.id);
}

/* --- files ---------------------------------------------------------------------------------- */

ts_code cloud_calls_import(cloud_pod *pod)
{
    cloud_reader *r = &pod->reader;
    cloud_calls *calls = &pod->calls;
    ts_code code = cloud_need(r, 16);
    cloud_cursor c = cloud_window(r);
    uint64_t head = cloud_fixed(&c, 8);
    if (code != TS_OK) {
        return code;
    }
    calls->names.n = 0; /* each file has names of its own */
    calls->sure = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_call);
    calls->record = 0;
    calls->shift = 0;
    calls->format = 0;
    if (head >> 32 == FORMAT_MAGIC) {
        uint32_t format = (uint32_t)head;
        if (format > NEWEST_FORMAT) {
            pod->damaged = true;
            return cloud_issue(pod, TS_ISSUE_cloud_calls_format, 0, "format %" PRIu32, format);
        }
        calls->format = (int)format;
        head = cloud_fixed(&c, 8);
    }
    if (c.got != CLOUD_GOT) {
        return cloud_no_header(pod, calls->format == 0 ? 8 : 16);
    }
    calls->last = (int64_t)head;
    calls->lost = head > INT64_MAX;
    cloud_take(r, &c);
    pod->kept = cloud_offset(r);
    if ((code = cloud_fact(pod, "format", calls->format)) != TS_OK ||
        (code = cloud_fact(pod, "base", calls->last)) != TS_OK) {
        return code;
    }
    return cloud_records(pod, call_record, CLOUD_N_CALLS, "the record of a call");
}
