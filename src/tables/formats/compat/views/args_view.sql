-- topic: compat
-- order: 10
-- Arguments with their names, types and texts resolved. Known to readers of the reference's
-- databases.
-- column: argset | INTEGER | argsetid of callstack, arg_setid of thread_state | | number of the set of arguments: of args, or a traced invocation
-- column: keyName | TEXT | | not in data_dict | name of the argument
-- column: id | INTEGER | | | number of the argument
-- column: desc | TEXT | | not in data_type | name of the type
-- column: strValue | TEXT | | no such text | the value: a text where the type is string, else the number as it is
CREATE VIEW args_view AS
${EVENT_ARGUMENTS}
UNION ALL
${CALL_ARGUMENTS}
