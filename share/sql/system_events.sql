-- Question:   Which faults and critical events did the system record, and how often?
-- Topic:      input
-- Needs:      hisys_all_event (events of the system)
-- Report:     25 Faults and critical events of the system
-- Parameters: from, to  time: which happened in [from, to) (default: everything)
--             limit     number of rows (default 20)
-- Columns:    domain, name  of the event
--             level, type   CRITICAL or MINOR; fault, statistic, security or behaviour
--             events        how many
--             first_ts, last_ts  when, in ns
--             contents      of the first one
WITH event AS (
  SELECT domain_id, event_name_id, level, type, ts, contents, row_number() OVER (PARTITION BY domain_id, event_name_id, level, type ORDER BY ts, id) AS number
  FROM hisys_all_event
  WHERE (level = 'CRITICAL' OR type = 1) AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)),
summed AS (
  SELECT domain_id, event_name_id, level, type, count(*) AS events, min(ts) AS first_ts, max(ts) AS last_ts, max(CASE WHEN number = 1 THEN contents END) AS contents
  FROM event GROUP BY domain_id, event_name_id, level, type)
SELECT d.data AS domain, n.data AS name, s.level AS level, CASE s.type WHEN 1 THEN 'fault' WHEN 2 THEN 'statistic' WHEN 3 THEN 'security' WHEN 4 THEN 'behaviour' ELSE s.type END AS type,
  s.events AS events, s.first_ts AS first_ts, s.last_ts AS last_ts, s.contents AS contents
FROM summed AS s LEFT JOIN data_dict AS d ON d.id = s.domain_id LEFT JOIN data_dict AS n ON n.id = s.event_name_id
ORDER BY s.events DESC, d.data, n.data
LIMIT ifnull(:limit, 20);
