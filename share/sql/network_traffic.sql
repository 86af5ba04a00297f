-- Question:   How much was received and sent, and when most?
-- Topic:      series
-- Needs:      network (network traffic)
-- Report:     33 Network
-- Parameters: from, to  time: measured in [from, to) (default: everything)
-- Columns:    direction   received or sent
--             bytes       in all, between the measurements
--             mean_bytes_per_s, most_bytes_per_s  the mean, and the most between two measurements
--             most_ts, most_dur  when that was measured, and the time since the measurement before, in ns
--             trend       from the first to the last measurement, up to the most
WITH point(direction, ts, row, dur, speed) AS (
  SELECT 'received', ts, rowid, dur, rx_speed FROM network
  UNION ALL SELECT 'sent', ts, rowid, dur, tx_speed FROM network),
-- include: traffic
