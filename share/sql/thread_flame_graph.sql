-- Question:   What did one thread do? Lines for flamegraph.pl, speedscope or inferno.
-- Parameters: thread    itid of the thread (default: all threads together)
--             from, to  the span in ns of the trace clock: samples that begin in [from, to)
--                       (default: everything)
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
    AND (:thread IS NULL OR itid = CAST(:thread AS INTEGER))
  GROUP BY node_id
  UNION ALL
  SELECT s.node_id, (sum(v.value >> 32) * 4294967296 + sum(v.value & 4294967295)) / 1000
  FROM span
  CROSS JOIN stack_sample_value AS v
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE :weight = 'cpu'
    AND v.value_type_id IN (SELECT id FROM stack_value_type WHERE name = 'cpu' AND unit = 'ns')
    AND s.node_id IS NOT NULL AND s.ts >= a AND s.ts < b
    AND (:thread IS NULL OR s.itid = CAST(:thread AS INTEGER))
  GROUP BY s.node_id
),
leaf AS MATERIALIZED (
  SELECT e.node_id AS node_id, e.weight AS weight, n.depth >= 500 AS deep
  FROM each AS e CROSS JOIN stack_node AS n ON n.id = e.node_id WHERE e.weight > 0
),
frame AS MATERIALIZED (
  SELECT m.id AS method_id, replace(replace(
    ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
      || ifnull(nullif(m.name, ''), '(anonymous)'),
    ';', ':'), char(10), ' ') AS text
  FROM stack_method AS m
),
-- The part of the tree that the samples are in, but for very deep ones.
path(id) AS (
  SELECT node_id FROM leaf WHERE NOT deep
  UNION
  SELECT n.parent_id FROM path CROSS JOIN stack_node AS n ON n.id = path.id
  WHERE n.parent_id IS NOT NULL
),
part AS MATERIALIZED (
  SELECT n.id AS id, n.parent_id AS parent_id, ifnull(f.text, '(unknown)') AS text
  FROM path CROSS JOIN stack_node AS n ON n.id = path.id
  LEFT JOIN frame AS f ON f.method_id = n.method_id
),
-- From the roots on, each path is made of its caller's; callees first, so that few wait.
down(id, level, text) AS (
  SELECT id, 0, text FROM part WHERE parent_id IS NULL
  UNION ALL
  SELECT p.id, d.level + 1, d.text || ';' || p.text FROM down AS d JOIN part AS p ON p.parent_id = d.id
  ORDER BY 2 DESC
)
-- A deep path is put together from its own end: else what lies above it would be made at each level.
SELECT folded FROM (
  SELECT d.text || ' ' || l.weight AS folded, l.weight AS weight, l.node_id AS node_id
  FROM down AS d CROSS JOIN leaf AS l ON l.node_id = d.id WHERE NOT l.deep
  UNION ALL
  SELECT (WITH RECURSIVE up(parent_id, method_id, height) AS (
        SELECT n.parent_id, n.method_id, 0 FROM stack_node AS n WHERE n.id = l.node_id
        UNION ALL
        SELECT n.parent_id, n.method_id, up.height + 1
        FROM up CROSS JOIN stack_node AS n ON n.id = up.parent_id)
      SELECT group_concat(text, ';') FROM (
        SELECT ifnull(f.text, '(unknown)') AS text
        FROM up LEFT JOIN frame AS f ON f.method_id = up.method_id
        ORDER BY up.height DESC)) || ' ' || l.weight, l.weight, l.node_id
  FROM leaf AS l WHERE l.deep)
ORDER BY weight DESC, node_id;
