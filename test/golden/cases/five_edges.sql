-- Two nodes with ids 1 and 3 own three and two edges.
SELECT edge_index, from_node_id FROM js_heap_edges ORDER BY edge_index;
