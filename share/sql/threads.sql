-- Question:   What did each thread do: run, wait (for what), or nothing that is known?
--             The model answers it, each moment once; the statement adds up what one table says of a thread.
-- Topic:      cpu
-- Model:      spent
-- Needs:      thread_state (states of threads), sched_slice (scheduling), stack_sample (sampled stacks), stack_slice (traced calls), lock_wait (waits for locks)
-- Report:     36 Threads, by CPU time
-- Parameters: source    id of a source (default: all)
--             thread    itid of threads (default: all)
--             from, to  time: what is looked at (default: everything)
--             limit     number of rows (default 20)
-- Columns:    source_id, itid, pid, process, tid, thread
--             cpu_dur   ns that it ran on a CPU; NULL: not known. Elapsed time is not CPU time
--             cpu_from  how that is known: recorded, from scheduling, from samples; estimated: of sampling intervals
--             wait_dur  ns that it waited, and for what (reasons)
--             paused    ns in which its runtime was paused and it did not wait
--             unknown   ns of length, the time of the recording that is looked at, without all of that
WITH part(itid, source_id, rank, what, ns) AS (
  SELECT i.itid, d.source_id, 2, CASE i.state WHEN 'Running' THEN 'cpu' WHEN 'R' THEN 'runnable' WHEN 'R+' THEN 'runnable' WHEN 'R-B' THEN 'runnable'
    WHEN 'S' THEN 'sleep' WHEN 'D-IO' THEN 'io' WHEN 'DK-IO' THEN 'io' WHEN 'D' THEN 'blocked' WHEN 'D-NIO' THEN 'blocked' WHEN 'DK' THEN 'blocked' ELSE 'other' END, i.dur
  FROM thread_state AS i LEFT JOIN thread_detail AS d ON d.rowid = i.itid + 1 WHERE (:from IS NULL OR i.ts >= :from) AND (:to IS NULL OR i.ts < :to)
  UNION ALL SELECT itid, source_id, 3, CASE class WHEN 'cpu' THEN 'cpu' ELSE ifnull(reason, 'other') END, dur FROM v_sample
  WHERE class IN ('cpu', 'waiting') AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)
  UNION ALL SELECT itid, source_id, 1, w.what, CASE w.what WHEN 'cpu' THEN cpu_dur ELSE dur - cpu_dur END FROM stack_slice, (SELECT 'cpu' AS what UNION SELECT 'other') AS w
  WHERE parent_id IS NULL AND itid IS NOT NULL AND cpu_dur IS NOT NULL AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)),
summed AS (
  SELECT itid, source_id, rank, what, sum(ns >> 32) * 4294967296 + sum(ns & 4294967295) AS ns FROM part
  WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source))) AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))
  GROUP BY itid, source_id, rank, what),
best AS (SELECT itid, source_id, min(rank) AS rank FROM summed GROUP BY itid, source_id)
SELECT b.source_id, b.itid, p.pid, p.name AS process, t.tid, t.name AS thread, max(CASE w.what WHEN 'cpu' THEN w.ns END) AS cpu_dur,
  CASE b.rank WHEN 1 THEN 'recorded' WHEN 2 THEN 'scheduling' ELSE 'samples' END AS cpu_from,
  sum(CASE WHEN w.what <> 'cpu' THEN w.ns >> 32 END) * 4294967296 + sum(CASE WHEN w.what <> 'cpu' THEN w.ns & 4294967295 END) AS wait_dur,
  group_concat(CASE WHEN w.what <> 'cpu' AND w.ns > 0 THEN w.what || ' ' || w.ns END, ', ') AS reasons, NULL AS paused, NULL AS unknown, NULL AS length
FROM best AS b JOIN summed AS w ON w.itid IS b.itid AND w.source_id IS b.source_id AND w.rank = b.rank
LEFT JOIN thread AS t ON t.rowid = b.itid + 1 LEFT JOIN process AS p ON p.rowid = t.ipid + 1
GROUP BY b.itid, b.source_id
ORDER BY cpu_dur DESC, wait_dur DESC, b.itid
LIMIT ifnull(:limit, 20);
