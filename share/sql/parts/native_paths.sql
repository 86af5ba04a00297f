-- The frames of the call chains of `top`, the outermost first, and the names of what it has.
frame AS MATERIALIZED (
  SELECT f.callchain_id AS callchain_id, f.depth AS depth, f.symbol_id AS symbol_id
  FROM native_hook_frame AS f
  WHERE f.callchain_id IN (SELECT callchain_id FROM top)
),
word AS MATERIALIZED (
  SELECT id, data FROM data_dict
  WHERE id IN (SELECT symbol_id FROM frame UNION SELECT symbol_id FROM top UNION SELECT lib_id FROM top)
),
path AS MATERIALIZED (
  SELECT callchain_id, group_concat(name, ' > ') AS path
  FROM (SELECT f.callchain_id AS callchain_id, ifnull(w.data, '?') AS name
    FROM frame AS f LEFT JOIN word AS w ON w.id = f.symbol_id
    ORDER BY f.callchain_id, f.depth)
  GROUP BY callchain_id
)
