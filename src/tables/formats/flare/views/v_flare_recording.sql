-- topic: flare
-- order: 180
-- Sample directories of Flare in the order of time, those of one run of a JVM together: the
-- collector begins a new directory every 15 minutes or every hour. gap is the time to the
-- directory before.
-- column: agent_addr | TEXT | | not recorded | address of the agent
-- column: sample_start_time | INTEGER | ms | not recorded | when the run of the agent began, since 1970; equal in all directories of one run
-- column: part | INTEGER | | | number of the directory in its run, from 1
-- column: source_id | INTEGER | id of source | | the sample directory
-- column: path | TEXT | | no file of its own | name of the directory
-- column: start_ts | INTEGER | ns | not known | beginning of the recording
-- column: end_ts | INTEGER | ns | not known | end of the recording
-- column: gap | INTEGER | ns | the first of its run, or not known | time since the end of the directory before
CREATE VIEW v_flare_recording AS
SELECT agent_addr, sample_start_time,
  row_number() OVER run AS part, source_id, path, start_ts, end_ts,
  start_ts - lag(end_ts) OVER run AS gap
FROM (${RECORDINGS})
WINDOW run AS (PARTITION BY agent_addr, sample_start_time,
    CASE WHEN agent_addr IS NULL OR sample_start_time IS NULL THEN source_id END
  ORDER BY start_ts, source_id)
