-- Question:   What did a call do, with equal calls added up?
--             slow_calls gives ids of calls, cloud_call_tree and slice_call_tree the single steps.
-- Topic:      calls
-- Needs:      stack_slice (traced calls)
-- Parameters: call   id in cloud_call (default: slice)
--             slice  id in stack_slice (default: the longest call that nothing called)
--             limit  number of rows (default 10000)
-- Columns:    level          0 for the call itself
--             count          invocations on this path
--             dur, self_dur  time in them, and without what they called
--             method, file, line
-- A method comes before what it called, the longest first.
WITH RECURSIVE root AS (
  SELECT id, itid, node_id, depth FROM stack_slice
  WHERE id = CASE WHEN :slice IS NOT NULL THEN CAST(:slice AS INTEGER)
    WHEN :call IS NOT NULL THEN
      (SELECT root_slice_id FROM cloud_call WHERE id = CAST(:call AS INTEGER))
    ELSE (SELECT id FROM stack_slice WHERE parent_id IS NULL ORDER BY dur DESC, id LIMIT 1) END
),
-- A thread's invocations up to the next one that is not deeper are those below the first.
stop AS (
  SELECT ifnull((SELECT s.id FROM root AS r CROSS JOIN stack_slice AS s
    WHERE s.id > r.id AND s.itid IS r.itid AND (s.parent_id IS NULL OR s.depth <= r.depth)
    ORDER BY s.id LIMIT 1), 9223372036854775807) AS id
),
-- Sums are made of halves, so that they cannot overflow.
part AS MATERIALIZED (
  SELECT s.node_id AS node_id, count(*) AS count,
    sum(s.dur >> 32) * 4294967296 + sum(s.dur & 4294967295) AS dur,
    sum(s.self_dur >> 32) * 4294967296 + sum(s.self_dur & 4294967295) AS self_dur
  FROM root AS r CROSS JOIN stop CROSS JOIN stack_slice AS s
  WHERE s.id >= r.id AND s.id < stop.id AND s.itid IS r.itid AND s.node_id IS NOT NULL
  GROUP BY s.node_id
),
tree(node_id, level, dur) AS (
  SELECT p.node_id, 0, p.dur FROM root AS r JOIN part AS p ON p.node_id = r.node_id
  UNION ALL
  SELECT n.id, t.level + 1, p.dur
  FROM tree AS t JOIN stack_node AS n ON n.parent_id = t.node_id JOIN part AS p ON p.node_id = n.id
  ORDER BY 2 DESC, 3 DESC, 1
),
placed AS (
  SELECT row_number() OVER () AS pos, node_id, level FROM tree
)
SELECT t.level, p.count, p.dur, p.self_dur,
  ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, '#' || m.raw_id) AS method, m.file, m.line
FROM placed AS t
JOIN part AS p ON p.node_id = t.node_id
JOIN stack_node AS n ON n.id = t.node_id
LEFT JOIN stack_method AS m ON m.id = n.method_id
ORDER BY t.pos
LIMIT ifnull(CAST(:limit AS INTEGER), 10000);
