-- Question:   What is new since the heap snapshot before, and by which path is it held?
--             New nodes that no other new node dominates, put together by class and by the names of the last steps
--             of their shortest paths; numbers of elements are []. Arrays and other inner parts of objects are left
--             out: they are new when an object has grown.
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Report:     32 New since the last heap but one, by what holds it
-- Parameters: file   id in js_heap_files (default: the last one that has one before it)
--             limit  number of rows (default 20)
-- Columns:    constructor    class of the new nodes
--             path           names of the edges that lead to them, at most 12
--             count          number of new nodes
--             retained_size  bytes that would be freed with them
--             node_id        one of them, for js_path_to_root, with
--             file_id        the file that it is in
WITH RECURSIVE f AS (
  SELECT a.file_id AS file_id, a.first_retained_rowid AS first, d.node_count AS node_count,
    d.first_node_rowid AS first_node, d.first_edge_rowid AS first_edge, d.first_edge_type_rowid AS first_type,
    d.edge_type_count AS type_count, d.first_string_rowid AS first_string, d.string_count AS string_count
  FROM js_heap_analysis AS a CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  WHERE a.file_id = ifnull(:file, (SELECT max(x.file_id) FROM js_heap_analysis AS x WHERE x.base_file_id IS NOT NULL))
    AND a.base_file_id IS NOT NULL
),
-- Types of nodes in which objects keep what they refer to: such a node may be new because its object has grown.
inner_type(type) AS MATERIALIZED (
  SELECT t.rowid - d.first_info_rowid
  FROM f CROSS JOIN js_heap_file_detail AS d ON d.file_id = f.file_id
  CROSS JOIN js_heap_info AS t ON t.rowid BETWEEN d.first_info_rowid AND d.first_info_rowid + d.node_type_count - 1
  WHERE t.str_value IN ('array', 'hidden', 'code', 'object shape')
),
-- New nodes below no other new node, by class and holder.
suspect AS MATERIALIZED (
  SELECT r.constructor_id AS class, r.retainer AS retainer, min(r.retaining_edge) AS edge, count(*) AS count,
    sum(r.retained_size >> 32) * 4294967296 + sum(r.retained_size & 4294967295) AS size, min(r.rowid) AS one
  FROM f CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN f.first AND f.first + f.node_count - 1
  CROSS JOIN js_heap_nodes AS n ON n.rowid = f.first_node + r.rowid - f.first
  CROSS JOIN js_heap_retained AS o ON o.rowid = f.first + r.dominator
  LEFT JOIN js_heap_nodes AS m ON m.rowid = f.first_node + r.dominator
  LEFT JOIN js_heap_retained AS p ON p.rowid = f.first + o.dominator
  LEFT JOIN js_heap_nodes AS q ON q.rowid = f.first_node + o.dominator
  WHERE r.previous IS NULL AND r.retainer IS NOT NULL AND n.type NOT IN (SELECT type FROM inner_type)
    AND (o.previous IS NOT NULL OR (m.type IN (SELECT type FROM inner_type)
      AND (p.previous IS NOT NULL OR q.type IN (SELECT type FROM inner_type))))
  GROUP BY r.constructor_id, r.retainer
),
step(one, depth, retainer, edge) AS (
  SELECT one, 0, retainer, edge FROM suspect
  UNION ALL
  SELECT s.one, s.depth + 1, r.retainer, r.retaining_edge
  FROM step AS s CROSS JOIN f CROSS JOIN js_heap_retained AS r ON r.rowid = f.first + s.retainer
  WHERE s.depth < 11 AND r.retainer IS NOT NULL
),
named AS (
  SELECT s.one AS one, s.depth AS depth, CASE
      WHEN (SELECT t.str_value FROM js_heap_info AS t
        WHERE t.rowid = f.first_type + e.type AND e.type BETWEEN 0 AND f.type_count - 1) IN ('element', 'hidden')
        THEN '[]'
      ELSE (SELECT CASE WHEN x.string GLOB '[0-9]*' THEN '[]' ELSE x.string END FROM js_heap_string AS x
        WHERE x.rowid = f.first_string + e.name_or_index AND e.name_or_index BETWEEN 0 AND f.string_count - 1)
      END AS name
  FROM step AS s CROSS JOIN f CROSS JOIN js_heap_edges AS e ON e.rowid = f.first_edge + s.edge
),
path AS (
  SELECT one, group_concat(name, '.') AS path
  FROM (SELECT one, ifnull(name, '?') AS name FROM named ORDER BY one, depth DESC)
  GROUP BY one
)
SELECT g.constructor, g.path, g.count, g.retained_size, r.node_id, f.file_id
FROM (
  SELECT c.name AS constructor, replace(p.path, '.[]', '[]') AS path, sum(s.count) AS count,
    sum(s.size) AS retained_size, min(s.one) AS one
  FROM suspect AS s
  CROSS JOIN path AS p ON p.one = s.one
  CROSS JOIN js_heap_constructor AS c ON c.id = s.class
  GROUP BY c.name, p.path) AS g
CROSS JOIN js_heap_retained AS r ON r.rowid = g.one
CROSS JOIN f
ORDER BY g.retained_size DESC, g.constructor, g.path
LIMIT ifnull(:limit, 20);
