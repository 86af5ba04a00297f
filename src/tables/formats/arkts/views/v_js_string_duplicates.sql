-- topic: heap
-- order: 60
-- Strings that the heap holds more than once, and what all copies but the largest cost. Filter
-- on file_id. Strings are distinguished by their index in js_heap_string.
-- column: file_id = js_heap_files.id
-- column: string | TEXT | | not in the file, or no string of it | the string
-- column: count | INTEGER | | | number of nodes that hold it, 2 or more
-- column: self_size | INTEGER | bytes | no size in the file | sum of their self_size; REAL beyond 64 bits
-- column: wasted_size | INTEGER | bytes | no size in the file | self_size without that of the largest one
-- column: file_index | INTEGER | file_index of js_heap_string | not in the file | number of the string in its file
CREATE VIEW v_js_string_duplicates AS
SELECT g.file_id AS file_id,
  ${STRING_AT|g.name} AS string,
  g.count AS count, g.self_size AS self_size, g.wasted_size AS wasted_size,
  g.name AS file_index
FROM (
  SELECT d.rowid AS detail_rowid, d.file_id AS file_id, n.name AS name,
    count(*) AS count, ${SUM_OF|n.self_size} AS self_size,
    ${SUM_OF|n.self_size} - max(n.self_size) AS wasted_size
  FROM js_heap_file_detail AS d
  CROSS JOIN js_heap_info AS t
    ON t.rowid BETWEEN d.first_info_rowid AND d.first_info_rowid + d.node_type_count - 1
      AND +t.str_value = 'string'
  CROSS JOIN ${NODES_OF_FILE}
  WHERE +n.type = t.rowid - d.first_info_rowid
  GROUP BY d.file_id, n.name HAVING count(*) > 1) AS g
CROSS JOIN js_heap_file_detail AS d ON d.rowid = g.detail_rowid
