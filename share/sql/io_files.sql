-- Question:   Which files take most time, or most bytes, to read and write?
-- Topic:      stacks
-- Needs:      file_system_sample (calls to the file system that eBPF recorded)
-- Report:     67 Files, by the time that reading and writing took
-- Parameters: pid    id of a process (default: all)
--             by     dur, size or count (default dur)
--             limit  number of rows (default 20)
-- Columns:    file         its path; NULL: not recorded
--             count        calls
--             failed       of them
--             dur          ns of them all
--             max_dur      ns of the longest
--             read_bytes, written_bytes
SELECT f.data AS file, count(*) AS count, count(m.error_code) AS failed, sum(m.dur >> 32) * 4294967296 + sum(m.dur & 4294967295) AS dur,
  max(m.dur) AS max_dur, sum(CASE m.type WHEN 2 THEN m.size ELSE 0 END) AS read_bytes,
  sum(CASE m.type WHEN 3 THEN m.size ELSE 0 END) AS written_bytes
FROM file_system_sample m LEFT JOIN data_dict f ON f.id = m.file_id
  LEFT JOIN process p ON p.ipid = m.ipid
WHERE (:pid IS NULL OR p.pid = :pid)
GROUP BY f.data
ORDER BY CASE ifnull(:by, 'dur') WHEN 'size' THEN total(m.size) WHEN 'count' THEN count(*) ELSE total(m.dur) END DESC,
  f.data
LIMIT ifnull(:limit, 20);
