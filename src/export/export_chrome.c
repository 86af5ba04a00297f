/*
 * Trace events of Chrome as JSON ("Trace Event Format", and the CPU profiler's events as V8 writes
 * them): traced calls are X events, samples a Profile and its ProfileChunks for each thread of each
 * source, series counters, pauses X events. Slices of a trace of the system (callstack) are X
 * events, asynchronous ones b and e. Times are microseconds on the clock of the database. What has
 * no time is left out: the format has no place for it.
 *
 * Memory: 8 bytes a call path beside the profile's, 32 a series, and 16 MiB each to sort samples
 * and arguments of slices.
 */
#include "export/export_chrome.h"

#include "base/alloc.h"
#include "export/export_formats.h"

#include <math.h>

enum { CHROME_ROOT = 1 };

typedef struct chrome_series {
    ts_text name;
    ts_who who;
    bool wanted;
} chrome_series;

/* --- events
 * --------------------------------------------------------------------------------------- */

void chrome_begin(chrome_work *c, const char *phase, ts_text name, ts_who who)
{
    ts_jout_next_line(&c->w);
    ts_jout_open(&c->w, NULL, '{');
    ts_jout_str(&c->w, "ph", phase);
    ts_jout_text(&c->w, "name", name);
    ts_jout_int(&c->w, "pid", who.pid);
    ts_jout_int(&c->w, "tid", who.tid);
    c->any = c->any || phase[0] != 'M';
}

/* Writes at least so many digits before `end`; returns where they begin. */
static char *chrome_digits(char *end, uint64_t value, unsigned least)
{
    for (; least > 0 || value > 0; value /= 10) {
        *--end = (char)('0' + value % 10);
        least -= least > 0 ? 1 : 0;
    }
    return end;
}

/* Microseconds without the zeros that say nothing. */
void chrome_time(chrome_work *c, const char *key, int64_t ns)
{
    const uint64_t u = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    char digits[32];
    char *const end = digits + sizeof digits;
    if (u % 1000 == 0) {
        ts_jout_int(&c->w, key, ns / 1000);
        return;
    }
    char *p = chrome_digits(end, u % 1000, 3);
    *--p = '.';
    p = chrome_digits(p, u / 1000, 1);
    if (ns < 0) {
        *--p = '-';
    }
    ts_jout_raw(&c->w, key, (ts_text){p, (size_t)(end - p)});
}

static void chrome_name(chrome_work *c, const char *what, ts_text name, ts_who who)
{
    chrome_begin(c, "M", ts_text_of(what), who);
    ts_jout_open(&c->w, "args", '{');
    ts_jout_text(&c->w, "name", name);
    ts_jout_ends(&c->w, "}}");
}

/* Names of all processes and threads that have one. */
static ts_code chrome_metadata(chrome_work *c)
{
    static const unsigned columns[] = {TS_C_thread__id, TS_C_thread__ipid};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_vec done = {0}; /* bool, by ipid */
    ts_code code = ts_scan_open(&scan, c->reader, TS_T_thread, columns, 2);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t itid = b->columns[0].ints[i];
            int64_t ipid = b->columns[1].null[i] != 0 ? -1 : b->columns[1].ints[i];
            ts_text thread = ts_naming_thread(&c->names, itid);
            ts_text process = ts_naming_process(&c->names, ipid);
            ts_who who = ts_naming_who(&c->names, 0, itid);
            if (!ts_calls_wants_thread(&c->calls, itid)) {
                continue;
            }
            if (thread.n > 0) {
                chrome_name(c, "thread_name", thread, who);
            }
            if (process.n > 0 && !ts_vec_bool(&done, ipid) &&
                (code = ts_vec_reach(c->ctx, &done, ipid, sizeof(bool))) == TS_OK) {
                ((bool *)done.p)[ipid] = true;
                chrome_name(c, "process_name", process, who);
            }
        }
        ts_jout_fail(&c->w, code);
        code = c->w.code;
    }
    ts_scan_close(scan);
    ts_vec_free(c->ctx, &done);
    return code;
}

/* --- calls
 * ------------------------------------------------------------------------------------------ */

enum { CALL_SOURCE, CALL_THREAD, CALL_TS, CALL_DUR, CALL_NODE, CALL_COLUMNS };

static ts_code chrome_call(chrome_work *c, const ts_batch *b, unsigned i)
{
    const ts_calls *p = &c->calls;
    int64_t source_id = b->columns[CALL_SOURCE].ints[i];
    int64_t itid =
        b->columns[CALL_THREAD].null[i] != 0 ? TS_NO_THREAD : b->columns[CALL_THREAD].ints[i];
    int64_t ts = b->columns[CALL_TS].ints[i];
    int64_t node = b->columns[CALL_NODE].ints[i];
    bool whole = b->columns[CALL_DUR].null[i] == 0;
    ts_frame frame = {{"(unknown)", 9}, {"", 0}, 0};
    if (b->columns[CALL_TS].null[i] != 0 || !ts_calls_wants_source(p, source_id) ||
        !ts_calls_wants_thread(p, itid) || !ts_calls_wants_time(p, ts)) {
        return TS_OK;
    }
    if (node < 0 || node > p->nodes) {
        return ts_rows_changed(p->ctx, "stack_slice");
    }
    if (b->columns[CALL_NODE].null[i] == 0 && node > 0 && p->used[node]) {
        frame = ts_frames_get(&c->frames, ts_calls_frame(p, (uint32_t)node));
    }
    /* One whose end was not seen is open up to the end. */
    chrome_begin(c, whole ? "X" : "B", frame.label, ts_naming_who(&c->names, source_id, itid));
    ts_jout_str(&c->w, "cat", "call");
    chrome_time(c, "ts", ts);
    if (whole) {
        chrome_time(c, "dur", b->columns[CALL_DUR].ints[i]);
    }
    ts_jout_open(&c->w, "args", '{');
    ts_jout_int(&c->w, "id", b->rowids[i]);
    ts_jout_ends(&c->w, "}}");
    return c->w.code;
}

static ts_code chrome_calls(chrome_work *c)
{
    static const unsigned columns[CALL_COLUMNS] = {
        TS_C_stack_slice__source_id, TS_C_stack_slice__itid, TS_C_stack_slice__ts,
        TS_C_stack_slice__dur, TS_C_stack_slice__node_id};
    const char *event = c->calls.filter.event;
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = TS_OK;
    if (!c->calls.any_slice || (event != NULL && strcmp(event, "call") != 0)) {
        return TS_OK;
    }
    code = ts_scan_open(&scan, c->reader, TS_T_stack_slice, columns, CALL_COLUMNS);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = chrome_call(c, b, i);
        }
    }
    ts_scan_close(scan);
    return code;
}

/* --- pauses
 * -------------------------------------------------------------------------------------------- */

static void chrome_pause(chrome_work *c, const ts_batch *b, unsigned i)
{
    int64_t source_id = b->columns[CALL_SOURCE].ints[i];
    int64_t itid =
        b->columns[CALL_THREAD].null[i] != 0 ? TS_NO_THREAD : b->columns[CALL_THREAD].ints[i];
    int64_t ts = b->columns[CALL_TS].ints[i];
    if (b->columns[CALL_TS].null[i] != 0 || b->columns[CALL_DUR].null[i] != 0 ||
        !ts_calls_wants_source(&c->calls, source_id) || !ts_calls_wants_thread(&c->calls, itid) ||
        !ts_calls_wants_time(&c->calls, ts)) {
        return;
    }
    chrome_begin(c, "X", ts_cell_text(b, CALL_NODE, i), ts_naming_who(&c->names, source_id, itid));
    ts_jout_str(&c->w, "cat", "pause");
    chrome_time(c, "ts", ts);
    chrome_time(c, "dur", b->columns[CALL_DUR].ints[i]);
    ts_jout_close(&c->w, '}');
}

static ts_code chrome_pauses(chrome_work *c)
{
    static const unsigned columns[CALL_COLUMNS] = {
        TS_C_runtime_pause__source_id, TS_C_runtime_pause__itid, TS_C_runtime_pause__ts,
        TS_C_runtime_pause__dur, TS_C_runtime_pause__kind};
    const ts_batch *b;
    ts_scan *scan = NULL;
    if (c->calls.filter.event != NULL) {
        return TS_OK;
    }
    ts_code code = ts_scan_open(&scan, c->reader, TS_T_runtime_pause, columns, CALL_COLUMNS);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows; i++) {
            chrome_pause(c, b, i);
        }
        code = c->w.code;
    }
    ts_scan_close(scan);
    return code;
}

/* --- samples
 * ------------------------------------------------------------------------------------------- */

/* A call path without a caller that is called (root) is the root of the profile. */
static uint32_t chrome_number(const chrome_work *c, uint32_t node)
{
    if (node == 0) {
        return CHROME_ROOT;
    }
    ts_text label = ts_frames_get(&c->frames, ts_calls_frame(&c->calls, node)).label;
    return c->calls.parent[node] == 0 && ts_text_is(label, "(root)") ? CHROME_ROOT
                                                                     : node + CHROME_ROOT;
}

static void chrome_frame(chrome_work *c, ts_frame frame)
{
    ts_jout_open(&c->w, "callFrame", '{');
    ts_jout_text(&c->w, "functionName", frame.label);
    ts_jout_int(&c->w, "scriptId", 0);
    ts_jout_text(&c->w, "url", frame.file);
    /* Lines of call frames count from 0. */
    ts_jout_int(&c->w, "lineNumber", frame.line > 0 ? frame.line - 1 : -1);
    ts_jout_int(&c->w, "columnNumber", -1);
    ts_jout_ends(&c->w, "}}");
}

static void chrome_node(chrome_work *c, uint32_t node)
{
    ts_jout_open(&c->w, NULL, '{');
    ts_jout_int(&c->w, "id", node + (int64_t)CHROME_ROOT);
    ts_jout_int(&c->w, "parent", chrome_number(c, c->calls.parent[node]));
    chrome_frame(c, ts_frames_get(&c->frames, ts_calls_frame(&c->calls, node)));
}

/* Call paths of the chunk that the profile does not have yet, callers first. */
static void chrome_nodes(chrome_work *c)
{
    for (unsigned i = 0; i < c->pending; i++) {
        uint32_t at = c->nodes[i];
        uint32_t n = 0;
        while (c->known[at] != c->profile && chrome_number(c, at) != CHROME_ROOT) {
            c->known[at] = c->profile;
            c->path[n++] = at;
            at = c->calls.parent[at];
        }
        while (n-- > 0) {
            chrome_node(c, c->path[n]);
        }
    }
}

static void chrome_numbers(chrome_work *c, bool samples)
{
    for (unsigned i = 0; i < c->pending; i++) {
        if (samples) {
            ts_jout_int(&c->w, NULL, chrome_number(c, c->nodes[i]));
        } else {
            chrome_time(c, NULL, c->deltas[i]);
        }
    }
}

static void chrome_profile_event(chrome_work *c, const char *name, int64_t ts)
{
    chrome_begin(c, "P", ts_text_of(name), c->who);
    ts_jout_str(&c->w, "cat", "disabled-by-default-v8.cpu_profiler");
    ts_jout_printf(&c->w, "id", "\"0x%x\"", (unsigned)c->profile);
    chrome_time(c, "ts", ts);
    ts_jout_open(&c->w, "args", '{');
    ts_jout_open(&c->w, "data", '{');
}

static void chrome_chunk(chrome_work *c, bool last)
{
    bool root = c->known[0] != c->profile;
    if (!c->open || (c->pending == 0 && !last)) {
        return;
    }
    chrome_profile_event(c, "ProfileChunk", c->last);
    ts_jout_open(&c->w, "cpuProfile", '{');
    ts_jout_open(&c->w, "nodes", '[');
    if (root) {
        c->known[0] = c->profile;
        ts_jout_open(&c->w, NULL, '{');
        ts_jout_int(&c->w, "id", CHROME_ROOT);
        chrome_frame(c, (ts_frame){{"(root)", 6}, {"", 0}, 0});
    }
    chrome_nodes(c);
    ts_jout_close(&c->w, ']');
    ts_jout_open(&c->w, "samples", '[');
    chrome_numbers(c, true);
    ts_jout_ends(&c->w, "]}");
    ts_jout_open(&c->w, "timeDeltas", '[');
    chrome_numbers(c, false);
    ts_jout_close(&c->w, ']');
    if (last) {
        chrome_time(c, "endTime", c->end);
    }
    ts_jout_ends(&c->w, "}}}");
    c->pending = 0;
}

static void chrome_end_profile(chrome_work *c)
{
    chrome_chunk(c, true);
    c->open = false;
}

static void chrome_begin_profile(chrome_work *c, const ts_calls_item *item)
{
    ts_text source = ts_naming_source(&c->names, item->source_id);
    c->open = true;
    c->profile++;
    c->source_id = item->source_id;
    c->itid = item->itid;
    c->who = ts_naming_who(&c->names, item->source_id, item->itid);
    c->last = item->ts;
    c->end = item->ts;
    if (item->itid == TS_NO_THREAD && source.n > 0) {
        chrome_name(c, "thread_name", source, c->who);
    }
    chrome_profile_event(c, "Profile", item->ts);
    chrome_time(c, "startTime", item->ts);
    ts_jout_ends(&c->w, "}}}");
}

static ts_code chrome_sample(void *user, const ts_calls_item *item)
{
    chrome_work *c = user;
    int64_t delta;
    if (item->call || item->ts == TS_NO_TIME) {
        return TS_OK;
    }
    if (!c->open || c->source_id != item->source_id || c->itid != item->itid) {
        chrome_end_profile(c);
        chrome_begin_profile(c, item);
    }
    if (c->pending == CHUNK_SAMPLES) {
        chrome_chunk(c, false);
    }
    if (ts_ckd_sub(&delta, item->ts, c->last)) {
        return ts_fail(c->ctx, TS_ERR_LIMIT, "two samples are more than 292 years apart");
    }
    int64_t end =
        item->dur == TS_NO_TIME || item->dur < 0 ? item->ts : ts_sat_add(item->ts, item->dur);
    c->nodes[c->pending] = item->node;
    c->deltas[c->pending++] = delta;
    c->last = item->ts;
    c->end = end > c->end ? end : c->end;
    return c->w.code;
}

static ts_code chrome_samples(chrome_work *c)
{
    const ts_weight number = {.kind = TS_WEIGHT_SAMPLES};
    if (!c->calls.any_sample || c->calls.is_heap) {
        return TS_OK;
    }
    c->known = ts_zalloc(c->ctx, (size_t)c->calls.nodes + 1, sizeof *c->known);
    c->path = ts_alloc(c->ctx, (size_t)c->calls.nodes + 1, sizeof *c->path);
    ts_code code = c->known == NULL || c->path == NULL
                       ? c->ctx->error.code
                       : ts_calls_sorted(&c->calls, &number, chrome_sample, c);
    if (code == TS_OK) {
        chrome_end_profile(c);
        code = c->w.code;
    }
    return code;
}

/* --- counters
 * --------------------------------------------------------------------------------------------- */

static ts_code chrome_series_row(chrome_work *c, const ts_batch *b, unsigned i)
{
    int64_t id = b->rowids[i];
    int64_t source_id = b->columns[0].ints[i];
    int64_t itid = b->columns[1].null[i] != 0 ? TS_NO_THREAD : b->columns[1].ints[i];
    uint32_t text;
    ts_code code = ts_vec_reach(c->ctx, &c->series, id, sizeof(chrome_series));
    TS_STEP(code, ts_pool_intern(c->ctx, &text, NULL, &c->texts, ts_cell_text(b, 2, i)));
    if (code == TS_OK) {
        ((chrome_series *)c->series.p)[id] = (chrome_series){
            ts_pool_text(&c->texts, text),
            ts_naming_who(&c->names, source_id, itid),
            ts_calls_wants_source(&c->calls, source_id) && ts_calls_wants_thread(&c->calls, itid),
        };
    }
    return code;
}

static ts_code chrome_series_all(chrome_work *c)
{
    static const unsigned columns[] = {TS_C_timeseries__source_id, TS_C_timeseries__itid,
                                       TS_C_timeseries__name};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, c->reader, TS_T_timeseries, columns, 3);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = chrome_series_row(c, b, i);
        }
    }
    ts_scan_close(scan);
    return code;
}

static void chrome_value(chrome_work *c, const ts_batch *b, unsigned i)
{
    int64_t id = b->columns[0].ints[i];
    int64_t ts = b->columns[1].ints[i];
    double value = b->columns[2].reals[i];
    if (id < 0 || (uint64_t)id >= c->series.n || b->columns[1].null[i] != 0 ||
        b->columns[2].null[i] != 0 || !isfinite(value) || !ts_calls_wants_time(&c->calls, ts)) {
        return;
    }
    const chrome_series *s = &((const chrome_series *)c->series.p)[id];
    if (!s->wanted) {
        return;
    }
    chrome_begin(c, "C", s->name, s->who);
    chrome_time(c, "ts", ts);
    ts_jout_int(&c->w, "id", id);
    ts_jout_open(&c->w, "args", '{');
    ts_jout_printf(&c->w, "value", "%.17g", value);
    ts_jout_ends(&c->w, "}}");
}

static ts_code chrome_counters(chrome_work *c)
{
    static const unsigned columns[] = {TS_C_timeseries_value__series_id, TS_C_timeseries_value__ts,
                                       TS_C_timeseries_value__value};
    const ts_batch *b;
    ts_scan *scan = NULL;
    if (c->calls.filter.event != NULL) {
        return TS_OK;
    }
    ts_code code = chrome_series_all(c);
    TS_STEP(code, ts_scan_open(&scan, c->reader, TS_T_timeseries_value, columns, 3));
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows; i++) {
            chrome_value(c, b, i);
        }
        code = c->w.code;
    }
    ts_scan_close(scan);
    return code;
}

/* --- all
 * -------------------------------------------------------------------------------------------------------
 */

/* The stacks, when there are any: all that are wanted, whatever they weigh. */
static ts_code chrome_open(chrome_work *c, const ts_export_side *side)
{
    ts_code code = ts_calls_select(&c->calls, c->ctx, side->reader, &side->filter);
    if (code != TS_OK || (!c->calls.any_sample && !c->calls.any_slice)) {
        return code;
    }
    ts_calls_free(&c->calls);
    return ts_calls_open(&c->calls, c->ctx, side->reader, &side->filter, &c->frames, TS_LOAD_COUNT);
}

static ts_code chrome_write(chrome_work *c, const char *title)
{
    ts_jout_open(&c->w, NULL, '{');
    ts_jout_str(&c->w, "displayTimeUnit", "ns");
    ts_jout_open(&c->w, "otherData", '{');
    ts_jout_str(&c->w, "source", title);
    ts_jout_close(&c->w, '}');
    ts_jout_open(&c->w, "traceEvents", '[');
    ts_code code = chrome_metadata(c);
    TS_STEP(code, chrome_calls(c));
    TS_STEP(code, chrome_slices(c));
    TS_STEP(code, chrome_pauses(c));
    TS_STEP(code, chrome_samples(c));
    TS_STEP(code, chrome_counters(c));
    ts_jout_line(&c->w);
    ts_jout_ends(&c->w, "]}");
    ts_jout_line(&c->w);
    TS_STEP_IF(code, !c->any, ts_calls_explain(&c->calls, "nothing with a time is wanted"));
    return code;
}

static ts_code chrome_run(ts_ctx *ctx, const ts_export_input *input, const ts_export_output *output)
{
    ts_code code = TS_OK;
    if (input->side.filter.weight != NULL) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "trace events have times and no weights: --weight cannot be given with "
                       "--to=chrome-json");
    }
    chrome_work *c = ts_zalloc(ctx, 1, sizeof *c);
    TS_NEED(ctx, c);
    c->ctx = ctx;
    c->reader = input->side.reader;
    c->frames.parts = TS_FRAME_FILE | TS_FRAME_LINE;
    ts_export_json(&c->w, &c->sink, ctx, output);
    c->w.escapes |= TS_JOUT_MARKUP;
    code = chrome_open(c, &input->side);
    TS_STEP(code, ts_naming_load(&c->names, ctx, c->reader));
    TS_STEP(code, chrome_write(c, input->side.title));
    ts_jout_fail(&c->w, code);
    code = ts_jout_end(&c->w);
    ts_scan_close(c->words);
    ts_sorter_close(c->args);
    ts_free(ctx, c->known);
    ts_free(ctx, c->path);
    ts_vec_free(ctx, &c->series);
    ts_pool_free(ctx, &c->texts);
    ts_naming_free(&c->names, ctx);
    ts_calls_free(&c->calls);
    ts_frames_free(ctx, &c->frames);
    ts_free(ctx, c);
    return code;
}

const ts_export ts_export_chrome = {
    .name = "chrome-json",
    .title = "trace events, for DevTools, Perfetto and chrome://tracing",
    .extension = ".json",
    .needs = "stack_sample (sampled stacks), stack_slice (traced calls), timeseries (time series), "
             "callstack (slices of a trace of the system)",
    .run = chrome_run,
};
