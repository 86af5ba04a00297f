-- Question:   Which recordings lost data, and by which defects?
-- Topic:      recordings
-- Report:     20 Defects
-- Parameters: severity  glob of info, warning, data_loss or error (default: all)
--             code      glob of a kind of defect (default: all)
-- Columns:    part
--             severity, code
--             recordings  that have it
--             defects     how many these are
SELECT part, severity, code, uniqExact(load) AS recordings, sum(count) AS defects
FROM v_import_issue GLOBAL ALL INNER JOIN :recordings USING load
WHERE severity :severity AND code :code
GROUP BY part, severity, code ORDER BY part, indexOf(['error', 'data_loss', 'warning', 'info'], toString(severity)), recordings DESC, code
