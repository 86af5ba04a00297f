-- Question:   Which sample directories are in the database?
-- Parameters: none
-- Columns:    path  name of the directory, for session_id of other questions
--             type  file
SELECT path, 'file' AS type
FROM source
WHERE kind = 'sample_directory'
ORDER BY path, id;
