/* With samples of CPU profiles: the last sample of each run says which run it is. */
-- replaces: js_cpu_profiler_sample
CREATE VIEW js_cpu_profiler_sample AS
SELECT r.run AS id, r.node_id + b.shift + ifnull(r.shift, 0) AS function_id,
  ${RUN_START} + ${RUN_PLACE} AS start_time,
  ${SAMPLE_END} + ${RUN_PLACE} AS end_time,
  ${SAMPLE_END} - ${RUN_START} AS dur
FROM stack_sample_row AS r
CROSS JOIN stack_sample_block AS b ON b.id = r.id / ${TS_SAMPLE_BLOCK}
WHERE r.run IS NOT NULL
