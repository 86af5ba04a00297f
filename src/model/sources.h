/*
 * The sources of a database and its threads, by what people type.
 *
 * Sources are named as tables/source_names.h says.
 *
 * Threads, several with commas (\, is a comma): NAME, a glob, tid=N, pid=N (all threads of the
 * process), id=N (itid), process=NAME or a glob, name=NAME for a name that has one of these forms,
 * and - for what has no thread. A bare word is a name, then a tid, then an itid, then a glob.
 */
#ifndef TS_MODEL_SOURCES_H
#define TS_MODEL_SOURCES_H

#include "model/idset.h"
#include "base/pool.h"
#include "model/model.h"

typedef struct ts_source_entry {
    int64_t id;
    int64_t parent; /* 0: none */
    ts_text kind, path, name, format, clock;
    int64_t start_ts, end_ts; /* or TS_NO_TIME */
} ts_source_entry;

typedef struct ts_thread_entry {
    int64_t id;       /* itid */
    int64_t tid, pid; /* or INT64_MIN */
    int64_t ipid;     /* -1: of no process */
    ts_text name, process;
} ts_thread_entry;

/* In the order of their ids; texts are those of `texts`. */
typedef struct ts_sources {
    ts_vec rows; /* of ts_source_entry */
    ts_pool texts;
} ts_sources;

typedef struct ts_threads {
    ts_vec rows; /* of ts_thread_entry */
    ts_pool texts;
} ts_threads;

ts_code ts_sources_get(const ts_sources **out, ts_model *m);
ts_code ts_threads_get(const ts_threads **out, ts_model *m);

/* The path of the file that the source at this place is, or is in; may be NULL. */
ts_text ts_sources_path(const ts_sources *sources, size_t i);

/* Of an itid, or NULL. */
const ts_thread_entry *ts_threads_at(const ts_threads *threads, int64_t itid);

/*
 * Adds what the selector means to *out. TS_ERR_USAGE: nothing is called that; the message names the
 * nearest. selector.p NULL: all. Caller frees with ts_idset_free, also after an error.
 */
ts_code ts_sources_find(ts_idset *out, ts_model *m, ts_text selector);
ts_code ts_threads_find(ts_idset *out, ts_model *m, ts_text selector);

#endif
