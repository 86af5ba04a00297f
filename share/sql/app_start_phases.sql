-- Question:   Which phases did the start of an application have, and how long was each?
-- Topic:      calls
-- Needs:      app_startup (starts of applications)
-- Parameters: application  its name (default: all)
--             limit        number of rows (default 50)
-- Columns:    application
--             phase
--             ts      when it began, in ns
--             since   the time from the beginning of the first phase, in ns
--             dur     how long it took, in ns
--             pid, process  that it was seen in
WITH phase AS MATERIALIZED (
  SELECT packed_name, start_name, start_time, end_time, ipid, min(start_time) OVER (PARTITION BY packed_name) AS first
  FROM app_startup WHERE :application IS NULL OR packed_name = :application
)
SELECT a.packed_name AS application, CASE a.start_name WHEN 0 THEN 'touch' WHEN 1 THEN 'start of the ability' WHEN 2 THEN 'load of the application'
    WHEN 3 THEN 'attach of the application' WHEN 4 THEN 'launch of the ability' WHEN 5 THEN 'transaction of the ability'
    WHEN 6 THEN 'first frame' WHEN 7 THEN 'first frame shown' ELSE a.start_name END AS phase,
  a.start_time AS ts, a.start_time - a.first AS since, a.end_time - a.start_time AS dur, p.pid AS pid, p.name AS process
FROM phase AS a LEFT JOIN process AS p ON p.rowid = a.ipid + 1
ORDER BY a.first, a.packed_name, a.start_time, a.start_name
LIMIT ifnull(CAST(:limit AS INTEGER), 50);
