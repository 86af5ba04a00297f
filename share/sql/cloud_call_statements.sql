-- Question:   Which statements did a call run?
-- Topic:      calls
-- Needs:      cloud_call (calls of the Cloud Profiler)
-- Parameters: call  id in cloud_call (default 1)
--             name  name of the tag (default sql)
-- Columns:    value  the statement
--             count  how often
-- A thread's invocations from one root to the next are those of the first.
WITH root AS (
  SELECT s.id, s.itid FROM cloud_call AS c JOIN stack_slice AS s ON s.id = c.root_slice_id
  WHERE c.id = ifnull(:call, 1)
),
next AS (
  SELECT ifnull(min(s.id), 9223372036854775807) AS id
  FROM root AS r JOIN stack_slice AS s ON s.id > r.id AND s.itid = r.itid AND s.parent_id IS NULL
)
SELECT t.value, count(*) AS count
FROM root AS r CROSS JOIN next AS n CROSS JOIN v_cloud_tag AS t
  ON t.slice_id >= r.id AND t.slice_id < n.id
JOIN stack_slice AS s ON s.id = t.slice_id AND s.itid = r.itid
WHERE t.name = ifnull(:name, 'sql')
GROUP BY t.value
ORDER BY count(*) DESC, t.value;
