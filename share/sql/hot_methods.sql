-- Question:   Which methods is the time spent in?
--             A method that several recordings have is one: its library, class, name and file are equal.
--             Classes of what was recorded are never mixed: CPU time is not added to waiting.
-- Topic:      stacks
-- Model:      methods
-- Needs:      stack_sample (sampled stacks), stack_slice (traced calls)
-- Report:     40 Hottest methods
-- Parameters: from, to  time: what lies in [from, to), of samples that part (default: everything)
--             source    id of a source (default: all)
--             thread    itid of a thread (default: all)
--             event     an event of samples, or call for traced calls: only these, such as alloc (default: all,
--                       but sums that a profiler made itself only where it recorded no calls)
--             label     a label of samples: KEY=VALUE or a glob of that, such as worker=w*; KEY (default: all)
--             weight    a weight of stacks: cpu, wall, waiting, waiting:REASON, allocation, live; samples;
--                       dur: the length of all; a name of a value that samples have, or NAME/UNIT (default: the first of CPU
--                       time, elapsed time, allocations, what is in use, waiting, others with a sum above 0)
--             by        one of source (default: a method of several recordings is one row)
--             order     one of self or total (default self)
--             limit     number of rows (default 30)
-- Columns:    method
--             self, total   what it weighs by itself, and with what it called; recursion counts once
--             self_samples, samples  stacks that end in the method, that have it anywhere; of calls: its own, all below it
--             weight, unit  what that is, such as cpu and ns
--             all           the sum over everything that is asked for, also of what has no stack
--             sources, source_id     how many recordings it is in; which, when it is one
-- (root) is left out, and (idle) but for weights of waiting.
WITH RECURSIVE
stackless(too) AS (VALUES (1)),
-- include: stack_weights
-- Methods that are one, by the least of their ids.
one(id, method_id) AS MATERIALIZED (
  SELECT v.id, min(v.id) OVER (PARTITION BY v.key_id, CASE WHEN :by = 'source' THEN m.source_id END)
  FROM v_method AS v CROSS JOIN stack_method AS m ON m.id = v.id
),
-- The part of the tree that has a weight.
path(id) AS (
  SELECT node_id FROM weights WHERE node_id IS NOT NULL
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
-- What was met before: between entering and leaving a node lies all that has it.
met AS (
  SELECT row_number() OVER () AS pos, w.method_id AS method_id, w.kind AS kind,
    x.n AS n, x.weight >> 32 AS hi, x.weight & 4294967295 AS lo,
    ifnull(sum(x.n) OVER before, 0) AS sum_n, ifnull(sum(x.weight >> 32) OVER before, 0) AS sum_hi,
    ifnull(sum(x.weight & 4294967295) OVER before, 0) AS sum_lo
  FROM walk AS w LEFT JOIN weights AS x ON x.node_id = w.node_id AND w.kind <> 1
  WINDOW before AS (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
-- Of a method that calls itself, the outermost frame counts: no other is open around it.
opened AS (
  SELECT *, sum(CASE kind WHEN 0 THEN 1 WHEN 1 THEN -1 ELSE 0 END)
      OVER (PARTITION BY method_id ORDER BY pos ROWS UNBOUNDED PRECEDING) = (kind = 0) AS outer
  FROM met
),
method AS (
  SELECT method_id, ifnull(sum(n), 0) AS self_n, ifnull(sum(hi) * 4294967296 + sum(lo), 0) AS self,
    sum(CASE kind WHEN 0 THEN -sum_n WHEN 1 THEN sum_n ELSE n END) FILTER (WHERE outer) AS n,
    sum(CASE kind WHEN 0 THEN -sum_hi WHEN 1 THEN sum_hi ELSE hi END) FILTER (WHERE outer) * 4294967296
      + sum(CASE kind WHEN 0 THEN -sum_lo WHEN 1 THEN sum_lo ELSE lo END) FILTER (WHERE outer) AS total
  FROM opened GROUP BY method_id
)
SELECT ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
    || ifnull(nullif(m.name, ''), '(anonymous)') AS method,
  o.self, o.total, o.self_n AS self_samples, o.n AS samples, (SELECT kind FROM chosen) AS weight,
  (SELECT unit FROM chosen) AS unit,
  (SELECT sum(weight >> 32) * 4294967296 + sum(weight & 4294967295) FROM weights) AS "all",
  f.sources, CASE WHEN f.sources = 1 THEN m.source_id END AS source_id
FROM method AS o
LEFT JOIN found AS f ON f.method_id IS o.method_id
LEFT JOIN stack_method AS m ON m.id = o.method_id
WHERE ifnull(m.name, '') <> '(root)'
  AND (ifnull(m.name, '') <> '(idle)' OR (SELECT kind FROM chosen) LIKE 'waiting%')
ORDER BY CASE WHEN :order = 'total' THEN o.total ELSE o.self END DESC, o.self DESC, o.total DESC, o.method_id
LIMIT ifnull(CAST(:limit AS INTEGER), 30);
