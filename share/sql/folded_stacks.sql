-- Question:   What is the input of a flame graph?
--             Write the answer to a file, take the first line (the column's name) off, and give it
--             to flamegraph.pl, speedscope or inferno.
-- Parameters: source  id of a source (default: all)
--             event   event of the samples, such as cpu, or call for traced calls (default: all)
--             unit    unit of the weight (default ns)
-- Columns:    folded  frames from the outermost on, divided by ;, a blank, and the weight
SELECT stack || ' ' || weight AS folded
FROM v_stack_folded
WHERE source_id = ifnull(:source, source_id)
  AND (:event IS NULL OR event = :event)
  AND unit = ifnull(:unit, 'ns')
  AND weight > 0
ORDER BY node_id;
