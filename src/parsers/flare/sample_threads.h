/*
 * Threads of a sample directory. Format: docs/formats.md, "Flare".
 *
 * flare_threads belongs to the directory, zeroed, until flare_threads_close; only sample_threads.c
 * touches its fields and those of the threads but for flare_thread.series. Threads move when one is
 * added.
 */
#ifndef TS_PARSERS_FLARE_SAMPLE_THREADS_H
#define TS_PARSERS_FLARE_SAMPLE_THREADS_H

#include "base/idmap.h"
#include "base/vec.h"
#include "parsers/flare/object.h"
#include "parsers/flare/series.h"

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

void flare_threads_close(flare_dir *dir);

/* The thread, made when new. */
ts_code flare_thread_of(flare_thread **out, flare_dir *dir, int64_t id);

/* The summary has the thread, and this state of it. */
ts_code flare_thread_list(flare_dir *dir, const flare_object *o);

/* The directory has files of the thread. listed: the summary has it, too. */
void flare_thread_set_files(bool *listed, flare_thread *thread);

/* Keeps the newest state of a thread. */
ts_code flare_thread_state(flare_dir *dir, flare_thread *thread, const flare_object *o);

/* A record of the thread. ms: its time. */
void flare_thread_note_time(flare_thread *thread, int64_t ms);

/* Number of the last record as the summary has it; 0: none, or unknown. */
static inline int64_t flare_thread_listed_count(const flare_thread *thread)
{
    return thread->listed_count;
}

static inline int64_t flare_thread_itid(const flare_thread *thread)
{
    return thread->itid;
}

/* An issue for each thread of which the summary has a record, and whose files are missing. */
ts_code flare_threads_check_missing(flare_dir *dir);

/* The rows of all threads, in the order of their ids. */
ts_code flare_threads_put(flare_dir *dir);

/* First and last time of all records and series; INT64_MAX and INT64_MIN: none. */
void flare_threads_span(int64_t *first, int64_t *last, const flare_threads *threads);

#endif
