/*
 * The agent puts a title together for the requests that it knows (profiler.title); for the others it
 * is made of what the call says. One pass over the parameters of all calls: a subquery in
 * v_cloud_call would read them once for each call.
 */
-- topic: cloud
-- order: 155
-- What calls of the Cloud Profiler were about, from their parameters: the title that the agent
-- recorded, or method and URL of a request, name of a job, destination of a message, first SQL statement.
-- Calls without any of these have no row.
-- column: call_id = cloud_call_param.call_id
-- column: title | TEXT | | | what the call was about
CREATE VIEW v_cloud_call_title AS
SELECT call_id, coalesce(title, ifnull(verb || ' ', '') || url || ifnull('?' || query, ''),
    'job ' || job, 'message ' || destination, statement) AS title
FROM (
  SELECT p.call_id AS call_id,
    max(CASE d.word WHEN 'profiler.title' THEN p.value END) AS title,
    max(CASE d.word WHEN 'web.method' THEN p.value END) AS verb,
    max(CASE d.word WHEN 'web.url' THEN p.value END) AS url,
    max(CASE d.word WHEN 'web.query' THEN p.value END) AS query,
    coalesce(max(CASE d.word WHEN 'job.name' THEN p.value END),
      max(CASE d.word WHEN 'job.class' THEN p.value END),
      max(CASE d.word WHEN 'job.id' THEN p.value END)) AS job,
    coalesce(max(CASE d.word WHEN 'jms.destination' THEN p.value END),
      max(CASE d.word WHEN 'kafka.topic' THEN p.value END),
      max(CASE d.word WHEN 'queue' THEN p.value END)) AS destination,
    max(CASE d.word WHEN 'sql' THEN p.value END) AS statement
  FROM cloud_call_param AS p
  JOIN cloud_dictionary AS d ON d.id = p.dictionary_id
  WHERE p.ordinal = 0 AND d.word IN ('profiler.title', 'web.method', 'web.url', 'web.query',
    'job.name', 'job.class', 'job.id', 'jms.destination', 'kafka.topic', 'queue', 'sql')
  GROUP BY p.call_id)
WHERE coalesce(title, url, job, destination, statement) IS NOT NULL
