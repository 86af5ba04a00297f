-- Question:   Which classes of heap objects are the largest?
--             Classes are those of v_js_class_histogram; numbers are means of the heap snapshots of a group, so that groups can
--             be compared.
-- Topic:      heaps
-- Report:     30 Largest classes of heap objects
-- Parameters: class  glob of classes, such as *Session (default: all)
--             limit  number of rows of a group (default 20)
-- Columns:    part
--             class
--             recordings  that have objects of it
--             snapshots   of the group
--             count, self_size  objects of the class in a snapshot, and their bytes
SELECT part, class, recordings, snapshots, round(objects / snapshots, 2) AS count, toInt64(round(size / snapshots)) AS self_size
FROM (
  SELECT part, class, uniqExact(load) AS recordings, sum(count) AS objects, sum(self_size) AS size
  FROM v_class GLOBAL ALL INNER JOIN :recordings USING load
  WHERE class :class
  GROUP BY part, class
) AS a ALL INNER JOIN (
  SELECT part, count() AS snapshots FROM v_js_heap_file_detail GLOBAL ALL INNER JOIN :recordings USING load GROUP BY part
) AS b USING part
ORDER BY part, self_size DESC, class LIMIT :limit BY part
