-- topic: js_cpu
-- order: 100
-- Runs of equal CPU samples with function, URL and position resolved.
-- column: id = js_cpu_profiler_sample.id
-- column: start_time = js_cpu_profiler_sample.start_time
-- column: end_time = js_cpu_profiler_sample.end_time
-- column: dur = js_cpu_profiler_sample.dur
-- column: function_id = js_cpu_profiler_sample.function_id
-- column: function | TEXT | | node not known | name of the innermost function; (anonymous) for one without a name
-- column: url | TEXT | | node not known | URL of its script; empty when there is none
-- column: script_id | TEXT | | node not known, or not recorded | script, as the runtime numbers it
-- column: line_number | INTEGER | | node not known, or not recorded | line of the function, -1 when the runtime does not know it
-- column: column_number | INTEGER | | node not known, or not recorded | column of the function, -1 when the runtime does not know it
-- column: parent_id | INTEGER | function_id of js_cpu_profiler_node | node or caller not known | caller; 0 for a root
CREATE VIEW v_js_cpu_sample AS
SELECT s.id AS id, s.start_time AS start_time, s.end_time AS end_time, s.dur AS dur,
  s.function_id AS function_id,
  CASE n.function_index WHEN 0 THEN '(anonymous)' ELSE
    (SELECT v.data FROM data_dict AS v
      WHERE v.rowid = n.function_index + 1 AND v.id = n.function_index) END AS function,
  (SELECT v.data FROM data_dict AS v
    WHERE v.rowid = n.url_index + 1 AND v.id = n.url_index) AS url,
  n.script_id AS script_id, n.line_number AS line_number,
  n.column_number AS column_number, n.parent_id AS parent_id
FROM js_cpu_profiler_sample AS s
LEFT JOIN js_cpu_profiler_node AS n ON n.function_id = s.function_id
