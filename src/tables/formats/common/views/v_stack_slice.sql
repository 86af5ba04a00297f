-- topic: stack
-- order: 140
-- Traced invocations with thread and method resolved. Filter on id or itid.
-- column: id = stack_slice.id
-- column: source_id = stack_slice.source_id
-- column: itid = stack_slice.itid
-- column: tid | INTEGER | | thread not known | thread id, as thread_detail.tid_kind says
-- column: thread | TEXT | | thread or its name not known | name of the thread
-- column: parent_id = stack_slice.parent_id
-- column: node_id = stack_slice.node_id
-- column: method_id | INTEGER | id of stack_method | call path or method not known | the method
-- column: method | TEXT | | method not known | class and name of the method; # and its raw_id when it has no name
-- column: signature | TEXT | | method not known, or not recorded | types of parameters and result, as recorded
-- column: file | TEXT | | method not known, or not recorded | source file or URL
-- column: line | INTEGER | | method not known, or not recorded | line where it begins, counted as in the recording
-- column: library | TEXT | | method not known, or not recorded | library, script or image that holds its code
-- column: ts = stack_slice.ts
-- column: dur = stack_slice.dur
-- column: self_dur = stack_slice.self_dur
-- column: depth = stack_slice.depth
-- column: state = stack_slice.state
CREATE VIEW v_stack_slice AS
SELECT s.id AS id, s.source_id AS source_id, s.itid AS itid, t.tid AS tid, t.name AS thread,
  s.parent_id AS parent_id, s.node_id AS node_id, n.method_id AS method_id,
  ${METHOD_NAME} AS method, m.signature AS signature, m.file AS file, m.line AS line,
  m.library AS library, s.ts AS ts, s.dur AS dur, s.self_dur AS self_dur, s.depth AS depth,
  s.state AS state
FROM stack_slice AS s
LEFT JOIN thread AS t ON t.rowid = s.itid + 1
LEFT JOIN stack_node AS n ON n.id = s.node_id
LEFT JOIN stack_method AS m ON m.id = n.method_id
