/* With callstack_union: sets of traced invocations are numbered after those of events. */
-- replaces: args_view
CREATE VIEW args_view AS
${EVENT_ARGUMENTS}
UNION ALL
SELECT slice + ${ARGUMENT_SETS}, name, number, type, value FROM (
${CALL_ARGUMENTS})
