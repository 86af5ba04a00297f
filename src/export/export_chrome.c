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
#include "export/export_parts.h"

#include <inttypes.h>
#include <math.h>

enum { CHROME_ROOT = 1 };

typedef struct chrome_series {
    ts_text name;
    ts_who who;
    bool wanted;
} chrome_series;

enum { CHUNK_SAMPLES = 1000 };

typedef struct chrome_work {
    ts_parts x; /* calls are only selected when there are no stacks */
    bool any;   /* an event that is no name was written */
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

/* --- events -------------------------------------------------------------------------------------
 */

/* Begins an event: {"ph":"X","name":...,"pid":1,"tid":1; ts_jout_ends(&c->x.w, "}}") ends one with
 * arguments. */
static void chrome_begin(chrome_work *c, const char *phase, ts_text name, ts_who who)
{
    ts_jout_next_line(&c->x.w);
    ts_jout_open(&c->x.w, NULL, '{');
    ts_jout_str(&c->x.w, "ph", phase);
    ts_jout_text(&c->x.w, "name", name);
    ts_jout_int(&c->x.w, "pid", who.pid);
    ts_jout_int(&c->x.w, "tid", who.tid);
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
static void chrome_time(chrome_work *c, const char *key, int64_t ns)
{
    const uint64_t u = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    char digits[32];
    char *const end = digits + sizeof digits;
    if (u % 1000 == 0) {
        ts_jout_int(&c->x.w, key, ns / 1000);
        return;
    }
    char *p = chrome_digits(end, u % 1000, 3);
    *--p = '.';
    p = chrome_digits(p, u / 1000, 1);
    if (ns < 0) {
        *--p = '-';
    }
    ts_jout_raw(&c->x.w, key, (ts_text){p, (size_t)(end - p)});
}

static void chrome_name(chrome_work *c, const char *what, ts_text name, ts_who who)
{
    chrome_begin(c, "M", ts_text_of(what), who);
    ts_jout_open(&c->x.w, "args", '{');
    ts_jout_text(&c->x.w, "name", name);
    ts_jout_ends(&c->x.w, "}}");
}

/* Names of all processes and threads that have one. */
static ts_code chrome_metadata(chrome_work *c)
{
    static const unsigned columns[] = {TS_C_thread__id, TS_C_thread__ipid};
    ts_vec done = {0}; /* bool, by ipid */
    ts_walk rows = ts_walk_of(ts_rows_of(c->x.reader), TS_T_thread, columns, 2);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        int64_t itid = ts_walk_int(&rows, 0);
        int64_t ipid = ts_walk_int_or(&rows, 1, -1);
        ts_text thread = ts_naming_thread(&c->x.names, itid);
        ts_text process = ts_naming_process(&c->x.names, ipid);
        ts_who who = ts_naming_who(&c->x.names, 0, itid);
        if (!ts_calls_wants_thread(&c->x.calls, itid)) {
            continue;
        }
        if (thread.n > 0) {
            chrome_name(c, "thread_name", thread, who);
        }
        if (process.n > 0 && !ts_vec_bool(&done, ipid) &&
            (code = ts_vec_reach(c->x.ctx, &done, ipid, sizeof(bool))) == TS_OK) {
            ((bool *)done.p)[ipid] = true;
            chrome_name(c, "process_name", process, who);
        }
        ts_jout_fail(&c->x.w, code);
        code = c->x.w.code;
    }
    ts_vec_free(c->x.ctx, &done);
    return code;
}

/* --- calls --------------------------------------------------------------------------------------
 */

enum { CALL_SOURCE, CALL_THREAD, CALL_TS, CALL_DUR, CALL_NODE, CALL_COLUMNS };

static ts_code chrome_call(chrome_work *c, const ts_walk *at)
{
    const ts_calls *p = &c->x.calls;
    int64_t source_id = ts_walk_int(at, CALL_SOURCE);
    int64_t itid = ts_walk_int_or(at, CALL_THREAD, TS_NO_THREAD);
    int64_t ts = ts_walk_int(at, CALL_TS);
    int64_t node = ts_walk_int(at, CALL_NODE);
    bool whole = !ts_walk_null(at, CALL_DUR);
    ts_frame frame = {{"(unknown)", 9}, {"", 0}, 0};
    if (ts_walk_null(at, CALL_TS) || !ts_calls_wants_source(p, source_id) ||
        !ts_calls_wants_thread(p, itid) || !ts_calls_wants_time(p, ts)) {
        return TS_OK;
    }
    if (node < 0 || node > p->nodes) {
        return ts_rows_changed(p->ctx, "stack_slice");
    }
    if (!ts_walk_null(at, CALL_NODE) && node > 0 && p->used[node]) {
        frame = ts_frames_get(&c->x.frames, ts_calls_frame(p, (uint32_t)node));
    }
    /* One whose end was not seen is open up to the end. */
    chrome_begin(c, whole ? "X" : "B", frame.label, ts_naming_who(&c->x.names, source_id, itid));
    ts_jout_str(&c->x.w, "cat", "call");
    chrome_time(c, "ts", ts);
    if (whole) {
        chrome_time(c, "dur", ts_walk_int(at, CALL_DUR));
    }
    ts_jout_open(&c->x.w, "args", '{');
    ts_jout_int(&c->x.w, "id", ts_walk_id(at));
    ts_jout_ends(&c->x.w, "}}");
    return c->x.w.code;
}

static ts_code chrome_calls(chrome_work *c)
{
    static const unsigned columns[CALL_COLUMNS] = {
        TS_C_stack_slice__source_id, TS_C_stack_slice__itid, TS_C_stack_slice__ts,
        TS_C_stack_slice__dur, TS_C_stack_slice__node_id};
    const char *event = c->x.calls.filter.event;
    ts_code code = TS_OK;
    if (!c->x.calls.any_slice || (event != NULL && strcmp(event, "call") != 0)) {
        return TS_OK;
    }
    ts_walk rows = ts_walk_of(ts_rows_of(c->x.reader), TS_T_stack_slice, columns, CALL_COLUMNS);
    while (ts_walk_next(&code, &rows)) {
        code = chrome_call(c, &rows);
    }
    return code;
}

/* --- slices of a trace of the system ---------------------------------------------------------- */

/*
 * X events, asynchronous ones b and e, those whose end was not seen B. Their arguments are joined
 * by two sorts, because rows name sets of them.
 */
enum { CHROME_LABEL_MAX = 32 * 1024 }; /* bytes of a text that are shown */
enum { ARGS_MEMORY = 8 << 20, SLICE_ARGS = 128 };
enum { ARG_TEXT = 1, ARG_BOOLEAN = 3 }; /* args.datatype */

static ts_text chrome_cut(ts_text text)
{
    text.n = text.n > CHROME_LABEL_MAX ? CHROME_LABEL_MAX : text.n;
    return text;
}

enum {
    SLICE_ID,
    SLICE_THREAD,
    SLICE_TS,
    SLICE_DUR,
    SLICE_COOKIE,
    SLICE_SET,
    SLICE_CAT,
    SLICE_NAME,
    SLICE_TEXTS, /* and those after it are arguments of their names */
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

/* A row of callstack that names a set, after the arguments of the set. */
typedef struct set_record {
    uint64_t set, is_row, number; /* rowid of callstack or of args */
    int64_t key, type, value;
} set_record;

typedef struct arg_record {
    uint64_t rowid, number; /* of callstack, and the place among its arguments */
    int64_t key, type, value;
} arg_record;

static bool chrome_wants_slice(const chrome_work *c, const ts_walk *at)
{
    return !ts_walk_null(at, SLICE_THREAD) && !ts_walk_null(at, SLICE_TS) &&
           ts_calls_wants_thread(&c->x.calls, ts_walk_int(at, SLICE_THREAD)) &&
           ts_calls_wants_time(&c->x.calls, ts_walk_int(at, SLICE_TS));
}

/* Rows that have arguments, and all sets; NULL: no row has any. */
static ts_code chrome_sets(ts_sorter **sets, chrome_work *c)
{
    static const unsigned columns[] = {TS_C_args__argset, TS_C_args__key, TS_C_args__datatype,
                                       TS_C_args__value};
    const ts_sorter_order order = {.key_offset = 0, .key_count = 3};
    ts_walk rows = ts_walk_of(ts_rows_of(c->x.reader), TS_T_callstack, slice_columns, SLICE_CAT);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        const set_record r = {
            (uint64_t)ts_walk_int(&rows, SLICE_SET), 1, (uint64_t)ts_walk_id(&rows), 0, 0, 0};
        if (ts_walk_null(&rows, SLICE_SET) || !chrome_wants_slice(c, &rows)) {
            continue;
        }
        if (*sets == NULL) {
            code = ts_sorter_open(sets, c->x.ctx, sizeof r, &order, ARGS_MEMORY);
        }
        TS_STEP(code, ts_sorter_add(*sets, &r));
    }
    rows = ts_walk_of(ts_rows_of(c->x.reader), TS_T_args, columns, 4);
    while (*sets != NULL && ts_walk_next(&code, &rows)) {
        const set_record r = {(uint64_t)ts_walk_int(&rows, 0), 0,
                              (uint64_t)ts_walk_id(&rows),     ts_walk_int(&rows, 1),
                              ts_walk_int(&rows, 2),           ts_walk_int(&rows, 3)};
        code = ts_sorter_add(*sets, &r);
    }
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
    TS_STEP_IF(code, sets != NULL,
               ts_sorter_open(&c->args, c->x.ctx, sizeof(arg_record), &order, ARGS_MEMORY));
    TS_STEP_IF(code, sets != NULL, chrome_join(c, sets));
    ts_sorter_close(sets);
    TS_STEP_IF(code, c->args != NULL, ts_sorter_finish(c->args));
    TS_STEP_IF(code, c->args != NULL, ts_sorter_next(&c->arg, c->args));
    return code != TS_OK || c->args == NULL
               ? code
               : ts_scan_open(&c->words, c->x.reader, TS_T_data_dict, columns, 2);
}

/* A text of data_dict, up to the next; one that is not there is empty. */
static ts_code chrome_word(ts_text *word, chrome_work *c, int64_t id)
{
    const ts_batch *b;
    ts_code code = ts_scan_row(&b, c->words, ts_sat_add(id, 1));
    if (code == TS_OK) {
        bool there = b->rows > 0 && b->columns[0].ints[0] == id;
        *word = there ? chrome_cut(ts_cell_text(b, 1, 0)) : TS_TEXT_LIT("");
    }
    return code;
}

/* What arguments the row has: those of its set that come first with their key. */
static ts_code chrome_set_args(chrome_work *c, uint64_t rowid)
{
    int64_t keys[SLICE_ARGS];
    ts_text word;
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
        TS_TRY_INTO(code, chrome_word(&word, c, r.key));
        ts_jout_key(&c->x.w, word);
        if (r.type == ARG_BOOLEAN) {
            ts_jout_bool(&c->x.w, NULL, r.value != 0);
        } else if (r.type != ARG_TEXT) {
            ts_jout_int(&c->x.w, NULL, r.value);
        } else if ((code = chrome_word(&word, c, r.value)) == TS_OK) {
            ts_jout_text(&c->x.w, NULL, word);
        } else {
            return code;
        }
    }
    return code;
}

static void chrome_slice_begin(chrome_work *c, const char *phase, const ts_walk *at)
{
    ts_text name = chrome_cut(ts_walk_text(at, SLICE_NAME));
    ts_text cat = chrome_cut(ts_walk_text(at, SLICE_CAT));
    chrome_begin(c, phase, name.n > 0 ? name : TS_TEXT_LIT("(anonymous)"),
                 ts_naming_who(&c->x.names, 0, ts_walk_int(at, SLICE_THREAD)));
    ts_jout_text(&c->x.w, "cat", cat.n > 0 ? cat : TS_TEXT_LIT("slice"));
}

/* One of b and e, which belong together by category and id. */
static void chrome_async(chrome_work *c, const char *phase, const ts_walk *at, int64_t ts)
{
    chrome_slice_begin(c, phase, at);
    ts_jout_printf(&c->x.w, "id", "\"0x%" PRIx64 "\"", (uint64_t)ts_walk_id(at));
    chrome_time(c, "ts", ts);
}

static ts_code chrome_slice_args(chrome_work *c, const ts_walk *at)
{
    ts_jout_open(&c->x.w, "args", '{');
    ts_jout_int(&c->x.w, "id", ts_walk_int(at, SLICE_ID));
    if (!ts_walk_null(at, SLICE_COOKIE)) {
        ts_jout_int(&c->x.w, "cookie", ts_walk_int(at, SLICE_COOKIE));
    }
    for (unsigned k = SLICE_TEXTS; k < SLICE_COLUMNS; k++) {
        if (!ts_walk_null(at, k)) {
            ts_jout_text(&c->x.w, slice_texts[k - SLICE_TEXTS], chrome_cut(ts_walk_text(at, k)));
        }
    }
    ts_code code = c->arg == NULL ? TS_OK : chrome_set_args(c, (uint64_t)ts_walk_id(at));
    ts_jout_ends(&c->x.w, "}}");
    return code != TS_OK ? code : c->x.w.code;
}

static ts_code chrome_slice(chrome_work *c, const ts_walk *at)
{
    const bool whole = !ts_walk_null(at, SLICE_DUR);
    const int64_t ts = ts_walk_int(at, SLICE_TS);
    const int64_t dur = ts_walk_int(at, SLICE_DUR);
    ts_code code;
    if (!ts_walk_null(at, SLICE_COOKIE)) {
        chrome_async(c, "b", at, ts);
        code = chrome_slice_args(c, at);
        if (whole && code == TS_OK) {
            chrome_async(c, "e", at, ts_sat_add(ts, dur));
            ts_jout_close(&c->x.w, '}');
        }
        return code != TS_OK ? code : c->x.w.code;
    }
    chrome_slice_begin(c, whole ? "X" : "B", at);
    chrome_time(c, "ts", ts);
    if (whole) {
        chrome_time(c, "dur", dur);
    }
    return chrome_slice_args(c, at);
}

/* Slices have no source: where others have one, --source leaves them out. */
static ts_code chrome_slices(chrome_work *c)
{
    const ts_stack_filter *f = &c->x.calls.filter;
    ts_walk rows =
        ts_walk_of(ts_rows_of(c->x.reader), TS_T_callstack, slice_columns, SLICE_COLUMNS);
    if (!ts_reader_has_table(c->x.reader, TS_T_callstack) ||
        (f->event != NULL && strcmp(f->event, "call") != 0) ||
        (f->wanted.source != NULL && !c->x.calls.is_marks) || f->wanted.label != NULL) {
        return TS_OK;
    }
    ts_code code = chrome_args(c);
    while (ts_walk_next(&code, &rows)) {
        code = chrome_wants_slice(c, &rows) ? chrome_slice(c, &rows) : TS_OK;
    }
    return code;
}

/* --- pauses -------------------------------------------------------------------------------------
 */

static void chrome_pause(chrome_work *c, const ts_walk *at)
{
    int64_t source_id = ts_walk_int(at, CALL_SOURCE);
    int64_t itid = ts_walk_int_or(at, CALL_THREAD, TS_NO_THREAD);
    int64_t ts = ts_walk_int(at, CALL_TS);
    if (ts_walk_null(at, CALL_TS) || ts_walk_null(at, CALL_DUR) ||
        !ts_calls_wants_source(&c->x.calls, source_id) ||
        !ts_calls_wants_thread(&c->x.calls, itid) || !ts_calls_wants_time(&c->x.calls, ts)) {
        return;
    }
    chrome_begin(c, "X", ts_walk_text(at, CALL_NODE), ts_naming_who(&c->x.names, source_id, itid));
    ts_jout_str(&c->x.w, "cat", "pause");
    chrome_time(c, "ts", ts);
    chrome_time(c, "dur", ts_walk_int(at, CALL_DUR));
    ts_jout_close(&c->x.w, '}');
}

static ts_code chrome_pauses(chrome_work *c)
{
    static const unsigned columns[CALL_COLUMNS] = {
        TS_C_runtime_pause__source_id, TS_C_runtime_pause__itid, TS_C_runtime_pause__ts,
        TS_C_runtime_pause__dur, TS_C_runtime_pause__kind};
    if (c->x.calls.filter.event != NULL) {
        return TS_OK;
    }
    ts_walk rows = ts_walk_of(ts_rows_of(c->x.reader), TS_T_runtime_pause, columns, CALL_COLUMNS);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        chrome_pause(c, &rows);
        code = c->x.w.code;
    }
    return code;
}

/* --- samples ------------------------------------------------------------------------------------
 */

/* A call path without a caller that is called (root) is the root of the profile. */
static uint32_t chrome_number(const chrome_work *c, uint32_t node)
{
    if (node == 0) {
        return CHROME_ROOT;
    }
    ts_text label = ts_frames_get(&c->x.frames, ts_calls_frame(&c->x.calls, node)).label;
    return c->x.calls.parent[node] == 0 && ts_text_is(label, "(root)") ? CHROME_ROOT
                                                                       : node + CHROME_ROOT;
}

static void chrome_frame(chrome_work *c, ts_frame frame)
{
    ts_jout_open(&c->x.w, "callFrame", '{');
    ts_jout_text(&c->x.w, "functionName", frame.label);
    ts_jout_int(&c->x.w, "scriptId", 0);
    ts_jout_text(&c->x.w, "url", frame.file);
    /* Lines of call frames count from 0. */
    ts_jout_int(&c->x.w, "lineNumber", frame.line > 0 ? frame.line - 1 : -1);
    ts_jout_int(&c->x.w, "columnNumber", -1);
    ts_jout_ends(&c->x.w, "}}");
}

static void chrome_node(chrome_work *c, uint32_t node)
{
    ts_jout_open(&c->x.w, NULL, '{');
    ts_jout_int(&c->x.w, "id", node + (int64_t)CHROME_ROOT);
    ts_jout_int(&c->x.w, "parent", chrome_number(c, c->x.calls.parent[node]));
    chrome_frame(c, ts_frames_get(&c->x.frames, ts_calls_frame(&c->x.calls, node)));
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
            at = c->x.calls.parent[at];
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
            ts_jout_int(&c->x.w, NULL, chrome_number(c, c->nodes[i]));
        } else {
            chrome_time(c, NULL, c->deltas[i]);
        }
    }
}

static void chrome_profile_event(chrome_work *c, const char *name, int64_t ts)
{
    chrome_begin(c, "P", ts_text_of(name), c->who);
    ts_jout_str(&c->x.w, "cat", "disabled-by-default-v8.cpu_profiler");
    ts_jout_printf(&c->x.w, "id", "\"0x%x\"", (unsigned)c->profile);
    chrome_time(c, "ts", ts);
    ts_jout_open(&c->x.w, "args", '{');
    ts_jout_open(&c->x.w, "data", '{');
}

static void chrome_chunk(chrome_work *c, bool last)
{
    bool root = c->known[0] != c->profile;
    if (!c->open || (c->pending == 0 && !last)) {
        return;
    }
    chrome_profile_event(c, "ProfileChunk", c->last);
    ts_jout_open(&c->x.w, "cpuProfile", '{');
    ts_jout_open(&c->x.w, "nodes", '[');
    if (root) {
        c->known[0] = c->profile;
        ts_jout_open(&c->x.w, NULL, '{');
        ts_jout_int(&c->x.w, "id", CHROME_ROOT);
        chrome_frame(c, (ts_frame){{"(root)", 6}, {"", 0}, 0});
    }
    chrome_nodes(c);
    ts_jout_close(&c->x.w, ']');
    ts_jout_open(&c->x.w, "samples", '[');
    chrome_numbers(c, true);
    ts_jout_ends(&c->x.w, "]}");
    ts_jout_open(&c->x.w, "timeDeltas", '[');
    chrome_numbers(c, false);
    ts_jout_close(&c->x.w, ']');
    if (last) {
        chrome_time(c, "endTime", c->end);
    }
    ts_jout_ends(&c->x.w, "}}}");
    c->pending = 0;
}

static void chrome_end_profile(chrome_work *c)
{
    chrome_chunk(c, true);
    c->open = false;
}

static void chrome_begin_profile(chrome_work *c, const ts_calls_item *item)
{
    ts_text source = ts_naming_source(&c->x.names, item->source_id);
    c->open = true;
    c->profile++;
    c->source_id = item->source_id;
    c->itid = item->itid;
    c->who = ts_naming_who(&c->x.names, item->source_id, item->itid);
    c->last = item->ts;
    c->end = item->ts;
    if (item->itid == TS_NO_THREAD && source.n > 0) {
        chrome_name(c, "thread_name", source, c->who);
    }
    chrome_profile_event(c, "Profile", item->ts);
    chrome_time(c, "startTime", item->ts);
    ts_jout_ends(&c->x.w, "}}}");
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
        return ts_fail(c->x.ctx, TS_ERR_LIMIT, "two samples are more than 292 years apart");
    }
    int64_t end =
        item->dur == TS_NO_TIME || item->dur < 0 ? item->ts : ts_sat_add(item->ts, item->dur);
    c->nodes[c->pending] = item->node;
    c->deltas[c->pending++] = delta;
    c->last = item->ts;
    c->end = end > c->end ? end : c->end;
    return c->x.w.code;
}

static ts_code chrome_samples(chrome_work *c)
{
    const ts_weight number = {.kind = TS_WEIGHT_SAMPLES};
    if (!c->x.calls.any_sample || c->x.calls.is_heap) {
        return TS_OK;
    }
    c->known = ts_zalloc(c->x.ctx, (size_t)c->x.calls.nodes + 1, sizeof *c->known);
    c->path = ts_alloc(c->x.ctx, (size_t)c->x.calls.nodes + 1, sizeof *c->path);
    ts_code code = c->known == NULL || c->path == NULL
                       ? c->x.ctx->error.code
                       : ts_calls_sorted(&c->x.calls, &number, chrome_sample, c);
    if (code == TS_OK) {
        chrome_end_profile(c);
        code = c->x.w.code;
    }
    return code;
}

/* --- counters -----------------------------------------------------------------------------------
 */

static ts_code chrome_series_row(chrome_work *c, const ts_walk *at)
{
    int64_t id = ts_walk_id(at);
    int64_t source_id = ts_walk_int(at, 0);
    int64_t itid = ts_walk_int_or(at, 1, TS_NO_THREAD);
    uint32_t text;
    ts_code code = ts_vec_reach(c->x.ctx, &c->series, id, sizeof(chrome_series));
    TS_STEP(code, ts_pool_intern(c->x.ctx, &text, NULL, &c->texts, ts_walk_text(at, 2)));
    if (code == TS_OK) {
        ((chrome_series *)c->series.p)[id] = (chrome_series){
            ts_pool_text(&c->texts, text),
            ts_naming_who(&c->x.names, source_id, itid),
            ts_calls_wants_source(&c->x.calls, source_id) &&
                ts_calls_wants_thread(&c->x.calls, itid),
        };
    }
    return code;
}

static ts_code chrome_series_all(chrome_work *c)
{
    static const unsigned columns[] = {TS_C_timeseries__source_id, TS_C_timeseries__itid,
                                       TS_C_timeseries__name};
    ts_walk rows = ts_walk_of(ts_rows_of(c->x.reader), TS_T_timeseries, columns, 3);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        code = chrome_series_row(c, &rows);
    }
    return code;
}

static void chrome_value(chrome_work *c, const ts_walk *at)
{
    int64_t id = ts_walk_int(at, 0);
    int64_t ts = ts_walk_int(at, 1);
    double value = at->b->columns[2].reals[at->row];
    if (id < 0 || (uint64_t)id >= c->series.n || ts_walk_null(at, 1) || ts_walk_null(at, 2) ||
        !isfinite(value) || !ts_calls_wants_time(&c->x.calls, ts)) {
        return;
    }
    const chrome_series *s = &((const chrome_series *)c->series.p)[id];
    if (!s->wanted) {
        return;
    }
    chrome_begin(c, "C", s->name, s->who);
    chrome_time(c, "ts", ts);
    ts_jout_int(&c->x.w, "id", id);
    ts_jout_open(&c->x.w, "args", '{');
    ts_jout_printf(&c->x.w, "value", "%.17g", value);
    ts_jout_ends(&c->x.w, "}}");
}

static ts_code chrome_counters(chrome_work *c)
{
    static const unsigned columns[] = {TS_C_timeseries_value__series_id, TS_C_timeseries_value__ts,
                                       TS_C_timeseries_value__value};
    ts_walk rows = ts_walk_of(ts_rows_of(c->x.reader), TS_T_timeseries_value, columns, 3);
    if (c->x.calls.filter.event != NULL) {
        return TS_OK;
    }
    ts_code code = chrome_series_all(c);

    while (ts_walk_next(&code, &rows)) {
        chrome_value(c, &rows);
        code = c->x.w.code;
    }
    return code;
}

/* --- all ----------------------------------------------------------------------------------------
 */

/* The stacks, when there are any: all that are wanted, whatever they weigh. */
static ts_code chrome_open(ts_parts *x)
{
    TS_TRY(ts_calls_select(&x->calls, x->ctx, x->reader, &x->input->side.filter));
    if (x->calls.any_sample || x->calls.any_slice) {
        ts_calls_free(&x->calls);
        TS_TRY(ts_parts_calls(x, TS_FRAME_FILE | TS_FRAME_LINE, TS_LOAD_COUNT));
    }
    return ts_naming_load(&x->names, x->ctx, x->reader);
}

static ts_code chrome_run(void *work)
{
    chrome_work *c = work;
    ts_jout *w = &c->x.w;
    ts_code code;
    if (c->x.input->side.filter.weight != NULL) {
        return ts_fail(c->x.ctx, TS_ERR_USAGE,
                       "trace events have times and no weights: --weight cannot be given with "
                       "--to=chrome-json");
    }
    w->escapes |= TS_JOUT_MARKUP;
    TS_TRY_INTO(code, chrome_open(&c->x));
    ts_jout_open(w, NULL, '{');
    ts_jout_str(w, "displayTimeUnit", "ns");
    ts_jout_open(w, "otherData", '{');
    ts_jout_str(w, "source", c->x.input->side.title);
    ts_jout_close(w, '}');
    ts_jout_open(w, "traceEvents", '[');
    TS_STEP(code, chrome_metadata(c));
    TS_STEP(code, chrome_calls(c));
    TS_STEP(code, chrome_slices(c));
    TS_STEP(code, chrome_pauses(c));
    TS_STEP(code, chrome_samples(c));
    TS_STEP(code, chrome_counters(c));
    ts_jout_line(w);
    ts_jout_ends(w, "]}");
    ts_jout_line(w);
    TS_STEP_IF(code, !c->any, ts_calls_explain(&c->x.calls, "nothing with a time was chosen"));
    return code;
}

static void chrome_release(void *work)
{
    chrome_work *c = work;
    ts_scan_close(c->words);
    ts_sorter_close(c->args);
    ts_free(c->x.ctx, c->known);
    ts_free(c->x.ctx, c->path);
    ts_vec_free(c->x.ctx, &c->series);
    ts_pool_free(c->x.ctx, &c->texts);
}

const ts_export ts_export_chrome = {
    .name = "chrome-json",
    .title = "trace events, for DevTools, Perfetto and chrome://tracing",
    .extension = ".json",
    .needs = "stack_sample (sampled stacks), stack_slice (traced calls), timeseries (time series), "
             "callstack (slices of a trace of the system)",
    .work = sizeof(chrome_work),
    .run = chrome_run,
    .release = chrome_release,
};
