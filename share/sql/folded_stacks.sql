-- Question:   What is the input of a flame graph?
--             Write the answer to a file, take the first line (the column's name) off, and give it
--             to flamegraph.pl, speedscope or inferno.
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
-- Columns:    folded  frames from the outermost on, divided by ;, a blank, and the weight
-- The same as v_stack_folded, which puts each path together for itself: for all paths at once it is
-- cheaper to make them of each other.
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
  SELECT node_id FROM weights
  UNION
  SELECT n.parent_id FROM asked CROSS JOIN stack_node AS n ON n.id = asked.id
  WHERE n.parent_id IS NOT NULL
),
kept(id) AS MATERIALIZED (
  SELECT node_id FROM weights
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
SELECT p.stack || ' ' || w.weight AS folded
FROM path AS p JOIN weights AS w ON w.node_id = p.id
ORDER BY w.node_id;
