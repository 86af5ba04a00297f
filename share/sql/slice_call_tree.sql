-- Question:   What did an invocation call?
-- Topic:      calls
-- Needs:      stack_slice (traced calls)
-- Parameters: slice  id in stack_slice (default 1)
--             depth  levels of calls below it (default 10)
--             limit  number of rows (default 1000)
-- Columns:    level  0 for the invocation itself
--             slice_id, method, ts, dur, self, state
WITH RECURSIVE tree(id, level) AS (
  SELECT id, 0 FROM stack_slice WHERE id = ifnull(:slice, 1)
  UNION ALL
  SELECT s.id, t.level + 1
  FROM tree AS t JOIN stack_slice AS s ON s.parent_id = t.id
  WHERE t.level < ifnull(:depth, 10)
  ORDER BY 1
  LIMIT ifnull(:limit, 1000))
SELECT t.level, s.id AS slice_id,
  ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, '#' || m.raw_id) AS method,
  s.ts, s.dur, s.self_dur AS self, s.state
FROM tree AS t
JOIN stack_slice AS s ON s.id = t.id
LEFT JOIN stack_node AS n ON n.id = s.node_id
LEFT JOIN stack_method AS m ON m.id = n.method_id
ORDER BY s.id;
