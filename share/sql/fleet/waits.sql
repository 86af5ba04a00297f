-- Question:   Which locks do threads wait for?
-- Topic:      runtime
-- Report:     60 Waits for locks
-- Parameters: kind   one of wait, contended or park (default: all)
--             limit  number of rows of a group (default 20)
-- Columns:    part
--             kind, class  of the wait, and of the lock's object
--             recordings   that have some
--             count        waits whose length is known
--             total_ms, mean_ms, longest_ms
SELECT part, kind, class, uniqExact(load) AS recordings, count() AS count, round(sum(ns) / 1000000, 3) AS total_ms,
  round(avg(ns) / 1000000, 3) AS mean_ms, round(max(ns) / 1000000, 3) AS longest_ms
FROM (SELECT load, toString(kind) AS kind, ifNull(toString(class), '') AS class, assumeNotNull(dur) AS ns FROM v_lock_wait WHERE dur IS NOT NULL) AS f
GLOBAL ALL INNER JOIN :recordings USING load
WHERE :kind = '' OR kind = :kind
GROUP BY part, kind, class ORDER BY part, total_ms DESC, kind, class LIMIT :limit BY part
