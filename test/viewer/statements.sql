-- What the workers of the web viewer (SmartPerf-Host) ask of a database, in our own words and with the columns that they read.
-- Each statement must run, and return rows where a recording has what is named behind "rows:": calls (traced invocations), samples
-- (sampled stacks that are no CPU profile of JavaScript), snapshots, timelines, profiles (CPU profiles of JavaScript), tags.
-- :file is the id of the first heap file, :argset the argument set of the first call that has one.

-- statement: trace range. rows: all
-- All times are shown less start_ts; without a row nothing is shown.
SELECT start_ts, end_ts FROM trace_range;

-- statement: dictionary. rows: all
-- Read whole; names of CPU profiles and of sampled frames are looked up in it by id.
SELECT id, data FROM data_dict;

-- statement: processes. rows: calls,samples
-- The processes that get a row. Those without a pid are left out.
SELECT pid, name AS processName FROM process WHERE pid != 0;

-- statement: processes with data. rows: calls
-- A process without any of these counts is left out.
SELECT ipid AS upid, pid, name, switch_count, thread_count, slice_count, mem_count FROM process
WHERE pid != 0 AND (switch_count > 0 OR thread_count > 0 OR slice_count > 0 OR mem_count > 0);

-- statement: threads of processes. rows: calls,samples
SELECT t.id AS utid, t.tid, t.name AS threadName, p.id AS upid, p.pid, p.name AS processName, t.switch_count
FROM thread AS t LEFT JOIN process AS p ON p.id = t.ipid WHERE t.tid != 0 AND p.pid != 0;

-- statement: events that were received. rows: calls
-- Call stacks are drawn when one of these is not 0.
SELECT event_name, count FROM stat
WHERE event_name IN ('print', 'tracing_mark_write', 'sched_switch') AND stat_type = 'received' AND count > 0;

-- statement: names of calls. rows: calls
SELECT id, name FROM callstack;

-- statement: depths of threads. rows: calls
-- How high the row of a thread is.
SELECT c.callid, max(c.depth) + 1 AS maxDepth, t.tid, p.pid FROM callstack AS c
JOIN thread AS t ON t.id = c.callid JOIN process AS p ON p.id = t.ipid
WHERE c.ts IS NOT NULL AND c.cookie IS NULL GROUP BY t.tid, p.pid;

-- statement: calls of threads. rows: calls
-- The boxes: one without colour throws, one without a known depth is not drawn.
SELECT c.ts - r.start_ts AS startTs, c.dur, c.depth, c.name AS funName, c.argsetid, c.id, c.parent_id AS parentId, c.colorIndex,
  t.tid, p.pid
FROM callstack AS c JOIN trace_range AS r JOIN thread AS t ON t.id = c.callid JOIN process AS p ON p.id = t.ipid
WHERE c.cookie IS NULL AND c.ts IS NOT NULL AND p.pid != 0;

-- statement: arguments of a call. rows: tags
-- The details of a selected call.
SELECT keyName, desc, strValue FROM args_view WHERE argset = :argset;

-- statement: configuration of ArkTS. rows: snapshots,timelines,profiles
-- The first row's pid names the rows, each row lists all heap files once, enable_cpu_profiler must be the number 1.
SELECT pid, type, enable_cpu_profiler AS enableCpuProfiler FROM js_config;

-- statement: there are CPU profiles. rows: profiles
SELECT 1 WHERE EXISTS (SELECT 1 FROM js_cpu_profiler_node);

-- statement: there are heaps. rows: snapshots,timelines
SELECT 1 WHERE EXISTS (SELECT 1 FROM js_heap_nodes);

-- statement: heap files. rows: snapshots,timelines
-- A snapshot without an end, or with one behind the end of the trace, is left out.
SELECT f.id, f.file_name AS name, f.start_time - r.start_ts AS startTs, f.end_time - r.start_ts AS endTs, f.self_size AS size, c.pid
FROM js_heap_files AS f, trace_range AS r, js_config AS c
WHERE (r.end_ts >= f.end_time AND f.file_name <> 'Timeline') OR f.file_name = 'Timeline';

-- statement: counts of a heap. rows: snapshots,timelines
SELECT file_id, key, type, int_value, str_value FROM js_heap_info WHERE file_id = :file;

-- statement: nodes of a heap. rows: snapshots,timelines
-- Without an order: the rows must stand in that of the snapshot.
SELECT node_index, type, name, id, self_size, edge_count, trace_node_id, detachedness FROM js_heap_nodes WHERE file_id = :file;

-- statement: edges of a heap. rows: snapshots,timelines
SELECT edge_index, type, name_or_index, to_node, from_node_id, to_node_id FROM js_heap_edges WHERE file_id = :file;

-- statement: strings of a heap. rows: snapshots,timelines
SELECT string FROM js_heap_string WHERE file_id = :file;

-- statement: samples of a timeline.
SELECT timestamp_us, last_assigned_id, 0 AS size FROM js_heap_sample WHERE file_id = :file;

-- statement: nodes of CPU profiles. rows: profiles
SELECT function_id, function_index, url_index, line_number, column_number, hit_count, children, parent_id, script_id
FROM js_cpu_profiler_node;

-- statement: samples of CPU profiles. rows: profiles
SELECT s.id, s.function_id, s.start_time - r.start_ts AS startTime, s.end_time - r.start_ts AS endTime, s.dur
FROM js_cpu_profiler_sample AS s, trace_range AS r;

-- statement: symbols of sampled stacks. rows: samples
-- The name of a frame is found by its file and, in the order of the rows, by the number of the symbol in it.
SELECT file_id AS fileId, symbol, path FROM perf_files ORDER BY file_id, serial_id;

-- statement: threads of samples. rows: samples
-- The name of a process is that of the thread whose id is its own.
SELECT a.thread_id AS tid, a.thread_name AS threadName, a.process_id AS pid, b.thread_name AS processName
FROM perf_thread AS a LEFT JOIN (SELECT * FROM perf_thread WHERE thread_id = process_id) AS b ON b.thread_id = a.process_id;

-- statement: stacks of samples. rows: samples
-- Read whole and without an order: the frames of a stack must stand together, the outermost one first.
SELECT callchain_id, depth, file_id, symbol_id, name, vaddr_in_file, offset_to_vaddr, source_file_id, line_number
FROM perf_callchain WHERE callchain_id != -1;

-- statement: events of samples. rows: samples
SELECT id, report_value FROM perf_report
WHERE report_type = 'config_name' AND id IN (SELECT DISTINCT event_type_id FROM perf_sample);

-- statement: command of samples. rows: samples
SELECT report_value FROM perf_report WHERE report_type = 'cmdline';

-- statement: list of samples. rows: samples
SELECT s.id, s.callchain_id AS sampleId, s.timestamp_trace - r.start_ts AS startNS, s.event_count, s.event_type_id, s.cpu_id,
  s.thread_id AS tid, s.thread_state AS state, t.process_id AS pid
FROM perf_sample AS s LEFT JOIN perf_thread AS t ON t.thread_id = s.thread_id, trace_range AS r
WHERE s.thread_id != 0 AND s.timestamp_trace BETWEEN r.start_ts AND r.end_ts;

-- statement: flame graph of samples. rows: samples
SELECT t.process_id AS pid, s.thread_id AS tid, s.thread_state AS threadState, s.callchain_id AS sampleId, count(s.callchain_id) AS count,
  sum(s.event_count) AS eventCount
FROM perf_sample AS s LEFT JOIN perf_thread AS t ON t.thread_id = s.thread_id, trace_range AS r
WHERE s.thread_id != 0 AND s.callchain_id != -1 AND s.timestamp_trace BETWEEN r.start_ts AND r.end_ts
GROUP BY s.callchain_id, s.thread_id, s.thread_state, t.process_id;

-- statement: there is scheduling.
SELECT 1 FROM sched_slice LIMIT 1;

-- statement: name of an argument.
-- The tab of scheduling priorities takes the first row's id without looking whether there is one.
SELECT id FROM data_dict WHERE data = 'next_info';
