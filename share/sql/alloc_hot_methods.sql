-- Question:   Which functions allocated the memory that is still in use?
--             Of sampled allocations: estimated bytes. Heap profiles have what was still in use at the
--             end, recordings of JFR and profiles of pprof all that was allocated (alloc_space).
-- Topic:      heap
-- Needs:      heap_profile_node (heap profiles), jfr_sample (recordings of JFR), profile_value_type (profiles of pprof)
-- Report:     45 Functions that allocated most
-- Parameters: source  id of a source (default: all)
--             limit   number of rows (default 30)
-- Columns:    method, file
--             line        where the method begins; where that is not recorded, as in recordings of JFR, the
--                         line of it that allocated most
--             self_bytes  allocated by the function itself
--             bytes       by it and by what it called; recursion counts once
--             percent     self_bytes of all sampled bytes of the source
WITH total AS MATERIALIZED (
  SELECT s.source_id, total(v.value) AS bytes
  FROM stack_value_type AS t
  JOIN stack_sample_value AS v ON v.value_type_id = t.id
  JOIN stack_sample AS s ON s.id = v.sample_id
  WHERE t.name = 'alloc_space'
  GROUP BY s.source_id
),
-- Of each method the line with most bytes, the least of equal ones.
line AS (
  SELECT n.method_id AS method_id, n.line AS line,
    row_number() OVER (PARTITION BY n.method_id ORDER BY total(v.value) DESC, n.line) AS place
  FROM stack_value_type AS t
  JOIN stack_sample_value AS v ON v.value_type_id = t.id
  JOIN stack_sample AS s ON s.id = v.sample_id
  JOIN stack_node AS n ON n.id = s.node_id
  WHERE t.name = 'alloc_space' AND n.line IS NOT NULL
  GROUP BY n.method_id, n.line
)
SELECT h.method, h.file, coalesce(h.line, l.line) AS line, h.self AS self_bytes, h.total AS bytes,
  round(100.0 * h.self / nullif(t.bytes, 0), 1) AS percent
FROM v_stack_hot_method AS h
JOIN total AS t ON t.source_id = h.source_id
LEFT JOIN line AS l ON l.method_id = h.method_id AND l.place = 1
WHERE h.value = 'alloc_space' AND (:source IS NULL OR h.source_id IN (SELECT value FROM json_each(:source)))
ORDER BY h.self DESC, h.total DESC, h.source_id, h.method_id
LIMIT ifnull(CAST(:limit AS INTEGER), 30);
