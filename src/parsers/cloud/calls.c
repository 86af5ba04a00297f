/* Records of finished calls, formats 0 to 4. */
#include "parsers/cloud/pod.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- amounts that the agent truncated ------------------------------------------------------- */

#define LOW_BITS INT64_C(0xfffffff)
enum { TRUNCATED_BELOW = 1 << 21 };

static bool parse_amount(int64_t *out, ts_text text)
{
    int64_t v = 0;
    for (size_t i = 0; i < text.n; i++) {
        int64_t digit = text.p[i] - '0';
        if (digit < 0 || digit > 9 || v > (INT64_MAX - digit) / 10) {
            return false;
        }
        v = v * 10 + digit;
    }
    *out = v;
    return true;
}

ts_code cloud_amount_note(cloud_pod *pod, size_t root, uint32_t word, ts_text text)
{
    int kind = 0;
    int64_t value;
    cloud_amount *amount;
    while (kind < CLOUD_AMOUNTS &&
           !cloud_word_is(&pod->words, word, (cloud_known_word)(CLOUD_WORD_AMOUNTS + kind))) {
        kind++;
    }
    if (kind == CLOUD_AMOUNTS || !parse_amount(&value, text) || value <= LOW_BITS ||
        (value & LOW_BITS) >= TRUNCATED_BELOW) {
        return TS_OK;
    }
    TS_NEED(pod->ctx, amount = ts_vec_add(pod->ctx, &pod->amounts, sizeof *amount));
    *amount = (cloud_amount){root, (cloud_amount_kind)kind, value};
    return TS_OK;
}

static int amount_by_root(const void *a, const void *b)
{
    const cloud_amount *x = a;
    const cloud_amount *y = b;
    if (x->root != y->root) {
        return x->root < y->root ? -1 : 1;
    }
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    return x->value < y->value ? -1 : x->value > y->value;
}

void cloud_amounts_end(cloud_pod *pod)
{
    if (pod->amounts.n > 1) {
        qsort(pod->amounts.p, pod->amounts.n, sizeof(cloud_amount), amount_by_root);
    }
}

static size_t first_amount(const ts_vec *all, size_t root)
{
    const cloud_amount *amounts = all->p;
    size_t low = 0;
    size_t high = all->n;
    CLOUD_BISECT(low, high, mid, amounts[mid].root < root)
    return low;
}

/* Replaces truncated amounts in the record of the call with this root. format: of the calls. */
static ts_code cloud_repair_truncated(cloud_pod *pod, size_t root, int format,
                                      ts_row_cloud_call *row)
{
    static const char *const names[CLOUD_AMOUNTS] = {
        "memory", "file_read", "file_written", "net_read", "net_written",
    };
    int64_t *cells[CLOUD_AMOUNTS] = {
        &row->memory, &row->file_read, &row->file_written, &row->net_read, &row->net_written,
    };
    const ts_vec *list = &pod->amounts;
    const cloud_amount *amounts = list->p;
    int kinds = format >= 3 ? CLOUD_AMOUNTS : format == 2 ? 1 : 0;
    ts_code code = TS_OK;
    if (list->n == 0) {
        return TS_OK;
    }
    for (size_t i = first_amount(&pod->amounts, root);
         i < list->n && amounts[i].root == root && code == TS_OK; i++) {
        const cloud_amount *a = &amounts[i];
        int64_t *cell = cells[a->kind];
        if ((int)a->kind >= kinds || *cell != (a->value & LOW_BITS)) {
            continue;
        }
        code = cloud_issue(pod, TS_ISSUE_cloud_amount_repaired, cloud_offset(&pod->stream.reader),
                           "%s was recorded as %" PRId64 ", in the trace as %" PRId64,
                           names[a->kind], *cell, a->value);
        *cell = a->value;
    }
    return code;
}

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
    bool named;      /* the name is here */
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

/* Walks over the groups, so that the record is known to be complete. */
static void decode_params(cloud_pod *pod, call *k, cloud_cursor *c)
{
    k->params = cloud_varint(c);
    k->groups = c->p;
    if (k->params > MAX_PARAMS) {
        cloud_reject_record(&pod->stream, c, "a call has more than 4096 parameters");
        return;
    }
    for (uint32_t i = 0; i < k->params && c->got == CLOUD_GOT; i++) {
        (void)cloud_varint(c);
        uint32_t values = cloud_varint(c);
        k->values += values;
        if (values > MAX_VALUES) {
            cloud_reject_record(&pod->stream, c, "a parameter has more than 2^20 values");
            return;
        }
        for (uint32_t v = 0; v < values && c->got == CLOUD_GOT; v++) {
            (void)cloud_text(c);
        }
    }
}

static void decode_call(cloud_pod *pod, call *k, cloud_cursor *c)
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
        k->name = k->named ? cloud_text(c) : k->name;
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
        TS_SET_NULL(cloud_call, row, thread_index, logs_written, logs_generated);
    }
    TS_NULL_IF(format < 2, cloud_call, row, cpu_dur, wait_dur, memory);
    TS_NULL_IF(format < 3, cloud_call, row, file_read, file_written, net_read, net_written);
    TS_NULL_IF(format < 4, cloud_call, row, transactions, queue_wait_dur);
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
    TS_NULL_IF(!k->timed, cloud_call, row, ts, suspend_dur);
    for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        row->null |= (k->wide >> i & 1) != 0 ? bits[i] : 0;
    }
    TS_STEP_IF(code, times,
               cloud_missing(pod, TS_ISSUE_time_overflow, "values",
                             "the beginning of a call, or what it took, does not fit"));
    TS_STEP_IF(code, k->wide >= WIDE_MEMORY,
               cloud_missing(pod, TS_ISSUE_cloud_amount_overflow, "values",
                             "an amount of a call has more than 64 bits"));
    return code;
}

#define TIME_COLUMNS (TS_NULL_BIT(cloud_call, ts) | TS_NULL_BIT(cloud_call, suspend_dur))

/*
 * The record and its root say different things. Each beginning counts from that of the record
 * before: those since the last one that agreed with its root are not certain, this one neither. The
 * next ones count from the start of the root.
 */
static ts_code contradict(cloud_pod *pod, const call *k, ts_row_cloud_call *row, uint32_t method,
                          int64_t start)
{
    cloud_calls *calls = &pod->calls;
    ts_code code = cloud_missing(pod, TS_ISSUE_cloud_call_mismatch, "roots",
                                 "method %" PRIu32 " at %" PRId64 " ms, in the trace %" PRIu32
                                 " at %" PRId64 " ms",
                                 k->method, k->start, method, start);
    TS_NULL_IF(method != k->method, cloud_call, row, method_id);
    if (code != TS_OK || !k->timed || start == k->start) {
        return code;
    }
    row->null |= TIME_COLUMNS;
    TS_STEP_IF(
        code, row->id > calls->sure + 1,
        ts_sink_invalidate(pod->sink, TS_T_cloud_call, calls->sure + 1, row->id - 1, TIME_COLUMNS));
    calls->sure = row->id;
    calls->last = start;
    calls->shift = ts_sat_sub(k->start, start);
    return code;
}

/*
 * After a record that contradicts its root: its difference may be wrong, and then this one counts
 * from the root's beginning, or the agent wrote another beginning, and then this one counts from
 * that. The root of this one says which.
 */
static void settle(cloud_calls *calls, const cloud_roots *roots, call *k)
{
    int64_t other = ts_sat_add(k->start, calls->shift);
    cloud_found_root root;
    if (!k->timed || calls->shift == 0) {
        return;
    }
    calls->shift = 0;
    if (cloud_root_find(&root, roots, k->file, k->offset, k->record) && root.start == other) {
        k->start = other;
    }
}

/* The agent writes the record of a call after its end. A trace without that end lacks a part. */
static ts_code check_end(cloud_pod *pod, cloud_thread *t, size_t root)
{
    return !cloud_trace_lacks_end(t, root)
               ? TS_OK
               : cloud_missing(pod, TS_ISSUE_cloud_root_lost, "roots",
                               "thread %" PRIu64 ": the trace has no end of a call that ended",
                               t->tid);
}

/*
 * How much there is in the call, and how long it lasted: a reactive one may end after its root. A
 * negative length is wrong in the record (see implausible) and says nothing about the root.
 */
static ts_code check_amount(cloud_pod *pod, const call *k, ts_row_cloud_call *row,
                            const cloud_found_root *root)
{
    if (root->slice == 0 || root->dur < 0 ||
        (root->enters == k->enters && (k->dur < 0 || root->dur <= k->dur))) {
        return TS_OK;
    }
    row->null |= TS_NULL_BITS(cloud_call, calls, dur, suspend_dur);
    ts_code code = cloud_missing(pod, TS_ISSUE_cloud_call_mismatch, "roots",
                                 "%" PRIu32 " invocations in %" PRId32 " ms, in the trace %" PRIu32
                                 " in %" PRId32 " ms",
                                 k->enters, k->dur, root->enters, root->dur);
    return code != TS_OK ? code : cloud_distrust_root(pod, root->block, root->number);
}

static ts_code find_call_root(cloud_pod *pod, const call *k, ts_row_cloud_call *row)
{
    cloud_found_root root;
    TS_SET_NULL(cloud_call, row, root_slice_id);
    if (!cloud_root_find(&root, &pod->roots, k->file, k->offset, k->record)) {
        TS_SET_NULL(cloud_call, row, itid);
        pod->calls.strayed =
            pod->calls.strayed || cloud_traced_behind(&pod->roots, k->file, k->offset);
        return cloud_missing(
            pod,
            cloud_has_trace(&pod->roots, k->file) ? TS_ISSUE_cloud_call_no_root
                                                  : TS_ISSUE_cloud_call_no_trace,
            "roots", "trace file %" PRIu32 " has no root at byte %" PRIu32 ", record %" PRIu32,
            k->file, k->offset, k->record);
    }
    cloud_root_at(&pod->roots, root.number)->promised = 0;
    cloud_thread *thread = cloud_thread_at(&pod->threads, root.thread);
    row->itid = thread->itid;
    if (root.slice != 0) {
        TS_SET_VALUE(cloud_call, row, root_slice_id, root.slice);
    }
    ts_code code = check_end(pod, thread, root.number);
    TS_STEP(code, cloud_name_thread(pod, thread, row->thread_name));
    TS_STEP(code, cloud_repair_truncated(pod, root.number, pod->calls.format, row));
    if (code != TS_OK) {
        return code;
    }
    if (root.word == k->method && (!k->timed || root.start == k->start)) {
        pod->calls.sure = row->id;
        return check_amount(pod, k, row, &root);
    }
    return contradict(pod, k, row, root.word, root.start);
}

/* The thread's name. It may be in calls->name, up to the next record. */
static ts_code take_thread(cloud_pod *pod, const call *k, ts_row_cloud_call *row)
{
    cloud_calls *calls = &pod->calls;
    uint32_t *names = calls->names.p;
    ts_code code;
    if (calls->format < 1) {
        return TS_OK;
    }
    if (k->named) {
        TS_TRY_INTO(code, cloud_utf8(pod->ctx, &calls->name, k->name));
        TS_TRY_INTO(code, ts_vec_reserve(pod->ctx, &calls->names, 1, sizeof *names));
        names = calls->names.p;
        TS_TRY_INTO(code, ts_pool_intern(pod->ctx, &names[calls->names.n], NULL,
                                         &calls->thread_names, ts_buf_text(&calls->name)));
        calls->names.n++;
    }
    if (k->thread < calls->names.n) {
        row->thread_name = ts_pool_text(&calls->thread_names, names[k->thread]);
        return TS_OK;
    }
    calls->name.n = 0;
    code = ts_buf_printf(pod->ctx, &calls->name, "unknown # %" PRIu32, k->thread);
    row->thread_name = ts_buf_text(&calls->name);
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
            .dictionary_id = cloud_word_row(&pod->words, word),
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
        .calls_file = pod->stream.file->index,
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
        .suspend_dur =
            k->timed ? cloud_ns(cloud_paused(&pod->suspend, k->start, k->start + k->dur)) : 0,
        .null = k->timed && k->start + k->dur <= pod->suspend.known
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
        return "a call has a negative duration";
    }
    if (pod->calls.format >= 1 && k->thread > pod->calls.names.n) {
        return "a call's thread has no name";
    }
    /* When words were lost their numbers say nothing about the call. */
    return k->method >= cloud_words_end(&pod->words) ? "a call's method has no word" : NULL;
}

/* Most often the records before it were damaged, and all that follow are wrong as well. */
static ts_code check_call(cloud_pod *pod, const call *k, cloud_cursor *c)
{
    const char *why = implausible(pod, k);
    if (why == NULL) {
        return TS_OK;
    }
    if (pod->ctx->strict) {
        cloud_reject_record(&pod->stream, c, why);
        return TS_OK;
    }
    return cloud_missing(pod, TS_ISSUE_cloud_call_implausible, "values",
                         "%s: method %" PRIu32 ", thread %" PRIu32 ", %" PRId32 " ms", why,
                         k->method, k->thread, k->dur);
}

ts_code cloud_calls_end(cloud_pod *pod)
{
    uint64_t missing = cloud_roots_promised(&pod->roots);
    ts_code code = cloud_distrust_ended(pod, pod->calls.strayed);
    if (code != TS_OK || missing == 0) {
        return code;
    }
    TS_TRY_INTO(code, cloud_lose(pod, "calls", missing));
    return ts_issue_n(pod->store, pod->source_id, TS_ISSUE_cloud_call_missing, "calls",
                      TS_NO_OFFSET, missing,
                      "roots of the trace whose calls have no record: %" PRIu64, missing);
}

static ts_code call_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    call k = {0};
    ts_code code;
    (void)offset;
    decode_call(pod, &k, c);
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    bool in_time = k.timed;
    settle(&pod->calls, &pod->roots, &k);
    k.timed = k.timed && cloud_fits(k.start) && cloud_fits(ts_sat_add(k.start, k.dur));
    ts_row_cloud_call row = make_row(pod, &k);
    if ((code = check_call(pod, &k, c)) != TS_OK || c->got != CLOUD_GOT ||
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
    TS_TRY_INTO(code, cloud_method(&row.method_id, pod, k.method));
    TS_TRY_INTO(code, find_call_root(pod, &k, &row));
    TS_TRY_INTO(code, clear_wide(pod, &k, &row));
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
    cloud_reader *r = &pod->stream.reader;
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
            pod->stream.damaged = true;
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
    cloud_stream_keep(&pod->stream);
    TS_TRY_INTO(code, cloud_fact(pod, "format", calls->format));
    TS_TRY_INTO(code, cloud_fact(pod, "base", calls->last));
    return cloud_records(pod, call_record, CLOUD_N_CALLS, "the record of a call");
}
