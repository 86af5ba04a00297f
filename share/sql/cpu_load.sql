-- Question:   How busy were the CPUs over time?
-- Topic:      cpu
-- Needs:      cpu_usage (loads of CPUs)
-- Report:     29 Load of the CPUs
-- Parameters: from, to  time: measured in [from, to) (default: everything)
-- Columns:    points        measurements
--             total_percent, user_percent, system_percent  means, weighted by the time between measurements
--             most_percent, most_ts  the greatest load, and when that was measured, in ns
--             trend         from the first to the last measurement; the highest is 100 %
--             processes     at the last measurement
WITH point AS MATERIALIZED (
  SELECT ts, rowid AS row, ifnull(nullif(dur, 0), 1) AS dur, total_load AS total, user_load AS user, system_load AS system, process_num AS processes, ntile(24) OVER (ORDER BY ts, rowid) AS part
  FROM cpu_usage
  WHERE total_load IS NOT NULL AND ts IS NOT NULL AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)),
most AS (SELECT total, ts FROM point ORDER BY total DESC, ts, row LIMIT 1),
mean(part, total) AS (SELECT part, avg(total) FROM point GROUP BY part ORDER BY part LIMIT -1)
SELECT count(*) AS points, sum(total * dur) / sum(dur) AS total_percent, sum(user * dur) / sum(dur) AS user_percent, sum(system * dur) / sum(dur) AS system_percent,
  (SELECT total FROM most) AS most_percent, (SELECT ts FROM most) AS most_ts,
  (SELECT group_concat(substr('▁▂▃▄▅▆▇█', 1 + CAST(7 * min(max(total, 0), 100) / 100 + 0.5 AS INTEGER), 1), '') FROM mean) AS trend,
  (SELECT processes FROM point ORDER BY ts DESC, row DESC LIMIT 1) AS processes
FROM point
HAVING count(*) > 0;
