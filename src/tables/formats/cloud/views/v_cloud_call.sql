-- topic: cloud
-- order: 150
-- Calls of the Cloud Profiler with pod and method resolved.
-- column: id = cloud_call.id
-- column: source_id = cloud_call.source_id
-- column: calls_file = cloud_call.calls_file
-- column: record = cloud_call.record
-- column: ts = cloud_call.ts
-- column: dur = cloud_call.dur
-- column: method_id = cloud_call.method_id
-- column: calls = cloud_call.calls
-- column: itid = cloud_call.itid
-- column: thread_index = cloud_call.thread_index
-- column: thread_name = cloud_call.thread_name
-- column: logs_written = cloud_call.logs_written
-- column: logs_generated = cloud_call.logs_generated
-- column: cpu_dur = cloud_call.cpu_dur
-- column: wait_dur = cloud_call.wait_dur
-- column: memory = cloud_call.memory
-- column: file_read = cloud_call.file_read
-- column: file_written = cloud_call.file_written
-- column: net_read = cloud_call.net_read
-- column: net_written = cloud_call.net_written
-- column: transactions = cloud_call.transactions
-- column: queue_wait_dur = cloud_call.queue_wait_dur
-- column: suspend_dur = cloud_call.suspend_dur
-- column: trace_file = cloud_call.trace_file
-- column: trace_offset = cloud_call.trace_offset
-- column: trace_record = cloud_call.trace_record
-- column: root_slice_id = cloud_call.root_slice_id
-- column: pod | TEXT | | not recorded | name of the pod
-- column: method | TEXT | | method not known | class and name of the method; # and its raw_id when it has no name
-- column: signature | TEXT | | method not known, or not recorded | types of parameters and result, as recorded
-- column: file | TEXT | | method not known, or not recorded | source file or URL
-- column: line | INTEGER | | method not known, or not recorded | line where it begins, counted as in the recording
-- column: library | TEXT | | method not known, or not recorded | library, script or image that holds its code
CREATE VIEW v_cloud_call AS
SELECT c.*, s.name AS pod, ${METHOD_NAME} AS method, m.signature AS signature,
  m.file AS file, m.line AS line, m.library AS library
FROM cloud_call AS c
LEFT JOIN source AS s ON s.id = c.source_id
LEFT JOIN stack_method AS m ON m.id = c.method_id
