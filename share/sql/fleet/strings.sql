-- Question:   Which recordings have a string in their heaps?
--             All strings of recordings that were loaded with --rows=all, of the others names of classes.
-- Topic:      heaps
-- Parameters: text   glob of strings, such as *timeout* (default: all)
--             limit  number of rows of a group (default 20)
-- Columns:    part
--             string
--             recordings, snapshots  that have it
SELECT part, string, uniqExact(load) AS recordings, count() AS snapshots
FROM (SELECT load, file_id, assumeNotNull(string) AS string FROM v_js_heap_string WHERE string IS NOT NULL) AS f
GLOBAL ALL INNER JOIN :recordings USING load
WHERE string :text
GROUP BY part, string ORDER BY part, recordings DESC, snapshots DESC, string LIMIT :limit BY part
