-- Question:   Who points at a node and so keeps it alive?
-- Topic:      heap
-- Needs:      js_heap_files (heaps)
-- Parameters: file   id in js_heap_files (default 0)
--             node   id of the node in that file
-- Columns:    retainer_id, retainer_type, retainer_name  the node that holds the reference
--             edge_type, edge_name                       the reference; weak ones keep nothing alive
--             edge_index                                 its place in js_heap_edges
SELECT retainer_id, retainer_type, retainer_name, edge_type, edge_name, edge_index
FROM v_js_retainer
WHERE file_id = ifnull(:file, 0)
  AND node_id = :node
ORDER BY edge_index;
