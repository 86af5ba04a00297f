/* The tools: what clients are told of them, and what the plain ones do. */
#include "mcp/mcp_parts.h"

#include <stdio.h>

enum { VIEWS = 1500 /* bytes of an answer that are kept for names of views */ };

typedef struct mcp_tool {
    const char *name;
    const char *title;
    const char *description;
    const char *properties; /* of its arguments, JSON */
    const char *required;
    ts_code (*run)(mcp_call *call);
} mcp_tool;

#define RECORDING                                                                                  \
    "\"recording\":{\"type\":\"string\",\"description\":\"path, file name or number of an open "   \
    "recording; may be left out while one is open\"}"
#define PARAMS                                                                                     \
    "\"params\":{\"type\":\"object\",\"additionalProperties\":{\"type\":[\"string\",\"number\"]}," \
    "\"description\":"
#define NAMED(name, text) "\"" name "\":{\"type\":\"string\",\"description\":\"" text "\"}"
#define COUNTED(name, text)                                                                        \
    "\"" name "\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"" text "\"}"

/* --- plain tools ---------------------------------------------------------------------------------
 */

static ts_code overview_of(mcp_call *call, tst_session *s)
{
    tst_rows *rows;
    if (tst_ask(&rows, s, "recording", NULL, 0) != TST_OK) {
        return mcp_refuse_session(call, s);
    }
    TS_TRY(mcp_say_rows(NULL, call, s, "Recording (length in ns)", rows, 1200));
    TS_TRY(
        mcp_say_query(call, s, "\nSources (times in ns)",
                      "SELECT s.id, s.parent_id, s.kind, s.name, s.format, s.start_ts, "
                      "s.end_ts - s.start_ts AS length, sum(i.count) AS issues FROM source AS s "
                      "LEFT JOIN import_issue AS i ON i.source_id = s.id AND i.severity <> 'info' "
                      "GROUP BY s.id ORDER BY s.id",
                      1500));
    TS_TRY(
        mcp_say_query(call, s, "\nWhat was lost (severity data_loss or error; tool issues has all)",
                      "SELECT source_id, severity, code, sum(count) AS count FROM import_issue "
                      "WHERE severity IN ('data_loss', 'error') GROUP BY 1, 2, 3 ORDER BY 4 DESC",
                      800));
    return mcp_fitting(call, s);
}

static ts_code run_overview(mcp_call *call)
{
    tst_session *s;
    TS_TRY(mcp_recording_of(&s, call, "recording"));
    return s == NULL ? TS_OK : overview_of(call, s);
}

static ts_code run_open(mcp_call *call)
{
    const ts_text path = mcp_argument(call, "path");
    tst_session *s;
    if (path.p == NULL || path.n == 0) {
        return mcp_refuse(call, "say which file, by \"path\"");
    }
    TS_TRY(mcp_recording_open(&s, call, path, mcp_argument(call, "analyze")));
    return s == NULL ? TS_OK : overview_of(call, s);
}

static ts_code run_recordings(mcp_call *call)
{
    return call->m->count == 0 ? mcp_say(call, "no recording is open: call open with a path\n")
                               : mcp_recordings_say(call);
}

static ts_code run_close(mcp_call *call)
{
    return mcp_recording_close(call, mcp_argument(call, "recording"));
}

/* The units of columns of that name, as the schema has them. */
static ts_code say_units(mcp_call *call, tst_session *s, const tst_rows *rows)
{
    tst_rows *units;
    ts_code code = TS_OK;
    bool first = true;
    if (tst_query(&units, s,
                  "SELECT column_name, max(unit) FROM schema_doc WHERE unit <> '' AND unit NOT "
                  "LIKE 'id of %' GROUP BY 1 "
                  "HAVING count(DISTINCT unit) = 1",
                  NULL, 0) != TST_OK) {
        return mcp_refuse_session(call, s);
    }
    while (code == TS_OK && tst_rows_next(units) == TST_ROW) {
        const char *name = tst_rows_text(units, 0, NULL);
        for (int i = 0; i < tst_rows_columns(rows) && code == TS_OK; i++) {
            if (name != NULL && strcmp(name, tst_rows_name(rows, i)) == 0) {
                code = mcp_say(call, "%s%s in %s",
                               first ? "in tables, columns of these names are: " : ", ", name,
                               tst_rows_text(units, 1, NULL));
                first = false;
                break;
            }
        }
    }
    tst_rows_free(units);
    TS_STEP_IF(code, !first, mcp_say(call, "\n"));
    return code;
}

static ts_code run_sql(mcp_call *call)
{
    ts_ctx *ctx = call->m->ctx;
    const ts_text sql = mcp_argument(call, "sql");
    tst_session *s;
    tst_rows *rows = NULL;
    mcp_params params = {0};
    ts_buf text = {0};
    ts_code code = TS_OK;
    TS_TRY(mcp_recording_of(&s, call, "recording"));
    if (s == NULL) {
        return TS_OK;
    }
    if (sql.p == NULL) {
        return mcp_refuse(call, "give the statement as \"sql\"");
    }
    TS_STEP(code, ts_buf_put(ctx, &text, sql.p, sql.n));
    TS_STEP(code, ts_buf_putc(ctx, &text, '\0'));
    TS_STEP(code, mcp_params_of(&params, call, "params.arguments.params."));
    TS_STEP(code, mcp_params_end(&params, ctx));
    if (code == TS_OK && tst_query(&rows, s, text.p, params.all.p, params.all.n) != TST_OK) {
        code = mcp_refuse_session(call, s);
        TS_STEP(code, mcp_say(call, "\nThe tool schema lists tables and columns."));
    } else if (code == TS_OK) {
        code = say_units(call, s, rows);
        if (code == TS_OK) {
            code = mcp_say_rows(NULL, call, s, NULL, rows, MCP_ANSWER_MOST);
        } else {
            tst_rows_free(rows);
        }
    }
    mcp_params_free(&params, ctx);
    ts_buf_free(ctx, &text);
    return code;
}

static ts_code run_issues(mcp_call *call)
{
    tst_session *s;
    TS_TRY(mcp_recording_of(&s, call, "recording"));
    if (s == NULL) {
        return TS_OK;
    }
    TS_TRY(mcp_say_query(
        call, s,
        "What was found in the input (data_loss and error: rows are missing; others: all is here)",
        "SELECT source_id, recording, severity, what, stream, \"offset\" AS byte_offset, count, "
        "message FROM v_data_quality ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'data_loss' "
        "THEN 1 WHEN 'warning' THEN 2 ELSE 3 END",
        MCP_ANSWER_MOST));
    return call->text.n > 0
               ? TS_OK
               : mcp_say(call, "nothing was lost: all of the recording was imported\n");
}

/* Tables that have rows, with their columns; views by name. */
static ts_code say_tables(mcp_call *call, tst_session *s)
{
    tst_rows *rows = NULL;
    ts_code code =
        mcp_say(call, "Tables that have rows (schema with \"table\" describes columns)\n");
    if (code == TS_OK && tst_query(&rows, s,
                                   "SELECT m.name, group_concat(c.name, ' '), 'SELECT 1 FROM ' || "
                                   "m.name || ' LIMIT 1' FROM sqlite_schema AS m JOIN "
                                   "pragma_table_info(m.name) AS c WHERE m.type = 'table' GROUP BY "
                                   "m.name ORDER BY m.name",
                                   NULL, 0) != TST_OK) {
        return mcp_refuse_session(call, s);
    }
    while (code == TS_OK && tst_rows_next(rows) == TST_ROW) {
        tst_rows *one = NULL;
        const bool some = tst_query(&one, s, tst_rows_text(rows, 2, NULL), NULL, 0) == TST_OK &&
                          tst_rows_next(one) == TST_ROW;
        tst_rows_free(one);
        TS_STEP_IF(code, some && mcp_room(call) > VIEWS,
                   mcp_say(call, "%s: %.300s\n", tst_rows_text(rows, 0, NULL),
                           tst_rows_text(rows, 1, NULL)));
    }
    tst_rows_free(rows);
    TS_STEP(code, mcp_say_query(call, s, "\nViews",
                                "SELECT name FROM sqlite_schema WHERE type = 'view' AND name LIKE "
                                "'v!_%' ESCAPE '!'",
                                VIEWS));
    return code;
}

static ts_code run_schema(mcp_call *call)
{
    const ts_text table = mcp_argument(call, "table");
    tst_session *s;
    tst_rows *rows;
    uint64_t n = 0;
    mcp_params params = {0};
    ts_ctx *ctx = call->m->ctx;
    TS_TRY(mcp_recording_of(&s, call, "recording"));
    if (s == NULL) {
        return TS_OK;
    }
    if (table.p == NULL) {
        return say_tables(call, s);
    }
    ts_code code = mcp_params_add(&params, ctx, TS_TEXT_LIT("name"), table);
    TS_STEP(code, mcp_params_end(&params, ctx));
    if (code == TS_OK && tst_query(&rows, s,
                                   "SELECT column_name, type, unit, description FROM schema_doc "
                                   "WHERE table_name = :name",
                                   params.all.p, params.all.n) != TST_OK) {
        code = mcp_refuse_session(call, s);
    } else if (code == TS_OK) {
        code = mcp_say_rows(&n, call, s, NULL, rows, MCP_ANSWER_MOST);
        TS_STEP_IF(
            code, n == 0,
            mcp_refuse(call, "there is no table of that name: schema without a table lists them"));
    }
    mcp_params_free(&params, ctx);
    return code;
}

/* Parameters by name: what the tool takes, and questions and diff do, too. */
static ts_code add_arguments(mcp_params *p, mcp_call *call, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        const ts_text value = mcp_argument(call, names[i]);
        if (value.p != NULL) {
            TS_TRY(mcp_params_add(p, call->m->ctx, ts_text_of(names[i]), value));
        }
    }
    return TS_OK;
}

static ts_code run_heap_path(mcp_call *call)
{
    static const char *const names[] = {"node", "file", NULL};
    tst_session *s;
    tst_rows *rows;
    mcp_params params = {0};
    if (mcp_argument(call, "node").p == NULL) {
        return mcp_refuse(
            call,
            "say which by \"node\", an id of js_heap_nodes; ask js_largest_retained has some");
    }
    TS_TRY(mcp_recording_of(&s, call, "recording"));
    if (s == NULL) {
        return TS_OK;
    }
    ts_code code = add_arguments(&params, call, names);
    TS_STEP(code, mcp_params_end(&params, call->m->ctx));
    if (code == TS_OK &&
        tst_ask(&rows, s, "js_path_to_root", params.all.p, params.all.n) != TST_OK) {
        code = mcp_refuse_session(call, s);
    } else if (code == TS_OK) {
        code = mcp_say_rows(NULL, call, s, "From the node up to the root; retained_size in bytes",
                            rows, MCP_ANSWER_MOST);
    }
    mcp_params_free(&params, call->m->ctx);
    return code;
}

static ts_code run_diff(mcp_call *call)
{
    static const char *const names[] = {"source", "thread", "event", "label", "weight",
                                        "from",   "until",  "limit", NULL};
    ts_ctx *ctx = call->m->ctx;
    const ts_text by = mcp_argument(call, "by");
    tst_session *before;
    tst_session *after;
    tst_rows *rows;
    mcp_params params = {0};
    ts_buf kind = {0};
    TS_TRY(mcp_recording_of(&before, call, "before"));
    if (before == NULL) {
        return TS_OK;
    }
    TS_TRY(mcp_recording_of(&after, call, "after"));
    if (after == NULL) {
        return TS_OK;
    }
    ts_code code = add_arguments(&params, call, names);
    TS_STEP(code, mcp_params_of(&params, call, "params.arguments.params."));
    TS_STEP(code, mcp_params_end(&params, ctx));
    TS_STEP(code, ts_buf_put(ctx, &kind, by.p == NULL ? "" : by.p, by.n));
    TS_STEP(code, ts_buf_putc(ctx, &kind, '\0'));
    if (code == TS_OK && tst_diff(&rows, before, after, by.p == NULL ? NULL : kind.p, params.all.p,
                                  params.all.n) != TST_OK) {
        code = mcp_refuse_session(call, after);
    } else if (code == TS_OK) {
        code = mcp_say_rows(NULL, call, after,
                            "What differs, the largest change first; bytes and ns where a column "
                            "does not say otherwise",
                            rows, MCP_ANSWER_MOST);
    }
    mcp_params_free(&params, ctx);
    ts_buf_free(ctx, &kind);
    return code;
}

/* --- the list ------------------------------------------------------------------------------------
 */

/* clang-format off */
static const mcp_tool tools[] = {
    {"open", "Open a recording",
     "Opens a recording of a profiler (any format the program reads) or a finished database, and gives its overview. "
     "Analyses of heaps (dominators, retained sizes) are made when analyze is \"heap\".",
     NAMED("path", "file to open") "," NAMED("analyze", "analyses to add, such as heap; default: those that cost little"),
     "\"path\"", run_open},
    {"recordings", "Open recordings", "Lists the recordings that are open, with their numbers.", "", "", run_recordings},
    {"close", "Close a recording", "Closes a recording, so that another one can be opened.", RECORDING, "\"recording\"", run_close},
    {"overview", "What a recording holds",
     "Which program, device and time a recording is of, whether it is whole, its sources, and the questions that fit it.",
     RECORDING, "", run_overview},
    {"questions", "Shipped questions",
     "Lists the questions that fit the recording by topic, or describes one with its parameters and columns.",
     RECORDING "," NAMED("question", "describe this one") "," NAMED("topic", "only those of this topic"), "", mcp_questions},
    {"ask", "Ask a question",
     "Answers a shipped question by name (such as hot_methods, threads, js_leak_suspects), as rows of columns with their units.",
     RECORDING "," NAMED("question", "its name") "," PARAMS "\"parameters by name; limit is one of most questions, times may be +2.5s from the beginning\"}",
     "\"question\"", mcp_ask},
    {"sql", "Run SQL",
     "Runs statements of SQLite that only read, and gives their rows. Tables and columns: schema.",
     RECORDING "," NAMED("sql", "the statement; the rows are those of the last one") "," PARAMS "\"values of :NAME in it\"}", "\"sql\"", run_sql},
    {"flame", "Tree of calls",
     "Where time, allocations or another weight go: the tree of calls, outermost first, with the parts that weigh most.",
     RECORDING "," NAMED("weight", "cpu, wall, waiting, allocation, live, samples, or a name that samples have; default: the first that was recorded")
     "," NAMED("source", "id or name of a source") "," NAMED("thread", "name, glob or tid of a thread")
     "," NAMED("event", "only samples of this event") "," NAMED("from", "from this time on, such as +2.5s") "," NAMED("to", "before this time")
     "," COUNTED("depth", "levels at most; default 60"), "", mcp_flame},
    {"heap_path", "Why a heap node is alive",
     "The references that hold a node of a heap snapshot, from the node up to the root. Needs open with analyze heap.",
     RECORDING "," NAMED("node", "id of the node") "," NAMED("file", "id of the heap in js_heap_files; default 0"), "\"node\"", run_heap_path},
    {"diff", "Compare two recordings",
     "What differs between two open recordings, or two sources of one, the largest change first.",
     NAMED("before", "an open recording") "," NAMED("after", "an open recording, or the same")
     "," NAMED("by", "class, java_class, method, call, statement, series, pause or node; default: the first that both have")
     "," NAMED("source", "only this source of both") "," NAMED("thread", "only this thread") "," NAMED("weight", "as of flame")
     "," NAMED("from", "from this time on") "," NAMED("until", "before this time") "," COUNTED("limit", "rows at most")
     "," PARAMS "\"others: before and after as sources of one recording, event, label\"}", "\"before\",\"after\"", run_diff},
    {"issues", "What was lost",
     "Everything that was found damaged, lost or passed over in the input, with byte offsets and counts.", RECORDING, "", run_issues},
    {"schema", "Tables and columns",
     "Lists the tables, or the columns of one with their types, units and meaning.", RECORDING "," NAMED("table", "a table or view"), "", run_schema},
};
/* clang-format on */

void mcp_tools_list(ts_jout *j)
{
    ts_jout_open(j, "tools", '[');
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        const bool opens =
            strcmp(tools[i].name, "open") == 0 || strcmp(tools[i].name, "close") == 0;
        ts_jout_open(j, NULL, '{');
        ts_jout_str(j, "name", tools[i].name);
        ts_jout_str(j, "title", tools[i].title);
        ts_jout_str(j, "description", tools[i].description);
        ts_jout_open(j, "inputSchema", '{');
        ts_jout_raw(j, "type", TS_TEXT_LIT("\"object\""));
        ts_jout_open(j, "properties", '{');
        ts_jout_put_str(j, tools[i].properties);
        ts_jout_close(j, '}');
        ts_jout_open(j, "required", '[');
        ts_jout_put_str(j, tools[i].required);
        ts_jout_ends(j, "]}");
        ts_jout_open(j, "annotations", '{');
        ts_jout_bool(j, "readOnlyHint", !opens);
        ts_jout_bool(j, "openWorldHint", false);
        ts_jout_ends(j, "}}");
    }
    ts_jout_close(j, ']');
}

ts_code mcp_tool_run(bool *known, mcp_call *call, ts_text name)
{
    *known = false;
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        if (ts_text_is(name, tools[i].name)) {
            *known = true;
            return tools[i].run(call);
        }
    }
    return TS_OK;
}
