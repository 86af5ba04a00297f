-- Question:   Which strings does a heap hold more than once, and what do the copies cost?
-- Topic:      heap
-- Needs:      js_heap_files (heaps)
-- Parameters: file   id in js_heap_files (default 0)
--             limit  number of rows (default 50)
-- Columns:    count        number of nodes with this string
--             self_size    their size in bytes
--             wasted_size  the size of all of them but the largest
--             string       its first 200 characters
SELECT count, self_size, wasted_size, substr(string, 1, 200) AS string
FROM v_js_string_duplicates
WHERE file_id = ifnull(:file, 0)
ORDER BY wasted_size DESC, count DESC, file_index
LIMIT ifnull(:limit, 50);
