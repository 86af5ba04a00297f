-- topic: input
-- order: 200
-- What an analyst should know before trusting the rows: every recorded issue, and every kind
-- of item of which something was lost, skipped or is not there as declared.
-- column: source_id | INTEGER | id of source | not bound to a source | the source
-- column: path | TEXT | | no source, or no file of its own | base name of its file, or name of its member in an archive or directory
-- column: recording | TEXT | | no source, or not recorded | name of the recording, such as Snapshot0
-- column: kind | TEXT | | | issue (a row of import_issue) or count (a row of import_count)
-- column: severity | TEXT | | | info, warning, data_loss or error; of counts: data_loss when something was lost, warning when the number is not the declared one
-- column: what | TEXT | | | code of the issue, or kind of item
-- column: count | INTEGER | | | number of defects; of counts: items that were lost, that differ from the declared number, or that were skipped
-- column: stream | TEXT | | the container itself, or a count | inner place, such as a plugin or snapshot
-- column: offset | INTEGER | bytes | no single place, or a count | position in the unwrapped input
-- column: message | TEXT | | | what was found and what became of it; of counts: all its numbers
CREATE VIEW v_data_quality AS
SELECT i.source_id AS source_id, s.path AS path, s.name AS recording, 'issue' AS kind,
  i.severity AS severity, i.code AS what, i.count AS count, i.stream AS stream,
  i.offset AS offset, i.message AS message
FROM import_issue AS i
LEFT JOIN source AS s ON s.id = i.source_id
UNION ALL
SELECT c.source_id, s.path, s.name, 'count',
  CASE WHEN c.lost > 0 THEN 'data_loss' WHEN c.declared <> c.seen THEN 'warning'
    ELSE 'info' END,
  c.item,
  CASE WHEN c.lost > 0 THEN c.lost WHEN c.declared <> c.seen THEN abs(c.declared - c.seen)
    ELSE c.skipped END,
  NULL, NULL,
  CASE WHEN c.declared IS NULL THEN '' ELSE 'declared ' || c.declared || ', ' END ||
  'seen ' || c.seen || ', imported ' || c.imported || ', lost ' || c.lost ||
  ', skipped ' || c.skipped
FROM import_count AS c
LEFT JOIN source AS s ON s.id = c.source_id
WHERE c.lost > 0 OR c.skipped > 0 OR c.declared <> c.seen
