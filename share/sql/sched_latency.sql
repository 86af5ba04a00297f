-- Question:   Which threads waited long for a CPU after they were woken?
-- Topic:      threads
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
SELECT process, thread, tid, count(*) AS wakes, avg(latency) / 1000.0 AS mean_us,
  max(latency) / 1000.0 AS max_us, sum(latency) / 1000000.0 AS total_ms, waker, ts AS max_ts
FROM v_sched_latency
WHERE latency IS NOT NULL AND (:pid IS NULL OR pid = :pid)
GROUP BY itid
ORDER BY max(latency) DESC, itid
LIMIT ifnull(:limit, 20);
