-- topic: ftrace
-- order: 300
-- Late frames: by how much, what their thread did in the meantime, and the longest slice of it.
-- column: frame_id | INTEGER | id of frame_slice | | the frame
-- column: ts = frame_slice.ts
-- column: dur = frame_slice.dur
-- column: late_by | INTEGER | ns | it is not known when it was expected | how late it ended
-- column: flag = frame_slice.flag
-- column: vsync = frame_slice.vsync
-- column: pid = process.pid
-- column: process = process.name
-- column: itid = frame_slice.itid
-- column: thread = thread.name
-- column: running | INTEGER | ns | | time of the frame that its thread ran
-- column: runnable | INTEGER | ns | | time that it waited for a CPU
-- column: sleeping | INTEGER | ns | | time that it slept
-- column: blocked | INTEGER | ns | | time that it was blocked in the kernel
-- column: slice_id | INTEGER | id of callstack | none | longest slice that the frame's call contains
-- column: slice = callstack.name
-- column: slice_dur = callstack.dur
CREATE VIEW v_frame_jank AS
WITH late AS (
  SELECT id, ts, dur, itid, callstack_id FROM frame_slice WHERE type = 0 AND flag IN (1, 3)),
points AS (
  SELECT itid, ts, 0 AS kind, id, ifnull(dur, 0) AS dur, state
  FROM thread_state WHERE itid IN (SELECT itid FROM late)
  UNION ALL SELECT itid, ts, 1, id, 0, NULL FROM late
  UNION ALL SELECT itid, ts + dur, 2, id, 0, NULL FROM late),
sums AS (
  SELECT kind, id, ts, max(CASE WHEN kind = 0 THEN id END) OVER w AS last,
    sum(CASE WHEN state = 'Running' THEN dur ELSE 0 END) OVER w AS running,
    sum(CASE WHEN state IN ('R', 'R+', 'R-B') THEN dur ELSE 0 END) OVER w AS runnable,
    sum(CASE WHEN state = 'S' THEN dur ELSE 0 END) OVER w AS sleeping,
    sum(CASE WHEN state GLOB 'D*' THEN dur ELSE 0 END) OVER w AS blocked
  FROM points
  WINDOW w AS (PARTITION BY itid ORDER BY ts, kind, id ROWS UNBOUNDED PRECEDING)),
ends AS (
  SELECT u.kind AS kind, u.id AS id,
    u.running - ${STATE_REST|= 'Running'} AS running,
    u.runnable - ${STATE_REST|IN ('R', 'R+', 'R-B')} AS runnable,
    u.sleeping - ${STATE_REST|= 'S'} AS sleeping,
    u.blocked - ${STATE_REST|GLOB 'D*'} AS blocked
  FROM sums AS u
  LEFT JOIN thread_state AS s ON s.rowid = u.last + 1
  WHERE u.kind > 0),
spent AS (
  SELECT id, sum(CASE kind WHEN 2 THEN running ELSE -running END) AS running,
    sum(CASE kind WHEN 2 THEN runnable ELSE -runnable END) AS runnable,
    sum(CASE kind WHEN 2 THEN sleeping ELSE -sleeping END) AS sleeping,
    sum(CASE kind WHEN 2 THEN blocked ELSE -blocked END) AS blocked
  FROM ends GROUP BY id),
longest AS (
  SELECT parent_id, id, name, max(dur) AS dur FROM callstack
  WHERE cookie IS NULL AND parent_id IN (SELECT callstack_id FROM late)
  GROUP BY parent_id)
SELECT f.id AS frame_id, f.ts AS ts, f.dur AS dur, f.ts + f.dur - (e.ts + e.dur) AS late_by,
  f.flag AS flag, f.vsync AS vsync, p.pid AS pid, p.name AS process, f.itid AS itid,
  t.name AS thread, n.running AS running, n.runnable AS runnable, n.sleeping AS sleeping,
  n.blocked AS blocked, c.id AS slice_id, c.name AS slice, c.dur AS slice_dur
FROM frame_slice AS f
LEFT JOIN frame_slice AS e ON e.rowid = f.rowid + 1 AND e.type = 1
  AND e.callstack_id = f.callstack_id
LEFT JOIN thread AS t ON t.rowid = f.itid + 1
LEFT JOIN process AS p ON p.rowid = f.ipid + 1
LEFT JOIN spent AS n ON n.id = f.id
LEFT JOIN longest AS c ON c.parent_id = f.callstack_id
WHERE f.type = 0 AND f.flag IN (1, 3)
