-- Question:   Which methods take more or less of the samples?
--             Shares of the samples of a side, so that recordings of different lengths can be compared; recordings have them
--             when they were loaded with --analyze=stack_totals.
-- Order:      20
-- Parameters: recordings_count  number of recordings of the side
-- Key:        method, file
-- Values:     self_share   plain, each: percent of the samples in which the method itself ran
--             total_share  plain, each: percent of the samples in which it or one that it called ran
--             self_samples  plain, sum: samples of a recording in which the method itself ran
SELECT method, file, round(100 * sum(self) / any(every), 3) AS self_share, round(100 * sum(total) / any(every), 3) AS total_share,
  round(sum(self) / :recordings_count, 2) AS self_samples
FROM (
  SELECT 1 AS one, concat(class, if(class = '', '', '.'), name) AS method, file, sum(self_count) AS self, sum(total_count) AS total
  FROM v_method GLOBAL ALL INNER JOIN :recordings USING load
  GROUP BY method, file
) AS a ANY LEFT JOIN (
  SELECT 1 AS one, sum(self_count) AS every FROM v_stack_total GLOBAL ALL INNER JOIN :recordings USING load
) AS b USING one
GROUP BY method, file ORDER BY method, file
