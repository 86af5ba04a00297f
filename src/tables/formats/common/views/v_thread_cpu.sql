-- topic: thread
-- order: 130
-- Samples and traced calls of each thread: number and time. busy_dur is CPU time, never elapsed
-- time; rows of one thread may have the same of it. Calls count once, by their outermost one.
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
-- column: busy_dur | INTEGER | ns | not known | CPU time: of samples of class cpu, or as their values say; of invocations cpu_dur
-- column: cpu_dur | INTEGER | ns | samples, or not recorded | time that the invocations ran on a CPU
CREATE VIEW v_thread_cpu AS
SELECT w.source_id AS source_id, w.itid AS itid,
  CASE WHEN q.pid_known THEN p.pid END AS pid, p.name AS process,
  t.tid AS tid, t.name AS thread, x.tid_kind AS tid_kind, w.event AS event,
  w.count AS count, w.dur AS dur, w.busy_dur AS busy_dur, w.cpu_dur AS cpu_dur
FROM (
  SELECT s.source_id AS source_id, s.itid AS itid, s.event AS event, count(*) AS count,
    ${SUM_OF|s.dur} AS dur,
    ${SUM_OF|CASE WHEN v.ns IS NOT NULL THEN v.ns WHEN s.reason = 'idle' THEN 0
      WHEN s.class = 'cpu' AND s.source_id NOT IN (SELECT source_id FROM (${CPU_VALUES}))
      THEN s.dur END} AS busy_dur,
    NULL AS cpu_dur
  FROM v_sample AS s
  LEFT JOIN (
    SELECT v.sample_id AS sample_id, sum(v.value) AS ns
    FROM stack_sample_value AS v
    WHERE v.value_type_id IN (SELECT id FROM (${CPU_VALUES}))
    GROUP BY v.sample_id) AS v ON v.sample_id = s.id
  GROUP BY s.source_id, s.itid, s.event
  UNION ALL
  SELECT source_id, itid, 'call', count(*),
    ${SUM_OF|CASE WHEN parent_id IS NULL THEN dur END},
    ${SUM_OF|CASE WHEN parent_id IS NULL THEN cpu_dur END},
    ${SUM_OF|CASE WHEN parent_id IS NULL THEN cpu_dur END}
  FROM stack_slice
  GROUP BY source_id, itid) AS w
LEFT JOIN thread AS t ON t.rowid = w.itid + 1
LEFT JOIN thread_detail AS x ON x.rowid = w.itid + 1
LEFT JOIN process AS p ON p.rowid = t.ipid + 1
LEFT JOIN process_detail AS q ON q.rowid = t.ipid + 1
