#include "tables/views_impl.h"

#include "tables/schema.h"

const ts_view ts_views[] = {
    {"args_view",
     "Arguments with their names, types and texts resolved. Known to readers of the reference's "
     "databases.",
     ts_view_args},
    {"v_js_node", "Nodes of heap snapshots with type and name as text. Filter on file_id.",
     ts_view_js_node},
    {"v_js_edge",
     "Edges of heap snapshots with type, name and both ends resolved; the name of an element or "
     "hidden edge is its index. Filter on file_id.",
     ts_view_js_edge},
    {"v_js_retainer",
     "Who points at a node: the edges into it with the node that owns each. Filter on file_id and "
     "node_id. Edges of type weak do not keep the node alive.",
     ts_view_js_retainer},
    {"v_js_class_histogram",
     "Number and size of the objects of each class of a heap snapshot, by the rule of Chrome "
     "DevTools: objects and native objects by name, code as (compiled code), hidden nodes as "
     "(system), all others as their type in brackets. Filter on file_id.",
     ts_view_js_class_histogram},
    {"v_js_string_duplicates",
     "Strings that the heap holds more than once, and what all copies but the largest cost. Filter "
     "on file_id. Strings are told apart by their index in js_heap_string.",
     ts_view_js_string_duplicates},
    {"v_js_detached",
     "Nodes that are no longer attached to what shows them (detachedness 2), such as DOM nodes out "
     "of the document.",
     ts_view_js_detached},
    {"v_js_snapshot_diff",
     "Growth of each class from the heap snapshot before (the next smaller file_id) to this one. "
     "Filter on file_id. For nodes told apart by id see js_snapshot_diff.sql.",
     ts_view_js_snapshot_diff},
    {"v_js_allocation_stack",
     "The allocation tree of a timeline with function names; count and size are what was allocated "
     "there, live_count and live_size what still exists in the snapshot. Filter on file_id.",
     ts_view_js_allocation_stack},
    {"v_js_cpu_sample", "Runs of equal CPU samples with function, URL and position resolved.",
     ts_view_js_cpu_sample},
    {"v_stack_hot_method",
     "Weight of each method in samples and traced calls: self (it ran itself) and total (it or a "
     "callee ran, recursion counted once). (idle) and (root) are left out.",
     ts_view_stack_hot_method},
    {"v_stack_folded",
     "Call paths with their own weight as a;b;c, outermost first, the input of flame graphs. "
     "Includes (root) and (idle).",
     ts_view_stack_folded},
    {"v_thread_cpu",
     "Samples and traced calls of each thread: number and time. busy_dur leaves out the time in "
     "(idle); calls count once, by their outermost one.",
     ts_view_thread_cpu},
    {"v_stack_slice", "Traced invocations with thread and method resolved. Filter on id or itid.",
     ts_view_stack_slice},
    {"v_cloud_call", "Calls of the Cloud Profiler with pod and method resolved.",
     ts_view_cloud_call},
    {"v_cloud_call_param", "Values of parameters of calls with their names. Filter on call_id.",
     ts_view_cloud_call_param},
    {"v_cloud_tag", "Tags of traced invocations with their names and texts. Filter on slice_id.",
     ts_view_cloud_tag},
    {"v_flare_recording",
     "Sample directories of Flare in the order of time, those of one run of a JVM together: the "
     "collector begins a new directory every 15 minutes or every hour. gap is the time to the "
     "directory before.",
     ts_view_flare_recording},
    {"v_flare_cpu",
     "CPU time series of Flare with directory and thread, one row per value that is not 0, over "
     "all "
     "directories of a run. Filter on agent_addr and tid.",
     ts_view_flare_cpu},
    {"v_data_quality",
     "What an analyst should know before trusting the rows: every recorded issue, and every kind "
     "of item of which something was lost, skipped or is not there as declared.",
     ts_view_data_quality},
};

const unsigned ts_view_count = sizeof ts_views / sizeof ts_views[0];

const char ts_view_args[] =
    "CREATE VIEW args_view AS\n"
    "SELECT A.argset AS argset, V2.data AS keyName, A.id AS id, D.desc AS desc,\n"
    "  CASE WHEN A.datatype = 1 THEN V.data ELSE A.value END AS strValue\n"
    "FROM args AS A\n"
    "LEFT JOIN data_type AS D ON D.typeId = A.datatype\n"
    "LEFT JOIN data_dict AS V ON V.id = A.value\n"
    "LEFT JOIN data_dict AS V2 ON V2.id = A.key";

const char ts_view_data_quality[] =
    "CREATE VIEW v_data_quality AS\n"
    "SELECT i.source_id AS source_id, s.path AS path, s.name AS recording, 'issue' AS kind,\n"
    "  i.severity AS severity, i.code AS what, i.count AS count, i.stream AS stream,\n"
    "  i.offset AS offset, i.message AS message\n"
    "FROM import_issue AS i\n"
    "LEFT JOIN source AS s ON s.id = i.source_id\n"
    "UNION ALL\n"
    "SELECT c.source_id, s.path, s.name, 'count',\n"
    "  CASE WHEN c.lost > 0 THEN 'data_loss' WHEN c.declared <> c.seen THEN 'warning'\n"
    "    ELSE 'info' END,\n"
    "  c.item,\n"
    "  CASE WHEN c.lost > 0 THEN c.lost WHEN c.declared <> c.seen THEN abs(c.declared - c.seen)\n"
    "    ELSE c.skipped END,\n"
    "  NULL, NULL,\n"
    "  CASE WHEN c.declared IS NULL THEN '' ELSE 'declared ' || c.declared || ', ' END ||\n"
    "  'seen ' || c.seen || ', imported ' || c.imported || ', lost ' || c.lost ||\n"
    "  ', skipped ' || c.skipped\n"
    "FROM import_count AS c\n"
    "LEFT JOIN source AS s ON s.id = c.source_id\n"
    "WHERE c.lost > 0 OR c.skipped > 0 OR c.declared <> c.seen";
