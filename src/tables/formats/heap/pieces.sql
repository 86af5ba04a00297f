/* Parts of the views on the analysis of heaps: a is js_heap_analysis, d js_heap_file_detail of the same file, r
 * js_heap_retained, n js_heap_nodes of the same node. */

-- piece: ANALYSED_NODES
js_heap_analysis AS a
CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_retained AS r
  ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + d.node_count - 1
CROSS JOIN js_heap_nodes AS n ON n.rowid = d.first_node_rowid + r.rowid - a.first_retained_rowid

-- piece: ID_AT index
-- The id of the node at a place.
(SELECT i.id FROM js_heap_nodes AS i WHERE i.rowid = d.first_node_rowid + ${index})

-- piece: CLASS_OF
-- The name of the class of r.
(SELECT c.name FROM js_heap_constructor AS c WHERE c.id = r.constructor_id)

-- piece: DISPLAYED_NAME
-- As DevTools shows it: detached native nodes say so where the file tells detachedness.
CASE WHEN r.detachedness = 2 AND n.detachedness IS NOT NULL AND ${N_TYPE} = ${TS_HEAP_NODE_NATIVE}
    THEN 'Detached ' || ${N_NAME} ELSE ${N_NAME} END
