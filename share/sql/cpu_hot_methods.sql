-- Question:   Which methods burned the CPU in a span of time?
--             A sample counts with the part of its time that lies in the span. (idle) and (root)
--             are left out.
-- Parameters: from, to  the span in ns of the trace clock (default: everything)
--             source    id of a source (default: all)
--             limit     number of rows (default 30)
-- Columns:    source_id, method, file, line
--             self_ns   time in the method itself
--             total_ns  time in it or in what it called; recursion counts once
WITH RECURSIVE weight AS (
  SELECT node_id, sum(
      min(ts + dur, ifnull(:to, 9223372036854775807))
      - max(ts, ifnull(:from, -9223372036854775807))) AS ns
  FROM stack_sample
  WHERE node_id IS NOT NULL AND dur > 0
    AND ts < ifnull(:to, 9223372036854775807)
    AND ts + dur > ifnull(:from, -9223372036854775807)
    AND source_id = ifnull(:source, source_id)
  GROUP BY node_id
),
up(start_id, method_id, parent_id) AS (
  SELECT n.id, n.method_id, n.parent_id FROM weight AS w JOIN stack_node AS n ON n.id = w.node_id
  UNION ALL
  SELECT up.start_id, p.method_id, p.parent_id
  FROM up CROSS JOIN stack_node AS p ON p.id = up.parent_id
),
total AS (
  SELECT u.method_id AS method_id, sum(w.ns) AS ns
  FROM (SELECT DISTINCT start_id, method_id FROM up) AS u
  JOIN weight AS w ON w.node_id = u.start_id
  GROUP BY u.method_id
),
self AS (
  SELECT n.method_id AS method_id, sum(w.ns) AS ns
  FROM weight AS w JOIN stack_node AS n ON n.id = w.node_id
  GROUP BY n.method_id
)
SELECT m.source_id,
  ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
    || ifnull(nullif(m.name, ''), '(anonymous)') AS method,
  m.file, m.line, ifnull(s.ns, 0) AS self_ns, t.ns AS total_ns
FROM total AS t
JOIN stack_method AS m ON m.id = t.method_id
LEFT JOIN self AS s ON s.method_id = t.method_id
WHERE ifnull(m.name, '') NOT IN ('(root)', '(idle)')
ORDER BY self_ns DESC, total_ns DESC, m.id
LIMIT ifnull(:limit, 30);
