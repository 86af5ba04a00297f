-- The frames of each call path with a weight in `leaf`, from the outermost on.
frame AS MATERIALIZED (
  SELECT m.id AS method_id, replace(replace(
    ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '')
      || ifnull(nullif(m.name, ''), '(anonymous)'),
    ';', ':'), char(10), ' ') AS text
  FROM stack_method AS m
),
-- The part of the tree that is asked for, and in it the nodes whose paths are put together: those
-- that have a weight, and those where paths part.
asked(id) AS (
  SELECT node_id FROM leaf WHERE weight > 0
  UNION
  SELECT n.parent_id FROM asked CROSS JOIN stack_node AS n ON n.id = asked.id
  WHERE n.parent_id IS NOT NULL
),
kept(id) AS MATERIALIZED (
  SELECT node_id FROM leaf WHERE weight > 0
  UNION
  SELECT n.parent_id FROM asked CROSS JOIN stack_node AS n ON n.id = asked.id
  WHERE n.parent_id IS NOT NULL GROUP BY n.parent_id HAVING count(*) > 1
),
-- From each of those up to the next: no node is met twice.
up(id, method_id, parent_id, height) AS (
  SELECT k.id, n.method_id, n.parent_id, 0 FROM kept AS k CROSS JOIN stack_node AS n ON n.id = k.id
  UNION ALL
  SELECT u.id, n.method_id, n.parent_id, u.height + 1
  FROM up AS u CROSS JOIN stack_node AS n ON n.id = u.parent_id
  WHERE u.parent_id NOT IN kept
),
label(id, text) AS MATERIALIZED (
  SELECT id, group_concat(text, ';')
  FROM (
    SELECT u.id AS id, ifnull(f.text, '(unknown)') AS text
    FROM up AS u LEFT JOIN frame AS f ON f.method_id = u.method_id
    ORDER BY u.id, u.height DESC)
  GROUP BY id
),
part(id, parent_id, text) AS MATERIALIZED (
  SELECT u.id, u.parent_id, l.text
  FROM up AS u CROSS JOIN label AS l ON l.id = u.id
  WHERE u.parent_id IS NULL OR u.parent_id IN kept
),
-- Callees first, so that few paths wait.
path(id, level, stack) AS (
  SELECT id, 0, text FROM part WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, p.level + 1, p.stack || ';' || c.text
  FROM path AS p JOIN part AS c ON c.parent_id = p.id
  ORDER BY 2 DESC
)
