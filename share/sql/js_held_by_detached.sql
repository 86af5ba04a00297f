-- Question:   What do only detached DOM nodes keep alive, by class?
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file   id in js_heap_files (default 0)
--             limit  number of rows (default 20)
-- Columns:    constructor  the class
--             count        number of nodes, the detached DOM nodes themselves included
--             size         bytes
WITH held AS (
  SELECT r.constructor_id AS class, count(*) AS count,
    sum(r.shallow_size >> 32) * 4294967296 + sum(r.shallow_size & 4294967295) AS size
  FROM js_heap_analysis AS a
  CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  CROSS JOIN js_heap_retained AS r
    ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + d.node_count - 1
  WHERE a.file_id = ifnull(:file, 0) AND r.held_by & 1
  GROUP BY r.constructor_id
)
SELECT c.name AS constructor, sum(h.count) AS count, sum(h.size) AS size
FROM held AS h JOIN js_heap_constructor AS c ON c.id = h.class
GROUP BY c.name
ORDER BY size DESC, constructor
LIMIT ifnull(:limit, 20);
