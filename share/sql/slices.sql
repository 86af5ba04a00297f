-- Question:   How many calls and marked sections are there, how long are they, and how many have no end?
-- Topic:      calls
-- Needs:      stack_slice (traced calls), callstack (slices of a trace of the system)
-- Report:     56 Calls and marked sections
-- Parameters: limit  number of rows (default 20)
-- Columns:    kind      call: of a thread; async: asynchronous, of no thread, may overlap
--             count     of them
--             open      whose end was not seen
--             dur       ns of those that nothing is around
--             self_dur  ns in themselves, without those right below; together the time of threads
--             cpu_dur   ns of those that nothing is around on a CPU; NULL: not recorded
WITH slice(kind, parent_id, dur, self_dur, cpu_dur) AS (
  SELECT CASE WHEN c.async OR f.async THEN 'async' ELSE 'call' END, s.parent_id, s.dur, s.self_dur, s.cpu_dur
  FROM stack_slice AS s LEFT JOIN chrome_slice AS c ON c.slice_id = s.id
  LEFT JOIN firefox_slice AS f ON f.slice_id = s.id
  UNION ALL SELECT 'call', parent_id, dur, max(self_dur, 0), NULL FROM v_slice_self
  WHERE id < (SELECT count(*) FROM callstack) - (SELECT count(*) FROM stack_slice)
  UNION ALL SELECT 'async', NULL, dur, NULL, NULL FROM callstack WHERE cookie IS NOT NULL)
SELECT kind, count(*) AS count, sum(dur IS NULL) AS open,
  sum(CASE WHEN parent_id IS NULL THEN dur >> 32 END) * 4294967296 + sum(CASE WHEN parent_id IS NULL THEN dur & 4294967295 END) AS dur,
  sum(self_dur >> 32) * 4294967296 + sum(self_dur & 4294967295) AS self_dur,
  sum(CASE WHEN parent_id IS NULL THEN cpu_dur >> 32 END) * 4294967296 + sum(CASE WHEN parent_id IS NULL THEN cpu_dur & 4294967295 END) AS cpu_dur
FROM slice
GROUP BY kind
ORDER BY kind DESC
LIMIT ifnull(:limit, 20);
