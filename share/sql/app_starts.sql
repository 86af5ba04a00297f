-- Question:   How long did applications take to start, and which phase took longest?
-- Topic:      calls
-- Needs:      app_startup (starts of applications)
-- Report:     34 Starts of applications
-- Parameters: limit  number of rows (default 20)
-- Columns:    application
--             ts          when its first phase began, in ns
--             dur         until its last phase ended, in ns
--             phases      that were seen
--             longest_phase, phase_dur  of them, and how long it took, in ns
--             libraries, libraries_dur  that were loaded meanwhile, and how long that took, in ns
WITH phase(packed, place, name, ts, dur) AS (
  SELECT packed_name, start_name, CASE start_name WHEN 0 THEN 'touch' WHEN 1 THEN 'start of the ability' WHEN 2 THEN 'load of the application'
    WHEN 3 THEN 'attach of the application' WHEN 4 THEN 'launch of the ability' WHEN 5 THEN 'transaction of the ability'
    WHEN 6 THEN 'first frame' WHEN 7 THEN 'first frame shown' ELSE start_name END, start_time, end_time - start_time
  FROM app_startup),
ordered AS (
  SELECT *, row_number() OVER (PARTITION BY packed ORDER BY dur DESC, place) AS number FROM phase),
started AS MATERIALIZED (
  SELECT packed, min(ts) AS ts, max(ts + dur) AS until, count(*) AS phases FROM phase GROUP BY packed
  ORDER BY max(ts + dur) - min(ts) DESC, min(ts), packed LIMIT ifnull(CAST(:limit AS INTEGER), 20)),
loaded AS (
  SELECT s.packed AS packed, count(*) AS n, sum(CASE WHEN l.depth = 0 THEN l.end_time - l.start_time END) AS dur
  FROM started AS s JOIN (SELECT DISTINCT packed_name, ipid FROM app_startup) AS a ON a.packed_name IS s.packed
  JOIN static_initalize AS l ON l.ipid = a.ipid AND l.start_time BETWEEN s.ts AND s.until
  GROUP BY s.packed)
SELECT s.packed AS application, s.ts AS ts, s.until - s.ts AS dur, s.phases AS phases, o.name AS longest_phase, o.dur AS phase_dur,
  ifnull(l.n, 0) AS libraries, l.dur AS libraries_dur
FROM started AS s
LEFT JOIN ordered AS o ON o.packed IS s.packed AND o.number = 1
LEFT JOIN loaded AS l ON l.packed IS s.packed
ORDER BY s.until - s.ts DESC, s.ts, s.packed;
