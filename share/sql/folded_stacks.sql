-- Question:   What is the input of a flame graph?
--             Write the answer to a file, take the first line (the column's name) off, and give it
--             to flamegraph.pl, speedscope or inferno.
-- Topic:      stacks
-- Needs:      stack_sample (sampled stacks), stack_slice (traced calls)
-- Parameters: from, to  time: what lies in [from, to), of samples that part (default: everything)
--             source    id of a source (default: all)
--             thread    itid of a thread (default: all)
--             event     an event of samples, or call for traced calls: only these, such as wall (default: all,
--                       but sums that a profiler made itself only where it recorded no calls)
--             label     a label of samples: KEY=VALUE or a glob of that, such as worker=w*; KEY (default: all)
--             weight    a weight of stacks: cpu, wall, waiting, waiting:REASON, allocation, live; samples;
--                       dur: the length of all; a name of a value that samples have, or NAME/UNIT (default: the first of CPU
--                       time, elapsed time, allocations, what is in use, waiting, others with a sum above 0)
-- Columns:    folded  frames from the outermost on, divided by ;, a blank, and the weight
-- The same as v_stack_folded, which puts each path together for itself: for all paths at once it is
-- cheaper to make them of each other.
WITH RECURSIVE
-- What each call path weighs: the rows of v_stack_weight that are asked for, each with the part of it that
-- lies in the span. Sums are made of halves, so that they cannot overflow.
span AS MATERIALIZED (
  SELECT ifnull(CAST(:from AS INTEGER), -9223372036854775807) AS a,
    ifnull(CAST(:to AS INTEGER), 9223372036854775807) AS b, :from IS NULL AND :to IS NULL AS whole
),
row AS (
  SELECT w.*, whole OR (w.ts >= a AND w.ts < b) AS begins, whole,
    CASE WHEN w.dur > 0 AND w.value_type_id IS NULL AND w.event IS 'call' THEN NULL
      WHEN w.dur > 0 THEN CAST(min(w.ts + w.dur, b) - max(w.ts, a) AS INTEGER) END AS length
  FROM span CROSS JOIN v_stack_weight AS w
  WHERE w.node_id IS NOT NULL AND (:event IS NULL OR w.event = :event)
    AND (:label IS NULL OR w.sample_id IN (SELECT sample_id FROM stack_sample_label
      WHERE :label IN (key, key || '=' || ifnull(value, '')) OR key || '=' || ifnull(value, '') GLOB :label))
    AND (:event IS NOT NULL OR w.ts IS NOT NULL OR w.source_id NOT IN (SELECT source_id FROM stack_slice))
    AND (:source IS NULL OR w.source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR w.itid IN (SELECT value FROM json_each(:thread)))
),
inside AS (
  SELECT node_id, name, value_type_id, unit, class, reason, rank, begins,
    CASE WHEN whole OR unit IS NOT 'ns' OR ifnull(length, 0) <= 0 OR length = dur THEN value
      WHEN value = dur THEN length ELSE CAST(1.0 * value * length / dur AS INTEGER) END AS value
  FROM row WHERE begins OR (unit = 'ns' AND length > 0)
),
each AS MATERIALIZED (
  SELECT node_id, name, value_type_id, unit, class, reason, rank, sum(begins) AS n,
    sum(value >> 32) * 4294967296 + sum(value & 4294967295) AS weight
  FROM inside GROUP BY node_id, name, value_type_id, unit, class, reason, rank
),
-- Names of classes come before names of values; ns and bytes before counts. What is chosen by the name of a
-- value (5, 12) is all that has the name.
candidate(level, kind, unit, type_id, node_id, weight, name) AS (
  SELECT CASE WHEN :weight IS NULL THEN rank
      WHEN class <> 'other' AND :weight IN (class, class || '/' || unit, class || ':' || reason)
        THEN CASE WHEN unit IN ('ns', 'bytes') THEN 1 ELSE 3 END
      WHEN :weight IN (name, name || '/' || unit) AND (value_type_id IS NOT NULL OR name = 'calls_async') THEN 2 END,
    CASE WHEN :weight IS NOT NULL THEN :weight WHEN rank IN (5, 12) THEN name ELSE class END, unit,
    value_type_id, node_id, weight, name
  FROM each
  UNION ALL
  SELECT 14, 'dur', 'ns', NULL, node_id, weight, NULL FROM each
  WHERE value_type_id IS NULL AND ifnull(:weight, 'dur') IN ('dur', 'time', 'self', 'wall')
  UNION ALL
  SELECT 15, 'samples', 'count', NULL, node_id, n, NULL FROM each
  WHERE value_type_id IS NULL AND ifnull(:weight, 'count') IN ('samples', 'count')
),
chosen AS MATERIALIZED (
  SELECT level, kind, unit FROM candidate WHERE level IS NOT NULL AND weight > 0 ORDER BY level, type_id LIMIT 1
),
weights AS MATERIALIZED (
  SELECT c.node_id AS node_id, sum(c.weight >> 32) * 4294967296 + sum(c.weight & 4294967295) AS weight
  FROM chosen AS o CROSS JOIN candidate AS c ON c.unit IS o.unit
    AND ((c.level = o.level AND c.kind = o.kind) OR (o.level IN (5, 12) AND c.name = o.kind))
  WHERE c.weight > 0 GROUP BY c.node_id
),
-- (the end of what the questions about stacks share)
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
