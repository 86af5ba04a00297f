#include "tables/views_impl.h"

/* Facts of a sample directory: the summary is in source_property. */
#define RECORDINGS                                                                                 \
    "SELECT s.id AS source_id, s.path AS path, s.start_ts AS start_ts, s.end_ts AS end_ts,\n"      \
    "  a.value AS agent_addr, CAST(b.value AS INTEGER) AS sample_start_time\n"                     \
    "FROM source AS s\n"                                                                           \
    "LEFT JOIN source_property AS a ON a.source_id = s.id AND a.key = 'agent_addr'\n"              \
    "LEFT JOIN source_property AS b ON b.source_id = s.id AND b.key = 'sample_start_time'\n"       \
    "WHERE s.kind = 'sample_directory' AND s.format = 'flare'"

const char ts_view_flare_recording[] =
    "CREATE VIEW v_flare_recording AS\n"
    "SELECT agent_addr, sample_start_time,\n"
    "  row_number() OVER run AS part, source_id, path, start_ts, end_ts,\n"
    "  start_ts - lag(end_ts) OVER run AS gap\n"
    "FROM (" RECORDINGS ")\n"
    "WINDOW run AS (PARTITION BY agent_addr, sample_start_time,\n"
    "    CASE WHEN agent_addr IS NULL OR sample_start_time IS NULL THEN source_id END\n"
    "  ORDER BY start_ts, source_id)";

const char ts_view_flare_cpu[] =
    "CREATE VIEW v_flare_cpu AS\n"
    "SELECT r.agent_addr AS agent_addr, r.sample_start_time AS sample_start_time,\n"
    "  r.source_id AS source_id, f.itid AS itid, t.tid AS tid, t.name AS thread, v.ts AS ts,\n"
    "  CAST(v.value AS INTEGER) AS cpu_us\n"
    "FROM timeseries_value AS v\n"
    "JOIN flare_thread AS f ON f.series_id = v.series_id\n"
    "JOIN (" RECORDINGS ") AS r ON r.source_id = f.source_id\n"
    "LEFT JOIN thread AS t ON t.rowid = f.itid + 1";
