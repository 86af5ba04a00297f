-- Question:   Which share of the time was the runtime paused, for garbage collections or others?
-- Topic:      runtime
-- Needs:      runtime_pause (collections), cloud_suspend (pauses of a Java VM),
--             tptp_trace (TPTP traces), cloud_call (calls of the Cloud Profiler)
-- Parameters: source  id of a source (default: all)
-- Columns:    source_id, kind
--             count    pauses
--             dur      ns of those whose duration is known
--             longest  ns
--             share    of the time from the beginning to the end of the source
SELECT p.source_id, p.kind, count(*) AS count,
  sum(ifnull(p.dur, 0) >> 32) * 4294967296 + sum(ifnull(p.dur, 0) & 4294967295) AS dur,
  max(p.dur) AS longest,
  (sum(ifnull(p.dur, 0) >> 32) * 4294967296.0 + sum(ifnull(p.dur, 0) & 4294967295)) /
    nullif(s.end_ts - s.start_ts, 0) AS share
FROM v_pause AS p
LEFT JOIN source AS s ON s.id = p.source_id
WHERE (:source IS NULL OR p.source_id IN (SELECT value FROM json_each(:source)))
GROUP BY p.source_id, p.kind
ORDER BY p.source_id, p.kind;
