/* Parts of the views on heaps: d is js_heap_file_detail, n js_heap_nodes, e js_heap_edges. */

-- piece: NODES_OF_FILE
js_heap_nodes AS n
  ON n.rowid BETWEEN d.first_node_rowid AND d.first_node_rowid + d.node_count - 1

-- piece: EDGES_OF_FILE
js_heap_edges AS e
  ON e.rowid BETWEEN d.first_edge_rowid AND d.first_edge_rowid + d.edge_count - 1

-- piece: STRING_AT index
-- The text of a string index, or NULL. Of damaged files file_index is NULL where it is not certain.
(SELECT s.string FROM js_heap_string AS s
    WHERE s.rowid = d.first_string_rowid + ${index}
      AND ${index} BETWEEN 0 AND d.string_count - 1
      AND s.file_index = ${index})

-- piece: NODE_TYPE type
(SELECT t.str_value FROM js_heap_info AS t
    WHERE t.rowid = d.first_info_rowid + ${type}
      AND ${type} BETWEEN 0 AND d.node_type_count - 1)

-- piece: EDGE_TYPE
(SELECT t.str_value FROM js_heap_info AS t
    WHERE t.rowid = d.first_edge_type_rowid + e.type
      AND e.type BETWEEN 0 AND d.edge_type_count - 1)

-- piece: EDGE_NAME
-- Whether a name is an index is decided by the name of the type: numbers differ between runtimes.
CASE WHEN ${EDGE_TYPE} IN (${TS_HEAP_EDGE_ELEMENT}, ${TS_HEAP_EDGE_HIDDEN})
    THEN CAST(e.name_or_index AS TEXT)
    ELSE ${STRING_AT|e.name_or_index} END

-- piece: TARGET value
-- A value of the node that the edge points at.
(SELECT ${value} FROM js_heap_nodes AS n
    WHERE n.rowid = d.first_node_rowid + e.to_node / d.node_stride
      AND e.to_node % d.node_stride = 0
      AND e.to_node / d.node_stride BETWEEN 0 AND d.node_count - 1
      AND n.node_index = e.to_node / d.node_stride)

-- piece: OWNER value
-- A value of the node that owns the edge: it is among the few rows of the edge's block. Id 0 is that of several
-- roots of ArkTS (nodes 1 to 5), which are distinguished by the number of edges up to them.
(SELECT ${value} FROM js_heap_edge_block AS b CROSS JOIN js_heap_nodes AS n
      ON n.rowid BETWEEN b.first_node_rowid AND b.last_node_rowid
    WHERE b.id = d.first_edge_block_id + e.edge_index / ${TS_HEAP_EDGE_BLOCK} AND b.file_id = d.file_id
      AND n.id = e.from_node_id AND n.edge_count > 0
      AND (n.id <> 0 OR n.node_index > 8
        OR (SELECT total(p.edge_count) FROM js_heap_nodes AS p
          WHERE p.rowid BETWEEN d.first_node_rowid AND n.rowid) > e.edge_index) LIMIT 1)

-- piece: N_TYPE
${NODE_TYPE|n.type}

-- piece: N_NAME
${STRING_AT|n.name}

-- piece: SELECT_NODES
-- Both views on nodes have these columns.
SELECT d.file_id AS file_id, n.node_index AS node_index, n.id AS node_id,
  ${N_TYPE} AS type,
  ${N_NAME} AS name,
  n.self_size AS self_size, n.edge_count AS edge_count,
  n.trace_node_id AS trace_node_id, n.detachedness AS detachedness, n.type AS type_id,
  n.native_size AS native_size
FROM js_heap_file_detail AS d
CROSS JOIN ${NODES_OF_FILE}

-- piece: CLASS_GROUPS
-- The classes of one file d, added up by the import: several rows of a class are possible.
js_heap_class AS g
    ON g.rowid BETWEEN d.first_class_rowid AND d.first_class_rowid + d.class_count - 1

-- piece: CLASS_NAME
-- The class of a row g.
CASE ${NODE_TYPE|g.type}
    WHEN ${TS_HEAP_NODE_OBJECT} THEN ${STRING_AT|g.name}
    WHEN ${TS_HEAP_NODE_NATIVE} THEN ${STRING_AT|g.name}
    WHEN 'code' THEN '(compiled code)'
    WHEN 'hidden' THEN '(system)'
    ELSE '(' || ${NODE_TYPE|g.type} || ')' END

-- piece: HAS_CLASSES file
-- Damaged files whose nodes are not certain have no classes.
(${file}.class_count > 0 OR ${file}.node_count = 0)

-- piece: SAMPLE_END
-- When a sample r of block b ends; one whose length is not known has none.
(ifnull(r.ts, b.ts + r.since_us * ${TS_NS_PER_US}) + coalesce(r.dur, r.dur_us * ${TS_NS_PER_US}, 0))

-- piece: RUN_START
-- When the run began that ends with sample r of block b: mostly with it.
CASE r.before WHEN 0 THEN ifnull(r.ts, b.ts + r.since_us * ${TS_NS_PER_US}) ELSE
    (SELECT ifnull(f.ts, g.ts + f.since_us * ${TS_NS_PER_US})
      FROM stack_sample_row AS f CROSS JOIN stack_sample_block AS g ON g.id = f.id / ${TS_SAMPLE_BLOCK}
      WHERE f.id = r.id - r.before) END

-- piece: RUN_PLACE
-- What is added to the times of the run that ends with sample r of block b.
(b.place + ifnull(r.place, 0))
