-- Question:   How much was sampled for each service, host or pod?
--             Of profiles with attributes of what was profiled: those of OpenTelemetry, uploads with tags.
-- Topic:      stacks
-- Needs:      profile_tag (attributes and tags of profiles)
-- Parameters: by     the attribute or tag that rows are made by, such as host.name (default service.name)
--             limit  number of rows (default 100)
-- Columns:    resource      value of the attribute; NULL for profiles without it
--             profiles      how many profiles have it
--             samples       number of samples with values of this kind
--             weight, unit  the kind of value, such as cpu and ns
--             sum           over all these samples
--             percent       of the sum over all profiles
WITH resource(profile_id, value) AS MATERIALIZED (
  SELECT profile_id, min(value) FROM profile_tag WHERE key = ifnull(:by, 'service.name') GROUP BY profile_id
),
owner(source_id, profile_id) AS MATERIALIZED (
  SELECT source_id, min(id) FROM profile GROUP BY source_id
),
part AS MATERIALIZED (
  SELECT s.source_id, v.value_type_id, count(*) AS samples, total(v.value) AS sum
  FROM stack_sample_value AS v JOIN stack_sample AS s ON s.id = v.sample_id
  GROUP BY s.source_id, v.value_type_id
),
one AS (
  SELECT r.value AS resource, count(DISTINCT o.profile_id) AS profiles, sum(p.samples) AS samples,
    t.name AS weight, t.unit, sum(p.sum) AS sum
  FROM part AS p
  JOIN owner AS o ON o.source_id = p.source_id
  JOIN stack_value_type AS t ON t.id = p.value_type_id
  LEFT JOIN resource AS r ON r.profile_id = o.profile_id
  GROUP BY r.value, t.name, t.unit
)
SELECT resource, profiles, samples, weight, unit, CAST(sum AS INTEGER) AS sum,
  round(100 * sum / nullif(sum(sum) OVER (PARTITION BY weight, unit), 0), 2) AS percent
FROM one
ORDER BY weight, unit, one.sum DESC, resource
LIMIT ifnull(:limit, 100);
