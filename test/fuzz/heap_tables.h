/* The tables that show what a heap, or a profile, holds: equal whatever the file around them. */
#ifndef TS_FUZZ_HEAP_TABLES_H
#define TS_FUZZ_HEAP_TABLES_H

#include "tables/rows.h"

static const enum ts_table_id heap_tables[] = {
    TS_T_js_heap_info,     TS_T_js_heap_nodes,      TS_T_js_heap_edges,
    TS_T_js_heap_string,   TS_T_js_heap_sample,     TS_T_js_heap_trace_function_info,
    TS_T_js_heap_location, TS_T_js_heap_trace_node, TS_T_js_heap_edge_block,
};
enum { HEAP_TABLES = sizeof heap_tables / sizeof heap_tables[0] };

#endif
