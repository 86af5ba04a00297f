/* Viewers name a process as the thread that has its id. */
-- replaces: perf_thread
CREATE VIEW perf_thread AS
WITH used AS (
  SELECT * FROM (${SAMPLE_THREADS}) WHERE itid IN (SELECT s.itid FROM ${SAMPLES})),
named(thread_id, process_id, thread_name) AS (
  SELECT thread_id, process_id, ifnull(name, 'thread ' || ifnull(tid, itid)) FROM used
  UNION
  SELECT process_id, process_id, ifnull(process, 'process ' || process_id) FROM used
  WHERE process_id NOT IN (SELECT thread_id FROM used) AND process_id <> ${NO_THREAD}
  UNION
  SELECT ${NO_THREAD}, ${NO_THREAD}, '(unknown)'
  WHERE EXISTS (SELECT 1 FROM used WHERE process_id = ${NO_THREAD})
    OR EXISTS (SELECT 1 FROM ${SAMPLES} AND s.itid IS NULL))
SELECT row_number() OVER (ORDER BY process_id, thread_id) - 1 AS id, thread_id, process_id,
  thread_name
FROM named
