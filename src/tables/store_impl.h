/*
 * Inside of the store, shared by store*.c: its state, two small containers and the calls between
 * its themes. Nothing outside of the store includes this.
 */
#ifndef TS_TABLES_STORE_IMPL_H
#define TS_TABLES_STORE_IMPL_H

#include "base/buf.h"
#include "base/pool.h"
#include "base/vec.h"
#include "tables/store.h"

/* --- containers (store_maps.c) ------------------------------------------------------------- */

/* Elements that never move, so that pointers to them stay valid; each begins as zero bytes. */
typedef struct ts_stable_array {
    ts_vec blocks; /* void * */
    size_t n;
    size_t size; /* bytes of an element; set before the first ts_stable_array_add */
} ts_stable_array;

/* A new element at the end, or NULL (out of memory). */
void *ts_stable_array_add(ts_ctx *ctx, ts_stable_array *array);

/* Takes the last element back. */
void ts_stable_array_drop(ts_stable_array *array);

/* i < n. */
void *ts_stable_array_at(const ts_stable_array *array, size_t i);
void ts_stable_array_free(ts_ctx *ctx, ts_stable_array *array);

/* Keys of three integers, numbered densely from 0 in the order of their coming. */
typedef struct ts_keymap {
    ts_vec keys; /* int64_t[3] */
    ts_index index;
} ts_keymap;

bool ts_keymap_find(uint32_t *number, const ts_keymap *map, int64_t a, int64_t b, int64_t c);

/* Adds a key that is not there yet; it gets the next number. */
ts_code ts_keymap_add(ts_ctx *ctx, ts_keymap *map, int64_t a, int64_t b, int64_t c);
void ts_keymap_free(ts_ctx *ctx, ts_keymap *map);

/* --- state --------------------------------------------------------------------------------- */

typedef struct ts_source_rec {
    ts_row_source row;
    int64_t root; /* id of the topmost ancestor */
} ts_source_rec;

typedef struct ts_process_rec {
    ts_row_process row;
    ts_row_process_detail detail;
} ts_process_rec;

typedef struct ts_thread_rec {
    ts_row_thread row;
    ts_row_thread_detail detail;
    int64_t last; /* of the first thread with its tid: the last one that was made; 0: itself */
    bool alone;   /* seen without a process: it gets one of its own at the end */
} ts_thread_rec;

/* One row of import_issue to be. */
typedef struct ts_issue_rec {
    int64_t source_id;
    ts_issue_code code;
    bool rest; /* stands for all after the single ones */
    ts_text stream;
    ts_text message;
    int64_t offset;
    uint64_t count;
} ts_issue_rec;

/* The defects of one (source, code). */
typedef struct ts_issue_group {
    uint32_t singles;
    ts_issue_rec *rest; /* NULL until there is one */
} ts_issue_group;

typedef struct ts_tally_rec {
    int64_t source_id; /* first here and in ts_issue_rec: order_by_source */
    ts_tally tally;
    ts_item item;
    const char *detail; /* kept, or NULL */
} ts_tally_rec;

/* Times noted in one clock. */
typedef struct ts_clock_span {
    bool noted;
    int64_t first;
    int64_t last;
} ts_clock_span;

typedef struct ts_time_notes {
    ts_clock_span spans[TS_CLOCK_COUNT];
    ts_clock first_clock[TS_RANGE_ROWS + 1];
} ts_time_notes;

/* An input: a source that no other contains. */
typedef struct ts_input_times {
    int64_t source_id;
    uint64_t rows; /* of all tables, that came while it was the last one */
    ts_time_notes times;
} ts_input_times;

typedef struct ts_named_clock {
    ts_text name;
    ts_clock clock;
    bool seen;
} ts_named_clock;

typedef struct ts_stack_state ts_stack_state;
typedef struct ts_upload_state ts_upload_state; /* store_uploads.c */

enum { TS_STAT_EVENTS = 98, TS_STAT_TYPES = 5, TS_SINGLE_ISSUES = 5 };

struct ts_store {
    int64_t largest[TS_TABLE_COUNT]; /* ts_largest_number */
    ts_ctx *ctx;
    ts_sink *sink;
    bool dict_closed; /* rows that are not in `dict` follow in data_dict */
    bool no_meta;
    bool finished;
    bool parts;    /* rows were left out on purpose (store_merge.h) */
    bool reopened; /* of a finished database: only issues and counts are written */
    ts_pool texts; /* every text that is kept until the end */
    ts_buf scratch;

    ts_stable_array sources; /* ts_source_rec */

    ts_stable_array issues;       /* ts_issue_rec, in order of recording */
    ts_stable_array issue_groups; /* ts_issue_group, numbered by issue_keys */
    ts_keymap issue_keys;         /* (source, code, 0) */
    uint64_t issue_totals[TS_ERROR + 1];

    ts_stable_array tallies; /* ts_tally_rec, numbered by tally_keys */
    ts_keymap tally_keys;    /* (source, item, text id of the detail + 1 or 0) */

    bool clock_rows_written;
    ts_time_notes times;    /* of all inputs */
    ts_stable_array inputs; /* ts_input_times */
    uint64_t input_rows;    /* of all tables, when the last input began */
    ts_text viewer_source;  /* --viewer: the inputs whose times trace_range covers */
    bool range_settled;
    const ts_input_times *shown; /* then; NULL: all of them */
    ts_input_times chosen;       /* those of --viewer together */

    ts_stable_array processes; /* ts_process_rec */
    ts_keymap process_keys;    /* (input file, pid, 0) */
    ts_stable_array threads;   /* ts_thread_rec */
    ts_keymap thread_keys;     /* (input file, tid, 0), or (input file, tid, -1 - ipid) */
    ts_keymap filter_keys;     /* (kind, owner, text id of the name) */

    ts_pool dict;
    uint64_t stat[TS_STAT_EVENTS][TS_STAT_TYPES];
    ts_stable_array clock_sources; /* ts_named_clock; known names come first, seen or not */
    uint64_t meta_bytes;
    ts_text meta_source_name;
    ts_text meta_source_type;
    ts_text meta_output_name;
    ts_text meta_runtime;
    bool has_device;
    ts_row_device_info device;

    ts_vec stacks; /* ts_stack_state *: one per source whose stacks are being imported */

    ts_upload_state *upload; /* the one that is being read, or NULL */
};

/* --- calls between the themes -------------------------------------------------------------- */

/* A copy that lives as long as the store, ill-formed UTF-8 replaced; NULL stays NULL. */
ts_code ts_store_keep(ts_store *store, ts_text *out, ts_text text);

/* The same with a NUL at the end; text must not be NULL. *id is its number among the kept texts. */
ts_code ts_store_keep_cstr(ts_store *store, const char **out, uint32_t *id, const char *text);

/* Puts a row after replacing what is no UTF-8 in its texts. */
ts_code ts_store_put(ts_store *store, enum ts_table_id table, void *row);

static inline int64_t ts_store_clamp(uint64_t n)
{
    return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static inline uint64_t ts_store_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

ts_code ts_store_begin_threads(ts_store *store);
ts_code ts_store_begin_fixed(ts_store *store, const ts_store_options *options);

/* What finish does, in this order. */
ts_code ts_store_check_clocks(ts_store *store);
ts_code ts_store_check_counts(ts_store *store);
ts_code ts_store_check_losses(ts_store *store);
void ts_store_mark_incomplete(ts_store *store);
ts_code ts_store_write_threads(ts_store *store);
ts_code ts_store_write_range(ts_store *store);
ts_code ts_store_write_fixed(ts_store *store);
ts_code ts_store_write_sources(ts_store *store);
ts_code ts_store_write_issues(ts_store *store);

/* A source that no other contains begins. */
ts_code ts_store_begin_input(ts_store *store, int64_t source_id);

/* Whose times trace_range covers; called before what depends on it. */
ts_code ts_store_settle_range(ts_store *store);

/* start and end of trace_range, when it is settled. */
void ts_store_range(const ts_store *store, int64_t *start, int64_t *end);

void ts_store_free_stacks(ts_store *store);

#endif
