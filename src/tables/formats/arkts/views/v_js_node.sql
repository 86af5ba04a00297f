-- topic: heap
-- order: 20
-- Nodes of heap snapshots with type and name as text. Filter on file_id.
-- column: file_id = js_heap_nodes.file_id
-- column: node_index = js_heap_nodes.node_index
-- column: node_id = js_heap_nodes.id
-- column: type | TEXT | | not in the file, or no type of it | name of the node type, such as object, string or closure
-- column: name | TEXT | | not in the file, or no string of it | class name, string or function name, by type
-- column: self_size = js_heap_nodes.self_size
-- column: edge_count = js_heap_nodes.edge_count
-- column: trace_node_id = js_heap_nodes.trace_node_id
-- column: detachedness = js_heap_nodes.detachedness
-- column: type_id = js_heap_nodes.type
-- column: native_size = js_heap_nodes.native_size
CREATE VIEW v_js_node AS
${SELECT_NODES}
