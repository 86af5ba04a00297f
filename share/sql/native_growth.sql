-- Question:   Which native memory is in use at one time and was not at another, and who allocated it?
--             By call path: what was in use at `to` less what was in use at `from`. Of statistics: the
--             last sums of each path at these times. Of mappings that were released in part, what was left.
-- Topic:      heap
-- Needs:      native_hook (events of native memory), native_hook_statistic (statistics of native memory)
-- Parameters: from   time: before (default: the beginning, when nothing is known to be in use)
--             to     time: after (default: the end)
--             pid    id of a process (default: all)
--             by     one of path, function or library (default path)
--             limit  number of rows (default 30)
-- Columns:    library, function      that count as the caller
--             bytes, objects         more in use at `to`; less is negative
--             bytes_from, bytes_to   in use at these times
--             callchain_id, path     with by=path: the frames, the outermost first
WITH
-- include: native_parts
side(place, at) AS (VALUES (0, :from), (1, :to)),
-- place 0: in use at `from`, 1: at `to`.
memory(place, callchain_id, lib_id, symbol_id, bytes, objects) AS (
  SELECT side.place, h.callchain_id, h.last_lib_id, h.last_symbol_id,
    CASE WHEN h.event_type = 'MmapEvent' THEN ifnull((SELECT min(p.bytes) FROM part AS p
      WHERE p.itid = h.itid AND p.ts = h.start_ts AND p.addr = printf('0x%x', h.addr)
        AND (side.at IS NULL OR p.since <= side.at)), h.heap_size)
    ELSE h.heap_size END, 1
  FROM native_hook AS h CROSS JOIN side
  WHERE h.event_type IN ('AllocEvent', 'MmapEvent', 'GPU_VK_Alloc_Event', 'GPU_GLES_Alloc_Event', 'GPU_CL_Alloc_Event')
    AND (:pid IS NULL OR h.ipid IN (SELECT ipid FROM process WHERE pid = :pid))
    AND CASE WHEN side.at IS NULL THEN side.place = 1 AND h.end_ts IS NULL
      ELSE h.start_ts <= side.at AND (h.end_ts IS NULL OR h.end_ts > side.at) END
  UNION ALL
  SELECT side.place, s.callchain_id, s.last_lib_id, s.last_symbol_id, s.apply_size - s.release_size,
    s.apply_count - s.release_count
  FROM side CROSS JOIN native_hook_statistic AS s
  WHERE s.id IN (SELECT max(o.id) FROM native_hook_statistic AS o
      WHERE CASE WHEN side.at IS NULL THEN side.place = 1 ELSE o.ts <= side.at END
      GROUP BY o.ipid, o.callchain_id, o.type)
    AND (:pid IS NULL OR s.ipid IN (SELECT ipid FROM process WHERE pid = :pid))
),
top AS MATERIALIZED (
  SELECT CASE WHEN ifnull(:by, 'path') = 'path' THEN callchain_id END AS callchain_id, lib_id,
    CASE WHEN ifnull(:by, 'path') <> 'library' THEN symbol_id END AS symbol_id,
    sum(CASE place WHEN 1 THEN bytes ELSE -bytes END) AS bytes,
    sum(CASE place WHEN 1 THEN objects ELSE -objects END) AS objects,
    sum(CASE place WHEN 0 THEN bytes ELSE 0 END) AS bytes_from,
    sum(CASE place WHEN 1 THEN bytes ELSE 0 END) AS bytes_to
  FROM memory
  GROUP BY 1, 2, 3
  HAVING sum(CASE place WHEN 1 THEN bytes ELSE -bytes END) <> 0
    OR sum(CASE place WHEN 1 THEN objects ELSE -objects END) <> 0
  ORDER BY 4 DESC, 5 DESC, 1, 2, 3
  LIMIT ifnull(CAST(:limit AS INTEGER), 30)
),
-- include: native_paths
SELECT l.data AS library, s.data AS function, t.bytes, t.objects, t.bytes_from, t.bytes_to, t.callchain_id, p.path
FROM top AS t
LEFT JOIN word AS l ON l.id = t.lib_id
LEFT JOIN word AS s ON s.id = t.symbol_id
LEFT JOIN path AS p ON p.callchain_id = t.callchain_id
ORDER BY t.bytes DESC, t.objects DESC, t.callchain_id, t.lib_id, t.symbol_id;
