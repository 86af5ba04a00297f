-- Question:   Which frames were late, and what did their threads do in the meantime?
-- Topic:      calls
-- Needs:      frame_slice (frames of a trace of the system)
-- Report:     39 Late frames
-- Parameters: pid    id of a process (default: all)
--             limit  number of rows (default 20)
-- Columns:    frame_id
--             process, thread
--             ts         when it began, in ns
--             ms         how long it took
--             late_ms    how late it ended; not above 0: it was in time itself, but the application's frame that it shows was late
--             running_ms, runnable_ms, sleeping_ms, blocked_ms  what its thread did
--             slice      longest slice that it contains
--             slice_ms
--             cause      what its thread did longest: ran, waited for a CPU, slept, blocked; or: shows a late frame
--             within     innermost slice of the thread that took at least half of the frame
WITH late AS MATERIALIZED (
  SELECT * FROM v_frame_jank
  WHERE (:pid IS NULL OR pid = :pid)
  ORDER BY late_by DESC, frame_id
  LIMIT ifnull(CAST(:limit AS INTEGER), 20)
),
innermost AS (
  SELECT l.frame_id AS frame_id, c.name AS name, row_number() OVER (PARTITION BY l.frame_id ORDER BY c.depth DESC, c.dur DESC, c.id) AS place
  FROM callstack AS c CROSS JOIN late AS l ON l.itid = c.callid
  WHERE c.cookie IS NULL AND c.ts >= l.ts AND c.ts + c.dur <= l.ts + l.dur AND c.dur * 2 >= l.dur
)
SELECT l.frame_id AS frame_id, l.process AS process, l.thread AS thread, l.ts AS ts, l.dur / 1000000.0 AS ms, l.late_by / 1000000.0 AS late_ms,
  l.running / 1000000.0 AS running_ms, l.runnable / 1000000.0 AS runnable_ms,
  l.sleeping / 1000000.0 AS sleeping_ms, l.blocked / 1000000.0 AS blocked_ms, l.slice AS slice,
  l.slice_dur / 1000000.0 AS slice_ms,
  CASE WHEN l.flag = 3 AND l.late_by <= 0 THEN 'shows a late frame' ELSE
    CASE max(l.running, l.runnable, l.sleeping, l.blocked) WHEN 0 THEN NULL WHEN l.blocked THEN 'blocked' WHEN l.runnable THEN 'waited for a CPU'
      WHEN l.running THEN 'ran' WHEN l.sleeping THEN 'slept' END END AS cause, i.name AS within
FROM late AS l LEFT JOIN innermost AS i ON i.frame_id = l.frame_id AND i.place = 1
ORDER BY l.late_by DESC, l.frame_id;
