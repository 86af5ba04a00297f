  CASE o.kind
    WHEN 1 THEN (SELECT c.name FROM java_heap_class AS c WHERE c.file_id = o.file_id AND c.node_index = o.node_index)
    ELSE (SELECT t.name FROM java_heap_thread AS t WHERE t.file_id = o.file_id AND t.node_index = o.node_index) END
