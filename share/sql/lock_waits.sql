-- Question:   Who waits for what, for whom, and how long?
--             Waits for a lock that another thread has come first: threads also wait and park when they have nothing to do.
-- Topic:      runtime
-- Needs:      lock_wait (waits for locks), tptp_trace (TPTP traces)
-- Report:     65 Longest waits for locks
-- Parameters: source  id of a source (default: all)
--             kind    one of wait, contended or park (default: all)
--             limit   number of rows (default 20)
-- Columns:    kind, thread, object_id, class, owner
--             count  waits
--             dur    ns of those whose end was seen
SELECT kind, thread, object_id, class, owner, count(*) AS count,
  sum(ifnull(dur, 0) >> 32) * 4294967296 + sum(ifnull(dur, 0) & 4294967295) AS dur
FROM v_lock_wait
WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source))) AND kind = ifnull(:kind, kind)
GROUP BY kind, itid, object_id, class, owner_itid
ORDER BY kind = 'contended' DESC, dur DESC, kind, itid, object_id
LIMIT ifnull(:limit, 20);
