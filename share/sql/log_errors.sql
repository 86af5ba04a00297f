-- Question:   Which errors does the log have, who wrote them, and how often?
-- Topic:      input
-- Needs:      log (lines of the log)
-- Report:     24 Errors in the log
-- Parameters: from, to  time: written in [from, to) (default: everything)
--             tag       only those of a tag (default: all)
--             limit     number of rows (default 20)
-- Columns:    level    F fatal, E error
--             tag      of the writer
--             lines    how many
--             process, pid  that wrote the first one
--             first_ts, last_ts  when, in ns
--             text     of the first one
WITH line AS (
  SELECT level, tag, pid, ts, seq, context, row_number() OVER (PARTITION BY level, tag ORDER BY ts, seq, rowid) AS number
  FROM log
  WHERE level IN ('E', 'F') AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to) AND (:tag IS NULL OR tag = :tag)),
name AS (SELECT pid, max(name) AS name FROM process GROUP BY pid LIMIT -1),
summed AS (
  SELECT level, tag, count(*) AS lines, max(CASE WHEN number = 1 THEN pid END) AS pid, min(ts) AS first_ts, max(ts) AS last_ts,
    max(CASE WHEN number = 1 THEN context END) AS text
  FROM line GROUP BY level, tag)
SELECT s.level AS level, s.tag AS tag, s.lines AS lines, n.name AS process, s.pid AS pid, s.first_ts AS first_ts, s.last_ts AS last_ts, s.text AS text
FROM summed AS s LEFT JOIN name AS n ON n.pid = s.pid
ORDER BY s.level DESC, s.lines DESC, s.tag
LIMIT ifnull(:limit, 20);
