-- Question:   What did one thread do? Lines for flamegraph.pl, speedscope or inferno.
--             folded_stacks answers this for all sources, in ns; here CPU time is in µs, other times in ms.
-- Topic:      stacks
-- Model:      thread_folded
-- Needs:      stack_sample (sampled stacks)
-- Parameters: thread    itid of the thread (default: all threads together)
--             from, to  time: what lies in [from, to), of samples that part (default: everything)
--             source    id of a source (default: all)
--             event     an event of samples, or call for traced calls: only these, such as wall (default: all)
--             label     a label of samples: KEY=VALUE or a glob of that, such as worker=w*; KEY (default: all)
--             weight    a weight of stacks, as in folded_stacks (default: the first of CPU time, elapsed time, allocations, what
--                       is in use, waiting, others with a sum above 0)
-- Columns:    folded    frames from the outermost on, divided by ;, a blank, and the weight
WITH RECURSIVE
stackless(too) AS (VALUES (0)),
-- include: stack_weights
leaf AS MATERIALIZED (
  SELECT w.node_id AS node_id,
    w.weight / CASE WHEN o.unit IS NOT 'ns' THEN 1 WHEN o.kind = 'cpu' THEN 1000 ELSE 1000000 END AS weight
  FROM chosen AS o CROSS JOIN weights AS w
),
-- include: folded_paths
SELECT p.stack || ' ' || l.weight AS folded
FROM path AS p JOIN leaf AS l ON l.node_id = p.id
WHERE l.weight > 0
ORDER BY l.weight DESC, l.node_id;
