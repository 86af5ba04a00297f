-- topic: thread
-- order: 130
-- Samples and traced calls of each thread: number and time. busy_dur leaves out the time in
-- (idle); calls count once, by their outermost one.
-- column: source_id | INTEGER | id of source | | the source
-- column: itid | INTEGER | id of thread | not recorded | the thread
-- column: pid | INTEGER | | thread or process not known | process id in the system
-- column: process | TEXT | | thread, process or its name not known | name of the process
-- column: tid | INTEGER | | thread not known | thread id, of the kind that tid_kind says
-- column: thread | TEXT | | thread or its name not known | name of the thread
-- column: tid_kind | TEXT | | thread not known | what tid is: os (of the system), java (of the Java VM) or unknown
-- column: event | TEXT | | not recorded | what caused the samples: cpu, wall, alloc, lock ...; call for traced invocations
-- column: count | INTEGER | | | number of samples, or of invocations
-- column: dur | INTEGER | ns | not recorded | time that they represent; REAL beyond 64 bits
-- column: busy_dur | INTEGER | ns | not recorded | the same without samples in (idle)
-- column: cpu_dur | INTEGER | ns | samples, or not recorded | time that the invocations ran on a CPU
CREATE VIEW v_thread_cpu AS
SELECT w.source_id AS source_id, w.itid AS itid,
  CASE WHEN q.pid_known THEN p.pid END AS pid, p.name AS process,
  t.tid AS tid, t.name AS thread, x.tid_kind AS tid_kind, w.event AS event,
  w.count AS count, w.dur AS dur, w.busy_dur AS busy_dur, w.cpu_dur AS cpu_dur
FROM (
  SELECT s.source_id AS source_id, s.itid AS itid, s.event AS event, count(*) AS count,
    ${SUM_OF|s.dur} AS dur,
    ${SUM_OF|CASE WHEN m.name = '(idle)' THEN 0 ELSE s.dur END} AS busy_dur,
    NULL AS cpu_dur
  FROM stack_sample AS s
  LEFT JOIN stack_node AS n ON n.id = s.node_id
  LEFT JOIN stack_method AS m ON m.id = n.method_id
  GROUP BY s.source_id, s.itid, s.event
  UNION ALL
  SELECT source_id, itid, 'call', count(*),
    ${SUM_OF|CASE WHEN parent_id IS NULL THEN dur END},
    ${SUM_OF|CASE WHEN parent_id IS NULL THEN dur END},
    ${SUM_OF|CASE WHEN parent_id IS NULL THEN cpu_dur END}
  FROM stack_slice
  GROUP BY source_id, itid) AS w
LEFT JOIN thread AS t ON t.rowid = w.itid + 1
LEFT JOIN thread_detail AS x ON x.rowid = w.itid + 1
LEFT JOIN process AS p ON p.rowid = t.ipid + 1
LEFT JOIN process_detail AS q ON q.rowid = t.ipid + 1
