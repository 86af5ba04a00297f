/* With --viewer=edge-names: the rows are in js_heap_edge_rows. */
-- replaces: js_heap_edges
CREATE VIEW js_heap_edges AS
SELECT d.file_id AS file_id, e.edge_index AS edge_index, e.type AS type,
  CASE WHEN ${EDGE_TYPE} IN (${TS_HEAP_EDGE_ELEMENT}, ${TS_HEAP_EDGE_HIDDEN})
    THEN e.name_or_index
    ELSE ifnull(${STRING_AT|e.name_or_index}, e.name_or_index) END AS name_or_index,
  e.to_node AS to_node, e.from_node_id AS from_node_id, e.to_node_id AS to_node_id
FROM js_heap_file_detail AS d
CROSS JOIN js_heap_edge_rows AS e
  ON e.rowid BETWEEN d.first_edge_rowid AND d.first_edge_rowid + d.edge_count - 1
