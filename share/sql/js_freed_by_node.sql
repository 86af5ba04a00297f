-- Question:   What would be freed with a node, by class?
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file   id in js_heap_files (default 0)
--             node   id of the node in that file
--             limit  number of rows (default 20)
-- Columns:    constructor  class of what would be freed
--             count        number of nodes, those of size 0 included
--             size         bytes
WITH f AS (
  SELECT a.first_retained_rowid AS first, a.first_dominated_rowid AS first_place, d.node_count AS node_count
  FROM js_heap_analysis AS a CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  WHERE a.file_id = ifnull(:file, 0)
),
top AS (
  SELECT r.tree_position AS place, r.tree_count AS count
  FROM f CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN f.first AND f.first + f.node_count - 1
  WHERE r.node_id = :node LIMIT 1
),
freed AS (
  SELECT r.constructor_id AS class, count(*) AS count,
    sum(r.shallow_size >> 32) * 4294967296 + sum(r.shallow_size & 4294967295) AS size
  FROM top CROSS JOIN f
  CROSS JOIN js_heap_dominated AS o
    ON o.rowid BETWEEN f.first_place + top.place AND f.first_place + top.place + top.count - 1
  CROSS JOIN js_heap_retained AS r ON r.rowid = f.first + o.node_index
  GROUP BY r.constructor_id
)
SELECT c.name AS constructor, sum(g.count) AS count, sum(g.size) AS size
FROM freed AS g JOIN js_heap_constructor AS c ON c.id = g.class
GROUP BY c.name
ORDER BY size DESC, constructor
LIMIT ifnull(:limit, 20);
