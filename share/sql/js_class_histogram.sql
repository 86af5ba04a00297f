-- Question:   Which classes take the most memory in a heap snapshot?
-- Topic:      heap
-- Needs:      js_heap_files (heaps)
-- Report:     30 Largest classes
-- Parameters: file   id in js_heap_files (default 0)
--             limit  number of rows (default 50)
-- Columns:    class      class as Chrome DevTools names it
--             count      number of nodes
--             self_size  their size in bytes, without what they refer to
--             percent    share of the size of the whole heap
SELECT class, count, self_size,
  round(100.0 * self_size / nullif(total(self_size) OVER (), 0), 2) AS percent
FROM v_js_class_histogram
WHERE file_id = ifnull(:file, 0)
ORDER BY self_size DESC, class
LIMIT ifnull(:limit, 50);
