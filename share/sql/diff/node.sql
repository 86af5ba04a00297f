-- Question:   Which heap objects are new, gone, or of another size?
--             Nodes are the same when their ids are: both snapshots have to come from one run of the program.
-- Order:      70
-- Needs:      js_heap_file_detail (heaps)
-- Parameters: source  the heap snapshot (default: the last one; with a single input the first and the last one)
-- Key:        node_id, state, class, name
-- Values:     self_size      bytes, sum: of the node alone
--             retained_size  bytes, level: what would be freed with it; with the analysis "heap" on both sides
-- The program reads nodes without SQL.
SELECT NULL;
