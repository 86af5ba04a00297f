-- Question:   Which nodes must all paths from the root to a node lead through?
--             Freeing any one of them frees the node.
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file  id in js_heap_files (default 0)
--             node  id of the node in that file
-- Columns:    step   0: the node itself, then its immediate dominator, up to the root
--             node_id, type, name, constructor, distance
--             shallow_size, retained_size  bytes
WITH RECURSIVE f AS (
  SELECT a.file_id AS file_id, a.first_retained_rowid AS first, d.node_count AS node_count
  FROM js_heap_analysis AS a CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  WHERE a.file_id = ifnull(:file, 0)
),
chain(step, at, dominator) AS (
  SELECT * FROM (SELECT 0, r.rowid - f.first, r.dominator
    FROM f CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN f.first AND f.first + f.node_count - 1
    WHERE r.node_id = :node LIMIT 1)
  UNION ALL
  SELECT c.step + 1, c.dominator, r.dominator
  FROM chain AS c CROSS JOIN f CROSS JOIN js_heap_retained AS r ON r.rowid = f.first + c.dominator
  WHERE c.dominator IS NOT NULL AND c.step < f.node_count
)
SELECT h.step, r.node_id AS node_id,
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
FROM chain AS h CROSS JOIN f
CROSS JOIN js_heap_analysis AS a ON a.file_id = f.file_id
CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_retained AS r ON r.rowid = a.first_retained_rowid + h.at
CROSS JOIN js_heap_nodes AS n ON n.rowid = d.first_node_rowid + h.at
CROSS JOIN js_heap_constructor AS c ON c.id = r.constructor_id
ORDER BY h.step;
