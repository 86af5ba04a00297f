-- topic: tptp
-- order: 171
-- Objects that were allocated, with class and method, and when they were freed.
-- column: id = tptp_allocation.id
-- column: source_id = tptp_allocation.source_id
-- column: itid = tptp_allocation.itid
-- column: ts = tptp_allocation.ts
-- column: object_id = tptp_allocation.object_id
-- column: class_id = tptp_allocation.class_id
-- column: class | TEXT | | not recorded | name of the class
-- column: size = tptp_allocation.size
-- column: is_array = tptp_allocation.is_array
-- column: method_id = tptp_allocation.method_id
-- column: method | TEXT | | not recorded | class and name of the method that allocated it
-- column: line = tptp_allocation.line
-- column: slice_id = tptp_allocation.slice_id
-- column: freed | INTEGER | boolean | | 1 when it was freed
-- column: free_ts | INTEGER | ns | it was not freed, or the time is not known | when it was freed
-- column: age | INTEGER | | it was not freed, or not readable | collections that it survived
CREATE VIEW v_tptp_allocation AS
SELECT a.id AS id, a.source_id AS source_id, a.itid AS itid, a.ts AS ts, a.object_id AS object_id,
  a.class_id AS class_id, c.name AS class, a.size AS size, a.is_array AS is_array,
  a.method_id AS method_id, ${METHOD_NAME} AS method, a.line AS line, a.slice_id AS slice_id,
  f.id IS NOT NULL AS freed, f.ts AS free_ts, f.age AS age
FROM tptp_allocation AS a
LEFT JOIN tptp_free AS f ON f.allocation_id = a.id
LEFT JOIN tptp_class AS c ON c.id = a.class_id
LEFT JOIN stack_method AS m ON m.id = a.method_id
