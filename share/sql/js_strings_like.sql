-- Question:   Which strings of a heap match a pattern, and which nodes hold them?
-- Topic:      heap
-- Needs:      js_heap_files (heaps)
-- Parameters: file     id in js_heap_files (default 0)
--             pattern  as for LIKE: % any text, _ any character (default %: all)
--             limit    number of rows (default 50)
-- Columns:    node_id, type, self_size  the node whose name the string is
--             string                    its first 200 characters
SELECT node_id, type, self_size, substr(name, 1, 200) AS string
FROM v_js_node
WHERE file_id = ifnull(:file, 0)
  AND name LIKE ifnull(:pattern, '%')
LIMIT ifnull(:limit, 50);
