/*
 * `walk` meets every node twice, when it is entered and when it is left, in the order of a walk
 * through the tree: the sort key lets the children of a node (level + 2) come before its end
 * (level + 1) and that before its siblings. The weight met between entering and leaving is the
 * node's total, so that one running sum serves all nodes, however deep. Only the outermost frame of
 * a method on a path counts: the one at which the number of open frames of the method goes from 0
 * to 1 and back.
 */
-- topic: stack
-- order: 110
-- Weight of each method in samples and traced calls: self (it ran itself) and total (it or a
-- callee ran, recursion counted once). (idle) and (root) are left out.
-- column: source_id = stack_node.source_id
-- column: event | TEXT | | not recorded | what caused the samples: cpu, wall, alloc, lock ...; cpu for CPU time that samples have as a value; call for traced invocations
-- column: unit | TEXT | | not recorded | unit of the weights: ns, bytes, count ...
-- column: value | TEXT | | kind of value not known | what the weights are: dur, self_dur or a name of stack_value_type
-- column: method_id = stack_node.method_id
-- column: method | TEXT | | | package, class and name of the method; (anonymous) or (unknown) when there are none
-- column: file | TEXT | | method not known, or not recorded | source file or URL
-- column: line | INTEGER | | method not known, or not recorded | line where it begins, counted as in the recording
-- column: self | INTEGER | that of the column unit | | weight of the call paths that end in it; REAL beyond 64 bits
-- column: total | INTEGER | that of the column unit | | weight of the call paths that it is on; REAL beyond 64 bits
CREATE VIEW v_stack_hot_method AS
WITH RECURSIVE walk(node_id, method_id, source_id, level, leaves) AS (
  SELECT id, method_id, source_id, 0, 0 FROM stack_node WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.method_id, c.source_id, w.level + 2, 0
  FROM walk AS w JOIN stack_node AS c ON c.parent_id = w.node_id WHERE w.leaves = 0
  UNION ALL
  SELECT w.node_id, w.method_id, w.source_id, w.level + 1, 1
  FROM walk AS w WHERE w.leaves = 0
  ORDER BY 4 DESC),
placed AS (
  SELECT row_number() OVER () AS pos, node_id, method_id, source_id, leaves FROM walk),
steps AS (
  SELECT pos, node_id, method_id, source_id, leaves,
    sum(1 - 2 * leaves) OVER (PARTITION BY source_id, method_id ORDER BY pos
      ROWS UNBOUNDED PRECEDING) + leaves AS open
  FROM placed),
weights(node_id, event, unit, value, weight) AS (
${NODE_WEIGHTS}),
rated AS (
  SELECT w.node_id AS node_id, n.method_id AS method_id, n.source_id AS source_id,
    w.event AS event, w.unit AS unit, w.value AS value, w.weight AS weight,
    dense_rank() OVER (ORDER BY n.source_id, w.event, w.unit, w.value) AS kind
  FROM weights AS w JOIN stack_node AS n ON n.id = w.node_id),
kinds AS (
  SELECT kind, source_id, event, unit, value FROM rated GROUP BY kind),
runs AS (
  SELECT k.kind AS kind, s.node_id AS node_id, s.method_id AS method_id,
    s.leaves AS leaves, s.open AS open, ifnull(r.weight, 0) AS weight,
    ${SUM_OVER|ifnull(r.weight, 0)| OVER so_far} AS run
  FROM kinds AS k CROSS JOIN steps AS s ON s.source_id = k.source_id
  LEFT JOIN rated AS r
    ON r.node_id = s.node_id AND r.kind = k.kind AND s.leaves = 0
  WINDOW so_far AS (PARTITION BY k.kind ORDER BY s.pos ROWS UNBOUNDED PRECEDING)),
totals AS (
  SELECT kind, method_id, ${SUM_OF|part} AS total FROM (
    SELECT kind, method_id,
      ${SUM_OF|CASE leaves WHEN 1 THEN run ELSE weight - run END} AS part
    FROM runs WHERE open = 1 GROUP BY kind, node_id)
  GROUP BY kind, method_id),
selfs AS (
  SELECT kind, method_id, ${SUM_OF|weight} AS self FROM rated GROUP BY kind, method_id)
SELECT k.source_id AS source_id, k.event AS event, k.unit AS unit, k.value AS value,
  t.method_id AS method_id,
  CASE WHEN m.id IS NULL THEN '(unknown)' ELSE
    ${METHOD_LABEL} END AS method,
  m.file AS file, m.line AS line, ifnull(s.self, 0) AS self, t.total AS total
FROM totals AS t
JOIN kinds AS k ON k.kind = t.kind
LEFT JOIN selfs AS s ON s.kind = t.kind AND s.method_id IS t.method_id
LEFT JOIN stack_method AS m ON m.id = t.method_id
WHERE t.total <> 0 AND ifnull(m.name, '') NOT IN ('(root)', '(idle)')
