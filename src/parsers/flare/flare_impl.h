/*
 * Inside of the Flare reader, shared by the files of this folder and by nobody else.
 *
 * A sample directory holds a summary (JSON), the names of methods, and for each thread a series of
 * CPU times and a file of stacks, each with an index. All binary integers are big-endian, times
 * are milliseconds since 1970. Facts: docs/formats.md, "Flare".
 */
#ifndef TS_PARSERS_FLARE_IMPL_H
#define TS_PARSERS_FLARE_IMPL_H

#include "base/idmap.h"
#include "base/vec.h"
#include "base/buf.h"
#include "base/pool.h"
#include "base/spool.h"
#include "json/json.h"
#include "parsers/format.h"
#include "tables/formats/flare/flare_constants.h"

#define FLARE_SUMMARY_FILE "summary_info.json"

#define FLARE_NO_MEMBER UINT32_MAX
#define FLARE_NS_PER_MS INT64_C(1000000)

enum { FLARE_DEFAULT_INTERVAL_MS = 20 };

/* --- files (files.c) ----------------------------------------------------------------------- */

/* Where the bytes of an archive's member stand in the spool. */
typedef struct flare_place {
    uint64_t at, size;
    bool there;
} flare_place;

/* All members of a set. An archive is read once, in its order, into a spool. */
typedef struct flare_files {
    ts_job *job;
    ts_spool *spool; /* NULL: members are opened where they are */
    flare_place *places;
    size_t block; /* bytes per read */
} flare_files;

typedef struct flare_dir flare_dir;

/* One member, read at random through one window. */
typedef struct flare_in {
    flare_dir *dir;
    const char *name;
    ts_blob *blob;
    ts_spool *spool;
    uint64_t base; /* in the spool */
    uint64_t size; /* becomes smaller when reading fails */
    uint8_t *window;
    size_t cap;
    uint64_t at; /* position of the window */
    size_t have;
} flare_in;

/* True for a member that this format reads. */
typedef bool (*flare_wants)(const char *name);

ts_code flare_files_open(flare_files *files, ts_job *job, flare_wants wants);
void flare_files_close(flare_files *files);

/* *there: false when it cannot be read (an issue says so). Close it always. */
ts_code flare_in_open(bool *there, flare_in *in, flare_dir *dir, uint32_t member);
void flare_in_close(flare_in *in);

/* Borrows bytes at `off` until the next call: *got of them, less than n only at the end. */
ts_code flare_in_get(const uint8_t **p, size_t *got, flare_in *in, uint64_t off, size_t n);

/* --- thread objects: stacks and the summary's threads (object.c) --------------------------- */

enum {
    FLARE_HAS_ID = 1,
    FLARE_HAS_NAME = 2,
    FLARE_HAS_PRIORITY = 4,
    FLARE_HAS_DAEMON = 8,
    FLARE_HAS_STATE = 16,
    FLARE_HAS_CPU = 32,
    FLARE_HAS_DELTA = 64,
    FLARE_HAS_TIME = 128,
    FLARE_HAS_COUNT = 256,
    FLARE_HAS_STACK = 512
};

typedef struct flare_object {
    ts_ctx *ctx;
    unsigned has, field;
    bool bad_frame; /* an element of stacktrace is no integer */
    int64_t id, priority, daemon, cpu_time, cpu_time_delta, sample_time, sample_count;
    ts_buf name, state;
    int64_t *frames; /* leaf first */
    size_t frame_count, frame_cap;
} flare_object;

void flare_object_clear(flare_object *o);
void flare_object_free(flare_object *o);
void flare_object_key(flare_object *o, const char *p, size_t n);
ts_code flare_object_string(flare_object *o, const char *p, size_t n, unsigned flags);
void flare_object_number(flare_object *o, const ts_json_number *number);
void flare_object_literal(flare_object *o, ts_json_kind kind);
/* True when the array is stacktrace: its elements are frames. */
bool flare_object_array(flare_object *o);

/* Reads stack payloads of both kinds. */
typedef struct flare_payloads {
    flare_object object;
    ts_json *json;
    uint64_t depth;
    uint64_t stack_depth; /* depth inside of stacktrace, 0 outside */
} flare_payloads;

ts_code flare_payloads_open(flare_payloads *p, ts_ctx *ctx);
void flare_payloads_close(flare_payloads *p);
/* *why: NULL, or what is wrong with it. */
ts_code flare_payload_read(const char **why, flare_payloads *p, const uint8_t *bytes, size_t n);

/* --- a sample directory (sample_directory.c)
 * ------------------------------------------------------ */

/* One file that was recognised by its name. */
enum flare_kind {
    FLARE_SUMMARY,
    FLARE_METHOD_INDEX,
    FLARE_METHOD_DATA,
    FLARE_SERIES,
    FLARE_STACK_INDEX,
    FLARE_STACK_DATA,
    FLARE_OTHER
};

typedef struct flare_entry {
    const char *name;
    size_t dir; /* bytes of the name that are its directory */
    enum flare_kind kind;
    int64_t id;      /* of the thread */
    uint64_t volume; /* 0 for the first file of a series */
    uint32_t member;
} flare_entry;

void flare_entry_parse(flare_entry *e, const char *name);

/* What is known of a thread at the end of its directory. */
typedef struct flare_thread {
    int64_t id;
    int64_t itid;
    bool listed; /* the summary has it */
    bool has_files;
    int64_t listed_count; /* number of its last record as the summary has it; 0: none, or unknown */
    unsigned has;         /* FLARE_HAS_CPU ... of the newest state */
    int64_t cpu_time;     /* ns */
    int64_t sample_time;  /* ms */
    int64_t sample_count;
    bool has_series;
    uint64_t first_slot, end_slot; /* of the values that were imported */
    int64_t first_value_row;       /* of them in timeseries_value */
    bool total_lost;               /* the sum of the values does not fit */
    int64_t series_id, begin_ms, unit_ms, end_ms, slots, total_us;
    int64_t first_ms, last_ms; /* of its records; first > last: none */
} flare_thread;

typedef struct flare_summary {
    bool there; /* a file that could be read to the end of its value */
    unsigned has;
    int64_t interval_ms, sample_start_ms, record_start_ms, last_record_ms;
    ts_buf agent_addr, data_dir;
} flare_summary;

enum {
    FLARE_SUM_INTERVAL = 1,
    FLARE_SUM_SAMPLE_START = 2,
    FLARE_SUM_RECORD_START = 4,
    FLARE_SUM_LAST = 8,
    FLARE_SUM_ADDR = 16,
    FLARE_SUM_DIR = 32
};

typedef struct flare_family flare_family;

struct flare_dir {
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    ts_job *job;
    flare_files *files;
    int64_t source_id;
    int64_t ipid;
    int64_t cpu_type; /* id of the stack_value_type, 0 before the first */
    uint64_t bytes_seen, bytes_lost, bytes_skipped;
    flare_summary summary;
    ts_vec threads;      /* flare_thread, in the order of their coming */
    ts_idmap thread_ids; /* to places in threads */
    ts_idmap methods;    /* id to row of stack_method */
    flare_family *family;
    int64_t series_interval_ms; /* of the first series, 0: none */
    const char *file;           /* of the record that is being read, for issues */
    int64_t offset;
    bool wanted_all;
    ts_span wanted; /* in ns, by --time-range */
    ts_tally *stacks, *slots, *method_records, *index_entries;
};

/* All files of one directory. */
ts_code flare_dir_import(flare_files *files, int64_t source_id, const flare_entry *entries,
                         size_t n);

/* The thread, made when new. */
ts_code flare_dir_thread(flare_thread **out, flare_dir *dir, int64_t id);
/* Takes the newest state of a thread over. */
ts_code flare_dir_state(flare_dir *dir, flare_thread *thread, const flare_object *o);
/* Nominal ms per sample. */
int64_t flare_dir_interval(const flare_dir *dir);
/* ms since 1970 in ns. *fits: false when they are beyond 64 bits; an issue says so, and a row has
 * NULL for the time. *ns is the nearest time then, for comparisons. */
ts_code flare_dir_ns(int64_t *ns, bool *fits, flare_dir *dir, const char *file, int64_t offset,
                     int64_t ms);

/* --- summary, methods, series, stacks ------------------------------------------------------ */

ts_code flare_summary_read(flare_dir *dir, uint32_t member);
void flare_summary_free(flare_dir *dir);

ts_code flare_methods_read(flare_dir *dir, uint32_t index, uint32_t data);
/* The row of stack_method, made with the number as its name when there is no name. */
ts_code flare_method_row(int64_t *row, flare_dir *dir, int64_t id);

/*
 * A thread's series, compared with its stack records: the collector wrote cpu_time_delta of each
 * record, in microseconds, into the slot of its time. Bytes that are missing from a series, or that
 * were put in, move all values behind them to wrong times.
 */
typedef struct flare_series_check {
    flare_dir *dir;
    const flare_thread *thread;
    struct series_file *file; /* NULL: the thread has no usable series, or one in several files */
    bool pending;             /* the last record, which the next one may replace in its slot */
    uint64_t slot;
    int64_t value;
    bool has_good;
    uint64_t good; /* the last slot with the value of its record, before any that differs */
    uint64_t bad, first_bad, end; /* slots that differ; the first slot behind them that does not */
    bool ended;
} flare_series_check;

/* Imports the series. Close *check always. */
ts_code flare_series_read(flare_series_check *check, flare_dir *dir, flare_thread *thread,
                          const flare_entry *files, size_t n);
/* follows: no record is missing between the one before and this one, so that the slots between
 * them are zero. */
ts_code flare_series_check_record(flare_series_check *check, const flare_object *o, bool follows);
/* What lies between slots that are right becomes NULL, and an issue. whole: no record follows. */
ts_code flare_series_check_finish(flare_series_check *check, bool whole);
void flare_series_check_close(flare_series_check *check);

ts_code flare_stacks_read(flare_dir *dir, flare_thread *thread, flare_series_check *check,
                          uint32_t index, uint32_t data);

/* --- index and data files (pair.c) --------------------------------------------------------- */

typedef struct flare_index {
    flare_in in;
    bool usable;
    bool no_keys; /* offsets only */
    uint64_t start;
    uint64_t count; /* entries */
    uint8_t key_size;
} flare_index;

typedef struct flare_pair {
    flare_dir *dir;
    flare_in data;
    flare_index index;
    bool usable;      /* the data file */
    uint64_t start;   /* of its first record */
    uint64_t at;      /* record that comes next */
    uint64_t entry;   /* index entry that comes next */
    uint64_t checked; /* entries before it were found to be in order or were counted as bad */
    bool (*starts_well)(uint8_t first); /* how a payload may begin */
    uint64_t matched, bad_entries;
    uint64_t unmatched_inside, unmatched_tail; /* records without an entry */
} flare_pair;

typedef struct flare_record {
    uint64_t at; /* of its length */
    const uint8_t *p;
    size_t n;
    bool has_key;
    int64_t key;
    bool cut;    /* the file ends before the record does */
    bool longer; /* its length was taken from the index */
    bool used;   /* its entry has been passed */
} flare_record;

enum { FLARE_MAX_LONG = 16 * 1024 * 1024 };

/* key_type: code of the key's type in files that do not say. */
ts_code flare_pair_open(flare_pair *pair, flare_dir *dir, uint32_t index, uint32_t data,
                        unsigned key_type);
void flare_pair_close(flare_pair *pair);
/* *end: there is no record. */
ts_code flare_pair_next(bool *end, flare_pair *pair, flare_record *record);
/* The record was right. */
void flare_pair_accept(flare_pair *pair, const flare_record *record);
/* The record was wrong. *again: it is longer than its length says, look again; else it is given up.
 */
ts_code flare_pair_reject(bool *again, flare_pair *pair, flare_record *record, const char *why);
/* Begins at the last entry whose key is below `key` (binary search). *passed: entries before it,
 * each of which stands for one record or, in an index that is not dense, for several. */
ts_code flare_pair_seek(flare_pair *pair, int64_t key, uint64_t *passed);
/* No further record is wanted; returns the number of index entries that were not used. */
uint64_t flare_pair_stop(flare_pair *pair);
/* After the last record. */
ts_code flare_pair_finish(flare_pair *pair);

#endif
