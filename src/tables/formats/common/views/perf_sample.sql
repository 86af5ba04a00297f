/*
 * A stack is known by its innermost call path. A thread that waited is suspended, by the class of
 * the event (event_class); so is one of whose time it is not known, if no CPU time was recorded.
 */
-- replaces: perf_sample
CREATE VIEW perf_sample AS
SELECT s.id - 1 AS id, ifnull(s.node_id, -1) AS callchain_id, s.ts AS timeStamp,
  ifnull(t.thread_id, ${NO_THREAD}) AS thread_id, ifnull(s.dur, 1) AS event_count,
  e.id AS event_type_id, s.ts AS timestamp_trace, 0 AS cpu_id,
  CASE s.class WHEN 'waiting' THEN 'Suspend' WHEN 'wall' THEN
      CASE WHEN s.id IN (SELECT sample_id FROM stack_sample_value WHERE value > 0
          AND value_type_id IN (SELECT id FROM (${CPU_VALUES}))) THEN 'Running' ELSE 'Suspend' END
    ELSE 'Running' END AS thread_state
FROM v_sample AS s
LEFT JOIN (${SAMPLE_THREADS}) AS t ON t.itid = s.itid
LEFT JOIN (${SAMPLE_EVENTS}) AS e ON e.event IS s.event
WHERE s.ts IS NOT NULL AND s.source_id NOT IN (SELECT source_id FROM js_cpu_profile)
