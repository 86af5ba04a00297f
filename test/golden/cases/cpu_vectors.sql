SELECT function_id, script_id, line_number, column_number, hit_count, children, parent_id FROM js_cpu_profiler_node;
SELECT id, function_id, start_time, dur FROM js_cpu_profiler_sample;
SELECT count(*) AS samples, min(ts) AS first FROM stack_sample;
SELECT pid, type, enable_cpu_profiler FROM js_config;
SELECT code FROM import_issue ORDER BY code;
