/* What only merging of finished databases asks of the store (session/merge.h). */
#ifndef TS_TABLES_STORE_MERGE_H
#define TS_TABLES_STORE_MERGE_H

#include "tables/store_processes.h"

/* The kind of a counter by measure_filter.type. False: there is no such type. */
bool ts_filter_kind_of(ts_filter_kind *kind, ts_text type);

/* Rows of inputs were left out on purpose (cut.h): counts say more than there are. */
void ts_store_expect_parts(ts_store *store);

#endif
