-- Question:   Which methods did sampled threads spend a span of time in?
-- Parameters: from, to  the span in ns of the trace clock: samples that begin in [from, to)
--                       (default: everything)
--             source    id of a source (default: all)
--             thread    itid of a thread (default: all)
--             limit     number of rows (default 30)
-- Columns:    method
--             self_samples, samples  stacks that end in the method; that have it anywhere
--             self_wall_ms, wall_ms  time of those samples, waiting included
--             self_cpu_us, cpu_us    CPU time of those samples; NULL where none was recorded
--             Recursion counts once.
WITH RECURSIVE span AS MATERIALIZED (
  SELECT ifnull(CAST(:from AS INTEGER), -9223372036854775807) AS a,
    ifnull(CAST(:to AS INTEGER), 9223372036854775807) AS b
),
-- Sums are made of halves, so that they cannot overflow.
wall AS (
  SELECT node_id, count(*) AS n, sum(dur >> 32) * 4294967296 + sum(dur & 4294967295) AS ns
  FROM span CROSS JOIN stack_sample
  WHERE node_id IS NOT NULL AND ts >= a AND ts < b
    AND (:source IS NULL OR source_id = CAST(:source AS INTEGER))
    AND (:thread IS NULL OR itid = CAST(:thread AS INTEGER))
  GROUP BY node_id
),
cpu AS (
  SELECT s.node_id AS node_id,
    sum(v.value >> 32) * 4294967296 + sum(v.value & 4294967295) AS ns
  FROM span
  CROSS JOIN stack_value_type AS y
  CROSS JOIN stack_sample_value AS v ON v.value_type_id = y.id
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE y.name = 'cpu' AND y.unit = 'ns' AND s.node_id IS NOT NULL AND s.ts >= a AND s.ts < b
    AND (:source IS NULL OR s.source_id = CAST(:source AS INTEGER))
    AND (:thread IS NULL OR s.itid = CAST(:thread AS INTEGER))
  GROUP BY s.node_id
),
weight AS MATERIALIZED (
  SELECT w.node_id AS node_id, w.n AS n, w.ns AS ns, c.ns AS cpu
  FROM wall AS w LEFT JOIN cpu AS c ON c.node_id = w.node_id
),
up(leaf, parent_id, method_id, self) AS (
  SELECT w.node_id, n.parent_id, n.method_id, 1
  FROM weight AS w CROSS JOIN stack_node AS n ON n.id = w.node_id
  UNION ALL
  SELECT up.leaf, p.parent_id, p.method_id, 0
  FROM up CROSS JOIN stack_node AS p ON p.id = up.parent_id
),
once AS (
  SELECT leaf, method_id, max(self) AS self FROM up GROUP BY leaf, method_id
),
method AS (
  SELECT o.method_id AS method_id, sum(w.n * o.self) AS self_n, sum(w.n) AS n,
    sum(w.ns * o.self >> 32) * 4294967296 + sum(w.ns * o.self & 4294967295) AS self_ns,
    sum(w.ns >> 32) * 4294967296 + sum(w.ns & 4294967295) AS ns,
    sum(w.cpu * o.self >> 32) * 4294967296 + sum(w.cpu * o.self & 4294967295) AS self_cpu,
    sum(w.cpu >> 32) * 4294967296 + sum(w.cpu & 4294967295) AS cpu
  FROM once AS o CROSS JOIN weight AS w ON w.node_id = o.leaf
  GROUP BY o.method_id
)
SELECT ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
    || ifnull(nullif(m.name, ''), '(anonymous)') AS method,
  o.self_n AS self_samples, o.n AS samples, o.self_ns / 1000000 AS self_wall_ms,
  o.ns / 1000000 AS wall_ms, o.self_cpu / 1000 AS self_cpu_us, o.cpu / 1000 AS cpu_us
FROM method AS o
LEFT JOIN stack_method AS m ON m.id = o.method_id
ORDER BY o.self_cpu DESC, o.self_ns DESC, o.ns DESC, o.method_id
LIMIT ifnull(CAST(:limit AS INTEGER), 30);
