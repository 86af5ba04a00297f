-- Question:   Which nodes of an analysed heap snapshot would free the most memory?
--             Each node counts what it dominates, so that those further down are part of those above them.
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file         id in js_heap_files (default 0)
--             type         a type of nodes, such as object, string or closure (default: all)
--             constructor  a class of that file (default: all)
--             limit        number of rows (default 20)
-- Columns:    node_id, type, name, constructor
--             distance       steps from the root; from 100000000 on held by the system only
--             shallow_size   bytes of the node alone
--             retained_size  bytes that would be freed with it
--             percent        share of the heap
WITH best AS (
  SELECT r.rowid - a.first_retained_rowid AS at, r.retained_size AS size
  FROM js_heap_analysis AS a
  CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  CROSS JOIN js_heap_retained AS r
    ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + d.node_count - 1
  WHERE a.file_id = ifnull(:file, 0)
    AND (:constructor IS NULL OR r.constructor_id IN (
      SELECT c.id FROM js_heap_constructor AS c WHERE c.file_id = a.file_id AND c.name = :constructor))
    AND (:type IS NULL OR (
      SELECT n.type FROM js_heap_nodes AS n WHERE n.rowid = d.first_node_rowid + r.rowid - a.first_retained_rowid)
      = (SELECT t.rowid - d.first_info_rowid FROM js_heap_info AS t
        WHERE t.rowid BETWEEN d.first_info_rowid AND d.first_info_rowid + d.node_type_count - 1
          AND t.str_value = :type))
  ORDER BY r.retained_size DESC, r.rowid
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
  c.name AS constructor,
  r.distance, r.shallow_size, r.retained_size,
  round(100.0 * r.retained_size / nullif(a.total_size, 0), 2) AS percent
FROM best AS b
CROSS JOIN js_heap_analysis AS a ON a.file_id = ifnull(:file, 0)
CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_retained AS r ON r.rowid = a.first_retained_rowid + b.at
CROSS JOIN js_heap_nodes AS n ON n.rowid = d.first_node_rowid + b.at
CROSS JOIN js_heap_constructor AS c ON c.id = r.constructor_id
ORDER BY b.size DESC, b.at;
