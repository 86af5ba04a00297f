/* What the parts of the analysis share. */
#ifndef TS_ANALYSIS_MARKERS_MARKER_WORK_H
#define TS_ANALYSIS_MARKERS_MARKER_WORK_H

#include "analysis/analysis.h"
#include "base/buf.h"
#include "base/ckd.h"
#include "base/sorter.h"
#include "tables/table_rows.h"
#include "tables/rows.h"

#include <string.h>

typedef struct marker_thread {
    int64_t tid, ipid; /* ipid -1: not known */
    uint32_t source;   /* id of source; 0: none */
    bool has_tid;
    bool draws; /* its name is that of a thread of the render service */
} marker_thread;

/* A row of callstack. */
typedef struct marker {
    int64_t row; /* rowid */
    int64_t id;
    int64_t ts;
    int64_t end; /* TS_NO_TIME: not known */
    int64_t itid;
    int64_t emitter; /* itid of the thread that began it; of asynchronous ones */
    bool async;
    uint32_t source; /* id of source; 0: not known */
    ts_text name;    /* at most TS_SCAN_TEXT_MAX bytes of it; until the next one */
    size_t prefix;   /* length of what it was recognised by */
} marker;

typedef struct marker_work {
    ts_ctx *ctx;
    ts_reader *reader;
    ts_store *store;
    ts_sink *sink;
    bool finished;          /* the database was: threads are rows */
    marker_thread *threads; /* by itid, of a finished database */
    size_t thread_count;
    uint32_t source; /* of the last row: the idle thread belongs to none */
    ts_scan *names;  /* single rows of callstack */
    ts_buf text;     /* a name from there */
} marker_work;

/* A thread; of an itid that is none, one of which nothing is known. */
marker_thread marker_thread_of(const marker_work *w, int64_t itid);

/* Threads of a finished database; those of a conversion are in the store. */
ts_code marker_threads_read(marker_work *w);

/* The whole name of a row of callstack, until the next call. */
ts_code marker_name(ts_text *name, marker_work *w, int64_t row);

/* Adds a record, which begins with so many keys, to a sorter that is opened for the first one. */
ts_code marker_keep(marker_work *w, ts_sorter **sorter, const void *record, size_t size,
                    size_t keys);

/* The number at the beginning of t (an optional sign and digits that fit 64 bits), which it is cut
 * off; false: there is none. */
bool marker_number(int64_t *out, ts_text *t);

/* The text before the next `sep`, without blanks around it; t is what follows, or NULL. */
ts_text marker_part(ts_text *t, const char *sep);

/*
 * A table that is made of markers. `take` gets each row that one of its patterns fits, in the order
 * of callstack; `finish` puts rows; `close` is called after both and after failures.
 */
typedef struct marker_kind {
    size_t size; /* of self, which is zeroed at first but for its first member, a marker_work * */
    ts_code (*take)(void *self, const marker *m, unsigned pattern);
    ts_code (*finish)(void *self);
    void (*close)(void *self);
} marker_kind;

extern const marker_kind marker_startup;    /* app_startup */
extern const marker_kind marker_libraries;  /* static_initalize */
extern const marker_kind marker_tasks;      /* task_pool */
extern const marker_kind marker_animations; /* animation */
extern const marker_kind marker_windows;    /* dynamic_frame, device_info */

enum { MARKER_TASK_BEGIN, MARKER_TASK_RUN, MARKER_TASK_END };         /* patterns of tasks */
enum { MARKER_ANIMATION, MARKER_FLING, MARKER_REPAINT, MARKER_RATE }; /* of animations */
enum { MARKER_WINDOW, MARKER_VSYNC };                                 /* of windows */
enum { MARKER_PHASES = 6 }; /* of startup: numbers of phases */

#endif
