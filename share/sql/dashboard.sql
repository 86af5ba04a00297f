-- Question:   Which threads does a sample directory have, and what CPU time did they use?
-- Topic:      flare
-- Needs:      flare_thread (threads of a Flare recording)
-- Parameters: session_id  path of a sample directory (default: all)
-- Columns:    id, name, group, priority, state, daemon  of the thread; NULL where nothing was recorded
--             %cpu      share of one core that it used while it was recorded
--             cpu_time  CPU time since the thread began, as m:ss
WITH cpu AS (
  SELECT s.itid AS itid,
    sum(v.value >> 32) * 4294967296 + sum(v.value & 4294967295) AS ns
  FROM stack_sample_value AS v
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  JOIN stack_value_type AS y ON y.id = v.value_type_id
  WHERE y.name = 'cpu' AND y.unit = 'ns'
  GROUP BY s.itid
)
SELECT t.tid AS id, t.name AS name, d.group_name AS "group", d.priority AS priority,
  d.state AS state,
  CASE WHEN o.end_ts > o.start_ts THEN
    printf('%.1f', ifnull(c.ns, f.series_cpu_us * 1000) * 100.0 / (o.end_ts - o.start_ts))
  END AS "%cpu",
  CASE WHEN f.cpu_time IS NOT NULL THEN
    printf('%d:%02d', f.cpu_time / 60000000000, f.cpu_time / 1000000000 % 60)
  END AS cpu_time,
  d.daemon AS daemon
FROM flare_thread AS f
JOIN source AS o ON o.id = f.source_id
LEFT JOIN thread AS t ON t.rowid = f.itid + 1
LEFT JOIN thread_detail AS d ON d.rowid = f.itid + 1
LEFT JOIN cpu AS c ON c.itid = f.itid
WHERE (:session_id IS NULL OR o.path = :session_id) AND ifnull(f.sample_count, 1) > 0
ORDER BY o.path, o.id, t.tid;
