-- topic: ftrace
-- order: 270
-- How long each thread ran, waited for a CPU, slept and was blocked. Its last state, when it is
-- open, lasts to the end of the recording; others whose end is not known count in states only.
-- column: itid = thread_state.itid
-- column: tid = thread.tid
-- column: thread = thread.name
-- column: pid = process.pid
-- column: process = process.name
-- column: states | INTEGER | | | number of its states
-- column: running | INTEGER | ns | | time that it ran
-- column: runnable | INTEGER | ns | | time that it could run and did not: R, R+, R-B
-- column: sleeping | INTEGER | ns | | time in S, which ends with a signal or a wake-up
-- column: blocked | INTEGER | ns | | time in D and DK, which wait for input and output or in the kernel
-- column: other | INTEGER | ns | | time in all other states
CREATE VIEW v_thread_state_summary AS
SELECT s.itid AS itid, t.tid AS tid, t.name AS thread, p.pid AS pid, p.name AS process,
  count(*) AS states,
  sum(CASE WHEN s.state = 'Running' THEN ifnull(s.ns, 0) ELSE 0 END) AS running,
  sum(CASE WHEN s.state IN ('R', 'R+', 'R-B') THEN ifnull(s.ns, 0) ELSE 0 END) AS runnable,
  sum(CASE WHEN s.state = 'S' THEN ifnull(s.ns, 0) ELSE 0 END) AS sleeping,
  sum(CASE WHEN s.state GLOB 'D*' THEN ifnull(s.ns, 0) ELSE 0 END) AS blocked,
  sum(CASE WHEN s.state IN ('Running', 'R', 'R+', 'R-B', 'S') OR s.state GLOB 'D*'
    THEN 0 ELSE ifnull(s.ns, 0) END) AS other
FROM (
  SELECT i.itid AS itid, i.state AS state,
    CASE WHEN i.dur IS NULL AND i.ts = l.ts THEN max(r.end_ts - i.ts, 0) ELSE i.dur END AS ns
  FROM thread_state AS i
  JOIN (SELECT itid, max(ts) AS ts FROM thread_state GROUP BY itid) AS l ON l.itid = i.itid
  LEFT JOIN trace_range AS r ON r.rowid = 1) AS s
LEFT JOIN thread AS t ON t.rowid = s.itid + 1
LEFT JOIN process AS p ON p.rowid = t.ipid + 1
GROUP BY s.itid
