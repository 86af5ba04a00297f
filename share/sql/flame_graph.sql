-- Question:   Which boxes does a flame graph have?
--             For programs that draw one; folded_stacks gives the input of others.
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
--             limit     number of rows (default 100000)
-- Columns:    depth        0 for the outermost method
--             start, total  where the box begins and how wide it is, in units of the weight
--             self         weight of the method itself: what no box stands on
--             method, file, line
--             node_id      the call path, in stack_node
-- A box comes before those that stand on it, in the order of a walk through the tree.
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
