-- Question:   What does a node refer to?
-- Topic:      heap
-- Needs:      js_heap_files (heaps)
-- Parameters: file   id in js_heap_files (default 0)
--             node   id of the node in that file (default 1, mostly the root)
--             limit  number of rows (default 1000)
-- Columns:    edge_index, type, name          the reference; elements are named by their index
--             to_node_id, to_type, to_name    the node that it points at
--             to_self_size                    its size in bytes
SELECT edge_index, type, name, to_node_id, to_type, to_name, to_self_size
FROM v_js_edge
WHERE file_id = ifnull(:file, 0)
  AND from_node_id = ifnull(:node, 1)
ORDER BY edge_index
LIMIT ifnull(:limit, 1000);
