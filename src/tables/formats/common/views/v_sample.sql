-- topic: stack
-- order: 105
-- Samples and what they mean, by event_class: whether the thread ran, waited, allocated.
-- column: id = stack_sample.id
-- column: source_id = stack_sample.source_id
-- column: itid = stack_sample.itid
-- column: ts = stack_sample.ts
-- column: dur = stack_sample.dur
-- column: node_id = stack_sample.node_id
-- column: event = stack_sample.event
-- column: state | TEXT | | not recorded | what the thread did, as recorded
-- column: class | TEXT | | | cpu, wall, waiting, allocation, live or other: see event_class
-- column: reason | TEXT | | none | what it waited for, or what ran: see event_class
CREATE VIEW v_sample AS
SELECT s.id AS id, s.source_id AS source_id, s.itid AS itid, s.ts AS ts, s.dur AS dur,
  s.node_id AS node_id, s.event AS event, t.state AS state,
  coalesce(e.class, b.class, a.class, 'other') AS class,
  CASE WHEN e.class IS NOT NULL THEN e.reason WHEN b.class IS NOT NULL THEN b.reason
    ELSE a.reason END AS reason
FROM stack_sample AS s
LEFT JOIN source AS o ON o.id = s.source_id
LEFT JOIN stack_node AS n ON n.id = s.node_id
LEFT JOIN stack_method AS m ON m.id = n.method_id
LEFT JOIN (${SAMPLE_STATES}) AS t ON t.sample_id = s.id
LEFT JOIN event_class AS a ON a.format = o.format AND a.event = s.event AND a.state = '*'
LEFT JOIN event_class AS b ON b.format = o.format AND b.event = s.event AND b.state = t.state
LEFT JOIN event_class AS e ON e.format = o.format AND e.event = s.event
  AND e.state = CASE WHEN t.state IS NULL THEN m.name ELSE t.state || ' ' || m.class || '.' || m.name END
