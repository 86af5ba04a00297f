#include "tables/views_impl.h"

/* --- pieces -------------------------------------------------------------------------------- */

/* Times and values come from the input as they are. */
#define SUM_DUR SUM_OF("dur")
#define SUM_VALUE SUM_OF("v.value")
#define SUM_SELF_DUR SUM_OF("self_dur")
#define SUM_PART SUM_OF("part")
#define SUM_WEIGHT SUM_OF("weight")
#define SUM_SAMPLE_DUR SUM_OF("s.dur")
#define SUM_BUSY_DUR SUM_OF("CASE WHEN m.name = '(idle)' THEN 0 ELSE s.dur END")
#define SUM_ROOT_DUR SUM_OF("CASE WHEN parent_id IS NULL THEN dur END")
#define SUM_ROOT_CPU_DUR SUM_OF("CASE WHEN parent_id IS NULL THEN cpu_dur END")
#define SUM_OF_PARTS SUM_OF("CASE leaves WHEN 1 THEN run ELSE weight - run END")
#define RUN_OF_WEIGHTS SUM_OVER("ifnull(r.weight, 0)", " OVER so_far")

/* A method m as people write it. */
#define METHOD_LABEL                                                                               \
    "ifnull(nullif(m.package, '') || '.', '')\n"                                                   \
    "    || ifnull(nullif(m.class, '') || '.', '')\n"                                              \
    "    || ifnull(nullif(m.name, ''), '(anonymous)')"

/*
 * The weight of each call path of its own. A sample weighs its values; one without values weighs
 * its dur. A traced call weighs its self_dur. Units and events are never added up.
 */
#define NODE_WEIGHTS                                                                               \
    "  SELECT node_id, event, 'ns' AS unit, 'dur' AS value, " SUM_DUR " AS weight\n"               \
    "  FROM stack_sample\n"                                                                        \
    "  WHERE node_id IS NOT NULL AND dur IS NOT NULL\n"                                            \
    "    AND id NOT IN (SELECT sample_id FROM stack_sample_value)\n"                               \
    "  GROUP BY node_id, event\n"                                                                  \
    "  UNION ALL\n"                                                                                \
    "  SELECT s.node_id, s.event, y.unit, y.name, " SUM_VALUE "\n"                                 \
    "  FROM stack_sample_value AS v\n"                                                             \
    "  CROSS JOIN stack_sample AS s ON s.id = v.sample_id\n"                                       \
    "  LEFT JOIN stack_value_type AS y ON y.id = v.value_type_id\n"                                \
    "  WHERE s.node_id IS NOT NULL\n"                                                              \
    "  GROUP BY s.node_id, v.value_type_id, s.event\n"                                             \
    "  UNION ALL\n"                                                                                \
    "  SELECT node_id, 'call', 'ns', 'self_dur', " SUM_SELF_DUR "\n"                               \
    "  FROM stack_slice\n"                                                                         \
    "  WHERE node_id IS NOT NULL AND self_dur IS NOT NULL\n"                                       \
    "  GROUP BY node_id"

/* --- hot methods --------------------------------------------------------------------------- */

/*
 * `walk` meets every node twice, when it is entered and when it is left, in the order of a walk
 * through the tree: the sort key lets the children of a node (level + 2) come before its end
 * (level + 1) and that before its siblings. The weight met between entering and leaving is the
 * node's total, so that one running sum serves all nodes, however deep. Only the outermost frame of
 * a method on a path counts: the one at which the number of open frames of the method goes from 0
 * to 1 and back.
 */
const char ts_view_stack_hot_method[] =
    "CREATE VIEW v_stack_hot_method AS\n"
    "WITH RECURSIVE walk(node_id, method_id, source_id, level, leaves) AS (\n"
    "  SELECT id, method_id, source_id, 0, 0 FROM stack_node WHERE parent_id IS NULL\n"
    "  UNION ALL\n"
    "  SELECT c.id, c.method_id, c.source_id, w.level + 2, 0\n"
    "  FROM walk AS w JOIN stack_node AS c ON c.parent_id = w.node_id WHERE w.leaves = 0\n"
    "  UNION ALL\n"
    "  SELECT w.node_id, w.method_id, w.source_id, w.level + 1, 1\n"
    "  FROM walk AS w WHERE w.leaves = 0\n"
    "  ORDER BY 4 DESC),\n"
    "placed AS (\n"
    "  SELECT row_number() OVER () AS pos, node_id, method_id, source_id, leaves FROM walk),\n"
    "steps AS (\n"
    "  SELECT pos, node_id, method_id, source_id, leaves,\n"
    "    sum(1 - 2 * leaves) OVER (PARTITION BY source_id, method_id ORDER BY pos\n"
    "      ROWS UNBOUNDED PRECEDING) + leaves AS open\n"
    "  FROM placed),\n"
    "weights(node_id, event, unit, value, weight) AS (\n" NODE_WEIGHTS "),\n"
    "rated AS (\n"
    "  SELECT w.node_id AS node_id, n.method_id AS method_id, n.source_id AS source_id,\n"
    "    w.event AS event, w.unit AS unit, w.value AS value, w.weight AS weight,\n"
    "    dense_rank() OVER (ORDER BY n.source_id, w.event, w.unit, w.value) AS kind\n"
    "  FROM weights AS w JOIN stack_node AS n ON n.id = w.node_id),\n"
    "kinds AS (\n"
    "  SELECT kind, source_id, event, unit, value FROM rated GROUP BY kind),\n"
    "runs AS (\n"
    "  SELECT k.kind AS kind, s.node_id AS node_id, s.method_id AS method_id,\n"
    "    s.leaves AS leaves, s.open AS open, ifnull(r.weight, 0) AS weight,\n"
    "    " RUN_OF_WEIGHTS " AS run\n"
    "  FROM kinds AS k CROSS JOIN steps AS s ON s.source_id = k.source_id\n"
    "  LEFT JOIN rated AS r\n"
    "    ON r.node_id = s.node_id AND r.kind = k.kind AND s.leaves = 0\n"
    "  WINDOW so_far AS (PARTITION BY k.kind ORDER BY s.pos ROWS UNBOUNDED PRECEDING)),\n"
    "totals AS (\n"
    "  SELECT kind, method_id, " SUM_PART " AS total FROM (\n"
    "    SELECT kind, method_id,\n"
    "      " SUM_OF_PARTS " AS part\n"
    "    FROM runs WHERE open = 1 GROUP BY kind, node_id)\n"
    "  GROUP BY kind, method_id),\n"
    "selfs AS (\n"
    "  SELECT kind, method_id, " SUM_WEIGHT " AS self FROM rated GROUP BY kind, method_id)\n"
    "SELECT k.source_id AS source_id, k.event AS event, k.unit AS unit, k.value AS value,\n"
    "  t.method_id AS method_id,\n"
    "  CASE WHEN m.id IS NULL THEN '(unknown)' ELSE\n"
    "    " METHOD_LABEL " END AS method,\n"
    "  m.file AS file, m.line AS line, ifnull(s.self, 0) AS self, t.total AS total\n"
    "FROM totals AS t\n"
    "JOIN kinds AS k ON k.kind = t.kind\n"
    "LEFT JOIN selfs AS s ON s.kind = t.kind AND s.method_id IS t.method_id\n"
    "LEFT JOIN stack_method AS m ON m.id = t.method_id\n"
    "WHERE t.total <> 0 AND ifnull(m.name, '') NOT IN ('(root)', '(idle)')";

/* --- flame graphs -------------------------------------------------------------------------- */

/* A path is put together only for the rows that a query returns, by walking up from its node. */
const char ts_view_stack_folded[] =
    "CREATE VIEW v_stack_folded AS\n"
    "SELECT n.source_id AS source_id, w.event AS event, w.unit AS unit, w.value AS value,\n"
    "  w.node_id AS node_id,\n"
    "  (WITH RECURSIVE up(parent_id, method_id, height) AS (\n"
    "      SELECT n.parent_id, n.method_id, 0\n"
    "      UNION ALL\n"
    "      SELECT p.parent_id, p.method_id, up.height + 1\n"
    "      FROM up CROSS JOIN stack_node AS p ON p.id = up.parent_id)\n"
    "    SELECT group_concat(frame, ';') FROM (\n"
    "      SELECT CASE WHEN m.id IS NULL THEN '(unknown)' ELSE replace(replace(\n"
    "    " METHOD_LABEL ",\n"
    "        ';', ':'), char(10), ' ') END AS frame\n"
    "      FROM up LEFT JOIN stack_method AS m ON m.id = up.method_id\n"
    "      ORDER BY up.height DESC)) AS stack,\n"
    "  w.weight AS weight\n"
    "FROM (\n" NODE_WEIGHTS ") AS w\n"
    "JOIN stack_node AS n ON n.id = w.node_id";

/* --- threads ------------------------------------------------------------------------------- */

const char ts_view_thread_cpu[] =
    "CREATE VIEW v_thread_cpu AS\n"
    "SELECT w.source_id AS source_id, w.itid AS itid, p.pid AS pid, p.name AS process,\n"
    "  t.tid AS tid, t.name AS thread, x.tid_kind AS tid_kind, w.event AS event,\n"
    "  w.count AS count, w.dur AS dur, w.busy_dur AS busy_dur, w.cpu_dur AS cpu_dur\n"
    "FROM (\n"
    "  SELECT s.source_id AS source_id, s.itid AS itid, s.event AS event, count(*) AS count,\n"
    "    " SUM_SAMPLE_DUR " AS dur,\n"
    "    " SUM_BUSY_DUR " AS busy_dur,\n"
    "    NULL AS cpu_dur\n"
    "  FROM stack_sample AS s\n"
    "  LEFT JOIN stack_node AS n ON n.id = s.node_id\n"
    "  LEFT JOIN stack_method AS m ON m.id = n.method_id\n"
    "  GROUP BY s.source_id, s.itid, s.event\n"
    "  UNION ALL\n"
    "  SELECT source_id, itid, 'call', count(*),\n"
    "    " SUM_ROOT_DUR ",\n"
    "    " SUM_ROOT_DUR ",\n"
    "    " SUM_ROOT_CPU_DUR "\n"
    "  FROM stack_slice\n"
    "  GROUP BY source_id, itid) AS w\n"
    "LEFT JOIN thread AS t ON t.rowid = w.itid + 1\n"
    "LEFT JOIN thread_detail AS x ON x.rowid = w.itid + 1\n"
    "LEFT JOIN process AS p ON p.rowid = t.ipid + 1";
