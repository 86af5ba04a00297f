/* Columns and their order are those of the table that it replaces. */
-- replaces: callstack
CREATE VIEW callstack AS
${TRACED_CALLS|0|0}
