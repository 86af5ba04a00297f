-- topic: heap_analysis
-- order: 220
-- Classes of analysed heap snapshots as Chrome DevTools lists them: what would be freed with all nodes of each.
-- Filter on file_id.
-- column: file_id = js_heap_constructor.file_id
-- column: name = js_heap_constructor.name
-- column: script_id = js_heap_constructor.script_id
-- column: line = js_heap_constructor.line
-- column: column = js_heap_constructor.column
-- column: count | INTEGER | | | number of its nodes with a shallow_size, 1 or more
-- column: distance | INTEGER | | one of them is not reached | least distance of these
-- column: shallow_size = js_heap_constructor.shallow_size
-- column: retained_size = js_heap_constructor.retained_size
-- column: constructor_id | INTEGER | id of js_heap_constructor | | number of the class
CREATE VIEW v_js_constructor AS
SELECT a.file_id AS file_id, c.name AS name, c.script_id AS script_id, c.line AS line, c."column" AS "column",
  c.count AS count, c.distance AS distance, c.shallow_size AS shallow_size,
  c.retained_size AS retained_size, c.id AS constructor_id
FROM js_heap_analysis AS a
CROSS JOIN js_heap_constructor AS c
  ON c.id BETWEEN a.first_constructor_id AND a.first_constructor_id + a.constructor_count - 1
WHERE c.count > 0
