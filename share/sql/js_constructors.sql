-- Question:   Which classes hold the memory of a heap snapshot? (DevTools: Summary)
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file   id in js_heap_files (default 0)
--             limit  number of rows (default 20)
-- Columns:    name, script_id, line, column  the class, and the place of its constructor
--             count          number of its nodes
--             distance       least distance from the root; NULL when one of the nodes is not reached
--             shallow_size   bytes of its nodes alone
--             retained_size  bytes that would be freed with all of its nodes together
SELECT name, script_id, line, "column", count, distance, shallow_size, retained_size
FROM v_js_constructor
WHERE file_id = ifnull(:file, 0)
ORDER BY retained_size DESC, constructor_id
LIMIT ifnull(:limit, 20);
