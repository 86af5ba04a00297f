-- The first snapshot is whole, the second is cut off in its strings: its rows are kept and the loss is reported.
SELECT id, file_name, start_time IS NULL AS no_start, end_time IS NULL AS no_end, self_size FROM js_heap_files;
SELECT file_id, node_count, edge_count, complete FROM js_heap_file_detail;
SELECT count(*) AS edges_without_end FROM js_heap_edges WHERE from_node_id IS NULL OR to_node_id IS NULL;
SELECT severity, code, stream, count FROM import_issue ORDER BY rowid;
SELECT item, seen, imported, lost, skipped FROM import_count WHERE item LIKE 'plugin%' OR item IN ('bytes', 'messages');
SELECT event_name, stat_type, count FROM stat WHERE count > 0;
