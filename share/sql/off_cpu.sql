-- Question:   Why were threads not running: where did they leave the CPU, and for how long?
--             By the stacks of sched_switch, from the moment that a thread left the CPU until it ran again: until
--             its next time on a CPU where scheduling was recorded, else until its next sample.
-- Topic:      stacks
-- Needs:      stack_sample (sampled stacks)
-- Parameters: from, to  time: what left the CPU in [from, to) (default: everything)
--             source    id of a source (default: all)
--             thread    itid of a thread (default: all)
--             limit     number of rows (default 30)
-- Columns:    off_ns, longest_ns  time off the CPU; NULL: it was not seen to run again
--             times    how often it left the CPU there
--             open     of these not seen to run again
--             threads  how many different ones; thread: its name, when it is one
--             method   that left the CPU; stack: its callers, the outermost first
WITH RECURSIVE seen AS (
  SELECT s.id AS id, s.itid AS itid, s.ts AS ts, s.node_id AS node_id, 0 AS ran,
    s.event LIKE '%sched_switch' AS left_cpu,
    lead(s.ts) OVER (PARTITION BY s.source_id, s.itid ORDER BY s.ts, s.id) AS next, s.source_id AS source_id
  FROM stack_sample AS s
  WHERE s.itid IS NOT NULL AND s.ts IS NOT NULL
),
scheduled(itid) AS (
  SELECT DISTINCT itid FROM sched_slice
),
moment AS (
  SELECT id, itid, ts, node_id, ran, next, source_id FROM seen WHERE left_cpu
  UNION ALL
  SELECT NULL, itid, ts, NULL, 1, NULL, NULL FROM sched_slice
  WHERE itid IN (SELECT itid FROM seen WHERE left_cpu)
),
off AS MATERIALIZED (
  SELECT *, CASE WHEN itid IN scheduled THEN min(CASE WHEN ran THEN ts END) OVER (
      PARTITION BY itid ORDER BY ts, ran, id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
    ELSE next END AS again
  FROM moment
),
place AS MATERIALIZED (
  SELECT node_id, sum(again - ts) AS off_ns, max(again - ts) AS longest_ns, count(*) AS times,
    sum(again IS NULL) AS open, count(DISTINCT itid) AS threads, min(itid) AS itid
  FROM off
  WHERE NOT ran AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)
    AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))
  GROUP BY node_id
  ORDER BY 2 DESC, 4 DESC, 1
  LIMIT ifnull(CAST(:limit AS INTEGER), 30)
),
path(node_id, id, level) AS (
  SELECT node_id, node_id, 0 FROM place WHERE node_id IS NOT NULL
  UNION ALL
  SELECT p.node_id, n.parent_id, p.level + 1 FROM path AS p CROSS JOIN stack_node AS n ON n.id = p.id
  WHERE n.parent_id IS NOT NULL
),
named AS (
  SELECT p.node_id AS node_id, p.level AS level, ifnull(nullif(m.package, '') || '.', '')
    || ifnull(nullif(m.class, '') || '.', '') || ifnull(nullif(m.name, ''), '(anonymous)') AS name
  FROM path AS p CROSS JOIN stack_node AS n ON n.id = p.id LEFT JOIN stack_method AS m ON m.id = n.method_id
  ORDER BY p.node_id, p.level DESC
),
stack AS MATERIALIZED (
  SELECT node_id, max(CASE WHEN level = 0 THEN name END) AS method, group_concat(name, ' > ') AS stack
  FROM named GROUP BY node_id
)
SELECT p.off_ns, p.longest_ns, p.times, p.open, p.threads, CASE WHEN p.threads = 1 THEN t.name END AS thread,
  k.method, k.stack
FROM place AS p
LEFT JOIN stack AS k ON k.node_id = p.node_id
LEFT JOIN thread AS t ON t.rowid = p.itid + 1
ORDER BY p.off_ns DESC, p.times DESC, p.node_id;
