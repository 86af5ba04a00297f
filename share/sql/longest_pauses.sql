-- Question:   Which pauses of the runtime were the longest?
-- Topic:      runtime
-- Needs:      runtime_pause (collections), cloud_suspend (pauses of a Java VM),
--             tptp_trace (TPTP traces), cloud_call (calls of the Cloud Profiler)
-- Report:     60 Longest pauses
-- Parameters: from, to  time: the span in which they began (default: everything)
--             source    id of a source (default: all)
--             limit     number of rows (default 20)
-- Columns:    source_id, kind  gc, or suspend where only the time is known
--             name, cause      collector or pause, and why; NULL where they were not recorded
--             ts, dur          when it began, how long it took
--             bytes_before, bytes_after  heap in use; NULL where it was not recorded
SELECT source_id, kind, name, cause, ts, dur, bytes_before, bytes_after
FROM v_pause
WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
  AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)
ORDER BY dur DESC, ts, source_id, kind
LIMIT ifnull(:limit, 20);
