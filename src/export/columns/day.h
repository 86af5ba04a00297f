/* The day of a recording, by which files and partitions are told apart. */
#ifndef TS_EXPORT_COLUMNS_DAY_H
#define TS_EXPORT_COLUMNS_DAY_H

#include "tables/table_scan.h"

/*
 * *day: days since 1970-01-01 (UTC) of the first beginning of a source that is known as a time of
 * day, by its own clock or by what the recording says of its clocks. *known false: there is none.
 */
ts_code ts_recording_day(int64_t *day, bool *known, ts_reader *reader);

#endif
