-- Question:   Which nodes hold more than in the heap snapshot before?
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file   id in js_heap_files (default: the last one that has one before it)
--             limit  number of rows (default 20)
-- Columns:    node_id, type, name, constructor, distance
--             retained_size  bytes that would be freed with it
--             previous_size  the same in the snapshot before
--             growth         difference of both
WITH best AS (
  SELECT a.file_id AS file_id, r.rowid - a.first_retained_rowid AS at, p.retained_size AS previous_size,
    r.retained_size - p.retained_size AS growth
  FROM js_heap_analysis AS a
  CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  CROSS JOIN js_heap_analysis AS b ON b.file_id = a.base_file_id
  CROSS JOIN js_heap_retained AS r
    ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + d.node_count - 1
  CROSS JOIN js_heap_retained AS p ON p.rowid = b.first_retained_rowid + r.previous
  WHERE a.file_id = coalesce(:file,
      (SELECT max(x.file_id) FROM js_heap_analysis AS x WHERE x.base_file_id IS NOT NULL), 0) AND r.retained_size > p.retained_size
  ORDER BY growth DESC, at
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
  c.name AS constructor, r.distance, r.retained_size, b.previous_size, b.growth
FROM best AS b
CROSS JOIN js_heap_analysis AS a ON a.file_id = b.file_id
CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_retained AS r ON r.rowid = a.first_retained_rowid + b.at
CROSS JOIN js_heap_nodes AS n ON n.rowid = d.first_node_rowid + b.at
CROSS JOIN js_heap_constructor AS c ON c.id = r.constructor_id
ORDER BY b.growth DESC, b.at;
