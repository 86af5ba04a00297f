-- Question:   Which processes used CPU and memory, and how did that develop?
-- Topic:      series
-- Model:      process_usage
-- Needs:      live_process (measurements of processes)
-- Report:     31 CPU and memory of processes
-- Parameters: from, to  time: measured in [from, to) (default: everything)
--             limit     number of rows (default 20)
-- Columns:    process, pid
--             cpu_percent, most_cpu_percent  of one CPU: the mean and the most
--             cpu_trend     from the first to the last measurement, up to most_cpu_percent
--             first_bytes, last_bytes, most_bytes  memory, shared pages in proportion (PSS)
--             memory_trend  from the first to the last measurement, from the least to the most
--             read_bytes, written_bytes  from and to the disk between the first and the last measurement
WITH point AS (
  SELECT process_id AS pid, process_name AS name, ts, rowid AS row, cpu_usage AS cpu, pss_info * 1024 AS bytes, disk_reads AS rd, disk_writes AS wr,
    ntile(24) OVER w AS part, row_number() OVER w AS number, row_number() OVER (PARTITION BY process_id, process_name ORDER BY ts DESC, rowid DESC) AS back
  FROM live_process
  WHERE ts IS NOT NULL AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)
  WINDOW w AS (PARTITION BY process_id, process_name ORDER BY ts, rowid)),
used AS MATERIALIZED (
  SELECT pid, name, avg(cpu) AS cpu, max(cpu) AS most_cpu, max(CASE WHEN number = 1 THEN bytes END) AS first, max(CASE WHEN back = 1 THEN bytes END) AS last,
    min(bytes) AS least, max(bytes) AS most, max(rd) - min(rd) AS rd, max(wr) - min(wr) AS wr
  FROM point GROUP BY pid, name ORDER BY avg(cpu) DESC, max(bytes) DESC, pid LIMIT ifnull(CAST(:limit AS INTEGER), 20)),
mean(pid, name, part, cpu, bytes) AS (
  SELECT p.pid, p.name, p.part, avg(p.cpu), avg(p.bytes) FROM point AS p JOIN used AS u ON u.pid IS p.pid AND u.name IS p.name GROUP BY p.pid, p.name, p.part),
trend(pid, name, cpu, bytes) AS (
  SELECT m.pid, m.name,
    group_concat(substr('▁▂▃▄▅▆▇█', 1 + CAST(7 * ifnull(m.cpu / nullif(u.most_cpu, 0), 0) + 0.5 AS INTEGER), 1), ''),
    group_concat(substr('▁▂▃▄▅▆▇█', 1 + CAST(7 * ifnull((m.bytes - u.least) * 1.0 / nullif(u.most - u.least, 0), 0) + 0.5 AS INTEGER), 1), '')
  FROM (SELECT * FROM mean ORDER BY pid, name, part) AS m JOIN used AS u ON u.pid IS m.pid AND u.name IS m.name GROUP BY m.pid, m.name)
SELECT u.name AS process, u.pid AS pid, u.cpu AS cpu_percent, u.most_cpu AS most_cpu_percent, t.cpu AS cpu_trend, u.first AS first_bytes, u.last AS last_bytes,
  u.most AS most_bytes, t.bytes AS memory_trend, u.rd AS read_bytes, u.wr AS written_bytes
FROM used AS u LEFT JOIN trend AS t ON t.pid IS u.pid AND t.name IS u.name
ORDER BY u.cpu DESC, u.most DESC, u.pid;
