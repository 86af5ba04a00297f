/* Columns and their order are those of the table that it replaces, as in all files of this name. */
-- replaces: perf_report
CREATE VIEW perf_report AS
SELECT id, 'config_name' AS report_type, ifnull(event, 'samples') AS report_value
FROM (${SAMPLE_EVENTS})
UNION ALL
SELECT (SELECT count(*) FROM (${SAMPLE_EVENTS})), 'cmdline',
  ifnull((SELECT group_concat(DISTINCT format) FROM source
    WHERE id IN (SELECT DISTINCT s.source_id FROM ${SAMPLES})), '(unknown)')
WHERE EXISTS (SELECT 1 FROM ${SAMPLES})
