-- Question:   Which methods take more or less of the samples?
--             Shares of the samples of a side and event, so that recordings of different lengths can be compared; recordings
--             have them when they were loaded with --analyze=stack_totals.
-- Order:      20
-- Parameters: recordings_count  number of recordings of the side
-- Key:        method, event, file
-- Values:     self_share    plain, each: percent of the samples in which the method itself ran
--             total_share   plain, each: percent of the samples in which it or one that it called ran
--             self_samples  plain, sum: samples of a recording in which the method itself ran
SELECT method, event, file, round(100 * sum(self) / any(every), 3) AS self_share, round(100 * sum(total) / any(every), 3) AS total_share,
  round(sum(self) / :recordings_count, 2) AS self_samples
FROM (
  SELECT ifNull(toString(event), '') AS event, concat(class, if(class = '', '', '.'), name) AS method, file, sum(self_count) AS self, sum(total_count) AS total
  FROM v_method GLOBAL ALL INNER JOIN :recordings USING load
  GROUP BY event, method, file
) AS a ANY LEFT JOIN (
  SELECT ifNull(toString(event), '') AS event, sum(self_count) AS every FROM v_stack_total GLOBAL ALL INNER JOIN :recordings USING load
  GROUP BY event
) AS b USING event
GROUP BY method, event, file ORDER BY method, event, file
