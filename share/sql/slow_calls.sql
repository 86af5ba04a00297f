-- Question:   Which calls were the slowest?
--             Calls of the Cloud Profiler, and traced calls that nothing called.
-- Topic:      calls
-- Needs:      cloud_call (calls of the Cloud Profiler), stack_slice (traced calls)
-- Report:     50 Slowest calls
-- Parameters: from, to  time: the span in which they began (default: everything)
--             source    id of a source (default: all)
--             method    pattern as for LIKE: traced calls of such methods, whoever called them
--                       (default: calls that nothing called)
--             weight    what they are ordered by: wall, cpu, wait or suspend (default: wall)
--             limit     number of rows (default 20)
-- Columns:    call_id, slice_id  of the call, for call_aggregated and other questions; NULL: none
--             ts, dur       when it began, how long it took
--             cpu_dur, wait_dur, suspend_dur  part of it on a CPU, waiting for locks, and while the
--                           Java VM was paused; NULL where it was not recorded
--             thread, method
--             title         what was called: URL, job or statement; the method where that is not known
WITH asked AS (
  SELECT n.id AS id FROM stack_method AS m JOIN stack_node AS n ON n.method_id = m.id
  WHERE :method IS NOT NULL
    AND ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, '#' || m.raw_id) LIKE :method
),
call AS (
  SELECT id AS call_id, root_slice_id AS slice_id, source_id, ts, dur, cpu_dur, wait_dur, suspend_dur
  FROM cloud_call WHERE :method IS NULL
  UNION ALL
  SELECT NULL, id, source_id, ts, dur, cpu_dur, NULL, NULL
  FROM stack_slice
  WHERE CASE WHEN :method IS NULL THEN parent_id IS NULL
      AND id NOT IN (SELECT root_slice_id FROM cloud_call WHERE root_slice_id IS NOT NULL)
    ELSE node_id IN (SELECT id FROM asked) END
),
chosen AS MATERIALIZED (
  SELECT *, CASE ifnull(:weight, 'wall') WHEN 'wall' THEN dur WHEN 'cpu' THEN cpu_dur
    WHEN 'wait' THEN wait_dur WHEN 'suspend' THEN suspend_dur END AS weight
  FROM call
  WHERE (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)
    AND (:source IS NULL OR source_id = CAST(:source AS INTEGER))
  ORDER BY weight DESC, call_id IS NULL, call_id, slice_id
  LIMIT ifnull(CAST(:limit AS INTEGER), 20)
),
named AS (
  SELECT x.*, CASE WHEN x.call_id IS NULL THEN t.name ELSE c.thread_name END AS thread,
    (SELECT ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, '#' || m.raw_id)
      FROM stack_method AS m WHERE m.id =
        CASE WHEN x.call_id IS NULL THEN n.method_id ELSE c.method_id END) AS method
  FROM chosen AS x
  LEFT JOIN cloud_call AS c ON c.id = x.call_id
  LEFT JOIN stack_slice AS s ON s.id = x.slice_id
  LEFT JOIN stack_node AS n ON n.id = s.node_id
  LEFT JOIN thread AS t ON t.rowid = s.itid + 1
)
SELECT x.call_id, x.slice_id, x.ts, x.dur, x.cpu_dur, x.wait_dur, x.suspend_dur, x.thread, x.method,
  ifnull(y.title, x.method) AS title
FROM named AS x
LEFT JOIN v_cloud_call_title AS y ON y.call_id = x.call_id
ORDER BY x.weight DESC, x.call_id IS NULL, x.call_id, x.slice_id;
