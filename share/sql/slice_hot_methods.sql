-- Question:   In which methods did traced invocations spend their time?
--             hot_methods answers this for all sources; here with ids.
-- Topic:      calls
-- Needs:      stack_slice (traced calls)
-- Parameters: source  id of a source (default: all)
--             limit   number of rows (default 20)
-- Columns:    method_id, method
--             count     invocations
--             self      ns in the method itself
--             total     ns in it and what it called; a recursive method counts each invocation.
--                       v_stack_hot_method counts it once
-- Sums are put together from halves: sum() fails beyond 64 bits, and damage can make numbers huge.
SELECT m.id AS method_id,
  ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, '#' || m.raw_id) AS method,
  sum(n.count) AS count,
  sum(n.self >> 32) * 4294967296 + sum(n.self & 4294967295) AS self,
  sum(n.total >> 32) * 4294967296 + sum(n.total & 4294967295) AS total
FROM (
  SELECT node_id, count(*) AS count,
    CAST(sum(self_dur >> 32) * 4294967296 + sum(self_dur & 4294967295) AS INTEGER) AS self,
    CAST(sum(dur >> 32) * 4294967296 + sum(dur & 4294967295) AS INTEGER) AS total
  FROM stack_slice
  WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
  GROUP BY node_id) AS n
JOIN stack_node AS p ON p.id = n.node_id
JOIN stack_method AS m ON m.id = p.method_id
GROUP BY m.id
ORDER BY self DESC, m.id
LIMIT ifnull(:limit, 20);
