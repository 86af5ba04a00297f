-- Question:   Which calls had a parameter with a value?
-- Topic:      calls
-- Needs:      cloud_call (calls of the Cloud Profiler)
-- Parameters: name   name of the parameter (default web.method)
--             value  its value (default: any)
--             limit  number of rows (default 100)
-- Columns:    call_id, ts, dur, method, value
SELECT c.id AS call_id, c.ts, c.dur, c.method, p.value
FROM v_cloud_call_param AS p
JOIN v_cloud_call AS c ON c.id = p.call_id
WHERE p.name = ifnull(:name, 'web.method')
  AND (:value IS NULL OR p.value = :value)
ORDER BY c.ts, c.id
LIMIT ifnull(:limit, 100);
