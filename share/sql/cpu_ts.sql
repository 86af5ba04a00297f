-- Question:   How did the CPU time of threads develop, in about as many points as a chart is wide?
-- Topic:      flare
-- Needs:      flare_thread (threads of a Flare recording)
-- Parameters: session_id            path of a sample directory (default: all)
--             thread_ids            list such as 132,140 or [132,140] (default or empty: all)
--             start_time, end_time  in ms since 1970 (default or negative: all that was recorded)
--             graph_width           points wanted (default 900); up to twice as many come
-- Columns:    id, name              of the thread
--             start_time, end_time  what is shown of the thread, in ms since 1970
--             unit_time_ms          time of one point
--             cpu_time_ms           CPU time of all points
--             ts_data               CPU time of each point in ms, as a JSON array
WITH RECURSIVE asked AS (
  SELECT f.series_id AS series_id, f.itid AS itid, o.path AS path, o.id AS source_id,
    f.series_ts / 1000000 AS series_start, f.series_end_ts / 1000000 AS series_end,
    s.interval / 1000000 AS slot,
    max(CAST(p.value AS INTEGER), 1) AS sample_interval,
    CASE WHEN ifnull(CAST(:start_time AS INTEGER), -1) < 0 THEN o.start_ts / 1000000
      ELSE max(CAST(:start_time AS INTEGER), o.start_ts / 1000000) END AS a,
    CASE WHEN ifnull(CAST(:end_time AS INTEGER), -1) < 0 THEN o.end_ts / 1000000
      ELSE min(CAST(:end_time AS INTEGER), o.end_ts / 1000000) END AS b,
    CASE WHEN ifnull(CAST(:graph_width AS INTEGER), 0) < 1 THEN 900
      ELSE CAST(:graph_width AS INTEGER) END AS width
  FROM flare_thread AS f
  JOIN source AS o ON o.id = f.source_id
  JOIN timeseries AS s ON s.id = f.series_id
  LEFT JOIN source_property AS p ON p.source_id = o.id AND p.key = 'sample_interval'
  LEFT JOIN thread AS t ON t.rowid = f.itid + 1
  WHERE (:session_id IS NULL OR o.path = :session_id)
    AND ifnull(f.sample_count, 1) > 0
    AND (trim(ifnull(:thread_ids, ''), '[] ') = ''
      OR instr(',' || replace(trim(:thread_ids, '[] '), ' ', '') || ',', ',' || t.tid || ',') > 0)
),
-- So many slots make one point: whole tens of sample intervals when there are more than ten.
merged AS (
  SELECT *, max(1, (CASE WHEN r > 10 THEN r / 10 * 10 ELSE max(r, 1) END) * sample_interval / slot)
    AS m
  FROM (SELECT *, (b - a) / width / sample_interval AS r FROM asked WHERE b > a AND slot > 0)
),
-- Each thread has a beginning of its own.
shown AS (
  SELECT *, (c - series_start) / slot AS s1, (d - series_start) / slot AS s2
  FROM (SELECT *, min(max(a, series_start), series_end) AS c,
      max(min(b, series_end), series_start) AS d
    FROM merged)
),
summed AS (
  SELECT w.series_id AS series_id, ((v.ts / 1000000 - w.series_start) / w.slot - w.s1) / w.m AS k,
    sum(v.value) AS us
  FROM timeseries_value AS v
  JOIN shown AS w ON w.series_id = v.series_id
  WHERE v.ts / 1000000 BETWEEN w.series_start + w.s1 * w.slot
    AND w.series_start + w.s2 * w.slot + w.slot - 1
  GROUP BY 1, 2
),
point(series_id, k) AS (
  SELECT series_id, 0 FROM shown
  UNION ALL
  SELECT q.series_id, q.k + 1
  FROM point AS q JOIN shown AS w ON w.series_id = q.series_id WHERE q.k < (w.s2 - w.s1) / w.m
),
drawn AS (
  SELECT series_id, sum(us) AS us,
    '[' || group_concat(CAST(round(us / 1000.0) AS INTEGER), ',') || ']' AS ts_data
  FROM (SELECT q.series_id AS series_id, ifnull(u.us, 0) AS us
    FROM point AS q LEFT JOIN summed AS u ON u.series_id = q.series_id AND u.k = q.k
    ORDER BY q.series_id, q.k)
  GROUP BY series_id
)
SELECT t.tid AS id, t.name AS name, w.c AS start_time, w.d AS end_time,
  w.m * w.slot AS unit_time_ms, CAST(round(g.us / 1000.0) AS INTEGER) AS cpu_time_ms,
  g.ts_data AS ts_data
FROM shown AS w
JOIN drawn AS g ON g.series_id = w.series_id
LEFT JOIN thread AS t ON t.rowid = w.itid + 1
ORDER BY w.path, w.source_id, t.tid;
