-- Every edge has both ends in its own snapshot, and the edge counts add up, for each of the three.
SELECT f.id, f.file_name,
  (SELECT count(*) FROM js_heap_nodes n WHERE n.file_id = f.id) AS nodes,
  (SELECT count(*) FROM js_heap_edges e WHERE e.file_id = f.id) AS edges,
  (SELECT sum(edge_count) FROM js_heap_nodes n WHERE n.file_id = f.id)
    - (SELECT count(*) FROM js_heap_edges e WHERE e.file_id = f.id) AS count_difference,
  (SELECT count(*) FROM js_heap_edges e WHERE e.file_id = f.id
     AND (e.from_node_id IS NULL OR e.to_node_id IS NULL)) AS without_end
FROM js_heap_files f ORDER BY f.id;

-- The ends are ids of the same snapshot's nodes.
SELECT file_id, count(*) AS foreign_ends FROM (
  SELECT file_id, from_node_id AS id FROM js_heap_edges
  UNION SELECT file_id, to_node_id FROM js_heap_edges
  EXCEPT SELECT file_id, id FROM js_heap_nodes) GROUP BY file_id;

-- The histogram is what the nodes add up to.
SELECT count(*) AS different_classes FROM (
  SELECT n.file_id, n.class, count(*) AS count, sum(n.self_size) AS self_size FROM (
    SELECT file_id, self_size, CASE WHEN type IN ('object', 'native') THEN name WHEN type = 'code' THEN '(compiled code)'
      WHEN type = 'hidden' THEN '(system)' ELSE '(' || type || ')' END AS class FROM v_js_node) n
  GROUP BY n.file_id, n.class
  EXCEPT SELECT file_id, class, count, self_size FROM v_js_class_histogram);
SELECT file_id, sum(count) AS nodes, sum(self_size) AS bytes FROM v_js_class_histogram GROUP BY file_id;
