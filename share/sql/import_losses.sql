-- Question:   Which parts of the input are not in the tables, and why?
-- Topic:      input
-- Needs:      source (imported inputs)
-- Report:     20 What was lost or is not in the tables
-- Parameters: limit  number of rows (default: all)
-- Columns:    source_id, path, recording  where
--             place                       in it, such as the name of a plugin or snapshot
--             severity                    info, warning, data_loss or error
--             what                        code of the issue, or kind of item
--             count                       how many
--             message                     what was found, or the numbers of the items
SELECT source_id, path, recording, stream AS place, severity, what, count, message
FROM v_data_quality
ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'data_loss' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END,
  source_id, kind DESC, what
LIMIT ifnull(:limit, -1);
