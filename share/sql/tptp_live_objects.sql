-- Question:   Which classes have objects that live at the end, or at a given time?
-- Topic:      tptp
-- Needs:      tptp_trace (TPTP traces)
-- Parameters: source  id of a source (default: all)
--             at      time (default: the end)
--             limit   number of rows (default 20)
-- Columns:    class
--             objects  that were allocated until then and not freed
--             bytes    their size
--             allocated, freed  objects of the class until then
-- Sums are put together from halves: sum() fails beyond 64 bits, and damage can make numbers huge.
SELECT c.name AS class, sum(a.live) AS objects,
  sum(CASE WHEN a.live THEN a.size >> 32 ELSE 0 END) * 4294967296 +
    sum(CASE WHEN a.live THEN a.size & 4294967295 ELSE 0 END) AS bytes,
  count(*) AS allocated, count(*) - sum(a.live) AS freed
FROM (
  SELECT class_id, ifnull(size, 0) AS size,
    freed = 0 OR (:at IS NOT NULL AND ifnull(free_ts > :at, 0)) AS live
  FROM v_tptp_allocation
  WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source))) AND (:at IS NULL OR ifnull(ts <= :at, 0))) AS a
LEFT JOIN tptp_class AS c ON c.id = a.class_id
GROUP BY c.name
HAVING sum(a.live) > 0
ORDER BY bytes DESC, class
LIMIT ifnull(:limit, 20);
