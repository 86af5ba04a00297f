/*
 * The series of CPU times of a thread, and its comparison with the stacks. Format: docs/formats.md,
 * "Flare". Times are ms since 1970.
 *
 * flare_series belongs to the directory and flare_thread_series to the thread; they own nothing. A
 * flare_series_check belongs to the reader of the thread, until flare_series_check_close. Only
 * series.c touches their fields.
 */
#ifndef TS_PARSERS_FLARE_SERIES_H
#define TS_PARSERS_FLARE_SERIES_H

#include "parsers/flare/entries.h"
#include "parsers/flare/object.h"
#include "parsers/format.h"

typedef struct flare_dir flare_dir;
typedef struct flare_thread flare_thread;

/* Of all threads. */
typedef struct flare_series {
    int64_t interval_ms; /* of the first one; 0: none */
} flare_series;

typedef struct flare_thread_series {
    bool there;
    bool total_lost;               /* the sum of the values does not fit */
    uint64_t first_slot, end_slot; /* of the values that were imported */
    int64_t first_value_row;       /* of them in timeseries_value */
    int64_t id, begin_ms, unit_ms, end_ms, slots, total_us;
} flare_thread_series;

/* ms per slot of the first series that was read; 0: none. */
static inline int64_t flare_series_interval(const flare_series *series)
{
    return series->interval_ms;
}

/* *begin_ms and *unit_ms of a thread that has a series; false: it has none. */
bool flare_series_start(int64_t *begin_ms, int64_t *unit_ms, const flare_thread_series *series);

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

#endif
