-- topic: firefox
-- order: 267
-- Spans of time of a profile of the Firefox Profiler with all that was recorded. Filter on slice_id.
-- column: slice_id = firefox_slice.slice_id
-- column: source_id = stack_slice.source_id
-- column: process | TEXT | | its name is not known | name of the process
-- column: pid | INTEGER | | process not known | process id
-- column: itid = firefox_marker.itid
-- column: thread | TEXT | | its name is not known | name of the thread
-- column: parent_id = stack_slice.parent_id
-- column: name = firefox_marker.name
-- column: category = firefox_marker.category
-- column: type = firefox_marker.type
-- column: async = firefox_slice.async
-- column: ts = stack_slice.ts
-- column: dur = stack_slice.dur
-- column: self_dur = stack_slice.self_dur
-- column: depth = stack_slice.depth
-- column: state = stack_slice.state
-- column: data = firefox_marker.data
-- column: end_data | TEXT | | its end was not seen, or it is one marker; no data | data of the marker that ends it
CREATE VIEW v_firefox_slice AS
SELECT c.slice_id AS slice_id, s.source_id AS source_id, p.name AS process, p.pid AS pid,
  m.itid AS itid, t.name AS thread, s.parent_id AS parent_id, m.name AS name,
  m.category AS category, m.type AS type, c.async AS async, s.ts AS ts, s.dur AS dur,
  s.self_dur AS self_dur, s.depth AS depth, s.state AS state, m.data AS data,
  (SELECT z.data FROM firefox_marker AS z WHERE z.id = c.end_marker_id) AS end_data
FROM firefox_slice AS c
LEFT JOIN stack_slice AS s ON s.id = c.slice_id
LEFT JOIN firefox_marker AS m ON m.id = c.marker_id
LEFT JOIN thread AS t ON t.rowid = m.itid + 1
LEFT JOIN process AS p ON p.rowid = t.ipid + 1
