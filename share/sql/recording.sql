-- Question:   What is this a recording of: which program, on which device, when, and is it whole?
-- Topic:      input
-- Needs:      source (imported inputs)
-- Report:     5 The recording
-- Shown:      as lines
-- Parameters: limit  number of rows (default: all)
-- Columns:    input, format, bytes  each file that was imported, and the size of the unwrapped data
--             program   that ran: as it was recorded, or the processes with most events
--             device    host, system, display, as far as they were recorded
--             began     when, UTC; of a heap dump of Java: when it was written
--             length    ns from the first to the last event
--             clock     of its times
--             complete  yes, or what is missing
WITH RECURSIVE tree(root, id) AS (
  SELECT id, id FROM source WHERE parent_id IS NULL
  UNION ALL SELECT t.root, s.id FROM tree AS t JOIN source AS s ON s.parent_id = t.id),
fact(root, key, value) AS MATERIALIZED (
  SELECT t.root, p.key, p.value FROM tree AS t JOIN source_property AS p ON p.source_id = t.id
  WHERE p.value <> '' AND p.key IN ('sun.java.command', 'javaArguments', 'mapping', 'hostname', 'osVersion', 'osrelease', 'os-kernel-version', 'os-arch', 'arch', 'cpudesc', 'cpu-vendor')),
process_of(root, name, place) AS (
  SELECT t.root, p.name, row_number() OVER (PARTITION BY t.root ORDER BY p.switch_count + p.slice_count DESC, p.slice_count DESC, p.id)
  FROM process_detail AS d JOIN tree AS t ON t.id = d.source_id JOIN process AS p ON p.id = d.ipid
  WHERE p.id > 0 AND p.name <> ''),
program(root, name) AS (
  SELECT t.root, coalesce(
    (SELECT f.value FROM fact AS f WHERE f.root = t.root AND f.key = 'sun.java.command'),
    (SELECT f.value FROM fact AS f WHERE f.root = t.root AND f.key = 'javaArguments'),
    (SELECT group_concat(CASE WHEN length(p.name) > 60 THEN substr(p.name, 1, 60) || '…' ELSE p.name END, ', ') FROM process_of AS p WHERE p.root = t.root AND p.place <= 4) ||
      (SELECT CASE WHEN count(*) > 4 THEN ' and ' || (count(*) - 4) || ' more' ELSE '' END FROM process_of AS p WHERE p.root = t.root),
    (SELECT min(f.value) FROM fact AS f WHERE f.root = t.root AND f.key = 'mapping' AND f.value NOT LIKE '[%'))
  FROM tree AS t WHERE t.id = t.root),
device(root, name) AS (
  SELECT root, group_concat(CASE WHEN key = 'osVersion' AND value LIKE 'PRETTY_NAME="%' THEN substr(value, 14, instr(substr(value, 14), '"') - 1) ELSE value END, ', ')
  FROM (SELECT DISTINCT root, key, value FROM fact WHERE key NOT IN ('sun.java.command', 'javaArguments', 'mapping') ORDER BY root, key)
  GROUP BY root),
display(name) AS (
  SELECT physical_width || ' x ' || physical_height || ' pixels, ' || physical_frame_rate || ' Hz' FROM device_info),
lost(root, defects) AS (
  SELECT t.root, sum(i.count) FROM tree AS t JOIN import_issue AS i ON i.source_id = t.id WHERE i.severity IN ('data_loss', 'error') GROUP BY t.root),
timed(root, clock, begin, end) AS (
  SELECT t.root, max(s.clock), CASE WHEN n.one THEN r.start_ts ELSE min(s.start_ts) END, CASE WHEN n.one THEN r.end_ts ELSE max(s.end_ts) END
  FROM tree AS t JOIN source AS s ON s.id = t.id, trace_range AS r, (SELECT count(*) = 1 AS one FROM source WHERE parent_id IS NULL) AS n
  GROUP BY t.root),
dumped(root, ts) AS (
  SELECT t.root, min(h.ts) FROM tree AS t JOIN java_heap_file AS h ON h.source_id = t.id GROUP BY t.root),
shift(ns) AS (
  SELECT max(CASE WHEN clock_name = 'realtime' THEN ts END) - max(CASE WHEN clock_name = 'boottime' THEN ts END) FROM clock_snapshot)
SELECT s.path AS input, s.format AS format, s.bytes AS bytes, p.name AS program, coalesce(d.name, v.name) AS device,
  strftime('%Y-%m-%d %H:%M:%S', CASE WHEN m.end - m.begin > 2 AND (m.clock = 'realtime' OR m.clock = 'boottime' AND h.ns IS NOT NULL)
    THEN m.begin + CASE m.clock WHEN 'boottime' THEN h.ns ELSE 0 END ELSE j.ts END / 1000000000, 'unixepoch') || ' UTC' AS began,
  CASE WHEN m.end - m.begin > 2 THEN m.end - m.begin END AS length, m.clock AS clock,
  CASE WHEN l.defects > 0 THEN 'no: data was lost, ' || l.defects || ' defect' || CASE l.defects WHEN 1 THEN '' ELSE 's' END || '; what is here is whole'
    WHEN s.complete THEN 'yes' ELSE 'no: its end was not seen; what is here is whole' END AS complete
FROM source AS s
LEFT JOIN program AS p ON p.root = s.id
LEFT JOIN device AS d ON d.root = s.id
LEFT JOIN display AS v
LEFT JOIN lost AS l ON l.root = s.id
LEFT JOIN timed AS m ON m.root = s.id
LEFT JOIN dumped AS j ON j.root = s.id
CROSS JOIN shift AS h
WHERE s.parent_id IS NULL
ORDER BY s.id
LIMIT ifnull(:limit, -1);
