-- topic: ftrace
-- order: 320
-- Samples of a profile under the slice that their thread was in: the innermost one of callstack that
-- was open then. A recording that has both is one of hiperf beside ftrace.
-- column: sample_id | INTEGER | id of stack_sample | | the sample
-- column: slice_id | INTEGER | id of callstack | | the slice
-- column: name = callstack.name
-- column: depth = callstack.depth
-- column: itid = stack_sample.itid
-- column: ts | INTEGER | ns | | when the sample was taken
-- column: dur = stack_sample.dur
-- column: node_id = stack_sample.node_id
-- column: event = stack_sample.event
CREATE VIEW v_slice_samples AS
WITH RECURSIVE
-- The slice that began last before each sample: those that are open are that one and its callers.
moment AS (
  SELECT callid AS itid, ts, 'call' AS kind, depth, id AS slice_id, NULL AS sample_id
  FROM callstack WHERE cookie IS NULL
  UNION ALL
  SELECT itid, ts, 'sample', NULL, NULL, id FROM stack_sample WHERE itid IS NOT NULL AND ts IS NOT NULL
),
run AS (
  SELECT itid, ts, slice_id, sample_id,
    count(slice_id) OVER (PARTITION BY itid ORDER BY ts, kind, depth, slice_id ROWS UNBOUNDED PRECEDING) AS number
  FROM moment
),
last AS (
  SELECT sample_id, ts, max(slice_id) OVER (PARTITION BY itid, number) AS slice_id FROM run
),
climb(sample_id, ts, slice_id) AS (
  SELECT sample_id, ts, slice_id FROM last WHERE sample_id IS NOT NULL AND slice_id IS NOT NULL
  UNION ALL
  SELECT k.sample_id, k.ts, c.parent_id FROM climb AS k CROSS JOIN callstack AS c ON c.rowid = k.slice_id + 1
  WHERE c.ts + c.dur <= k.ts AND c.parent_id < c.id
)
SELECT k.sample_id AS sample_id, c.id AS slice_id, c.name AS name, c.depth AS depth, s.itid AS itid, s.ts AS ts,
  s.dur AS dur, s.node_id AS node_id, s.event AS event
FROM climb AS k
CROSS JOIN callstack AS c ON c.rowid = k.slice_id + 1
CROSS JOIN stack_sample AS s ON s.id = k.sample_id
WHERE c.dur IS NULL OR c.ts + c.dur > k.ts
