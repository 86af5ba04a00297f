-- Question:   How long is the runtime paused, by garbage collections and others?
-- Topic:      runtime
-- Report:     50 Pauses of the runtime
-- Parameters: none
-- Columns:    part
--             kind
--             recordings  that have some
--             count       pauses whose length is known
--             total_ms, mean_ms, p95_ms, longest_ms
SELECT part, kind, uniqExact(load) AS recordings, count() AS count, round(sum(ns) / 1000000, 3) AS total_ms,
  round(avg(ns) / 1000000, 3) AS mean_ms, round(quantileExact(0.95)(ns) / 1000000, 3) AS p95_ms,
  round(max(ns) / 1000000, 3) AS longest_ms
FROM (SELECT load, kind, assumeNotNull(dur) AS ns FROM v_runtime_pause WHERE dur IS NOT NULL) AS f
GLOBAL ALL INNER JOIN :recordings USING load
GROUP BY part, kind ORDER BY part, total_ms DESC, kind
