/*
 * Stacks of one thread. A stack is valid until the thread's next record, so that a row is put when
 * the next one has come.
 *
 * The CPU clock of a thread is read only every 200 ms or so. An increase
 * therefore belongs to all records from the last change on, up to the one before the reading; it is
 * split evenly among them, the remainder goes to the last. The shares of a thread sum up to its
 * last reading minus its first.
 */
#include "parsers/flare/sample_directory.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/intvec.h"

#include <inttypes.h>

/* The call path of the stack before: what a stack has in common with it need not be looked up. */
typedef struct stack_path {
    int64_t *ids;   /* of methods, root first */
    int64_t *nodes; /* their rows in stack_node */
    size_t count, cap;
} stack_path;

typedef struct stack_reader {
    flare_dir *dir;
    flare_thread *thread;
    flare_pair pair;
    flare_payloads payloads;
    flare_series_check *check;

    bool has_step;  /* a record was there */
    bool step_lost; /* that of the record does not fit */
    int64_t step;   /* of the record before */
    int64_t begin_ms;
    bool has_begin;
    int64_t unit_ms;

    bool pending; /* a sample waits for its end */
    ts_row_stack_sample sample;

    bool has_cpu;
    int64_t cpu;
    ts_intvec batch; /* runs of samples that share the next increase: first id, number */
    uint64_t batch_count;
    int64_t batch_end; /* id after the last run */

    stack_path path; /* of the stack before */

    bool no_time; /* the time of the thread's first record is not known */
    bool stopped;
    uint64_t backwards, first_backwards, off_step, first_off_step, bad_text, first_bad_text;
    int64_t last_ms;
    bool has_last;

    bool seeked;       /* reading did not begin at the first record */
    int64_t number;    /* of the record before, as recorded; 0: none yet, or records have none */
    uint64_t rejected; /* records since that one that were lost */
} stack_reader;

/* --- call paths ----------------------------------------------------------------------------- */

enum { AHEAD = 8 };

static ts_code reserve_path(stack_path *path, ts_ctx *ctx, size_t n)
{
    int64_t *ids;
    int64_t *nodes;
    size_t cap;
    if (n <= path->cap) {
        return TS_OK;
    }
    if (ts_ckd_mul(&cap, n, (size_t)2)) {
        return ts_fail(ctx, TS_ERR_LIMIT, "a stack has too many frames");
    }
    TS_NEED(ctx, ids = ts_realloc(ctx, path->ids, cap, sizeof *ids));
    path->ids = ids;
    TS_NEED(ctx, nodes = ts_realloc(ctx, path->nodes, cap, sizeof *nodes));
    path->nodes = nodes;
    path->cap = cap;
    return TS_OK;
}

/* The rows of the methods of frames k to n - 1, kept where those of their nodes will be. */
static ts_code path_methods(stack_path *path, flare_dir *dir, const int64_t *frames, size_t k,
                            size_t n)
{
    ts_code code = TS_OK;
    for (; k < n && code == TS_OK; k++) {
        code = flare_method_row(&path->nodes[k], dir, frames[n - 1 - k]);
    }
    return code;
}

/*
 * Below a node that was added there are none, so the next frames add nodes, too, whose ids follow:
 * the place of one a few frames ahead can be fetched by now. Without this, a stack that is new
 * waits for the memory at each of its frames.
 */
static void fetch_ahead(const stack_path *path, const flare_dir *dir, size_t k, size_t n)
{
    if (AHEAD < n - k) {
        ts_stack_node_fetch(dir->store, dir->source_id, path->nodes[k - 1] + AHEAD,
                            path->nodes[k + AHEAD], TS_NO_LINE);
    }
}

/* The node of a stack of n frames, ids of methods, leaf first; 0 when it is empty. */
static ts_code path_node(int64_t *node, stack_path *path, flare_dir *dir, const int64_t *frames,
                         size_t n)
{
    size_t k = 0;
    bool added = false;
    ts_code code;
    TS_TRY_INTO(code, reserve_path(path, dir->ctx, n));
    while (k < n && k < path->count && path->ids[k] == frames[n - 1 - k]) {
        k++;
    }
    path->count = k; /* the entries after it are not valid while this fails */
    code = path_methods(path, dir, frames, k, n);
    for (; k < n && code == TS_OK; k++) {
        if (added) {
            fetch_ahead(path, dir, k, n);
        }
        code = ts_stack_node(&path->nodes[k], &added, dir->store, dir->source_id,
                             k == 0 ? 0 : path->nodes[k - 1], path->nodes[k], TS_NO_LINE,
                             (int64_t)k, NULL);
        if (code == TS_OK) {
            path->ids[k] = frames[n - 1 - k];
            path->count = k + 1;
        }
    }
    *node = code != TS_OK || n == 0 ? 0 : path->nodes[n - 1];
    return code;
}

/* --- CPU time ------------------------------------------------------------------------------- */

static ts_code put_sample_value(stack_reader *r, int64_t sample, int64_t value)
{
    flare_dir *dir = r->dir;
    ts_row_stack_sample_value row = {0, sample, dir->cpu_type, value};
    if (dir->cpu_type == 0) {
        ts_row_stack_value_type type = {
            .id = (int64_t)ts_sink_rows(dir->sink, TS_T_stack_value_type) + 1,
            .source_id = dir->source_id,
            .name = TS_TEXT_LIT("cpu"),
            .unit = TS_TEXT_LIT("ns"),
        };
        TS_TRY(ts_put_stack_value_type(dir->sink, &type));
        dir->cpu_type = type.id;
        row.value_type_id = type.id;
    }
    return ts_put_stack_sample_value(dir->sink, &row);
}

/* Splits an increase among the samples of the batch and begins a new one. */
static ts_code share_out(stack_reader *r, int64_t increase)
{
    int64_t each = r->batch_count == 0 ? 0 : increase / (int64_t)r->batch_count;
    uint64_t left = r->batch_count;
    ts_code code = TS_OK;
    for (uint64_t i = 0; i < r->batch.n && code == TS_OK; i += 2) {
        int64_t id = ts_intvec_get(&r->batch, i);
        int64_t end = id + ts_intvec_get(&r->batch, i + 1);
        for (; id < end && code == TS_OK; id++) {
            left--;
            code = put_sample_value(
                r, id, left > 0 ? each : increase - each * ((int64_t)r->batch_count - 1));
        }
    }
    ts_intvec_truncate(r->dir->ctx, &r->batch, 0);
    r->batch_count = 0;
    return code;
}

/* A value that does not fit into 64 bits is NULL, or has no row. */
static ts_code overflow(stack_reader *r, const char *what)
{
    return flare_issue(r->dir, TS_ISSUE_time_overflow, r->dir->file, r->dir->offset,
                       "%s does not fit", what);
}

static ts_code reading(stack_reader *r)
{
    const flare_object *o = &r->payloads.object;
    int64_t increase;
    ts_code code = TS_OK;
    if (!flare_object_has(o, FLARE_HAS_CPU)) {
        return TS_OK;
    }
    if (r->has_cpu && ts_ckd_sub(&increase, o->cpu_time, r->cpu)) {
        ts_intvec_truncate(r->dir->ctx, &r->batch, 0);
        r->batch_count = 0;
        code = overflow(r, "an increase of CPU time");
    } else if (r->has_cpu && increase != 0) {
        code = share_out(r, increase);
    }
    r->has_cpu = true;
    r->cpu = o->cpu_time;
    return code;
}

static ts_code join_batch(stack_reader *r, int64_t id)
{
    ts_ctx *ctx = r->dir->ctx;
    r->batch_count++;
    if (r->batch.n > 0 && r->batch_end == id) {
        r->batch_end++;
        return ts_intvec_set(ctx, &r->batch, r->batch.n - 1,
                             ts_intvec_get(&r->batch, r->batch.n - 1) + 1);
    }
    r->batch_end = id + 1;
    ts_code code = ts_intvec_push(ctx, &r->batch, id);
    return code != TS_OK ? code : ts_intvec_push(ctx, &r->batch, 1);
}

/* --- rows ----------------------------------------------------------------------------------- */

/* end: NULL when the time of the next record does not fit. */
static ts_code put_pending(stack_reader *r, const int64_t *end)
{
    ts_code code = TS_OK;
    if (!r->pending) {
        return TS_OK;
    }
    r->pending = false;
    if (end == NULL || (r->sample.null & TS_NULL_BIT(stack_sample, ts)) != 0) {
        TS_SET_NULL(stack_sample, &r->sample, dur);
    } else if (*end <= r->sample.ts) {
        r->sample.dur = 0;
    } else if (ts_ckd_sub(&r->sample.dur, *end, r->sample.ts)) {
        TS_SET_NULL(stack_sample, &r->sample, dur);
        code = overflow(r, "the time up to the next record");
    }
    return code != TS_OK ? code : ts_put_stack_sample(r->dir->sink, &r->sample);
}

static ts_code put_flare_stack(stack_reader *r, int64_t id)
{
    const flare_object *o = &r->payloads.object;
    ts_row_flare_stack row = {
        .sample_id = id,
        .step = r->step,
        .cpu_time = o->cpu_time,
        .cpu_time_delta = o->cpu_time_delta,
        .sample_count = o->sample_count,
        .state = flare_object_has(o, FLARE_HAS_STATE) && o->state.n > 0 ? ts_buf_text(&o->state)
                                                                        : TS_TEXT_NULL,
    };
    TS_NULL_IF(r->step_lost, flare_stack, &row, step);
    TS_NULL_IF(!flare_object_has(o, FLARE_HAS_CPU), flare_stack, &row, cpu_time);
    TS_NULL_IF(!flare_object_has(o, FLARE_HAS_DELTA), flare_stack, &row, cpu_time_delta);
    TS_NULL_IF(!flare_object_has(o, FLARE_HAS_COUNT), flare_stack, &row, sample_count);
    return ts_put_flare_stack(r->dir->sink, &row);
}

/* ts: NULL when the record's time does not fit. */
static ts_code put_sample(stack_reader *r, const int64_t *ts)
{
    const flare_object *o = &r->payloads.object;
    int64_t id = (int64_t)ts_sink_rows(r->dir->sink, TS_T_stack_sample) + 1;
    int64_t node;
    ts_code code;
    TS_TRY_INTO(code, path_node(&node, &r->path, r->dir, o->frames, o->frame_count));
    r->sample = (ts_row_stack_sample){
        .id = id,
        .source_id = r->dir->source_id,
        .itid = r->thread->itid,
        .ts = ts == NULL ? 0 : *ts,
        .node_id = node,
        .event = TS_TEXT_LIT("wall"),
    };
    TS_NULL_IF(node == 0, stack_sample, &r->sample, node_id);
    if (ts == NULL) {
        TS_SET_NULL(stack_sample, &r->sample, ts);
    } else {
        ts_range_note(r->dir->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, *ts);
    }
    r->pending = true;
    r->dir->stack_records->imported++;
    if (flare_object_has(o, FLARE_HAS_CPU) && (code = join_batch(r, id)) != TS_OK) {
        return code;
    }
    return put_flare_stack(r, id);
}

/* --- times ---------------------------------------------------------------------------------- */

/* The record's time, and its step. */
static int64_t place(stack_reader *r, const flare_record *record)
{
    const flare_object *o = &r->payloads.object;
    bool has_time = flare_object_has(o, FLARE_HAS_TIME);
    bool has_key = record->has_key && !r->pair.index.no_keys;
    int64_t ms;
    int64_t step = 0;
    r->step_lost = false;
    if (!r->has_begin) {
        r->has_begin = true;
        r->begin_ms = has_time ? o->sample_time : r->dir->summary.record_start_ms;
        r->no_time = !has_time && !flare_summary_has(&r->dir->summary, FLARE_SUM_RECORD_START);
    }
    if (!has_time) {
        r->step = has_key ? record->key : r->has_step ? r->step : 0;
        ms = ts_sat_add(r->begin_ms, ts_sat_mul(r->step, r->unit_ms));
    } else {
        ms = o->sample_time;
        r->step_lost = ts_ckd_sub(&step, ms, r->begin_ms);
        step = r->step_lost || step < 0 ? 0 : step / r->unit_ms;
        r->step = has_key ? record->key : step;
        r->step_lost = r->step_lost && !has_key;
        if ((step > r->step + 1 || step < r->step - 1) && r->off_step++ == 0) {
            r->first_off_step = record->at;
        }
    }
    r->has_step = true;
    if (r->has_last && ms < r->last_ms && r->backwards++ == 0) {
        r->first_backwards = record->at;
    }
    r->has_last = true;
    r->last_ms = ms;
    return ms;
}

static ts_code take_record(stack_reader *r, const flare_record *record)
{
    flare_dir *dir = r->dir;
    int64_t ms = place(r, record);
    int64_t ns;
    bool fits;
    dir->file = r->pair.data.name;
    dir->offset = (int64_t)record->at;
    ts_code code;
    TS_TRY_INTO(code, flare_dir_ns(&ns, &fits, dir, r->pair.data.name, (int64_t)record->at, ms));
    flare_thread_note_time(r->thread, ms);
    const int64_t *ts = fits ? &ns : NULL;
    if (!dir->wanted_all && !ts_span_has(&dir->wanted, ns)) {
        dir->stack_records->skipped++;
        dir->bytes_skipped += record->n + 2;
        if (ns < dir->wanted.from) {
            return put_pending(r, ts);
        }
        code = put_pending(r, ts);
        TS_STEP_IF(code, r->has_cpu, reading(r));
        /* What follows is later: the index gives its number. Without one it is looked at. */
        r->stopped = r->pair.index.usable && !r->pair.index.no_keys;
        return code;
    }
    if ((code = put_pending(r, ts)) == TS_OK && (code = reading(r)) == TS_OK &&
        (code = put_sample(r, ts)) == TS_OK) {
        code = flare_thread_state(dir, r->thread, &r->payloads.object);
    }
    return code;
}

/* --- numbers of records --------------------------------------------------------------------- */

/* Records between the one before and this one are missing. At most one comes a tick: a larger
 * number may be the damaged part itself, and is not counted. */
static ts_code note_gap(stack_reader *r, const flare_record *record, int64_t missing)
{
    const flare_object *o = &r->payloads.object;
    flare_dir *dir = r->dir;
    bool has_time = flare_object_has(o, FLARE_HAS_TIME) && r->has_last;
    if (has_time && missing <= ts_sat_sub(o->sample_time, r->last_ms) / r->unit_ms + 1) {
        dir->stack_records->seen += (uint64_t)missing;
        dir->stack_records->lost += (uint64_t)missing;
    }
    return flare_issue(dir, TS_ISSUE_flare_record_gap, r->pair.data.name, (int64_t)record->at,
                       "record %" PRId64 " follows record %" PRId64
                       ": records between them are missing",
                       o->sample_count, r->number);
}

/* The collector numbers the records of a thread from 1 on. *repeated: the record is another copy
 * of one that was read. */
static ts_code check_number(bool *repeated, stack_reader *r, const flare_record *record)
{
    const flare_object *o = &r->payloads.object;
    flare_dir *dir = r->dir;
    int64_t before = r->number;
    *repeated = false;
    if (!flare_object_has(o, FLARE_HAS_COUNT) || o->sample_count <= 0) {
        return TS_OK;
    }
    if (o->sample_count <= before) {
        *repeated =
            flare_object_has(o, FLARE_HAS_TIME) && r->has_last && o->sample_time <= r->last_ms;
        r->number = *repeated ? before : o->sample_count;
        return flare_issue(dir,
                           *repeated ? TS_ISSUE_flare_record_repeated : TS_ISSUE_flare_record_order,
                           r->pair.data.name, (int64_t)record->at,
                           "record %" PRId64 " follows record %" PRId64, o->sample_count, before);
    }
    int64_t missing = o->sample_count - before - 1;
    missing = missing > (int64_t)r->rejected ? missing - (int64_t)r->rejected : 0;
    r->rejected = 0;
    if (missing > 0 && (before > 0 || !r->seeked)) {
        TS_TRY(note_gap(r, record, missing));
    }
    r->number = o->sample_count;
    return TS_OK;
}

/* The summary is never newer than the records. */
static ts_code check_last_number(stack_reader *r)
{
    flare_dir *dir = r->dir;
    if (!r->pair.usable || r->stopped || r->thread->listed_count <= 0 ||
        r->thread->listed_count - r->number <= (int64_t)r->rejected) {
        return TS_OK;
    }
    return flare_issue(dir, TS_ISSUE_flare_record_gap, r->pair.data.name, (int64_t)r->pair.at,
                       "the last record read is %" PRId64 ", the summary has record %" PRId64,
                       r->number, r->thread->listed_count);
}

/* --- reading -------------------------------------------------------------------------------- */

static bool payload_starts_well(uint8_t first)
{
    return first == '{' || first == '*';
}

/* A record that is complete. */
static ts_code accept_record(stack_reader *r, const flare_record *record)
{
    flare_dir *dir = r->dir;
    int64_t before = r->number;
    bool repeated;
    ts_code code;
    flare_pair_accept(&r->pair, record);
    TS_TRY_INTO(code, check_number(&repeated, r, record));
    if (repeated) {
        dir->stack_records->lost++;
        dir->bytes_lost += record->n + 2;
        return TS_OK;
    }
    if (ts_json_replaced(r->payloads.json) > 0 && record->p[0] == '{' && r->bad_text++ == 0) {
        r->first_bad_text = record->at;
    }
    TS_TRY_INTO(code, flare_series_check_record(r->check, &r->payloads.object,
                                                before > 0 && r->number == before + 1));
    if (record->longer &&
        (code = flare_issue(dir, TS_ISSUE_flare_record_long, r->pair.data.name, (int64_t)record->at,
                            "the record has %zu bytes, more than its length can say", record->n)) !=
            TS_OK) {
        return code;
    }
    return take_record(r, record);
}

static ts_code read_records(stack_reader *r)
{
    flare_record record;
    bool end = false;
    ts_code code;
    while (!r->stopped) {
        const char *why = NULL;
        bool again = true;
        if ((code = flare_pair_next(&end, &r->pair, &record)) != TS_OK || end) {
            return code;
        }
        r->dir->stack_records->seen++;
        while (again) {
            if (!record.cut &&
                (code = flare_payload_read(&why, &r->payloads, record.p, record.n)) != TS_OK) {
                return code;
            }
            if (!record.cut && why == NULL) {
                break;
            }
            TS_TRY_INTO(code, flare_pair_reject(&again, &r->pair, &record, why));
        }
        if (!again) {
            r->dir->stack_records->lost++;
            r->rejected++;
        } else if ((code = accept_record(r, &record)) != TS_OK) {
            return code;
        }
    }
    return TS_OK;
}

/* With --time-range: passes over what ends before it begins. */
static ts_code seek_range(stack_reader *r)
{
    flare_dir *dir = r->dir;
    int64_t begin = ts_sat_mul(r->begin_ms, FLARE_NS_PER_MS);
    uint64_t passed = 0;
    if (dir->wanted_all || !r->has_begin || dir->wanted.from <= begin) {
        return TS_OK;
    }
    ts_code code = flare_pair_seek(
        &r->pair, ts_sat_sub(dir->wanted.from, begin) / FLARE_NS_PER_MS / r->unit_ms, &passed);
    r->seeked = passed > 0;
    dir->stack_records->seen += passed;
    dir->stack_records->skipped += passed;
    return code;
}

static ts_code finish_stacks(stack_reader *r)
{
    flare_dir *dir = r->dir;
    uint64_t rest = r->stopped ? flare_pair_stop(&r->pair) : 0;
    bool whole = !r->stopped && r->thread->listed_count > 0 && r->number >= r->thread->listed_count;
    ts_code code;
    dir->stack_records->seen += rest;
    dir->stack_records->skipped += rest;
    TS_TRY_INTO(code, put_pending(r, &r->sample.ts));
    TS_TRY_INTO(code, share_out(r, 0));
    TS_TRY_INTO(code, flare_pair_finish(&r->pair));
    TS_TRY_INTO(code, check_last_number(r));
    TS_TRY_INTO(code, flare_series_check_finish(r->check, whole));
    TS_STEP_IF(code, r->no_time,
               flare_issue(dir, TS_ISSUE_time_missing, r->pair.data.name, TS_NO_OFFSET,
                           "the time of the first record is not known; times count from 0"));
    TS_STEP_IF(code, r->backwards > 0,
               flare_issue_n(dir, TS_ISSUE_flare_time_backwards, r->pair.data.name,
                             (int64_t)r->first_backwards, r->backwards,
                             "records are earlier than those before them"));
    TS_STEP(code, flare_issue_n(dir, TS_ISSUE_flare_bad_text, r->pair.data.name,
                                (int64_t)r->first_bad_text, r->bad_text,
                                "records have texts that are not UTF-8"));
    TS_STEP_IF(code, r->off_step > 0,
               flare_issue_n(dir, TS_ISSUE_flare_step_differs, r->pair.data.name,
                             (int64_t)r->first_off_step, r->off_step,
                             "steps in the index are not those of the records' times"));
    return code;
}

ts_code flare_stacks_read(flare_dir *dir, flare_thread *thread, flare_series_check *check,
                          uint32_t index, uint32_t data)
{
    stack_reader r = {
        .dir = dir,
        .thread = thread,
        .check = check,
        .has_begin = thread->series.there,
        .begin_ms = thread->series.begin_ms,
        .unit_ms = thread->series.there ? thread->series.unit_ms : flare_dir_interval(dir),
    };
    ts_code code = flare_payloads_open(&r.payloads, dir->ctx);
    TS_STEP(code, flare_pair_open(&r.pair, dir, index, data, FLARE_KEY_U32, payload_starts_well));
    TS_STEP_IF(code, (code = seek_range(&r)) == TS_OK && (code = read_records(&r)) == TS_OK,
               finish_stacks(&r));
    flare_pair_close(&r.pair);
    flare_payloads_close(&r.payloads);
    ts_intvec_free(dir->ctx, &r.batch);
    ts_free(dir->ctx, r.path.ids);
    ts_free(dir->ctx, r.path.nodes);
    return code;
}
