-- Question:   Which classes of Java have more or fewer objects?
--             Classes are matched by their names, since addresses of objects change: those of one name and several class
--             loaders are added up.
-- Order:      12
-- Needs:      java_heap_file (heap dumps of Java)
-- Parameters: source  the source of a heap dump (default: all)
-- Key:        class
-- Values:     shallow_size   bytes, sum: of its objects alone
--             count          plain, sum: number of its objects
--             retained_size  bytes, level: what would be freed with all of them; with the analysis
WITH chosen(id) AS (
  SELECT id FROM source WHERE :source IS NULL OR id IN (SELECT value FROM json_each(:source))
)
SELECT c.name AS class, sum(c.shallow_size) AS shallow_size, sum(c.count) AS count, sum(r.retained_size) AS retained_size
FROM java_heap_file AS d
CROSS JOIN java_heap_class AS c ON c.id BETWEEN d.first_class_id AND d.first_class_id + d.class_count - 1
LEFT JOIN java_heap_analysis AS a ON a.file_id = d.id
LEFT JOIN java_heap_class_retained AS r ON r.rowid = a.first_class_rowid + c.id - d.first_class_id
WHERE d.source_id IN chosen AND c.count > 0
GROUP BY c.name ORDER BY c.name;
