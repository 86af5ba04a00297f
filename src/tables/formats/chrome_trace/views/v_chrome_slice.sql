-- topic: chrome_trace
-- order: 260
-- Spans of time of a trace of Chrome or Node.js with all that was recorded. Filter on slice_id.
-- column: slice_id = chrome_slice.slice_id
-- column: source_id = stack_slice.source_id
-- column: process | TEXT | | its name is not known | name of the process
-- column: pid | INTEGER | | process not known | process id
-- column: itid = stack_slice.itid
-- column: thread | TEXT | | its name is not known, or an asynchronous span | name of the thread
-- column: parent_id = stack_slice.parent_id
-- column: name = chrome_event.name
-- column: category = chrome_event.category
-- column: async = chrome_slice.async
-- column: event_id = chrome_event.event_id
-- column: ts = stack_slice.ts
-- column: dur = stack_slice.dur
-- column: self_dur = stack_slice.self_dur
-- column: cpu_dur = stack_slice.cpu_dur
-- column: depth = stack_slice.depth
-- column: state = stack_slice.state
-- column: args = chrome_event.args
-- column: end_args | TEXT | | its end was not seen, or it is one event; no arguments | arguments of the event that ends it
CREATE VIEW v_chrome_slice AS
SELECT c.slice_id AS slice_id, s.source_id AS source_id, p.name AS process, p.pid AS pid,
  s.itid AS itid, t.name AS thread, s.parent_id AS parent_id, e.name AS name,
  e.category AS category, c.async AS async, e.event_id AS event_id, s.ts AS ts, s.dur AS dur,
  s.self_dur AS self_dur, s.cpu_dur AS cpu_dur, s.depth AS depth, s.state AS state,
  e.args AS args,
  (SELECT z.args FROM chrome_event AS z WHERE z.id = c.end_event_id) AS end_args
FROM chrome_slice AS c
LEFT JOIN stack_slice AS s ON s.id = c.slice_id
LEFT JOIN chrome_event AS e ON e.id = c.event_id
LEFT JOIN process AS p ON p.rowid = e.ipid + 1
LEFT JOIN thread AS t ON t.rowid = s.itid + 1
