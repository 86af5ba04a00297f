-- Question:   Which nodes came and went between two heap snapshots of one process, by class?
--             Nodes are distinguished by id, so that a class whose nodes were all replaced shows up
--             although its number did not change. Sorts the nodes of both snapshots: some seconds
--             for millions of nodes; v_js_snapshot_diff compares only totals and is faster.
-- Topic:      heap
-- Needs:      js_heap_files (heaps)
-- Parameters: file      id in js_heap_files (default: the last one)
--             previous  the snapshot to compare with (default: the one before `file`)
--             limit     number of rows (default 50)
-- Columns:    class            class as Chrome DevTools names it
--             added, removed   nodes in only one of the two
--             kept             nodes in both
--             added_size, removed_size  bytes
--             size_delta       growth in bytes, with that of the nodes in both
-- Sums are put together from halves: sum() fails beyond 64 bits, and damage can make numbers huge.
WITH pair(new_id, old_id) AS (
  SELECT n.id, ifnull(:previous, (SELECT max(o.id) FROM js_heap_files AS o WHERE o.id < n.id))
  FROM (SELECT ifnull(:file, max(id)) AS id FROM js_heap_files) AS n
),
node AS (
  -- the class as one integer: the index of its name, or -1 - type for types that are one class
  SELECT n.id AS id, d.file_id = (SELECT new_id FROM pair) AS is_new, n.self_size AS self_size,
    CASE WHEN (SELECT t.str_value IN ('object', 'native') FROM js_heap_info AS t
        WHERE t.rowid = d.first_info_rowid + n.type)
      THEN n.name ELSE -1 - n.type END AS class_key
  FROM js_heap_file_detail AS d
  CROSS JOIN js_heap_nodes AS n
    ON n.rowid BETWEEN d.first_node_rowid AND d.first_node_rowid + d.node_count - 1
  WHERE d.file_id IN ((SELECT new_id FROM pair), (SELECT old_id FROM pair))
    -- damaged snapshots whose nodes are not certain have no classes: they cannot be compared
    AND NOT EXISTS (SELECT 1 FROM pair AS p JOIN js_heap_file_detail AS x
      ON x.file_id IN (p.new_id, p.old_id) WHERE x.class_count = 0 AND x.node_count > 0)
  LIMIT -1 -- keeps what has to be sorted small
),
matched AS (
  SELECT sum(is_new) AS in_new, sum(1 - is_new) AS in_old,
    max(CASE is_new WHEN 1 THEN class_key END) AS new_key,
    max(CASE is_new WHEN 0 THEN class_key END) AS old_key,
    sum(is_new * (self_size >> 32)) * 4294967296 + sum(is_new * (self_size & 4294967295)) AS new_size,
    sum((1 - is_new) * (self_size >> 32)) * 4294967296
      + sum((1 - is_new) * (self_size & 4294967295)) AS old_size
  FROM node GROUP BY id
),
keyed AS (
  SELECT in_new > 0 AS is_new, CASE WHEN in_new > 0 THEN new_key ELSE old_key END AS class_key,
    sum(max(in_new - in_old, 0)) AS added, sum(max(in_old - in_new, 0)) AS removed,
    sum(min(in_new, in_old)) AS kept,
    sum((in_old = 0) * (new_size >> 32)) * 4294967296
      + sum((in_old = 0) * (new_size & 4294967295)) AS added_size,
    sum((in_new = 0) * (old_size >> 32)) * 4294967296
      + sum((in_new = 0) * (old_size & 4294967295)) AS removed_size,
    sum((new_size - old_size) >> 32) * 4294967296
      + sum((new_size - old_size) & 4294967295) AS size_delta
  FROM matched GROUP BY 1, 2
)
SELECT
  CASE WHEN k.class_key >= 0
    THEN (SELECT s.string FROM js_heap_string AS s
      WHERE s.rowid = d.first_string_rowid + k.class_key AND k.class_key < d.string_count
        AND s.file_index = k.class_key)
    ELSE (SELECT CASE t.str_value WHEN 'code' THEN '(compiled code)'
        WHEN 'hidden' THEN '(system)' ELSE '(' || t.str_value || ')' END
      FROM js_heap_info AS t
      WHERE t.rowid = d.first_info_rowid - 1 - k.class_key
        AND -1 - k.class_key < d.node_type_count) END AS class,
  sum(k.added) AS added, sum(k.removed) AS removed, sum(k.kept) AS kept,
  sum(k.added_size >> 32) * 4294967296 + sum(k.added_size & 4294967295) AS added_size,
  sum(k.removed_size >> 32) * 4294967296 + sum(k.removed_size & 4294967295) AS removed_size,
  sum(k.size_delta >> 32) * 4294967296 + sum(k.size_delta & 4294967295) AS size_delta
FROM keyed AS k
JOIN pair AS p
LEFT JOIN js_heap_file_detail AS d
  ON d.file_id = CASE WHEN k.is_new THEN p.new_id ELSE p.old_id END
GROUP BY class
ORDER BY size_delta DESC, class
LIMIT ifnull(:limit, 50);
