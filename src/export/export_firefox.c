/*
 * A processed profile of the Firefox Profiler (version 60, gzipped JSON), for
 * https://profiler.firefox.com: a thread for each thread of each source with its samples, traced
 * calls as samples of their own time and as markers, slices of a trace of the system, pauses and
 * waiting for locks as markers, series as counters. Times are milliseconds from the first of them.
 *
 * A table is an object of columns, so the rows of a thread wait in spools, and are read once for
 * each column. Threads are in the order of source and thread; those of samples come sorted, those
 * of markers from a sorter in the same order, and both are merged.
 *
 * Memory: that of export_firefox.h, 32 bytes a series, 8 a thread, and 16, 4 and 4 MiB to sort
 * samples, markers and values of series.
 */
#include "base/sorter.h"
#include "base/spool.h"
#include "export/export_firefox.h"
#include "export/export_gzip.h"
#include "model/when.h"

#include <inttypes.h>
#include <math.h>

enum { FIRE_VERSION = 60, FIRE_SORT_MEMORY = 4 << 20, NS_PER_MS = 1000000 };

/* Kinds of markers, each with a schema. */
typedef enum fire_kind {
    FIRE_CALL,
    FIRE_SPAN,
    FIRE_SLICE,
    FIRE_ASYNC,
    FIRE_PAUSE,
    FIRE_WAIT
} fire_kind;

static const struct {
    const char *name;
    bool nested; /* they nest on their thread */
    const char *detail, *label;
} fire_kinds[] = {
    [FIRE_CALL] = {"call", true, NULL, NULL},
    [FIRE_SPAN] = {"span", false, NULL, NULL},
    [FIRE_SLICE] = {"slice", true, "category", "Category"},
    [FIRE_ASYNC] = {"async_slice", false, "category", "Category"},
    [FIRE_PAUSE] = {"runtime_pause", false, "cause", "Cause"},
    [FIRE_WAIT] = {"lock_wait", false, "class", "Class of the lock"},
};
enum { FIRE_KINDS = sizeof fire_kinds / sizeof fire_kinds[0] };

typedef struct fire_marker {
    uint64_t key[3]; /* source, thread, time, as ts_calls_sorted has them */
    int64_t dur;     /* TS_NO_TIME: open */
    int64_t id;      /* of its row */
    uint32_t kind;
    uint32_t name;
    uint64_t detail; /* a text + 1; 0: none */
} fire_marker;

typedef struct fire_series {
    ts_text name, unit;
    ts_who who;
    bool wanted, any; /* any: it has values that are wanted */
} fire_series;

typedef struct fire_value {
    uint64_t series, ts;
    double value;
} fire_value;

typedef struct fire_work {
    ts_parts x; /* calls are only selected when there are no stacks */
    ts_gzip zip;
    ts_jout w; /* the JSON, to zip */
    ts_fire_tables tables;
    /* What all threads need to know. */
    int64_t start;    /* the first time; INT64_MAX: there is none */
    int64_t interval; /* ns between two samples */
    int64_t spans;    /* samples with a length */
    ts_wide span;     /* and their sum */
    bool untimed;     /* samples without a time are there */
    bool any;
    ts_sorter *markers;        /* fire_marker; NULL: none */
    const fire_marker *marker; /* the next one */
    /* The thread that is being written. */
    bool open, timed;
    int64_t source_id, itid;
    uint64_t count;           /* its samples */
    ts_spool *samples, *rows; /* ints: SAMPLE_COLUMNS a sample, MARKER_COLUMNS a marker */
    ts_vec pids;              /* int64_t: of each thread that was written */
    /* Counters. */
    ts_sorter *values; /* fire_value; NULL: none */
    ts_vec series;     /* fire_series, by id */
    ts_pool texts;
} fire_work;

#define NO_MARKERS INT64_MIN /* a source that has none */

/* --- numbers ---------------------------------------------------------------------------------- */

/* Milliseconds, exactly. */
static void fire_ms(fire_work *f, const char *key, int64_t ns)
{
    const uint64_t u = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (u % NS_PER_MS == 0) {
        ts_jout_int(&f->w, key, ns / NS_PER_MS);
    } else {
        ts_jout_printf(&f->w, key, "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", u / NS_PER_MS,
                       u % NS_PER_MS);
    }
}

/* The number that a key orders. */
static int64_t fire_plain(uint64_t key)
{
    return (int64_t)ts_sorter_key((int64_t)key);
}

static int64_t fire_since(const fire_work *f, int64_t ts)
{
    return ts_sat_sub(ts, f->start);
}

static void fire_begins(fire_work *f, int64_t ts)
{
    f->start = ts < f->start ? ts : f->start;
    f->any = true;
}

/* --- markers ---------------------------------------------------------------------------------- */

/* Columns of a row that becomes a marker. ROW_MORE: depth of a call, cookie of a slice, cause of a
 * pause, class of a lock. ROW_FROM: source, but of a slice, which has none, its category. */
enum { ROW_THREAD, ROW_TS, ROW_DUR, ROW_NAME, ROW_MORE, ROW_FROM, ROW_COLUMNS };

static ts_code fire_add(fire_work *f, const ts_walk *at, fire_kind kind, ts_text name)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 3};
    const bool of_system = kind == FIRE_SLICE || kind == FIRE_ASYNC;
    const int64_t source_id = of_system ? 0 : ts_walk_int(at, ROW_FROM);
    const int64_t itid = ts_walk_int_or(at, ROW_THREAD, TS_NO_THREAD);
    const int64_t ts = ts_walk_int(at, ROW_TS);
    uint32_t detail = 0;
    fire_marker marker = {
        .key = {ts_sorter_key(source_id), ts_sorter_key(itid), ts_sorter_key(ts)},
        .dur = ts_walk_int_or(at, ROW_DUR, TS_NO_TIME),
        .id = ts_walk_id(at),
        .kind = kind,
    };
    if (ts_walk_null(at, ROW_TS) ||
        (!of_system && !ts_calls_wants_source(&f->x.calls, source_id)) ||
        !ts_calls_wants_thread(&f->x.calls, itid) || !ts_calls_wants_time(&f->x.calls, ts)) {
        return TS_OK;
    }
    TS_TRY(ts_fire_string(&marker.name, &f->tables, name));
    if (fire_kinds[kind].detail != NULL) {
        const unsigned column = of_system ? ROW_FROM : ROW_MORE;
        TS_TRY(ts_fire_string(&detail, &f->tables, ts_walk_text(at, column)));
        marker.detail = ts_walk_null(at, column) ? 0 : detail + UINT64_C(1);
    }
    fire_begins(f, ts);
    return ts_sorter_put(&f->markers, f->x.ctx, &marker, sizeof marker, &order, FIRE_SORT_MEMORY);
}

static ts_code fire_call(fire_work *f, const ts_walk *at)
{
    const ts_calls *p = &f->x.calls;
    const int64_t node = ts_walk_int(at, ROW_NAME);
    ts_text label = TS_TEXT_LIT("(unknown)");
    if (node < 0 || node > p->nodes) {
        return ts_rows_changed(p->ctx, "stack_slice");
    }
    if (!ts_walk_null(at, ROW_NAME) && node > 0 && p->used[node]) {
        label = ts_frames_get(&f->x.frames, ts_calls_frame(p, (uint32_t)node)).label;
    }
    /* What belongs to no thread, or is not certain, does not nest on one. */
    const bool alone = ts_walk_null(at, ROW_MORE) ||
                       (p->events != NULL && ts_vec_bool(&p->events->async, ts_walk_id(at)));
    return fire_add(f, at, alone ? FIRE_SPAN : FIRE_CALL, label);
}

static ts_code fire_slice(fire_work *f, const ts_walk *at)
{
    const ts_text name = ts_walk_text(at, ROW_NAME);
    return fire_add(f, at, ts_walk_null(at, ROW_MORE) ? FIRE_SLICE : FIRE_ASYNC,
                    name.n > 0 ? name : TS_TEXT_LIT("(anonymous)"));
}

static ts_code fire_pause(fire_work *f, const ts_walk *at)
{
    return fire_add(f, at, FIRE_PAUSE, ts_walk_text(at, ROW_NAME));
}

static ts_code fire_wait(fire_work *f, const ts_walk *at)
{
    return fire_add(f, at, FIRE_WAIT, ts_walk_text(at, ROW_NAME));
}

static ts_code fire_rows(fire_work *f, enum ts_table_id table, const unsigned *columns,
                         ts_code (*take)(fire_work *f, const ts_walk *at))
{
    ts_walk rows = ts_walk_of(ts_rows_of(f->x.reader), table, columns, ROW_COLUMNS);
    ts_code code = TS_OK;
    while (ts_reader_has_table(f->x.reader, table) && ts_walk_next(&code, &rows)) {
        code = take(f, &rows);
    }
    return code;
}

/* All markers into their sorter. --source leaves slices of the system out where others have one. */
static ts_code fire_collect(fire_work *f)
{
    static const unsigned calls[ROW_COLUMNS] = {
        TS_C_stack_slice__itid,    TS_C_stack_slice__ts,    TS_C_stack_slice__dur,
        TS_C_stack_slice__node_id, TS_C_stack_slice__depth, TS_C_stack_slice__source_id};
    static const unsigned slices[ROW_COLUMNS] = {TS_C_callstack__callid, TS_C_callstack__ts,
                                                 TS_C_callstack__dur,    TS_C_callstack__name,
                                                 TS_C_callstack__cookie, TS_C_callstack__cat};
    static const unsigned pauses[ROW_COLUMNS] = {
        TS_C_runtime_pause__itid, TS_C_runtime_pause__ts,    TS_C_runtime_pause__dur,
        TS_C_runtime_pause__kind, TS_C_runtime_pause__cause, TS_C_runtime_pause__source_id};
    static const unsigned waits[ROW_COLUMNS] = {TS_C_lock_wait__itid,  TS_C_lock_wait__ts,
                                                TS_C_lock_wait__dur,   TS_C_lock_wait__kind,
                                                TS_C_lock_wait__class, TS_C_lock_wait__source_id};
    const ts_calls *p = &f->x.calls;
    const bool of_calls = p->filter.event == NULL || strcmp(p->filter.event, "call") == 0;
    const bool of_system =
        (p->filter.wanted.source == NULL || p->is_marks) && p->filter.wanted.label == NULL;
    const bool others = p->filter.event == NULL;
    ts_code code = TS_OK;
    TS_STEP_IF(code, of_calls && p->any_slice, fire_rows(f, TS_T_stack_slice, calls, fire_call));
    TS_STEP_IF(code, of_calls && of_system, fire_rows(f, TS_T_callstack, slices, fire_slice));
    TS_STEP_IF(code, others, fire_rows(f, TS_T_runtime_pause, pauses, fire_pause));
    TS_STEP_IF(code, others, fire_rows(f, TS_T_lock_wait, waits, fire_wait));
    return code;
}

/* The next marker of the sorter. */
static ts_code fire_next(fire_work *f)
{
    const void *record = NULL;
    ts_code code = f->markers == NULL ? TS_OK : ts_sorter_next(&record, f->markers);
    f->marker = record;
    return code;
}

/* --- columns ---------------------------------------------------------------------------------- */

enum { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_WEIGHT, SAMPLE_COLUMNS };
enum { MARKER_NAME, MARKER_START, MARKER_END, MARKER_PHASE, MARKER_CATEGORY, MARKER_COLUMNS };

typedef enum fire_form { FORM_INT, FORM_MS, FORM_MS_OR_NULL, FORM_BITS } fire_form;

static void fire_cell(fire_work *f, int64_t value, fire_form form)
{
    double real;
    if (form == FORM_INT) {
        ts_jout_int(&f->w, NULL, value);
    } else if (form == FORM_BITS) {
        memcpy(&real, &value, sizeof real);
        ts_jout_real(&f->w, NULL, real);
    } else if (form == FORM_MS_OR_NULL && value == TS_NO_TIME) {
        ts_jout_null(&f->w, NULL);
    } else {
        fire_ms(f, NULL, value);
    }
}

/* One of the `columns` of the rows of a spool, which may be NULL. */
static ts_code fire_column(fire_work *f, const char *key, ts_spool *rows, unsigned column,
                           unsigned columns, fire_form form)
{
    ts_spool_cursor cursor;
    bool end = rows == NULL;
    ts_code code = f->w.code;
    ts_jout_open(&f->w, key, '[');
    if (!end) {
        ts_spool_rewind(&cursor, rows);
    }
    for (unsigned k = 0; code == TS_OK && !end; k = k + 1 == columns ? 0 : k + 1) {
        int64_t value;
        code = ts_spool_next_int(&value, &end, &cursor);
        if (code == TS_OK && !end && k == column) {
            fire_cell(f, value, form);
            code = f->w.code;
        }
    }
    ts_jout_close(&f->w, ']');
    return code;
}

static ts_code fire_put_row(fire_work *f, ts_spool **rows, const int64_t *cells, unsigned columns)
{
    ts_code code = *rows == NULL ? ts_spool_new(rows, f->x.ctx) : TS_OK;
    for (unsigned i = 0; i < columns; i++) {
        TS_STEP(code, ts_spool_put_int(*rows, cells[i]));
    }
    return code;
}

static void fire_free(ts_spool **rows)
{
    ts_spool_free(*rows);
    *rows = NULL;
}

/* --- threads ---------------------------------------------------------------------------------- */

static const ts_weight *fire_weight(const fire_work *f)
{
    return &f->x.calls.weights[f->x.calls.chosen];
}

static bool fire_in_ms(const fire_work *f)
{
    return f->x.calls.weight_count > 0 && ts_text_is(fire_weight(f)->unit, "ns");
}

/* {"name":...,"tid":1: the thread without its tables. */
static ts_code fire_head(fire_work *f, ts_text name, ts_text process, ts_who who)
{
    f->open = true;
    f->count = 0;
    TS_TRY(ts_vec_push(f->x.ctx, &f->pids, &who.pid, sizeof who.pid));
    ts_jout_next_line(&f->w);
    ts_jout_open(&f->w, NULL, '{');
    ts_jout_text(&f->w, "name", name);
    ts_jout_text(&f->w, "processName",
                 process.n > 0 ? process : ts_text_of(f->x.input->side.title));
    ts_jout_str(&f->w, "processType", "default");
    ts_jout_int(&f->w, "processStartupTime", 0);
    ts_jout_null(&f->w, "processShutdownTime");
    ts_jout_int(&f->w, "registerTime", 0);
    ts_jout_null(&f->w, "unregisterTime");
    ts_jout_open(&f->w, "pausedRanges", '[');
    ts_jout_close(&f->w, ']');
    ts_jout_bool(&f->w, "isMainThread", who.pid == who.tid);
    ts_jout_printf(&f->w, "pid", "\"%" PRId64 "\"", who.pid);
    ts_jout_int(&f->w, "tid", who.tid);
    return f->w.code;
}

static ts_code fire_samples_out(fire_work *f)
{
    const char *unit =
        !fire_in_ms(f) && f->x.calls.weight_count > 0 && ts_text_is(fire_weight(f)->unit, "bytes")
            ? "bytes"
            : "samples";
    ts_code code = TS_OK;
    ts_jout_open(&f->w, "samples", '{');
    TS_STEP(code, fire_column(f, "stack", f->samples, SAMPLE_STACK, SAMPLE_COLUMNS, FORM_INT));
    TS_STEP(code, fire_column(f, "time", f->samples, SAMPLE_TIME, SAMPLE_COLUMNS, FORM_MS));
    TS_STEP(code, fire_column(f, "weight", f->samples, SAMPLE_WEIGHT, SAMPLE_COLUMNS,
                              fire_in_ms(f) ? FORM_MS : FORM_INT));
    ts_jout_str(&f->w, "weightType", fire_in_ms(f) ? "tracing-ms" : unit);
    ts_jout_uint(&f->w, "length", f->count);
    ts_jout_close(&f->w, '}');
    fire_free(&f->samples);
    return code;
}

static void fire_data(fire_work *f, const fire_marker *m)
{
    ts_jout_open(&f->w, NULL, '{');
    ts_jout_str(&f->w, "type", fire_kinds[m->kind].name);
    ts_jout_int(&f->w, "row", m->id);
    if (m->detail > 0) {
        ts_jout_uint(&f->w, fire_kinds[m->kind].detail, m->detail - 1);
    }
    ts_jout_close(&f->w, '}');
}

/* Markers of the thread, which are the next ones of the sorter. */
static ts_code fire_markers_out(fire_work *f)
{
    const uint64_t source_key = ts_sorter_key(f->source_id), thread_key = ts_sorter_key(f->itid);
    uint64_t n = 0;
    ts_code code = TS_OK;
    ts_jout_open(&f->w, "markers", '{');
    ts_jout_open(&f->w, "data", '[');
    while (code == TS_OK && f->marker != NULL && f->marker->key[0] == source_key &&
           f->marker->key[1] == thread_key) {
        const fire_marker *m = f->marker;
        const int64_t at = fire_since(f, fire_plain(m->key[2]));
        const bool whole = m->dur != TS_NO_TIME;
        const bool call = m->kind <= FIRE_ASYNC; /* without a length it is open */
        const int64_t cells[MARKER_COLUMNS] = {m->name, at,
                                               whole ? ts_sat_add(at, m->dur) : TS_NO_TIME,
                                               whole  ? 1
                                               : call ? 2
                                                      : 0,
                                               m->kind == FIRE_PAUSE ? TS_FIRE_GC : TS_FIRE_OTHER};
        fire_data(f, m);
        code = fire_put_row(f, &f->rows, cells, MARKER_COLUMNS);
        TS_STEP(code, fire_next(f));
        n++;
    }
    ts_jout_close(&f->w, ']');
    TS_STEP(code, fire_column(f, "name", f->rows, MARKER_NAME, MARKER_COLUMNS, FORM_INT));
    TS_STEP(code, fire_column(f, "startTime", f->rows, MARKER_START, MARKER_COLUMNS, FORM_MS));
    TS_STEP(code, fire_column(f, "endTime", f->rows, MARKER_END, MARKER_COLUMNS, FORM_MS_OR_NULL));
    TS_STEP(code, fire_column(f, "phase", f->rows, MARKER_PHASE, MARKER_COLUMNS, FORM_INT));
    TS_STEP(code, fire_column(f, "category", f->rows, MARKER_CATEGORY, MARKER_COLUMNS, FORM_INT));
    ts_jout_uint(&f->w, "length", n);
    ts_jout_ends(&f->w, "}}");
    fire_free(&f->rows);
    return code;
}

static ts_code fire_begin(fire_work *f, int64_t source_id, int64_t itid, bool timed)
{
    const ts_text thread = ts_naming_thread(&f->x.names, itid);
    const ts_text source = ts_naming_source(&f->x.names, source_id);
    const ts_text process = ts_naming_process_of(&f->x.names, itid);
    f->timed = timed;
    f->source_id = source_id;
    f->itid = itid;
    return fire_head(f,
                     thread.n > 0   ? thread
                     : source.n > 0 ? source
                                    : TS_TEXT_LIT("all threads"),
                     process.n > 0 ? process : source, ts_naming_who(&f->x.names, source_id, itid));
}

/* Ends the thread, if one is open. next: its samples with times follow, and its markers go there.
 */
static ts_code fire_end(fire_work *f, bool bare)
{
    ts_code code = TS_OK;
    if (!f->open) {
        return TS_OK;
    }
    f->open = false;
    TS_TRY_INTO(code, fire_samples_out(f));
    f->source_id = bare ? NO_MARKERS : f->source_id;
    return fire_markers_out(f);
}

/* Threads that have only markers, up to that of a source. */
static ts_code fire_marked(fire_work *f, uint64_t source_key, uint64_t thread_key)
{
    ts_code code = TS_OK;
    while (code == TS_OK && f->marker != NULL &&
           (f->marker->key[0] < source_key ||
            (f->marker->key[0] == source_key && f->marker->key[1] < thread_key))) {
        code = fire_begin(f, fire_plain(f->marker->key[0]), fire_plain(f->marker->key[1]), true);
        TS_STEP(code, fire_end(f, false));
    }
    return code;
}

/* --- samples ---------------------------------------------------------------------------------- */

static ts_code fire_sample(fire_work *f, uint32_t node, int64_t ts, int64_t weight)
{
    int64_t step;
    if (ts_ckd_mul(&step, (int64_t)f->count, f->interval)) {
        step = INT64_MAX;
    }
    const int64_t cells[SAMPLE_COLUMNS] = {f->tables.stack[node] - INT64_C(1),
                                           ts == TS_NO_TIME ? step : fire_since(f, ts), weight};
    f->count++;
    return fire_put_row(f, &f->samples, cells, SAMPLE_COLUMNS);
}

static bool fire_wants(const fire_work *f, const ts_calls_item *item)
{
    return item->weight > 0 && f->x.calls.used[item->node];
}

/* The first look at all samples: when they begin, and how far apart they are. */
static ts_code fire_look(void *user, const ts_calls_item *item)
{
    fire_work *f = user;
    if (!fire_wants(f, item)) {
        return TS_OK;
    }
    f->any = true;
    if (item->ts == TS_NO_TIME) {
        f->untimed = true;
        return TS_OK;
    }
    fire_begins(f, item->ts);
    if (!item->call && item->dur != TS_NO_TIME && item->dur > 0) {
        f->spans++;
        f->span += item->dur;
    }
    return TS_OK;
}

static ts_code fire_visit(void *user, const ts_calls_item *item)
{
    fire_work *f = user;
    const bool timed = item->ts != TS_NO_TIME;
    const bool same = f->open && item->source_id == f->source_id && item->itid == f->itid;
    if (!fire_wants(f, item)) {
        return TS_OK;
    }
    if (!same || timed != f->timed) {
        TS_TRY(fire_end(f, same));
        TS_TRY(fire_marked(f, ts_sorter_key(item->source_id), ts_sorter_key(item->itid)));
        TS_TRY(fire_begin(f, item->source_id, item->itid, timed));
    }
    TS_TRY(fire_sample(f, item->node, item->ts, item->weight));
    return f->w.code;
}

/* Trees have no threads: one for all of their stacks, of which each is a sample. */
static ts_code fire_tree(fire_work *f)
{
    const ts_calls *p = &f->x.calls;
    const ts_weight *weight = fire_weight(f);
    const ts_who no_thread = {0, TS_WHO_MADE_UP};
    ts_code code = fire_head(f, ts_tree_title(p), TS_TEXT_LIT(""), no_thread);
    for (uint32_t i = 1; i <= p->nodes && code == TS_OK; i++) {
        code = weight->self[i] > 0 ? fire_sample(f, i, TS_NO_TIME, weight->self[i]) : f->w.code;
    }
    TS_STEP(code, fire_end(f, true));
    return code;
}

static ts_code fire_threads(fire_work *f)
{
    const ts_calls *p = &f->x.calls;
    ts_code code = f->markers == NULL ? TS_OK : ts_sorter_finish(f->markers);
    TS_STEP(code, fire_next(f));
    TS_STEP_IF(code, p->is_heap && p->weight_count > 0, fire_tree(f));
    TS_STEP_IF(code, !p->is_heap && p->weight_count > 0,
               ts_calls_sorted(p, fire_weight(f), fire_visit, f));
    TS_STEP(code, fire_end(f, false));
    TS_STEP(code, fire_marked(f, UINT64_MAX, UINT64_MAX));
    return code;
}

/* --- counters --------------------------------------------------------------------------------- */

static ts_code fire_keep(ts_text *out, fire_work *f, ts_text text)
{
    uint32_t id;
    TS_TRY(ts_pool_intern(f->x.ctx, &id, NULL, &f->texts, text));
    *out = ts_pool_text(&f->texts, id);
    return TS_OK;
}

static ts_code fire_series_row(fire_work *f, const ts_walk *at)
{
    const int64_t id = ts_walk_id(at);
    const int64_t source_id = ts_walk_int(at, 0);
    const int64_t itid = ts_walk_int_or(at, 1, TS_NO_THREAD);
    fire_series s = {.who = ts_naming_who(&f->x.names, source_id, itid),
                     .wanted = ts_calls_wants_source(&f->x.calls, source_id) &&
                               ts_calls_wants_thread(&f->x.calls, itid)};
    TS_TRY(fire_keep(&s.name, f, ts_walk_text(at, 2)));
    TS_TRY(fire_keep(&s.unit, f, ts_walk_text(at, 3)));
    TS_TRY(ts_vec_reach(f->x.ctx, &f->series, id, sizeof s));
    ((fire_series *)f->series.p)[id] = s;
    return TS_OK;
}

static ts_code fire_value_row(fire_work *f, const ts_walk *at)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    const int64_t id = ts_walk_int(at, 0), ts = ts_walk_int(at, 1);
    const fire_value v = {(uint64_t)id, ts_sorter_key(ts), at->b->columns[2].reals[at->row]};
    if (id < 0 || (uint64_t)id >= f->series.n || ts_walk_null(at, 1) || ts_walk_null(at, 2) ||
        !isfinite(v.value) || !ts_calls_wants_time(&f->x.calls, ts)) {
        return TS_OK;
    }
    fire_series *s = &((fire_series *)f->series.p)[id];
    if (!s->wanted) {
        return TS_OK;
    }
    s->any = true;
    fire_begins(f, ts);
    return ts_sorter_put(&f->values, f->x.ctx, &v, sizeof v, &order, FIRE_SORT_MEMORY);
}

static ts_code fire_collect_values(fire_work *f)
{
    static const unsigned series[] = {TS_C_timeseries__source_id, TS_C_timeseries__itid,
                                      TS_C_timeseries__name, TS_C_timeseries__unit};
    static const unsigned values[] = {TS_C_timeseries_value__series_id, TS_C_timeseries_value__ts,
                                      TS_C_timeseries_value__value};
    ts_walk rows = ts_walk_of(ts_rows_of(f->x.reader), TS_T_timeseries, series, 4);
    ts_code code = TS_OK;
    if (f->x.calls.filter.event != NULL) {
        return TS_OK;
    }
    while (ts_walk_next(&code, &rows)) {
        code = fire_series_row(f, &rows);
    }
    rows = ts_walk_of(ts_rows_of(f->x.reader), TS_T_timeseries_value, values, 3);
    while (ts_walk_next(&code, &rows)) {
        code = fire_value_row(f, &rows);
    }
    return code;
}

/* The thread that shows what is of a process; of one that has none it is made. */
static ts_code fire_place(size_t *place, fire_work *f, ts_who who)
{
    const int64_t *pids = f->pids.p;
    for (*place = 0; *place < f->pids.n; ++*place) {
        if (pids[*place] == who.pid) {
            return TS_OK;
        }
    }
    TS_TRY(fire_head(f, TS_TEXT_LIT("series"), TS_TEXT_LIT(""), (ts_who){who.pid, who.pid}));
    return fire_end(f, true);
}

/* Threads for what has none, which the page needs. */
static ts_code fire_places(fire_work *f)
{
    size_t place;
    ts_code code = TS_OK;
    for (size_t i = 0; i < f->series.n && code == TS_OK; i++) {
        const fire_series *s = &((const fire_series *)f->series.p)[i];
        code = s->any ? fire_place(&place, f, s->who) : TS_OK;
    }
    return code;
}

enum { VALUE_TIME, VALUE_COUNT, VALUE_COLUMNS };

static ts_code fire_counter(fire_work *f, const fire_series *s, uint64_t n)
{
    const bool bytes = ts_text_is(s->unit, "bytes");
    size_t place;
    ts_code code = fire_place(&place, f, s->who);
    ts_jout_next_line(&f->w);
    ts_jout_open(&f->w, NULL, '{');
    ts_jout_text(&f->w, "name", s->name);
    ts_jout_str(&f->w, "category", bytes ? "Memory" : "Other");
    ts_jout_text(&f->w, "description", s->unit);
    /* A later version's, which the page keeps: without it only a level of memory is one. */
    ts_jout_open(&f->w, "display", '{');
    ts_jout_str(&f->w, "graphType", "line-accumulated");
    ts_jout_str(&f->w, "unit", bytes ? "bytes" : "");
    ts_jout_str(&f->w, "color", bytes ? "orange" : "grey");
    ts_jout_null(&f->w, "markerSchemaLocation");
    ts_jout_int(&f->w, "sortWeight", bytes ? 20 : 50);
    ts_jout_text(&f->w, "label", s->name);
    ts_jout_close(&f->w, '}');
    ts_jout_printf(&f->w, "pid", "\"%" PRId64 "\"", s->who.pid);
    ts_jout_uint(&f->w, "mainThreadIndex", place);
    ts_jout_open(&f->w, "samples", '{');
    TS_STEP(code, fire_column(f, "time", f->rows, VALUE_TIME, VALUE_COLUMNS, FORM_MS));
    TS_STEP(code, fire_column(f, "count", f->rows, VALUE_COUNT, VALUE_COLUMNS, FORM_BITS));
    ts_jout_uint(&f->w, "length", n);
    ts_jout_ends(&f->w, "}}");
    fire_free(&f->rows);
    return code;
}

/* A count is what was added since the point before; the first point's is its value, as all others
 * are counted from there. */
static ts_code fire_counters(fire_work *f)
{
    const fire_series *all = f->series.p;
    const void *record = NULL;
    uint64_t series = 0, n = 0;
    double last = 0;
    ts_code code = f->values == NULL ? TS_OK : ts_sorter_finish(f->values);
    while (f->values != NULL && code == TS_OK &&
           (code = ts_sorter_next(&record, f->values)) == TS_OK && record != NULL) {
        const fire_value *v = record;
        int64_t cells[VALUE_COLUMNS] = {fire_since(f, fire_plain(v->ts)), 0};
        if (n > 0 && v->series != series) {
            TS_TRY(fire_counter(f, &all[series], n));
            n = 0;
        }
        const double count = n == 0 ? v->value : v->value - last;
        memcpy(&cells[VALUE_COUNT], &count, sizeof count);
        TS_TRY(fire_put_row(f, &f->rows, cells, VALUE_COLUMNS));
        series = v->series;
        last = v->value;
        n++;
    }
    TS_STEP_IF(code, n > 0, fire_counter(f, &all[series], n));
    return code;
}

/* --- all -------------------------------------------------------------------------------------- */

/* The stacks, when there are any, and what lies between the first and the last of all times. */
static ts_code fire_open(fire_work *f)
{
    ts_parts *x = &f->x;
    ts_code code;
    f->start = INT64_MAX;
    TS_TRY_INTO(code, ts_calls_select(&x->calls, x->ctx, x->reader, &x->input->side.filter));
    if (x->calls.any_sample || x->calls.any_slice || x->calls.is_heap) {
        /* Calls are named whatever is weighed. */
        const ts_calls_load load = x->calls.any_slice ? TS_LOAD_ALL : TS_LOAD_CHOSEN;
        ts_calls_free(&x->calls);
        TS_TRY_INTO(code, ts_parts_calls(x, TS_FRAME_FILE | TS_FRAME_LINE, load));
    }
    TS_STEP(code, ts_naming_load(&x->names, x->ctx, x->reader));
    TS_STEP(code, ts_fire_tables_open(&f->tables, x));
    TS_STEP(code, fire_collect(f));
    TS_STEP(code, fire_collect_values(f));
    TS_STEP_IF(code, !x->calls.is_heap && x->calls.weight_count > 0,
               ts_calls_each(&x->calls, fire_weight(f), fire_look, f));
    f->untimed = f->untimed || (x->calls.is_heap && x->calls.weight_count > 0);
    f->interval = f->spans > 0 ? (int64_t)(f->span / f->spans) : NS_PER_MS;
    f->start = f->start == INT64_MAX ? 0 : f->start;
    return code;
}

/* When the profile begins, in milliseconds since 1970; 0: not known. */
static ts_code fire_start_time(fire_work *f)
{
    static const ts_idset all = {.all = true};
    const ts_when epoch = {TS_WHEN_DATE, 0};
    const char *why;
    int64_t shift, at;
    TS_TRY(ts_when_at(&shift, f->x.calls.model, &epoch, &all, &why));
    const bool known = why == NULL && !ts_ckd_sub(&at, f->start, shift) && at > 0;
    fire_ms(f, "startTime", known ? at : 0);
    return f->w.code;
}

static void fire_schemas(fire_work *f)
{
    ts_jout_open(&f->w, "markerSchema", '[');
    for (unsigned k = 0; k < FIRE_KINDS; k++) {
        ts_jout_open(&f->w, NULL, '{');
        ts_jout_str(&f->w, "name", fire_kinds[k].name);
        ts_jout_open(&f->w, "display", '[');
        ts_jout_str(&f->w, NULL, "marker-chart");
        ts_jout_str(&f->w, NULL, "marker-table");
        if (fire_kinds[k].nested) {
            ts_jout_str(&f->w, NULL, "stack-chart");
        }
        ts_jout_close(&f->w, ']');
        ts_jout_open(&f->w, "fields", '[');
        ts_jout_raw(&f->w, NULL,
                    TS_TEXT_LIT("{\"key\":\"row\",\"label\":\"Row\",\"format\":\"integer\"}"));
        if (fire_kinds[k].detail != NULL) {
            ts_jout_open(&f->w, NULL, '{');
            ts_jout_str(&f->w, "key", fire_kinds[k].detail);
            ts_jout_str(&f->w, "label", fire_kinds[k].label);
            ts_jout_str(&f->w, "format", "unique-string");
            ts_jout_close(&f->w, '}');
        }
        ts_jout_close(&f->w, ']');
        if (fire_kinds[k].nested) {
            ts_jout_bool(&f->w, "isStackBased", true);
        }
        ts_jout_close(&f->w, '}');
    }
    ts_jout_close(&f->w, ']');
}

static ts_code fire_meta(fire_work *f)
{
    ts_jout *w = &f->w;
    ts_jout_open(w, "meta", '{');
    fire_ms(f, "interval", f->interval);
    TS_TRY(fire_start_time(f));
    ts_jout_int(w, "processType", 0);
    ts_jout_str(w, "product", f->x.input->side.title);
    ts_jout_str(w, "importedFrom", "trace_streamer");
    ts_jout_int(w, "stackwalk", 0);
    ts_jout_int(w, "version", 24);
    ts_jout_int(w, "preprocessedProfileVersion", FIRE_VERSION);
    ts_jout_bool(w, "symbolicated", true);
    ts_jout_bool(w, "sourceCodeIsNotOnSearchfox", true);
    ts_fire_put_categories(w);
    fire_schemas(f);
    if (f->untimed) {
        ts_jout_raw(
            w, "extra",
            TS_TEXT_LIT("[{\"label\":\"Times\",\"entries\":[{\"label\":\"Samples without a "
                        "time\",\"format\":\"string\",\"value\":\"are one interval apart, in "
                        "threads of their own\"}]}]"));
    }
    ts_jout_close(w, '}');
    ts_jout_next_line(w);
    ts_jout_raw(w, "libs", TS_TEXT_LIT("[]"));
    return w->code;
}

static int fire_zip(void *user, const void *bytes, size_t len)
{
    fire_work *f = user;
    ts_gzip_put(&f->zip, bytes, len);
    ts_jout_fail(&f->w, f->x.w.code);
    return (int)f->w.code;
}

static ts_code fire_document(fire_work *f)
{
    ts_code code;
    ts_jout_open(&f->w, NULL, '{');
    TS_TRY_INTO(code, fire_meta(f));
    ts_jout_next_line(&f->w);
    ts_jout_open(&f->w, "threads", '[');
    TS_STEP(code, fire_threads(f));
    TS_STEP(code, fire_places(f));
    ts_jout_close(&f->w, ']');
    ts_jout_next_line(&f->w);
    ts_jout_open(&f->w, "counters", '[');
    TS_STEP(code, fire_counters(f));
    ts_jout_close(&f->w, ']');
    TS_STEP(code, ts_fire_put_tables(&f->w, &f->tables));
    ts_jout_close(&f->w, '}');
    ts_jout_line(&f->w);
    return code;
}

static ts_code fire_run(void *work)
{
    fire_work *f = work;
    ts_code code;
    TS_TRY_INTO(code, fire_open(f));
    if (!f->any && !f->untimed) {
        return ts_calls_explain(&f->x.calls, "nothing with a time was chosen");
    }
    ts_gzip_begin(&f->zip, &f->x.w, Z_BEST_SPEED); /* a sixth larger, in a quarter of the time */
    ts_jout_begin(&f->w, f->x.ctx, fire_zip, f);
    f->w.null_is_empty = true;
    ts_jout_fail(&f->w, f->x.w.code);
    ts_jout_fail(&f->w, fire_document(f));
    TS_TRY_INTO(code, ts_jout_end(&f->w));
    ts_gzip_end(&f->zip);
    return f->x.w.code;
}

static void fire_release(void *work)
{
    fire_work *f = work;
    ts_gzip_free(&f->zip);
    ts_fire_tables_free(&f->tables);
    ts_sorter_close(f->markers);
    ts_sorter_close(f->values);
    ts_spool_free(f->samples);
    ts_spool_free(f->rows);
    ts_vec_free(f->x.ctx, &f->pids);
    ts_vec_free(f->x.ctx, &f->series);
    ts_pool_free(f->x.ctx, &f->texts);
}

const ts_export ts_export_firefox = {
    .name = "firefox",
    .title = "a profile for https://profiler.firefox.com",
    .extension = ".json.gz",
    .needs = TS_NEEDS_STACKS ", timeseries (time series)",
    .work = sizeof(fire_work),
    .run = fire_run,
    .release = fire_release,
};
