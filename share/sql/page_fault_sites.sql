-- Question:   Which code causes page faults, how many, and how long do they take?
-- Topic:      stacks
-- Needs:      paged_memory_sample (page faults that eBPF recorded)
-- Report:     69 Code that causes page faults
-- Parameters: pid    id of a process (default: all)
--             type   kind of event (default: all)
--             limit  number of rows (default 20)
-- Columns:    process, type
--             symbol   innermost function outside the kernel; its address where it has no name
--             file     file that it is in
--             count    events
--             dur      ns of them all
--             max_dur  ns of the longest
--             size     bytes of them all
WITH site AS (
  SELECT c.callchain_id, coalesce(s.data, c.ip) AS symbol, f.data AS file,
    max(c.depth + CASE f.data WHEN '/proc/kallsyms' THEN 0 ELSE 1000000 END)
  FROM ebpf_callstack c LEFT JOIN data_dict s ON s.id = c.symbols_id
    LEFT JOIN data_dict f ON f.id = c.file_path_id
  GROUP BY c.callchain_id
)
SELECT p.name AS process, m.type, site.symbol, site.file, count(*) AS count, sum(m.dur >> 32) * 4294967296 + sum(m.dur & 4294967295) AS dur,
  max(m.dur) AS max_dur, sum(m.size) AS size
FROM paged_memory_sample m LEFT JOIN site ON site.callchain_id = m.callchain_id
  LEFT JOIN process p ON p.ipid = m.ipid
WHERE (:pid IS NULL OR p.pid = :pid) AND m.type = ifnull(:type, m.type)
GROUP BY m.ipid, m.type, site.symbol, site.file
ORDER BY total(m.dur) DESC, count(*) DESC, m.ipid, m.type, site.symbol, site.file
LIMIT ifnull(:limit, 20);
