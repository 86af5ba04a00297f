-- Question:   What is the input of a flame graph?
--             Write the answer to a file, take the first line (the column's name) off, and give it
--             to flamegraph.pl, speedscope or inferno.
-- Topic:      stacks
-- Model:      folded
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
-- Columns:    folded  frames from the outermost on, divided by ;, a blank, and the weight
-- The same as v_stack_folded, which puts each path together for itself: for all paths at once it is
-- cheaper to make them of each other.
WITH RECURSIVE
stackless(too) AS (VALUES (0)),
-- include: stack_weights
leaf AS (SELECT node_id, weight FROM weights),
-- include: folded_paths
SELECT p.stack || ' ' || w.weight AS folded
FROM path AS p JOIN weights AS w ON w.node_id = p.id
ORDER BY w.node_id;
