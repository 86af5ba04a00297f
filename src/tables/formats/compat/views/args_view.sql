-- topic: compat
-- order: 10
-- Arguments with their names, types and texts resolved. Known to readers of the reference's
-- databases.
-- column: argset | INTEGER | argset of args, or id of stack_slice | | number of the set of arguments, or the traced invocation
-- column: keyName | TEXT | | not in data_dict | name of the argument
-- column: id | INTEGER | | | number of the argument
-- column: desc | TEXT | | not in data_type | name of the type
-- column: strValue | TEXT | | no such text | the value: a text where the type is string, else the number as it is
CREATE VIEW args_view AS
SELECT A.argset AS argset, V2.data AS keyName, A.id AS id, D.desc AS desc,
  CASE WHEN A.datatype = 1 THEN V.data ELSE A.value END AS strValue
FROM args AS A
LEFT JOIN data_type AS D ON D.typeId = A.datatype
LEFT JOIN data_dict AS V ON V.id = A.value
LEFT JOIN data_dict AS V2 ON V2.id = A.key
UNION ALL
${CALL_ARGUMENTS}
