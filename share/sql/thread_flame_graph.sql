-- Question:   What did one thread do? Lines for flamegraph.pl, speedscope or inferno.
--             folded_stacks answers this for all sources, in ns.
-- Topic:      stacks
-- Needs:      stack_sample (sampled stacks)
-- Parameters: thread    itid of the thread (default: all threads together)
--             from, to  time: samples that begin in [from, to) (default: everything)
--             weight    wall: ms (default); cpu: µs; samples: number
-- Columns:    folded    frames from the outermost on, divided by ;, a blank, and the weight
WITH RECURSIVE span AS MATERIALIZED (
  SELECT ifnull(CAST(:from AS INTEGER), -9223372036854775807) AS a,
    ifnull(CAST(:to AS INTEGER), 9223372036854775807) AS b
),
-- Sums are made of halves, so that they cannot overflow.
each AS (
  SELECT node_id, CASE :weight WHEN 'samples' THEN count(*)
    ELSE (sum(dur >> 32) * 4294967296 + sum(dur & 4294967295)) / 1000000 END AS weight
  FROM span CROSS JOIN stack_sample
  WHERE ifnull(:weight, 'wall') IN ('wall', 'samples')
    AND node_id IS NOT NULL AND ts >= a AND ts < b
    AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))
  GROUP BY node_id
  UNION ALL
  SELECT s.node_id, (sum(v.value >> 32) * 4294967296 + sum(v.value & 4294967295)) / 1000
  FROM span
  CROSS JOIN stack_sample_value AS v
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE :weight = 'cpu'
    AND v.value_type_id IN (SELECT id FROM stack_value_type WHERE name = 'cpu' AND unit = 'ns')
    AND s.node_id IS NOT NULL AND s.ts >= a AND s.ts < b
    AND (:thread IS NULL OR s.itid IN (SELECT value FROM json_each(:thread)))
  GROUP BY s.node_id
),
leaf AS MATERIALIZED (
  SELECT node_id, weight FROM each WHERE weight > 0
),
frame AS MATERIALIZED (
  SELECT m.id AS method_id, replace(replace(
    ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
      || ifnull(nullif(m.name, ''), '(anonymous)'),
    ';', ':'), char(10), ' ') AS text
  FROM stack_method AS m
),
-- The part of the tree that is asked for, and in it the nodes whose paths are put together: those
-- that have a weight, and those where paths part.
asked(id) AS (
  SELECT node_id FROM leaf
  UNION
  SELECT n.parent_id FROM asked CROSS JOIN stack_node AS n ON n.id = asked.id
  WHERE n.parent_id IS NOT NULL
),
kept(id) AS MATERIALIZED (
  SELECT node_id FROM leaf
  UNION
  SELECT n.parent_id FROM asked CROSS JOIN stack_node AS n ON n.id = asked.id
  WHERE n.parent_id IS NOT NULL GROUP BY n.parent_id HAVING count(*) > 1
),
-- From each of those up to the next: no node is met twice.
up(id, method_id, parent_id, height) AS (
  SELECT k.id, n.method_id, n.parent_id, 0 FROM kept AS k CROSS JOIN stack_node AS n ON n.id = k.id
  UNION ALL
  SELECT u.id, n.method_id, n.parent_id, u.height + 1
  FROM up AS u CROSS JOIN stack_node AS n ON n.id = u.parent_id
  WHERE u.parent_id NOT IN kept
),
label(id, text) AS MATERIALIZED (
  SELECT id, group_concat(text, ';')
  FROM (
    SELECT u.id AS id, ifnull(f.text, '(unknown)') AS text
    FROM up AS u LEFT JOIN frame AS f ON f.method_id = u.method_id
    ORDER BY u.id, u.height DESC)
  GROUP BY id
),
part(id, parent_id, text) AS MATERIALIZED (
  SELECT u.id, u.parent_id, l.text
  FROM up AS u CROSS JOIN label AS l ON l.id = u.id
  WHERE u.parent_id IS NULL OR u.parent_id IN kept
),
-- Callees first, so that few paths wait.
path(id, level, stack) AS (
  SELECT id, 0, text FROM part WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, p.level + 1, p.stack || ';' || c.text
  FROM path AS p JOIN part AS c ON c.parent_id = p.id
  ORDER BY 2 DESC
)
SELECT p.stack || ' ' || l.weight AS folded
FROM path AS p JOIN leaf AS l ON l.node_id = p.id
ORDER BY l.weight DESC, l.node_id;
