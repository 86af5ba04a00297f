-- Question:   Which classes of heap objects take more or less memory?
--             Means of the heap snapshots of a side; classes are those of v_js_class_histogram.
-- Order:      10
-- Parameters: recordings_count  number of recordings of the side
-- Key:        class
-- Values:     self_size  bytes, sum: of its nodes alone, in a snapshot
--             count      plain, sum: number of its nodes in a snapshot
SELECT class, toInt64(round(sum(size) / any(snapshots))) AS self_size, round(sum(objects) / any(snapshots), 2) AS count
FROM (
  SELECT 1 AS one, class, sum(self_size) AS size, sum(count) AS objects
  FROM v_class GLOBAL ALL INNER JOIN :recordings USING load
  GROUP BY class
) AS a ANY LEFT JOIN (
  SELECT 1 AS one, count() AS snapshots FROM v_js_heap_file_detail GLOBAL ALL INNER JOIN :recordings USING load
) AS b USING one
GROUP BY class ORDER BY class
