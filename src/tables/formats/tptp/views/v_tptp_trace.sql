-- topic: tptp
-- order: 173
-- Traces with their agents, processes and nodes, and when each ended.
-- column: id = tptp_trace.id
-- column: source_id = tptp_trace.source_id
-- column: trace_id = tptp_trace.trace_id
-- column: ts = tptp_trace.ts
-- column: end_ts | INTEGER | ns | its end was not recorded | when the trace ended
-- column: agent | TEXT | | not recorded | name of the agent
-- column: type | TEXT | | not recorded | type of the agent
-- column: version | TEXT | | not recorded | version of the agent
-- column: agent_end_ts | INTEGER | ns | its end was not recorded | when the agent ended
-- column: pid | INTEGER | | not recorded | process id in the system
-- column: process | TEXT | | not recorded | name of the process
-- column: hostname | TEXT | | not recorded | name of the host
CREATE VIEW v_tptp_trace AS
SELECT t.id AS id, t.source_id AS source_id, t.trace_id AS trace_id, t.ts AS ts,
  (SELECT max(e.ts) FROM tptp_event AS e
    WHERE e.source_id = t.source_id AND e.kind = 'traceEnd' AND ifnull(e.ref, '') IN ('', t.trace_id)) AS end_ts,
  a.name AS agent, a.type AS type, a.version AS version,
  (SELECT max(e.ts) FROM tptp_event AS e
    WHERE e.source_id = t.source_id AND e.kind = 'agentDestroy' AND e.ref = a.agent_id) AS agent_end_ts,
  p.pid AS pid, p.name AS process, n.hostname AS hostname
FROM tptp_trace AS t
LEFT JOIN tptp_agent AS a ON a.id = t.agent_id
LEFT JOIN tptp_process AS p ON p.id = a.process_id
LEFT JOIN tptp_node AS n ON n.id = p.node_id
