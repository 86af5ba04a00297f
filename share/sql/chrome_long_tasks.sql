-- Question:   Which tasks kept the main threads of a trace busy for long?
--             A page does not react while one runs; DevTools marks those from 50 ms on.
-- Topic:      calls
-- Needs:      chrome_slice (spans of Chrome or Node.js)
-- Report:     51 Long tasks of main threads
-- Parameters: source  id of a source (default: all)
--             min_ms  shortest task that counts, in ms (default 50)
--             limit   number of rows (default 20)
-- Columns:    slice_id
--             process, pid, thread
--             task    name of the outermost span
--             ts      when it began, in ns
--             ms      how long it took
--             cpu_ms  how long its thread ran on a CPU in it
--             inner   name of the longest span that it called
--             inner_ms
SELECT t.slice_id, p.name AS process, p.pid, t.thread, e.name AS task, t.ts,
  t.dur / 1000000.0 AS ms, t.cpu_dur / 1000000.0 AS cpu_ms, i.name AS inner,
  t.inner_dur / 1000000.0 AS inner_ms
FROM (
  SELECT a.slice_id, a.event_id, a.thread, a.ts, a.dur, a.cpu_dur,
    max(s.dur) AS inner_dur, s.id AS inner_id
  FROM (
    SELECT c.slice_id, c.event_id, h.name AS thread, s.ts, s.dur, s.cpu_dur
    FROM thread AS h
    JOIN stack_slice AS s ON s.itid = h.itid
    JOIN chrome_slice AS c ON c.slice_id = s.id
    WHERE (h.is_main_thread = 1 OR h.name GLOB 'Cr*Main') AND s.depth = 0
      AND s.dur >= ifnull(:min_ms, 50) * 1000000
      AND (:source IS NULL OR s.source_id IN (SELECT value FROM json_each(:source)))
    ORDER BY s.dur DESC, s.id
    LIMIT ifnull(:limit, 20)) AS a
  LEFT JOIN stack_slice AS s ON s.parent_id = a.slice_id
  GROUP BY a.slice_id) AS t
JOIN chrome_event AS e ON e.id = t.event_id
LEFT JOIN process AS p ON p.rowid = e.ipid + 1
LEFT JOIN chrome_slice AS ic ON ic.slice_id = t.inner_id
LEFT JOIN chrome_event AS i ON i.id = ic.event_id
ORDER BY t.dur DESC, t.slice_id;
