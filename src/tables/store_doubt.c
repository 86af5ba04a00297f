/*
 * Rows of a text that may be wrong anywhere: its checksum does not agree, or it was unpacked from
 * damaged data. What such rows say becomes NULL. What this program says itself stays: numbers of
 * rows, the source that they come from, and which row another one belongs to.
 */
#include "tables/store_impl.h"

#include <inttypes.h>
#include <string.h>

/* Tables that hold what the program says of its inputs, or what several inputs share. */
static bool is_own(enum ts_table_id table)
{
    switch (table) {
    case TS_T_source:
    case TS_T_source_property:
    case TS_T_import_issue:
    case TS_T_import_count:
    case TS_T_schema_doc:
    case TS_T_process:
    case TS_T_process_detail:
    case TS_T_thread:
    case TS_T_thread_detail:
    case TS_T_stack_value_type:
    case TS_T_trace_range:
    case TS_T_trace_config:
    case TS_T_data_type:
    case TS_T_data_dict:
    case TS_T_datasource_clockid:
    case TS_T_clock_snapshot:
    case TS_T_stat:
    case TS_T_meta:
    case TS_T_js_config:
        return true;
    default:
        return false;
    }
}

/* Figures by which the rows of a file are found. They count rows of the database, and are right. */
static bool doubt_is_place(enum ts_table_id table, const char *column)
{
    switch (table) {
    case TS_T_js_heap_files:
        return strcmp(column, "self_size") != 0;
    case TS_T_js_heap_file_detail:
        return strcmp(column, "complete") != 0;
    case TS_T_js_cpu_profile:
        return strcmp(column, "id_offset") == 0 || strcmp(column, "node_count") == 0 ||
               strcmp(column, "sample_count") == 0 || strcmp(column, "first_sample_id") == 0;
    default:
        return false;
    }
}

/* Refers to what the row belongs to. */
static bool is_owner(const char *unit)
{
    static const char *const owners[] = {
        "id of source",       "id of process",    "id of thread",      "id of js_heap_files",
        "id of stack_sample", "id of cloud_call", "id of cloud_block", "id of timeseries",
        "id of lock_wait",    "id of tptp_event",
    };
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        if (strcmp(unit, owners[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A bit per column whose value comes from the text. */
static uint64_t columns_of(enum ts_table_id table)
{
    uint64_t columns = 0;
    for (unsigned i = 0; i < ts_schema[table].column_count && !is_own(table); i++) {
        const ts_column *c = &ts_schema[table].columns[i];
        if (c->type != TS_COL_KEY && !is_owner(c->unit) && !doubt_is_place(table, c->name)) {
            columns |= UINT64_C(1) << i;
        }
    }
    return columns;
}

void ts_row_marks_take(ts_row_marks *marks, const ts_sink *sink)
{
    memcpy(marks->rows, sink->rows, sizeof marks->rows);
}

ts_code ts_doubt_rows(ts_store *store, int64_t source_id, const char *stream,
                      const ts_row_marks *from, const ts_row_marks *to, uint64_t bytes,
                      const char *why)
{
    uint64_t rows = 0;
    ts_code code = TS_OK;
    for (int t = 0; t < TS_TABLE_COUNT && code == TS_OK; t++) {
        uint64_t columns = columns_of((enum ts_table_id)t);
        if (columns == 0 || from->rows[t] >= to->rows[t]) {
            continue;
        }
        rows = ts_store_add(rows, to->rows[t] - from->rows[t]);
        code = ts_sink_invalidate(store->sink, (enum ts_table_id)t, (int64_t)from->rows[t] + 1,
                                  (int64_t)to->rows[t], columns);
    }
    return code != TS_OK || rows == 0
               ? code
               : ts_issue_n(store, source_id, TS_ISSUE_values_doubted, stream, TS_NO_OFFSET, rows,
                            "%s: any of %" PRIu64 " unpacked bytes may be wrong, and so the "
                            "values of %" PRIu64 " rows are not known",
                            why, bytes, rows);
}
