-- Question:   How much was read and written, and when most?
-- Topic:      series
-- Needs:      diskio (disk traffic)
-- Report:     32 Disk
-- Parameters: from, to  time: measured in [from, to) (default: everything)
-- Columns:    direction   read or written
--             bytes       in all, between the measurements
--             mean_bytes_per_s, most_bytes_per_s  the mean, and the most between two measurements
--             most_ts, most_dur  when that was measured, and the time since the measurement before, in ns
--             trend       from the first to the last measurement, up to the most
WITH point(direction, ts, row, dur, speed) AS (
  SELECT 'read', ts, rowid, dur, rd_speed * 1024 FROM diskio
  UNION ALL SELECT 'written', ts, rowid, dur, wr_speed * 1024 FROM diskio),
-- include: traffic
