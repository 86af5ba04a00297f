-- Question:   Which single slices of the system's trace took longest?
--             Slices are marked sections of threads, and asynchronous ones; traced calls: slow_calls.
-- Topic:      calls
-- Needs:      callstack (slices of a trace of the system)
-- Report:     57 Longest slices
-- Parameters: pid    id of a process (default: all)
--             name   only slices whose name matches, * and ? as in file names (default: all)
--             limit  number of rows (default 20)
-- Columns:    slice_id  id of callstack
--             ts        when it began, in ns
--             dur       how long it took, in ns
--             self_dur  of it in itself, not in slices right below; NULL: asynchronous
--             process, thread
--             depth     slices around it
--             name
WITH longest AS MATERIALIZED (
  SELECT c.id AS id, c.ts AS ts, c.dur AS dur, c.callid AS itid, c.depth AS depth, c.name AS name, c.cookie AS cookie
  FROM callstack AS c
  WHERE c.id < (SELECT count(*) FROM callstack) - (SELECT count(*) FROM stack_slice) AND c.dur IS NOT NULL
    AND (:name IS NULL OR c.name GLOB :name)
    AND (:pid IS NULL OR c.callid IN (SELECT h.itid FROM thread AS h JOIN process AS q ON q.ipid = h.ipid WHERE q.pid = :pid))
  ORDER BY c.dur DESC, c.id
  LIMIT ifnull(CAST(:limit AS INTEGER), 20)
),
below AS (
  SELECT l.id AS id, sum(c.dur) AS dur
  FROM callstack AS c CROSS JOIN longest AS l ON l.id = c.parent_id
  WHERE c.cookie IS NULL
  GROUP BY l.id
)
SELECT l.id AS slice_id, l.ts AS ts, l.dur AS dur,
  CASE WHEN l.cookie IS NULL THEN max(l.dur - ifnull(b.dur, 0), 0) END AS self_dur,
  p.name AS process, t.name AS thread, l.depth AS depth, l.name AS name
FROM longest AS l
LEFT JOIN below AS b ON b.id = l.id
LEFT JOIN thread AS t ON t.rowid = l.itid + 1
LEFT JOIN process AS p ON p.rowid = t.ipid + 1
ORDER BY l.dur DESC, l.id;
