/* Two kinds of rows are added up: those of the tree, and the live nodes of each tree node. */
-- topic: heap
-- order: 90
-- The allocation tree of a timeline with function names; count and size are what was allocated
-- there, live_count and live_size what still exists in the snapshot. Filter on file_id.
-- column: file_id = js_heap_trace_node.file_id
-- column: id = js_heap_trace_node.id
-- column: parent_id | INTEGER | id of js_heap_trace_node | a root, or in a damaged tree | the caller
-- column: function | TEXT | | function or its name not known | name of the function
-- column: script | TEXT | | function or its script not known | name or URL of its script
-- column: line | INTEGER | | function or its line not in the file | line, -1 when the runtime does not know it
-- column: column | INTEGER | | function or its column not in the file | column, -1 when the runtime does not know it
-- column: count | INTEGER | | not a number in the file | objects allocated in this very stack; REAL beyond 64 bits
-- column: size | INTEGER | bytes | not a number in the file | bytes allocated in this very stack; REAL beyond 64 bits
-- column: live_count | INTEGER | | | nodes of the snapshot that were allocated in it
-- column: live_size | INTEGER | bytes | no size in the file | sum of their self_size; REAL beyond 64 bits
-- column: function_id | INTEGER | | function not known, or not in the file | id of the function in the runtime
CREATE VIEW v_js_allocation_stack AS
SELECT g.file_id AS file_id, g.id AS id, nullif(t.parent_id, -1) AS parent_id,
  ${STRING_AT|f.name} AS function,
  ${STRING_AT|f.script_name} AS script,
  f.line AS line, f."column" AS "column",
  g.count AS count, g.size AS size,
  g.live_count AS live_count, g.live_size AS live_size, f.function_id AS function_id
FROM (
  SELECT file_id, id, max(detail_rowid) AS detail_rowid, max(trace_rowid) AS trace_rowid,
    ${SUM_OF|count} AS count, ${SUM_OF|size} AS size,
    sum(live_count) AS live_count, ${SUM_OF|live_size} AS live_size
  FROM (
    SELECT d.file_id AS file_id, t.id AS id, d.rowid AS detail_rowid,
      t.rowid AS trace_rowid, t.count AS count, t.size AS size,
      0 AS live_count, 0 AS live_size
    FROM js_heap_file_detail AS d
    CROSS JOIN js_heap_trace_node AS t
      ON t.rowid >= d.first_trace_node_rowid AND t.file_id = d.file_id
    UNION ALL
    SELECT d.file_id, n.trace_node_id, NULL, NULL, 0, 0, count(*), ${SUM_OF|n.self_size}
    FROM js_heap_file_detail AS d
    CROSS JOIN ${NODES_OF_FILE}
    WHERE n.trace_node_id <> 0
    GROUP BY d.file_id, n.trace_node_id)
  GROUP BY file_id, id HAVING max(trace_rowid) IS NOT NULL) AS g
CROSS JOIN js_heap_file_detail AS d ON d.rowid = g.detail_rowid
LEFT JOIN js_heap_trace_node AS t ON t.rowid = g.trace_rowid
LEFT JOIN js_heap_trace_function_info AS f
  ON f.rowid = d.first_trace_function_rowid + t.function_info_index
    AND f.file_id = d.file_id AND t.function_info_index >= 0
    AND f.function_index = t.function_info_index
