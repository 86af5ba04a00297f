-- Question:   How busy was a thread over time?
-- Topic:      stacks
-- Model:      timeline
-- Needs:      stack_sample (sampled stacks)
-- Parameters: thread    itid of the thread (default: all threads together)
--             buckets   number of equal spans (default 50)
--             from, to  time: what is divided (default: trace_range)
-- Columns:    bucket, start_ts, end_ts
--             busy_ns   time of samples that ran, or of which that is not known, in the span; a
--                       sample is split between spans
--             idle_ns   time of samples that waited: idle, asleep, for locks, for files
--             samples   number of samples that begin in the span
-- Sums are put together from halves: sum() fails beyond 64 bits, and damage can make numbers huge.
WITH RECURSIVE span AS (
  SELECT ifnull(:from, start_ts) AS start_ts, ifnull(:to, end_ts) AS end_ts,
    max(CAST(ifnull(:buckets, 50) AS INTEGER), 1) AS n
  FROM trace_range LIMIT 1
),
width AS (
  SELECT start_ts, end_ts, n, max((end_ts - start_ts + n - 1) / n, 1) AS w FROM span
),
bucket(b, start_ts, end_ts) AS (
  SELECT 0, start_ts, start_ts + w FROM width
  UNION ALL
  SELECT b + 1, bucket.end_ts, bucket.end_ts + w FROM bucket, width WHERE b + 1 < n
),
sample AS (
  SELECT max(s.ts, x.start_ts) AS ts, min(s.ts + s.dur, x.end_ts) AS te,
    s.ts >= x.start_ts AS begins, s.class = 'waiting' AS idle
  FROM width AS x
  CROSS JOIN v_sample AS s
  WHERE s.dur >= 0 AND s.ts < x.end_ts AND s.ts + s.dur >= x.start_ts
    AND (:thread IS NULL OR s.itid IN (SELECT value FROM json_each(:thread)))
),
placed AS (
  SELECT ts, te, begins, idle, (ts - start_ts) / w AS first_b,
    max((te - 1 - start_ts) / w, (ts - start_ts) / w) AS last_b
  FROM sample, width
  LIMIT -1
),
part AS (
  SELECT first_b AS b, te - ts AS ns, begins, idle FROM placed WHERE first_b = last_b
  UNION ALL
  SELECT k.b, min(p.te, k.end_ts) - max(p.ts, k.start_ts), p.begins AND k.b = p.first_b, p.idle
  FROM placed AS p JOIN bucket AS k ON k.b BETWEEN p.first_b AND p.last_b
  WHERE p.first_b < p.last_b
),
summed AS (
  SELECT b,
    sum((1 - idle) * (ns >> 32)) * 4294967296 + sum((1 - idle) * (ns & 4294967295)) AS busy_ns,
    sum(idle * (ns >> 32)) * 4294967296 + sum(idle * (ns & 4294967295)) AS idle_ns,
    sum(begins) AS samples
  FROM part GROUP BY b
)
SELECT k.b AS bucket, k.start_ts, k.end_ts, ifnull(s.busy_ns, 0) AS busy_ns,
  ifnull(s.idle_ns, 0) AS idle_ns, ifnull(s.samples, 0) AS samples
FROM bucket AS k LEFT JOIN summed AS s ON s.b = k.b
ORDER BY k.b;
