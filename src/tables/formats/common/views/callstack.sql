/* Columns and their order are those of the table that it replaces. */
-- replaces: callstack
CREATE VIEW callstack AS
SELECT s.id - 1 AS id, s.ts AS ts, s.dur AS dur, s.itid AS callid, 'method' AS cat,
  (SELECT ${METHOD_NAME}
    FROM stack_node AS n CROSS JOIN stack_method AS m ON m.id = n.method_id
    WHERE n.id = s.node_id) AS name,
  s.depth AS depth, NULL AS cookie, s.parent_id - 1 AS parent_id,
  CASE WHEN s.cpu_dur IS NOT NULL OR s.id IN (${CALLS_WITH_ARGUMENTS})
    THEN s.id END AS argsetid, NULL AS chainId, NULL AS spanId, NULL AS parentSpanId, NULL AS flag,
  NULL AS trace_level, NULL AS trace_tag, NULL AS custom_category, NULL AS custom_args,
  NULL AS child_callid,
  ifnull((SELECT ${COLOUR|${METHOD_NAME}}
    FROM stack_node AS n CROSS JOIN stack_method AS m ON m.id = n.method_id
    WHERE n.id = s.node_id), 0) AS colorIndex
FROM stack_slice AS s
