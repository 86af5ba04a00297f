-- Question:   Which methods is the time spent in?
--             A method that several recordings have is one: its library, class, name and file are equal.
--             Of what comes first in: samples of CPU time, of elapsed time, traced calls, allocations,
--             what was in use, waiting, others. Classes are never mixed. Sums that a profiler made itself,
--             of stacks without a time, count where it recorded no calls beside them. (idle) and (root)
--             are left out.
-- Topic:      stacks
-- Needs:      stack_sample (sampled stacks), stack_slice (traced calls)
-- Report:     40 Hottest methods
-- Parameters: from, to  time: samples and calls that begin in [from, to) (default: everything)
--             source    id of a source (default: all)
--             thread    itid of a thread (default: all)
--             weight    a weight, by which they are ordered: wall, cpu, samples, or another name of a value
--                       that samples have, such as alloc_space (default: cpu, or what there is)
--             event     an event of samples, or call for traced calls: only these, such as alloc
--                       (default: those of the class that comes first, or that have the weight)
--             by        one of source (default: a method of several recordings is one row)
--             limit     number of rows (default 30)
-- Columns:    method
--             self_samples, samples  stacks that end in the method, that have it anywhere; of traced
--                                    calls: its own, all below it
--             self_wall_ms, wall_ms  time of those, waiting included; NULL where none has a length
--             self_cpu_us, cpu_us    CPU time of samples; NULL where none was recorded
--             self_value, value      sum of that value, or of the first kind of it; NULL: none
--             counted                the events of what was counted
--             sources, source_id     how many recordings it is in; which, when it is one
--             Recursion counts once.
WITH RECURSIVE span AS MATERIALIZED (
  SELECT ifnull(CAST(:from AS INTEGER), -9223372036854775807) AS a,
    ifnull(CAST(:to AS INTEGER), 9223372036854775807) AS b, :from IS NULL AND :to IS NULL AS whole
),
kind(id) AS MATERIALIZED (
  SELECT id FROM stack_value_type
  WHERE NOT (name = 'cpu' AND unit = 'ns') AND name = CASE
    WHEN ifnull(:weight, 'wall') IN ('wall', 'cpu', 'samples') THEN (SELECT name FROM stack_value_type
      WHERE NOT (name = 'cpu' AND unit = 'ns') ORDER BY id LIMIT 1)
    ELSE :weight END
),
-- The events that there are, by the class of what they stand for.
present(event, rank) AS MATERIALIZED (
  SELECT e.event, CASE c.class WHEN 'cpu' THEN 1 WHEN 'wall' THEN 2 WHEN 'allocation' THEN 4
      WHEN 'live' THEN 5 WHEN 'waiting' THEN 6 ELSE 7 END
  FROM (SELECT DISTINCT source_id, event FROM stack_sample
    WHERE node_id IS NOT NULL AND (ts IS NOT NULL OR source_id NOT IN (SELECT source_id FROM stack_slice))
      AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
      AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))) AS e
  LEFT JOIN source AS o ON o.id = e.source_id
  LEFT JOIN event_class AS c ON c.format = o.format AND c.event = e.event AND c.state = '*'
  UNION
  SELECT 'call', 3 FROM stack_slice
  WHERE node_id IS NOT NULL AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))
),
weighted(event) AS MATERIALIZED (
  SELECT DISTINCT s.event FROM stack_sample_value AS v CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE :event IS NULL AND v.value_type_id IN (SELECT id FROM stack_value_type WHERE name = :weight)
),
chosen(event) AS MATERIALIZED (
  SELECT DISTINCT ifnull(event, '') FROM present
  WHERE CASE WHEN :event IS NOT NULL THEN event = :event
    WHEN EXISTS (SELECT 1 FROM weighted) THEN event IN weighted
    ELSE rank = (SELECT min(rank) FROM present) END
),
-- Sums are made of halves, so that they cannot overflow.
timed AS (
  SELECT node_id, count(*) AS n, sum(dur >> 32) AS hi, sum(dur & 4294967295) AS lo
  FROM span CROSS JOIN stack_sample
  WHERE node_id IS NOT NULL AND (whole OR (ts >= a AND ts < b)) AND ifnull(event, '') IN chosen
    AND (ts IS NOT NULL OR source_id NOT IN (SELECT source_id FROM stack_slice))
    AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))
  GROUP BY node_id
  UNION ALL
  SELECT node_id, count(*), sum(self_dur >> 32), sum(self_dur & 4294967295)
  FROM span CROSS JOIN stack_slice
  WHERE 'call' IN chosen AND node_id IS NOT NULL AND (whole OR (ts >= a AND ts < b))
    AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))
  GROUP BY node_id
),
wall AS (
  SELECT node_id, sum(n) AS n, sum(hi) AS hi, sum(lo) AS lo FROM timed GROUP BY node_id
),
cpu AS (
  SELECT s.node_id AS node_id, sum(v.value >> 32) AS hi, sum(v.value & 4294967295) AS lo
  FROM span
  CROSS JOIN stack_sample_value AS v
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE v.value_type_id IN (SELECT id FROM stack_value_type WHERE name = 'cpu' AND unit = 'ns')
    AND s.node_id IS NOT NULL AND (whole OR (s.ts >= a AND s.ts < b)) AND ifnull(s.event, '') IN chosen
    AND (s.ts IS NOT NULL OR s.source_id NOT IN (SELECT source_id FROM stack_slice))
    AND (:source IS NULL OR s.source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR s.itid IN (SELECT value FROM json_each(:thread)))
  GROUP BY s.node_id
),
val AS (
  SELECT s.node_id AS node_id, sum(v.value >> 32) AS hi, sum(v.value & 4294967295) AS lo
  FROM span
  CROSS JOIN stack_sample_value AS v
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE v.value_type_id IN (SELECT id FROM kind)
    AND s.node_id IS NOT NULL AND (whole OR (s.ts >= a AND s.ts < b)) AND ifnull(s.event, '') IN chosen
    AND (s.ts IS NOT NULL OR s.source_id NOT IN (SELECT source_id FROM stack_slice))
    AND (:source IS NULL OR s.source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR s.itid IN (SELECT value FROM json_each(:thread)))
  GROUP BY s.node_id
),
weight AS MATERIALIZED (
  SELECT w.node_id AS node_id, w.n AS n, w.hi AS hi, w.lo AS lo, c.hi AS cpu_hi, c.lo AS cpu_lo,
    v.hi AS val_hi, v.lo AS val_lo
  FROM wall AS w LEFT JOIN cpu AS c ON c.node_id = w.node_id
  LEFT JOIN val AS v ON v.node_id = w.node_id
),
-- Methods that are one, by the least of their ids.
one(id, method_id) AS MATERIALIZED (
  SELECT v.id, min(v.id) OVER (PARTITION BY v.key_id, CASE WHEN :by = 'source' THEN m.source_id END)
  FROM v_method AS v CROSS JOIN stack_method AS m ON m.id = v.id
),
-- The part of the tree that those samples are in.
path(id) AS (
  SELECT node_id FROM weight
  UNION
  SELECT n.parent_id FROM path CROSS JOIN stack_node AS n ON n.id = path.id
  WHERE n.parent_id IS NOT NULL
),
part AS MATERIALIZED (
  SELECT n.id AS id, n.parent_id AS parent_id, one.method_id AS method_id, n.source_id AS source_id
  FROM path CROSS JOIN stack_node AS n ON n.id = path.id LEFT JOIN one ON one.id = n.method_id
),
found AS (
  SELECT method_id, count(DISTINCT source_id) AS sources FROM part GROUP BY method_id
),
parent AS MATERIALIZED (
  SELECT DISTINCT parent_id AS id FROM part
),
-- A walk through it: a node that has callees is entered (0) and left (1), any other is met once (2).
-- Callees (level + 2) come before the end of their caller (level + 1), and that before what is next.
walk(node_id, method_id, level, kind) AS (
  SELECT id, method_id, 0, CASE WHEN id IN parent THEN 0 ELSE 2 END
  FROM part WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.method_id, w.level + 2, CASE WHEN c.id IN parent THEN 0 ELSE 2 END
  FROM walk AS w JOIN part AS c ON c.parent_id = w.node_id WHERE w.kind = 0
  UNION ALL
  SELECT w.node_id, w.method_id, w.level + 1, 1 FROM walk AS w WHERE w.kind = 0
  ORDER BY 3 DESC
),
-- What was met before: between entering and leaving a node lie its samples, all that have it.
met AS (
  SELECT row_number() OVER () AS pos, w.method_id AS method_id, w.kind AS kind,
    x.n AS n, x.hi AS hi, x.lo AS lo, x.cpu_hi AS cpu_hi, x.cpu_lo AS cpu_lo,
    x.val_hi AS val_hi, x.val_lo AS val_lo,
    sum(x.n) OVER before AS sum_n, count(x.hi) OVER before AS dur_n,
    sum(x.hi) OVER before AS sum_hi, sum(x.lo) OVER before AS sum_lo,
    count(x.cpu_hi) OVER before AS cpu_n, sum(x.cpu_hi) OVER before AS sum_cpu_hi,
    sum(x.cpu_lo) OVER before AS sum_cpu_lo, count(x.val_hi) OVER before AS val_n,
    sum(x.val_hi) OVER before AS sum_val_hi, sum(x.val_lo) OVER before AS sum_val_lo
  FROM walk AS w LEFT JOIN weight AS x ON x.node_id = w.node_id AND w.kind <> 1
  WINDOW before AS (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
-- Of a method that calls itself, the outermost frame counts: no other is open around it.
opened AS (
  SELECT *, sum(CASE kind WHEN 0 THEN 1 WHEN 1 THEN -1 ELSE 0 END)
      OVER (PARTITION BY method_id ORDER BY pos ROWS UNBOUNDED PRECEDING) = (kind = 0) AS outer
  FROM met
),
method AS (
  SELECT method_id, sum(n) AS self_n, sum(hi) AS self_hi, sum(lo) AS self_lo,
    sum(cpu_hi) AS self_cpu_hi, sum(cpu_lo) AS self_cpu_lo,
    sum(val_hi) AS self_val_hi, sum(val_lo) AS self_val_lo,
    sum(CASE kind WHEN 0 THEN -sum_n WHEN 1 THEN sum_n ELSE n END) FILTER (WHERE outer) AS n,
    sum(CASE kind WHEN 0 THEN -dur_n WHEN 1 THEN dur_n ELSE hi IS NOT NULL END)
      FILTER (WHERE outer) AS dur_n,
    sum(CASE kind WHEN 0 THEN -sum_hi WHEN 1 THEN sum_hi ELSE hi END) FILTER (WHERE outer) AS hi,
    sum(CASE kind WHEN 0 THEN -sum_lo WHEN 1 THEN sum_lo ELSE lo END) FILTER (WHERE outer) AS lo,
    sum(CASE kind WHEN 0 THEN -cpu_n WHEN 1 THEN cpu_n ELSE cpu_hi IS NOT NULL END)
      FILTER (WHERE outer) AS cpu_n,
    sum(CASE kind WHEN 0 THEN -sum_cpu_hi WHEN 1 THEN sum_cpu_hi ELSE cpu_hi END)
      FILTER (WHERE outer) AS cpu_hi,
    sum(CASE kind WHEN 0 THEN -sum_cpu_lo WHEN 1 THEN sum_cpu_lo ELSE cpu_lo END)
      FILTER (WHERE outer) AS cpu_lo,
    sum(CASE kind WHEN 0 THEN -val_n WHEN 1 THEN val_n ELSE val_hi IS NOT NULL END)
      FILTER (WHERE outer) AS val_n,
    sum(CASE kind WHEN 0 THEN -sum_val_hi WHEN 1 THEN sum_val_hi ELSE val_hi END)
      FILTER (WHERE outer) AS val_hi,
    sum(CASE kind WHEN 0 THEN -sum_val_lo WHEN 1 THEN sum_val_lo ELSE val_lo END)
      FILTER (WHERE outer) AS val_lo
  FROM opened GROUP BY method_id
),
total AS (
  SELECT method_id, ifnull(self_n, 0) AS self_n, n,
    CASE WHEN dur_n > 0 THEN ifnull(self_hi * 4294967296 + self_lo, 0) END AS self_ns,
    CASE WHEN dur_n > 0 THEN hi * 4294967296 + lo END AS ns,
    CASE WHEN cpu_n > 0 THEN ifnull(self_cpu_hi * 4294967296 + self_cpu_lo, 0) END AS self_cpu,
    CASE WHEN cpu_n > 0 THEN cpu_hi * 4294967296 + cpu_lo END AS cpu,
    CASE WHEN val_n > 0 THEN ifnull(self_val_hi * 4294967296 + self_val_lo, 0) END AS self_val,
    CASE WHEN val_n > 0 THEN val_hi * 4294967296 + val_lo END AS val
  FROM method
)
SELECT ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
    || ifnull(nullif(m.name, ''), '(anonymous)') AS method,
  o.self_n AS self_samples, o.n AS samples, o.self_ns / 1000000 AS self_wall_ms,
  o.ns / 1000000 AS wall_ms, o.self_cpu / 1000 AS self_cpu_us, o.cpu / 1000 AS cpu_us,
  o.self_val AS self_value, o.val AS value, (SELECT group_concat(event) FROM chosen) AS counted,
  f.sources, CASE WHEN f.sources = 1 THEN m.source_id END AS source_id
FROM total AS o
LEFT JOIN found AS f ON f.method_id IS o.method_id
LEFT JOIN stack_method AS m ON m.id = o.method_id
WHERE ifnull(m.name, '') NOT IN ('(root)', '(idle)')
ORDER BY CASE ifnull(:weight, '') WHEN '' THEN NULL WHEN 'wall' THEN o.self_ns WHEN 'cpu' THEN o.self_cpu
    WHEN 'samples' THEN o.self_n ELSE o.self_val END DESC,
  o.self_cpu DESC, o.self_ns DESC, o.self_val DESC, o.ns DESC, o.val DESC, o.method_id
LIMIT ifnull(CAST(:limit AS INTEGER), 30);
