/* A path is put together only for the rows that a query returns, by walking up from its node. */
-- topic: stack
-- order: 120
-- Call paths with their own weight as a;b;c, outermost first, the input of flame graphs.
-- Includes (root) and (idle).
-- column: source_id = stack_node.source_id
-- column: event | TEXT | | not recorded | what caused the samples: cpu, wall, alloc, lock ...; cpu for CPU time that samples have as a value; call for traced invocations
-- column: unit | TEXT | | not recorded | unit of the weights: ns, bytes, count ...
-- column: value | TEXT | | kind of value not known | what the weights are: dur, self_dur or a name of stack_value_type
-- column: node_id | INTEGER | id of stack_node | | the call path
-- column: stack | TEXT | | | names of its methods, joined by semicolons
-- column: weight | INTEGER | that of the column unit | no value | weight of the path itself, without what it calls; REAL beyond 64 bits
CREATE VIEW v_stack_folded AS
SELECT n.source_id AS source_id, w.event AS event, w.unit AS unit, w.value AS value,
  w.node_id AS node_id,
  (WITH RECURSIVE up(parent_id, method_id, height) AS (
      SELECT n.parent_id, n.method_id, 0
      UNION ALL
      SELECT p.parent_id, p.method_id, up.height + 1
      FROM up CROSS JOIN stack_node AS p ON p.id = up.parent_id)
    SELECT group_concat(frame, ';') FROM (
      SELECT CASE WHEN m.id IS NULL THEN '(unknown)' ELSE replace(replace(
    ${METHOD_LABEL},
        ';', ':'), char(10), ' ') END AS frame
      FROM up LEFT JOIN stack_method AS m ON m.id = up.method_id
      ORDER BY up.height DESC)) AS stack,
  w.weight AS weight
FROM (
${NODE_WEIGHTS}) AS w
JOIN stack_node AS n ON n.id = w.node_id
