-- Figures of a database of Cloud Profiler recordings, by the names that mkcloud --expect gives them; ms where
-- the recording has ms.
-- A word of posDictionary may be defined anew; it counts once.
WITH word AS (SELECT max(id) AS id, source_id, word_id FROM cloud_dictionary GROUP BY 2, 3)
SELECT 'pods' AS name, count(*) AS value FROM source WHERE kind = 'pod'
UNION ALL SELECT 'dictionary.words', count(*) FROM word
UNION ALL SELECT 'dictionary.methods', count(d.method_id) FROM word AS w JOIN cloud_dictionary AS d USING (id)
UNION ALL SELECT 'params.rows', count(*) FROM cloud_param
UNION ALL SELECT 'suspend.rows', count(*) FROM cloud_suspend
UNION ALL SELECT 'suspend.sum', ifnull(sum(dur), 0) / 1000000 FROM cloud_suspend
UNION ALL SELECT 'suspend.max', ifnull(max(dur), 0) / 1000000 FROM cloud_suspend
UNION ALL SELECT 'calls.rows', count(*) FROM cloud_call
UNION ALL SELECT 'calls.values', count(*) FROM cloud_call_param
UNION ALL SELECT 'calls.duration', ifnull(sum(dur), 0) / 1000000 FROM cloud_call
UNION ALL SELECT 'calls.enters', ifnull(sum(calls), 0) FROM cloud_call
UNION ALL SELECT 'calls.logs_written', ifnull(sum(logs_written), 0) FROM cloud_call
UNION ALL SELECT 'calls.logs_generated', ifnull(sum(logs_generated), 0) FROM cloud_call
UNION ALL SELECT 'calls.cpu', ifnull(sum(cpu_dur), 0) / 1000000 FROM cloud_call
UNION ALL SELECT 'calls.wait', ifnull(sum(wait_dur), 0) / 1000000 FROM cloud_call
UNION ALL SELECT 'calls.memory', ifnull(sum(memory), 0) FROM cloud_call
UNION ALL SELECT 'calls.file_read', ifnull(sum(file_read), 0) FROM cloud_call
UNION ALL SELECT 'calls.file_written', ifnull(sum(file_written), 0) FROM cloud_call
UNION ALL SELECT 'calls.net_read', ifnull(sum(net_read), 0) FROM cloud_call
UNION ALL SELECT 'calls.net_written', ifnull(sum(net_written), 0) FROM cloud_call
UNION ALL SELECT 'calls.transactions', ifnull(sum(transactions), 0) FROM cloud_call
UNION ALL SELECT 'calls.queue_wait', ifnull(sum(queue_wait_dur), 0) / 1000000 FROM cloud_call
UNION ALL SELECT 'calls.min_start', ifnull(min(ts), 0) / 1000000 FROM cloud_call
UNION ALL SELECT 'calls.max_end', ifnull(max(ts + dur), 0) / 1000000 FROM cloud_call
UNION ALL SELECT 'calls.suspended', ifnull(sum(suspend_dur), 0) / 1000000 FROM cloud_call
UNION ALL SELECT 'calls.joined', count(root_slice_id) FROM cloud_call
UNION ALL SELECT 'calls.mismatched', ifnull(sum(count), 0) FROM import_issue WHERE code = 'cloud_call_mismatch'
UNION ALL SELECT 'trace.blocks', count(*) FROM cloud_block
UNION ALL SELECT 'trace.threads', count(DISTINCT itid) FROM cloud_block
UNION ALL SELECT 'trace.enters', count(*) FROM stack_slice
UNION ALL SELECT 'trace.exits', ifnull(sum(seen), 0) FROM import_count WHERE item = 'cloud_exits'
UNION ALL SELECT 'trace.tags_inline', count(*) FROM cloud_tag WHERE type = 0
UNION ALL SELECT 'trace.tags_big', count(*) FROM cloud_tag WHERE type = 1
UNION ALL SELECT 'trace.tags_index', count(*) FROM cloud_tag WHERE type = 2
UNION ALL SELECT 'trace.tags_dedup', count(*) FROM cloud_tag WHERE type = 3
UNION ALL SELECT 'trace.max_level', ifnull(max(depth), 0) FROM stack_slice
UNION ALL SELECT 'trace.roots', count(*) FROM cloud_root
UNION ALL SELECT 'trace.open', count(*) FROM stack_slice WHERE state = 1
UNION ALL SELECT 'trace.lost', count(*) FROM stack_slice WHERE state = 2
UNION ALL SELECT 'trace.stray_exits', ifnull(sum(lost), 0) FROM import_count WHERE item = 'cloud_exits'
UNION ALL SELECT 'trace.stray_tags', count(*) FROM cloud_tag WHERE slice_id IS NULL
UNION ALL SELECT 'slices.duration', ifnull(sum(dur), 0) / 1000000 FROM stack_slice
UNION ALL SELECT 'slices.self', ifnull(sum(self_dur), 0) / 1000000 FROM stack_slice
UNION ALL SELECT 'slices.root_duration', ifnull(sum(dur), 0) / 1000000 FROM stack_slice WHERE parent_id IS NULL
UNION ALL SELECT 'clobs.unresolved', count(*) FROM cloud_tag WHERE type IN (1, 3) AND text_id IS NULL
UNION ALL SELECT 'sql.texts', count(*) FROM cloud_text WHERE stream = 'sql'
UNION ALL SELECT 'xml.texts', count(*) FROM cloud_text WHERE stream = 'xml';
