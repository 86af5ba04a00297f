-- topic: ftrace
-- order: 310
-- Slices of callstack with the time that was spent in themselves, not in what they called;
-- asynchronous ones have no callers and are left out.
-- column: id | INTEGER | id of callstack | | the slice
-- column: ts = callstack.ts
-- column: dur = callstack.dur
-- column: self_dur | INTEGER | ns | its end was not seen | dur without that of the slices right below it
-- column: calls | INTEGER | | | slices right below it
-- column: depth = callstack.depth
-- column: parent_id = callstack.parent_id
-- column: cat = callstack.cat
-- column: name = callstack.name
-- column: itid | INTEGER | id of thread | | the thread
-- column: tid = thread.tid
-- column: thread = thread.name
-- column: pid = process.pid
-- column: process = process.name
CREATE VIEW v_slice_self AS
SELECT c.id AS id, c.ts AS ts, c.dur AS dur, c.dur - ifnull(k.dur, 0) AS self_dur,
  ifnull(k.calls, 0) AS calls, c.depth AS depth, c.parent_id AS parent_id, c.cat AS cat,
  c.name AS name, c.callid AS itid, t.tid AS tid, t.name AS thread, p.pid AS pid, p.name AS process
FROM callstack AS c
LEFT JOIN (
  SELECT parent_id, sum(dur) AS dur, count(*) AS calls
  FROM callstack
  WHERE cookie IS NULL AND parent_id IS NOT NULL
  GROUP BY parent_id) AS k ON k.parent_id = c.id
LEFT JOIN thread AS t ON t.rowid = c.callid + 1
LEFT JOIN process AS p ON p.rowid = t.ipid + 1
WHERE c.cookie IS NULL
