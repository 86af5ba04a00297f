-- Question:   Which libraries, modules or files is the time spent in?
--             By what the methods of each weigh themselves, in the default weight of hot_methods.
-- Topic:      stacks
-- Needs:      stack_sample (sampled stacks), stack_slice (traced calls)
-- Parameters: source  id of a source (default: all)
--             thread  itid of a thread (default: all)
--             limit   number of rows (default 30)
-- Columns:    library  NULL: neither a library nor a file was recorded
--             self, percent  what its methods weigh, and the part of all stacks
--             samples  stacks that end in it
--             methods  of its methods that have a weight
--             hottest  the method with the largest weight
--             weight, unit  what that is, such as cpu and ns
WITH each AS MATERIALIZED (
  SELECT node_id, rank, CASE WHEN rank IN (5, 12) THEN name ELSE class END AS kind, unit, value_type_id,
    count(*) AS n, sum(value >> 32) * 4294967296 + sum(value & 4294967295) AS weight
  FROM v_stack_weight
  WHERE rank IS NOT NULL AND node_id IS NOT NULL
    AND (ts IS NOT NULL OR source_id NOT IN (SELECT source_id FROM stack_slice))
    AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
    AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))
  GROUP BY 1, 2, 3, 4, 5
),
chosen AS MATERIALIZED (
  SELECT rank, kind, unit FROM each WHERE weight > 0 ORDER BY rank, value_type_id LIMIT 1
),
method AS MATERIALIZED (
  SELECT n.method_id AS id, sum(e.n) AS n,
    sum(e.weight >> 32) * 4294967296 + sum(e.weight & 4294967295) AS weight
  FROM chosen AS c CROSS JOIN each AS e ON e.rank = c.rank AND e.kind IS c.kind AND e.unit IS c.unit
  CROSS JOIN stack_node AS n ON n.id = e.node_id
  WHERE e.weight > 0
  GROUP BY 1
),
named AS (
  SELECT ifnull(nullif(m.library, ''), nullif(m.file, '')) AS library,
    ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
      || ifnull(nullif(m.name, ''), '(anonymous)') AS method, t.n AS n, t.weight AS weight, t.id AS id
  FROM method AS t LEFT JOIN stack_method AS m ON m.id = t.id
  WHERE ifnull(m.name, '') NOT IN ('(root)', '(idle)')
),
ordered AS (
  SELECT *, row_number() OVER (PARTITION BY library ORDER BY weight DESC, id) AS place FROM named
)
SELECT library, sum(weight >> 32) * 4294967296 + sum(weight & 4294967295) AS self,
  round(100.0 * total(weight) / (SELECT total(weight) FROM method), 1) AS percent,
  sum(n) AS samples, count(DISTINCT method) AS methods, max(CASE WHEN place = 1 THEN method END) AS hottest,
  (SELECT kind FROM chosen) AS weight, (SELECT unit FROM chosen) AS unit
FROM ordered GROUP BY library
ORDER BY self DESC, library
LIMIT ifnull(CAST(:limit AS INTEGER), 30);
