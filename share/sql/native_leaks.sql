-- Question:   Which native memory was still in use at the end, and who allocated it?
--             By call path: what was allocated and not released. Of statistics: the last sums of each
--             path. Of mappings that were released in part, what is left.
-- Topic:      heap
-- Needs:      native_hook (events of native memory), native_hook_statistic (statistics of native memory)
-- Report:     46 Native memory in use at the end
-- Parameters: pid    id of a process (default: all)
--             by     one of path, function or library (default path)
--             limit  number of rows (default 30)
-- Columns:    library, function  that count as the caller
--             bytes, objects     in use
--             percent            of the bytes that are in use
--             callchain_id, path  with by=path: the frames, the outermost first
WITH
-- include: native_parts
memory(callchain_id, lib_id, symbol_id, bytes, objects) AS (
  SELECT h.callchain_id, h.last_lib_id, h.last_symbol_id,
    CASE WHEN h.event_type = 'MmapEvent' THEN ifnull((SELECT min(p.bytes) FROM part AS p
      WHERE p.itid = h.itid AND p.ts = h.start_ts AND p.addr = printf('0x%x', h.addr)), h.heap_size)
    ELSE h.heap_size END, 1
  FROM native_hook AS h
  WHERE h.end_ts IS NULL
    AND h.event_type IN ('AllocEvent', 'MmapEvent', 'GPU_VK_Alloc_Event', 'GPU_GLES_Alloc_Event', 'GPU_CL_Alloc_Event')
    AND (:pid IS NULL OR h.ipid IN (SELECT ipid FROM process WHERE pid = :pid))
  UNION ALL
  SELECT s.callchain_id, s.last_lib_id, s.last_symbol_id, s.apply_size - s.release_size, s.apply_count - s.release_count
  FROM native_hook_statistic AS s
  WHERE s.id IN (SELECT max(id) FROM native_hook_statistic GROUP BY ipid, callchain_id, type)
    AND (:pid IS NULL OR s.ipid IN (SELECT ipid FROM process WHERE pid = :pid))
),
top AS MATERIALIZED (
  SELECT CASE WHEN ifnull(:by, 'path') = 'path' THEN callchain_id END AS callchain_id, lib_id,
    CASE WHEN ifnull(:by, 'path') <> 'library' THEN symbol_id END AS symbol_id,
    sum(bytes) AS bytes, sum(objects) AS objects
  FROM memory
  GROUP BY 1, 2, 3
  HAVING sum(bytes) > 0 OR sum(objects) > 0
  ORDER BY 4 DESC, 5 DESC, 1, 2, 3
  LIMIT ifnull(CAST(:limit AS INTEGER), 30)
),
-- include: native_paths
SELECT l.data AS library, s.data AS function, t.bytes, t.objects,
  round(100.0 * t.bytes / nullif((SELECT total(bytes) FROM memory), 0), 1) AS percent,
  t.callchain_id, p.path
FROM top AS t
LEFT JOIN word AS l ON l.id = t.lib_id
LEFT JOIN word AS s ON s.id = t.symbol_id
LEFT JOIN path AS p ON p.callchain_id = t.callchain_id
ORDER BY t.bytes DESC, t.objects DESC, t.callchain_id, t.lib_id, t.symbol_id;
