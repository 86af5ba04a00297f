/*
 * The store: what all parsers share on top of the row writers. It gives ids, keeps what belongs to
 * the whole database (sources, issues, counts, clocks, processes, the string dictionary, stat), and
 * writes those tables at the end. Heavy tables go straight to ts_put_* with store->sink.
 *
 * Memory: one record a source, process, thread and kind of item or issue; the dictionary's texts.
 */
#ifndef TS_TABLES_STORE_H
#define TS_TABLES_STORE_H

#include "base/context.h"
#include "base/text.h"
#include "tables/rows.h"
#include "tables/table_scan.h"

typedef struct ts_store ts_store;

typedef struct ts_store_options {
    bool with_times;           /* --with-times: fill meta.output_name and runtime */
    bool no_meta;              /* -nm: leave the meta table empty (the table exists) */
    const char *output_name;   /* for --with-times */
    const char *runtime;       /* for --with-times, "YYYY-MM-DD HH:MM:SS" */
    const char *viewer_source; /* --viewer: the input that trace_range covers; NULL: all */
    bool adding;               /* the database exists (ts_store_reopen): ts_dict is not possible */
} ts_store_options;

/* Caller frees with ts_store_free. The sink is borrowed and must outlive the store. */
ts_code ts_store_new(ts_store **out, ts_ctx *ctx, ts_sink *sink, const ts_store_options *options);
void ts_store_free(ts_store *store);

/*
 * Checks conservation, and that of each input items are counted as lost exactly when an issue of
 * severity data_loss or error says so (what is missing of the two is added), then writes all rows
 * that the store keeps. Called once, at the end.
 */
ts_code ts_store_finish(ts_store *store);

/*
 * For a new store whose sink adds to a finished database: takes over its sources, so that issues
 * and counts can name them. ts_store_finish then writes issues and counts only.
 */
ts_code ts_store_reopen(ts_store *store, ts_reader *reader);

ts_sink *ts_store_sink(ts_store *store);
static inline uint64_t ts_sink_rows(const ts_sink *sink, enum ts_table_id table)
{
    return sink->rows[table];
}

/* --- sources ------------------------------------------------------------------------------- */

/*
 * A new `source` row; id is dense from 1, parents first. parent_id 0 = none (NULL). The row can be
 * changed through ts_source until finish; its texts are borrowed copies owned by the store: set
 * them with ts_source_text. New rows have clock, start_ts, end_ts, pid, host, format_version, name
 * NULL, bytes 0, complete 1.
 */
ts_code ts_source_add(int64_t *id, ts_store *store, int64_t parent_id, const char *kind,
                      const char *path, const char *format);
ts_row_source *ts_source(ts_store *store, int64_t id);
ts_code ts_source_text(ts_store *store, int64_t id, ts_text *column, const char *p, size_t n);
ts_code ts_source_property(ts_store *store, int64_t id, const char *key, ts_text value);
uint64_t ts_source_count(const ts_store *store);

/* The input file (topmost ancestor) that a source belongs to. */
int64_t ts_source_root(const ts_store *store, int64_t id);

/* --- issues and counts (docs/architecture.md, "Errors and damage") -------------------------- */

typedef enum ts_severity { TS_INFO, TS_WARNING, TS_DATA_LOSS, TS_ERROR } ts_severity;

/* TS_ISSUE_<name>: each format declares its own (formats/each.h). */
typedef enum ts_issue_code {
#define TS_ISSUE(name, severity, doc) TS_ISSUE_##name,
#include "tables/formats/each.h"
    TS_ISSUE_COUNT
} ts_issue_code;

typedef struct ts_issue_info {
    const char *name;
    ts_severity severity;
    const char *doc;
} ts_issue_info;
extern const ts_issue_info ts_issue_list[TS_ISSUE_COUNT];
const char *ts_severity_name(ts_severity severity);

enum { TS_NO_OFFSET = -1 };

/*
 * Records one defect: severity and code name come from the list. stream names an inner place
 * ("arkts-plugin", "Snapshot0") or is NULL; offset is in the unwrapped input, or TS_NO_OFFSET. The
 * first 5 of a (source, code) become rows of their own, the rest one row with their number; each
 * plugin that is not decoded has its own.
 */
ts_code ts_issue(ts_store *store, int64_t source_id, ts_issue_code issue, const char *stream,
                 int64_t offset, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* The same for `count` defects at once (a row with that count). */
ts_code ts_issue_n(ts_store *store, int64_t source_id, ts_issue_code issue, const char *stream,
                   int64_t offset, uint64_t count, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));

/* TS_ITEM_<name>: each format declares its own (formats/each.h). */
typedef enum ts_item {
#define TS_ITEM(name, doc) TS_ITEM_##name,
#include "tables/formats/each.h"
    TS_ITEM_COUNT
} ts_item;

typedef struct ts_item_info {
    const char *name;
    const char *doc;
    enum ts_table_id table; /* each imported one is a row there; TS_TABLE_COUNT: of no table */
} ts_item_info;
extern const ts_item_info ts_item_list[TS_ITEM_COUNT];

/* One row of import_count. Conservation: seen == imported + lost + skipped at finish. */
typedef struct ts_tally {
    bool has_declared;
    uint64_t declared;
    uint64_t seen;
    uint64_t imported;
    uint64_t lost;
    uint64_t skipped;
} ts_tally;

/*
 * The tally of (source, item, detail), made when new; valid until the store is freed. detail is
 * NULL or the part of the item's name after the colon ("plugin_segments:ftrace-plugin").
 */
ts_code ts_count(ts_tally **out, ts_store *store, int64_t source_id, ts_item item,
                 const char *detail);

/* Adds to it items that were seen, and what became of them. */
ts_code ts_count_add(ts_store *store, int64_t source_id, ts_item item, const char *detail,
                     uint64_t imported, uint64_t lost, uint64_t skipped);

/* Visits all tallies in the order of their making (for the summary). */
typedef void (*ts_tally_visitor)(void *user, int64_t source_id, ts_item item, const char *detail,
                                 const ts_tally *tally);
void ts_count_visit(const ts_store *store, ts_tally_visitor visit, void *user);

/* Numbers of issues so far, by severity. */
uint64_t ts_issue_total(const ts_store *store, ts_severity severity);

/* Number of issues of severity data_loss or error so far; UINT64_MAX: that many or more. */
uint64_t ts_issue_losses(const ts_store *store);

/* --- clocks -------------------------------------------------------------------------------- */

/* Ids as in the clock_snapshot table; TS_CLOCK_RELATIVE is ours. */
typedef enum ts_clock {
    TS_CLOCK_UNKNOWN = 0,
    TS_CLOCK_BOOTTIME = 1,
    TS_CLOCK_REALTIME = 2,
    TS_CLOCK_REALTIME_COARSE = 3,
    TS_CLOCK_MONOTONIC = 4,
    TS_CLOCK_MONOTONIC_COARSE = 5,
    TS_CLOCK_MONOTONIC_RAW = 6,
    TS_CLOCK_RELATIVE = 7,
    TS_CLOCK_COUNT
} ts_clock;

/* For source.clock: "boottime", "realtime", "monotonic", "relative" ... */
const char *ts_clock_name(ts_clock clock);

/* One snapshot of an input's clocks, all read at one moment; 0 = not read. Indexed by ts_clock. */
typedef struct ts_clock_set {
    uint64_t at[TS_CLOCK_COUNT];
    bool doubted; /* they may be wrong: what is converted with them is not known */
} ts_clock_set;

/* Writes clock_snapshot rows (entries that are not 0) for the first input that has one. */
ts_code ts_clock_snapshot(ts_store *store, const ts_clock_set *set);

/*
 * Converts ts from one clock to the other with the snapshot: ts + at[to] - at[from], or TS_NO_TIME
 * (base/ckd.h) when that does not fit or the snapshot is doubted.
 * False (and *out = ts) when the set does not know both, unless from == to.
 */
bool ts_clock_convert(int64_t *out, const ts_clock_set *set, ts_clock from, ts_clock to,
                      int64_t ts);

/*
 * --time-range on `clock`: which times of rows are wanted. `set` relates the clock to realtime (may
 * be NULL); `begin` is when the recording begins on `clock`. False, and the span is all, when the
 * range and the clock cannot be related (the caller records time_range_unrelated).
 */
bool ts_wanted_span(ts_span *span, const ts_ctx *ctx, ts_clock clock, const ts_clock_set *set,
                    int64_t begin);

/*
 * trace_range: notes a time of rows that are in `clock`. The first clock noted with weight
 * TS_RANGE_ROWS is the trace clock (one noted only with TS_RANGE_MARKS counts when there is no
 * other; a relative one only alone); times of other clocks, and TS_NO_TIME, do not count. A single
 * time t gives (t - 1, t + 1). Relative times count as if they began where the trace does. Of a
 * range that viewers cannot show, only the times of the input with most rows count.
 */
typedef enum ts_range_weight { TS_RANGE_MARKS, TS_RANGE_ROWS } ts_range_weight;
void ts_range_note(ts_store *store, ts_clock clock, ts_range_weight weight, int64_t ts);

/* Where rows with relative times are moved at the end of the run, unless they may stay.
 * Fails when there is no input of the name in ts_store_options.viewer_source. */
ts_code ts_range_relative_begin(bool *moves, int64_t *begin, ts_store *store);

/* The trace clock so far; TS_CLOCK_UNKNOWN before the first time. */
ts_clock ts_trace_clock(const ts_store *store);

/* --- processes and threads ----------------------------------------------------------------- */

/* ipid/itid, dense from 0; 0 is swapper. Key (input file of source_id, pid) and (input file, tid).
 */
ts_code ts_process(int64_t *ipid, ts_store *store, int64_t source_id, int64_t pid);
ts_code ts_thread(int64_t *itid, ts_store *store, int64_t source_id, int64_t tid, int64_t ipid,
                  const char *tid_kind);

/* A thread of its own even when there is one with its tid, which sources use again. ipid -1: not
 * known. */
ts_code ts_thread_new(int64_t *itid, ts_store *store, int64_t source_id, int64_t tid, int64_t ipid,
                      const char *tid_kind);
/* Number of threads so far: itids are below it. */
uint64_t ts_thread_count(const ts_store *store);
ts_code ts_process_name(ts_store *store, int64_t ipid, ts_text name);
ts_code ts_thread_name(ts_store *store, int64_t itid, ts_text name);

/* Rows until finish, for further columns; texts must outlive the store. */
ts_row_process *ts_process_row(ts_store *store, int64_t ipid);
ts_row_process_detail *ts_process_detail_row(ts_store *store, int64_t ipid);
ts_row_thread *ts_thread_row(ts_store *store, int64_t itid);

/* Counts a traced invocation of the thread for its process, where that is known. */
void ts_count_slice(ts_store *store, int64_t itid);
ts_row_thread_detail *ts_thread_detail_row(ts_store *store, int64_t itid);

/* The largest number that rows of a table have in a column of numbers that only the recording gives
 * and that all inputs share, such as call chains: the next input's begin after it. 0 at first. */
int64_t *ts_largest_number(ts_store *store, enum ts_table_id table);

/* --- dictionary, stat, config -------------------------------------------------------------- */

/* Id in data_dict of the text ("" is 0). Ill-formed UTF-8 must have been cleaned before. */
ts_code ts_dict(int64_t *id, ts_store *store, ts_text text);

/* A row of its own in data_dict, after all others, even if the text is there; no ts_dict of a new
 * text may follow. TS_ERR_USAGE when rows are added to a finished database, whose dictionary is
 * complete. */
ts_code ts_dict_append(ts_store *store, ts_text text);

/* Adds to stat; event is one of the 98 names, type one of "received", "data_lost", "not_match",
 * "not_supported", "invalid_data". An unknown pair is TS_ERR_INTERNAL. */
ts_code ts_stat(ts_store *store, const char *event, const char *type, uint64_t n);

/* A row in datasource_clockid (once per name). */
ts_code ts_datasource_clock(ts_store *store, const char *name, ts_clock clock);

/* The display of the device; the last call counts. Without one nothing is known of it. */
void ts_device_info(ts_store *store, const ts_row_device_info *row);

/* For meta: adds to datasize; the first call of each of the others wins. */
void ts_meta_add_bytes(ts_store *store, uint64_t bytes);
ts_code ts_meta_source(ts_store *store, const char *base_name, const char *source_type);

/* --- stacks (stack_method, stack_node) ----------------------------------------------------- */

/* A method or function; equal ones of one source share an id. Texts are borrowed for the call. */
typedef struct ts_method {
    bool has_raw_id;
    int64_t raw_id;
    ts_text name, cls, package, signature, file, library, modifiers;
    bool has_line;
    int64_t line;
} ts_method;

/* Writes the row when new. Memory: its texts' hash and one slot. */
ts_code ts_stack_method(int64_t *id, ts_store *store, int64_t source_id, const ts_method *method);

/* The same of one that no other call will have: it is not looked up, and needs no memory. */
ts_code ts_stack_method_new(int64_t *id, ts_store *store, int64_t source_id,
                            const ts_method *method);

/* Names a method whose row was written without knowing its name. NULL texts stay as they are. */
ts_code ts_stack_method_name(ts_store *store, int64_t id, ts_text cls, ts_text name);

/* The node of (source, parent or 0, method, line or TS_NO_LINE); writes the row when new. */
enum { TS_NO_LINE = INT32_MIN };
ts_code ts_stack_node(int64_t *id, bool *added, ts_store *store, int64_t source_id,
                      int64_t parent_id, int64_t method_id, int64_t line, int64_t depth,
                      const int64_t *raw_id);

/* How many rows each table had at some time. */
typedef struct ts_row_marks {
    uint64_t rows[TS_TABLE_COUNT];
} ts_row_marks;

void ts_row_marks_take(ts_row_marks *marks, const ts_sink *sink);

/*
 * The rows between two marks were made of a text of which any byte may be wrong, 0 to `bytes`: what
 * they say becomes NULL, `complete` 0, and an issue values_doubted of the source counts them.
 * Numbers of rows, their source and what they belong to stay. None of the rows may be reserved any
 * more. why: what is wrong, for the message. Errors: memory.
 */
ts_code ts_doubt_rows(ts_store *store, int64_t source_id, const char *stream,
                      const ts_row_marks *from, const ts_row_marks *to, uint64_t bytes,
                      const char *why);

/*
 * Writes the row of a call path that the caller knows to be new in its source (see ts_stack_node),
 * for importers that find paths themselves. ts_stack_node does not know it. TS_ERR_LIMIT: too many
 * rows; memory and output as for all rows.
 */
ts_code ts_stack_node_new(uint32_t *id, ts_store *store, int64_t source_id, int64_t parent_id,
                          int64_t method_id, int64_t line, int64_t depth);

/* Lets the cache fetch what ts_stack_node will need to find this node soon. */
void ts_stack_node_fetch(const ts_store *store, int64_t source_id, int64_t parent_id,
                         int64_t method_id, int64_t line);

/* Forgets the look-up state of a source whose import has ended (ids stay). */
void ts_stack_release(ts_store *store, int64_t source_id);

#endif
