-- Question:   Which requests to the disk took longest, of which file and thread?
-- Topic:      stacks
-- Needs:      bio_latency_sample (requests to block devices that eBPF recorded)
-- Report:     68 Longest requests to the disk
-- Parameters: pid    id of a process (default: all)
--             limit  number of rows (default 20)
-- Columns:    ts       when it began, in ns
--             dur      until it was done, in ns
--             process, thread
--             type     of the request, as recorded
--             bytes    of it
--             file     its path; NULL: not recorded
SELECT m.start_ts AS ts, m.latency_dur AS dur, p.name AS process, t.name AS thread,
  m.type AS type,
  m.size AS bytes, f.data AS file
FROM bio_latency_sample AS m LEFT JOIN data_dict AS f ON f.id = m.path_id LEFT JOIN thread AS t ON t.rowid = m.itid + 1 LEFT JOIN process AS p ON p.rowid = m.ipid + 1
WHERE m.latency_dur IS NOT NULL AND (:pid IS NULL OR p.pid = :pid)
ORDER BY m.latency_dur DESC, m.start_ts, m.id
LIMIT ifnull(:limit, 20);
