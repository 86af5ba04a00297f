-- Question:   Which classes of heap objects take more or less memory?
--             Classes are matched by their names. With the analysis "heap" on both sides they are those of Chrome
--             DevTools (plain objects by their properties, sizes with those of helper nodes), without it those of
--             v_js_class_histogram.
-- Order:      10
-- Needs:      js_heap_file_detail (heaps)
-- Parameters: source  the heap snapshot (default: the last one; with a single input the first and the last one)
-- Key:        class
-- Values:     self_size      bytes, sum: of its nodes alone
--             count          plain, sum: number of its nodes
--             retained_size  bytes, level: what would be freed with all of them; with the analysis
--             new_count      plain, once: nodes whose id is in the class after, and was not before
--             deleted_count  plain, once: nodes whose id was in the class before, and is not after
--             new_size       bytes, once: of the new ones
--             deleted_size   bytes, once: of the deleted ones
-- What the program asks of each side; the nodes themselves it reads without SQL.
SELECT NULL AS type, NULL AS name, c.id AS id,
  CASE WHEN c.name = '' THEN '(anonymous)' || ifnull(' ' || c.line || ':' || c."column", '') ELSE c.name END AS class,
  CASE WHEN c.count > 0 THEN c.retained_size END AS retained_size
FROM js_heap_analysis AS a
CROSS JOIN js_heap_constructor AS c
  ON c.id BETWEEN a.first_constructor_id AND a.first_constructor_id + a.constructor_count - 1
WHERE a.file_id = :file AND :analysed
UNION ALL
SELECT type, name, NULL,
  CASE WHEN name IS NOT NULL THEN string WHEN kind IN ('object', 'native') THEN NULL WHEN kind = 'code' THEN '(compiled code)' WHEN kind = 'hidden' THEN '(system)'
    ELSE '(' || kind || ')' END, NULL
FROM (
  SELECT g.type AS type, g.name AS name,
    (SELECT t.str_value FROM js_heap_info AS t
      WHERE t.rowid = d.first_info_rowid + g.type AND g.type BETWEEN 0 AND d.node_type_count - 1) AS kind,
    (SELECT s.string FROM js_heap_string AS s
      WHERE s.rowid = d.first_string_rowid + g.name AND g.name BETWEEN 0 AND d.string_count - 1
        AND s.file_index = g.name) AS string
  FROM js_heap_file_detail AS d
  CROSS JOIN js_heap_class AS g
    ON g.rowid BETWEEN d.first_class_rowid AND d.first_class_rowid + d.class_count - 1
  WHERE d.file_id = :file AND NOT :analysed
);
