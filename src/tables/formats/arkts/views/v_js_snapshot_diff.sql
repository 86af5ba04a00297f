-- topic: heap
-- order: 80
-- Growth of each class from the heap snapshot before (the next smaller file_id) to this one.
-- Filter on file_id. For nodes distinguished by id see js_snapshot_diff.sql.
-- column: file_id = js_heap_files.id
-- column: previous_file_id | INTEGER | id of js_heap_files | | the snapshot before
-- column: class | TEXT | | type or name not known | the class, as in v_js_class_histogram
-- column: count | INTEGER | | after damage | number of its objects in this snapshot
-- column: previous_count | INTEGER | | after damage | number of its objects in the snapshot before
-- column: count_delta | INTEGER | | after damage | count - previous_count
-- column: self_size | INTEGER | bytes | after damage | sum of their self_size in this snapshot; REAL beyond 64 bits
-- column: previous_self_size | INTEGER | bytes | after damage | the same in the snapshot before
-- column: self_size_delta | INTEGER | bytes | after damage | self_size - previous_self_size
CREATE VIEW v_js_snapshot_diff AS
SELECT file_id, previous_file_id, class,
  sum(count) AS count, sum(previous_count) AS previous_count,
  sum(count) - sum(previous_count) AS count_delta,
  ${SUM_OF|self_size} AS self_size, ${SUM_OF|previous_self_size} AS previous_self_size,
  ${SUM_OF|self_size} - ${SUM_OF|previous_self_size} AS self_size_delta
FROM (
  SELECT f.file_id AS file_id, f.previous_file_id AS previous_file_id,
  ${CLASS_NAME} AS class,
  (d.file_id = f.file_id) * g.count AS count,
  (d.file_id <> f.file_id) * g.count AS previous_count,
  (d.file_id = f.file_id) * g.self_size AS self_size,
  (d.file_id <> f.file_id) * g.self_size AS previous_self_size
  FROM (SELECT a.file_id AS file_id, max(p.file_id) AS previous_file_id
    FROM js_heap_file_detail AS a JOIN js_heap_file_detail AS p ON p.file_id < a.file_id
    WHERE ${HAS_CLASSES|a} AND ${HAS_CLASSES|p}
    GROUP BY a.file_id) AS f
  CROSS JOIN js_heap_file_detail AS d ON d.file_id IN (f.file_id, f.previous_file_id)
  CROSS JOIN ${CLASS_GROUPS})
GROUP BY file_id, class
