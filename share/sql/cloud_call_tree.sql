-- Question:   What did a call do, step by step?
-- Topic:      calls
-- Needs:      cloud_call (calls of the Cloud Profiler)
-- Parameters: call   id in cloud_call (default 1)
--             limit  number of rows (default 10000)
-- Columns:    depth           0 for the call itself
--             at              beginning, in ns after that of the call
--             dur, self_dur   time in it, and without what it called
--             method, file, line
-- A thread's invocations from one root to the next are the tree of the first, in the order of a walk.
WITH root AS (
  SELECT s.id, s.itid, s.ts FROM cloud_call AS c JOIN stack_slice AS s ON s.id = c.root_slice_id
  WHERE c.id = ifnull(:call, 1)
),
next AS (
  SELECT ifnull(min(s.id), 9223372036854775807) AS id
  FROM root AS r JOIN stack_slice AS s ON s.id > r.id AND s.itid = r.itid AND s.parent_id IS NULL
)
SELECT s.depth, s.ts - r.ts AS at, s.dur, s.self_dur, s.method, s.file, s.line
FROM root AS r CROSS JOIN next AS n CROSS JOIN v_stack_slice AS s
  ON s.id >= r.id AND s.id < n.id AND s.itid = r.itid
ORDER BY s.id
LIMIT ifnull(:limit, 10000);
