/*
 * What all ArkTS recordings and bare files of a run share: numbers of profiles, the one row of
 * js_config, and the order of files without a clock of their own.
 *
 * Viewers list each heap file once for each row of js_config, so that the configurations of a run
 * become one row, written at its end.
 */
#ifndef TS_PARSERS_ARKTS_RUN_H
#define TS_PARSERS_ARKTS_RUN_H

#include "base/vec.h"
#include "parsers/arkts/profile/profile.h"
#include "parsers/format.h"
#include "tables/store.h"

typedef struct ts_arkts_run {
    ts_profile_ids profile_ids;
    bool has_config;       /* `config` is what will be written */
    bool has_recorded;     /* a recording had a configuration */
    bool config_heaps;     /* heaps were recorded with it */
    int64_t config_source; /* source of the first recorded one */
    ts_row_js_config config;
    int64_t bare_end; /* ns: where the next bare file begins */
    ts_vec placed;    /* rows of bare files */
} ts_arkts_run;

/* The heap types of a configuration. */
enum { TS_HEAP_SNAPSHOT = 0, TS_HEAP_TIMELINE = 1, TS_HEAP_NONE = -1 };

/* What a snapshot without times takes in a viewer, ns. */
enum { TS_BARE_WIDTH = 1000000 };

/* That of the job's run. */
ts_code ts_arkts_run_of(ts_arkts_run **run, ts_job *job);

/* A recorded configuration, made fit for the viewer. heaps: heaps were recorded with it. */
ts_code ts_arkts_add_config(ts_job *job, ts_arkts_run *run, const ts_row_js_config *row,
                            bool heaps);

/*
 * Makes sure that js_config shows the data: the viewer needs a row. Called at the end of every
 * import that wrote heap or profile rows without a configuration. That the row was made up is a
 * property of bare files, which never have one, and an issue of recordings that should.
 */
ts_code ts_arkts_need_config(ts_job *job, ts_arkts_run *run, bool bare);

/*
 * Rows of a bare file were put, whose times count from the beginning of the run's bare files. Where
 * other inputs have a clock they are moved to its beginning. columns: a bit each.
 */
ts_code ts_arkts_place(ts_job *job, ts_arkts_run *run, enum ts_table_id table, int64_t first,
                       int64_t last, uint64_t columns);

/* The bare file that began at bare_end takes so many ns. */
void ts_arkts_advance(ts_job *job, ts_arkts_run *run, int64_t width);

/* --- -s: recordings as files of their own, as they were recorded ------------------------------ */

/* Joins surrogates that a chunk's end has split. */
typedef struct extract_file {
    void *file; /* NULL: none is open */
    char held[3];
    size_t held_n;
} extract_file;

ts_code extract_begin(ts_job *job, extract_file *file, const char *name);

/* joined: the bytes are text that may end inside a surrogate pair. */
ts_code extract_write(ts_job *job, extract_file *file, bool joined, const char *p, size_t n);
ts_code extract_end(ts_job *job, extract_file *file, bool complete);

/* After an error: deletes the file that is open, if any. */
void extract_drop(ts_job *job, extract_file *file);

#endif
