-- Question:   What was imported, and is it whole?
-- Parameters: none
-- Columns:    id, parent_id                     recordings stand below the file that holds them
--             kind, path, name, format, clock   what it is; the clock of its times
--             start_ts, duration_ns             when it was recorded, as far as known
--             bytes                             size of the unwrapped data
--             complete                          1 when its end was seen and nothing was lost
--             issues                            number of issues of severity data_loss or error
SELECT s.id, s.parent_id, s.kind, s.path, s.name, s.format, s.clock, s.start_ts,
  s.end_ts - s.start_ts AS duration_ns, s.bytes, s.complete,
  (SELECT ifnull(sum(i.count), 0) FROM import_issue AS i
    WHERE i.source_id = s.id AND i.severity IN ('data_loss', 'error')) AS issues
FROM source AS s
ORDER BY s.id;
