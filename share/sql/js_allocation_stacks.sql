-- Question:   Where was the memory allocated that is still in use?
-- Topic:      heap
-- Needs:      js_heap_trace_node (allocation stacks of a heap)
-- Report:     35 Where memory that is in use was allocated
-- Parameters: file   id in js_heap_files of a timeline with stacks (default 0)
--             limit  number of rows (default 20)
-- Columns:    live_count, live_size  nodes of the snapshot that were allocated there, and bytes
--             count, size            all that was allocated there
--             stack                  functions, outermost first, divided by ;
WITH RECURSIVE chosen AS (
  SELECT id, parent_id, function, live_count, live_size, count, size
  FROM v_js_allocation_stack
  WHERE file_id = ifnull(:file, 0)
  ORDER BY live_size DESC, id
  LIMIT ifnull(:limit, 20)
),
tree AS (
  SELECT t.id AS id, t.parent_id AS parent_id, f.name AS name
  FROM js_heap_file_detail AS d
  CROSS JOIN js_heap_trace_node AS t
    ON t.rowid >= d.first_trace_node_rowid AND t.file_id = d.file_id
  LEFT JOIN js_heap_trace_function_info AS f
    ON f.rowid = d.first_trace_function_rowid + t.function_info_index AND f.file_id = d.file_id
      AND f.function_index = t.function_info_index
  WHERE d.file_id = ifnull(:file, 0)
  LIMIT -1
),
up(start_id, height, name, parent_id) AS (
  SELECT c.id, 0, t.name, t.parent_id FROM chosen AS c JOIN tree AS t ON t.id = c.id
  UNION
  SELECT up.start_id, up.height + 1, t.name, t.parent_id
  FROM up JOIN tree AS t ON t.id = up.parent_id
  WHERE up.height < 10000
)
SELECT c.live_count, c.live_size, c.count, c.size,
  (SELECT group_concat(frame, ';') FROM (
    SELECT ifnull(nullif((SELECT s.string FROM js_heap_string AS s, js_heap_file_detail AS d
        WHERE d.file_id = ifnull(:file, 0)
          AND s.rowid = d.first_string_rowid + up.name AND up.name < d.string_count
          AND s.file_index = up.name), ''),
      '(anonymous)') AS frame
    FROM up WHERE up.start_id = c.id ORDER BY up.height DESC)) AS stack
FROM chosen AS c
ORDER BY c.live_size DESC, c.id;
