-- Question:   Which boxes does a flame graph have?
--             For programs that draw one; folded_stacks gives the input of others.
-- Topic:      stacks
-- Needs:      stack_sample (sampled stacks), stack_slice (traced calls)
-- Parameters: from, to  time: samples and calls that begin in [from, to) (default: everything)
--             source    id of a source (default: all)
--             thread    itid of a thread (default: all)
--             event     what caused the samples, such as wall, or call for traced calls (default: all,
--                       but sums that a profiler made itself only where it recorded no calls)
--             weight    wall: ns of samples and calls; samples: their number; cpu, or another name of
--                       a value that samples have: that value (default: wall, or the first kind of value where
--                       no sample has a length)
--             limit     number of rows (default 100000)
-- Columns:    depth        0 for the outermost method
--             start, total  where the box begins and how wide it is, in units of the weight
--             self         weight of the method itself: what no box stands on
--             method, file, line
--             node_id      the call path, in stack_node
-- A box comes before those that stand on it, in the order of a walk through the tree.
WITH RECURSIVE span AS MATERIALIZED (
  SELECT ifnull(CAST(:from AS INTEGER), -9223372036854775808) AS a,
    ifnull(CAST(:to AS INTEGER), 9223372036854775807) AS b, :from IS NULL AND :to IS NULL AS whole,
    coalesce(:weight, CASE WHEN EXISTS (SELECT 1 FROM stack_slice)
        OR EXISTS (SELECT 1 FROM stack_sample WHERE dur IS NOT NULL) THEN 'wall' END,
      (SELECT name FROM stack_value_type ORDER BY id LIMIT 1), 'wall') AS weight
),
-- Sums are made of halves, so that they cannot overflow.
each AS (
  SELECT node_id, CASE weight WHEN 'samples' THEN count(*)
    ELSE sum(dur >> 32) * 4294967296 + sum(dur & 4294967295) END AS weight
  FROM span CROSS JOIN stack_sample
  WHERE weight IN ('wall', 'samples') AND node_id IS NOT NULL AND (whole OR (ts >= a AND ts < b))
    AND (:event IS NOT NULL OR ts IS NOT NULL
      OR source_id NOT IN (SELECT source_id FROM stack_slice))
    AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))
    AND (:event IS NULL OR event = :event)
  GROUP BY node_id
  UNION ALL
  SELECT s.node_id, sum(v.value >> 32) * 4294967296 + sum(v.value & 4294967295)
  FROM span
  CROSS JOIN stack_sample_value AS v
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE v.value_type_id IN (SELECT id FROM stack_value_type WHERE name = weight)
    AND s.node_id IS NOT NULL AND (whole OR (s.ts >= a AND s.ts < b))
    AND (:event IS NOT NULL OR s.ts IS NOT NULL
      OR s.source_id NOT IN (SELECT source_id FROM stack_slice))
    AND (:source IS NULL OR s.source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR s.itid IN (SELECT value FROM json_each(:thread)))
    AND (:event IS NULL OR s.event = :event)
  GROUP BY s.node_id
  UNION ALL
  SELECT node_id, CASE weight WHEN 'samples' THEN count(*)
    ELSE sum(self_dur >> 32) * 4294967296 + sum(self_dur & 4294967295) END
  FROM span CROSS JOIN stack_slice
  WHERE weight IN ('wall', 'samples') AND node_id IS NOT NULL AND (whole OR (ts >= a AND ts < b))
    AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))
    AND (:event IS NULL OR :event = 'call')
  GROUP BY node_id
),
weights AS MATERIALIZED (
  SELECT node_id, sum(weight >> 32) * 4294967296 + sum(weight & 4294967295) AS weight
  FROM each WHERE weight > 0 GROUP BY node_id
),
-- The part of the tree that has a weight.
asked(id) AS (
  SELECT node_id FROM weights
  UNION
  SELECT n.parent_id FROM asked CROSS JOIN stack_node AS n ON n.id = asked.id
  WHERE n.parent_id IS NOT NULL
),
part AS MATERIALIZED (
  SELECT n.id AS id, n.parent_id AS parent_id, n.method_id AS method_id
  FROM asked CROSS JOIN stack_node AS n ON n.id = asked.id
),
-- A walk: a node is entered (0) and left (1). Those above it (level + 2) come before it is left.
walk(node_id, level, leaves) AS (
  SELECT id, 0, 0 FROM part WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, w.level + 2, 0
  FROM walk AS w JOIN part AS c ON c.parent_id = w.node_id WHERE w.leaves = 0
  UNION ALL
  SELECT w.node_id, w.level + 1, 1 FROM walk AS w WHERE w.leaves = 0
  ORDER BY 2 DESC, 1
),
placed AS (
  SELECT row_number() OVER () AS pos, node_id, level, leaves FROM walk
),
met AS (
  SELECT p.pos AS pos, p.node_id AS node_id, p.level AS level, p.leaves AS leaves, x.weight AS self,
    ifnull(sum(x.weight >> 32) OVER past * 4294967296 + sum(x.weight & 4294967295) OVER past, 0)
      AS before
  FROM placed AS p LEFT JOIN weights AS x ON x.node_id = p.node_id AND p.leaves = 0
  WINDOW past AS (ORDER BY p.pos ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
box AS (
  SELECT node_id, min(pos) AS pos, min(level) / 2 AS depth, min(before) AS start,
    max(before) - min(before) AS total, ifnull(max(self), 0) AS self
  FROM met GROUP BY node_id
)
SELECT b.depth, b.start, b.total, b.self,
  ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
    || ifnull(nullif(m.name, ''), '(anonymous)') AS method,
  m.file, m.line, b.node_id
FROM box AS b
JOIN part AS p ON p.id = b.node_id
LEFT JOIN stack_method AS m ON m.id = p.method_id
ORDER BY b.pos
LIMIT ifnull(CAST(:limit AS INTEGER), 100000);
