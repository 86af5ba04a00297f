-- Question:   Which statements did a call run?
-- Topic:      calls
-- Needs:      cloud_call (calls of the Cloud Profiler)
-- Parameters: call  id in cloud_call (default 1)
--             name  name of the tag (default sql)
-- Columns:    value    the statement
--             count    how often
--             dur      ns of the invocations that ran it; NULL where none is known
--             longest  ns of the longest of them
-- A thread's invocations from one root to the next are those of the first.
WITH root AS (
  SELECT s.id, s.itid FROM cloud_call AS c JOIN stack_slice AS s ON s.id = c.root_slice_id
  WHERE c.id = ifnull(:call, 1)
),
next AS (
  SELECT ifnull(min(s.id), 9223372036854775807) AS id
  FROM root AS r JOIN stack_slice AS s ON s.id > r.id AND s.itid = r.itid AND s.parent_id IS NULL
),
-- An invocation that ran a statement more than once counts its time once.
ran AS (
  SELECT t.value AS value, count(*) AS count, s.dur AS dur
  FROM root AS r CROSS JOIN next AS n CROSS JOIN v_cloud_tag AS t
    ON t.slice_id >= r.id AND t.slice_id < n.id
  JOIN stack_slice AS s ON s.id = t.slice_id AND s.itid = r.itid
  WHERE t.name = ifnull(:name, 'sql')
  GROUP BY t.value, s.id
)
SELECT value, sum(count) AS count,
  sum(dur >> 32) * 4294967296 + sum(dur & 4294967295) AS dur, max(dur) AS longest
FROM ran
GROUP BY value
ORDER BY dur DESC, count DESC, value;
