-- From the points of both directions: sums, the greatest speed, and the trend.
chosen AS MATERIALIZED (
  SELECT *, ntile(24) OVER (PARTITION BY direction ORDER BY ts, row) AS part,
    row_number() OVER (PARTITION BY direction ORDER BY speed DESC, ts, row) AS place
  FROM point
  WHERE speed IS NOT NULL AND dur > 0 AND ts IS NOT NULL AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)),
summed AS (
  SELECT direction, sum(speed * dur) / 1000000000.0 AS bytes, sum(dur) AS dur, max(speed) AS most FROM chosen GROUP BY direction),
mean AS (
  SELECT direction, part, avg(speed) AS speed FROM chosen GROUP BY direction, part),
trend(direction, text) AS (
  SELECT m.direction, group_concat(substr('▁▂▃▄▅▆▇█', 1 + CAST(7 * ifnull(m.speed / nullif(s.most, 0), 0) + 0.5 AS INTEGER), 1), '')
  FROM (SELECT * FROM mean ORDER BY direction, part) AS m JOIN summed AS s ON s.direction = m.direction
  GROUP BY m.direction)
SELECT s.direction AS direction, CAST(round(s.bytes) AS INTEGER) AS bytes, s.bytes * 1000000000.0 / s.dur AS mean_bytes_per_s,
  s.most AS most_bytes_per_s, c.ts AS most_ts, c.dur AS most_dur, t.text AS trend
FROM summed AS s
JOIN chosen AS c ON c.direction = s.direction AND c.place = 1
LEFT JOIN trend AS t ON t.direction = s.direction
ORDER BY s.direction;
