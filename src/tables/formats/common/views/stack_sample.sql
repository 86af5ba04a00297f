/* With samples of CPU profiles: the rows are in stack_sample_row and stack_sample_block. */
-- replaces: stack_sample
CREATE VIEW stack_sample AS
SELECT r.id AS id, ifnull(r.source_id, b.source_id) AS source_id,
  CASE WHEN r.source_id IS NULL THEN b.itid ELSE r.itid END AS itid,
  ifnull(r.ts, b.ts + r.since_us * ${TS_NS_PER_US}) AS ts, ifnull(r.dur, r.dur_us * ${TS_NS_PER_US}) AS dur,
  r.node_id AS node_id,
  CASE WHEN r.source_id IS NULL THEN b.event ELSE r.event END AS event
FROM stack_sample_row AS r
CROSS JOIN stack_sample_block AS b ON b.id = r.id / ${TS_SAMPLE_BLOCK}
