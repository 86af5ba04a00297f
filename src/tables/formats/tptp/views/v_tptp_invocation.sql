-- topic: tptp
-- order: 172
-- Traced invocations of the TPTP profiler with all that was recorded. Filter on slice_id.
-- column: slice_id = tptp_invocation.slice_id
-- column: source_id = tptp_invocation.source_id
-- column: itid = stack_slice.itid
-- column: thread | TEXT | | its name is not known | name of the thread
-- column: parent_id = stack_slice.parent_id
-- column: method | TEXT | | not certain | class and name of the method
-- column: ts = stack_slice.ts
-- column: dur = stack_slice.dur
-- column: self_dur = stack_slice.self_dur
-- column: cpu_dur = stack_slice.cpu_dur
-- column: depth = stack_slice.depth
-- column: state = stack_slice.state
-- column: object_id = tptp_invocation.object_id
-- column: class | TEXT | | not recorded | class of that object
-- column: ticket = tptp_invocation.ticket
-- column: stack_depth = tptp_invocation.stack_depth
-- column: sequence = tptp_invocation.sequence
-- column: exit_sequence = tptp_invocation.exit_sequence
-- column: overhead = tptp_invocation.overhead
CREATE VIEW v_tptp_invocation AS
SELECT i.slice_id AS slice_id, i.source_id AS source_id, s.itid AS itid, t.name AS thread,
  s.parent_id AS parent_id, ${METHOD_NAME} AS method, s.ts AS ts, s.dur AS dur,
  s.self_dur AS self_dur, s.cpu_dur AS cpu_dur, s.depth AS depth, s.state AS state,
  i.object_id AS object_id, c.name AS class, i.ticket AS ticket, i.stack_depth AS stack_depth,
  i.sequence AS sequence, i.exit_sequence AS exit_sequence, i.overhead AS overhead
FROM tptp_invocation AS i
LEFT JOIN stack_slice AS s ON s.id = i.slice_id
LEFT JOIN thread AS t ON t.rowid = s.itid + 1
LEFT JOIN stack_node AS n ON n.id = s.node_id
LEFT JOIN stack_method AS m ON m.id = n.method_id
LEFT JOIN tptp_class AS c ON c.id = i.class_id
