-- topic: heap_analysis
-- order: 240
-- Texts that several strings of an analysed heap snapshot hold, and what these retain. Filter on file_id.
-- column: file_id = js_heap_duplicate_string.file_id
-- column: node_index = js_heap_duplicate_string.node_index
-- column: node_id | INTEGER | id of js_heap_nodes | not a number in the file | the first of these strings
-- column: string = js_heap_duplicate_string.string
-- column: count = js_heap_duplicate_string.count
-- column: shallow_size = js_heap_duplicate_string.shallow_size
-- column: retained_size = js_heap_duplicate_string.retained_size
-- column: truncated = js_heap_duplicate_string.truncated
-- column: length = js_heap_duplicate_string.length
-- column: hash = js_heap_duplicate_string.hash
CREATE VIEW v_js_duplicate_string AS
SELECT a.file_id AS file_id, s.node_index AS node_index,
  ${ID_AT|s.node_index} AS node_id,
  s.string AS string, s.count AS count, s.shallow_size AS shallow_size, s.retained_size AS retained_size,
  s.truncated AS truncated, s.length AS length, s.hash AS hash
FROM js_heap_analysis AS a
CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_duplicate_string AS s ON s.file_id = a.file_id
