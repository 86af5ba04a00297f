/*
 * Parts of views. tools/mkviews.c describes the form.
 *
 * Views use only what SQLite 3.30 can parse (no ->, no MATERIALIZED, no STRICT): a view that a
 * reader's SQLite cannot parse makes the whole database unreadable to it, and web viewers bring old
 * ones.
 *
 * How they stay fast without indexes: js_heap_file_detail says at which rowids the rows of a file
 * are, so it is always the outer loop (CROSS JOIN keeps it there) and everything else is found
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
-- The weight of each call path of its own: the dur of its samples, each other value that they
-- have, and the self_dur of traced calls. Units, events and values are never added up. CPU time of
-- samples that something else caused is of the event cpu.
  SELECT node_id, event, 'ns' AS unit, 'dur' AS value, ${SUM_OF|dur} AS weight
  FROM stack_sample
  WHERE node_id IS NOT NULL AND dur IS NOT NULL
  GROUP BY node_id, event
  UNION ALL
  SELECT s.node_id, CASE WHEN y.name = 'cpu' AND y.unit = 'ns' THEN 'cpu' ELSE s.event END, y.unit,
    y.name, ${SUM_OF|v.value}
  FROM stack_sample_value AS v
  CROSS JOIN stack_sample AS s ON s.id = v.sample_id
  LEFT JOIN stack_value_type AS y ON y.id = v.value_type_id
  WHERE s.node_id IS NOT NULL
  GROUP BY s.node_id, v.value_type_id, 2
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

-- piece: TRACED_CALLS rows sets
-- Traced invocations as rows of callstack, after the rows and the sets of arguments that there are.
SELECT s.id - 1 + ${rows} AS id, s.ts AS ts, s.dur AS dur, s.itid AS callid, 'method' AS cat,
  (SELECT ${METHOD_NAME}
    FROM stack_node AS n CROSS JOIN stack_method AS m ON m.id = n.method_id
    WHERE n.id = s.node_id) AS name,
  s.depth AS depth, NULL AS cookie, s.parent_id - 1 + ${rows} AS parent_id,
  CASE WHEN s.cpu_dur IS NOT NULL OR s.id IN (${CALLS_WITH_ARGUMENTS})
    THEN s.id + ${sets} END AS argsetid,
  NULL AS chainId, NULL AS spanId, NULL AS parentSpanId, NULL AS flag,
  NULL AS trace_level, NULL AS trace_tag, NULL AS custom_category, NULL AS custom_args,
  NULL AS child_callid,
  ifnull((SELECT ${COLOUR|${METHOD_NAME}}
    FROM stack_node AS n CROSS JOIN stack_method AS m ON m.id = n.method_id
    WHERE n.id = s.node_id), 0) AS colorIndex
FROM stack_slice AS s

-- piece: EVENT_ARGUMENTS
-- Arguments of events as rows of args_view.
SELECT A.argset AS argset, V2.data AS keyName, A.id AS id, D.desc AS desc,
  CASE WHEN A.datatype = 1 THEN V.data ELSE A.value END AS strValue
FROM args AS A
LEFT JOIN data_type AS D ON D.typeId = A.datatype
LEFT JOIN data_dict AS V ON V.id = A.value
LEFT JOIN data_dict AS V2 ON V2.id = A.key

-- piece: ARGUMENT_SETS
-- More than the number of any set in args, of which each has a row: sets of invocations follow.
ifnull((SELECT max(rowid) FROM args), 0)

-- piece: CALLS_WITH_ARGUMENTS
-- Ids of traced invocations of which viewers show more when they are selected. A format whose
-- invocations have such values adds its own piece here and in CALL_ARGUMENTS.
${CLOUD_CALLS_WITH_ARGUMENTS}

-- piece: CALL_ARGUMENTS
-- Those values: id of stack_slice, name, number, type, value.
SELECT id AS slice, 'CPU time (ns)' AS name, id AS number, 'int64_t' AS type, cpu_dur AS value
FROM stack_slice WHERE cpu_dur IS NOT NULL
UNION ALL
${CLOUD_ARGUMENTS}

-- piece: SAMPLES
-- Sampled stacks s that viewers do not find elsewhere: CPU profiles of JavaScript have tables of
-- their own.
stack_sample AS s
WHERE s.ts IS NOT NULL AND s.source_id NOT IN (SELECT source_id FROM js_cpu_profile)

-- piece: SAMPLE_EVENTS
-- What caused samples, numbered.
SELECT event, row_number() OVER (ORDER BY event) - 1 AS id
  FROM (SELECT DISTINCT s.event AS event FROM ${SAMPLES})

-- piece: NO_THREAD
-- The thread or process of samples when it is not known.
2 * ${TS_LARGEST_PID}

-- piece: SAMPLE_THREADS
-- Threads with the ids by which viewers find them: thread ids of two Java VMs may be equal, and
-- equal to process ids.
SELECT t.itid AS itid, t.name AS name, t.tid AS tid,
    CASE WHEN t.tid BETWEEN 1 AND ${TS_LARGEST_PID}
        AND (t.tid IS p.pid OR t.tid NOT IN (SELECT pid FROM process))
        AND count(*) OVER (PARTITION BY t.tid) = 1
      THEN t.tid ELSE ${NO_THREAD} + t.itid END AS thread_id,
    ifnull(p.pid, ${NO_THREAD}) AS process_id, p.name AS process
  FROM thread AS t
  LEFT JOIN process AS p ON p.rowid = t.ipid + 1
  WHERE t.itid > 0

-- piece: SAMPLE_METHODS
-- Methods by library, as viewers find them: the number of the library, and that of the method in it.
SELECT id, label, path, dense_rank() OVER (ORDER BY path) - 1 AS file_id,
    row_number() OVER (PARTITION BY path ORDER BY id) - 1 AS symbol_id
  FROM (SELECT m.id AS id, ifnull(${METHOD_NAME}, '(unknown)') AS label,
      coalesce(m.library, nullif(m.package, ''), nullif(m.class, ''), m.file, '(unknown)') AS path
    FROM stack_method AS m
    WHERE m.source_id NOT IN (SELECT source_id FROM js_cpu_profile))

-- piece: CPU_VALUES
-- The kinds of values that are CPU time.
SELECT y.id AS id, y.source_id AS source_id
FROM stack_value_type AS y
JOIN source AS o ON o.id = y.source_id
JOIN event_class AS e ON e.format = o.format AND e.event = y.name AND e.state = '*'
WHERE e.class = 'cpu' AND y.unit IN ('ns', 'nanoseconds')

-- piece: SAMPLE_STATES
-- What the thread of a sample did, as recorded, where the class of the event depends on it.
SELECT sample_id, min(value) AS state FROM stack_sample_label WHERE key = 'state' GROUP BY sample_id
UNION ALL
${FLARE_STATES}

-- piece: VALUE_TYPES
-- Kinds of values with their class, and whether a profile that has allocations and what is in use
-- means to show this one: the one that it names, else, as go tool pprof has it, its last one.
SELECT t.id AS id, t.source_id AS source_id, t.name AS name,
    CASE t.unit WHEN 'nanoseconds' THEN 'ns' ELSE t.unit END AS unit,
    ifnull(c.class, 'other') AS class, c.reason AS reason,
    t.source_id IN (
      SELECT b.source_id FROM stack_value_type AS b
      JOIN source AS o ON o.id = b.source_id
      JOIN event_class AS e ON e.format = o.format AND e.event = b.name AND e.state = '*'
      WHERE e.class IN ('allocation', 'live')
      GROUP BY b.source_id HAVING count(DISTINCT e.class) = 2)
    AND t.id = ifnull((SELECT max(p.default_type_id) FROM profile AS p WHERE p.source_id = t.source_id),
      (SELECT max(l.id) FROM stack_value_type AS l JOIN source AS o ON o.id = l.source_id
        WHERE l.source_id = t.source_id AND o.format IN ('pprof', 'native_hook'))) AS usual
  FROM stack_value_type AS t
  LEFT JOIN source AS o ON o.id = t.source_id
  LEFT JOIN event_class AS c ON c.format = o.format AND c.event = t.name AND c.state = '*'

-- piece: WEIGHT_RANK class unit name
-- In which order weights are looked at where none is asked for.
CASE ${class}
  WHEN 'cpu' THEN CASE ${unit} WHEN 'ns' THEN ${TS_RANK_CPU} WHEN 'cycles' THEN ${TS_RANK_CPU_CYCLES}
    ELSE ${TS_RANK_CPU_COUNT} END
  WHEN 'wall' THEN CASE ${unit} WHEN 'ns' THEN ${TS_RANK_WALL} ELSE ${TS_RANK_OTHER} END
  WHEN 'allocation' THEN CASE ${unit} WHEN 'bytes' THEN ${TS_RANK_ALLOCATED} ELSE ${TS_RANK_ALLOCATIONS} END
  WHEN 'live' THEN CASE ${unit} WHEN 'bytes' THEN ${TS_RANK_LIVE} ELSE ${TS_RANK_LIVE_COUNT} END
  WHEN 'waiting' THEN CASE ${unit} WHEN 'ns' THEN ${TS_RANK_WAITING} ELSE ${TS_RANK_WAITS} END
  ELSE CASE ${name} WHEN 'dur' THEN NULL ELSE ${TS_RANK_OTHER} END END
