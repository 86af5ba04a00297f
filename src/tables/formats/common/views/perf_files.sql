-- replaces: perf_files
CREATE VIEW perf_files AS
SELECT row_number() OVER (ORDER BY file_id, symbol_id) - 1 AS id, file_id,
  symbol_id AS serial_id, label AS symbol, path
FROM (${SAMPLE_METHODS})
ORDER BY file_id, symbol_id
