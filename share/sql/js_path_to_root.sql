-- Question:   Why is a node alive: by which references, from the node up to the root?
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file  id in js_heap_files (default 0)
--             node  id of the node in that file
-- Columns:    step       0: the node itself
--             node_id, type, name, constructor
--             edge_type, edge_name  the reference by which the node of the next row holds this one
--             distance   steps from the root; from 100000000 on held by the system only
--             retained_size  bytes that would be freed with it
WITH RECURSIVE f AS (
  SELECT a.file_id AS file_id, a.first_retained_rowid AS first, d.node_count AS node_count,
    d.first_edge_rowid AS first_edge, d.first_edge_type_rowid AS first_type, d.edge_type_count AS type_count,
    d.first_string_rowid AS first_string, d.string_count AS string_count
  FROM js_heap_analysis AS a CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  WHERE a.file_id = ifnull(:file, 0)
),
path(step, at, retainer, edge) AS (
  SELECT * FROM (SELECT 0, r.rowid - f.first, r.retainer, r.retaining_edge
    FROM f CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN f.first AND f.first + f.node_count - 1
    WHERE r.node_id = :node LIMIT 1)
  UNION ALL
  SELECT p.step + 1, p.retainer, r.retainer, r.retaining_edge
  FROM path AS p CROSS JOIN f CROSS JOIN js_heap_retained AS r ON r.rowid = f.first + p.retainer
  WHERE p.retainer IS NOT NULL AND p.step < f.node_count
),
named AS (
  SELECT p.step AS step, p.at AS at, e.name_or_index AS name,
    (SELECT t.str_value FROM js_heap_info AS t
      WHERE t.rowid = f.first_type + e.type AND e.type BETWEEN 0 AND f.type_count - 1) AS type,
    f.first_string AS first_string, f.string_count AS string_count, f.file_id AS file_id
  FROM path AS p CROSS JOIN f LEFT JOIN js_heap_edges AS e ON e.rowid = f.first_edge + p.edge
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
  c.name AS constructor,
  h.type AS edge_type,
  CASE WHEN h.type IN ('element', 'hidden') OR typeof(h.name) = 'text' THEN CAST(h.name AS TEXT)
    ELSE (SELECT s.string FROM js_heap_string AS s
      WHERE s.rowid = h.first_string + h.name AND h.name BETWEEN 0 AND h.string_count - 1) END AS edge_name,
  r.distance, r.retained_size
FROM named AS h
CROSS JOIN js_heap_analysis AS a ON a.file_id = h.file_id
CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_retained AS r ON r.rowid = a.first_retained_rowid + h.at
CROSS JOIN js_heap_nodes AS n ON n.rowid = d.first_node_rowid + h.at
CROSS JOIN js_heap_constructor AS c ON c.id = r.constructor_id
ORDER BY h.step;
