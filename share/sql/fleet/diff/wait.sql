-- Question:   Do threads wait longer for locks?
-- Order:      50
-- Parameters: recordings_count  number of recordings of the side
-- Key:        kind, class
-- Values:     total    ns, sum: time of all waits of a recording
--             count    plain, sum: number of waits of a recording
--             mean     ns, each: time of one
--             longest  ns, each: time of the longest of all recordings
SELECT kind, class, toInt64(round(sum(ns) / :recordings_count)) AS total, round(count() / :recordings_count, 2) AS count,
  toInt64(round(avg(ns))) AS mean, max(ns) AS longest
FROM (SELECT load, toString(kind) AS kind, ifNull(toString(class), '') AS class, assumeNotNull(dur) AS ns FROM v_lock_wait WHERE dur IS NOT NULL) AS f
GLOBAL ALL INNER JOIN :recordings USING load
GROUP BY kind, class ORDER BY kind, class
