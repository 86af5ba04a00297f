-- Question:   Which nodes of the heap snapshot before are gone?
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file         id in js_heap_files (default: the last one that has one before it)
--             constructor  a class of the file before: only nodes that were of it (default: all)
--             limit        number of rows (default 20)
-- Columns:    node_id, type, name, constructor, distance  as they were
--             shallow_size, retained_size  bytes
WITH f AS (
  SELECT a.file_id AS file_id, a.first_retained_rowid AS first, d.node_count AS node_count,
    b.file_id AS base, b.first_retained_rowid AS base_first, e.node_count AS base_count
  FROM js_heap_analysis AS a
  CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  CROSS JOIN js_heap_analysis AS b ON b.file_id = a.base_file_id
  CROSS JOIN js_heap_file_detail AS e ON e.file_id = b.file_id
  WHERE a.file_id = coalesce(:file,
      (SELECT max(x.file_id) FROM js_heap_analysis AS x WHERE x.base_file_id IS NOT NULL), 0)
),
kept AS MATERIALIZED (
  SELECT r.previous AS at
  FROM f CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN f.first AND f.first + f.node_count - 1
  WHERE r.previous IS NOT NULL
),
best AS (
  SELECT f.base AS file_id, r.rowid - f.base_first AS at, r.retained_size AS size
  FROM f CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN f.base_first AND f.base_first + f.base_count - 1
  WHERE r.rowid - f.base_first NOT IN (SELECT at FROM kept)
    AND (:constructor IS NULL OR r.constructor_id IN (
      SELECT c.id FROM js_heap_constructor AS c WHERE c.file_id = f.base AND c.name = :constructor))
  ORDER BY size DESC, at
  LIMIT ifnull(:limit, 20)
)
SELECT r.node_id AS node_id,
  (SELECT t.str_value FROM js_heap_info AS t
    WHERE t.rowid = d.first_info_rowid + n.type AND n.type BETWEEN 0 AND d.node_type_count - 1) AS type,
  CASE WHEN r.detachedness = 2 AND n.detachedness IS NOT NULL AND n.type = (
      SELECT t.rowid - d.first_info_rowid FROM js_heap_info AS t
      WHERE t.rowid BETWEEN d.first_info_rowid AND d.first_info_rowid + d.node_type_count - 1
        AND t.str_value = 'native' LIMIT 1)
    THEN 'Detached ' ELSE '' END
    || (SELECT s.string FROM js_heap_string AS s
      WHERE s.rowid = d.first_string_rowid + n.name AND n.name BETWEEN 0 AND d.string_count - 1 AND s.file_index = n.name) AS name,
  c.name AS constructor, r.distance, r.shallow_size, r.retained_size
FROM best AS b
CROSS JOIN js_heap_analysis AS a ON a.file_id = b.file_id
CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_retained AS r ON r.rowid = a.first_retained_rowid + b.at
CROSS JOIN js_heap_nodes AS n ON n.rowid = d.first_node_rowid + b.at
CROSS JOIN js_heap_constructor AS c ON c.id = r.constructor_id
ORDER BY b.size DESC, b.at;
