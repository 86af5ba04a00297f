-- Question:   What do the metrics of profiles of Java, Go and Python say?
--             Recordings have them when they were loaded with --analyze=profile_metrics.
-- Topic:      profiles
-- Report:     80 Metrics of profiles
-- Parameters: name  glob of names of metrics, such as prof_jvm_cpu_* (default: all)
-- Columns:    part
--             name
--             profiles  that have it
--             lowest, mean, highest
SELECT part, name, count() AS profiles, min(num) AS lowest, avg(num) AS mean, max(num) AS highest
FROM v_profile_metric GLOBAL ALL INNER JOIN :recordings USING load
WHERE name :name
GROUP BY part, name ORDER BY part, name
