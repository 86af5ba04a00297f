-- topic: runtime
-- order: 144
-- Waits for locks with threads and the innermost frame resolved.
-- column: id = lock_wait.id
-- column: source_id = lock_wait.source_id
-- column: kind = lock_wait.kind
-- column: itid = lock_wait.itid
-- column: thread | TEXT | | thread or its name not known | name of the thread
-- column: object_id = lock_wait.object_id
-- column: class = lock_wait.class
-- column: owner_itid = lock_wait.owner_itid
-- column: owner | TEXT | | not recorded, or its name not known | name of the thread that held the lock
-- column: timeout = lock_wait.timeout
-- column: ts = lock_wait.ts
-- column: dur = lock_wait.dur
-- column: node_id = lock_wait.node_id
-- column: method | TEXT | | no stack was recorded | class and name of the innermost method
-- column: line | INTEGER | | no stack, or not recorded | line of the innermost frame
-- column: slice_id = lock_wait.slice_id
-- column: state = lock_wait.state
CREATE VIEW v_lock_wait AS
SELECT w.id AS id, w.source_id AS source_id, w.kind AS kind, w.itid AS itid, t.name AS thread,
  w.object_id AS object_id, w.class AS class, w.owner_itid AS owner_itid, o.name AS owner,
  w.timeout AS timeout, w.ts AS ts, w.dur AS dur, w.node_id AS node_id, ${METHOD_NAME} AS method,
  n.line AS line, w.slice_id AS slice_id, w.state AS state
FROM lock_wait AS w
LEFT JOIN thread AS t ON t.rowid = w.itid + 1
LEFT JOIN thread AS o ON o.rowid = w.owner_itid + 1
LEFT JOIN stack_node AS n ON n.id = w.node_id
LEFT JOIN stack_method AS m ON m.id = n.method_id
