-- Further figures of recordings of the profiler itself (recorded.txt); ms where the recording has ms.
WITH call AS (
  SELECT c.id AS id, printf('%d %d %d %d %s %d %d %d %d %d %d', c.ts / 1000000, m.raw_id, c.dur / 1000000, c.calls,
    c.thread_name, c.trace_file, c.trace_offset, c.trace_record, c.cpu_dur / 1000000, c.net_read, c.net_written) AS text
  FROM cloud_call AS c JOIN stack_method AS m ON m.id = c.method_id
),
block AS (
  SELECT b.id AS id, b.offset AS offset, t.tid AS tid,
    printf('%d %d %d %d %d', b.offset, t.tid, b.real_ts / 1000000, b.events, b.bytes) AS text
  FROM cloud_block AS b JOIN thread AS t USING (itid)
),
-- The end of a root stands behind its last tag.
span AS (
  SELECT printf('%d %d %d %d %d', a.tid, a.offset, r.record, z.offset, g.record + 1) AS text
  FROM cloud_root AS r JOIN block AS a ON a.id = r.block_id
  JOIN cloud_tag AS g ON g.id = (SELECT max(id) FROM cloud_tag WHERE slice_id = r.slice_id)
  JOIN block AS z ON z.id = g.block_id
  WHERE z.id <> a.id
)
SELECT 'thread_names' AS name, count(DISTINCT thread_name) AS value FROM cloud_call
UNION ALL SELECT 'named_threads', count(*) FROM thread WHERE tid > 0 AND name IS NOT NULL
UNION ALL SELECT 'call_paths', count(*) FROM stack_node
UNION ALL SELECT 'negative_self', count(*) FROM stack_slice WHERE self_dur < 0
UNION ALL SELECT 'suspend.first', printf('%d %d', (ts + dur) / 1000000, dur / 1000000) FROM cloud_suspend WHERE id = 1
UNION ALL SELECT 'suspend.last', printf('%d %d', (ts + dur) / 1000000, dur / 1000000) FROM cloud_suspend
  WHERE id = (SELECT max(id) FROM cloud_suspend)
UNION ALL SELECT 'call.first', text FROM call WHERE id = 1
UNION ALL SELECT 'call.last', text FROM call WHERE id = (SELECT max(id) FROM call)
UNION ALL SELECT 'block.first', text FROM block WHERE id = 1
UNION ALL SELECT 'block.last', text FROM block WHERE id = (SELECT max(id) FROM block)
UNION ALL SELECT 'span', text FROM span
UNION ALL SELECT 'fact.' || rtrim(key, ' 1'), value FROM source_property WHERE key LIKE '% 1';
