-- topic: perfetto
-- order: 265
-- Slices of a trace of Perfetto with all that was recorded. Filter on slice_id.
-- column: slice_id = perfetto_slice.slice_id
-- column: source_id = stack_slice.source_id
-- column: process | TEXT | | its name is not known | name of the process
-- column: pid | INTEGER | | process not known | process id
-- column: itid = stack_slice.itid
-- column: thread | TEXT | | its name is not known, or the track is of no thread | name of the thread
-- column: track = perfetto_track.name
-- column: parent_id = stack_slice.parent_id
-- column: name = perfetto_event.name
-- column: category = perfetto_event.category
-- column: ts = stack_slice.ts
-- column: dur = stack_slice.dur
-- column: self_dur = stack_slice.self_dur
-- column: cpu_dur = stack_slice.cpu_dur
-- column: depth = stack_slice.depth
-- column: state = stack_slice.state
-- column: flow_ids = perfetto_event.flow_ids
-- column: args = perfetto_event.args
-- column: end_args | TEXT | | its end was not seen, or it is one event; no arguments | arguments of the event that ends it
CREATE VIEW v_perfetto_slice AS
SELECT c.slice_id AS slice_id, s.source_id AS source_id, p.name AS process, p.pid AS pid,
  s.itid AS itid, t.name AS thread, k.name AS track, s.parent_id AS parent_id, e.name AS name,
  e.category AS category, s.ts AS ts, s.dur AS dur, s.self_dur AS self_dur, s.cpu_dur AS cpu_dur,
  s.depth AS depth, s.state AS state, e.flow_ids AS flow_ids, e.args AS args,
  (SELECT z.args FROM perfetto_event AS z WHERE z.id = c.end_event_id) AS end_args
FROM perfetto_slice AS c
LEFT JOIN stack_slice AS s ON s.id = c.slice_id
LEFT JOIN perfetto_event AS e ON e.id = c.event_id
LEFT JOIN perfetto_track AS k ON k.id = c.track_id
LEFT JOIN process AS p ON p.rowid = e.ipid + 1
LEFT JOIN thread AS t ON t.rowid = s.itid + 1
