-- Question:   Which recordings are there?
-- Topic:      recordings
-- Report:     10 Recordings
-- Parameters: none
-- Columns:    part
--             recordings
--             complete     those that were read to their ends without a loss
--             with_issues  those with defects
--             bytes, rows  of the recordings, and of what was loaded
--             first_day, last_day
SELECT part, count() AS recordings, sum(complete) AS complete, countIf(issues > 0) AS with_issues, sum(bytes) AS bytes,
  sum(rows) AS rows, toString(min(day)) AS first_day, toString(max(day)) AS last_day
FROM v_recording GLOBAL ALL INNER JOIN :recordings USING load
GROUP BY part ORDER BY part
