-- Question:   Which pauses of the Java VM hit a call?
-- Topic:      calls
-- Needs:      cloud_call (calls of the Cloud Profiler)
-- Parameters: call  id in cloud_call (default 1)
-- Columns:    ts, dur  the pause
--             hit      part of it in the call, ns
SELECT p.ts, p.dur, min(c.ts + c.dur, p.ts + p.dur) - max(c.ts, p.ts) AS hit
FROM cloud_call AS c
CROSS JOIN cloud_suspend AS p
  ON p.source_id = c.source_id AND p.ts + p.dur > c.ts AND p.ts < c.ts + c.dur
WHERE c.id = ifnull(:call, 1)
ORDER BY p.ts, p.id;
