-- topic: ftrace
-- order: 280
-- How busy each CPU was. The last slice of a CPU, whose end is not known, counts in slices only.
-- column: cpu = sched_slice.cpu
-- column: begin_ts | INTEGER | ns | | first switch of this CPU
-- column: slices | INTEGER | | | number of its slices
-- column: threads | INTEGER | | | threads that ran on it, without the idle one
-- column: busy | INTEGER | ns | | time that a thread ran
-- column: idle | INTEGER | ns | | time that none did
-- column: share | REAL | | nothing of it has a known end | busy / (busy + idle)
CREATE VIEW v_cpu_utilization AS
SELECT s.cpu AS cpu, min(s.ts) AS begin_ts, count(*) AS slices,
  count(DISTINCT nullif(s.itid, 0)) AS threads,
  sum(CASE WHEN s.itid <> 0 THEN ifnull(s.dur, 0) ELSE 0 END) AS busy,
  sum(CASE WHEN s.itid = 0 THEN ifnull(s.dur, 0) ELSE 0 END) AS idle,
  sum(CASE WHEN s.itid <> 0 THEN ifnull(s.dur, 0) ELSE 0 END) * 1.0 / nullif(sum(s.dur), 0) AS share
FROM sched_slice AS s
GROUP BY s.cpu
