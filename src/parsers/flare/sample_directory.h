/*
 * One sample directory: a summary (JSON), the names of methods, and for each thread a series of CPU
 * times and a file of stacks, each with an index. All binary integers are big-endian, times are
 * milliseconds since 1970. Format: docs/formats.md, "Flare".
 *
 * flare_dir_import owns the flare_dir, zeroed at first, and what its parts keep in it. Only the
 * file of a part changes the fields of its struct. The counts are added to by all; the other fields
 * are set by sample_directory.c.
 */
#ifndef TS_PARSERS_FLARE_SAMPLE_DIRECTORY_H
#define TS_PARSERS_FLARE_SAMPLE_DIRECTORY_H

#include "base/spool.h"
#include "base/buf.h"
#include "base/context.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "json/json.h"
#include "parsers/format.h"
#include "tables/formats/flare/flare_constants.h"

typedef struct flare_thread flare_thread;

/* --- members of a set (member_files.c) ------------------------------------------------------ */

/*
 * Access to the members of a set. Those of a directory are read where they are; an archive is read
 * once, in its order, into a spool.
 *
 * The importer of the set owns flare_files from flare_files_open to flare_files_close, each reader
 * its flare_in. Only member_files.c and the inline functions here touch their fields. Format:
 * docs/formats.md, "Flare".
 */

typedef struct flare_dir flare_dir;

#define FLARE_NO_MEMBER UINT32_MAX

/* Where the bytes of an archive's member are in the spool. */
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

/* --- files by their names; names are borrowed (entries.c) ----------------------------------- */

#define FLARE_SUMMARY_FILE "summary_info.json"

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

/* --- the thread object (object.c) ----------------------------------------------------------- */

/*
 * JSON: the summary holds one for each thread, and it is the payload of a stack record. A reader
 * owns its object, zeroed but for ctx, until flare_object_free, or its payloads from
 * flare_payloads_open to flare_payloads_close.
 */

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
    int64_t *number; /* where that of the member goes, or NULL */
    bool bad_frame;  /* an element of stacktrace is no integer */
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

/* Does the object have the members? FLARE_HAS_ID ... */
static inline bool flare_object_has(const flare_object *o, unsigned members)
{
    return (o->has & members) == members;
}

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

/* --- summary_info.json: the recording and its threads (sample_summary.c) -------------------- */

/* Members of the summary. */
enum {
    FLARE_SUM_INTERVAL = 1,
    FLARE_SUM_SAMPLE_START = 2,
    FLARE_SUM_RECORD_START = 4,
    FLARE_SUM_LAST = 8,
    FLARE_SUM_ADDR = 16,
    FLARE_SUM_DIR = 32
};

typedef struct flare_summary {
    bool there; /* a file that could be read to the end of its value */
    unsigned has;
    int64_t interval_ms, sample_start_ms, record_start_ms, last_record_ms;
    ts_buf agent_addr, data_dir;
} flare_summary;

/* dir->summary. A summary that is missing or damaged is an issue, not an error. */
ts_code flare_summary_read(flare_dir *dir, uint32_t member);

/* Does it have the members? FLARE_SUM_INTERVAL ... */
static inline bool flare_summary_has(const flare_summary *summary, unsigned members)
{
    return (summary->has & members) == members;
}

/* --- names of methods, by the ids of one run of a JVM (methods.c) --------------------------- */

/* A family belongs to what the directories of one run of this program share. */

typedef struct flare_family flare_family;

typedef struct flare_methods {
    ts_idmap rows;        /* id to row of stack_method */
    flare_family *family; /* directories of the same run of the JVM; NULL: not known */
} flare_methods;

ts_code flare_methods_read(flare_dir *dir, uint32_t index, uint32_t data);

/* The row of stack_method, made with the number as its name when there is no name. */
ts_code flare_method_row(int64_t *row, flare_dir *dir, int64_t id);

/* --- series of CPU times, compared with the stacks (series.c); times in ms since 1970 ------- */

typedef struct flare_thread_series {
    bool there;
    bool total_lost;               /* the sum of the values does not fit */
    uint64_t first_slot, end_slot; /* of the values that were imported */
    int64_t first_value_row;       /* of them in timeseries_value */
    int64_t id, begin_ms, unit_ms, end_ms, slots, total_us;
} flare_thread_series;

/* Extends *first to *last by the times of the values. */
void flare_series_extend(int64_t *first, int64_t *last, const flare_thread_series *series);

/* The columns of the series in the thread's row. */
ts_code flare_series_columns(ts_row_flare_thread *row, flare_dir *dir,
                             const flare_thread_series *series);

/*
 * A thread's series, compared with its stack records: the collector wrote cpu_time_delta of each
 * record, in microseconds, into the slot of its time. Bytes that are missing from a series, or that
 * were put in, move all values after them to wrong times.
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
    uint64_t bad, first_bad, end; /* slots that differ; the first slot after them that does not */
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

/* --- threads (sample_threads.c) ------------------------------------------------------------- */

/* Threads move when one is added. */

struct flare_thread {
    int64_t id;
    int64_t itid;
    bool listed; /* the summary has it */
    bool has_files;
    int64_t listed_count; /* number of its last record as the summary has it; 0: none, or unknown */
    unsigned has;         /* FLARE_HAS_CPU ... of the newest state */
    int64_t cpu_time;     /* ns */
    int64_t sample_time;  /* ms */
    int64_t sample_count;
    int64_t first_ms, last_ms; /* of its records; first > last: none */
    flare_thread_series series;
};

typedef struct flare_threads {
    ts_vec list;  /* flare_thread, in the order of their coming */
    ts_idmap ids; /* to places in list */
} flare_threads;

/* The thread, made when new. */
ts_code flare_thread_of(flare_thread **out, flare_dir *dir, int64_t id);

/* The summary has the thread, and this state of it. */
ts_code flare_thread_list(flare_dir *dir, const flare_object *o);

/* Keeps the newest state of a thread. */
ts_code flare_thread_state(flare_dir *dir, flare_thread *thread, const flare_object *o);

/* A record of the thread. ms: its time. */
void flare_thread_note_time(flare_thread *thread, int64_t ms);

/* An issue for each thread of which the summary has a record, and whose files are missing. */
ts_code flare_threads_check_missing(flare_dir *dir);

/* The rows of all threads, in the order of their ids. */
ts_code flare_threads_put(flare_dir *dir);

/* First and last time of all records and series; INT64_MAX and INT64_MIN: none. */
void flare_threads_span(int64_t *first, int64_t *last, const flare_threads *threads);

/* --- stacks of a thread (stacks.c) ---------------------------------------------------------- */

ts_code flare_stacks_read(flare_dir *dir, flare_thread *thread, flare_series_check *check,
                          uint32_t index, uint32_t data);

/* --- a data file and its index (indexed_file.c) --------------------------------------------- */

/*
 * A data file and its index. Format: docs/formats.md,
 * "Flare".
 *
 * The reader owns the flare_pair, from flare_pair_open (which may fail) to flare_pair_close; a
 * record is valid until the next call. Only indexed_file.c changes the
 * fields of flare_pair and flare_index.
 */

enum { FLARE_KEY_U32 = 4, FLARE_KEY_I64 = 5 };

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

/* key_type: code of the key's type in files that do not contain it. */
/* starts_well: may a payload begin with that byte? */
ts_code flare_pair_open(flare_pair *pair, flare_dir *dir, uint32_t index, uint32_t data,
                        unsigned key_type, bool (*starts_well)(uint8_t first));
void flare_pair_close(flare_pair *pair);
/* *end: there is no record. */
ts_code flare_pair_next(bool *end, flare_pair *pair, flare_record *record);
/* The record was right. */
void flare_pair_accept(flare_pair *pair, const flare_record *record);
/* The record was wrong. *again: it is longer than its length says, look again; else it is skipped.
 */
ts_code flare_pair_reject(bool *again, flare_pair *pair, flare_record *record, const char *why);
/* Begins at the last entry whose key is below `key` (binary search). *passed: entries before it,
 * each of which stands for one record or, in an index that is not dense, for several. */
ts_code flare_pair_seek(flare_pair *pair, int64_t key, uint64_t *passed);
/* No further record is wanted; returns the number of index entries that were not used. */
uint64_t flare_pair_stop(flare_pair *pair);
/* After the last record. */
ts_code flare_pair_finish(flare_pair *pair);

/* --- the directory -------------------------------------------------------------------------- */

#define FLARE_NS_PER_MS INT64_C(1000000)

enum { FLARE_DEFAULT_INTERVAL_MS = 20 };

struct flare_dir {
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    ts_job *job;
    flare_files *files;
    int64_t source_id;
    int64_t ipid;
    const char *file; /* of the record that is being read, for issues */
    int64_t offset;
    bool wanted_all;
    ts_span wanted; /* in ns, by --time-range */

    /* Counts. */
    uint64_t bytes_seen, bytes_lost, bytes_skipped;
    ts_tally *stack_records, *slots, *method_records, *index_entries;

    flare_summary summary;
    flare_threads threads;
    flare_methods methods;
    int64_t series_ms; /* interval of the first series; 0: none */
    int64_t cpu_type;  /* id of the stack_value_type of the stacks, 0 before the first */
};

/* All files of one directory. */
ts_code flare_dir_import(flare_files *files, int64_t source_id, const flare_entry *entries,
                         size_t n);

/* Nominal ms per sample. */
int64_t flare_dir_interval(const flare_dir *dir);

/* ms since 1970 in ns. *fits: false when they are beyond 64 bits; an issue says so, and a row has
 * NULL for the time. *ns is the nearest time then, for comparisons. */
ts_code flare_dir_ns(int64_t *ns, bool *fits, flare_dir *dir, const char *file, int64_t offset,
                     int64_t ms);

/* An issue of the directory. */
#define flare_issue(dir, ...) ts_issue((dir)->store, (dir)->source_id, __VA_ARGS__)
#define flare_issue_n(dir, ...) ts_issue_n((dir)->store, (dir)->source_id, __VA_ARGS__)

#endif
