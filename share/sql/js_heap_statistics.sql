-- Question:   What is the memory of a heap snapshot made of? (DevTools: Statistics)
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file  id in js_heap_files (default 0)
-- Columns:    kind   total, or what is part of it: V8 heap and native make the total, the others are parts of these
--             size   bytes
WITH a AS (SELECT * FROM js_heap_analysis WHERE file_id = ifnull(:file, 0))
SELECT 'total' AS kind, total_size AS size FROM a
UNION ALL SELECT 'V8 heap', total_size - native_size FROM a
UNION ALL SELECT 'code', code_size FROM a
UNION ALL SELECT 'strings', string_size FROM a
UNION ALL SELECT 'JS arrays', js_array_size FROM a
UNION ALL SELECT 'system', system_size FROM a
UNION ALL SELECT 'native', native_size FROM a
UNION ALL SELECT 'typed arrays', typed_array_size FROM a
UNION ALL SELECT 'beside the nodes', extra_native_size FROM a;
