-- Question:   Which single nodes of a heap snapshot are the largest?
-- Topic:      heap
-- Needs:      js_heap_files (heaps)
-- Parameters: file   id in js_heap_files (default 0)
--             limit  number of rows (default 20)
-- Columns:    node_id, type, name
--             self_size   bytes, without what it refers to
--             edge_count  number of references that it holds
SELECT node_id, type, name, self_size, edge_count
FROM v_js_node
WHERE file_id = ifnull(:file, 0)
ORDER BY self_size DESC, node_index
LIMIT ifnull(:limit, 20);
