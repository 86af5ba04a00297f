-- Question:   Which classes have the most objects, and which hold the memory of a heap dump of Java?
--             Without --analyze=heap there are no retained sizes, and what is garbage is not known.
-- Topic:      heap
-- Needs:      java_heap_file (heap dumps of Java)
-- Report:     30 Largest classes of Java
-- Parameters: file   id in java_heap_file (default 1)
--             limit  number of rows (default 20)
-- Columns:    class           its name
--             loader          class of the class loader and its place in the dump; NULL: the boot loader
--             count           number of its objects
--             shallow_size    bytes of these alone
--             mat_size        the same by the rules of Eclipse MAT
--             retained_size   bytes that would be freed with all of them
--             unreached_size  bytes of those that nothing refers to
SELECT c.name AS class,
  (SELECT l.name || ' ' || o.node_index FROM java_heap_file AS d
    CROSS JOIN java_heap_object AS o ON o.rowid = d.first_object_rowid + c.loader AND o.kind <> 5
    CROSS JOIN java_heap_class AS l ON l.id = o.class_id
    WHERE d.id = c.file_id) AS loader,
  c.count, c.shallow_size, c.mat_size, r.retained_size, c.shallow_size - r.shallow_size AS unreached_size
FROM java_heap_class AS c
LEFT JOIN java_heap_analysis AS a ON a.file_id = c.file_id
LEFT JOIN java_heap_file AS d ON d.id = c.file_id
LEFT JOIN java_heap_class_retained AS r ON r.rowid = a.first_class_rowid + c.id - d.first_class_id
WHERE c.file_id = ifnull(:file, 1) AND c.count > 0
ORDER BY c.shallow_size DESC, c.id
LIMIT ifnull(:limit, 20);
