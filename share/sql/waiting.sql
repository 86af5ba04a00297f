-- Question:   What did threads wait for, and how long?
--             Waits that overlap count each; threads counts each moment once.
-- Topic:      runtime
-- Model:      waiting
-- Needs:      thread_state (states of threads), stack_sample (sampled stacks), lock_wait (waits for locks)
-- Report:     66 What threads waited for
-- Parameters: source  id of a source (default: all)
--             limit   number of rows (default 20)
-- Columns:    reason   runnable (waited for a CPU), sleep, blocked, io, lock, wait, park, idle
--             waits    how many; NULL where only their time was recorded
--             threads  that waited
--             dur, max_dur  ns of all and of the longest; those that are open at the end do not count
-- What only its innermost frame makes a wait is looked for by that, all else by its event: few samples are asked what they are.
WITH idle(id) AS MATERIALIZED (
  SELECT n.id FROM stack_method AS m CROSS JOIN stack_node AS n ON n.method_id = m.id WHERE m.name IN (SELECT state FROM event_class WHERE class = 'waiting' AND state LIKE '(%)')),
event(source_id, event) AS MATERIALIZED (
  SELECT DISTINCT o.id, e.event FROM source AS o JOIN event_class AS e ON e.format = o.format WHERE e.class = 'waiting' AND e.state NOT LIKE '(%)'),
state(itid, code, n, high, low, max_dur) AS (
  SELECT itid, code, count(*), sum(dur >> 32), sum(dur & 4294967295), max(dur)
  FROM (SELECT itid, dur, CASE state WHEN 'S' THEN 1 WHEN 'R' THEN 2 WHEN 'R+' THEN 2 WHEN 'R-B' THEN 2 WHEN 'D' THEN 3 WHEN 'D-NIO' THEN 3 WHEN 'DK' THEN 3
      WHEN 'DK-NIO' THEN 3 WHEN 'D-IO' THEN 4 WHEN 'DK-IO' THEN 4 WHEN 'I' THEN 5 END AS code FROM thread_state)
  WHERE code > 0
  GROUP BY itid * 8 + code),
wait(source_id, itid, reason, n, high, low, max_dur) AS (
  SELECT d.source_id, i.itid, CASE i.code WHEN 1 THEN 'sleep' WHEN 2 THEN 'runnable' WHEN 3 THEN 'blocked' WHEN 4 THEN 'io' ELSE 'idle' END, i.n, i.high, i.low, i.max_dur
  FROM state AS i LEFT JOIN thread_detail AS d ON d.rowid = i.itid + 1
  UNION ALL SELECT s.source_id, s.itid, s.reason, 1, s.dur >> 32, s.dur & 4294967295, s.dur FROM v_sample AS s WHERE s.class = 'waiting' AND s.dur IS NOT NULL
  AND (s.node_id IN (SELECT id FROM idle) OR (s.source_id, s.event) IN (SELECT source_id, event FROM event))
  UNION ALL SELECT t.source_id, NULL, e.reason, NULL, v.value >> 32, v.value & 4294967295, v.value FROM stack_sample_value AS v JOIN stack_value_type AS t ON t.id = v.value_type_id
  JOIN source AS o ON o.id = t.source_id JOIN event_class AS e ON e.format = o.format AND e.event = t.name AND e.state = '*'
  WHERE e.class = 'waiting' AND t.unit IN ('ns', 'nanoseconds')
  UNION ALL SELECT w.source_id, w.itid, CASE w.kind WHEN 'contended' THEN 'lock' ELSE w.kind END, 1, w.dur >> 32, w.dur & 4294967295, w.dur FROM lock_wait AS w
  WHERE w.source_id NOT IN (SELECT o.id FROM source AS o JOIN event_class AS e ON e.format = o.format WHERE e.event = 'lock'))
SELECT reason, sum(n) AS waits, nullif(count(DISTINCT itid), 0) AS threads,
  sum(high) * 4294967296 + sum(low) AS dur, max(CASE WHEN n > 0 THEN max_dur END) AS max_dur
FROM wait
WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
GROUP BY reason
ORDER BY dur DESC, reason
LIMIT ifnull(:limit, 20);
