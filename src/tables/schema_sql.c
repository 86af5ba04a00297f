#include "tables/schema_sql.h"

#include <sqlite3.h>

const char *ts_column_sql_type(ts_column_type type)
{
    static const char *const names[] = {[TS_COL_INT] = "INTEGER",
                                        [TS_COL_REAL] = "REAL",
                                        [TS_COL_TEXT] = "TEXT",
                                        [TS_COL_KEY] = "INTEGER PRIMARY KEY"};
    return names[type];
}

/* Appends a name, in double quotes when it is a keyword of SQL. */
static ts_code schema_put_name(ts_ctx *ctx, ts_buf *out, const char *name)
{
    if (sqlite3_keyword_check(name, (int)strlen(name)) != 0) {
        return ts_buf_printf(ctx, out, "\"%s\"", name);
    }
    return ts_buf_put(ctx, out, name, strlen(name));
}

ts_code ts_sql_create(ts_ctx *ctx, ts_buf *out, const ts_table *table)
{
    ts_code code = ts_buf_printf(ctx, out, "CREATE TABLE ");
    TS_STEP(code, schema_put_name(ctx, out, table->name));
    for (unsigned i = 0; code == TS_OK && i < table->column_count; i++) {
        code = ts_buf_put(ctx, out, i == 0 ? "(" : ", ", i == 0 ? 1 : 2);
        TS_STEP(code, schema_put_name(ctx, out, table->columns[i].name));
        TS_STEP(code, ts_buf_printf(ctx, out, " %s", ts_column_sql_type(table->columns[i].type)));
    }
    TS_STEP(code, ts_buf_putc(ctx, out, ')'));
    return code;
}

ts_code ts_column_description(ts_ctx *ctx, ts_buf *out, const ts_column *column)
{
    ts_code code = ts_buf_put(ctx, out, column->doc, strlen(column->doc));
    if (code == TS_OK && column->null_meaning[0] != '\0') {
        code = ts_buf_printf(ctx, out, "; NULL: %s", column->null_meaning);
    }
    return code;
}
