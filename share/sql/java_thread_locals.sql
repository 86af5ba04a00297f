-- Question:   What do the variables of threads (ThreadLocal) hold in a heap dump of Java?
-- Topic:      heap
-- Needs:      java_heap_file (heap dumps of Java)
-- Parameters: file   id in java_heap_file (default 1)
--             limit  number of rows (default 20)
-- Columns:    thread         name of the thread; NULL: not in the dump
--             thread_node    the thread as an object
--             inherited      1: of Thread.inheritableThreadLocals
--             variable       class of the ThreadLocal; NULL: it is gone, and the value is still held
--             variable_node  the ThreadLocal as an object
--             value_class    class of the value
--             value_node     the value as an object
--             retained_size  bytes that would be freed with the value; with --analyze=heap
WITH RECURSIVE f AS (
  SELECT d.id AS file_id, d.first_object_rowid AS objects, d.object_count AS count, d.first_class_id AS first_class,
    d.class_count AS class_count, a.first_retained_rowid AS first
  FROM java_heap_file AS d LEFT JOIN java_heap_analysis AS a ON a.file_id = d.id
  WHERE d.id = ifnull(:file, 1)
),
class AS MATERIALIZED (
  SELECT c.id AS id, c.name AS name, c.super_id AS super_id
  FROM f CROSS JOIN java_heap_class AS c ON c.id BETWEEN f.first_class AND f.first_class + f.class_count - 1
),
thread_class(id) AS (
  SELECT id FROM class WHERE name = 'java.lang.Thread'
  UNION
  SELECT c.id FROM thread_class AS t JOIN class AS c ON c.super_id = t.id
),
field AS MATERIALIZED (
  SELECT n.id AS id, c.name AS class, n.name AS name
  FROM class AS c JOIN java_heap_field AS n ON n.class_id = c.id
  WHERE n.is_static = 0 AND ((c.name = 'java.lang.Thread' AND n.name IN ('threadLocals', 'inheritableThreadLocals'))
    OR (c.name = 'java.lang.ThreadLocal$ThreadLocalMap' AND n.name = 'table')
    OR (c.name = 'java.lang.ThreadLocal$ThreadLocalMap$Entry' AND n.name = 'value')
    OR (c.name = 'java.lang.ref.Reference' AND n.name = 'referent'))
),
map AS MATERIALIZED (
  SELECT o.node_index AS thread, n.name = 'inheritableThreadLocals' AS inherited, e.target AS map
  FROM f CROSS JOIN java_heap_object AS o ON o.rowid BETWEEN f.objects AND f.objects + f.count - 1
    AND +o.kind = 2 AND o.class_id IN (SELECT id FROM thread_class)
  CROSS JOIN java_heap_reference AS e
    ON e.rowid BETWEEN o.first_reference_rowid AND o.first_reference_rowid + o.reference_count - 1 AND +e.type = 4
  CROSS JOIN field AS n ON n.id = e.name AND n.class = 'java.lang.Thread'
),
entry AS MATERIALIZED (
  SELECT m.thread AS thread, m.inherited AS inherited, x.target AS entry
  FROM map AS m CROSS JOIN f CROSS JOIN java_heap_object AS o ON o.rowid = f.objects + m.map
  CROSS JOIN java_heap_reference AS e
    ON e.rowid BETWEEN o.first_reference_rowid AND o.first_reference_rowid + o.reference_count - 1 AND +e.type = 4
  CROSS JOIN field AS n ON n.id = e.name AND n.name = 'table'
  CROSS JOIN java_heap_object AS t ON t.rowid = f.objects + e.target
  CROSS JOIN java_heap_reference AS x
    ON x.rowid BETWEEN t.first_reference_rowid AND t.first_reference_rowid + t.reference_count - 1 AND +x.type = 5
),
pair AS (
  SELECT y.thread AS thread, y.inherited AS inherited, y.entry AS entry,
    max(iif(n.name = 'referent', e.target, NULL)) AS variable, max(iif(n.name = 'value', e.target, NULL)) AS value
  FROM entry AS y CROSS JOIN f CROSS JOIN java_heap_object AS o ON o.rowid = f.objects + y.entry
  CROSS JOIN java_heap_reference AS e
    ON e.rowid BETWEEN o.first_reference_rowid AND o.first_reference_rowid + o.reference_count - 1 AND +e.type = 4
  CROSS JOIN field AS n ON n.id = e.name AND n.name IN ('referent', 'value')
  GROUP BY y.thread, y.inherited, y.entry
)
SELECT (SELECT t.name FROM java_heap_thread AS t WHERE t.file_id = f.file_id AND t.node_index = p.thread) AS thread,
  p.thread AS thread_node, p.inherited,
  (SELECT c.name FROM java_heap_object AS o JOIN class AS c ON c.id = o.class_id
    WHERE o.rowid = f.objects + p.variable) AS variable,
  p.variable AS variable_node,
  (SELECT c.name FROM java_heap_object AS o JOIN class AS c ON c.id = o.class_id
    WHERE o.rowid = f.objects + p.value) AS value_class,
  p.value AS value_node, (SELECT r.retained_size FROM java_heap_retained AS r WHERE r.rowid = f.first + p.value) AS retained_size
FROM pair AS p CROSS JOIN f
ORDER BY retained_size DESC, p.thread, p.inherited, p.entry
LIMIT ifnull(:limit, 20);
