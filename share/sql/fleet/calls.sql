-- Question:   Which calls of services are the slowest?
--             Calls of the Cloud Profiler by their root method; of recordings that were loaded without --rows=all those that
--             took 100 ms or longer.
-- Topic:      calls
-- Report:     45 Slowest calls
-- Parameters: method  glob of methods (default: all)
--             limit   number of rows of a group (default 20)
-- Columns:    part
--             method
--             recordings  that have it
--             calls
--             mean_ms, p95_ms, longest_ms, cpu_ms  of a call; cpu_ms: where it was recorded
SELECT part, method, uniqExact(load) AS recordings, count() AS calls, round(avg(ns) / 1000000, 3) AS mean_ms,
  round(quantileExact(0.95)(ns) / 1000000, 3) AS p95_ms, round(max(ns) / 1000000, 3) AS longest_ms,
  round(avg(cpu) / 1000000, 3) AS cpu_ms
FROM (
  SELECT load, ns, cpu, concat(class, if(class = '', '', '.'), name) AS method FROM (
    SELECT load, toUInt32(ifNull(method_id, 0)) AS method_id, dur AS ns, cpu_dur AS cpu FROM v_cloud_call
  ) AS a ANY LEFT JOIN (
    SELECT load, toUInt32(id) AS method_id, ifNull(toString(class), '') AS class, ifNull(toString(name), '') AS name FROM v_stack_method
  ) AS b USING (load, method_id)
) AS f GLOBAL ALL INNER JOIN :recordings USING load
WHERE method :method
GROUP BY part, method ORDER BY part, longest_ms DESC, method LIMIT :limit BY part
