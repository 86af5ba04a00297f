-- Question:   Do frames take longer?
--             What happened, not what was expected; frames whose end was seen.
-- Order:      30
-- Parameters: recordings_count  number of recordings of the side
-- Key:        process
-- Values:     p95     ns, each: time that 95 % of the frames did not exceed
--             mean    ns, each: time of one
--             late    plain, sum: frames of a recording that missed their time
--             frames  plain, sum: frames of a recording
SELECT process, quantileExact(0.95)(ns) AS p95, toInt64(round(avg(ns))) AS mean, round(countIf(late) / :recordings_count, 2) AS late,
  round(count() / :recordings_count, 2) AS frames
FROM (
  SELECT load, ipid, ns, late, process FROM (
    SELECT load, ipid, assumeNotNull(dur) AS ns, ifNull(flag, 0) IN (1, 3) AS late FROM v_frame_slice WHERE dur IS NOT NULL AND type = 0
  ) AS a ANY LEFT JOIN (SELECT load, ipid, ifNull(toString(name), '') AS process FROM v_process) AS b USING (load, ipid)
) AS f GLOBAL ALL INNER JOIN :recordings USING load
GROUP BY process ORDER BY process
