-- Question:   Which boxes does a flame graph have?
--             For programs that draw one; folded_stacks gives the input of others.
-- Topic:      stacks
-- Model:      flame
-- Needs:      stack_sample (sampled stacks), stack_slice (traced calls)
-- Parameters: from, to  time: what lies in [from, to), of samples that part (default: everything)
--             source    id of a source (default: all)
--             thread    itid of a thread (default: all)
--             event     an event of samples, or call for traced calls: only these, such as wall (default: all,
--                       but sums that a profiler made itself only where it recorded no calls)
--             label     a label of samples: KEY=VALUE or a glob of that, such as worker=w*; KEY (default: all)
--             weight    a weight of stacks: cpu, wall, waiting, waiting:REASON, allocation, live; samples;
--                       dur: the length of all; a name of a value that samples have, or NAME/UNIT (default: the first of CPU
--                       time, elapsed time, allocations, what is in use, waiting, others with a sum above 0)
--             limit     number of rows (default 100000)
-- Columns:    depth        0 for the outermost method
--             start, total  where the box begins and how wide it is, in units of the weight
--             self         weight of the method itself: what no box is on
--             method, file, line
--             node_id      the call path, in stack_node
-- A box comes before those above it, in the order of a walk through the tree.
WITH RECURSIVE
stackless(too) AS (VALUES (0)),
-- include: stack_weights
-- The part of the tree that has a weight.
asked(id) AS (
  SELECT node_id FROM weights
  UNION
  SELECT n.parent_id FROM asked CROSS JOIN stack_node AS n ON n.id = asked.id
  WHERE n.parent_id IS NOT NULL
),
part AS MATERIALIZED (
  SELECT n.id AS id, n.parent_id AS parent_id, n.method_id AS method_id
  FROM asked CROSS JOIN stack_node AS n ON n.id = asked.id
),
-- A walk: a node is entered (0) and left (1). Those above it (level + 2) come before it is left.
walk(node_id, level, leaves) AS (
  SELECT id, 0, 0 FROM part WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, w.level + 2, 0
  FROM walk AS w JOIN part AS c ON c.parent_id = w.node_id WHERE w.leaves = 0
  UNION ALL
  SELECT w.node_id, w.level + 1, 1 FROM walk AS w WHERE w.leaves = 0
  ORDER BY 2 DESC, 1
),
placed AS (
  SELECT row_number() OVER () AS pos, node_id, level, leaves FROM walk
),
met AS (
  SELECT p.pos AS pos, p.node_id AS node_id, p.level AS level, p.leaves AS leaves, x.weight AS self,
    ifnull(sum(x.weight >> 32) OVER past * 4294967296 + sum(x.weight & 4294967295) OVER past, 0)
      AS before
  FROM placed AS p LEFT JOIN weights AS x ON x.node_id = p.node_id AND p.leaves = 0
  WINDOW past AS (ORDER BY p.pos ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
box AS (
  SELECT node_id, min(pos) AS pos, min(level) / 2 AS depth, min(before) AS start,
    max(before) - min(before) AS total, ifnull(max(self), 0) AS self
  FROM met GROUP BY node_id
)
SELECT b.depth, b.start, b.total, b.self,
  ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
    || ifnull(nullif(m.name, ''), '(anonymous)') AS method,
  m.file, m.line, b.node_id
FROM box AS b
JOIN part AS p ON p.id = b.node_id
LEFT JOIN stack_method AS m ON m.id = p.method_id
ORDER BY b.pos
LIMIT ifnull(CAST(:limit AS INTEGER), 100000);
