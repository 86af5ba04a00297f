-- topic: heap_analysis
-- order: 250
-- The last step of the shortest path from the root to each node of an analysed heap snapshot: the node before, and
-- the edge from it. Following retainer_id leads to the root (js_path_to_root.sql). Filter on file_id.
-- column: file_id = js_heap_nodes.file_id
-- column: node_index | INTEGER | | | position of the node in its file, from 0
-- column: node_id = js_heap_nodes.id
-- column: retainer_id | INTEGER | id of js_heap_nodes | the root, not reached, or not a number in the file | the node before
-- column: retainer | INTEGER | node_index | the root, or not reached | its position
-- column: edge_type | TEXT | | the root, not reached, or not in the file | type of the edge from it, such as property or element
-- column: edge_name | TEXT | | the root, not reached, or not in the file | name of the edge, or the index of an element
CREATE VIEW v_js_path_step AS
SELECT a.file_id AS file_id, r.rowid - a.first_retained_rowid AS node_index, r.node_id AS node_id,
  ${ID_AT|r.retainer} AS retainer_id,
  r.retainer AS retainer,
  ${EDGE_TYPE} AS edge_type,
  ${EDGE_NAME} AS edge_name
FROM js_heap_analysis AS a
CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_retained AS r
  ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + d.node_count - 1
LEFT JOIN js_heap_edges AS e ON e.rowid = d.first_edge_rowid + r.retaining_edge
