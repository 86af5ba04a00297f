-- Question:   Which calls take more or less time?
--             Calls of the Cloud Profiler by what they were about, without the query of a URL, and traced calls that
--             nothing called by their method.
-- Order:      30
-- Needs:      cloud_call (calls of the Cloud Profiler), stack_slice (traced calls)
-- Parameters: source       a source (default: all)
--             thread       a thread: its name, tid or itid (default: all)
--             from, until  time: calls that begin in [from, until) (default: everything)
-- Key:        title
-- Values:     total    ns, sum: time that they took
--             count    plain, sum: number of calls
--             mean     ns, each: time of one
--             p95      ns, each: time that 95 % of them did not exceed
--             longest  ns, each: time of the longest
--             cpu      ns, sum: time on a CPU
WITH RECURSIVE chosen(id) AS (
  SELECT id FROM source WHERE :source IS NULL OR id IN (SELECT value FROM json_each(:source))
),
picked(id) AS (
  SELECT value FROM json_each(:thread)
),
query AS (
  SELECT p.call_id AS call_id, '?' || p.value AS text
  FROM cloud_call_param AS p JOIN cloud_dictionary AS d ON d.id = p.dictionary_id
  WHERE p.ordinal = 0 AND d.word = 'web.query'
),
method AS (
  SELECT m.id AS id, ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, '#' || m.raw_id) AS label
  FROM stack_method AS m
),
call AS (
  SELECT coalesce(CASE WHEN q.text IS NOT NULL AND substr(t.title, -length(q.text)) = q.text
      THEN substr(t.title, 1, length(t.title) - length(q.text)) ELSE t.title END, m.label, '(unknown)') AS title,
    c.dur AS dur, c.cpu_dur AS cpu
  FROM cloud_call AS c
  LEFT JOIN v_cloud_call_title AS t ON t.call_id = c.id
  LEFT JOIN query AS q ON q.call_id = c.id
  LEFT JOIN method AS m ON m.id = c.method_id
  WHERE c.source_id IN chosen AND (:thread IS NULL OR c.itid IN picked)
    AND (:from IS NULL OR c.ts >= :from) AND (:until IS NULL OR c.ts < :until)
  UNION ALL
  SELECT coalesce(m.label, '(unknown)'), s.dur, s.cpu_dur
  FROM stack_slice AS s
  LEFT JOIN stack_node AS n ON n.id = s.node_id
  LEFT JOIN method AS m ON m.id = n.method_id
  WHERE s.parent_id IS NULL AND s.state IS NOT NULL AND s.depth = 0 AND s.source_id IN chosen
    AND s.id NOT IN (SELECT root_slice_id FROM cloud_call WHERE root_slice_id IS NOT NULL)
    AND (:thread IS NULL OR s.itid IN picked)
    AND (:from IS NULL OR s.ts >= :from) AND (:until IS NULL OR s.ts < :until)
),
ranked AS (
  SELECT title, dur, cpu, row_number() OVER (PARTITION BY title ORDER BY dur NULLS LAST) AS place,
    count(dur) OVER (PARTITION BY title) AS n
  FROM call
)
SELECT title,
  sum(dur >> 32) * 4294967296 + sum(dur & 4294967295) AS total, count(*) AS count,
  (total(dur >> 32) * 4294967296.0 + total(dur & 4294967295)) / nullif(count(dur), 0) AS mean,
  max(CASE WHEN place = (n * 95 + 99) / 100 THEN dur END) AS p95, max(dur) AS longest,
  sum(cpu >> 32) * 4294967296 + sum(cpu & 4294967295) AS cpu
FROM ranked GROUP BY title ORDER BY title;
