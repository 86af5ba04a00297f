-- Question:   How busy was each CPU, and with which thread most?
-- Topic:      cpu
-- Model:      cpu_busy
-- Needs:      sched_slice (scheduling)
-- Report:     37 CPUs
-- Parameters: limit  number of rows (default 1000)
-- Columns:    cpu
--             slices, threads  times that a thread ran, and how many threads
--             busy_dur, idle_dur  ns of those whose end was seen
--             busy_share       of both
--             thread, thread_dur  that ran longest
WITH run AS (
  SELECT cpu, itid, count(*) AS n, sum(dur >> 32) * 4294967296 + sum(dur & 4294967295) AS ns
  FROM sched_slice
  GROUP BY itid * 4096 + cpu, cpu),
first AS (SELECT cpu, itid, ns, row_number() OVER (PARTITION BY cpu ORDER BY ns DESC, itid) AS place FROM run WHERE itid <> 0)
SELECT u.cpu AS cpu, sum(CASE WHEN u.itid <> 0 THEN u.n ELSE 0 END) AS slices, count(nullif(u.itid, 0)) AS threads,
  sum(CASE WHEN u.itid <> 0 THEN u.ns ELSE 0 END) AS busy_dur, sum(CASE WHEN u.itid = 0 THEN u.ns ELSE 0 END) AS idle_dur,
  sum(CASE WHEN u.itid <> 0 THEN u.ns ELSE 0 END) * 1.0 / nullif(sum(u.ns), 0) AS busy_share, t.name AS thread, f.ns AS thread_dur
FROM run AS u LEFT JOIN first AS f ON f.cpu = u.cpu AND f.place = 1 LEFT JOIN thread AS t ON t.rowid = f.itid + 1
GROUP BY u.cpu
ORDER BY u.cpu
LIMIT ifnull(:limit, 1000);
