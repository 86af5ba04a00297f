-- topic: heap
-- order: 50
-- Number and size of the objects of each class of a heap snapshot, by the rule of Chrome
-- DevTools: objects and native objects by name, code as (compiled code), hidden nodes as
-- (system), all others as their type in brackets. Filter on file_id.
-- column: file_id = js_heap_files.id
-- column: class | TEXT | | type or name not known | the class
-- column: count | INTEGER | | after damage | number of its objects
-- column: self_size | INTEGER | bytes | after damage | sum of their self_size; REAL beyond 64 bits
CREATE VIEW v_js_class_histogram AS
SELECT file_id, class, sum(count) AS count, ${SUM_OF|self_size} AS self_size FROM (
  SELECT d.file_id AS file_id,
  ${CLASS_NAME} AS class,
  g.count AS count, g.self_size AS self_size
  FROM js_heap_file_detail AS d
  CROSS JOIN ${CLASS_GROUPS})
GROUP BY file_id, class
