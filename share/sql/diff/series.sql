-- Question:   Which measured values are higher or lower?
--             Series with the same name, thread and unit are one.
-- Order:      50
-- Needs:      timeseries_value (time series)
-- Parameters: source       a source (default: all)
--             thread       a thread: its name, tid or itid (default: all)
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
point AS (
  SELECT t.name AS series, h.name AS thread, t.unit AS unit, v.value AS value, v.ts AS ts, v.rowid AS place
  FROM timeseries AS t
  CROSS JOIN timeseries_value AS v ON v.series_id = t.id
  LEFT JOIN thread AS h ON h.rowid = t.itid + 1
  WHERE t.source_id IN chosen AND v.value IS NOT NULL AND (:thread IS NULL OR t.itid IN picked)
    AND (:from IS NULL OR v.ts >= :from) AND (:until IS NULL OR v.ts < :until)
),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY series, thread, unit ORDER BY ts DESC, place DESC) AS back FROM point
)
SELECT series, thread, unit, avg(value) AS mean, total(value) AS sum, min(value) AS lowest, max(value) AS highest,
  max(CASE WHEN back = 1 THEN value END) AS last, count(*) AS count
FROM placed GROUP BY series, thread, unit ORDER BY series, thread, unit;
