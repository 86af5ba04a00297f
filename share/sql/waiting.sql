-- Question:   What did threads wait for, and how long?
--             Waits that overlap count each; threads counts each moment once.
-- Topic:      runtime
-- Needs:      thread_state (states of threads), stack_sample (sampled stacks), lock_wait (waits for locks)
-- Report:     66 What threads waited for
-- Parameters: source  id of a source (default: all)
--             limit   number of rows (default 20)
-- Columns:    reason   runnable (waited for a CPU), sleep, blocked, io, lock, wait, park, idle
--             waits    how many; NULL where only their time was recorded
--             threads  that waited
--             dur, max_dur  ns of all and of the longest; those that are open at the end do not count
WITH wait(source_id, itid, reason, n, dur) AS (
  SELECT d.source_id, i.itid, CASE i.state WHEN 'S' THEN 'sleep' WHEN 'I' THEN 'idle' WHEN 'D-IO' THEN 'io' WHEN 'DK-IO' THEN 'io' WHEN 'R' THEN 'runnable'
    WHEN 'R+' THEN 'runnable' WHEN 'R-B' THEN 'runnable' ELSE 'blocked' END, 1, i.dur FROM thread_state AS i LEFT JOIN thread_detail AS d ON d.rowid = i.itid + 1
  WHERE i.state IN ('S', 'I', 'R', 'R+', 'R-B', 'D', 'D-IO', 'D-NIO', 'DK', 'DK-IO', 'DK-NIO')
  UNION ALL SELECT s.source_id, s.itid, s.reason, 1, s.dur FROM v_sample AS s WHERE s.class = 'waiting' AND s.dur IS NOT NULL
  UNION ALL SELECT t.source_id, NULL, e.reason, NULL, v.value FROM stack_sample_value AS v JOIN stack_value_type AS t ON t.id = v.value_type_id
  JOIN source AS o ON o.id = t.source_id JOIN event_class AS e ON e.format = o.format AND e.event = t.name AND e.state = '*'
  WHERE e.class = 'waiting' AND t.unit IN ('ns', 'nanoseconds')
  UNION ALL SELECT w.source_id, w.itid, CASE w.kind WHEN 'contended' THEN 'lock' ELSE w.kind END, 1, w.dur FROM lock_wait AS w
  WHERE w.source_id NOT IN (SELECT o.id FROM source AS o JOIN event_class AS e ON e.format = o.format WHERE e.event = 'lock'))
SELECT reason, sum(n) AS waits, nullif(count(DISTINCT itid), 0) AS threads,
  sum(dur >> 32) * 4294967296 + sum(dur & 4294967295) AS dur, max(CASE WHEN n > 0 THEN dur END) AS max_dur
FROM wait
WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
GROUP BY reason
ORDER BY dur DESC, reason
LIMIT ifnull(:limit, 20);
