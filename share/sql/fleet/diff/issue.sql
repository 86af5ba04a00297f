-- Question:   Do recordings have more or fewer defects?
-- Order:      70
-- Parameters: recordings_count  number of recordings of the side
-- Key:        code, severity
-- Values:     defects     plain, sum: of a recording
--             recordings  plain, each: percent of the recordings that have it
SELECT code, severity, round(sum(count) / :recordings_count, 3) AS defects, round(100 * uniqExact(load) / :recordings_count, 2) AS recordings
FROM v_import_issue GLOBAL ALL INNER JOIN :recordings USING load
GROUP BY code, severity ORDER BY code, severity
