-- Question:   Why is an object of Java alive: by which references, from the object up to a root?
--             A shortest path without soft, weak and phantom references; objects that only these hold have none.
--             With `without` the path is looked for among all references, and given to the statement as a list in JSON.
-- Topic:      heap
-- Needs:      java_heap_analysis (heap dumps of Java with --analyze=heap)
-- Parameters: file  id in java_heap_file (default 1)
--             node  node_index of the object in that dump
--             without  references that no path takes: soft, weak, phantom, final, finalizer, some of them with commas; none; or
--                   all (default soft,weak,phantom,finalizer)
-- Columns:    step       0: the object itself
--             node_index, address
--             class      its class
--             name       of a class: its own name; of a thread: what it is called
--             reference  by which the object of the next row, or the root, holds this one: a field, [element], <class>,
--                        <super>, <classloader>, <root KIND>, or of a thread the kind of a local
--             distance   references from the root
--             retained_size  bytes that would be freed with it
WITH RECURSIVE f AS (
  SELECT a.file_id AS file_id, a.first_retained_rowid AS first, d.first_object_rowid AS objects,
    d.first_reference_rowid AS edges, d.object_count AS count
  FROM java_heap_analysis AS a CROSS JOIN java_heap_file AS d ON d.id = a.file_id
  WHERE a.file_id = ifnull(:file, 1)
),
path(step, at, retainer, edge, distance, size) AS (
  SELECT 0, r.rowid - f.first, r.retainer, r.retaining_reference, r.distance, r.retained_size
  FROM f CROSS JOIN java_heap_retained AS r ON r.rowid = f.first + :node
  WHERE :node BETWEEN 1 AND f.count - 1 AND :without IS NULL
  UNION ALL
  SELECT p.step + 1, p.retainer, r.retainer, r.retaining_reference, r.distance, r.retained_size
  FROM path AS p CROSS JOIN f CROSS JOIN java_heap_retained AS r ON r.rowid = f.first + p.retainer
  WHERE p.retainer > 0 AND p.step < f.count
),
found(step, at, edge, distance, size) AS (
  SELECT step, at, edge, distance, size FROM path
  UNION ALL
  SELECT g.key, g.value ->> 0, g.value ->> 1, g.value ->> 2, r.retained_size
  FROM json_each(:without) AS g CROSS JOIN f CROSS JOIN java_heap_retained AS r ON r.rowid = f.first + (g.value ->> 0)
)
SELECT p.step, p.at AS node_index, o.address AS address,
  (SELECT c.name FROM java_heap_class AS c WHERE c.id = o.class_id) AS class,
-- include: java_name
  AS name,
-- include: java_reference
  AS reference,
  p.distance, p.size AS retained_size
FROM found AS p CROSS JOIN f
CROSS JOIN java_heap_object AS o ON o.rowid = f.objects + p.at
LEFT JOIN java_heap_reference AS e ON e.rowid = f.edges + p.edge
ORDER BY p.step;
