-- Question:   What would be freed with all nodes of a class together, by class?
--             Nodes below others of the class are counted once.
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file         id in js_heap_files (default 0)
--             constructor  a class of that file
--             limit        number of rows (default 20)
-- Columns:    constructor  class of what would be freed
--             count        number of nodes, those of size 0 included
--             size         bytes
WITH f AS (
  SELECT a.file_id AS file_id, a.first_retained_rowid AS first, a.first_dominated_rowid AS first_place,
    d.node_count AS node_count
  FROM js_heap_analysis AS a CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  WHERE a.file_id = ifnull(:file, 0)
),
member AS (
  SELECT r.tree_position AS place, r.tree_count AS count,
    max(r.tree_position + r.tree_count) OVER (
      ORDER BY r.tree_position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
  FROM f CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN f.first AND f.first + f.node_count - 1
  WHERE r.shallow_size > 0 AND r.constructor_id IN (
    SELECT c.id FROM f CROSS JOIN js_heap_constructor AS c ON c.file_id = f.file_id AND c.name = :constructor)
),
freed AS (
  SELECT r.constructor_id AS class, count(*) AS count,
    sum(r.shallow_size >> 32) * 4294967296 + sum(r.shallow_size & 4294967295) AS size
  FROM member AS m CROSS JOIN f
  CROSS JOIN js_heap_dominated AS o
    ON o.rowid BETWEEN f.first_place + m.place AND f.first_place + m.place + m.count - 1
  CROSS JOIN js_heap_retained AS r ON r.rowid = f.first + o.node_index
  WHERE m.covered IS NULL OR m.covered <= m.place
  GROUP BY r.constructor_id
)
SELECT c.name AS constructor, sum(g.count) AS count, sum(g.size) AS size
FROM freed AS g JOIN js_heap_constructor AS c ON c.id = g.class
GROUP BY c.name
ORDER BY size DESC, constructor
LIMIT ifnull(:limit, 20);
