-- What must hold so that the web viewer shows what was read. Each check returns the rows that break it: none.

-- check: the viewer knows the tables
-- It waits for ever when one of these is missing.
SELECT column1 AS missing FROM (VALUES ('trace_range'), ('data_dict'), ('memory_dma'), ('memory_ashmem'), ('process_measure'),
  ('process_measure_filter'), ('memory_profile'), ('memory_window_gpu'), ('memory_process_gpu'))
WHERE column1 NOT IN (SELECT name FROM sqlite_master);

-- check: one trace_range
SELECT 'rows', count(*) FROM trace_range HAVING count(*) <> 1
UNION ALL SELECT start_ts, end_ts FROM trace_range WHERE start_ts IS NULL OR end_ts IS NULL OR end_ts <= start_ts;

-- check: the ruler has marks for the trace
-- From 100 000 s on the loop that makes them has no end.
SELECT start_ts, end_ts FROM trace_range WHERE end_ts - start_ts >= 100000000000000;

-- check: every process has a pid of its own input
-- NULL and 0 are left out; two of one number in one input would be one row.
SELECT p.ipid, p.pid FROM process AS p WHERE p.pid IS NULL OR (p.pid = 0 AND p.ipid <> 0);

-- check: made-up pids are not those of anybody
SELECT p.ipid, p.pid FROM process AS p JOIN process_detail AS d ON d.ipid = p.ipid
WHERE NOT d.pid_known AND (p.pid <= 4194304 OR p.pid IN (SELECT q.pid FROM process AS q WHERE q.ipid <> p.ipid));

-- check: our views do not show made-up pids
SELECT * FROM v_thread_cpu WHERE pid > 4194304;

-- check: ids of calls are dense
SELECT count(*), min(id), max(id) FROM callstack HAVING count(*) > 0 AND (min(id) <> 0 OR max(id) <> count(*) - 1);

-- check: calls have colours
SELECT id, colorIndex FROM callstack WHERE colorIndex IS NULL OR typeof(colorIndex) <> 'integer' OR colorIndex NOT BETWEEN 0 AND 19;

-- check: calls of one name have one colour
SELECT name FROM callstack GROUP BY name HAVING count(DISTINCT colorIndex) > 1;

-- check: callers of calls are there
SELECT c.id, c.parent_id FROM callstack AS c WHERE c.parent_id IS NOT NULL AND c.cat = 'method'
AND c.parent_id NOT IN (SELECT id FROM callstack);

-- check: stat and process count the calls
-- Call stacks are drawn where events were received, and in processes that have slices.
SELECT 'nothing was received' WHERE EXISTS (SELECT 1 FROM callstack) AND NOT EXISTS (SELECT 1 FROM stat
  WHERE event_name IN ('print', 'tracing_mark_write', 'sched_switch') AND stat_type = 'received' AND count > 0)
UNION ALL SELECT 'fewer than calls' FROM stat WHERE event_name = 'print' AND stat_type = 'received' AND count < (SELECT count(*) FROM stack_slice)
UNION ALL SELECT 'no slices: ' || p.pid FROM process AS p WHERE p.pid <> 0 AND p.slice_count = 0
  AND p.ipid IN (SELECT t.ipid FROM callstack AS c JOIN thread AS t ON t.itid = c.callid WHERE c.dur IS NOT NULL AND (c.cat IS NULL OR c.cat <> 'binder'));

-- check: colorIndex is the last column of callstack
SELECT cid, name FROM pragma_table_info('callstack') WHERE name = 'colorIndex' AND cid <> 19;

-- check: prev_itid and prev_state are the last columns of sched_slice
SELECT cid, name FROM pragma_table_info('sched_slice') WHERE (name = 'prev_itid' AND cid <> 10) OR (name = 'prev_state' AND cid <> 11);

-- check: one js_config where there is ArkTS data
-- None is a TypeError, two list each heap file twice.
SELECT count(*) FROM js_config HAVING count(*) <> (EXISTS (SELECT 1 FROM js_heap_files) OR EXISTS (SELECT 1 FROM js_cpu_profiler_node));

-- check: js_config shows the data
SELECT type, enable_cpu_profiler FROM js_config
WHERE (EXISTS (SELECT 1 FROM js_heap_nodes) AND type NOT IN (0, 1)) OR enable_cpu_profiler <> EXISTS (SELECT 1 FROM js_cpu_profiler_node);

-- check: heap files that are complete are shown
SELECT f.id, f.file_name FROM js_heap_files AS f JOIN js_heap_file_detail AS d ON d.file_id = f.id, trace_range AS r
WHERE d.complete AND (f.end_time IS NULL OR f.end_time > r.end_ts OR f.start_time < r.start_ts OR f.self_size IS NULL);

-- check: heap files have a width
SELECT id, file_name, start_time, end_time FROM js_heap_files WHERE end_time <= start_time;

-- check: bare snapshots stand beside each other
SELECT a.id, b.id FROM js_heap_files AS a JOIN js_heap_files AS b ON b.id > a.id
JOIN js_heap_file_detail AS x ON x.file_id = a.id JOIN js_heap_file_detail AS y ON y.file_id = b.id
JOIN source AS s ON s.id = x.source_id AND s.clock = 'relative' JOIN source AS t ON t.id = y.source_id AND t.clock = 'relative'
WHERE b.start_time < a.end_time;

-- check: the trace is as long as its timelines
SELECT f.id FROM js_heap_files AS f, trace_range AS r WHERE (SELECT max(timestamp_us) * 1000 FROM js_heap_sample AS s WHERE s.file_id = f.id) > r.end_ts - f.start_time;

-- check: one root of CPU profiles, before all others
SELECT rowid, function_id, parent_id FROM js_cpu_profiler_node WHERE (parent_id = 0) <> (rowid = 1) OR (function_id = 1) <> (rowid = 1);

-- check: callers in CPU profiles come first
SELECT c.function_id FROM js_cpu_profiler_node AS c LEFT JOIN js_cpu_profiler_node AS p ON p.function_id = c.parent_id
WHERE c.parent_id <> 0 AND (p.rowid IS NULL OR p.rowid >= c.rowid);

-- check: callees in CPU profiles are listed
-- The lists, taken apart, are the callers' sides of parent_id.
WITH RECURSIVE part(parent, child, rest) AS (
  SELECT function_id, NULL, children || ',' FROM js_cpu_profiler_node WHERE children <> ''
  UNION ALL
  SELECT parent, CAST(substr(rest, 1, instr(rest, ',') - 1) AS INTEGER), substr(rest, instr(rest, ',') + 1) FROM part WHERE rest <> '')
SELECT * FROM (SELECT parent, child FROM part WHERE child IS NOT NULL
  EXCEPT SELECT parent_id, function_id FROM js_cpu_profiler_node)
UNION ALL SELECT * FROM (SELECT parent_id, function_id FROM js_cpu_profiler_node WHERE parent_id <> 0
  EXCEPT SELECT parent, child FROM part);

-- check: functions of CPU samples are there
SELECT s.id, s.function_id FROM js_cpu_profiler_sample AS s LEFT JOIN js_cpu_profiler_node AS n ON n.function_id = s.function_id
WHERE s.function_id IS NOT NULL AND n.function_id IS NULL;

-- check: ids of CPU samples are dense
SELECT id FROM js_cpu_profiler_sample WHERE id <> rowid - 1;

-- check: CPU samples lie inside the trace and do not overlap
SELECT s.id, s.start_time, s.end_time FROM js_cpu_profiler_sample AS s, trace_range AS r
WHERE s.start_time < r.start_ts OR s.end_time > r.end_ts
UNION ALL
SELECT b.id, b.start_time, a.end_time FROM js_cpu_profiler_sample AS a JOIN js_cpu_profiler_sample AS b ON b.rowid = a.rowid + 1
WHERE b.start_time < a.end_time;

-- check: samples have no NULL where the viewer throws
SELECT * FROM perf_sample WHERE id IS NULL OR callchain_id IS NULL OR thread_id IS NULL OR thread_id = 0 OR event_count IS NULL
  OR event_type_id IS NULL OR timestamp_trace IS NULL OR cpu_id IS NULL OR thread_state NOT IN ('Running', 'Suspend');

-- check: threads of samples have ids of their own
-- They are joined by thread_id alone: a second one of a number doubles samples.
SELECT thread_id, count(*) FROM perf_thread GROUP BY thread_id HAVING count(*) > 1
UNION ALL SELECT DISTINCT thread_id, 0 FROM perf_sample WHERE thread_id NOT IN (SELECT thread_id FROM perf_thread);

-- check: processes of samples have names
SELECT thread_id, process_id FROM perf_thread WHERE process_id NOT IN (SELECT thread_id FROM perf_thread) OR thread_name IS NULL;

-- check: stacks of samples are there
SELECT DISTINCT callchain_id FROM perf_sample WHERE callchain_id <> -1 AND callchain_id NOT IN (SELECT callchain_id FROM perf_callchain);

-- check: frames of a stack stand together, outermost first
SELECT * FROM (SELECT callchain_id, depth, lag(callchain_id) OVER () AS before, lag(depth) OVER () AS above FROM perf_callchain)
WHERE CASE WHEN callchain_id IS before THEN depth <> above + 1 ELSE depth <> 0 END;

-- check: frames have a symbol at their place
SELECT c.id FROM perf_callchain AS c LEFT JOIN perf_files AS f ON f.file_id = c.file_id AND f.serial_id = c.symbol_id
LEFT JOIN data_dict AS d ON d.id = c.name WHERE f.symbol IS NULL OR d.data IS NOT f.symbol;

-- check: symbols are numbered in their files
SELECT file_id, serial_id FROM (SELECT file_id, serial_id, row_number() OVER (PARTITION BY file_id ORDER BY id) - 1 AS place FROM perf_files)
WHERE serial_id <> place;

-- check: the command of samples is a text
SELECT id FROM perf_report WHERE report_type = 'cmdline' AND report_value IS NULL;

-- check: there is a name of what priorities are looked up by
SELECT 'next_info' WHERE EXISTS (SELECT 1 FROM sched_slice) AND NOT EXISTS (SELECT 1 FROM data_dict WHERE data = 'next_info');

-- check: events of samples have names
SELECT DISTINCT event_type_id FROM perf_sample WHERE event_type_id NOT IN (SELECT id FROM perf_report WHERE report_type = 'config_name');

-- check: ids in the dictionary are dense
SELECT id FROM data_dict WHERE id <> rowid - 1;

-- check: argument sets have arguments
-- Where a call has an argument set, its details are not empty.
SELECT c.id FROM (SELECT id, argsetid FROM callstack WHERE argsetid IS NOT NULL LIMIT 200) AS c
WHERE NOT EXISTS (SELECT 1 FROM args_view AS a WHERE a.argset = c.argsetid);

-- check: sets of arguments are those of one call
-- Traced invocations and events of the system have sets of their own.
SELECT id FROM callstack WHERE cat = 'method' AND argsetid IN (SELECT argset FROM args);

-- check: arguments have names and texts
SELECT * FROM args_view WHERE keyName IS NULL OR desc IS NULL;
