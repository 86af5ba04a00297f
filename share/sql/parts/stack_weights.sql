-- What each call path weighs: the rows of v_stack_weight that are asked for, each with the part of it that
-- lies in the span; what has no stack too, when `stackless` says so. Sums are made of halves, so that they
-- cannot overflow.
span AS MATERIALIZED (
  SELECT ifnull(CAST(:from AS INTEGER), -9223372036854775807) AS a,
    ifnull(CAST(:to AS INTEGER), 9223372036854775807) AS b, :from IS NULL AND :to IS NULL AS whole
),
row AS (
  SELECT w.*, whole OR (w.ts >= a AND w.ts < b) AS begins, whole,
    CASE WHEN w.dur > 0 AND w.value_type_id IS NULL AND w.event IS 'call' THEN NULL
      WHEN w.dur > 0 THEN CAST(min(w.ts + w.dur, b) - max(w.ts, a) AS INTEGER) END AS length
  FROM span CROSS JOIN v_stack_weight AS w
  WHERE (w.node_id IS NOT NULL OR (SELECT too FROM stackless)) AND (:event IS NULL OR w.event = :event)
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
candidate(level, kind, unit, type_id, node_id, n, weight, name) AS (
  SELECT CASE WHEN :weight IS NULL THEN rank
      WHEN class <> 'other' AND :weight IN (class, class || '/' || unit, class || ':' || reason)
        THEN CASE WHEN unit IN ('ns', 'bytes') THEN 1 ELSE 3 END
      WHEN :weight IN (name, name || '/' || unit) AND (value_type_id IS NOT NULL OR name = 'calls_async') THEN 2 END,
    CASE WHEN :weight IS NOT NULL THEN :weight WHEN rank IN (5, 12) THEN name ELSE class END, unit,
    value_type_id, node_id, n, weight, name
  FROM each
  UNION ALL
  SELECT 14, 'dur', 'ns', NULL, node_id, n, weight, NULL FROM each
  WHERE value_type_id IS NULL AND ifnull(:weight, 'dur') IN ('dur', 'time', 'self', 'wall')
  UNION ALL
  SELECT 15, 'samples', 'count', NULL, node_id, n, n, NULL FROM each
  WHERE value_type_id IS NULL AND ifnull(:weight, 'count') IN ('samples', 'count')
),
chosen AS MATERIALIZED (
  SELECT level, kind, unit FROM candidate WHERE level IS NOT NULL AND weight > 0 ORDER BY level, type_id LIMIT 1
),
weights AS MATERIALIZED (
  SELECT c.node_id AS node_id, sum(c.n) AS n, sum(c.weight >> 32) * 4294967296 + sum(c.weight & 4294967295) AS weight
  FROM chosen AS o CROSS JOIN candidate AS c ON c.unit IS o.unit
    AND ((c.level = o.level AND c.kind = o.kind) OR (o.level IN (5, 12) AND c.name = o.kind))
  WHERE c.weight > 0 GROUP BY c.node_id
),
