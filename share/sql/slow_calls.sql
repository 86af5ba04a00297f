-- Question:   Which calls were the slowest?
--             Calls of the Cloud Profiler, and traced calls that nothing called.
-- Topic:      calls
-- Needs:      cloud_call (calls of the Cloud Profiler), stack_slice (traced calls)
-- Report:     50 Slowest calls
-- Parameters: from, to  time: the span in which they began (default: everything)
--             source    id of a source (default: all)
--             method    pattern as for LIKE: traced calls of such methods, whoever called them
--                       (default: calls that nothing called)
--             weight    one of wall, cpu, wait or suspend: what they are ordered by (default: wall)
--             limit     number of rows (default 20)
-- Columns:    call_id, slice_id  of the call, for call_aggregated and other questions; NULL: none
--             ts, dur       when it began, how long it took
--             cpu_dur, wait_dur, suspend_dur  part of it on a CPU, waiting for locks, and while the
--                           Java VM was paused; NULL where it was not recorded
--             thread, method
--             title         what was called: URL, job or statement; the method where that is not known. An asynchronous
--                           span, which belongs to no thread and may be the life of a thing, is marked as such
WITH asked AS (
  SELECT n.id AS id FROM stack_method AS m JOIN stack_node AS n ON n.method_id = m.id
  WHERE :method IS NOT NULL
    AND ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, '#' || m.raw_id) LIKE :method
),
-- First which ones: all columns of the calls that are not among them would be read and sorted for nothing.
slowest AS MATERIALIZED (
  SELECT id AS call_id,
    CASE ifnull(:weight, 'wall') WHEN 'wall' THEN dur WHEN 'cpu' THEN cpu_dur
      WHEN 'wait' THEN wait_dur WHEN 'suspend' THEN suspend_dur END AS weight
  FROM cloud_call
  WHERE :method IS NULL AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)
    AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
  ORDER BY weight DESC, call_id
  LIMIT ifnull(CAST(:limit AS INTEGER), 20)
),
recorded AS MATERIALIZED (
  SELECT c.id AS call_id, c.root_slice_id AS slice_id, c.ts AS ts, c.dur AS dur,
    c.cpu_dur AS cpu_dur, c.wait_dur AS wait_dur, c.suspend_dur AS suspend_dur, s.weight AS weight
  FROM slowest AS s CROSS JOIN cloud_call AS c ON c.id = s.call_id
),
-- What a traced call has to weigh at least when these are as many as were asked for.
bar AS MATERIALIZED (
  SELECT CASE WHEN ifnull(CAST(:limit AS INTEGER), 20) BETWEEN 0 AND count(weight)
    THEN min(weight) END AS least
  FROM recorded
),
traced AS MATERIALIZED (
  SELECT slice_id, ts, dur, cpu_dur, weight
  FROM (
    SELECT id AS slice_id, source_id, parent_id, node_id, ts, dur, cpu_dur,
      CASE ifnull(:weight, 'wall') WHEN 'wall' THEN dur WHEN 'cpu' THEN cpu_dur END AS weight
    FROM stack_slice)
  WHERE (parent_id IS NULL OR :method IS NOT NULL)
    AND (:method IS NULL OR node_id IN (SELECT id FROM asked))
    AND ((SELECT least FROM bar) IS NULL OR weight >= (SELECT least FROM bar))
    AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)
    AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
),
-- Those that the calls above do not begin with; mostly none, and then nothing is asked of the calls.
other AS MATERIALIZED (
  SELECT slice_id FROM traced WHERE slice_id NOT IN (
    SELECT slice_id FROM recorded WHERE slice_id IS NOT NULL)
),
chosen AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT call_id, slice_id, ts, dur, cpu_dur, wait_dur, suspend_dur, weight FROM recorded
    UNION ALL
    SELECT NULL, slice_id, ts, dur, cpu_dur, NULL, NULL, weight FROM traced
    WHERE :method IS NOT NULL OR slice_id IN (
      SELECT slice_id FROM other WHERE slice_id NOT IN (
        SELECT root_slice_id FROM cloud_call
        WHERE EXISTS (SELECT 1 FROM other) AND root_slice_id IN (SELECT slice_id FROM other))))
  ORDER BY weight DESC, call_id IS NULL, call_id, slice_id
  LIMIT ifnull(CAST(:limit AS INTEGER), 20)
),
-- v_cloud_call_title of these calls only: the view would first read the parameters of all.
param AS MATERIALIZED (
  SELECT p.call_id AS call_id, d.word AS word, p.value AS value
  FROM cloud_call_param AS p JOIN cloud_dictionary AS d ON d.id = p.dictionary_id
  WHERE p.call_id IN (SELECT call_id FROM chosen) AND p.ordinal = 0
),
titled AS MATERIALIZED (
  SELECT call_id, coalesce(
    max(CASE word WHEN 'profiler.title' THEN value END),
    ifnull(max(CASE word WHEN 'web.method' THEN value END) || ' ', '')
      || max(CASE word WHEN 'web.url' THEN value END)
      || ifnull('?' || max(CASE word WHEN 'web.query' THEN value END), ''),
    'job ' || coalesce(max(CASE word WHEN 'job.name' THEN value END),
      max(CASE word WHEN 'job.class' THEN value END),
      max(CASE word WHEN 'job.id' THEN value END)),
    'message ' || coalesce(max(CASE word WHEN 'jms.destination' THEN value END),
      max(CASE word WHEN 'kafka.topic' THEN value END),
      max(CASE word WHEN 'queue' THEN value END)),
    max(CASE word WHEN 'sql' THEN value END)) AS title
  FROM param GROUP BY call_id
),
asynchronous AS MATERIALIZED (
  SELECT slice_id FROM chrome_slice WHERE async
  UNION ALL SELECT slice_id FROM firefox_slice WHERE async
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
  ifnull(y.title, x.method || CASE WHEN a.slice_id IS NULL THEN '' ELSE ' (asynchronous)' END) AS title
FROM named AS x
LEFT JOIN asynchronous AS a ON a.slice_id = x.slice_id
LEFT JOIN titled AS y ON y.call_id = x.call_id
ORDER BY x.weight DESC, x.call_id IS NULL, x.call_id, x.slice_id;
