-- Question:   Which measured values are higher or lower?
--             Series with the same name, thread and unit are one. Counters of CPUs, processes and the system are
--             series, too; of these, thread is the CPU ("CPU 0") or the process.
-- Order:      50
-- Needs:      timeseries_value (time series), measure (counters), sys_mem_measure (counters of memory), process_measure (counters of processes), xpower_measure (counters of power use)
-- Parameters: source       a source (default: all); counters are of the recording: they are in the source that is in no other
--             thread       a thread: its name, tid or itid (default: all; counters have none)
--             from, until  time: values measured in [from, until) (default: everything)
-- Key:        series, thread, unit
-- Values:     mean    plain, each: of all values that were recorded
--             sum     plain, each: of all values
--             lowest  plain, each: the lowest value
--             highest  plain, each: the highest value
--             last    plain, each: the latest value
--             count   plain, sum: number of values
WITH RECURSIVE chosen(id) AS (
  SELECT id FROM source WHERE :source IS NULL OR id IN (SELECT value FROM json_each(:source))
),
picked(id) AS (
  SELECT value FROM json_each(:thread)
),
-- Counters are of no source: that of their recording is known where there is one.
recording(asked) AS (
  SELECT :thread IS NULL AND (:source IS NULL OR (count(*) = 1 AND min(id) IN chosen)) FROM source WHERE parent_id IS NULL
),
counted(filter_id, ts, value, place) AS (
  SELECT filter_id, ts, value, rowid FROM measure
  UNION ALL SELECT filter_id, ts, value, rowid FROM sys_mem_measure
  UNION ALL SELECT filter_id, ts, value, rowid FROM process_measure
  UNION ALL SELECT filter_id, ts, value, rowid FROM xpower_measure
),
point AS (
  SELECT t.name AS series, h.name AS thread, t.unit AS unit, v.value AS value, v.ts AS ts, v.rowid AS place
  FROM timeseries AS t
  CROSS JOIN timeseries_value AS v ON v.series_id = t.id
  LEFT JOIN thread AS h ON h.rowid = t.itid + 1
  WHERE t.source_id IN chosen AND v.value IS NOT NULL AND (:thread IS NULL OR t.itid IN picked)
    AND (:from IS NULL OR v.ts >= :from) AND (:until IS NULL OR v.ts < :until)
  UNION ALL
  SELECT f.name, CASE f.type WHEN 'cpu_measure_filter' THEN 'CPU ' || f.source_arg_set_id
      WHEN 'process_measure_filter' THEN ifnull(p.name, 'process ' || p.pid) END, NULL, c.value, c.ts, c.place
  FROM recording CROSS JOIN counted AS c
  CROSS JOIN measure_filter AS f ON f.id = c.filter_id
  LEFT JOIN process AS p ON f.type = 'process_measure_filter' AND p.rowid = f.source_arg_set_id + 1
  WHERE asked AND c.value IS NOT NULL AND (:from IS NULL OR c.ts >= :from) AND (:until IS NULL OR c.ts < :until)
),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY series, thread, unit ORDER BY ts DESC, place DESC) AS back FROM point
)
SELECT series, thread, unit, avg(value) AS mean, total(value) AS sum, min(value) AS lowest, max(value) AS highest,
  max(CASE WHEN back = 1 THEN value END) AS last, count(*) AS count
FROM placed GROUP BY series, thread, unit ORDER BY series, thread, unit;
