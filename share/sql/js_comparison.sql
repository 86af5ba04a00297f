-- Question:   What came and went since the heap snapshot before, by class? (DevTools: Comparison)
--             Nodes are the same when their ids are. The rows of the snapshot before are stored; another pair is
--             compared now, where plain objects keep the classes that they have in their own snapshot.
-- Topic:      heap
-- Needs:      js_heap_analysis (heaps with --analyze=heap)
-- Parameters: file   id in js_heap_files (default: the last one that has one before it)
--             base   the snapshot to compare with (default: base_file_id of js_heap_analysis)
--             limit  number of rows (default 20)
-- Columns:    name, script_id, line, column  the class
--             new_count, deleted_count, count_delta  nodes
--             new_size, deleted_size, size_delta     bytes
WITH f AS (
  SELECT a.file_id AS file_id, a.base_file_id AS stored, ifnull(:base, a.base_file_id) AS base
  FROM js_heap_analysis AS a WHERE a.file_id = coalesce(:file,
      (SELECT max(x.file_id) FROM js_heap_analysis AS x WHERE x.base_file_id IS NOT NULL), 0)
),
node AS (
  SELECT a.file_id = f.file_id AS is_new, r.node_id AS id, r.constructor_id AS class, r.shallow_size AS size
  FROM f CROSS JOIN js_heap_analysis AS a ON a.file_id IN (f.file_id, f.base) AND f.base IS NOT f.stored
  CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  CROSS JOIN js_heap_retained AS r
    ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + d.node_count - 1
  WHERE r.shallow_size > 0 AND f.base <> f.file_id
),
matched AS (
  SELECT c.name AS name, c.script_id AS script_id, c.line AS line, c."column" AS "column",
    max(sum(n.is_new) - sum(1 - n.is_new), 0) AS new_count,
    max(sum(1 - n.is_new) - sum(n.is_new), 0) AS deleted_count, max(n.size) AS size
  FROM node AS n CROSS JOIN js_heap_constructor AS c ON c.id = n.class
  GROUP BY c.name, c.script_id, c.line, c."column", n.id HAVING sum(n.is_new) <> sum(1 - n.is_new)
),
change AS (
  SELECT name, script_id, line, "column", new_count, deleted_count, new_size, deleted_size
  FROM v_js_comparison AS v CROSS JOIN f ON v.file_id = f.file_id AND f.base IS f.stored
  UNION ALL
  SELECT name, script_id, line, "column", sum(new_count), sum(deleted_count),
    sum(new_count * size), sum(deleted_count * size)
  FROM matched GROUP BY name, script_id, line, "column"
)
SELECT name, script_id, line, "column", new_count, deleted_count, new_count - deleted_count AS count_delta,
  new_size, deleted_size, new_size - deleted_size AS size_delta
FROM change
ORDER BY new_size DESC, deleted_size DESC, name, script_id, line, "column"
LIMIT ifnull(:limit, 20);
