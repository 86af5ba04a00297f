-- topic: heap_analysis
-- order: 230
-- Classes of which nodes came or went since the heap snapshot before, by ids, as Chrome DevTools compares two
-- snapshots. Filter on file_id. A node that only grew counts nowhere; js_grown_nodes.sql shows these.
-- column: file_id = js_heap_comparison.file_id
-- column: base_file_id = js_heap_comparison.base_file_id
-- column: name = js_heap_comparison.name
-- column: script_id = js_heap_comparison.script_id
-- column: line = js_heap_comparison.line
-- column: column = js_heap_comparison.column
-- column: new_count = js_heap_comparison.new_count
-- column: deleted_count = js_heap_comparison.deleted_count
-- column: count_delta | INTEGER | | | new_count - deleted_count
-- column: new_size = js_heap_comparison.new_size
-- column: deleted_size = js_heap_comparison.deleted_size
-- column: size_delta | INTEGER | bytes | | new_size - deleted_size
CREATE VIEW v_js_comparison AS
SELECT a.file_id AS file_id, c.base_file_id AS base_file_id, c.name AS name, c.script_id AS script_id,
  c.line AS line, c."column" AS "column", c.new_count AS new_count, c.deleted_count AS deleted_count,
  c.new_count - c.deleted_count AS count_delta, c.new_size AS new_size, c.deleted_size AS deleted_size,
  c.new_size - c.deleted_size AS size_delta
FROM js_heap_analysis AS a
CROSS JOIN js_heap_comparison AS c
  ON c.rowid BETWEEN a.first_comparison_rowid AND a.first_comparison_rowid + a.comparison_count - 1
