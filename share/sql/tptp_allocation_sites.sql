-- Question:   Which methods and lines allocated most?
-- Topic:      tptp
-- Needs:      tptp_trace (TPTP traces)
-- Report:     70 Largest allocation sites
-- Parameters: source  id of a source (default: all)
--             limit   number of rows (default 20)
-- Columns:    method, line, class
--             count  objects
--             bytes  their size
--             live   those of them that were not freed
SELECT method, line, class, count(*) AS count,
  sum(ifnull(size, 0) >> 32) * 4294967296 + sum(ifnull(size, 0) & 4294967295) AS bytes,
  sum(freed = 0) AS live
FROM v_tptp_allocation
WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
GROUP BY method, line, class
ORDER BY bytes DESC, method, line, class
LIMIT ifnull(:limit, 20);
