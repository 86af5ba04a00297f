-- What the web viewer needs before it shows a recording; each line must say 1.
SELECT 'tables that must exist' AS point, count(*) = 9 AS holds FROM sqlite_schema WHERE type = 'table' AND name IN
  ('trace_range', 'data_dict', 'memory_dma', 'memory_ashmem', 'process_measure', 'process_measure_filter',
   'memory_profile', 'memory_window_gpu', 'memory_process_gpu');
SELECT 'all 89 tables' AS point, count(DISTINCT table_name) >= 89 AS holds FROM schema_doc;
SELECT 'args_view' AS point, count(*) = 1 AS holds FROM sqlite_schema WHERE type = 'view' AND name = 'args_view';
SELECT 'no STRICT or WITHOUT ROWID table' AS point, count(*) = 0 AS holds FROM sqlite_schema
  WHERE sql LIKE '%STRICT%' OR sql LIKE '%WITHOUT ROWID%';
SELECT 'declared types' AS point, count(*) = 0 AS holds FROM schema_doc
  WHERE type NOT IN ('INTEGER', 'TEXT', 'REAL', 'INTEGER PRIMARY KEY');
SELECT 'one trace_range row with a length' AS point, count(*) = 1 AND min(end_ts > start_ts) = 1 AS holds FROM trace_range;
SELECT 'js_config has one row' AS point, count(*) = 1 AS holds FROM js_config;
SELECT 'the type fits the data' AS point, type = (CASE
  WHEN NOT EXISTS (SELECT 1 FROM js_heap_nodes) THEN -1
  WHEN EXISTS (SELECT 1 FROM js_heap_sample) THEN 1 ELSE 0 END) AS holds FROM js_config;
SELECT 'the CPU row is switched on' AS point,
  enable_cpu_profiler = EXISTS (SELECT 1 FROM js_cpu_profiler_node) AS holds FROM js_config;
SELECT 'nodes stand in index order' AS point, count(*) = 0 AS holds FROM js_heap_nodes n
  JOIN js_heap_file_detail d USING (file_id) WHERE n.rowid <> d.first_node_rowid + n.node_index;
SELECT 'edges stand in index order' AS point, count(*) = 0 AS holds FROM js_heap_edges e
  JOIN js_heap_file_detail d USING (file_id) WHERE e.rowid <> d.first_edge_rowid + e.edge_index;
SELECT 'strings stand in index order' AS point, count(*) = 0 AS holds FROM js_heap_string s
  JOIN js_heap_file_detail d USING (file_id) WHERE s.rowid <> d.first_string_rowid + s.file_index;
SELECT 'node ids are unique per file and below 2^32' AS point,
  (SELECT count(*) FROM js_heap_nodes) = (SELECT count(*) FROM (SELECT DISTINCT file_id, id FROM js_heap_nodes))
  AND NOT EXISTS (SELECT 1 FROM js_heap_nodes WHERE id >= 4294967296) AS holds;
SELECT 'node_count and edge_count are integers' AS point, count(*) = 0 AS holds FROM js_heap_info
  WHERE key IN ('node_count', 'edge_count') AND typeof(int_value) <> 'integer';
SELECT 'self_size is never NULL' AS point, count(*) = 0 AS holds FROM js_heap_files WHERE self_size IS NULL;
SELECT 'heap files end inside trace_range' AS point, count(*) = 0 AS holds FROM js_heap_files, trace_range
  WHERE end_time > end_ts OR start_time < start_ts;
SELECT 'names tell snapshots from timelines' AS point, count(*) = 0 AS holds FROM js_heap_files f
  WHERE (f.file_name LIKE 'Snapshot%') = EXISTS (SELECT 1 FROM js_heap_sample s WHERE s.file_id = f.id);
SELECT 'a timeline is no longer than trace_range' AS point,
  ifnull((SELECT max(timestamp_us) * 1000 FROM js_heap_sample), 0) <= end_ts - start_ts AS holds FROM trace_range;
SELECT 'the root of the CPU nodes is 1' AS point,
  ifnull((SELECT function_id = 1 AND parent_id = 0 FROM js_cpu_profiler_node WHERE rowid = 1), 1) AS holds;
SELECT 'CPU parents come before children' AS point, count(*) = 0 AS holds FROM js_cpu_profiler_node c
  LEFT JOIN js_cpu_profiler_node p ON p.function_id = c.parent_id
  WHERE c.parent_id <> 0 AND (p.rowid IS NULL OR p.rowid > c.rowid);
SELECT 'children are TEXT' AS point, count(*) = 0 AS holds FROM js_cpu_profiler_node WHERE typeof(children) <> 'text';
SELECT 'sample ids are 0 to n - 1 in row order' AS point, count(*) = 0 AS holds FROM js_cpu_profiler_sample
  WHERE id <> rowid - 1;
SELECT 'samples follow each other without a gap' AS point, count(*) = 0 AS holds FROM js_cpu_profiler_sample a
  JOIN js_cpu_profiler_sample b ON b.id = a.id + 1 WHERE a.end_time <> b.start_time;
SELECT 'CPU samples lie inside trace_range' AS point, count(*) = 0 AS holds FROM js_cpu_profiler_sample, trace_range
  WHERE start_time < start_ts OR end_time > end_ts;
SELECT 'data_dict begins with the empty text' AS point, data = '' AS holds FROM data_dict WHERE id = 0 AND rowid = 1;
SELECT 'names of CPU nodes are in data_dict' AS point, count(*) = 0 AS holds FROM js_cpu_profiler_node n
  LEFT JOIN data_dict d ON d.id = n.function_index WHERE d.id IS NULL;
SELECT 'process and thread 0 are swapper' AS point, (SELECT name FROM process WHERE id = 0) = 'swapper'
  AND (SELECT name FROM thread WHERE id = 0) = 'swapper' AS holds;
