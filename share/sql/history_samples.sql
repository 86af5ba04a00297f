-- Question:   Which sample directories are in the database?
-- Topic:      flare
-- Needs:      flare_thread (threads of a Flare recording)
-- Parameters: none
-- Columns:    path  name of the directory, for session_id of other questions
--             type  file
SELECT path, 'file' AS type
FROM source
WHERE kind = 'sample_directory'
ORDER BY path, id;
