#include "tables/schema_text.h"

#include "tables/schema_sql.h"
#include "tables/store.h"

#include <ctype.h>
#include <string.h>

/* --- markdown ------------------------------------------------------------------------------ */

static const char intro[] = "# Tables\n"
                            "\n"
                            "<!-- Made from src/tables by tools/mkdocs. Do not edit: run `cmake "
                            "--build <dir> --target docs`. "
                            "-->\n"
                            "\n"
                            "The ten tables that matter most:\n"
                            "\n"
                            "| table | a row is | look here for |\n"
                            "|---|---|---|\n";

/* What most questions begin with. */
static const struct {
    enum ts_table_id table;
    const char *row;
    const char *use;
} most_used[] = {
    {TS_T_source, "an input, or a recording in it",
     "what was read, in which format, by which clock"},
    {TS_T_import_issue, "damage or loss in an input", "whether a number can be trusted"},
    {TS_T_thread, "a thread of a `process` (`ipid`)",
     "which thread a row with its `itid` belongs to"},
    {TS_T_stack_sample, "a sampled stack of any profiler",
     "where CPU time, waiting and memory went"},
    {TS_T_stack_node, "a call path: a frame and its caller",
     "the whole stack of a sample or a call"},
    {TS_T_stack_method, "a method or function", "names, classes and files of frames"},
    {TS_T_stack_slice, "a traced call with its duration", "slow calls and what they called"},
    {TS_T_js_heap_nodes, "an object of a heap snapshot", "what fills the memory"},
    {TS_T_js_heap_edges, "a reference between two objects", "what keeps an object alive"},
    {TS_T_sched_slice, "a time that a thread ran on a CPU", "who used the CPUs of a device"},
};

static const char rules[] =
    "\n"
    "Views (`v_...`) join them with names and units: `v_sample`, `v_stack_slice`, `v_js_node` and "
    "others.\n"
    "\n"
    "Every database holds all tables and views of this page, also those that stay empty. The same "
    "text is inside\n"
    "each database: `SELECT * FROM schema_doc`; `trace_streamer --tables` prints it.\n"
    "\n"
    "* Times and spans are integer nanoseconds on the database's trace clock, unless the name of a "
    "column ends in\n"
    "  `_us` or `_ms`. `source.clock` shows which sources use another clock.\n"
    "* Rows are in the order of the input. Rowids are dense from 1.\n"
    "* \"id of x\" in the column *unit* is the number that the column `id` of table x holds "
    "(`ipid` and `itid` are\n"
    "  those of `process` and `thread`).\n"
    "* An empty cell under *NULL means* says that the column is never NULL.\n"
    "* `id` columns of tables that are not compatible ones are dense from 1 over the whole "
    "database.\n"
    "* Tables of recordings that no importer decodes yet are empty.\n"
    "* Booleans are 0 and 1.\n"
    "\n";

enum { LINE = 120 };

/* Bytes after the last line feed. */
static size_t line_length(const ts_buf *out)
{
    size_t n = 0;
    while (n < out->n && out->p[out->n - 1 - n] != '\n') {
        n++;
    }
    return n;
}

/* A paragraph, in lines of at most LINE bytes as far as its words allow. */
static ts_code put_paragraph(ts_ctx *ctx, ts_buf *out, const char *text)
{
    ts_code code = TS_OK;
    while (code == TS_OK && *text != '\0') {
        size_t n = strcspn(text, " ");
        size_t used = line_length(out);
        if (used > 0) {
            code = ts_buf_putc(ctx, out, used + 1 + n > LINE ? '\n' : ' ');
        }
        TS_STEP(code, ts_buf_put(ctx, out, text, n));
        text += n + (text[n] == ' ');
    }
    TS_STEP(code, ts_buf_put(ctx, out, "\n\n", 2));
    return code;
}

/* A cell of a table: a bar would end it. */
static ts_code put_cell(ts_ctx *ctx, ts_buf *out, const char *text)
{
    ts_code code = TS_OK;
    for (; code == TS_OK && *text != '\0'; text++) {
        if (*text == '|') {
            code = ts_buf_putc(ctx, out, '\\');
        }
        TS_STEP(code, ts_buf_putc(ctx, out, *text));
    }
    TS_STEP(code, ts_buf_put(ctx, out, " | ", 3));
    return code;
}

/* "| a | b |" with the code font for the first cell. */
static ts_code schema_put_row(ts_ctx *ctx, ts_buf *out, const char *const *cells, unsigned n)
{
    ts_code code = ts_buf_printf(ctx, out, "| `%s` | ", cells[0]);
    for (unsigned i = 1; code == TS_OK && i < n; i++) {
        code = put_cell(ctx, out, cells[i]);
    }
    if (code == TS_OK) {
        out->n--; /* the blank after the last bar */
        code = ts_buf_putc(ctx, out, '\n');
    }
    return code;
}

static ts_code markdown_columns(ts_ctx *ctx, ts_buf *out, const ts_column *columns, unsigned n)
{
    ts_code code = ts_buf_printf(ctx, out,
                                 "| column | type | unit | NULL means | meaning |\n"
                                 "|---|---|---|---|---|\n");
    for (unsigned i = 0; code == TS_OK && i < n; i++) {
        const ts_column *c = &columns[i];
        const char *cells[] = {c->name, ts_column_sql_type(c->type), c->unit, c->null_meaning,
                               c->doc};
        code = schema_put_row(ctx, out, cells, 5);
    }
    TS_STEP(code, ts_buf_putc(ctx, out, '\n'));
    return code;
}

static ts_code markdown_table(ts_ctx *ctx, ts_buf *out, const ts_table *table)
{
    ts_buf doc = {0};
    ts_code code = ts_buf_printf(ctx, out, "### %s\n\n", table->name);
    TS_STEP(code, ts_buf_printf(ctx, &doc, "%c%s.", toupper((unsigned char)table->doc[0]),
                                table->doc + 1));
    TS_STEP(code, ts_buf_putc(ctx, &doc, '\0'));
    TS_STEP(code, put_paragraph(ctx, out, doc.p));
    ts_buf_free(ctx, &doc);
    TS_STEP(code, markdown_columns(ctx, out, table->columns, table->column_count));
    return code;
}

static ts_code markdown_view(ts_ctx *ctx, ts_buf *out, const ts_view *view)
{
    ts_code code = ts_buf_printf(ctx, out, "### %s\n\nView.", view->name);
    TS_STEP(code, put_paragraph(ctx, out, view->doc));
    TS_STEP(code, markdown_columns(ctx, out, view->columns, view->column_count));
    return code;
}

static unsigned topic_end(unsigned topic)
{
    return topic + 1 < ts_topic_count ? ts_topics[topic + 1].first_table : TS_TABLE_COUNT;
}

static bool is_compatible(unsigned topic)
{
    return ts_schema[ts_topics[topic].first_table].cls == TS_CLASS_COMPAT;
}

static bool is_about(const ts_view *view, unsigned topic)
{
    return strcmp(view->topic, ts_topics[topic].name) == 0;
}

/* Tables, then views of a topic. */
static ts_code markdown_topic(ts_ctx *ctx, ts_buf *out, unsigned topic)
{
    const ts_topic *t = &ts_topics[topic];
    ts_code code = ts_buf_printf(ctx, out, "## %s\n\n", t->title);
    TS_STEP_IF(code, t->doc[0] != '\0', put_paragraph(ctx, out, t->doc));
    for (unsigned i = t->first_table; code == TS_OK && i < topic_end(topic); i++) {
        code = markdown_table(ctx, out, &ts_schema[i]);
    }
    for (unsigned i = 0; code == TS_OK && i < ts_view_count; i++) {
        if (is_about(&ts_views[i], topic)) {
            code = markdown_view(ctx, out, &ts_views[i]);
        }
    }
    return code;
}

static ts_code markdown_topics(ts_ctx *ctx, ts_buf *out, bool compatible)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < ts_topic_count; i++) {
        if (is_compatible(i) == compatible) {
            code = markdown_topic(ctx, out, i);
        }
    }
    return code;
}

/* A link to a heading, by the rule of GitHub: small letters, blanks as hyphens, nothing else. */
static ts_code put_link(ts_ctx *ctx, ts_buf *out, const char *title)
{
    ts_code code = ts_buf_printf(ctx, out, "* [%s](#", title);
    for (; code == TS_OK && *title != '\0'; title++) {
        if (*title == ' ' || *title == '-') {
            code = ts_buf_putc(ctx, out, '-');
        } else if (isalnum((unsigned char)*title)) {
            code = ts_buf_putc(ctx, out, (char)tolower((unsigned char)*title));
        }
    }
    TS_STEP(code, ts_buf_putc(ctx, out, ')'));
    return code;
}

/* "name", after ": " or ", "; the latter on a new line where this one is full. */
static ts_code put_listed(ts_ctx *ctx, ts_buf *out, bool *first, const char *name)
{
    bool full = line_length(out) + strlen(name) + 5 > LINE;
    ts_code code =
        ts_buf_printf(ctx, out, "%s%s`%s`", *first ? ":" : ",", full ? "\n  " : " ", name);
    *first = false;
    return code;
}

/* The beginning, with links to the tables that it names. */
static ts_code markdown_intro(ts_ctx *ctx, ts_buf *out)
{
    ts_code code = ts_buf_put(ctx, out, intro, sizeof intro - 1);
    for (size_t i = 0; code == TS_OK && i < sizeof most_used / sizeof most_used[0]; i++) {
        const char *name = ts_schema[most_used[i].table].name;
        code = ts_buf_printf(ctx, out, "| [`%s`](#%s) | %s | %s |\n", name, name, most_used[i].row,
                             most_used[i].use);
    }
    TS_STEP(code, ts_buf_put(ctx, out, rules, sizeof rules - 1));
    return code;
}

/* The topics of our own with what each has. */
static ts_code markdown_contents(ts_ctx *ctx, ts_buf *out)
{
    static const char *const rest[] = {"Issue codes", "Items", "Indexes", "Compatible tables"};
    ts_code code = ts_buf_printf(ctx, out, "Contents:\n\n");
    for (unsigned i = 0; code == TS_OK && i < ts_topic_count; i++) {
        bool first = true;
        if (is_compatible(i)) {
            continue;
        }
        code = put_link(ctx, out, ts_topics[i].title);
        for (unsigned k = ts_topics[i].first_table; code == TS_OK && k < topic_end(i); k++) {
            code = put_listed(ctx, out, &first, ts_schema[k].name);
        }
        for (unsigned k = 0; code == TS_OK && k < ts_view_count; k++) {
            if (is_about(&ts_views[k], i)) {
                code = put_listed(ctx, out, &first, ts_views[k].name);
            }
        }
        TS_STEP(code, ts_buf_putc(ctx, out, '\n'));
    }
    for (size_t i = 0; code == TS_OK && i < sizeof rest / sizeof rest[0]; i++) {
        code = put_link(ctx, out, rest[i]);
        TS_STEP(code, ts_buf_putc(ctx, out, '\n'));
    }
    TS_STEP(code, ts_buf_putc(ctx, out, '\n'));
    return code;
}

static ts_code markdown_indexes(ts_ctx *ctx, ts_buf *out)
{
    ts_code code =
        ts_buf_printf(ctx, out,
                      "\n## Indexes\n\nOnly with `--index`, which also runs `ANALYZE`. The "
                      "views need none of them.\n\n"
                      "| index | serves | statement |\n|---|---|---|\n");
    for (unsigned i = 0; code == TS_OK && i < ts_index_count; i++) {
        const char *cells[] = {ts_indexes[i].name, ts_indexes[i].doc, ts_indexes[i].sql};
        code = schema_put_row(ctx, out, cells, 3);
    }
    return code;
}

static ts_code markdown_issues(ts_ctx *ctx, ts_buf *out)
{
    ts_code code = ts_buf_printf(ctx, out,
                                 "## Issue codes\n\nWhat `import_issue.code` can hold.\n\n"
                                 "| code | severity | meaning |\n|---|---|---|\n");
    for (unsigned i = 0; code == TS_OK && i < TS_ISSUE_COUNT; i++) {
        const ts_issue_info *info = &ts_issue_list[i];
        const char *cells[] = {info->name, ts_severity_name(info->severity), info->doc};
        code = schema_put_row(ctx, out, cells, 3);
    }
    return code;
}

static ts_code markdown_items(ts_ctx *ctx, ts_buf *out)
{
    ts_code code =
        ts_buf_printf(ctx, out,
                      "\n## Items\n\nWhat `import_count.item` can hold; a part of the input "
                      "with a name of its own follows after a colon.\n\n"
                      "| item | meaning |\n|---|---|\n");
    for (unsigned i = 0; code == TS_OK && i < TS_ITEM_COUNT; i++) {
        const char *cells[] = {ts_item_list[i].name, ts_item_list[i].doc};
        code = schema_put_row(ctx, out, cells, 2);
    }
    return code;
}

ts_code ts_schema_markdown(ts_ctx *ctx, ts_buf *out)
{
    ts_code code = markdown_intro(ctx, out);
    TS_STEP(code, markdown_contents(ctx, out));
    TS_STEP(code, markdown_topics(ctx, out, false));
    TS_STEP(code, markdown_issues(ctx, out));
    TS_STEP(code, markdown_items(ctx, out));
    TS_STEP(code, markdown_indexes(ctx, out));
    TS_STEP(code, ts_buf_putc(ctx, out, '\n'));
    TS_STEP(code, markdown_topics(ctx, out, true));
    if (code == TS_OK) {
        out->n--; /* the empty line after the last table */
    }
    return code;
}

/* --- listings ------------------------------------------------------------------------------ */

static ts_code list_columns(ts_ctx *ctx, ts_buf *out, const ts_column *columns, unsigned n)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < n; i++) {
        const ts_column *c = &columns[i];
        const char *type = c->type == TS_COL_KEY ? "INTEGER" : ts_column_sql_type(c->type);
        code = ts_buf_printf(ctx, out, "  %-24s %-7s ", c->name, type);
        TS_STEP_IF(code, c->unit[0] != '\0', ts_buf_printf(ctx, out, "[%s] ", c->unit));
        TS_STEP(code, ts_column_description(ctx, out, c));
        TS_STEP(code, ts_buf_putc(ctx, out, '\n'));
    }
    return code;
}

static ts_code list_table(ts_ctx *ctx, ts_buf *out, const ts_table *table)
{
    TS_TRY(ts_buf_printf(ctx, out, "%s: %s\n\n", table->name, table->doc));
    return list_columns(ctx, out, table->columns, table->column_count);
}

/* Columns and statement. */
static ts_code list_view(ts_ctx *ctx, ts_buf *out, const ts_view *view)
{
    ts_code code = ts_buf_printf(ctx, out, "%s (view): %s\n\n", view->name, view->doc);
    TS_STEP(code, list_columns(ctx, out, view->columns, view->column_count));
    TS_STEP(code, ts_buf_printf(ctx, out, "\n%s\n", view->sql));
    return code;
}

static ts_code schema_list_all(ts_ctx *ctx, ts_buf *out)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < TS_TABLE_COUNT; i++) {
        code = ts_buf_printf(ctx, out, "%-28s %s\n", ts_schema[i].name, ts_schema[i].doc);
    }
    for (unsigned i = 0; code == TS_OK && i < ts_view_count; i++) {
        code = ts_buf_printf(ctx, out, "%-28s view: %s\n", ts_views[i].name, ts_views[i].doc);
    }
    return code;
}

ts_code ts_schema_listing(bool *found, ts_ctx *ctx, ts_buf *out, const char *name)
{
    *found = true;
    if (name == NULL) {
        return schema_list_all(ctx, out);
    }
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        if (strcmp(ts_schema[i].name, name) == 0) {
            return list_table(ctx, out, &ts_schema[i]);
        }
    }
    for (unsigned i = 0; i < ts_view_count; i++) {
        if (strcmp(ts_views[i].name, name) == 0) {
            return list_view(ctx, out, &ts_views[i]);
        }
    }
    *found = false;
    return TS_OK;
}
