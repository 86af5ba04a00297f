-- topic: heap
-- order: 40
-- Who points at a node: the edges into it with the node that owns each. Filter on file_id and
-- node_id. Edges of type weak do not keep the node alive.
-- column: file_id = js_heap_edges.file_id
-- column: node_id = js_heap_edges.to_node_id
-- column: node_name | TEXT | | node or its name not known | name of the node
-- column: edge_type | TEXT | | not in the file, or no type of it | name of the edge type, such as property, element or weak
-- column: edge_name | TEXT | | not in the file, or no string of it | name of the reference, or the index of an element
-- column: retainer_id = js_heap_edges.from_node_id
-- column: retainer_type | TEXT | | owner or its type not known | type of the object that holds the reference
-- column: retainer_name | TEXT | | owner or its name not known | its name
-- column: retainer_self_size | INTEGER | bytes | owner or its size not known | its size alone
-- column: edge_index = js_heap_edges.edge_index
CREATE VIEW v_js_retainer AS
SELECT d.file_id AS file_id, e.to_node_id AS node_id,
  ${TARGET|${N_NAME}} AS node_name,
  ${EDGE_TYPE} AS edge_type,
  ${EDGE_NAME} AS edge_name,
  e.from_node_id AS retainer_id,
  ${OWNER|${N_TYPE}} AS retainer_type,
  ${OWNER|${N_NAME}} AS retainer_name,
  ${OWNER|n.self_size} AS retainer_self_size,
  e.edge_index AS edge_index
FROM js_heap_file_detail AS d
CROSS JOIN ${EDGES_OF_FILE}
