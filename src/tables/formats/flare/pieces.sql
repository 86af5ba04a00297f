-- piece: RECORDINGS
-- Facts of a sample directory: the summary is in source_property.
SELECT s.id AS source_id, s.path AS path, s.start_ts AS start_ts, s.end_ts AS end_ts,
  a.value AS agent_addr, CAST(b.value AS INTEGER) AS sample_start_time
FROM source AS s
LEFT JOIN source_property AS a ON a.source_id = s.id AND a.key = ${TS_FLARE_AGENT_ADDR}
LEFT JOIN source_property AS b ON b.source_id = s.id AND b.key = ${TS_FLARE_SAMPLE_START}
WHERE s.kind = ${TS_FLARE_DIRECTORY} AND s.format = ${TS_FLARE_FORMAT}

-- piece: FLARE_STATES
-- States of threads in records.
SELECT sample_id, state FROM flare_stack WHERE state IS NOT NULL
