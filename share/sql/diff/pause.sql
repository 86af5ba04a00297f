-- Question:   Is the runtime paused longer?
-- Order:      60
-- Needs:      runtime_pause (pauses of the runtime), cloud_suspend (pauses of the Java VM)
-- Parameters: source       a source (default: all)
--             from, until  time: pauses that begin in [from, until) (default: everything)
-- Key:        kind
-- Values:     total    ns, sum: time of all pauses
--             count    plain, sum: number of pauses
--             mean     ns, each: time of one
--             longest  ns, each: time of the longest
WITH RECURSIVE chosen(id) AS (
  SELECT id FROM source WHERE :source IS NULL OR id IN (SELECT value FROM json_each(:source))
)
SELECT kind, sum(dur >> 32) * 4294967296 + sum(dur & 4294967295) AS total, count(*) AS count,
  (total(dur >> 32) * 4294967296.0 + total(dur & 4294967295)) / nullif(count(dur), 0) AS mean, max(dur) AS longest
FROM v_pause
WHERE source_id IN chosen AND (:from IS NULL OR ts >= :from) AND (:until IS NULL OR ts < :until)
GROUP BY kind ORDER BY kind;
