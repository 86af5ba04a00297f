-- Question:   Which methods take more or less time?
--             Of sampled stacks and of traced calls. Methods are matched by package, class, name and file, those without
--             a name by their line too. Sums that a profiler made itself count where it recorded no calls beside them.
--             (idle) and (root) are left out.
-- Order:      20
-- Needs:      stack_sample (sampled stacks), stack_slice (traced calls)
-- Parameters: source       a source (default: all)
--             thread       a thread: its name, tid or itid (default: all)
--             from, until  time: samples and calls that begin in [from, until) (default: everything)
--             weight       name of a value that samples have, such as alloc_space (default: the first one)
-- Key:        method, file
-- Values:     self_wall     ns, sum, share: time of the method itself, waiting included
--             wall          ns, level: time of it and all that it called; recursion counts once
--             self_cpu      ns, sum, share: CPU time of the method itself
--             cpu           ns, level: CPU time of it and all that it called
--             self_value    plain, sum, share: sum of the value of samples in the method itself
--             value         plain, level: the same with all that it called
--             self_samples  plain, sum, share: stacks that end in the method; of traced calls: its own
--             samples       plain, level: stacks that have it anywhere
WITH RECURSIVE chosen(id) AS (
  SELECT id FROM source WHERE :source IS NULL OR id IN (SELECT value FROM json_each(:source))
),
picked(id) AS (
  SELECT value FROM json_each(:thread)
),
span AS MATERIALIZED (
  SELECT ifnull(CAST(:from AS INTEGER), -9223372036854775807) AS a,
    ifnull(CAST(:until AS INTEGER), 9223372036854775807) AS b, :from IS NULL AND :until IS NULL AS whole
),
-- Methods of one key share a number, so that overloads that call each other count once.
labelled AS (
  SELECT id, ifnull(nullif(package, '') || '.', '') || ifnull(nullif(class, '') || '.', '')
      || ifnull(nullif(name, ''), '(anonymous)' || ifnull(' ' || line, '')) AS method, file
  FROM stack_method
),
named AS MATERIALIZED (
  SELECT id, min(id) OVER (PARTITION BY method, file) AS first FROM labelled
),
kind(id) AS MATERIALIZED (
  SELECT id FROM stack_value_type
  WHERE NOT (name = 'cpu' AND unit = 'ns') AND name = CASE
    WHEN :weight IS NULL THEN (SELECT name FROM stack_value_type
      WHERE NOT (name = 'cpu' AND unit = 'ns') ORDER BY id LIMIT 1)
    ELSE :weight END
),
-- Sums are made of halves, so that they cannot overflow.
timed AS (
  SELECT node_id, count(*) AS n, sum(dur >> 32) AS hi, sum(dur & 4294967295) AS lo
  FROM span CROSS JOIN stack_sample
  WHERE node_id IS NOT NULL AND (whole OR (ts >= a AND ts < b))
    AND (ts IS NOT NULL OR source_id NOT IN (SELECT source_id FROM stack_slice))
    AND source_id IN chosen
    AND (:thread IS NULL OR itid IN picked)
  GROUP BY node_id
  UNION ALL
  SELECT node_id, count(*), sum(self_dur >> 32), sum(self_dur & 4294967295)
  FROM span CROSS JOIN stack_slice
  WHERE node_id IS NOT NULL AND (whole OR (ts >= a AND ts < b))
    AND source_id IN chosen
    AND (:thread IS NULL OR itid IN picked)
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
    AND s.node_id IS NOT NULL AND (whole OR (s.ts >= a AND s.ts < b))
    AND (s.ts IS NOT NULL OR s.source_id NOT IN (SELECT source_id FROM stack_slice))
    AND s.source_id IN chosen
    AND (:thread IS NULL OR s.itid IN picked)
  GROUP BY s.node_id
),
val AS (
  SELECT s.node_id AS node_id, sum(v.value >> 32) AS hi, sum(v.value & 4294967295) AS lo
  FROM span
  CROSS JOIN stack_sample_value AS v
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE v.value_type_id IN (SELECT id FROM kind)
    AND s.node_id IS NOT NULL AND (whole OR (s.ts >= a AND s.ts < b))
    AND (s.ts IS NOT NULL OR s.source_id NOT IN (SELECT source_id FROM stack_slice))
    AND s.source_id IN chosen
    AND (:thread IS NULL OR s.itid IN picked)
  GROUP BY s.node_id
),
weight AS MATERIALIZED (
  SELECT w.node_id AS node_id, w.n AS n, w.hi AS hi, w.lo AS lo, c.hi AS cpu_hi, c.lo AS cpu_lo,
    v.hi AS val_hi, v.lo AS val_lo
  FROM wall AS w LEFT JOIN cpu AS c ON c.node_id = w.node_id
  LEFT JOIN val AS v ON v.node_id = w.node_id
),
-- The part of the tree that those samples are in.
path(id) AS (
  SELECT node_id FROM weight
  UNION
  SELECT n.parent_id FROM path CROSS JOIN stack_node AS n ON n.id = path.id
  WHERE n.parent_id IS NOT NULL
),
part AS MATERIALIZED (
  SELECT n.id AS id, n.parent_id AS parent_id, k.first AS method_id
  FROM path CROSS JOIN stack_node AS n ON n.id = path.id
  LEFT JOIN named AS k ON k.id = n.method_id
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
SELECT ifnull(m.method, '(unknown)') AS method, m.file AS file,
  o.self_ns AS self_wall, o.ns AS wall, o.self_cpu AS self_cpu, o.cpu AS cpu, o.self_val AS self_value, o.val AS value,
  o.self_n AS self_samples, o.n AS samples
FROM total AS o
LEFT JOIN labelled AS m ON m.id = o.method_id
WHERE ifnull(m.method, '') NOT IN ('(root)', '(idle)')
ORDER BY o.method_id;
