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
leaf AS MATERIALIZED (
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
  CROSS JOIN stack_value_type AS y
  CROSS JOIN stack_sample_value AS v ON v.value_type_id = y.id
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE :weight = 'cpu' AND y.name = 'cpu' AND y.unit = 'ns'
    AND s.node_id IS NOT NULL AND s.ts >= a AND s.ts < b
    AND (:thread IS NULL OR s.itid = CAST(:thread AS INTEGER))
  GROUP BY s.node_id
)
SELECT (WITH RECURSIVE up(parent_id, method_id, height) AS (
      SELECT n.parent_id, n.method_id, 0 FROM stack_node AS n WHERE n.id = leaf.node_id
      UNION ALL
      SELECT p.parent_id, p.method_id, up.height + 1
      FROM up CROSS JOIN stack_node AS p ON p.id = up.parent_id)
    SELECT group_concat(frame, ';') FROM (
      SELECT CASE WHEN m.id IS NULL THEN '(unknown)' ELSE replace(replace(
        ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
          || ifnull(nullif(m.name, ''), '(anonymous)'),
        ';', ':'), char(10), ' ') END AS frame
      FROM up LEFT JOIN stack_method AS m ON m.id = up.method_id
      ORDER BY up.height DESC))
  || ' ' || weight AS folded
FROM leaf
WHERE weight > 0
ORDER BY weight DESC, node_id;
