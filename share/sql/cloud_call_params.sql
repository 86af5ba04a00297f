-- Question:   With which parameters was a call made?
-- Topic:      calls
-- Needs:      cloud_call (calls of the Cloud Profiler)
-- Parameters: call  id in cloud_call (default 1)
-- Columns:    name, value
SELECT name, value
FROM v_cloud_call_param
WHERE call_id = ifnull(:call, 1)
ORDER BY name, ordinal;
