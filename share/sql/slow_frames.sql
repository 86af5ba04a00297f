-- Question:   Which frames were late, and what did their threads do in the meantime?
-- Topic:      calls
-- Needs:      frame_slice (frames of a trace of the system)
-- Parameters: pid    id of a process (default: all)
--             limit  number of rows (default 20)
-- Columns:    frame_id
--             process, thread
--             ts         when it began, in ns
--             ms         how long it took
--             late_ms    how late it ended
--             running_ms, runnable_ms, sleeping_ms, blocked_ms  what its thread did
--             slice      longest slice that it contains
--             slice_ms
SELECT frame_id, process, thread, ts, dur / 1000000.0 AS ms, late_by / 1000000.0 AS late_ms,
  running / 1000000.0 AS running_ms, runnable / 1000000.0 AS runnable_ms,
  sleeping / 1000000.0 AS sleeping_ms, blocked / 1000000.0 AS blocked_ms, slice,
  slice_dur / 1000000.0 AS slice_ms
FROM v_frame_jank
WHERE (:pid IS NULL OR pid = :pid)
ORDER BY late_by DESC, frame_id
LIMIT ifnull(:limit, 20);
