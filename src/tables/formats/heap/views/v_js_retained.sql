-- topic: heap_analysis
-- order: 210
-- Nodes of analysed heap snapshots: what each holds, how far it is from the root, and what holds it. Filter on
-- file_id. The row of node i is at js_heap_analysis.first_retained_rowid + i of js_heap_retained.
-- column: file_id = js_heap_nodes.file_id
-- column: node_index | INTEGER | | | position of the node in its file, from 0
-- column: node_id = js_heap_nodes.id
-- column: type | TEXT | | not in the file, or no type of it | name of the node type, such as object, string or closure
-- column: name | TEXT | | not in the file, or no string of it | class name, string or function name, by type; of native nodes that are detached with "Detached " before it
-- column: constructor = js_heap_constructor.name
-- column: self_size = js_heap_nodes.self_size
-- column: shallow_size = js_heap_retained.shallow_size
-- column: retained_size = js_heap_retained.retained_size
-- column: distance = js_heap_retained.distance
-- column: detachedness = js_heap_retained.detachedness
-- column: held_by = js_heap_retained.held_by
-- column: dominator_id | INTEGER | id of js_heap_nodes | the root, or not a number in the file | the immediate dominator
-- column: retainer_id | INTEGER | id of js_heap_nodes | the root, not reached, or not a number in the file | the node before on the shortest path
-- column: dominator = js_heap_retained.dominator
-- column: retainer = js_heap_retained.retainer
-- column: retaining_edge = js_heap_retained.retaining_edge
-- column: tree_position = js_heap_retained.tree_position
-- column: tree_count = js_heap_retained.tree_count
-- column: previous = js_heap_retained.previous
-- column: native_size = js_heap_nodes.native_size
-- column: retained_native_size = js_heap_retained.retained_native_size
CREATE VIEW v_js_retained AS
SELECT a.file_id AS file_id, r.rowid - a.first_retained_rowid AS node_index, r.node_id AS node_id,
  ${N_TYPE} AS type,
  ${DISPLAYED_NAME} AS name,
  ${CLASS_OF} AS constructor,
  n.self_size AS self_size, r.shallow_size AS shallow_size, r.retained_size AS retained_size,
  r.distance AS distance, r.detachedness AS detachedness, r.held_by AS held_by,
  ${ID_AT|r.dominator} AS dominator_id,
  ${ID_AT|r.retainer} AS retainer_id,
  r.dominator AS dominator, r.retainer AS retainer, r.retaining_edge AS retaining_edge,
  r.tree_position AS tree_position, r.tree_count AS tree_count, r.previous AS previous,
  n.native_size AS native_size, r.retained_native_size AS retained_native_size
FROM ${ANALYSED_NODES}
