-- topic: flare
-- order: 190
-- CPU time series of Flare with directory and thread, one row per value that is not 0, over all
-- directories of a run. Filter on agent_addr and tid.
-- column: agent_addr | TEXT | | not recorded | address of the agent
-- column: sample_start_time | INTEGER | ms | not recorded | when the run of the agent began, since 1970; equal in all directories of one run
-- column: source_id | INTEGER | id of source | | the sample directory
-- column: itid = flare_thread.itid
-- column: tid | INTEGER | | thread not known | thread id, as thread_detail.tid_kind says
-- column: thread | TEXT | | thread or its name not known | name of the thread
-- column: ts = timeseries_value.ts
-- column: cpu_us | INTEGER | µs | not certain | CPU time of the thread in the slot that begins at ts
CREATE VIEW v_flare_cpu AS
SELECT r.agent_addr AS agent_addr, r.sample_start_time AS sample_start_time,
  r.source_id AS source_id, f.itid AS itid, t.tid AS tid, t.name AS thread, v.ts AS ts,
  CAST(v.value AS INTEGER) AS cpu_us
FROM timeseries_value AS v
JOIN flare_thread AS f ON f.series_id = v.series_id
JOIN (${RECORDINGS}) AS r ON r.source_id = f.source_id
LEFT JOIN thread AS t ON t.rowid = f.itid + 1
