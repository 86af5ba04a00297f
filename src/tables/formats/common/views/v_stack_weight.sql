-- topic: stack
-- order: 107
-- What samples and traced calls weigh: a row for the length of each, and one for each value that a
-- sample has. Rows of one class and unit add up; rows of two classes never do.
-- column: source_id = stack_sample.source_id
-- column: sample_id | INTEGER | id of stack_sample | a traced call | the sample
-- column: itid = stack_sample.itid
-- column: ts = stack_sample.ts
-- column: dur = stack_sample.dur
-- column: node_id = stack_sample.node_id
-- column: event | TEXT | | not recorded | event of the sample; call for traced calls
-- column: name | TEXT | | kind of value not known | what the value is: dur of a sample, self_dur of a call, calls_async of a call that belongs to no thread, or stack_value_type.name
-- column: value_type_id | INTEGER | id of stack_value_type | length of a sample or call | the kind of value
-- column: unit | TEXT | | not recorded | unit of the value: ns, bytes, count ...
-- column: class | TEXT | | the time of this class is in a value of the source, not in the length of its samples | cpu, wall, waiting, allocation, live or other: see event_class
-- column: reason | TEXT | | none | what it waited for, or what ran: see event_class
-- column: rank | INTEGER | | in no default | which weight comes first where none is asked for: the least of those with a sum above 0
-- column: value | INTEGER | that of the column unit | not recorded | length or value
CREATE VIEW v_stack_weight AS
SELECT s.source_id AS source_id, s.id AS sample_id, s.itid AS itid, s.ts AS ts, s.dur AS dur, s.node_id AS node_id,
  s.event AS event, 'dur' AS name, NULL AS value_type_id, 'ns' AS unit, CASE WHEN y.n IS NULL THEN s.class END AS class,
  CASE WHEN y.n IS NULL THEN s.reason END AS reason,
  CASE WHEN y.n IS NULL THEN ${WEIGHT_RANK|s.class|'ns'|'dur'} END AS rank, s.dur AS value
FROM v_sample AS s
LEFT JOIN (
  SELECT source_id, class, count(*) AS n FROM (${VALUE_TYPES}) WHERE unit = 'ns' GROUP BY 1, 2
) AS y ON y.source_id = s.source_id AND y.class = s.class
UNION ALL
SELECT s.source_id, s.id, s.itid, s.ts, s.dur, s.node_id, s.event, y.name, v.value_type_id, y.unit, y.class, y.reason,
  CASE WHEN y.usual THEN ${TS_RANK_USUAL} ELSE ${WEIGHT_RANK|y.class|y.unit|y.name} END, v.value
FROM stack_sample_value AS v
CROSS JOIN stack_sample AS s ON s.id = v.sample_id
LEFT JOIN (${VALUE_TYPES}) AS y ON y.id = v.value_type_id
UNION ALL
SELECT c.source_id, NULL, c.itid, c.ts, c.dur, c.node_id, 'call',
  CASE WHEN a.async THEN 'calls_async' ELSE 'self_dur' END, NULL, 'ns',
  CASE WHEN a.async THEN 'other' ELSE 'wall' END, NULL, CASE WHEN a.async THEN ${TS_RANK_ASYNC} ELSE ${TS_RANK_WALL} END,
  c.self_dur
FROM stack_slice AS c
LEFT JOIN chrome_slice AS a ON a.slice_id = c.id
