/*
 * Parts of views. tools/mkviews.c describes the form.
 *
 * Views use only what SQLite 3.30 can parse (no ->, no MATERIALIZED, no STRICT): a view that a
 * reader's SQLite cannot parse makes the whole database unreadable to it, and web viewers bring old
 * ones.
 *
 * How they stay fast without indexes: js_heap_file_detail says at which rowids the rows of a file
 * stand, so it is always the outer loop (CROSS JOIN keeps it there) and everything else is found
 * by rowid. Names are scalar subqueries, so that a query which does not use a column does not pay
 * for it.
 */

-- piece: SUM_OVER x over
-- The sum of integers that an input may have made as large as it likes. sum() fails beyond 64 bits,
-- and a view must answer: here the halves are added up, and what is beyond 64 bits becomes REAL.
(sum((${x}) >> 32)${over} * 4294967296 + sum((${x}) & 4294967295)${over})

-- piece: SUM_OF x
${SUM_OVER|${x}|}

-- piece: METHOD_NAME
-- Class and name of a method m as people write them.
ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, '#' || m.raw_id)

-- piece: METHOD_LABEL
-- The same with the package; a method without a name is anonymous.
ifnull(nullif(m.package, '') || '.', '')
    || ifnull(nullif(m.class, '') || '.', '')
    || ifnull(nullif(m.name, ''), '(anonymous)')

-- piece: NODE_WEIGHTS
-- The weight of each call path of its own. A sample weighs its values; one without values weighs
-- its dur. A traced call weighs its self_dur. Units and events are never added up.
  SELECT node_id, event, 'ns' AS unit, 'dur' AS value, ${SUM_OF|dur} AS weight
  FROM stack_sample
  WHERE node_id IS NOT NULL AND dur IS NOT NULL
    AND id NOT IN (SELECT sample_id FROM stack_sample_value)
  GROUP BY node_id, event
  UNION ALL
  SELECT s.node_id, s.event, y.unit, y.name, ${SUM_OF|v.value}
  FROM stack_sample_value AS v
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  LEFT JOIN stack_value_type AS y ON y.id = v.value_type_id
  WHERE s.node_id IS NOT NULL
  GROUP BY s.node_id, v.value_type_id, s.event
  UNION ALL
  SELECT node_id, 'call', 'ns', 'self_dur', ${SUM_OF|self_dur}
  FROM stack_slice
  WHERE node_id IS NOT NULL AND self_dur IS NOT NULL
  GROUP BY node_id

-- piece: COLOUR x
-- A number below TS_VIEWER_COLOURS that the text x alone decides. Letters of several places,
-- because names of one class begin and end alike.
(length(${x}) + 3 * ifnull(unicode(${x}), 0) + 7 * ifnull(unicode(substr(${x}, -1)), 0)
    + 9 * ifnull(unicode(substr(${x}, -3)), 0) + 5 * ifnull(unicode(substr(${x}, -6)), 0)
    + 2 * ifnull(unicode(substr(${x}, length(${x}) / 2 + 1)), 0)) % ${TS_VIEWER_COLOURS}
