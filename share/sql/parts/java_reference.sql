  CASE e.type WHEN 0 THEN '<class>' WHEN 1 THEN '<super>' WHEN 2 THEN '<classloader>'
    WHEN 5 THEN '[' || e.name || ']'
    WHEN 6 THEN (SELECT '<root ' || g.kind || '>' FROM java_heap_root AS g WHERE g.rowid = e.name)
    WHEN 7 THEN (SELECT '<' || g.kind || '>' FROM java_heap_root AS g WHERE g.rowid = e.name)
    ELSE (SELECT n.name FROM java_heap_field AS n WHERE n.id = e.name) END
