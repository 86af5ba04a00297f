-- Question:   Which filters chose what was traced, and with which options?
-- Topic:      tptp
-- Needs:      tptp_trace (TPTP traces)
-- Parameters: source  id of a source (default: all)
-- Columns:    source_id
--             kind      filter or option
--             classes   mode and pattern of class names; of options the key
--             methods   mode and pattern of method names; of options the value
--             id        of the filter or option
SELECT source_id, 'filter' AS kind,
  ifnull(mode, '') || ' ' || CASE ifnull(generic_pattern, '') WHEN 'SUFFIX' THEN '*' || ifnull(pattern, '')
    WHEN 'PREFIX' THEN ifnull(pattern, '') || '*' ELSE ifnull(pattern, '*') END AS classes,
  ifnull(method_mode, '') || ' ' || CASE ifnull(method_generic_pattern, '')
    WHEN 'SUFFIX' THEN '*' || ifnull(method_pattern, '')
    WHEN 'PREFIX' THEN ifnull(method_pattern, '') || '*' ELSE ifnull(method_pattern, '*') END AS methods,
  id
FROM tptp_filter
WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
UNION ALL
SELECT source_id, 'option', key, value, id
FROM tptp_option
WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source)))
ORDER BY 1, 2, 5;
