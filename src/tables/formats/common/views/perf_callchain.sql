/*
 * The frames of all stacks that samples have, outermost first. Names are in data_dict after all
 * others, in the order of the methods (analysis/sample_views). A frame's number is known before its
 * stack is walked, because a stack has as many frames as its innermost one is deep.
 */
-- replaces: perf_callchain
CREATE VIEW perf_callchain AS
WITH RECURSIVE used AS (
  SELECT n.id AS id, n.parent_id AS parent_id, n.method_id AS method_id, n.depth AS depth,
    n.line AS line, sum(n.depth + 1) OVER (ORDER BY n.id ROWS UNBOUNDED PRECEDING) - 1 AS number
  FROM (SELECT DISTINCT s.node_id AS node_id FROM ${SAMPLES} AND s.node_id IS NOT NULL) AS u
  CROSS JOIN stack_node AS n ON n.id = u.node_id),
up(number, chain, parent_id, method_id, depth, line) AS (
  SELECT number, id, parent_id, method_id, depth, line FROM used
  UNION ALL
  SELECT up.number - 1, up.chain, p.parent_id, p.method_id, p.depth, p.line
  FROM up CROSS JOIN stack_node AS p ON p.id = up.parent_id),
method AS MATERIALIZED (SELECT id, file_id, symbol_id FROM (${SAMPLE_METHODS}))
SELECT up.number AS id, up.chain AS callchain_id,
  up.depth AS depth, 0 AS ip, 0 AS vaddr_in_file, 0 AS offset_to_vaddr,
  ifnull(m.file_id, -1) AS file_id, ifnull(m.symbol_id, -1) AS symbol_id,
  ifnull((SELECT max(id) FROM data_dict) - (SELECT max(id) FROM stack_method) + m.id, 0) AS name,
  NULL AS source_file_id, up.line AS line_number
FROM up LEFT JOIN method AS m ON m.id = up.method_id
ORDER BY up.number
