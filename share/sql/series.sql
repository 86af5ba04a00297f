-- Question:   Which values were measured: how many, the least, greatest, mean, first and last of each series?
--             Series of all kinds: timeseries, counters of CPUs, processes and the system, loads, traffic.
-- Topic:      series
-- Needs:      timeseries_value (time series), measure (counters), sys_mem_measure (counters of memory), process_measure (counters of processes), xpower_measure (counters of power use), cpu_usage (loads of CPUs), diskio (disk traffic), network (network traffic), live_process (processes)
-- Parameters: source    id of a source (default: all)
--             from, to  time: values measured in [from, to) (default: everything)
--             limit     number of rows (default 200)
-- Columns:    source_id   of tables without one: the source that is in no other, if it is one
--             series      table of the values
--             id          of timeseries or the filter; number of the column of other tables
--             name, unit  NULL: not recorded
--             owner       CPU, process or thread; NULL: of none
--             points      number of values
--             least, greatest, mean, first, last
WITH part(place, series, id, name, unit) AS (VALUES
  (6, 'cpu_usage', 1, 'total_load', '%'), (6, 'cpu_usage', 2, 'user_load', '%'), (6, 'cpu_usage', 3, 'system_load', '%'), (6, 'cpu_usage', 4, 'process_num', NULL),
  (7, 'diskio', 1, 'rd', 'KiB'), (7, 'diskio', 2, 'wr', 'KiB'), (7, 'diskio', 3, 'rd_speed', 'KiB/s'), (7, 'diskio', 4, 'wr_speed', 'KiB/s'),
  (7, 'diskio', 5, 'rd_count', 'KiB'), (7, 'diskio', 6, 'wr_count', 'KiB'), (7, 'diskio', 7, 'rd_count_speed', '1/s'), (7, 'diskio', 8, 'wr_count_speed', '1/s'),
  (8, 'network', 1, 'tx', 'bytes'), (8, 'network', 2, 'rx', 'bytes'), (8, 'network', 3, 'tx_speed', 'bytes/s'), (8, 'network', 4, 'rx_speed', 'bytes/s'),
  (8, 'network', 5, 'packet_in', NULL), (8, 'network', 6, 'packet_in_sec', '1/s'), (8, 'network', 7, 'packet_out', NULL), (8, 'network', 8, 'packet_out_sec', '1/s'),
  (9, 'live_process', 3, 'cpu_time', 'ms'), (9, 'live_process', 4, 'cpu_usage', '%'), (9, 'live_process', 5, 'pss_info', 'KiB'),
  (9, 'live_process', 6, 'thread_num', NULL), (9, 'live_process', 7, 'disk_writes', 'bytes'), (9, 'live_process', 8, 'disk_reads', 'bytes')),
point(place, series, id, pid, owner, ts, row, value) AS (
  SELECT 1, 'timeseries', series_id, 0, NULL, ts, rowid, value FROM timeseries_value
  UNION ALL SELECT 2, 'measure', filter_id, 0, NULL, ts, rowid, value FROM measure
  UNION ALL SELECT 3, 'sys_mem_measure', filter_id, 0, NULL, ts, rowid, value FROM sys_mem_measure
  UNION ALL SELECT 4, 'process_measure', filter_id, 0, NULL, ts, rowid, value FROM process_measure
  UNION ALL SELECT 5, 'xpower_measure', filter_id, 0, NULL, ts, rowid, value FROM xpower_measure
  UNION ALL SELECT 6, series, id, 0, NULL, ts, u.rowid, CASE id WHEN 1 THEN total_load WHEN 2 THEN user_load WHEN 3 THEN system_load ELSE process_num END
  FROM cpu_usage AS u, part WHERE place = 6
  UNION ALL SELECT 7, series, id, 0, NULL, ts, u.rowid, CASE id WHEN 1 THEN rd WHEN 2 THEN wr WHEN 3 THEN rd_speed WHEN 4 THEN wr_speed WHEN 5 THEN rd_count WHEN 6 THEN wr_count
    WHEN 7 THEN rd_count_speed ELSE wr_count_speed END FROM diskio AS u, part WHERE place = 7
  UNION ALL SELECT 8, series, id, 0, NULL, ts, u.rowid, CASE id WHEN 1 THEN tx WHEN 2 THEN rx WHEN 3 THEN tx_speed WHEN 4 THEN rx_speed WHEN 5 THEN packet_in WHEN 6 THEN packet_in_sec
    WHEN 7 THEN packet_out ELSE packet_out_sec END FROM network AS u, part WHERE place = 8
  UNION ALL SELECT 9, series, id, process_id, ifnull(process_name, 'process ' || process_id), ts, u.rowid,
    CASE id WHEN 3 THEN cpu_time WHEN 4 THEN u.cpu_usage WHEN 5 THEN pss_info WHEN 6 THEN thread_num WHEN 7 THEN disk_writes ELSE disk_reads END
  FROM live_process AS u, part WHERE place = 9),
known(place, id, source_id, name, unit, owner) AS (
  SELECT 1, s.id, s.source_id, s.name, s.unit, ifnull(t.name, 'thread ' || t.tid) FROM timeseries AS s LEFT JOIN thread AS t ON t.rowid = s.itid + 1
  UNION ALL SELECT 2, f.id, NULL, f.name, NULL, CASE f.type WHEN 'cpu_measure_filter' THEN 'CPU ' || f.source_arg_set_id WHEN 'process_measure_filter' THEN ifnull(p.name, 'process ' || p.pid) END
  FROM measure_filter AS f LEFT JOIN process AS p ON p.rowid = f.source_arg_set_id + 1
  UNION ALL SELECT place, id, NULL, name, unit, NULL FROM part),
root(id) AS (SELECT CASE WHEN count(*) = 1 THEN min(id) END FROM source WHERE parent_id IS NULL),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY place, id, pid, owner ORDER BY ts, row) AS number, row_number() OVER (PARTITION BY place, id, pid, owner ORDER BY ts DESC, row DESC) AS back
  FROM point WHERE value IS NOT NULL AND ts IS NOT NULL AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)),
summed AS (
  SELECT place, series, id, pid, owner, count(*) AS points, min(value) AS least, max(value) AS greatest, avg(value) AS mean,
    max(CASE WHEN number = 1 THEN value END) AS first, max(CASE WHEN back = 1 THEN value END) AS last
  FROM placed GROUP BY place, series, id, pid, owner)
SELECT CASE s.place WHEN 1 THEN k.source_id ELSE r.id END AS source_id, s.series, s.id, k.name, k.unit, ifnull(s.owner, k.owner) AS owner, s.points, s.least, s.greatest, s.mean, s.first, s.last
FROM summed AS s CROSS JOIN root AS r LEFT JOIN known AS k ON k.id = s.id AND k.place = CASE WHEN s.place BETWEEN 3 AND 5 THEN 2 ELSE s.place END
WHERE :source IS NULL OR CASE s.place WHEN 1 THEN k.source_id ELSE r.id END IN (SELECT value FROM json_each(:source))
ORDER BY s.place, s.id, s.pid, s.owner
LIMIT ifnull(:limit, 200);
