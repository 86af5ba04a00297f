-- Question:   Which statements of SQL take more or less time?
-- Order:      40
-- Needs:      cloud_tag (statements of traced calls)
-- Parameters: source       a source (default: all)
--             thread       a thread: its name, tid or itid (default: all)
--             from, until  time: invocations that begin in [from, until) (default: everything)
-- Key:        statement
-- Values:     total    ns, sum: time of the invocations that ran it; one that ran it twice counts once
--             count    plain, sum: how often it ran
--             mean     ns, each: time of one of these invocations
--             longest  ns, each: time of the longest
WITH RECURSIVE chosen(id) AS (
  SELECT id FROM source WHERE :source IS NULL OR id IN (SELECT value FROM json_each(:source))
),
picked(id) AS (
  SELECT value FROM json_each(:thread)
),
ran AS (
  SELECT t.value AS statement, count(*) AS n, s.dur AS dur
  FROM v_cloud_tag AS t
  LEFT JOIN stack_slice AS s ON s.id = t.slice_id
  WHERE t.name = 'sql' AND t.value IS NOT NULL AND t.source_id IN chosen
    AND (:thread IS NULL OR s.itid IN picked)
    AND (:from IS NULL OR s.ts >= :from) AND (:until IS NULL OR s.ts < :until)
  GROUP BY t.value, ifnull(t.slice_id, -t.id)
)
SELECT statement, sum(dur >> 32) * 4294967296 + sum(dur & 4294967295) AS total, sum(n) AS count,
  (total(dur >> 32) * 4294967296.0 + total(dur & 4294967295)) / nullif(count(dur), 0) AS mean, max(dur) AS longest
FROM ran GROUP BY statement ORDER BY statement;
