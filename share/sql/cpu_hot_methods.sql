-- Question:   Which methods burned the CPU in a span of time?
--             Of samples of the class cpu, and CPU time that other samples carry as a value; threads
--             that slept or waited have none. A sample counts with the part of it that lies
--             in the span, or where it is without a length; those without a time count when there is no span.
-- Topic:      stacks
-- Model:      cpu_methods
-- Needs:      stack_sample (sampled stacks)
-- Parameters: from, to  time: the span (default: everything)
--             source    id of a source (default: all)
--             event     an event of samples whose time counts instead, such as sleep (default: CPU time)
--             by        one of source (default: a method of several recordings is one row)
--             limit     number of rows (default 30)
-- Columns:    source_id  the recording that the method is in, when it is one
--             method, file, line
--             counted   what was: cpu of the events that had CPU time, or the event that was asked for
--             self_ns   time in the method itself
--             total_ns  time in it or in what it called; recursion counts once
-- Sums are put together from halves: sum() fails beyond 64 bits, and damage can make numbers huge.
WITH RECURSIVE span AS MATERIALIZED (
  SELECT ifnull(CAST(:from AS INTEGER), -9223372036854775807) AS a,
    ifnull(CAST(:to AS INTEGER), 9223372036854775807) AS b, :from IS NULL AND :to IS NULL AS whole
),
cpu AS MATERIALIZED (
  SELECT sample_id, sum(value) AS ns FROM stack_sample_value
  WHERE :event IS NULL AND value_type_id IN (
    SELECT t.id FROM stack_value_type AS t JOIN source AS o ON o.id = t.source_id
    JOIN event_class AS c ON c.format = o.format AND c.event = t.name
    WHERE c.class = 'cpu' AND t.unit = 'ns')
  GROUP BY sample_id
),
sample AS (
  SELECT s.node_id AS node_id, s.event AS event, s.dur AS dur, c.ns AS cpu,
    CASE WHEN s.dur > 0 AND s.ts IS NOT NULL THEN CAST(min(s.ts + s.dur, b) - max(s.ts, a) AS INTEGER)
      WHEN whole OR (s.ts >= a AND s.ts < b) THEN s.dur END AS inside,
    whole OR (s.ts >= a AND s.ts < b) AS begins
  FROM span CROSS JOIN v_sample AS s LEFT JOIN cpu AS c ON c.sample_id = s.id
  WHERE s.node_id IS NOT NULL AND (:source IS NULL OR s.source_id IN (SELECT value FROM json_each(:source)))
    AND CASE WHEN :event IS NULL THEN s.class = 'cpu' OR c.ns IS NOT NULL ELSE s.event = :event END
),
part AS MATERIALIZED (
  SELECT node_id, event, CASE WHEN cpu IS NULL THEN inside WHEN inside IS NULL OR inside = dur THEN cpu
    ELSE CAST(1.0 * cpu * inside / dur AS INTEGER) END AS ns
  FROM sample WHERE inside > 0 OR (inside IS NULL AND begins)
),
counted AS (
  SELECT group_concat(what) AS what
  FROM (SELECT DISTINCT CASE WHEN :event IS NULL THEN 'cpu of ' ELSE '' END || event AS what FROM part ORDER BY 1)
),
weight AS (
  SELECT node_id, sum(ns >> 32) * 4294967296 + sum(ns & 4294967295) AS ns
  FROM part WHERE ns > 0 GROUP BY node_id
),
-- Methods that are one, by the least of their ids.
one(id, method_id) AS MATERIALIZED (
  SELECT v.id, min(v.id) OVER (PARTITION BY v.key_id, CASE WHEN :by = 'source' THEN m.source_id END)
  FROM v_method AS v CROSS JOIN stack_method AS m ON m.id = v.id
),
-- Every node is met twice, when it is entered and when it is left, in the order of a walk through
-- the tree: what weighs in between is the node's total. See v_stack_hot_method.
walk(node_id, method_id, level, leaves) AS (
  SELECT id, method_id, 0, 0 FROM stack_node
  WHERE parent_id IS NULL AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
  UNION ALL
  SELECT c.id, c.method_id, w.level + 2, 0
  FROM walk AS w JOIN stack_node AS c ON c.parent_id = w.node_id WHERE w.leaves = 0
  UNION ALL
  SELECT w.node_id, w.method_id, w.level + 1, 1 FROM walk AS w WHERE w.leaves = 0
  ORDER BY 3 DESC
),
placed AS (
  SELECT row_number() OVER () AS pos, node_id, method_id, leaves FROM walk
),
step AS (
  SELECT p.pos AS pos, p.node_id AS node_id, one.method_id AS method_id, p.leaves AS leaves,
    sum(1 - 2 * p.leaves) OVER (PARTITION BY one.method_id ORDER BY p.pos ROWS UNBOUNDED PRECEDING)
      + p.leaves AS open
  FROM placed AS p LEFT JOIN one ON one.id = p.method_id
),
run AS (
  SELECT s.node_id AS node_id, s.method_id AS method_id, s.leaves AS leaves, s.open AS open,
    ifnull(w.ns, 0) AS ns,
    sum(ifnull(w.ns >> 32, 0)) OVER so_far * 4294967296
      + sum(ifnull(w.ns & 4294967295, 0)) OVER so_far AS so_far
  FROM step AS s LEFT JOIN weight AS w ON w.node_id = s.node_id AND s.leaves = 0
  WINDOW so_far AS (ORDER BY s.pos ROWS UNBOUNDED PRECEDING)
),
total AS (
  SELECT method_id, sum(part >> 32) * 4294967296 + sum(part & 4294967295) AS ns FROM (
    SELECT method_id,
      max(CASE leaves WHEN 1 THEN so_far END) + sum(CASE leaves WHEN 0 THEN ns - so_far END) AS part
    FROM run WHERE open = 1 GROUP BY node_id)
  GROUP BY method_id
),
self AS (
  SELECT one.method_id AS method_id, sum(w.ns >> 32) * 4294967296 + sum(w.ns & 4294967295) AS ns
  FROM weight AS w JOIN stack_node AS n ON n.id = w.node_id JOIN one ON one.id = n.method_id
  GROUP BY one.method_id
),
found AS (
  SELECT one.method_id AS method_id, count(DISTINCT m.source_id) AS sources
  FROM one JOIN stack_method AS m ON m.id = one.id GROUP BY one.method_id
)
SELECT CASE WHEN f.sources = 1 THEN m.source_id END AS source_id,
  ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
    || ifnull(nullif(m.name, ''), '(anonymous)') AS method,
  m.file, m.line, (SELECT what FROM counted) AS counted, ifnull(s.ns, 0) AS self_ns, t.ns AS total_ns
FROM total AS t
JOIN stack_method AS m ON m.id = t.method_id
JOIN found AS f ON f.method_id = t.method_id
LEFT JOIN self AS s ON s.method_id = t.method_id
WHERE t.ns > 0 AND ifnull(m.name, '') <> '(root)'
ORDER BY self_ns DESC, total_ns DESC, m.id
LIMIT ifnull(:limit, 30);
