-- topic: ftrace
-- order: 290
-- How long threads waited for a CPU after they were woken, and who woke them. A wake-up of a thread
-- that was running or had been woken already is not here.
-- column: ts | INTEGER | ns | | when the thread was woken
-- column: latency | INTEGER | ns | it did not run until the end | time until it ran
-- column: itid | INTEGER | id of thread | | the thread
-- column: tid = thread.tid
-- column: thread = thread.name
-- column: pid = process.pid
-- column: process = process.name
-- column: waker_itid | INTEGER | id of thread | | the thread that woke it
-- column: waker_tid = thread.tid
-- column: waker = thread.name
-- column: cpu | INTEGER | | it did not run until the end | CPU that it ran on
CREATE VIEW v_sched_latency AS
SELECT i.ts AS ts, s.dur AS latency, i.ref AS itid, t.tid AS tid, t.name AS thread, p.pid AS pid,
  p.name AS process, i.wakeup_from AS waker_itid, w.tid AS waker_tid, w.name AS waker, r.cpu AS cpu
FROM instant AS i
JOIN thread_state AS s ON s.itid = i.ref AND s.ts = i.ts AND s.state = 'R'
LEFT JOIN thread_state AS r ON r.itid = s.itid AND r.ts = s.ts + s.dur AND r.state = 'Running'
LEFT JOIN thread AS t ON t.rowid = i.ref + 1
LEFT JOIN process AS p ON p.rowid = t.ipid + 1
LEFT JOIN thread AS w ON w.rowid = i.wakeup_from + 1
WHERE i.name = 'sched_wakeup'
