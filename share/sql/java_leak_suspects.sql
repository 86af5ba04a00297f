-- Question:   Which single objects, or objects of which class, hold a large part of a heap dump of Java?
--             As Eclipse MAT suspects leaks: objects below the root that retain more than a share of the heap, then
--             classes whose objects below the root do so together. Where the memory accumulates is the last object on
--             the way down that retains at least 0.7 of what the one above it does.
-- Topic:      heap
-- Needs:      java_heap_analysis (heap dumps of Java with --analyze=heap)
-- Report:     32 What holds most of the heap of Java
-- Parameters: file   id in java_heap_file (default 1)
--             share  percent of the heap above which something is suspected (default 20)
--             limit  number of rows (default 20)
-- Columns:    suspect        object or class
--             class          its class, or the class that it is
--             name           of a class: its own name; of a thread: what it is called
--             count          number of the objects
--             retained_size  bytes that would be freed with them
--             percent        share of the heap
--             node_index     the object; of a class the one that retains most
--             accumulation   the object in which the memory accumulates; NULL: of a class
--             accumulation_class, accumulation_size  its class, and what it retains
--             path           references by which it is held, from the root on: the last 12
WITH RECURSIVE f AS (
  SELECT a.file_id AS file_id, a.first_retained_rowid AS first, a.first_dominated_rowid AS tree,
    d.first_object_rowid AS objects, a.reached_count AS reached, d.first_reference_rowid AS edges, a.reached_size AS total,
    a.reached_size * (ifnull(:share, 20) / 100.0) AS least
  FROM java_heap_analysis AS a CROSS JOIN java_heap_file AS d ON d.id = a.file_id
  WHERE a.file_id = ifnull(:file, 1)
),
-- What the root alone dominates: `next` is the place of the child after.
child(node, next) AS (
  SELECT NULL, 1 FROM f
  UNION ALL
  SELECT b.node_index, c.next + r.tree_count
  FROM child AS c CROSS JOIN f CROSS JOIN java_heap_dominated AS b ON b.rowid = f.tree + c.next
  CROSS JOIN java_heap_retained AS r ON r.rowid = f.first + b.node_index
  WHERE c.next < f.reached
),
top AS MATERIALIZED (
  SELECT c.node AS node, o.class_id AS class, r.retained_size AS size, r.tree_position AS position, r.tree_count AS count,
    r.retained_size > f.least AS large
  FROM child AS c CROSS JOIN f CROSS JOIN java_heap_retained AS r ON r.rowid = f.first + c.node
  CROSS JOIN java_heap_object AS o ON o.rowid = f.objects + c.node
),
suspect AS MATERIALIZED (
  SELECT 'object' AS suspect, class, 1 AS count, size, node FROM top WHERE large
  UNION ALL
  SELECT 'class', t.class, count(*), sum(t.size), (SELECT x.node FROM top AS x WHERE x.class = t.class ORDER BY x.size DESC, x.node LIMIT 1)
  FROM top AS t
  WHERE t.class NOT IN (SELECT x.class FROM top AS x WHERE x.large)
  GROUP BY t.class HAVING sum(t.size) > (SELECT f.least FROM f)
),
-- Down the tree: `at` is the last object that was entered, `next` the place of the child that is looked at. A child that
-- retains more than half of it is the largest; `rest` is what those that come may retain.
down(suspect, at, size, rest, next, until) AS (
  SELECT node, node, size, size, position + 1, position + count FROM top WHERE large
  UNION ALL
  SELECT w.suspect, iif(r.retained_size >= 0.7 * w.size, b.node_index, w.at),
    iif(r.retained_size >= 0.7 * w.size, r.retained_size, w.size),
    iif(r.retained_size >= 0.7 * w.size, r.retained_size, w.rest - r.retained_size),
    iif(r.retained_size >= 0.7 * w.size, w.next + 1, w.next + r.tree_count),
    iif(r.retained_size >= 0.7 * w.size, r.tree_position + r.tree_count, w.until)
  FROM down AS w CROSS JOIN f CROSS JOIN java_heap_dominated AS b ON b.rowid = f.tree + w.next
  CROSS JOIN java_heap_retained AS r ON r.rowid = f.first + b.node_index
  WHERE w.next < w.until AND w.rest >= 0.7 * w.size
),
point AS MATERIALIZED (
  SELECT suspect, at, size FROM (SELECT *, row_number() OVER (PARTITION BY suspect ORDER BY next DESC) AS last FROM down)
  WHERE last = 1
),
step(suspect, depth, retainer, edge) AS (
  SELECT p.suspect, 0, r.retainer, r.retaining_reference
  FROM point AS p CROSS JOIN f CROSS JOIN java_heap_retained AS r ON r.rowid = f.first + p.at
  UNION ALL
  SELECT s.suspect, s.depth + 1, r.retainer, r.retaining_reference
  FROM step AS s CROSS JOIN f CROSS JOIN java_heap_retained AS r ON r.rowid = f.first + s.retainer
  WHERE s.depth < 11
),
named AS (
  SELECT s.suspect AS suspect, s.depth AS depth,
-- include: java_reference
    AS name
  FROM step AS s CROSS JOIN f CROSS JOIN java_heap_reference AS e ON e.rowid = f.edges + s.edge
),
path AS (
  SELECT suspect, replace(group_concat(ifnull(name, '?'), '.'), '.[', '[') AS path
  FROM (SELECT * FROM named ORDER BY suspect, depth DESC)
  GROUP BY suspect
)
SELECT s.suspect, c.name AS class, CASE WHEN s.suspect = 'object' THEN
-- include: java_name
  END AS name, s.count, s.size AS retained_size,
  round(100.0 * s.size / nullif(f.total, 0), 2) AS percent, s.node AS node_index, p.at AS accumulation,
  (SELECT x.name FROM java_heap_object AS y CROSS JOIN java_heap_class AS x ON x.id = y.class_id
    WHERE y.rowid = f.objects + p.at) AS accumulation_class,
  p.size AS accumulation_size, q.path
FROM f CROSS JOIN suspect AS s
CROSS JOIN java_heap_object AS o ON o.rowid = f.objects + s.node
LEFT JOIN java_heap_class AS c ON c.id = s.class
LEFT JOIN point AS p ON s.suspect = 'object' AND p.suspect = s.node
LEFT JOIN path AS q ON q.suspect = p.suspect
ORDER BY s.suspect DESC, s.size DESC, s.node
LIMIT ifnull(:limit, 20);
