/*
 * One sample directory: a summary (JSON), the names of methods, and for each thread a series of CPU
 * times and a file of stacks, each with an index. All binary integers are big-endian, times are
 * milliseconds since 1970. Format: docs/formats.md, "Flare".
 *
 * flare_dir_import owns the flare_dir. Each part of it (sample_summary.h, methods.h, ...) owns its
 * struct in it and is the only one that touches the fields there. The counts are added to by all;
 * the other fields are set by sample_directory.c and read by all.
 */
#ifndef TS_PARSERS_FLARE_SAMPLE_DIRECTORY_H
#define TS_PARSERS_FLARE_SAMPLE_DIRECTORY_H

#include "parsers/flare/entries.h"
#include "parsers/flare/member_files.h"
#include "parsers/flare/methods.h"
#include "parsers/flare/sample_threads.h"
#include "parsers/flare/stacks.h"
#include "parsers/flare/sample_summary.h"
#include "parsers/format.h"
#include "tables/formats/flare/flare_constants.h"

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
    flare_series series;
    flare_stacks stacks;
};

/* All files of one directory. */
ts_code flare_dir_import(flare_files *files, int64_t source_id, const flare_entry *entries,
                         size_t n);

/* The record at this place is read from now on. */
static inline void flare_dir_at(flare_dir *dir, const char *file, int64_t offset)
{
    dir->file = file;
    dir->offset = offset;
}

/* Nominal ms per sample. */
int64_t flare_dir_interval(const flare_dir *dir);

/* ms since 1970 in ns. *fits: false when they are beyond 64 bits; an issue says so, and a row has
 * NULL for the time. *ns is the nearest time then, for comparisons. */
ts_code flare_dir_ns(int64_t *ns, bool *fits, flare_dir *dir, const char *file, int64_t offset,
                     int64_t ms);

#endif
