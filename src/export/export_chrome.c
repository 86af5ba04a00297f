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
#include "base/alloc.h"
#include "base/sorter.h"
#include "export/export_formats.h"
#include "export/export_names.h"
#include "export/export_private.h"
#include "export/export_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { CHUNK_SAMPLES = 1000, CHROME_ROOT = 1 };
enum { CHROME_LABEL_MAX = 32 * 1024 }; /* bytes of a text of slices that are shown */
enum { ARGS_MEMORY = 8 << 20, SLICE_ARGS = 128 };
enum { ARG_TEXT = 1, ARG_BOOLEAN = 3 }; /* args.datatype */

typedef struct chrome_series {
    ts_text name;
    ts_who who;
    bool wanted;
} chrome_series;

typedef struct chrome_work {
    ts_ctx *ctx;
    ts_reader *reader;
    ts_writer w;
    ts_calls calls; /* only selected when there are no stacks */
    ts_frames frames;
    ts_naming names;
    bool comma;
    bool any; /* an event that is no name was written */
    /* The profile that is being written. */
    uint32_t *known; /* by call path: the last profile that has it */
    uint32_t *path;  /* a way up */
    uint32_t profile;
    bool open;
    int64_t source_id, itid;
    ts_who who;
    int64_t last, end; /* time of the last sample, and when it ends */
    unsigned pending;  /* samples of the chunk */
    uint32_t nodes[CHUNK_SAMPLES];
    int64_t deltas[CHUNK_SAMPLES];
    /* Slices of a trace of the system. */
    ts_sorter *args; /* arg_record */
    const void *arg; /* the next one */
    ts_scan *words;  /* single rows of data_dict */
    /* Counters. */
    ts_vec series; /* chrome_series, by id */
    ts_pool texts;
} chrome_work;

/* --- events
 * --------------------------------------------------------------------------------------- */

static ts_text chrome_label(const ts_batch *b, unsigned column, unsigned i)
{
    ts_text text = profile_cell(b, column, i);
    text.n = text.n > CHROME_LABEL_MAX ? CHROME_LABEL_MAX : text.n;
    return text;
}

/* Microseconds without the zeros that say nothing. */
static void chrome_us(ts_writer *w, int64_t ns)
{
    if (ns % 1000 == 0) {
        ts_write_i64(w, ns / 1000);
    } else {
        ts_write_us(w, ns);
    }
}

/* {"ph":"X","name":...,"pid":1,"tid":1 */
static void chrome_begin(chrome_work *c, const char *phase, ts_text name, ts_who who)
{
    ts_writer *w = &c->w;
    ts_write_str(w, c->comma ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    c->comma = true;
    c->any = c->any || phase[0] != 'M';
    ts_write_str(w, phase);
    ts_write_str(w, "\",\"name\":");
    ts_write_json(w, name);
    ts_write_str(w, ",\"pid\":");
    ts_write_i64(w, who.pid);
    ts_write_str(w, ",\"tid\":");
    ts_write_i64(w, who.tid);
}

static void chrome_time(chrome_work *c, const char *key, int64_t ns)
{
    ts_write_str(&c->w, key);
    chrome_us(&c->w, ns);
}

static void chrome_name(chrome_work *c, const char *what, ts_text name, ts_who who)
{
    chrome_begin(c, "M", ts_text_of(what), who);
    ts_write_str(&c->w, ",\"args\":{\"name\":");
    ts_write_json(&c->w, name);
    ts_write_str(&c->w, "}}");
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
            if (process.n > 0 && !profile_has(&done, ipid) &&
                (code = profile_vec_reach(c->ctx, &done, ipid, sizeof(bool))) == TS_OK) {
                ((bool *)done.p)[ipid] = true;
                chrome_name(c, "process_name", process, who);
            }
        }
        ts_writer_fail(&c->w, code);
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
        return profile_bad_rows(p, "stack_slice");
    }
    if (b->columns[CALL_NODE].null[i] == 0 && node > 0 && p->used[node]) {
        frame = ts_frames_get(&c->frames, ts_calls_frame(p, (uint32_t)node));
    }
    /* One whose end was not seen is open up to the end. */
    chrome_begin(c, whole ? "X" : "B", frame.label, ts_naming_who(&c->names, source_id, itid));
    chrome_time(c, ",\"cat\":\"call\",\"ts\":", ts);
    if (whole) {
        chrome_time(c, ",\"dur\":", b->columns[CALL_DUR].ints[i]);
    }
    ts_write_str(&c->w, ",\"args\":{\"id\":");
    ts_write_i64(&c->w, b->rowids[i]);
    ts_write_str(&c->w, "}}");
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

/* --- slices
 * ------------------------------------------------------------------------------------------- */

enum {
    SLICE_ID,
    SLICE_THREAD,
    SLICE_TS,
    SLICE_DUR,
    SLICE_COOKIE,
    SLICE_SET,
    SLICE_CAT,
    SLICE_NAME,
    SLICE_TEXTS, /* and those behind it are arguments of their names */
    SLICE_COLUMNS = SLICE_TEXTS + 8
};

static const unsigned slice_columns[SLICE_COLUMNS] = {
    TS_C_callstack__id,          TS_C_callstack__callid,       TS_C_callstack__ts,
    TS_C_callstack__dur,         TS_C_callstack__cookie,       TS_C_callstack__argsetid,
    TS_C_callstack__cat,         TS_C_callstack__name,         TS_C_callstack__chainId,
    TS_C_callstack__spanId,      TS_C_callstack__parentSpanId, TS_C_callstack__flag,
    TS_C_callstack__trace_level, TS_C_callstack__trace_tag,    TS_C_callstack__custom_category,
    TS_C_callstack__custom_args};

static const char *const slice_texts[SLICE_COLUMNS - SLICE_TEXTS] = {
    "chainId",     "spanId",    "parentSpanId",    "flag",
    "trace_level", "trace_tag", "custom_category", "custom_args"};

/* A row of callstack that names a set, behind the arguments of the set. */
typedef struct set_record {
    uint64_t set, is_row, number; /* rowid of callstack or of args */
    int64_t key, type, value;
} set_record;

typedef struct arg_record {
    uint64_t rowid, number; /* of callstack, and the place among its arguments */
    int64_t key, type, value;
} arg_record;

static bool chrome_wants_slice(const chrome_work *c, const ts_batch *b, unsigned i)
{
    return b->columns[SLICE_THREAD].null[i] == 0 && b->columns[SLICE_TS].null[i] == 0 &&
           ts_calls_wants_thread(&c->calls, b->columns[SLICE_THREAD].ints[i]) &&
           ts_calls_wants_time(&c->calls, b->columns[SLICE_TS].ints[i]);
}

/* Rows that have arguments, and all sets; NULL: no row has any. */
static ts_code chrome_sets(ts_sorter **sets, chrome_work *c)
{
    static const unsigned columns[] = {TS_C_args__argset, TS_C_args__key, TS_C_args__datatype,
                                       TS_C_args__value};
    const ts_sorter_order order = {.key_offset = 0, .key_count = 3};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, c->reader, TS_T_callstack, slice_columns, SLICE_CAT);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            const set_record r = {
                (uint64_t)b->columns[SLICE_SET].ints[i], 1, (uint64_t)b->rowids[i], 0, 0, 0};
            if (b->columns[SLICE_SET].null[i] != 0 || !chrome_wants_slice(c, b, i)) {
                continue;
            }
            if (*sets == NULL) {
                code = ts_sorter_open(sets, c->ctx, sizeof r, &order, ARGS_MEMORY);
            }
            if (code == TS_OK) {
                code = ts_sorter_add(*sets, &r);
            }
        }
    }
    ts_scan_close(scan);
    scan = NULL;
    if (code == TS_OK && *sets != NULL) {
        code = ts_scan_open(&scan, c->reader, TS_T_args, columns, 4);
    }
    while (code == TS_OK && scan != NULL && (code = ts_scan_next(&b, scan)) == TS_OK &&
           b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            const set_record r = {(uint64_t)b->columns[0].ints[i], 0,
                                  (uint64_t)b->rowids[i],          b->columns[1].ints[i],
                                  b->columns[2].ints[i],           b->columns[3].ints[i]};
            code = ts_sorter_add(*sets, &r);
        }
    }
    ts_scan_close(scan);
    return code;
}

/* One after the other the arguments of a set, then the rows that have it. */
static ts_code chrome_join(chrome_work *c, ts_sorter *sets)
{
    set_record of_set[SLICE_ARGS];
    const void *record = NULL;
    uint64_t set = 0;
    unsigned n = 0;
    ts_code code = ts_sorter_finish(sets);
    while (code == TS_OK && (code = ts_sorter_next(&record, sets)) == TS_OK && record != NULL) {
        const set_record *r = record;
        n = r->set == set ? n : 0;
        set = r->set;
        if (r->is_row == 0) {
            of_set[n] = *r;
            n += n + 1 < SLICE_ARGS;
            continue;
        }
        for (unsigned i = 0; i < n && code == TS_OK; i++) {
            const arg_record arg = {r->number, i, of_set[i].key, of_set[i].type, of_set[i].value};
            code = ts_sorter_add(c->args, &arg);
        }
    }
    return code;
}

/* The arguments of all rows in the order of callstack, if there are any. */
static ts_code chrome_args(chrome_work *c)
{
    static const unsigned columns[] = {TS_C_data_dict__id, TS_C_data_dict__data};
    const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    ts_sorter *sets = NULL;
    ts_code code = chrome_sets(&sets, c);
    if (code == TS_OK && sets != NULL) {
        code = ts_sorter_open(&c->args, c->ctx, sizeof(arg_record), &order, ARGS_MEMORY);
    }
    if (code == TS_OK && sets != NULL) {
        code = chrome_join(c, sets);
    }
    ts_sorter_close(sets);
    if (code == TS_OK && c->args != NULL) {
        code = ts_sorter_finish(c->args);
    }
    if (code == TS_OK && c->args != NULL) {
        code = ts_sorter_next(&c->arg, c->args);
    }
    return code != TS_OK || c->args == NULL
               ? code
               : ts_scan_open(&c->words, c->reader, TS_T_data_dict, columns, 2);
}

/* A JSON string of a text of data_dict; one that is not there is empty. */
static ts_code chrome_word(chrome_work *c, int64_t id)
{
    const ts_batch *b;
    ts_code code = ts_scan_row(&b, c->words, ts_sat_add(id, 1));
    if (code == TS_OK) {
        bool there = b->rows > 0 && b->columns[0].ints[0] == id;
        ts_write_json(&c->w, there ? chrome_label(b, 1, 0) : TS_TEXT_LIT(""));
    }
    return code;
}

/* What arguments the row has: those of its set that come first with their key. */
static ts_code chrome_set_args(chrome_work *c, uint64_t rowid)
{
    int64_t keys[SLICE_ARGS];
    unsigned n = 0;
    ts_code code = TS_OK;
    for (; code == TS_OK && c->arg != NULL && ((const arg_record *)c->arg)->rowid <= rowid;
         code = ts_sorter_next(&c->arg, c->args)) {
        const arg_record r = *(const arg_record *)c->arg;
        unsigned same = 0;
        while (same < n && keys[same] != r.key) {
            same++;
        }
        if (r.rowid != rowid || same < n) {
            continue;
        }
        keys[n++] = r.key;
        ts_write_char(&c->w, ',');
        code = chrome_word(c, r.key);
        ts_write_char(&c->w, ':');
        if (code == TS_OK && r.type == ARG_TEXT) {
            code = chrome_word(c, r.value);
        } else if (r.type == ARG_BOOLEAN) {
            ts_write_str(&c->w, r.value != 0 ? "true" : "false");
        } else {
            ts_write_i64(&c->w, r.value);
        }
        if (code != TS_OK) {
            return code;
        }
    }
    return code;
}

static void chrome_slice_begin(chrome_work *c, const char *phase, const ts_batch *b, unsigned i)
{
    ts_text name = chrome_label(b, SLICE_NAME, i);
    ts_text cat = chrome_label(b, SLICE_CAT, i);
    chrome_begin(c, phase, name.n > 0 ? name : TS_TEXT_LIT("(anonymous)"),
                 ts_naming_who(&c->names, 0, b->columns[SLICE_THREAD].ints[i]));
    ts_write_str(&c->w, ",\"cat\":");
    ts_write_json(&c->w, cat.n > 0 ? cat : TS_TEXT_LIT("slice"));
}

/* One of b and e, which belong together by category and id. */
static void chrome_async(chrome_work *c, const char *phase, const ts_batch *b, unsigned i,
                         int64_t ts)
{
    char id[32];
    chrome_slice_begin(c, phase, b, i);
    (void)snprintf(id, sizeof id, ",\"id\":\"0x%" PRIx64 "\"", (uint64_t)b->rowids[i]);
    ts_write_str(&c->w, id);
    chrome_time(c, ",\"ts\":", ts);
}

static ts_code chrome_slice_args(chrome_work *c, const ts_batch *b, unsigned i)
{
    ts_write_str(&c->w, ",\"args\":{\"id\":");
    ts_write_i64(&c->w, b->columns[SLICE_ID].ints[i]);
    if (b->columns[SLICE_COOKIE].null[i] == 0) {
        ts_write_str(&c->w, ",\"cookie\":");
        ts_write_i64(&c->w, b->columns[SLICE_COOKIE].ints[i]);
    }
    for (unsigned k = SLICE_TEXTS; k < SLICE_COLUMNS; k++) {
        if (b->columns[k].null[i] == 0) {
            ts_write_str(&c->w, ",\"");
            ts_write_str(&c->w, slice_texts[k - SLICE_TEXTS]);
            ts_write_str(&c->w, "\":");
            ts_write_json(&c->w, chrome_label(b, k, i));
        }
    }
    ts_code code = c->arg == NULL ? TS_OK : chrome_set_args(c, (uint64_t)b->rowids[i]);
    ts_write_str(&c->w, "}}");
    return code != TS_OK ? code : c->w.code;
}

static ts_code chrome_slice(chrome_work *c, const ts_batch *b, unsigned i)
{
    const bool whole = b->columns[SLICE_DUR].null[i] == 0;
    const int64_t ts = b->columns[SLICE_TS].ints[i];
    const int64_t dur = b->columns[SLICE_DUR].ints[i];
    ts_code code;
    if (b->columns[SLICE_COOKIE].null[i] == 0) {
        chrome_async(c, "b", b, i, ts);
        code = chrome_slice_args(c, b, i);
        if (whole && code == TS_OK) {
            chrome_async(c, "e", b, i, ts_sat_add(ts, dur));
            ts_write_char(&c->w, '}');
        }
        return code != TS_OK ? code : c->w.code;
    }
    chrome_slice_begin(c, whole ? "X" : "B", b, i);
    chrome_time(c, ",\"ts\":", ts);
    if (whole) {
        chrome_time(c, ",\"dur\":", dur);
    }
    return chrome_slice_args(c, b, i);
}

/* Slices have no source: where others have one, --source leaves them out. */
static ts_code chrome_slices(chrome_work *c)
{
    const ts_export_filter *f = &c->calls.filter;
    const ts_batch *b;
    ts_scan *scan = NULL;
    if (!ts_reader_has_table(c->reader, TS_T_callstack) ||
        (f->event != NULL && strcmp(f->event, "call") != 0) ||
        (f->source != NULL && !c->calls.is_marks)) {
        return TS_OK;
    }
    ts_code code = chrome_args(c);
    if (code == TS_OK) {
        code = ts_scan_open(&scan, c->reader, TS_T_callstack, slice_columns, SLICE_COLUMNS);
    }
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = chrome_wants_slice(c, b, i) ? chrome_slice(c, b, i) : TS_OK;
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
    chrome_begin(c, "X", profile_cell(b, CALL_NODE, i), ts_naming_who(&c->names, source_id, itid));
    chrome_time(c, ",\"cat\":\"pause\",\"ts\":", ts);
    chrome_time(c, ",\"dur\":", b->columns[CALL_DUR].ints[i]);
    ts_write_char(&c->w, '}');
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
    ts_write_str(&c->w, "\"callFrame\":{\"functionName\":");
    ts_write_json(&c->w, frame.label);
    ts_write_str(&c->w, ",\"scriptId\":0,\"url\":");
    ts_write_json(&c->w, frame.file);
    /* Lines of call frames count from 0. */
    ts_write_str(&c->w, ",\"lineNumber\":");
    ts_write_i64(&c->w, frame.line > 0 ? frame.line - 1 : -1);
    ts_write_str(&c->w, ",\"columnNumber\":-1}}");
}

static void chrome_node(chrome_work *c, uint32_t node, bool first)
{
    ts_write_str(&c->w, first ? "{\"id\":" : ",{\"id\":");
    ts_write_i64(&c->w, node + (int64_t)CHROME_ROOT);
    ts_write_str(&c->w, ",\"parent\":");
    ts_write_i64(&c->w, chrome_number(c, c->calls.parent[node]));
    ts_write_char(&c->w, ',');
    chrome_frame(c, ts_frames_get(&c->frames, ts_calls_frame(&c->calls, node)));
}

/* Call paths of the chunk that the profile does not have yet, callers first. */
static void chrome_nodes(chrome_work *c, bool first)
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
            chrome_node(c, c->path[n], first);
            first = false;
        }
    }
}

static void chrome_numbers(chrome_work *c, bool samples)
{
    for (unsigned i = 0; i < c->pending; i++) {
        ts_write_str(&c->w, i == 0 ? "" : ",");
        if (samples) {
            ts_write_i64(&c->w, chrome_number(c, c->nodes[i]));
        } else {
            chrome_us(&c->w, c->deltas[i]);
        }
    }
}

static void chrome_profile_event(chrome_work *c, const char *name, int64_t ts)
{
    chrome_begin(c, "P", ts_text_of(name), c->who);
    ts_write_str(&c->w, ",\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"id\":\"0x");
    char number[16];
    (void)snprintf(number, sizeof number, "%x", (unsigned)c->profile);
    ts_write_str(&c->w, number);
    chrome_time(c, "\",\"ts\":", ts);
    ts_write_str(&c->w, ",\"args\":{\"data\":{");
}

static void chrome_chunk(chrome_work *c, bool last)
{
    bool root = c->known[0] != c->profile;
    if (!c->open || (c->pending == 0 && !last)) {
        return;
    }
    chrome_profile_event(c, "ProfileChunk", c->last);
    ts_write_str(&c->w, "\"cpuProfile\":{\"nodes\":[");
    if (root) {
        c->known[0] = c->profile;
        ts_write_str(&c->w, "{\"id\":1,");
        chrome_frame(c, (ts_frame){{"(root)", 6}, {"", 0}, 0});
    }
    chrome_nodes(c, !root);
    ts_write_str(&c->w, "],\"samples\":[");
    chrome_numbers(c, true);
    ts_write_str(&c->w, "]},\"timeDeltas\":[");
    chrome_numbers(c, false);
    ts_write_char(&c->w, ']');
    if (last) {
        chrome_time(c, ",\"endTime\":", c->end);
    }
    ts_write_str(&c->w, "}}}");
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
    chrome_time(c, "\"startTime\":", item->ts);
    ts_write_str(&c->w, "}}}");
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
    ts_code code = profile_vec_reach(c->ctx, &c->series, id, sizeof(chrome_series));
    if (code == TS_OK) {
        code = ts_pool_intern(c->ctx, &text, NULL, &c->texts, profile_cell(b, 2, i));
    }
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
    char digits[40];
    if (id < 0 || (uint64_t)id >= c->series.n || b->columns[1].null[i] != 0 ||
        b->columns[2].null[i] != 0 || !isfinite(value) || !ts_calls_wants_time(&c->calls, ts)) {
        return;
    }
    const chrome_series *s = &((const chrome_series *)c->series.p)[id];
    if (!s->wanted) {
        return;
    }
    (void)snprintf(digits, sizeof digits, "%.17g", value);
    chrome_begin(c, "C", s->name, s->who);
    chrome_time(c, ",\"ts\":", ts);
    ts_write_str(&c->w, ",\"id\":");
    ts_write_i64(&c->w, id);
    ts_write_str(&c->w, ",\"args\":{\"value\":");
    ts_write_str(&c->w, digits);
    ts_write_str(&c->w, "}}");
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
    if (code == TS_OK) {
        code = ts_scan_open(&scan, c->reader, TS_T_timeseries_value, columns, 3);
    }
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
    ts_code code = ts_calls_select(&c->calls, c->ctx, side);
    if (code != TS_OK || (!c->calls.any_sample && !c->calls.any_slice)) {
        return code;
    }
    ts_calls_free(&c->calls);
    return ts_calls_open(&c->calls, c->ctx, side, &c->frames, TS_LOAD_COUNT);
}

static ts_code chrome_write(chrome_work *c, const char *title)
{
    ts_write_str(&c->w, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"source\":");
    ts_write_json(&c->w, ts_text_of(title));
    ts_write_str(&c->w, "},\"traceEvents\":[");
    ts_code code = chrome_metadata(c);
    if (code == TS_OK) {
        code = chrome_calls(c);
    }
    if (code == TS_OK) {
        code = chrome_slices(c);
    }
    if (code == TS_OK) {
        code = chrome_pauses(c);
    }
    if (code == TS_OK) {
        code = chrome_samples(c);
    }
    if (code == TS_OK) {
        code = chrome_counters(c);
    }
    ts_write_str(&c->w, "\n]}\n");
    if (code == TS_OK && !c->any) {
        code = profile_explain(&c->calls, "nothing with a time is wanted");
    }
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
    if (c == NULL) {
        return ctx->error.code;
    }
    c->ctx = ctx;
    c->reader = input->side.reader;
    c->frames.parts = TS_FRAME_FILE | TS_FRAME_LINE;
    ts_writer_begin(&c->w, ctx, output);
    code = chrome_open(c, &input->side);
    if (code == TS_OK) {
        code = ts_naming_load(&c->names, ctx, c->reader);
    }
    if (code == TS_OK) {
        code = chrome_write(c, input->side.title);
    }
    ts_writer_fail(&c->w, code);
    code = ts_writer_end(&c->w);
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
