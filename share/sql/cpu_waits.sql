-- Question:   Which threads were ready and had no CPU for long, and who ran instead?
-- Topic:      threads
-- Model:      cpu_waits
-- Needs:      thread_state (states of threads)
-- Report:     38 Longest waits for a CPU
-- Parameters: pid    id of a process (default: all)
--             limit  number of rows (default 20)
-- Columns:    ts        when the wait began, in ns
--             dur       how long it lasted, in ns
--             process, thread, tid  that waited
--             state     R: woken; R+: preempted; R-B: its CPU was given away
--             cpu       that it ran on afterwards; NULL: it did not run
--             ran_instead, ran_dur  thread that had this CPU for most of the wait, and how long, in ns
WITH wait AS MATERIALIZED (
  SELECT s.id AS id, s.ts AS ts, s.dur AS dur, s.itid AS itid, s.state AS state
  FROM thread_state AS s
  WHERE s.state IN ('R', 'R+', 'R-B') AND s.dur > 0 AND (:pid IS NULL OR s.pid = :pid)
  ORDER BY s.dur DESC, s.ts, s.id
  LIMIT ifnull(CAST(:limit AS INTEGER), 20)
),
place AS MATERIALIZED (
  SELECT DISTINCT w.id AS id, w.ts AS ts, w.ts + w.dur AS until, s.cpu AS cpu
  FROM sched_slice AS s CROSS JOIN wait AS w ON w.itid = s.itid AND w.ts + w.dur = s.ts
),
ran AS (
  SELECT p.id AS id, s.itid AS itid, sum(min(s.ts + s.dur, p.until) - max(s.ts, p.ts)) AS dur
  FROM sched_slice AS s CROSS JOIN place AS p ON p.cpu = s.cpu
  WHERE s.ts < p.until AND s.ts + s.dur > p.ts AND s.itid <> 0
  GROUP BY p.id, s.itid
),
most AS (
  SELECT id, itid, dur, row_number() OVER (PARTITION BY id ORDER BY dur DESC, itid) AS place FROM ran
)
SELECT w.ts AS ts, w.dur AS dur, p.name AS process, t.name AS thread, t.tid AS tid, w.state AS state,
  c.cpu AS cpu, ifnull(o.name, 'thread ' || o.tid) AS ran_instead, m.dur AS ran_dur
FROM wait AS w
LEFT JOIN place AS c ON c.id = w.id
LEFT JOIN most AS m ON m.id = w.id AND m.place = 1
LEFT JOIN thread AS t ON t.rowid = w.itid + 1
LEFT JOIN process AS p ON p.rowid = t.ipid + 1
LEFT JOIN thread AS o ON o.rowid = m.itid + 1
ORDER BY w.dur DESC, w.ts, w.id, c.cpu;
