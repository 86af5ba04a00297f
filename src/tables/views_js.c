#include "tables/views_impl.h"

/* Sizes, and the counts of allocations, come from the input as they are. */
#define SUM_SELF_SIZE SUM_OF("self_size")
#define SUM_PREVIOUS_SIZE SUM_OF("previous_self_size")
#define SUM_NODE_SIZE SUM_OF("n.self_size")
#define SUM_SIZE SUM_OF("size")
#define SUM_LIVE_SIZE SUM_OF("live_size")
#define SUM_COUNT SUM_OF("count")

/* --- pieces: d is js_heap_file_detail, n js_heap_nodes, e js_heap_edges -------------------- */

#define NODES_OF_FILE                                                                              \
    "js_heap_nodes AS n\n"                                                                         \
    "  ON n.rowid BETWEEN d.first_node_rowid AND d.first_node_rowid + d.node_count - 1"

#define EDGES_OF_FILE                                                                              \
    "js_heap_edges AS e\n"                                                                         \
    "  ON e.rowid BETWEEN d.first_edge_rowid AND d.first_edge_rowid + d.edge_count - 1"

/* The text of a string index, or NULL. Of damaged files file_index is NULL where it is not certain.
 */
#define STRING_AT(index)                                                                           \
    "(SELECT s.string FROM js_heap_string AS s\n"                                                  \
    "    WHERE s.rowid = d.first_string_rowid + " index "\n"                                       \
    "      AND " index " BETWEEN 0 AND d.string_count - 1\n"                                       \
    "      AND s.file_index = " index ")"

#define NODE_TYPE(type)                                                                            \
    "(SELECT t.str_value FROM js_heap_info AS t\n"                                                 \
    "    WHERE t.rowid = d.first_info_rowid + " type "\n"                                          \
    "      AND " type " BETWEEN 0 AND d.node_type_count - 1)"

#define EDGE_TYPE                                                                                  \
    "(SELECT t.str_value FROM js_heap_info AS t\n"                                                 \
    "    WHERE t.rowid = d.first_edge_type_rowid + e.type\n"                                       \
    "      AND e.type BETWEEN 0 AND d.edge_type_count - 1)"

/* Whether a name is an index is decided by the name of the type: numbers differ between runtimes.
 */
#define EDGE_NAME                                                                                  \
    "CASE WHEN " EDGE_TYPE " IN ('element', 'hidden')\n"                                           \
    "    THEN CAST(e.name_or_index AS TEXT)\n"                                                     \
    "    ELSE " STRING_AT("e.name_or_index") " END"

/* A value of the node that the edge points at. */
#define TARGET(value)                                                                              \
    "(SELECT " value " FROM js_heap_nodes AS n\n"                                                  \
    "    WHERE n.rowid = d.first_node_rowid + e.to_node / d.node_stride\n"                         \
    "      AND e.to_node % d.node_stride = 0\n"                                                    \
    "      AND e.to_node / d.node_stride BETWEEN 0 AND d.node_count - 1\n"                         \
    "      AND n.node_index = e.to_node / d.node_stride)"

/* A value of the node that owns the edge: it stands among the few rows of the edge's block. */
#define OWNER(value)                                                                               \
    "(SELECT " value " FROM js_heap_edge_block AS b CROSS JOIN js_heap_nodes AS n\n"               \
    "      ON n.rowid BETWEEN b.first_node_rowid AND b.last_node_rowid\n"                          \
    "    WHERE b.id = d.first_edge_block_id + e.edge_index / 64 AND b.file_id = d.file_id\n"       \
    "      AND n.id = e.from_node_id AND n.edge_count > 0 LIMIT 1)"

/* Columns, ready made: the layout of the views stays readable this way. */
#define N_TYPE NODE_TYPE("n.type")
#define N_NAME STRING_AT("n.name")
#define OWNER_TYPE OWNER(N_TYPE)
#define OWNER_NAME OWNER(N_NAME)
#define OWNER_SIZE OWNER("n.self_size")
#define TARGET_TYPE TARGET(N_TYPE)
#define TARGET_NAME TARGET(N_NAME)
#define TARGET_SIZE TARGET("n.self_size")
#define GROUP_STRING STRING_AT("g.name")
#define FUNCTION_NAME STRING_AT("f.name")
#define FUNCTION_SCRIPT STRING_AT("f.script_name")

/* --- nodes and edges ----------------------------------------------------------------------- */

#define NODE_COLUMNS                                                                               \
    "SELECT d.file_id AS file_id, n.node_index AS node_index, n.id AS node_id,\n"                  \
    "  " N_TYPE " AS type,\n"                                                                      \
    "  " N_NAME " AS name,\n"                                                                      \
    "  n.self_size AS self_size, n.edge_count AS edge_count,\n"                                    \
    "  n.trace_node_id AS trace_node_id, n.detachedness AS detachedness, n.type AS type_id\n"      \
    "FROM js_heap_file_detail AS d\n"                                                              \
    "CROSS JOIN " NODES_OF_FILE

const char ts_view_js_node[] = "CREATE VIEW v_js_node AS\n" NODE_COLUMNS;

const char ts_view_js_detached[] =
    "CREATE VIEW v_js_detached AS\n" NODE_COLUMNS "\nWHERE n.detachedness = 2";

const char ts_view_js_edge[] = "CREATE VIEW v_js_edge AS\n"
                               "SELECT d.file_id AS file_id, e.edge_index AS edge_index,\n"
                               "  " EDGE_TYPE " AS type,\n"
                               "  " EDGE_NAME " AS name,\n"
                               "  e.from_node_id AS from_node_id,\n"
                               "  " OWNER_TYPE " AS from_type,\n"
                               "  " OWNER_NAME " AS from_name,\n"
                               "  e.to_node_id AS to_node_id,\n"
                               "  " TARGET_TYPE " AS to_type,\n"
                               "  " TARGET_NAME " AS to_name,\n"
                               "  " TARGET_SIZE " AS to_self_size,\n"
                               "  e.to_node / d.node_stride AS to_node_index, e.type AS type_id,\n"
                               "  e.name_or_index AS name_or_index\n"
                               "FROM js_heap_file_detail AS d\n"
                               "CROSS JOIN " EDGES_OF_FILE;

const char ts_view_js_retainer[] = "CREATE VIEW v_js_retainer AS\n"
                                   "SELECT d.file_id AS file_id, e.to_node_id AS node_id,\n"
                                   "  " TARGET_NAME " AS node_name,\n"
                                   "  " EDGE_TYPE " AS edge_type,\n"
                                   "  " EDGE_NAME " AS edge_name,\n"
                                   "  e.from_node_id AS retainer_id,\n"
                                   "  " OWNER_TYPE " AS retainer_type,\n"
                                   "  " OWNER_NAME " AS retainer_name,\n"
                                   "  " OWNER_SIZE " AS retainer_self_size,\n"
                                   "  e.edge_index AS edge_index\n"
                                   "FROM js_heap_file_detail AS d\n"
                                   "CROSS JOIN " EDGES_OF_FILE;

/* --- aggregates ---------------------------------------------------------------------------- */

/* The classes of one file d, added up by the import: several rows of a class are possible. */
#define CLASS_GROUPS                                                                               \
    "js_heap_class AS g\n"                                                                         \
    "    ON g.rowid BETWEEN d.first_class_rowid AND d.first_class_rowid + d.class_count - 1"

#define GROUP_COUNT "g.count"
#define GROUP_SIZE "g.self_size"

/* The class of a row g. */
#define CLASS_NAME                                                                                 \
    "CASE " NODE_TYPE(                                                                             \
        "g.type") "\n"                                                                             \
                  "    WHEN 'object' THEN " STRING_AT(                                             \
                      "g.name") "\n"                                                               \
                                "    WHEN 'native' THEN " STRING_AT(                               \
                                    "g.name") "\n"                                                 \
                                              "    WHEN 'code' THEN '(compiled code)'\n"           \
                                              "    WHEN 'hidden' THEN '(system)'\n"                \
                                              "    ELSE '(' || " NODE_TYPE("g.type") " || ')' END"

const char ts_view_js_class_histogram[] =
    "CREATE VIEW v_js_class_histogram AS\n"
    "SELECT file_id, class, sum(count) AS count, " SUM_SELF_SIZE " AS self_size FROM (\n"
    "  SELECT d.file_id AS file_id,\n"
    "  " CLASS_NAME " AS class,\n"
    "  " GROUP_COUNT " AS count, " GROUP_SIZE " AS self_size\n"
    "  FROM js_heap_file_detail AS d\n"
    "  CROSS JOIN " CLASS_GROUPS ")\n"
    "GROUP BY file_id, class";

/* Damaged files whose nodes are not certain have no classes. */
#define HAS_CLASSES(file) "(" file ".class_count > 0 OR " file ".node_count = 0)"

const char ts_view_js_snapshot_diff[] =
    "CREATE VIEW v_js_snapshot_diff AS\n"
    "SELECT file_id, previous_file_id, class,\n"
    "  sum(count) AS count, sum(previous_count) AS previous_count,\n"
    "  sum(count) - sum(previous_count) AS count_delta,\n"
    "  " SUM_SELF_SIZE " AS self_size, " SUM_PREVIOUS_SIZE " AS previous_self_size,\n"
    "  " SUM_SELF_SIZE " - " SUM_PREVIOUS_SIZE " AS self_size_delta\n"
    "FROM (\n"
    "  SELECT f.file_id AS file_id, f.previous_file_id AS previous_file_id,\n"
    "  " CLASS_NAME " AS class,\n"
    "  (d.file_id = f.file_id) * " GROUP_COUNT " AS count,\n"
    "  (d.file_id <> f.file_id) * " GROUP_COUNT " AS previous_count,\n"
    "  (d.file_id = f.file_id) * " GROUP_SIZE " AS self_size,\n"
    "  (d.file_id <> f.file_id) * " GROUP_SIZE " AS previous_self_size\n"
    "  FROM (SELECT a.file_id AS file_id, max(p.file_id) AS previous_file_id\n"
    "    FROM js_heap_file_detail AS a JOIN js_heap_file_detail AS p ON p.file_id < a.file_id\n"
    "    WHERE " HAS_CLASSES("a") " AND " HAS_CLASSES(
        "p") "\n"
             "    GROUP BY a.file_id) AS f\n"
             "  CROSS JOIN js_heap_file_detail AS d ON d.file_id IN (f.file_id, "
             "f.previous_file_id)\n"
             "  CROSS JOIN " CLASS_GROUPS ")\n"
             "GROUP BY file_id, class";

const char ts_view_js_string_duplicates[] =
    "CREATE VIEW v_js_string_duplicates AS\n"
    "SELECT g.file_id AS file_id,\n"
    "  " GROUP_STRING " AS string,\n"
    "  g.count AS count, g.self_size AS self_size, g.wasted_size AS wasted_size,\n"
    "  g.name AS file_index\n"
    "FROM (\n"
    "  SELECT d.rowid AS detail_rowid, d.file_id AS file_id, n.name AS name,\n"
    "    count(*) AS count, " SUM_NODE_SIZE " AS self_size,\n"
    "    " SUM_NODE_SIZE " - max(n.self_size) AS wasted_size\n"
    "  FROM js_heap_file_detail AS d\n"
    "  CROSS JOIN js_heap_info AS t\n"
    "    ON t.rowid BETWEEN d.first_info_rowid AND d.first_info_rowid + d.node_type_count - 1\n"
    "      AND +t.str_value = 'string'\n"
    "  CROSS JOIN " NODES_OF_FILE "\n"
    "  WHERE +n.type = t.rowid - d.first_info_rowid\n"
    "  GROUP BY d.file_id, n.name HAVING count(*) > 1) AS g\n"
    "CROSS JOIN js_heap_file_detail AS d ON d.rowid = g.detail_rowid";

/* Two kinds of rows are added up: those of the tree, and the live nodes of each tree node. */
const char ts_view_js_allocation_stack[] =
    "CREATE VIEW v_js_allocation_stack AS\n"
    "SELECT g.file_id AS file_id, g.id AS id, nullif(t.parent_id, -1) AS parent_id,\n"
    "  " FUNCTION_NAME " AS function,\n"
    "  " FUNCTION_SCRIPT " AS script,\n"
    "  f.line AS line, f.\"column\" AS \"column\",\n"
    "  g.count AS count, g.size AS size,\n"
    "  g.live_count AS live_count, g.live_size AS live_size, f.function_id AS function_id\n"
    "FROM (\n"
    "  SELECT file_id, id, max(detail_rowid) AS detail_rowid, max(trace_rowid) AS trace_rowid,\n"
    "    " SUM_COUNT " AS count, " SUM_SIZE " AS size,\n"
    "    sum(live_count) AS live_count, " SUM_LIVE_SIZE " AS live_size\n"
    "  FROM (\n"
    "    SELECT d.file_id AS file_id, t.id AS id, d.rowid AS detail_rowid,\n"
    "      t.rowid AS trace_rowid, t.count AS count, t.size AS size,\n"
    "      0 AS live_count, 0 AS live_size\n"
    "    FROM js_heap_file_detail AS d\n"
    "    CROSS JOIN js_heap_trace_node AS t\n"
    "      ON t.rowid >= d.first_trace_node_rowid AND t.file_id = d.file_id\n"
    "    UNION ALL\n"
    "    SELECT d.file_id, n.trace_node_id, NULL, NULL, 0, 0, count(*), " SUM_NODE_SIZE "\n"
    "    FROM js_heap_file_detail AS d\n"
    "    CROSS JOIN " NODES_OF_FILE "\n"
    "    WHERE n.trace_node_id <> 0\n"
    "    GROUP BY d.file_id, n.trace_node_id)\n"
    "  GROUP BY file_id, id HAVING max(trace_rowid) IS NOT NULL) AS g\n"
    "CROSS JOIN js_heap_file_detail AS d ON d.rowid = g.detail_rowid\n"
    "LEFT JOIN js_heap_trace_node AS t ON t.rowid = g.trace_rowid\n"
    "LEFT JOIN js_heap_trace_function_info AS f\n"
    "  ON f.rowid = d.first_trace_function_rowid + t.function_info_index\n"
    "    AND f.file_id = d.file_id AND t.function_info_index >= 0\n"
    "    AND f.function_index = t.function_info_index";

/* --- CPU ----------------------------------------------------------------------------------- */

const char ts_view_js_cpu_sample[] =
    "CREATE VIEW v_js_cpu_sample AS\n"
    "SELECT s.id AS id, s.start_time AS start_time, s.end_time AS end_time, s.dur AS dur,\n"
    "  s.function_id AS function_id,\n"
    "  CASE n.function_index WHEN 0 THEN '(anonymous)' ELSE\n"
    "    (SELECT v.data FROM data_dict AS v\n"
    "      WHERE v.rowid = n.function_index + 1 AND v.id = n.function_index) END AS function,\n"
    "  (SELECT v.data FROM data_dict AS v\n"
    "    WHERE v.rowid = n.url_index + 1 AND v.id = n.url_index) AS url,\n"
    "  n.script_id AS script_id, n.line_number AS line_number,\n"
    "  n.column_number AS column_number, n.parent_id AS parent_id\n"
    "FROM js_cpu_profiler_sample AS s\n"
    "LEFT JOIN js_cpu_profiler_node AS n ON n.function_id = s.function_id";
