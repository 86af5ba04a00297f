-- topic: stack
-- order: 106
-- Methods, and which of them are one: methods of several recordings whose library, package, class,
-- name, signature and file are equal. What has no name is told apart by its line too.
-- column: id = stack_method.id
-- column: key_id | INTEGER | id of stack_method | | the least id of the methods that are this one
-- column: method | TEXT | | | package, class and name of the method; (anonymous) when there is no name
CREATE VIEW v_method AS
SELECT m.id AS id, min(m.id) OVER (PARTITION BY ifnull(m.library, ''), ifnull(m.package, ''),
    ifnull(m.class, ''), ifnull(m.name, ''), ifnull(m.signature, ''), ifnull(m.file, ''),
    CASE WHEN ifnull(m.name, '') = '' THEN m.line END) AS key_id,
  ${METHOD_LABEL} AS method
FROM stack_method AS m
