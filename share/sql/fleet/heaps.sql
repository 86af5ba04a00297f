-- Question:   How large are the heaps?
-- Topic:      heaps
-- Report:     35 Heaps
-- Parameters: none
-- Columns:    part
--             recordings, snapshots
--             mean_size, smallest, largest  bytes of all nodes of a snapshot
--             complete  snapshots that were read to their ends without a loss
SELECT part, uniqExact(load) AS recordings, count() AS snapshots, toInt64(round(avg(size))) AS mean_size, min(size) AS smallest, max(size) AS largest,
  sum(complete) AS complete
FROM (
  SELECT load, file_id, assumeNotNull(self_size) AS size, complete FROM (
    SELECT load, toUInt32(id) AS file_id, self_size FROM v_js_heap_files WHERE self_size IS NOT NULL
  ) AS a ANY LEFT JOIN (SELECT load, toUInt32(file_id) AS file_id, complete FROM v_js_heap_file_detail) AS b USING (load, file_id)
) AS f GLOBAL ALL INNER JOIN :recordings USING load
GROUP BY part ORDER BY part
