/*
 * What a session of the Flare protocol reads from a database: one sample directory (a row of
 * `source` of kind sample_directory) as arrays. Threads and methods are read when it is opened;
 * records and slots of a thread when they are first asked for, and dropped again, those of the
 * thread that was not asked for the longest first, beyond FP_LOADED_MAX bytes.
 *
 * Nothing that the database says is trusted: ids that point nowhere, nodes whose parents do not
 * come before them and times in any order give other answers, not crashes.
 */
#ifndef TS_SERVE_FLARE_DATA_H
#define TS_SERVE_FLARE_DATA_H

#include "base/buf.h"
#include "base/vec.h"

#include <sqlite3.h>

enum { FP_LOADED_MAX = 256 << 20 };
#define FP_JS_SAFE INT64_C(9007199254740991)

/* A stack record. Times are ms since 1970. */
typedef struct fp_record {
    int64_t time;
    int64_t cpu;   /* ns since the thread began; 0: not recorded */
    int32_t step;  /* slot of the thread's series */
    uint32_t node; /* number of its innermost frame in fp_data.nodes, from 1; 0: an empty stack */
} fp_record;

/* A slot of a series whose value is not 0. */
typedef struct fp_slot {
    int64_t step;
    int64_t us;
} fp_slot;

typedef struct fp_node {
    uint32_t parent; /* number of the caller, smaller than its own; 0: a root */
    uint32_t method; /* number of the method, from 1; 0: not known */
} fp_node;

typedef struct fp_method {
    int64_t id;    /* as replies have it: raw_id, or -id of stack_method */
    bool present;  /* the database has it */
    bool resolved; /* has a name */
    size_t at, n;  /* label in fp_data.texts */
} fp_method;

typedef struct fp_thread {
    int64_t id; /* of the Java VM */
    int64_t itid;
    int64_t sample_count;
    int64_t cpu_time;    /* ns */
    int64_t sample_time; /* ms */
    int64_t priority;
    bool daemon;
    bool has_series;
    char *name, *state, *group; /* never NULL */
    /* The series: slot k begins at begin + k * unit, the last one at end; ms. */
    int64_t series_id, begin, unit, end;
    int64_t first_value, last_value; /* rowids in timeseries_value; first > last: none */
    int64_t first_sample, last_sample, sample_rows;
    int64_t series_us;  /* sum of its values */
    bool last_known;    /* the two below were read */
    uint32_t last_node; /* innermost frame of the last record */
    int64_t last_delta; /* ns of CPU since the record before; 0: not recorded */
    bool loaded_records, loaded_slots;
    uint64_t used;  /* when it was asked for last */
    ts_vec records; /* of fp_record */
    ts_vec slots;   /* of fp_slot, ascending */
} fp_thread;

typedef struct fp_data {
    ts_ctx *ctx;
    sqlite3 *db; /* borrowed */
    int64_t source_id;
    int64_t sample_interval, sample_start_time, record_start_time, last_record_time; /* ms */
    char *agent_addr;
    ts_vec threads; /* of fp_thread, ascending by id */
    fp_node *nodes; /* node_count + 1 of them; number 0 is not used */
    uint32_t node_count;
    int64_t node_base; /* id in the database of number 1 */
    fp_method *methods;
    uint32_t method_count;
    int64_t method_base;
    ts_buf texts;
    uint64_t loaded; /* bytes of records and slots */
    uint64_t loaded_max;
    uint64_t tick;
} fp_data;

/* Reads what is needed of all requests. db is borrowed for the life of the data. TS_ERR_INPUT with
 * SQLite's text when the database cannot be read. Caller frees with fp_data_close, also after a
 * failure. */
ts_code fp_data_open(fp_data *data, ts_ctx *ctx, sqlite3 *db, int64_t source_id);
void fp_data_close(fp_data *data);

/* The thread with an id of the Java VM; NULL: none. */
fp_thread *fp_data_thread(const fp_data *data, int64_t id);

/* Whether the dashboard lists the thread: it has records here. */
bool fp_data_listed(const fp_thread *thread);

/* Reads the records (slots) of a thread unless they are there. Those of other threads may be
 * dropped meanwhile. */
ts_code fp_data_records(fp_data *data, fp_thread *thread);
ts_code fp_data_slots(fp_data *data, fp_thread *thread);

/* The label of a method by its number: "class.name()", or its id in decimal when it has no name. */
ts_text fp_data_label(const fp_data *data, uint32_t method);
/* Its id in replies; 0 for number 0. */
int64_t fp_data_method_id(const fp_data *data, uint32_t method);

/* Sets last_node and last_delta. */
ts_code fp_data_last(fp_data *data, fp_thread *thread);

/* --- rows ---------------------------------------------------------------------------------- */

/* Prepares a statement with up to three integers bound to ?1 to ?3. The caller finalizes. */
ts_code fp_prepare(sqlite3_stmt **out, ts_ctx *ctx, sqlite3 *db, const char *sql, int64_t a,
                   int64_t b, int64_t c);
/* The next row: *row is false at the end. */
ts_code fp_step(bool *row, ts_ctx *ctx, sqlite3_stmt *stmt);

#endif
