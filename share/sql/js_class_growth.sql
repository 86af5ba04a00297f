-- Question:   Which classes grew most from one heap snapshot to another?
--             By the totals of classes, which costs little; js_snapshot_diff looks at single nodes.
-- Topic:      heap
-- Needs:      js_heap_files (heaps)
-- Report:     31 Classes that grew most, from the first heap to the last
-- Parameters: file      id in js_heap_files (default: the last one)
--             previous  the snapshot to compare with (default: the first one)
--             limit     number of rows (default 20)
-- Columns:    class            class as Chrome DevTools names it
--             count, count_delta          nodes in `file`, and how many more than in `previous`
--             self_size, self_size_delta  bytes, the same
-- Nothing when there is only one.
WITH pair AS (
  SELECT ifnull(:file, max(id)) AS new_id, ifnull(:previous, min(id)) AS old_id FROM js_heap_files
),
both AS (
  SELECT h.class AS class, h.count AS count, h.self_size AS self_size, h.count AS count_delta,
    h.self_size AS self_size_delta
  FROM v_js_class_histogram AS h WHERE h.file_id = (SELECT new_id FROM pair)
  UNION ALL
  SELECT h.class, 0, 0, -h.count, -h.self_size
  FROM v_js_class_histogram AS h WHERE h.file_id = (SELECT old_id FROM pair)
)
SELECT class, sum(count) AS count, sum(count_delta) AS count_delta,
  sum(self_size >> 32) * 4294967296 + sum(self_size & 4294967295) AS self_size,
  sum(self_size_delta >> 32) * 4294967296 + sum(self_size_delta & 4294967295) AS self_size_delta
FROM both, pair
WHERE pair.new_id <> pair.old_id
GROUP BY class
ORDER BY self_size_delta DESC, class
LIMIT ifnull(:limit, 20);
