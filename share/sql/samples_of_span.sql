-- Question:   What did a span of a trace run?
--             Samples that were taken while a span was active: profiles of OpenTelemetry with links, and what
--             tracers of servers write into JFR and pprof.
-- Topic:      stacks
-- Needs:      stack_sample_label (labels of samples)
-- Parameters: span   id of the span, as the label "span id" has it (default: all spans)
--             trace  id of the trace, as the label "trace id" has it (default: all traces)
--             limit  number of rows (default 100)
-- Columns:    span, trace   ids
--             samples       number of samples of this span that end in the method
--             method        the innermost method; NULL: no stack was recorded
--             file, line
--             weight, unit  the kind of value, such as cpu and ns
--             sum           over these samples
--             first, last   when the first and the last of them were taken
WITH traced(sample_id, trace) AS MATERIALIZED (
  SELECT sample_id, min(value) FROM stack_sample_label WHERE key = 'trace id' GROUP BY sample_id
),
hit(sample_id, span, trace) AS MATERIALIZED (
  SELECT l.sample_id, l.value, t.trace
  FROM stack_sample_label AS l LEFT JOIN traced AS t ON t.sample_id = l.sample_id
  WHERE l.key = 'span id' AND (:span IS NULL OR l.value = :span)
),
named(id, method) AS MATERIALIZED (SELECT id, method FROM v_method)
SELECT h.span, h.trace, count(*) AS samples, named.method, m.file, n.line,
  t.name AS weight, t.unit, CAST(total(v.value) AS INTEGER) AS sum, min(s.ts) AS first, max(s.ts) AS last
FROM hit AS h
CROSS JOIN stack_sample AS s ON s.id = h.sample_id
LEFT JOIN stack_node AS n ON n.id = s.node_id
LEFT JOIN stack_method AS m ON m.id = n.method_id
LEFT JOIN named ON named.id = n.method_id
LEFT JOIN stack_sample_value AS v ON v.sample_id = s.id
LEFT JOIN stack_value_type AS t ON t.id = v.value_type_id
WHERE :trace IS NULL OR h.trace = :trace
GROUP BY h.span, h.trace, t.id, n.method_id, n.line
ORDER BY sum DESC, samples DESC, h.span, method, n.line
LIMIT ifnull(:limit, 100);
