-- Question:   In which methods did a call spend its time, and who called them?
-- Topic:      calls
-- Needs:      stack_slice (traced calls)
-- Parameters: call   id in cloud_call (default: slice)
--             slice  id in stack_slice (default: the longest call that nothing called)
--             depth  levels of callers (default 5)
--             limit  number of rows (default 1000)
-- Columns:    level     0 for a method, 1 for those that called it, and so on
--             self_dur  time in the method of level 0 itself, as far as it was called this way
--             count     invocations of it
--             method, file, line
-- A method comes before those that called it, the longest first.
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
up(node_id, leaf_id, level, path, method_id) AS (
  SELECT p.node_id, p.node_id, 0, '/' || ifnull(n.method_id, 0), n.method_id
  FROM part AS p JOIN stack_node AS n ON n.id = p.node_id
  UNION ALL
  SELECT a.id, u.leaf_id, u.level + 1, u.path || '/' || ifnull(a.method_id, 0), a.method_id
  FROM up AS u
  JOIN stack_node AS n ON n.id = u.node_id
  JOIN stack_node AS a ON a.id = n.parent_id
  WHERE u.level < ifnull(CAST(:depth AS INTEGER), 5)
    AND u.node_id NOT IN (SELECT node_id FROM root WHERE node_id IS NOT NULL)
),
added AS MATERIALIZED (
  SELECT u.path AS path, u.level AS level, max(u.method_id) AS method_id,
    rtrim(u.path, '0123456789') AS above, sum(p.count) AS count,
    sum(p.self_dur >> 32) * 4294967296 + sum(p.self_dur & 4294967295) AS self_dur
  FROM up AS u JOIN part AS p ON p.node_id = u.leaf_id
  GROUP BY u.path, u.level
),
tree(path, level, self_dur) AS (
  SELECT path, 0, self_dur FROM added WHERE level = 0 AND self_dur > 0
  UNION ALL
  SELECT a.path, a.level, a.self_dur FROM tree AS t JOIN added AS a ON a.above = t.path || '/'
  ORDER BY 2 DESC, 3 DESC, 1
),
placed AS (
  SELECT row_number() OVER () AS pos, path, level FROM tree
)
SELECT t.level, a.self_dur, a.count,
  ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, '#' || m.raw_id) AS method, m.file, m.line
FROM placed AS t
JOIN added AS a ON a.path = t.path
LEFT JOIN stack_method AS m ON m.id = a.method_id
ORDER BY t.pos
LIMIT ifnull(CAST(:limit AS INTEGER), 1000);
