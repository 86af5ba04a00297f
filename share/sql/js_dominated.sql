-- Question:   What does a node keep alive: which nodes lie right below it in the tree of dominators?
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file   id in js_heap_files (default 0)
--             node   id of the node in that file (default: the root)
--             limit  number of rows (default 20)
-- Columns:    node_id, type, name, constructor
--             nodes  nodes that it dominates, itself included
--             shallow_size, retained_size  bytes
WITH RECURSIVE f AS (
  SELECT a.file_id AS file_id, a.first_retained_rowid AS first, a.first_dominated_rowid AS first_place,
    a.root AS root, d.node_count AS node_count
  FROM js_heap_analysis AS a CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  WHERE a.file_id = ifnull(:file, 0)
),
top AS (
  SELECT r.tree_position AS place, r.tree_position + r.tree_count AS until
  FROM f CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN f.first AND f.first + f.node_count - 1
  WHERE CASE WHEN :node IS NULL THEN r.rowid = f.first + f.root ELSE r.node_id = :node END
  LIMIT 1
),
child(at, place, until, size) AS (
  SELECT o.node_index, r.tree_position, r.tree_position + r.tree_count, r.retained_size
  FROM top CROSS JOIN f CROSS JOIN js_heap_dominated AS o ON o.rowid = f.first_place + top.place + 1
  CROSS JOIN js_heap_retained AS r ON r.rowid = f.first + o.node_index
  WHERE top.place + 1 < top.until
  UNION ALL
  SELECT o.node_index, r.tree_position, r.tree_position + r.tree_count, r.retained_size
  FROM child AS c CROSS JOIN f CROSS JOIN js_heap_dominated AS o ON o.rowid = f.first_place + c.until
  CROSS JOIN js_heap_retained AS r ON r.rowid = f.first + o.node_index
  WHERE c.until < (SELECT until FROM top)
),
best AS (SELECT at, size FROM child ORDER BY size DESC, at LIMIT ifnull(:limit, 20))
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
  c.name AS constructor, r.tree_count AS nodes, r.shallow_size, r.retained_size
FROM best AS b CROSS JOIN f
CROSS JOIN js_heap_analysis AS a ON a.file_id = f.file_id
CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_retained AS r ON r.rowid = a.first_retained_rowid + b.at
CROSS JOIN js_heap_nodes AS n ON n.rowid = d.first_node_rowid + b.at
CROSS JOIN js_heap_constructor AS c ON c.id = r.constructor_id
ORDER BY b.size DESC, b.at;
