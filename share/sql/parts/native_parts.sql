-- What was left of mappings that were released in part, and since when.
part AS MATERIALIZED (
  SELECT s.itid, s.ts, a.value AS addr, CAST(l.value AS INTEGER) AS bytes,
    CAST(substr(l.value, instr(l.value, ' ') + 1) AS INTEGER) AS since
  FROM stack_sample_label AS l CROSS JOIN stack_sample AS s ON s.id = l.sample_id
  JOIN stack_sample_label AS a ON a.sample_id = s.id AND a.key = 'addr'
  WHERE l.key = 'left_at'
),
