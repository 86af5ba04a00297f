-- Question:   What keeps an object of a heap dump alive: the shortest ways from it to roots?
-- Topic:      tptp
-- Needs:      tptp_heap_dump (heap dumps of a TPTP trace)
-- Parameters: dump    id in tptp_heap_dump (default 1)
--             object  id of the object in the recording
--             depth   references of a way at most (default 10)
--             visits  objects that are looked at, at most (default 10000)
--             limit   number of ways (default 10)
-- Columns:    length  references
--             root    why the last object is a root
--             path    ids of the objects, the root first
WITH RECURSIVE up(object_id, length, path) AS (
  SELECT CAST(:object AS INTEGER), 0, CAST(:object AS TEXT)
  UNION
  SELECT r.from_object_id, u.length + 1, r.from_object_id || ' ' || u.path
  FROM up AS u JOIN tptp_reference AS r
    ON r.heap_dump_id = ifnull(:dump, 1) AND r.to_object_id = u.object_id
  WHERE u.length < ifnull(:depth, 10)
    AND instr(' ' || u.path || ' ', ' ' || r.from_object_id || ' ') = 0
  ORDER BY 2
  LIMIT ifnull(:visits, 10000))
SELECT u.length, ifnull(r.type, 'unknown') AS root, u.path
FROM up AS u
JOIN tptp_gc_root AS r ON r.heap_dump_id = ifnull(:dump, 1) AND r.object_id = u.object_id
ORDER BY u.length, u.path
LIMIT ifnull(:limit, 10);
