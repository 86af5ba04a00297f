-- Question:   What does an object of a heap dump refer to, and what refers to it?
-- Topic:      tptp
-- Needs:      tptp_heap_dump (heap dumps of a TPTP trace)
-- Parameters: dump    id in tptp_heap_dump (default 1)
--             object  id of the object in the recording
--             limit   number of rows (default 100)
-- Columns:    direction  from (it refers to the other) or to (the other refers to it)
--             object_id  the other object
--             class      its class, when its allocation was recorded
--             root       why the other one is a root; NULL when it is none
WITH linked(direction, object_id) AS (
  SELECT 'from', to_object_id FROM tptp_reference
  WHERE heap_dump_id = ifnull(:dump, 1) AND from_object_id = :object
  UNION ALL
  SELECT 'to', from_object_id FROM tptp_reference
  WHERE heap_dump_id = ifnull(:dump, 1) AND to_object_id = :object)
SELECT l.direction, l.object_id,
  (SELECT c.name FROM tptp_allocation AS a JOIN tptp_class AS c ON c.id = a.class_id
    WHERE a.object_id = l.object_id
      AND a.source_id = (SELECT source_id FROM tptp_heap_dump WHERE id = ifnull(:dump, 1))
    ORDER BY a.id DESC LIMIT 1) AS class,
  (SELECT ifnull(r.type, 'unknown') FROM tptp_gc_root AS r
    WHERE r.heap_dump_id = ifnull(:dump, 1) AND r.object_id = l.object_id LIMIT 1) AS root
FROM linked AS l
ORDER BY l.direction, l.object_id
LIMIT ifnull(:limit, 100);
