/* When there are slices of the system as well: its rows, and then those of traced invocations. */
-- replaces: callstack
CREATE VIEW callstack AS
SELECT * FROM callstack_rows
UNION ALL
${TRACED_CALLS|(SELECT max(rowid) FROM callstack_rows)|${ARGUMENT_SETS}}
