-- Question:   Which calls of a Java service were the slowest in a span of time?
--             slow_calls answers this for all sources.
-- Topic:      calls
-- Needs:      cloud_call (calls of the Cloud Profiler)
-- Parameters: from, to  time: the span in which they began (default: everything)
--             source    id of a source (default: all)
--             limit     number of rows (default 20)
-- Columns:    id, ts, dur       the call, when it began, how long it took
--             suspend_dur       part of it in which the Java VM was paused
--             cpu_dur, wait_dur on a CPU, and waiting for locks
--             thread_name, method
SELECT id, ts, dur, suspend_dur, cpu_dur, wait_dur, thread_name, method
FROM v_cloud_call
WHERE ts >= ifnull(:from, -9223372036854775807)
  AND ts < ifnull(:to, 9223372036854775807)
  AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
ORDER BY dur DESC, id
LIMIT ifnull(:limit, 20);
