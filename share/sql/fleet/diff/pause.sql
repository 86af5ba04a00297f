-- Question:   Is the runtime paused longer?
-- Order:      40
-- Parameters: recordings_count  number of recordings of the side
-- Key:        kind
-- Values:     total    ns, sum: time of all pauses of a recording
--             count    plain, sum: number of pauses of a recording
--             mean     ns, each: time of one
--             longest  ns, each: time of the longest of all recordings
SELECT kind, toInt64(round(sum(ns) / :recordings_count)) AS total, round(count() / :recordings_count, 2) AS count,
  toInt64(round(avg(ns))) AS mean, max(ns) AS longest
FROM (SELECT load, kind, assumeNotNull(dur) AS ns FROM v_runtime_pause WHERE dur IS NOT NULL) AS f
GLOBAL ALL INNER JOIN :recordings USING load
GROUP BY kind ORDER BY kind
