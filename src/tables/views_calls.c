/* Traced invocations and the Cloud Profiler's calls. */
#include "tables/views_impl.h"

/* Class and name of a method m as people write them. */
#define METHOD_NAME "ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, '#' || m.raw_id)"

/* Columns and their order are those of the table that it replaces. */
const char ts_view_callstack[] =
    "CREATE VIEW callstack AS\n"
    "SELECT s.id - 1 AS id, s.ts AS ts, s.dur AS dur, s.itid AS callid, 'method' AS cat,\n"
    "  (SELECT " METHOD_NAME "\n"
    "    FROM stack_node AS n CROSS JOIN stack_method AS m ON m.id = n.method_id\n"
    "    WHERE n.id = s.node_id) AS name,\n"
    "  s.depth AS depth, NULL AS cookie, NULL AS colorIndex, s.parent_id - 1 AS parent_id,\n"
    "  NULL AS argsetid, NULL AS chainId, NULL AS spanId, NULL AS parentSpanId, NULL AS flag,\n"
    "  NULL AS trace_level, NULL AS trace_tag, NULL AS custom_category, NULL AS custom_args,\n"
    "  NULL AS child_callid\n"
    "FROM stack_slice AS s";

const char ts_view_stack_slice[] =
    "CREATE VIEW v_stack_slice AS\n"
    "SELECT s.id AS id, s.source_id AS source_id, s.itid AS itid, t.tid AS tid, t.name AS thread,\n"
    "  s.parent_id AS parent_id, s.node_id AS node_id, n.method_id AS method_id,\n"
    "  " METHOD_NAME " AS method, m.signature AS signature, m.file AS file, m.line AS line,\n"
    "  m.library AS library, s.ts AS ts, s.dur AS dur, s.self_dur AS self_dur, s.depth AS depth,\n"
    "  s.state AS state\n"
    "FROM stack_slice AS s\n"
    "LEFT JOIN thread AS t ON t.rowid = s.itid + 1\n"
    "LEFT JOIN stack_node AS n ON n.id = s.node_id\n"
    "LEFT JOIN stack_method AS m ON m.id = n.method_id";

const char ts_view_cloud_call[] =
    "CREATE VIEW v_cloud_call AS\n"
    "SELECT c.*, s.name AS pod, " METHOD_NAME " AS method, m.signature AS signature,\n"
    "  m.file AS file, m.line AS line, m.library AS library\n"
    "FROM cloud_call AS c\n"
    "LEFT JOIN source AS s ON s.id = c.source_id\n"
    "LEFT JOIN stack_method AS m ON m.id = c.method_id";

const char ts_view_cloud_call_param[] =
    "CREATE VIEW v_cloud_call_param AS\n"
    "SELECT p.call_id AS call_id, c.source_id AS source_id,\n"
    "  ifnull(d.word, '#' || p.word_id) AS name, p.ordinal AS ordinal, p.value AS value\n"
    "FROM cloud_call_param AS p\n"
    "LEFT JOIN cloud_call AS c ON c.id = p.call_id\n"
    "LEFT JOIN cloud_dictionary AS d ON d.id = p.dictionary_id";

const char ts_view_cloud_tag[] =
    "CREATE VIEW v_cloud_tag AS\n"
    "SELECT t.id AS id, t.source_id AS source_id, t.slice_id AS slice_id, t.block_id AS block_id,\n"
    "  t.record AS record, t.ts AS ts, ifnull(d.word, '#' || t.word_id) AS name, t.type AS type,\n"
    "  ifnull(t.value, x.value) AS value\n"
    "FROM cloud_tag AS t\n"
    "LEFT JOIN cloud_dictionary AS d ON d.id = t.dictionary_id\n"
    "LEFT JOIN cloud_text AS x ON x.id = t.text_id";
