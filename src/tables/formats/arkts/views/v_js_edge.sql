-- topic: heap
-- order: 30
-- Edges of heap snapshots with type, name and both ends resolved; the name of an element or
-- hidden edge is its index. Filter on file_id.
-- column: file_id = js_heap_edges.file_id
-- column: edge_index = js_heap_edges.edge_index
-- column: type | TEXT | | not in the file, or no type of it | name of the edge type, such as property, element or weak
-- column: name | TEXT | | not in the file, or no string of it | name of the reference, or the index of an element
-- column: from_node_id = js_heap_edges.from_node_id
-- column: from_type | TEXT | | owner or its type not known | type of the object that holds the reference
-- column: from_name | TEXT | | owner or its name not known | its name
-- column: to_node_id = js_heap_edges.to_node_id
-- column: to_type | TEXT | | target or its type not known | type of the object that is referred to
-- column: to_name | TEXT | | target or its name not known | its name
-- column: to_self_size | INTEGER | bytes | target or its size not known | its size alone
-- column: to_node_index | INTEGER | | not a number in the file | node_index of the object that is referred to
-- column: type_id = js_heap_edges.type
-- column: name_or_index = js_heap_edges.name_or_index
CREATE VIEW v_js_edge AS
SELECT d.file_id AS file_id, e.edge_index AS edge_index,
  ${EDGE_TYPE} AS type,
  ${EDGE_NAME} AS name,
  e.from_node_id AS from_node_id,
  ${OWNER|${N_TYPE}} AS from_type,
  ${OWNER|${N_NAME}} AS from_name,
  e.to_node_id AS to_node_id,
  ${TARGET|${N_TYPE}} AS to_type,
  ${TARGET|${N_NAME}} AS to_name,
  ${TARGET|n.self_size} AS to_self_size,
  e.to_node / d.node_stride AS to_node_index, e.type AS type_id,
  e.name_or_index AS name_or_index
FROM js_heap_file_detail AS d
CROSS JOIN ${EDGES_OF_FILE}
