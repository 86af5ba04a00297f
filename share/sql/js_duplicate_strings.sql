-- Question:   Which texts does an analysed heap snapshot hold several times, and what do they retain?
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file   id in js_heap_files (default 0)
--             limit  number of rows (default 20)
-- Columns:    string   the first 200 characters
--             count    number of strings
--             shallow_size, retained_size  bytes of all of them
--             node_id  the first of them
SELECT substr(string, 1, 200) AS string, count, shallow_size, retained_size, node_id
FROM v_js_duplicate_string
WHERE file_id = ifnull(:file, 0)
ORDER BY retained_size DESC, node_index
LIMIT ifnull(:limit, 20);
