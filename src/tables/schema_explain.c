/* What a name of the database means: a table or view, a column, a kind of issue or of what is
 * counted. */
#include "tables/schema_text.h"

#include "base/names.h"
#include "tables/schema_sql.h"
#include "tables/store.h"

#include <string.h>

/* A table or a view. */
typedef struct relation {
    const char *name;
    const char *doc;
    const ts_column *columns;
    unsigned column_count;
} relation;

static unsigned relation_count(void)
{
    return TS_TABLE_COUNT + ts_view_count;
}

static relation relation_at(unsigned i)
{
    if (i < TS_TABLE_COUNT) {
        const ts_table *t = &ts_schema[i];
        return (relation){t->name, t->doc, t->columns, t->column_count};
    }
    const ts_view *v = &ts_views[i - TS_TABLE_COUNT];
    return (relation){v->name, v->doc, v->columns, v->column_count};
}

static bool is_name(ts_text typed, const char *name)
{
    return strlen(name) == typed.n && memcmp(name, typed.p, typed.n) == 0;
}

static ts_code put_column(ts_buf *out, ts_ctx *ctx, const relation *r, const ts_column *c)
{
    const char *type = c->type == TS_COL_KEY ? "INTEGER" : ts_column_sql_type(c->type);
    TS_TRY(ts_buf_printf(ctx, out, "%s.%s: ", r->name, c->name));
    TS_TRY(ts_column_description(ctx, out, c));
    return ts_buf_printf(ctx, out, "\n  type %s%s%s\n", type, c->unit[0] == '\0' ? "" : ", unit ",
                         c->unit);
}

enum { NEAR_SHOWN = 3, NEAR = 900 };

/* Names that are far are no help. */
static ts_code not_found(ts_ctx *ctx, const char *what, const ts_nearest *near)
{
    ts_buf names = {0};
    ts_code code = TS_OK;
    unsigned n = 0;
    while (n < NEAR_SHOWN && n < near->count && near->best[n].distance < NEAR) {
        n++;
    }
    for (unsigned i = 0; code == TS_OK && i < n; i++) {
        code = ts_buf_printf(ctx, &names, "%s%.*s",
                             i == 0       ? ""
                             : i + 1 == n ? " or "
                                          : ", ",
                             (int)near->best[i].name.n, near->best[i].name.p);
    }
    TS_STEP(code, ts_fail(ctx, TS_ERR_USAGE, "no %s is called \"%.*s\"%s%.*s%s", what,
                          (int)(near->typed.n > 100 ? 100 : near->typed.n), near->typed.p,
                          n == 0 ? " (--tables lists tables)" : "; did you mean ", (int)names.n,
                          n == 0 ? "" : names.p, n == 0 ? "" : "?"));
    ts_buf_free(ctx, &names);
    return code;
}

/* The columns with this name, of all relations or of one; near: the names there are. */
static ts_code put_columns(bool *found, ts_buf *out, ts_ctx *ctx, const relation *r, ts_text typed,
                           ts_nearest *near)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < r->column_count; i++) {
        const ts_column *c = &r->columns[i];
        if (is_name(typed, c->name)) {
            *found = true;
            code = put_column(out, ctx, r, c);
        } else if (near != NULL) {
            ts_nearest_add(near, 0, ts_text_of(c->name), TS_TEXT_NULL);
        }
    }
    return code;
}

static ts_code put_codes(bool *found, ts_buf *out, ts_ctx *ctx, ts_text typed)
{
    ts_code code = TS_OK;
    for (int i = 0; code == TS_OK && i < TS_ISSUE_COUNT; i++) {
        if (is_name(typed, ts_issue_list[i].name)) {
            *found = true;
            code =
                ts_buf_printf(ctx, out, "%s (import_issue.code, %s): %s\n", ts_issue_list[i].name,
                              ts_severity_name(ts_issue_list[i].severity), ts_issue_list[i].doc);
        }
    }
    for (int i = 0; code == TS_OK && i < TS_ITEM_COUNT; i++) {
        if (is_name(typed, ts_item_list[i].name)) {
            *found = true;
            code = ts_buf_printf(ctx, out, "%s (import_count.item): %s\n", ts_item_list[i].name,
                                 ts_item_list[i].doc);
        }
    }
    return code;
}

/* A name without a dot. */
static ts_code explain_name(ts_buf *out, ts_ctx *ctx, ts_text typed)
{
    ts_nearest near = {.typed = typed, .no_ids = true};
    bool found = false;
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < relation_count(); i++) {
        const relation r = relation_at(i);
        if (is_name(typed, r.name)) {
            code = ts_schema_listing(&found, ctx, out, r.name);
        } else {
            ts_nearest_add(&near, 0, ts_text_of(r.name), TS_TEXT_NULL);
        }
    }
    TS_STEP_IF(code, !found, put_codes(&found, out, ctx, typed));
    for (unsigned i = 0; code == TS_OK && i < relation_count(); i++) {
        const relation r = relation_at(i);
        bool column = false;
        code = found && out->n == 0 ? TS_OK : put_columns(&column, out, ctx, &r, typed, NULL);
        found = found || column;
    }
    return code != TS_OK || found ? code : not_found(ctx, "table, view, column or code", &near);
}

ts_code ts_schema_explain(ts_buf *out, ts_ctx *ctx, const char *name)
{
    const char *dot = strchr(name, '.');
    const ts_text table = {name, dot == NULL ? 0 : (size_t)(dot - name)};
    if (dot == NULL) {
        return explain_name(out, ctx, ts_text_of(name));
    }
    ts_nearest tables = {.typed = table, .no_ids = true};
    for (unsigned i = 0; i < relation_count(); i++) {
        const relation r = relation_at(i);
        ts_nearest columns = {.typed = ts_text_of(dot + 1), .no_ids = true};
        bool found = false;
        ts_nearest_add(&tables, 0, ts_text_of(r.name), TS_TEXT_NULL);
        if (!is_name(table, r.name)) {
            continue;
        }
        TS_TRY(put_columns(&found, out, ctx, &r, columns.typed, &columns));
        return found ? TS_OK : not_found(ctx, "column of this table", &columns);
    }
    return not_found(ctx, "table or view", &tables);
}
