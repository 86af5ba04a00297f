-- Question:   Which threads waited long for a CPU after they were woken?
-- Topic:      threads
-- Model:      sched_latency
-- Needs:      thread_state (scheduling of a trace of the system)
-- Parameters: pid    id of a process (default: all)
--             limit  number of rows (default 20)
-- Columns:    process, thread, tid
--             wakes      how often it was woken
--             mean_us    how long it waited on average
--             max_us     how long it waited at most
--             total_ms   how long it waited in all
--             waker      thread that woke it before the longest wait
--             max_ts     when that was, in ns
WITH woken AS MATERIALIZED (
  SELECT i.ref AS itid, count(*) AS wakes, avg(s.dur) AS mean, max(s.dur) AS longest, sum(s.dur) AS total, i.wakeup_from AS waker, i.ts AS ts
  FROM instant AS i CROSS JOIN thread_state AS s ON s.itid = i.ref AND s.ts = i.ts AND s.state = 'R'
  WHERE i.name = 'sched_wakeup' AND s.dur IS NOT NULL
  GROUP BY i.ref)
SELECT p.name AS process, t.name AS thread, t.tid AS tid, w.wakes AS wakes, w.mean / 1000.0 AS mean_us,
  w.longest / 1000.0 AS max_us, w.total / 1000000.0 AS total_ms, o.name AS waker, w.ts AS max_ts
FROM woken AS w
LEFT JOIN thread AS t ON t.rowid = w.itid + 1
LEFT JOIN process AS p ON p.rowid = t.ipid + 1
LEFT JOIN thread AS o ON o.rowid = w.waker + 1
WHERE :pid IS NULL OR p.pid = :pid
ORDER BY w.longest DESC, w.itid
LIMIT ifnull(:limit, 20);
