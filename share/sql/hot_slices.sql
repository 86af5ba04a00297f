-- Question:   In which slices of the system's trace was time spent?
--             Slices are marked sections of threads; names are taken as they are.
-- Topic:      calls
-- Needs:      callstack (slices of a trace of the system, or traced calls)
-- Report:     58 Slices, by the time in themselves
-- Parameters: pid    id of a process (default: all)
--             limit  number of rows (default 20)
-- Columns:    name
--             count    slices
--             self_ms  time in them, without slices below
--             total_ms time in them; a recursive one counts each time
--             max_ms   the longest one
SELECT name, count(*) AS count, sum(self_dur) / 1000000.0 AS self_ms,
  sum(dur) / 1000000.0 AS total_ms, max(dur) / 1000000.0 AS max_ms
FROM v_slice_self
WHERE (:pid IS NULL OR pid = :pid)
GROUP BY name
ORDER BY sum(self_dur) DESC, name
LIMIT ifnull(:limit, 20);
