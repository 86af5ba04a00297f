-- topic: java_heap_analysis
-- order: 252
-- Objects of analysed heap dumps of Java: what each holds, how far it is from the root, and what holds it. Filter on
-- file_id. The row of node i is at java_heap_analysis.first_retained_rowid + i of java_heap_retained.
-- column: file_id = java_heap_object.file_id
-- column: node_index | INTEGER | | | place of the node, from 0
-- column: kind = java_heap_object.kind
-- column: address = java_heap_object.address
-- column: class | TEXT | | the root | name of its class: java.lang.Class of a class
-- column: name | TEXT | | no class | name of the class that the node is
-- column: length = java_heap_object.length
-- column: shallow_size = java_heap_retained.shallow_size
-- column: retained_size = java_heap_retained.retained_size
-- column: distance = java_heap_retained.distance
-- column: dominator = java_heap_retained.dominator
-- column: retainer = java_heap_retained.retainer
-- column: retaining_reference = java_heap_retained.retaining_reference
-- column: tree_position = java_heap_retained.tree_position
-- column: tree_count = java_heap_retained.tree_count
-- column: class_id = java_heap_object.class_id
CREATE VIEW v_java_retained AS
SELECT a.file_id AS file_id, r.rowid - a.first_retained_rowid AS node_index, o.kind AS kind, o.address AS address,
  (SELECT c.name FROM java_heap_class AS c WHERE c.id = o.class_id) AS class, k.name AS name, o.length AS length,
  r.shallow_size AS shallow_size, r.retained_size AS retained_size, r.distance AS distance,
  r.dominator AS dominator, r.retainer AS retainer, r.retaining_reference AS retaining_reference,
  r.tree_position AS tree_position, r.tree_count AS tree_count, o.class_id AS class_id
FROM java_heap_analysis AS a
CROSS JOIN java_heap_file AS d ON d.id = a.file_id
CROSS JOIN java_heap_retained AS r
  ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + d.object_count - 1
CROSS JOIN java_heap_object AS o ON o.rowid = d.first_object_rowid + r.rowid - a.first_retained_rowid
LEFT JOIN java_heap_class AS k
  ON o.kind = 1 AND k.file_id = o.file_id AND k.node_index = o.node_index
