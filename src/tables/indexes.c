#include "tables/schema.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/*
 * An index is named ix_<table>_<columns>. The column that tells rows apart comes first and the file
 * after it: SQLite's sorter decides most comparisons by the first column, and by its quick way when
 * that is an integer or a text (building ix_js_heap_edges_to takes 40 % less time so); questions
 * name both by equality, for which the order does not matter.
 */
#define INDEX(name, on, doc)                                                                       \
    {                                                                                              \
        name, doc, "CREATE INDEX " name " ON " on                                                  \
    }

const ts_index ts_indexes[] = {
    INDEX("ix_js_heap_nodes_id", "js_heap_nodes(id, file_id)", "finds a heap object by its id"),
    INDEX("ix_js_heap_nodes_name", "js_heap_nodes(name, type, file_id)",
          "finds the heap objects of a class"),
    INDEX("ix_js_heap_edges_from", "js_heap_edges(from_node_id, file_id)",
          "what a heap object refers to"),
    INDEX("ix_js_heap_edges_to", "js_heap_edges(to_node_id, file_id)",
          "who refers to a heap object"),
    INDEX("ix_js_heap_string_string", "js_heap_string(string, file_id)",
          "finds a string of a heap file, and equal strings"),
    INDEX("ix_js_cpu_profiler_node_function", "js_cpu_profiler_node(function_id)",
          "finds a node of a CPU profile"),
    INDEX("ix_js_cpu_profiler_sample_function", "js_cpu_profiler_sample(function_id)",
          "samples of a node of a CPU profile"),
    INDEX("ix_stack_method_name", "stack_method(name)", "finds methods by name"),
    INDEX("ix_stack_node_parent", "stack_node(parent_id)", "callees of a call path"),
    INDEX("ix_stack_node_method", "stack_node(method_id)", "call paths that end in a method"),
    INDEX("ix_stack_sample_thread", "stack_sample(itid, ts)", "samples of a thread in a time span"),
    INDEX("ix_stack_sample_node", "stack_sample(node_id)", "samples of a call path"),
    INDEX("ix_stack_sample_value_sample", "stack_sample_value(sample_id)", "values of a sample"),
    INDEX("ix_stack_sample_label_sample", "stack_sample_label(sample_id)", "labels of a sample"),
    INDEX("ix_stack_sample_label_key", "stack_sample_label(key, value)",
          "samples that carry a label, such as a span or an endpoint"),
    INDEX("ix_stack_slice_thread", "stack_slice(itid, ts)",
          "invocations of a thread in a time span"),
    INDEX("ix_stack_slice_parent", "stack_slice(parent_id)", "what an invocation called"),
    INDEX("ix_stack_slice_node", "stack_slice(node_id)", "invocations of a call path"),
    INDEX("ix_timeseries_value_series", "timeseries_value(series_id, ts)",
          "points of a series in a time span"),
    INDEX("ix_callstack_thread", "callstack(callid, ts)", "calls of a thread in a time span"),
    INDEX("ix_process_ipid", "process(ipid)", "a process by its number in this database"),
    INDEX("ix_process_pid", "process(pid)", "a process by its id in the system"),
    INDEX("ix_thread_itid", "thread(itid)", "a thread by its number in this database"),
    INDEX("ix_thread_tid", "thread(tid)", "a thread by its id in the system"),
    INDEX("ix_thread_process", "thread(ipid)", "threads of a process"),
    INDEX("ix_process_detail_ipid", "process_detail(ipid)", "details of a process"),
    INDEX("ix_thread_detail_itid", "thread_detail(itid)", "details of a thread"),
    INDEX("ix_data_dict_id", "data_dict(id)", "a text of the dictionary by its id"),
    INDEX("ix_source_parent", "source(parent_id)", "what an input contains"),
    INDEX("ix_source_property_source", "source_property(source_id, key)", "facts about a source"),
    INDEX("ix_import_issue_source", "import_issue(source_id)", "defects of a source"),
    INDEX("ix_import_count_source", "import_count(source_id)", "counts of a source"),
};

const unsigned ts_index_count = (unsigned)COUNT(ts_indexes);
