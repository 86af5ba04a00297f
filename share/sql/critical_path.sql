-- Question:   What did a slice, or a frame, wait for?
--             The chain of what ran, and what was waited for, back from its end: a thread that slept is left for the one that woke it.
-- Topic:      threads
-- Needs:      thread_state (scheduling of a trace of the system)
-- Parameters: slice  id of a row of callstack (default: none)
--             frame  id of a row of frame_slice, in place of a slice (default: none)
--             limit  number of rows, the last ones (default 1000)
-- Columns:    ts        when this part of the chain began, in ns; time between parts that nothing is known of is left out
--             us        how long it took
--             process, thread, tid
--             state     Running, R or R+ (waits for a CPU), or what it slept in, when no thread is known to have woken it
--             cpu       that it ran on
--             woken_by  thread that woke it when this part began
--             ran_instead, ran_us  of the 20 longest waits for a CPU: thread that had that CPU for most of the wait, and how long
WITH wanted(itid, t0, t1) AS (
  SELECT callid, ts, ts + dur FROM callstack WHERE id = :slice AND :frame IS NULL
  UNION ALL
  SELECT itid, ts, ts + dur FROM frame_slice WHERE id = :frame),
-- States in that time; those that take no time are none.
near AS MATERIALIZED (
  SELECT s.id, s.itid, s.state, s.cpu, s.ts AS began, max(s.ts, w.t0) AS ts,
    min(ifnull(s.ts + s.dur, w.t1), w.t1) AS until
  FROM wanted AS w
  JOIN thread_state AS s ON s.ts < w.t1 AND ifnull(s.ts + s.dur, w.t1) > max(s.ts, w.t0)),
-- States that a thread was woken into, from sleep or from what is not known, by whom.
follow AS MATERIALIZED (
  SELECT *, lag(id) OVER thread AS before, lag(until) OVER thread AS before_until,
    state IN ('Running', 'R') AND ifnull(lag(state) OVER thread
      NOT IN ('Running', 'R', 'R+', 'R-B'), 1) AS may_be_woken
  FROM near
  WINDOW thread AS (PARTITION BY itid ORDER BY id)),
wake AS MATERIALIZED (
  SELECT n.id, i.ts, i.wakeup_from AS waker, min(i.rowid) AS first
  FROM wanted AS w
  JOIN instant AS i ON i.ts > w.t0 AND i.ts < w.t1 AND i.name = 'sched_wakeup'
  JOIN follow AS n ON n.itid = i.ref AND n.began = i.ts AND n.may_be_woken
  GROUP BY n.id),
-- The state of the waker then: the last one that began before.
points AS (
  SELECT waker AS itid, ts, 0 AS is_state, id, NULL AS state_id FROM wake
  UNION ALL
  SELECT itid, ts, 1, NULL, id FROM near),
of_waker AS MATERIALIZED (
  SELECT id, state_id
  FROM (SELECT id, max(state_id) OVER (PARTITION BY itid ORDER BY ts, is_state
                                       ROWS UNBOUNDED PRECEDING) AS state_id FROM points)
  WHERE id IS NOT NULL),
step AS MATERIALIZED (
  SELECT f.id, f.itid, f.state, f.cpu, f.ts, f.until, k.waker,
    ifnull(o.state_id, f.before) AS next,
    CASE WHEN o.state_id IS NULL THEN min(f.ts, f.before_until) ELSE min(f.ts, s.until) END AS next_until
  FROM follow AS f
  LEFT JOIN wake AS k ON k.id = f.id
  LEFT JOIN of_waker AS o ON o.id = f.id
  LEFT JOIN near AS s ON s.id = o.state_id),
-- Back from the end: each part begins before the one that follows it.
path(n, id, until) AS (
  SELECT 1, max(n.id), max(n.until) FROM wanted AS w JOIN near AS n ON n.itid = w.itid
  UNION ALL
  SELECT p.n + 1, s.next, s.next_until
  FROM path AS p
  JOIN step AS s ON s.id = p.id
  WHERE s.next IS NOT NULL AND p.n < ifnull(:limit, 1000)),
wait AS MATERIALIZED (
  SELECT p.n AS n, s.itid AS itid, s.ts AS ts, p.until AS until, s.until AS ends
  FROM path AS p JOIN step AS s ON s.id = p.id
  WHERE s.state IN ('R', 'R+', 'R-B')
  ORDER BY p.until - s.ts DESC, p.n
  LIMIT 20),
place AS MATERIALIZED (
  SELECT DISTINCT w.n, w.ts, w.until, r.cpu
  FROM sched_slice AS r CROSS JOIN wait AS w ON w.itid = r.itid AND w.ends = r.ts),
ran AS (
  SELECT p.n, r.itid, sum(min(r.ts + r.dur, p.until) - max(r.ts, p.ts)) AS dur
  FROM sched_slice AS r CROSS JOIN place AS p ON p.cpu = r.cpu
  WHERE r.ts < p.until AND r.ts + r.dur > p.ts AND r.itid <> 0
  GROUP BY p.n, r.itid),
most AS (
  SELECT n, itid, dur, row_number() OVER (PARTITION BY n ORDER BY dur DESC, itid) AS place FROM ran)
SELECT s.ts AS ts, (p.until - s.ts) / 1000.0 AS us, c.name AS process, t.name AS thread,
  t.tid AS tid, s.state AS state, s.cpu AS cpu, w.name AS woken_by,
  ifnull(o.name, 'thread ' || o.tid) AS ran_instead, m.dur / 1000.0 AS ran_us
FROM path AS p
JOIN step AS s ON s.id = p.id
LEFT JOIN most AS m ON m.n = p.n AND m.place = 1
LEFT JOIN thread AS t ON t.rowid = s.itid + 1
LEFT JOIN process AS c ON c.rowid = t.ipid + 1
LEFT JOIN thread AS w ON w.rowid = s.waker + 1
LEFT JOIN thread AS o ON o.rowid = m.itid + 1
ORDER BY p.n DESC;
