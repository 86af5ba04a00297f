-- topic: java_heap_analysis
-- order: 254
-- Classes of analysed heap dumps of Java: their instances that are reached, and what would be freed with all of them.
-- Filter on file_id.
-- column: file_id = java_heap_class_retained.file_id
-- column: class_id = java_heap_class_retained.class_id
-- column: name = java_heap_class.name
-- column: loader = java_heap_class.loader
-- column: count = java_heap_class_retained.count
-- column: shallow_size = java_heap_class_retained.shallow_size
-- column: retained_size = java_heap_class_retained.retained_size
-- column: unreached_count | INTEGER | | | number of its instances that are not reached
-- column: unreached_size | INTEGER | bytes | | sum of their shallow_size
CREATE VIEW v_java_class_retained AS
SELECT r.file_id AS file_id, r.class_id AS class_id, c.name AS name, c.loader AS loader, r.count AS count,
  r.shallow_size AS shallow_size, r.retained_size AS retained_size, c.count - r.count AS unreached_count,
  c.shallow_size - r.shallow_size AS unreached_size
FROM java_heap_class_retained AS r
CROSS JOIN java_heap_class AS c ON c.id = r.class_id
