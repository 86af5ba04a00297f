#include "fleet/dialect.h"

#include "export/columns/native.h"

#include <inttypes.h>
#include <stdio.h>

/* --- types ------------------------------------------------------------------------------------ */

/* Texts of few values: names of what was recorded. Others are messages, paths and dictionaries. */
static bool is_repeating(const ts_column *c)
{
    static const char *const names[] = {
        "name",   "class",  "package", "library",  "file",     "host",   "kind",  "format", "key",
        "unit",   "code",   "item",    "severity", "stream",   "event",  "state", "cause",  "type",
        "thread", "source", "service", "clock",    "category", "domain", "mode"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(c->name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Values that are near the one of the row before: ids, places and times. */
static bool is_rising(const ts_column *c)
{
    static const char *const names[] = {"id", "ordinal", "edge_index", "node_index", "file_index"};
    bool named = c->type == TS_COL_KEY;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        named = named || strcmp(c->name, names[i]) == 0;
    }
    return (named && c->type != TS_COL_TEXT) ||
           (c->type == TS_COL_INT &&
            (strcmp(c->unit, "ns") == 0 || strncmp(c->unit, "id of", 5) == 0 ||
             strncmp(c->unit, "rowid of", 8) == 0 || strcmp(c->unit, "node_index") == 0));
}

void ts_dialect_type(char out[TS_DIALECT_TYPE], const ts_dialect *d, enum ts_table_id table,
                     unsigned column)
{
    const ts_column *c = &ts_schema[table].columns[column];
    const ts_column_values v = {.column = c,
                                .width = ts_column_width(table, column),
                                .nullable = c->null_meaning[0] != '\0'};
    char sent[TS_NATIVE_TYPE_MAX];
    ts_native_type(sent, &v);
    const bool low = d->codecs && c->type == TS_COL_TEXT && is_repeating(c);
    (void)snprintf(out, TS_DIALECT_TYPE, low ? "LowCardinality(%s)" : "%s", sent);
}

/* --- tables ----------------------------------------------------------------------------------- */

static const char *codec(const ts_dialect *d, bool rising)
{
    return !d->codecs ? "" : rising ? " CODEC(Delta, ZSTD(1))" : " CODEC(ZSTD(1))";
}

ts_code ts_dialect_column(ts_ctx *ctx, ts_buf *out, const ts_dialect *d, enum ts_table_id table,
                          unsigned column)
{
    const ts_column *c = &ts_schema[table].columns[column];
    char type[TS_DIALECT_TYPE];
    ts_dialect_type(type, d, table, column);
    return ts_buf_printf(ctx, out, "`%s` %s%s", ts_native_name(c), type, codec(d, is_rising(c)));
}

ts_code ts_dialect_table(ts_ctx *ctx, ts_buf *out, const ts_dialect *d, enum ts_table_id table)
{
    const ts_table *t = &ts_schema[table];
    ts_code code = ts_buf_printf(ctx, out,
                                 "CREATE TABLE IF NOT EXISTS `%s` (\n    load UInt64%s,\n"
                                 "    row UInt32%s,\n    day Date%s",
                                 t->name, codec(d, false), codec(d, true), codec(d, false));
    for (unsigned i = 0; code == TS_OK && i < t->column_count; i++) {
        code = ts_buf_printf(ctx, out, ",\n    ");
        TS_STEP(code, ts_dialect_column(ctx, out, d, table, i));
    }
    TS_STEP(code, ts_buf_printf(ctx, out,
                                "\n)\nENGINE = MergeTree PARTITION BY toYYYYMM(day) "
                                "ORDER BY (load, row)"));
    TS_STEP_IF(code, d->keep > 0 && d->codecs,
               ts_buf_printf(ctx, out, " TTL day + INTERVAL %" PRIu64 " DAY", d->keep));
    return code;
}

/* --- recordings ------------------------------------------------------------------------------- */

const ts_recording_column ts_recording_columns[] = {
    {"id", "FixedString(32)", false},
    {"load", "UInt64", true},
    {"day", "Date", false},
    {"program", "String", false},
    {"schema_version", "UInt32", false},
    {"amount", "String", false},
    {"options", "String", false},
    {"path", "String", false},
    {"bytes", "UInt64", false},
    {"begin", "Nullable(Int64)", true},
    {"end", "Nullable(Int64)", true},
    {"host", "String", false},
    {"label.key", "Array(String)", false},
    {"label.value", "Array(String)", false},
    {"complete", "UInt8", false},
    {"issues", "UInt64", false},
    {"rows", "UInt64", false},
    {"loaded_at", "DateTime", true},
    {NULL, NULL, false},
};

ts_code ts_dialect_recording(ts_ctx *ctx, ts_buf *out, const ts_dialect *d)
{
    ts_code code = ts_buf_printf(ctx, out, "CREATE TABLE IF NOT EXISTS recording (");
    const char *before = "\n    ";
    for (const ts_recording_column *c = ts_recording_columns; code == TS_OK && c->name != NULL;
         c++) {
        code = ts_buf_printf(ctx, out, "%s`%s` %s%s%s", before, c->name, c->type,
                             strcmp(c->name, "loaded_at") == 0 ? " DEFAULT now()" : "",
                             codec(d, c->times));
        before = ",\n    ";
    }
    TS_STEP(code, ts_buf_printf(ctx, out, "\n)\nENGINE = MergeTree ORDER BY (id, load)"));
    return code;
}

/* --- views ------------------------------------------------------------------------------------ */

/* The loads that count: of each recording the last one that was committed. */
#define LAST_LOADS "SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id"

/* Views that no table makes, with their names. Joins are written as engines of 2018 and of today
 * take them: ANY, and USING with columns of both sides that are not Nullable. @name is the view of
 * that name: v_name, or, where the view is that of one of several servers, shard_name. */
static const struct {
    const char *name, *body;
} named_views[] = {
    {"recording", "SELECT * FROM recording WHERE load IN (" LAST_LOADS ")"},
    /* As v_js_class_histogram has them. */
    {"class",
     "SELECT load, day, file_id, multiIf(type_name IN ('object', 'native'), text,\n"
     "  type_name = 'code', '(compiled code)', type_name = 'hidden', '(system)',\n"
     "  concat('(', type_name, ')')) AS class, count, self_size\n"
     "FROM (SELECT * FROM (SELECT load, day, file_id, name_index, count, self_size,\n"
     "  toUInt32(first_row + type_index) AS info_row\n"
     "FROM (SELECT load, day, toUInt32(file_id) AS file_id, ifNull(type, 255) AS type_index,\n"
     "  ifNull(name, 4294967295) AS name_index, ifNull(count, 0) AS count,\n"
     "  ifNull(self_size, 0) AS self_size FROM @js_heap_class) AS g\n"
     "ANY LEFT JOIN (SELECT load, toUInt32(file_id) AS file_id,\n"
     "  ifNull(first_info_rowid, 0) AS first_row FROM @js_heap_file_detail) AS d\n"
     "USING (load, file_id)) AS c\n"
     "ANY LEFT JOIN (SELECT load, row AS info_row, str_value AS type_name\n"
     "  FROM @js_heap_info) AS i USING (load, info_row)) AS t\n"
     "ANY LEFT JOIN (SELECT load, toUInt32(file_id) AS file_id,\n"
     "  ifNull(file_index, 4294967294) AS name_index, ifNull(string, '') AS text\n"
     "  FROM @js_heap_string) AS s USING (load, file_id, name_index)"},
    {"method",
     "SELECT load, day, source_id, itid, event, library, package, class, name, file,\n"
     "  self_count, total_count, self_dur, total_dur\n"
     "FROM (SELECT load, day, source_id, itid, event, toUInt32(ifNull(method_id, 0)) AS method,\n"
     "  self_count, total_count, self_dur, total_dur FROM @stack_total) AS t\n"
     "ANY LEFT JOIN (SELECT load, toUInt32(id) AS method, ifNull(library, '') AS library,\n"
     "  ifNull(package, '') AS package, ifNull(class, '') AS class, ifNull(name, '') AS name,\n"
     "  ifNull(file, '') AS file FROM @stack_method) AS m USING (load, method)"},
};
enum { NAMED_VIEWS = sizeof named_views / sizeof named_views[0] };
_Static_assert(TS_TABLE_COUNT + NAMED_VIEWS <= TS_DIALECT_VIEWS_MAX, "there is room for all views");

size_t ts_dialect_view_count(void)
{
    return TS_TABLE_COUNT + NAMED_VIEWS;
}

const char *ts_dialect_view_name(size_t view)
{
    return view < TS_TABLE_COUNT ? ts_schema[view].name : named_views[view - TS_TABLE_COUNT].name;
}

static ts_code put_body(ts_ctx *ctx, ts_buf *out, const char *prefix, const char *body)
{
    ts_code code = TS_OK;
    for (const char *p = body; code == TS_OK && *p != '\0'; p++) {
        code = *p == '@' ? ts_buf_printf(ctx, out, "%s", prefix) : ts_buf_putc(ctx, out, *p);
    }
    return code;
}

ts_code ts_dialect_view(ts_ctx *ctx, ts_buf *out, const char *prefix, size_t view)
{
    const char *name = ts_dialect_view_name(view);
    if (view < TS_TABLE_COUNT) {
        return ts_buf_printf(ctx, out,
                             "CREATE VIEW IF NOT EXISTS `%s%s` AS\n"
                             "SELECT * FROM `%s` WHERE load IN (" LAST_LOADS ")",
                             prefix, name, name);
    }
    TS_TRY(ts_buf_printf(ctx, out, "CREATE VIEW IF NOT EXISTS %s%s AS\n", prefix, name));
    return put_body(ctx, out, prefix, named_views[view - TS_TABLE_COUNT].body);
}

ts_code ts_dialect_over(ts_ctx *ctx, ts_buf *out, const char *cluster, const char *database,
                        size_t view)
{
    const char *name = ts_dialect_view_name(view);
    return ts_buf_printf(ctx, out,
                         "CREATE TABLE IF NOT EXISTS `" TS_DIALECT_PREFIX "%s`"
                         " AS `" TS_DIALECT_SHARD_PREFIX "%s`"
                         " ENGINE = Distributed('%s', '%s', '" TS_DIALECT_SHARD_PREFIX "%s')",
                         name, name, cluster, database, name);
}

/* --- all of it -------------------------------------------------------------------------------- */

ts_code ts_dialect_script(ts_ctx *ctx, ts_buf *out, const ts_dialect *d)
{
    ts_code code = ts_dialect_recording(ctx, out, d);
    TS_STEP(code, ts_buf_printf(ctx, out, ";\n"));
    for (unsigned t = 0; code == TS_OK && t < TS_TABLE_COUNT; t++) {
        code = ts_dialect_table(ctx, out, d, t);
        TS_STEP(code, ts_buf_printf(ctx, out, ";\n"));
    }
    TS_STEP(code, ts_dialect_view(ctx, out, TS_DIALECT_PREFIX, TS_DIALECT_VIEW_RECORDING));
    TS_STEP(code, ts_buf_printf(ctx, out, ";\n"));
    for (size_t v = 0; code == TS_OK && v < ts_dialect_view_count(); v++) {
        if (v != TS_DIALECT_VIEW_RECORDING) {
            code = ts_dialect_view(ctx, out, TS_DIALECT_PREFIX, v);
            TS_STEP(code, ts_buf_printf(ctx, out, ";\n"));
        }
    }
    return code;
}
