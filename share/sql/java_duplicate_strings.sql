-- Question:   Which texts does a heap dump of Java hold several times?
-- Topic:      heap
-- Needs:      java_heap_string (strings of heap dumps of Java)
-- Parameters: file   id in java_heap_file (default 1)
--             limit  number of rows (default 20)
-- Columns:    string         the first 200 characters
--             length         in UTF-16 units
--             count          number of strings
--             shallow_size   bytes of the strings without their characters
--             retained_size  bytes that would be freed with each of them, in all; with --analyze=heap
--             node_index     the first of them
SELECT substr(s.text, 1, 200) AS string, s.length, count(*) AS count, sum(o.shallow_size) AS shallow_size,
  sum(r.retained_size) AS retained_size, min(s.node_index) AS node_index
FROM java_heap_file AS d
CROSS JOIN java_heap_string AS s ON s.rowid BETWEEN d.first_string_rowid AND d.first_string_rowid + d.string_count - 1
CROSS JOIN java_heap_object AS o ON o.rowid = d.first_object_rowid + s.node_index
LEFT JOIN java_heap_analysis AS a ON a.file_id = d.id
LEFT JOIN java_heap_retained AS r ON r.rowid = a.first_retained_rowid + s.node_index
WHERE d.id = ifnull(:file, 1)
GROUP BY s.text, s.length, s.hash
HAVING count(*) > 1
ORDER BY ifnull(sum(r.retained_size), count(*) * s.length) DESC, node_index
LIMIT ifnull(:limit, 20);
