/*
 * Profiles of the Firefox Profiler: the processed form, which samply and the page itself write, and
 * that of Gecko, which Firefox records. Both are one JSON object of threads with tables.
 *
 *     processed: "samples": {"stack": [0, 1], "time": [0, 1.5], "length": 2}
 *     gecko:     "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 0], [1, 1.5]]}
 *
 * Members may come in any order, so nothing becomes a row before the text has ended: cells of
 * tables wait in a spool, a run for each column (or for all rows of a table of Gecko), texts in
 * another one. What is there decides how a table is read; versions are not looked at.
 *
 * A thread is read when its object was closed and the tables that it needs are known, so that what
 * a cut file gives is the beginning of what the whole file gives.
 *
 * Memory: 24 bytes a stack, 28 a frame, 20 a function, 16 and the bytes of a text (of those up to
 * 64 KiB) of the thread that is being written, or of the tables that all threads share; 180 bytes a
 * thread, 48 a table, 24 a column, 64 a library; a sorter of 4 MiB for spans, 56 bytes an open
 * span, 112 one whose end is awaited; what the store keeps of call paths and methods. Docs:
 * docs/formats.md, "Profiles of the Firefox Profiler".
 */
#ifndef TS_PARSERS_FIREFOX_FIREFOX_H
#define TS_PARSERS_FIREFOX_FIREFOX_H

#include "base/buf.h"
#include "base/ckd.h"
#include "base/json_out.h"
#include "base/pool.h"
#include "base/sorter.h"
#include "base/spool.h"
#include "base/vec.h"
#include "json/json_fields.h"
#include "parsers/format.h"
#include "tables/store_profiles.h"

enum {
    FOX_TEXT_MAX = 16 << 20,   /* bytes of a text; what is longer is cut */
    FOX_TEXT_HELD = 64 << 10,  /* longer ones stay in the spool */
    FOX_DEPTH_MAX = 4096,      /* callers of a frame */
    FOX_PROPERTIES = 256,      /* members of meta that are kept */
    FOX_NEWEST = 75,           /* processed version that is known */
    FOX_SORT_MEMORY = 4 << 20, /* spans of a thread */
    FOX_COLUMNS = 12,          /* that one look at a table reads */
    FOX_PLACES = 64            /* columns of a table of Gecko */
};

/* --- cells ----------------------------------------------------------------------------------- */

/* Milliseconds in units of 10^-15: digits of decimal numbers stay what they are. */
__extension__ typedef __int128 fox_time;
#define FOX_MS ((int64_t)1000000000000000)

typedef enum fox_tag {
    FOX_NULL,
    FOX_FALSE,
    FOX_TRUE,
    FOX_INT,     /* i */
    FOX_DECIMAL, /* i + part / 10^15 */
    FOX_REAL,    /* d: a number that does not fit into that */
    FOX_TEXT,    /* `part` bytes at i of the spool of texts */
    FOX_RAW,     /* the same, a value as JSON */
    FOX_ROW_END
} fox_tag;

typedef struct fox_cell {
    fox_tag tag;
    int64_t i;
    int64_t part;
    double d; /* of all numbers */
} fox_cell;

#define FOX_NO_CELL ((fox_cell){.tag = FOX_NULL})

static inline bool fox_is_number(const fox_cell *c)
{
    return c->tag == FOX_INT || c->tag == FOX_DECIMAL || c->tag == FOX_REAL;
}

/* --- tables as they were read ------------------------------------------------------------------
 */

typedef enum fox_kind {
    FOX_T_NONE,
    FOX_T_SAMPLES,
    FOX_T_STACKS,
    FOX_T_FRAMES,
    FOX_T_FUNCS,
    FOX_T_RESOURCES,
    FOX_T_SOURCES,
    FOX_T_STRINGS,
    FOX_T_MARKERS,
    FOX_T_JS_ALLOCATIONS,
    FOX_T_NATIVE_ALLOCATIONS,
    FOX_T_COUNTER,
    FOX_KINDS
} fox_kind;

typedef enum fox_column_id {
    FOX_C_NONE,
    FOX_C_STACK,
    FOX_C_TIME,
    FOX_C_TIME_DELTAS,
    FOX_C_WEIGHT,
    FOX_C_CPU_DELTA,
    FOX_C_FRAME,
    FOX_C_PREFIX,
    FOX_C_PREFIX_OFFSET,
    FOX_C_CATEGORY,
    FOX_C_SUBCATEGORY,
    FOX_C_FUNC,
    FOX_C_LIB,
    FOX_C_LINE,
    FOX_C_FLAGS,
    FOX_C_LOCATION,
    FOX_C_NAME,
    FOX_C_IS_JS,
    FOX_C_RESOURCE,
    FOX_C_SOURCE,
    FOX_C_FILE_NAME,
    FOX_C_LINE_NUMBER,
    FOX_C_FILENAME,
    FOX_C_START_TIME,
    FOX_C_END_TIME,
    FOX_C_PHASE,
    FOX_C_DATA,
    FOX_C_CLASS_NAME,
    FOX_C_TYPE_NAME,
    FOX_C_MEMORY_ADDRESS,
    FOX_C_COUNT,
    FOX_C_NUMBER
} fox_column_id;

typedef struct fox_column {
    uint64_t at;    /* where its cells begin in the spool */
    uint64_t count; /* cells; of the data of Gecko: rows */
    fox_column_id id;
    bool placed; /* a column of a schema: `at` is its place in the rows */
} fox_column;

typedef struct fox_table {
    fox_kind kind;
    bool rows; /* of Gecko: a schema, and data with rows */
    bool has_length;
    int64_t length;
    size_t first, count; /* of its columns */
    uint8_t weight_type; /* fox_weight_type */
} fox_table;

typedef enum fox_weight_type { FOX_W_SAMPLES, FOX_W_MS, FOX_W_BYTES } fox_weight_type;

/* Where a text is in fox.names; 0, 0: it has none. */
typedef struct fox_name {
    size_t at, n;
} fox_name;

/* A number that may be missing. */
typedef struct fox_number {
    bool known;
    fox_time v; /* in units of 10^-15 */
} fox_number;

typedef struct fox_lib {
    fox_name name, path, build_id; /* name: debugName, or name */
    int64_t start, end;            /* of Gecko: addresses of the process */
} fox_lib;

typedef struct fox_pause {
    fox_number start, end;
} fox_pause;

/* Some that follow one another in a vector. */
typedef struct fox_run {
    size_t first, count;
} fox_run;

/* The document, or one of the processes of Gecko, which are documents themselves. */
typedef struct fox_process {
    size_t parent;
    fox_number start; /* meta.startTime */
    fox_run libs, pauses;
    int64_t ipid;                        /* of its first thread; -1: none */
    bool has_meta, has_pauses, complete; /* has_meta: all of it */
} fox_process;

typedef struct fox_thread {
    size_t process;
    fox_name name, process_name, process_type;
    fox_name pid, tid; /* as they were written */
    fox_run tables, libs, pauses;
    int64_t itid, ipid;
    uint32_t seen; /* a bit for each kind of table that it has */
    bool has_pauses;
    bool twice;    /* it has a member twice: another thread's begin is missing */
    bool complete; /* its object was closed */
} fox_thread;

typedef struct fox_counter {
    size_t process;
    fox_name name, category, description, graph, unit, pid;
    int64_t thread; /* mainThreadIndex; -1: none */
    fox_run tables;
    bool complete;
} fox_counter;

typedef struct fox_category {
    fox_name name;
    fox_run subs; /* fox_name, in fox.subs */
} fox_category;

/* --- tables for random access ------------------------------------------------------------------
 */

enum { FOX_NONE = -1 };
#define FOX_NO_DEPTH UINT32_MAX

typedef struct fox_stack {
    int32_t frame;  /* FOX_NONE: not known */
    int32_t prefix; /* FOX_NONE: a root */
    int32_t category, sub;
    uint32_t depth; /* FOX_NO_DEPTH: one of its callers is not known */
    uint32_t node;  /* row of stack_node; 0: none yet */
} fox_stack;

typedef struct fox_frame {
    int32_t func; /* of Gecko: a text */
    int32_t lib;
    int32_t line; /* 0: none */
    int32_t category, sub;
    uint32_t method; /* row of stack_method; 0: none yet */
    int32_t located; /* of Gecko: the line that its text says */
} fox_frame;

typedef struct fox_func {
    int32_t name;
    int32_t resource;
    int32_t file; /* a text */
    int32_t line; /* 0: none */
    bool is_js;
} fox_func;

typedef struct fox_resource {
    int32_t name, lib;
} fox_resource;

typedef struct fox_stored {
    uint64_t at;
    uint32_t n;
    bool held; /* `at` is in fox_set.bytes, else in the spool of texts */
    bool known;
} fox_stored;

/* The tables of a thread, or those that all threads share. */
typedef struct fox_set {
    ts_buf bytes;
    ts_vec strings, stacks, frames, funcs, resources, sources;
    bool gecko;                                /* frames are texts */
    bool stack_categories;                     /* categories are in the stacks */
    bool has_stacks, has_strings, has_sources; /* the thread has none: those that all share */
    bool stacks_doubted;                       /* which stack calls which is not known */
    bool doubted;                              /* texts are missing, and others may have moved */
    int32_t last_text;                         /* the largest number of one */
    fox_run libs;
} fox_set;

/* --- all of it ---------------------------------------------------------------------------------
 */

typedef struct fox_counts {
    uint64_t bad_elements, texts_cut, too_large;
    uint64_t short_columns, short_cells, bad_index, bad_stack, bad_numbers, bad_times, overflows,
        deep;
    uint64_t processes_text, screenshots, bad_values, text_ids;
    uint64_t samples, samples_lost, values, values_lost;
    uint64_t markers, markers_lost, slices, ends_unmatched, open, crossing;
    uint64_t points, points_lost, threads, threads_lost, counters_lost;
} fox_counts;

typedef struct fox fox;

typedef struct fox_spans fox_spans;

struct fox {
    ts_job *job;
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    ts_json *json;
    ts_json_place in;
    ts_profile_id id;
    ts_spool *cells, *texts;
    ts_buf names; /* its first byte is of no text */
    ts_buf text;  /* what is being read */
    bool text_cut;

    /* A value that is kept as JSON. */
    ts_jout out;
    ts_buf raw;
    int depth; /* open levels of it; 0: nothing is kept */
    bool raw_cut;

    ts_vec processes, threads, counters, tables, columns, libs, pauses, categories, subs;
    ts_vec properties; /* fox_name, in pairs: key and value */
    /* "type\1key": a member that is a text; "type\2": they nest; "type\3": has texts. */
    ts_pool schemas;
    fox_name schema; /* name of the schema that is being read */
    ts_buf schema_keys;
    bool schema_nested, schema_text;
    fox_name schema_key;

    size_t process; /* that is being read */
    bool in_thread, in_counter, in_shared;
    fox_lib lib;
    fox_pause pause;
    fox_run shared; /* tables */
    bool shared_complete, has_shared, has_threads, has_meta, done;
    fox_number version, gecko_version, interval, profiling_start, profiling_end;
    fox_name product, imported_from, oscpu, platform, abi, time_unit, cpu_unit;

    /* While rows are written. */
    int64_t source_id, profile_row;
    ts_clock clock;
    fox_set common, own;
    fox_set *set; /* of the thread */
    ts_pool thread_keys;
    ts_vec thread_ids; /* int64_t, by key: itid */
    ts_pool texts_as_ids;
    ts_vec path; /* int32_t: stacks that have no node yet */
    ts_profile_type kinds[6];
    fox_spans *spans;
    ts_buf scratch;
    fox_counts n;
};

/* firefox_cells.c */
ts_code fox_put_int(fox *f, int64_t v);
ts_code fox_put_number(fox *f, const ts_json_number *n);
ts_code fox_put_tag(fox *f, fox_tag tag);
/* A text or a value as JSON, whose bytes go to their spool. */
ts_code fox_put_bytes(fox *f, fox_tag tag, ts_text t);
fox_number fox_number_of(const ts_json_number *n);
/* Nanoseconds, half away from zero; TS_NO_TIME: they do not fit. */
int64_t fox_ns(fox_time v);
bool fox_cell_time(fox_time *v, const fox_cell *c);
/* The bytes of a text, into *out, which is emptied first. */
ts_code fox_bytes(fox *f, ts_buf *out, const fox_cell *c);

/* A look at the rows of a table: the cells of some columns. */
typedef struct fox_rows fox_rows;
ts_code fox_rows_open(fox_rows **out, fox *f, const fox_table *t, const fox_column_id *wanted,
                      unsigned count);
/* False after the last row, or after a failure. */
bool fox_rows_next(ts_code *code, fox_rows *r);
const fox_cell *fox_rows_cell(const fox_rows *r, unsigned column);
bool fox_rows_has(const fox_rows *r, unsigned column);
/* It has as many cells as there are rows: each is where it belongs. */
bool fox_rows_trusted(const fox_rows *r, unsigned column);
uint64_t fox_rows_count(const fox_rows *r);
/* It was there, or may have been, and which of its cells is whose is not known. */
bool fox_rows_lost(const fox_rows *r, unsigned column);
void fox_rows_need(fox_rows *r, unsigned one, unsigned other);
void fox_rows_free(fox_rows *r);

/* How many rows there are: `length` when a column has so many cells, else as many as the longest
 * one. *missing: what it says more. */
uint64_t fox_table_rows(uint64_t *missing, const fox *f, const fox_table *t);

/* firefox_raw.c */
extern const ts_json_handler fox_handler;

/* firefox_fields.c */
extern const ts_json_table fox_fields;
/* The object or list that begins is a cell that is kept as JSON. */
bool fox_is_kept(const fox *f, bool object);
/* A cell follows. */
void fox_begin_cell(fox *f);
/* Whether a text is whole now, in f->text. */
bool fox_collect(ts_code *code, fox *f, const char *p, size_t n, unsigned flags);
static inline ts_text fox_text(const fox *f, fox_name name)
{
    return name.at == 0 ? TS_TEXT_NULL : (ts_text){f->names.p + name.at, name.n};
}
/* The last table of this kind; NULL: there is none. */
const fox_table *fox_table_of(const fox *f, fox_run tables, fox_kind kind);

/* firefox_tables.c */
ts_code fox_set_load(fox *f, fox_set *set, fox_run tables);
void fox_set_free(fox *f, fox_set *set);
/* A text by its number, which is checked; NULL: there is none. Borrowed until the next call. */
ts_code fox_string_at(ts_text *out, fox *f, const fox_cell *c);
ts_code fox_string(ts_text *out, fox *f, int32_t number);
/* The number of an element of a list of n, or FOX_NONE, and a defect when there is no such one. */
int32_t fox_index(fox *f, const fox_cell *c, size_t n);

/* firefox_stacks.c */
/* What a category is called, with its subcategory when that says more; NULL: there is none. In
 * f->scratch. */
ts_code fox_category_name(ts_text *out, fox *f, int32_t category, int32_t sub);
/* The row of stack_node of a stack; 0: none. */
ts_code fox_node(int64_t *node, fox *f, const fox_cell *stack);

/* firefox_location.c */
typedef struct fox_location {
    ts_text name, file, library;
    int64_t line, frame_line; /* 0: none */
    bool is_js;
    bool has_address;
    uint64_t address;
} fox_location;
/* What a text of Gecko says of a frame. Borrows. */
void fox_locate(fox_location *out, ts_text text);

/* firefox_samples.c */
ts_code fox_samples(fox *f, const fox_thread *t);
ts_code fox_allocations(fox *f, const fox_thread *t);
/* startTime of its process and a time of the thread, in ns; TS_NO_TIME: it has none. */
int64_t fox_at(fox *f, const fox_thread *t, const fox_cell *time);
fox_number fox_start(const fox *f, size_t process);
void fox_note_time(fox *f, int64_t ts);

/* firefox_markers.c */
ts_code fox_markers(fox *f, const fox_thread *t);

/* What a marker's data say. Zero-initialise; release with fox_data_free. */
typedef struct fox_data {
    ts_buf type, text; /* text: the data as JSON, with its texts */
    bool has_type;
    fox_cell start, end; /* old ones */
    char interval;       /* of old ones: 's' start, 'e' end, 0 none */
    fox_cell stack;      /* of its cause */
    struct fox_reading *reading;
} fox_data;
void fox_data_free(fox_data *d, fox *f);
ts_code fox_data_read(fox_data *d, fox *f, const fox_cell *raw);

/* firefox_spans.c */
typedef struct fox_span {
    uint64_t key[3];            /* begin, longer ones first, order */
    int64_t marker, end_marker; /* end_marker 0: it is one marker, or open */
    int64_t dur;                /* TS_NO_TIME: open */
    int64_t method;
    uint64_t nested;
} fox_span;
ts_code fox_span_add(fox *f, const fox_span *span);
/* All spans of a thread become rows. */
ts_code fox_spans_write(fox *f, const fox_thread *t);
void fox_spans_free(fox *f);

/* firefox_counters.c */
ts_code fox_counters(fox *f);

/* firefox_threads.c */
/* All threads become rows. */
ts_code fox_threads(fox *f);

/* firefox_write.c */
ts_code fox_write(fox *f);
bool fox_is_own(const fox *f); /* trace_streamer exported it */

#endif
