-- topic: runtime
-- order: 143
-- Pauses of the runtimes of all sources: garbage collections, and pauses of the Java VM that the
-- Cloud Profiler recorded.
-- column: source_id | INTEGER | id of source | | the source
-- column: kind | TEXT | | | gc, or suspend for pauses of which only the time is known
-- column: ts | INTEGER | ns | not recorded, not certain, or beyond 64 bits | when it began; when its beginning was not seen, when it ended
-- column: dur | INTEGER | ns | its beginning or its end was not seen, or it is not certain | its duration
-- column: itid | INTEGER | id of thread | not recorded | the thread that did the work
-- column: bytes_before | INTEGER | bytes | not recorded | heap in use before it
-- column: bytes_after | INTEGER | bytes | not recorded | heap in use after it
-- column: objects_before | INTEGER | | not recorded | objects in the heap before it
-- column: objects_after | INTEGER | | not recorded | objects in the heap after it
-- column: name | TEXT | | not recorded | the collector that ran, such as G1New, or what the runtime calls the pause
-- column: cause | TEXT | | not recorded | why it ran, such as System.gc()
CREATE VIEW v_pause AS
SELECT source_id AS source_id, kind AS kind, ts AS ts, dur AS dur, itid AS itid,
  bytes_before AS bytes_before, bytes_after AS bytes_after, objects_before AS objects_before,
  objects_after AS objects_after, name AS name, cause AS cause
FROM runtime_pause
UNION ALL
SELECT source_id, 'suspend', ts, dur, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM cloud_suspend
