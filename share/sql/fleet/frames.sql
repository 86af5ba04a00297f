-- Question:   Which frames take longer than 16 ms, and on which devices?
--             What happened, not what was expected; frames whose end was seen.
-- Topic:      frames
-- Report:     70 Frames
-- Parameters: ms       number of milliseconds that a frame may take (default 16.667)
--             process  glob of names of processes (default: all)
-- Columns:    part
--             process
--             recordings  that have some
--             frames
--             longer      those that took longer
--             share       the same in percent
--             late        those that missed their time, by the recorder's flag
--             mean_ms, p95_ms, longest_ms
SELECT part, process, uniqExact(load) AS recordings, count() AS frames, countIf(ns > :ms * 1000000) AS longer,
  round(100 * longer / frames, 2) AS share, countIf(late) AS late, round(avg(ns) / 1000000, 3) AS mean_ms,
  round(quantileExact(0.95)(ns) / 1000000, 3) AS p95_ms, round(max(ns) / 1000000, 3) AS longest_ms
FROM (
  SELECT load, ipid, ns, late, process FROM (
    SELECT load, ipid, assumeNotNull(dur) AS ns, ifNull(flag, 0) IN (1, 3) AS late FROM v_frame_slice WHERE dur IS NOT NULL AND type = 0
  ) AS a ANY LEFT JOIN (SELECT load, ipid, ifNull(toString(name), '') AS process FROM v_process) AS b USING (load, ipid)
) AS f GLOBAL ALL INNER JOIN :recordings USING load
WHERE process :process
GROUP BY part, process ORDER BY part, longer DESC, process
