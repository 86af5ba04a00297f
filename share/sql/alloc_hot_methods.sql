-- Question:   Which functions allocated most memory?
--             Of sampled allocations: estimated bytes. Heap profiles have what was still in use at the
--             end, recordings of JFR and profiles of pprof all that was allocated (alloc_space).
-- Topic:      heap
-- Model:      allocations
-- Needs:      heap_profile_node (heap profiles), jfr_sample (recordings of JFR), profile_value_type (kinds of values)
-- Report:     45 Functions that allocated most
-- Parameters: source  id of a source (default: all)
--             by      one of source (default: a function of several recordings is one row)
--             order   one of self or total: by self_bytes, or by bytes (default self)
--             limit   number of rows (default 30)
-- Columns:    method, file
--             line        where the method begins; where that is not recorded, as in recordings of JFR, the
--                         line of it that allocated most
--             self_bytes  allocated by the function itself
--             bytes       by it and by what it called; recursion counts once
--             percent     self_bytes of all sampled bytes, with by=source of those of the source
--             sources, source_id  how many recordings it is in; which, when it is one
WITH total AS MATERIALIZED (
  SELECT s.source_id, total(v.value) AS bytes
  FROM stack_value_type AS t
  JOIN stack_sample_value AS v ON v.value_type_id = t.id
  JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE t.name = 'alloc_space' AND (:source IS NULL OR s.source_id IN (SELECT value FROM json_each(:source)))
  GROUP BY s.source_id
),
-- Methods that are one, by the least of their ids.
one(id, method_id) AS MATERIALIZED (
  SELECT v.id, min(v.id) OVER (PARTITION BY v.key_id, CASE WHEN :by = 'source' THEN m.source_id END)
  FROM v_method AS v CROSS JOIN stack_method AS m ON m.id = v.id
),
-- Of each method the line with most bytes, the least of equal ones.
line AS (
  SELECT one.method_id AS method_id, n.line AS line,
    row_number() OVER (PARTITION BY one.method_id ORDER BY total(v.value) DESC, n.line) AS place
  FROM stack_value_type AS t
  JOIN stack_sample_value AS v ON v.value_type_id = t.id
  JOIN stack_sample AS s ON s.id = v.sample_id
  JOIN stack_node AS n ON n.id = s.node_id
  JOIN one ON one.id = n.method_id
  WHERE t.name = 'alloc_space' AND n.line IS NOT NULL
    AND (:source IS NULL OR s.source_id IN (SELECT value FROM json_each(:source)))
  GROUP BY one.method_id, n.line
),
hot AS (
  SELECT ifnull(one.method_id, 0) AS method_id, min(h.method) AS method, min(h.file) AS file,
    CASE WHEN min(h.line) = max(h.line) THEN min(h.line) END AS line,
    sum(h.self >> 32) * 4294967296 + sum(h.self & 4294967295) AS self,
    sum(h.total >> 32) * 4294967296 + sum(h.total & 4294967295) AS total,
    count(DISTINCT h.source_id) AS sources, min(h.source_id) AS source_id
  FROM v_stack_hot_method AS h LEFT JOIN one ON one.id = h.method_id
  WHERE h.value = 'alloc_space' AND h.source_id IN (SELECT source_id FROM total)
  GROUP BY ifnull(one.method_id, 0), CASE WHEN :by = 'source' THEN h.source_id END
)
SELECT h.method, h.file, coalesce(h.line, l.line) AS line, h.self AS self_bytes, h.total AS bytes,
  round(100.0 * h.self / nullif(CASE WHEN :by = 'source'
    THEN (SELECT bytes FROM total WHERE source_id = h.source_id)
    ELSE (SELECT total(bytes) FROM total) END, 0), 1) AS percent,
  h.sources, CASE WHEN h.sources = 1 THEN h.source_id END AS source_id
FROM hot AS h
LEFT JOIN line AS l ON l.method_id = h.method_id AND l.place = 1
ORDER BY CASE WHEN :order = 'total' THEN h.total ELSE h.self END DESC, h.self DESC, h.total DESC, h.source_id, h.method_id
LIMIT ifnull(CAST(:limit AS INTEGER), 30);
