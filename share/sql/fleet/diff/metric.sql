-- Question:   Which metrics of profiles are higher or lower?
--             Recordings have them when they were loaded with --analyze=profile_metrics.
-- Order:      60
-- Parameters: recordings_count  number of recordings of the side
-- Key:        metric
-- Values:     mean  plain, each: of all profiles that have it
SELECT name AS metric, avg(num) AS mean
FROM v_profile_metric GLOBAL ALL INNER JOIN :recordings USING load
GROUP BY metric ORDER BY metric
