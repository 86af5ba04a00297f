-- Question:   Which methods take most of the samples?
--             Recordings have this when they were loaded with --analyze=stack_totals. Samples of different events, such as CPU
--             time and allocations, are never added up.
-- Topic:      stacks
-- Report:     40 Hottest methods
-- Parameters: method  glob of methods, such as *.parse (default: all)
--             event   glob of what samples were taken of (default: all)
--             limit   number of rows of a group and event (default 20)
-- Columns:    part
--             event, method, file
--             recordings   that have it
--             self_share   percent of the samples of the group and event in which the method itself ran
--             total_share  the same with what it called
--             self_samples, self_ms  of a recording that has the event
SELECT part, event, method, file, recordings, round(100 * self / every, 2) AS self_share, round(100 * total / every, 2) AS total_share,
  round(self / with_event, 2) AS self_samples, round(ns / with_event / 1000000, 3) AS self_ms
FROM (
  SELECT part, ifNull(toString(event), '') AS event, concat(class, if(class = '', '', '.'), name) AS method, any(file) AS file,
    uniqExact(load) AS recordings, sum(self_count) AS self, sum(total_count) AS total, sum(ifNull(self_dur, 0)) AS ns
  FROM v_method GLOBAL ALL INNER JOIN :recordings USING load
  GROUP BY part, event, method
) AS a ALL INNER JOIN (
  SELECT part, ifNull(toString(event), '') AS event, uniqExact(load) AS with_event, sum(self_count) AS every
  FROM v_stack_total GLOBAL ALL INNER JOIN :recordings USING load
  GROUP BY part, event
) AS b USING (part, event)
WHERE method :method AND event :event
ORDER BY part, every DESC, event, self DESC, method LIMIT :limit BY part, event
