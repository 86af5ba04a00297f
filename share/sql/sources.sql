-- Question:   What was imported, and is it whole?
-- Topic:      input
-- Needs:      source (imported inputs)
-- Report:     10 What was recorded
-- Parameters: limit  number of rows (default: all)
-- Columns:    id, parent_id                     recordings are below the file that holds them
--             kind, path, name, format, clock   what it is; the file that it is or that it is in; the clock of its times
--             start_ts, duration_ns             when it was recorded, as far as known
--             bytes                             size of the unwrapped data
--             complete                          1 when its end was seen and nothing was lost
--             issues                            number of issues of severity data_loss or error
WITH RECURSIVE above(id, parent_id, path) AS (
  SELECT id, parent_id, path FROM source
  UNION
  SELECT a.id, s.parent_id, s.path FROM above AS a JOIN source AS s ON s.id = a.parent_id
  WHERE a.path IS NULL
)
SELECT s.id, s.parent_id, s.kind, p.path, s.name, s.format, s.clock, s.start_ts,
  s.end_ts - s.start_ts AS duration_ns, s.bytes, s.complete,
  ifnull(i.issues, 0) AS issues
FROM source AS s
LEFT JOIN above AS p ON p.id = s.id AND p.path IS NOT NULL
LEFT JOIN (
  SELECT source_id, sum(count) AS issues FROM import_issue
  WHERE severity IN ('data_loss', 'error')
  GROUP BY source_id LIMIT -1) AS i ON i.source_id = s.id
ORDER BY s.id
LIMIT ifnull(:limit, -1);
