#include "tables/redact.h"

#include "tables/table_copy.h"

enum { MOST_COLUMNS = 64 };

/* One run. */
typedef struct redact_run {
    ts_ctx *ctx;
    ts_redactor *r;
    ts_db *from;
    ts_db *to; /* NULL: tokens are only made */
    ts_redacted *done;
} redact_run;

/* A table of the source, and what its columns are. */
typedef struct redact_table {
    const char *name;
    enum ts_table_id id; /* whose columns it has */
    unsigned count;
    ts_text_class classes[MOST_COLUMNS];
    int flag; /* the column that says whether the text is a name, after the others; 0: there is none
               */
    sqlite3_stmt *select, *insert;
} redact_table;

static ts_code read_failed(const redact_run *run)
{
    return ts_db_fail(run->from, sqlite3_errcode(run->from->handle), "read");
}

/* --- tables ------------------------------------------------------------------------------------
 */

static ts_text_class redact_class(enum ts_table_id id, const char *column)
{
    for (unsigned i = 0; i < ts_schema[id].column_count; i++) {
        if (strcmp(ts_schema[id].columns[i].name, column) == 0) {
            return ts_column_text_class(id, i);
        }
    }
    return TS_TEXT_VALUE;
}

static bool is_dictionary(enum ts_table_id id)
{
    return id == TS_T_data_dict || id == TS_T_js_heap_string;
}

/* Columns of the table, and the statements that read and write its rows. */
static ts_code describe(redact_table *t, redact_run *run)
{
    sqlite3_str *select = sqlite3_str_new(NULL);
    sqlite3_str *insert = sqlite3_str_new(NULL);
    sqlite3_str *values = sqlite3_str_new(NULL);
    sqlite3_stmt *st = NULL;
    ts_code code =
        ts_db_prepare(&st, run->from, "SELECT name, pk FROM pragma_table_info(?1) ORDER BY cid");
    int rc = SQLITE_DONE;
    sqlite3_str_appendall(select, "SELECT rowid");
    sqlite3_str_appendf(insert, "INSERT INTO \"%w\"(rowid", t->name);
    sqlite3_str_appendall(values, ") VALUES(?");
    if (code == TS_OK) {
        (void)sqlite3_bind_text(st, 1, t->name, -1, SQLITE_STATIC);
    }
    while (code == TS_OK && (rc = sqlite3_step(st)) == SQLITE_ROW && t->count < MOST_COLUMNS) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        if (name != NULL && sqlite3_column_int(st, 1) == 0) {
            sqlite3_str_appendf(select, ", \"%w\"", name);
            sqlite3_str_appendf(insert, ", \"%w\"", name);
            sqlite3_str_appendall(values, ", ?");
            t->classes[t->count++] = redact_class(t->id, name);
        }
    }
    TS_STEP_IF(code, rc != SQLITE_DONE, read_failed(run));
    (void)sqlite3_finalize(st);
    if (is_dictionary(t->id) && run->r->level < TS_REDACT_NAMES) {
        t->flag = (int)t->count + 1;
        sqlite3_str_appendall(select,
                              t->id == TS_T_data_dict
                                  ? ", id IN (SELECT id FROM temp.redact_named)"
                                  : ", EXISTS(SELECT 1 FROM temp.redact_heap_named AS n WHERE "
                                    "n.file_id = t.file_id AND n.name = t.file_index)");
    }
    sqlite3_str_appendf(select, " FROM main.\"%w\" AS t ORDER BY rowid", t->name);
    char *values_sql = sqlite3_str_finish(values);
    sqlite3_str_appendf(insert, "%s)", values_sql == NULL ? "" : values_sql);
    char *select_sql = sqlite3_str_finish(select);
    char *insert_sql = sqlite3_str_finish(insert);
    TS_STEP(code, ts_db_prepare(&t->select, run->from, select_sql));
    TS_STEP_IF(code, run->to != NULL, ts_db_prepare(&t->insert, run->to, insert_sql));
    sqlite3_free(values_sql);
    sqlite3_free(select_sql);
    sqlite3_free(insert_sql);
    return code;
}

/* --- rows --------------------------------------------------------------------------------------
 */

/* Facts of the run itself; that of the recording's name is not among them. */
static bool is_own_fact(sqlite3_stmt *row)
{
    static const char own[] = " datasize parse_tool tool_version tool_publish_time runtime "
                              "trace_duration source_type redacted cut_from cut_until ";
    const char *name = (const char *)sqlite3_column_text(row, 1);
    char word[64];
    if (name == NULL || strlen(name) > sizeof word - 3) {
        return false;
    }
    (void)sqlite3_snprintf(sizeof word, word, " %s ", name);
    return strstr(own, word) != NULL;
}

static ts_text_class cell_class(const redact_table *t, unsigned column)
{
    if (t->id == TS_T_meta && t->classes[column] == TS_TEXT_VALUE && is_own_fact(t->select)) {
        return TS_TEXT_OWN;
    }
    if (is_dictionary(t->id) && sqlite3_column_int(t->select, t->flag) != 0) {
        return TS_TEXT_NAME;
    }
    return t->classes[column];
}

/* The message of a defect is replaced by the sentence of its kind. */
static ts_text issue_sentence(sqlite3_stmt *row)
{
    const char *code = (const char *)sqlite3_column_text(row, 3);
    for (unsigned i = 0; code != NULL && i < TS_ISSUE_COUNT; i++) {
        if (strcmp(code, ts_issue_list[i].name) == 0) {
            return ts_text_of(ts_issue_list[i].doc);
        }
    }
    return TS_TEXT_NULL;
}

static ts_code redact_cell(redact_run *run, const redact_table *t, unsigned column)
{
    sqlite3_stmt *from = t->select;
    const int at = (int)column + 1;
    const int type = sqlite3_column_type(from, at);
    ts_text text;
    ts_text token;
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) {
        return run->to == NULL ? TS_OK : ts_db_bind_value(run->to, t->insert, at + 1, from, at);
    }
    text.p = type == SQLITE_TEXT ? (const char *)sqlite3_column_text(from, at)
                                 : (const char *)sqlite3_column_blob(from, at);
    text.n = (size_t)sqlite3_column_bytes(from, at);
    if (text.p == NULL && text.n > 0) {
        return ts_db_fail(run->from, SQLITE_NOMEM, "read");
    }
    token = t->id == TS_T_import_issue && t->classes[column] == TS_TEXT_VALUE ? issue_sentence(from)
                                                                              : TS_TEXT_NULL;
    if (token.p == NULL && is_dictionary(t->id) && t->flag == 0) {
        TS_TRY(ts_redact_entry(&token, run->r, text));
    } else if (token.p == NULL) {
        TS_TRY(ts_redact_text(&token, run->r, cell_class(t, column), text));
    }
    if (run->to == NULL) {
        return TS_OK;
    }
    run->done->tokens += token.p != text.p ? 1 : 0;
    const int rc = type == SQLITE_TEXT
                       ? sqlite3_bind_text64(t->insert, at + 1, token.p == NULL ? "" : token.p,
                                             token.n, SQLITE_TRANSIENT, SQLITE_UTF8)
                       : sqlite3_bind_blob64(t->insert, at + 1, token.p == NULL ? "" : token.p,
                                             token.n, SQLITE_TRANSIENT);
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(run->to, rc, "write");
}

static ts_code redact_row(redact_run *run, const redact_table *t)
{
    ts_code code = ts_check_cancel(run->ctx);
    if (code == TS_OK && run->to != NULL) {
        (void)sqlite3_bind_int64(t->insert, 1, sqlite3_column_int64(t->select, 0));
    }
    for (unsigned i = 0; i < t->count && code == TS_OK; i++) {
        code = redact_cell(run, t, i);
    }
    TS_STEP_IF(code, run->to != NULL, ts_db_step(run->to, t->insert));
    return code;
}

static ts_code redact_rows(redact_run *run, const char *name, enum ts_table_id id)
{
    redact_table t = {.name = name, .id = id};
    int rc = SQLITE_DONE;
    ts_code code = describe(&t, run);
    while (code == TS_OK && (rc = sqlite3_step(t.select)) == SQLITE_ROW) {
        code = redact_row(run, &t);
    }
    TS_STEP_IF(code, rc != SQLITE_DONE, ts_db_fail(run->from, rc, "read"));
    (void)sqlite3_finalize(t.select);
    (void)sqlite3_finalize(t.insert);
    return code;
}

/* --- what dictionaries name --------------------------------------------------------------------
 */

/* Ids of data_dict that columns of names refer to, and strings that are names of objects, classes
 * and functions of heaps. */
static ts_code find_named(redact_run *run)
{
    static const char heap[] =
        "CREATE TEMP TABLE redact_heap_named(file_id INTEGER, name INTEGER, PRIMARY KEY(file_id, "
        "name)) WITHOUT "
        "ROWID; INSERT OR IGNORE INTO redact_heap_named SELECT file_id, name FROM js_heap_nodes "
        "WHERE name IS NOT NULL AND file_id IS NOT NULL AND type IN (0, 1, 3, 4, 5, 9);"
        "INSERT OR IGNORE INTO redact_heap_named SELECT file_id, name FROM "
        "js_heap_trace_function_info WHERE name IS NOT NULL AND file_id IS NOT NULL;"
        "INSERT OR IGNORE INTO redact_heap_named SELECT file_id, script_name FROM "
        "js_heap_trace_function_info WHERE script_name IS NOT NULL AND file_id IS NOT NULL;"
        "CREATE TEMP TABLE redact_named(id INTEGER PRIMARY KEY)";
    ts_code code = run->r->level >= TS_REDACT_NAMES ? TS_OK : ts_db_run(run->from, heap);
    if (run->r->level >= TS_REDACT_NAMES) {
        return code;
    }
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        for (unsigned c = 0; c < ts_schema[i].column_count && code == TS_OK; c++) {
            const ts_column *column = &ts_schema[i].columns[c];
            if (strcmp(column->unit, "id of data_dict") == 0 &&
                (ts_column_text_class((enum ts_table_id)i, c) == TS_TEXT_NAME)) {
                code = ts_db_runf(run->from,
                                  "INSERT OR IGNORE INTO redact_named SELECT CAST(\"%w\" AS "
                                  "INTEGER) FROM \"%w\" WHERE \"%w\" IS NOT NULL",
                                  column->name, ts_schema[i].name, column->name);
            }
        }
    }
    return code;
}

static void forget_named(redact_run *run)
{
    (void)sqlite3_exec(run->from->handle,
                       "DROP TABLE IF EXISTS temp.redact_named; DROP TABLE IF EXISTS "
                       "temp.redact_heap_named",
                       NULL, NULL, NULL);
}

/* --- the schema --------------------------------------------------------------------------------
 */

static ts_code redact_object(void *user, const char *type, const char *name, const char *sql)
{
    redact_run *run = user;
    ts_code code = run->to == NULL ? TS_OK : ts_db_run(run->to, sql);
    TS_STEP_IF(code, strcmp(type, "table") == 0, redact_rows(run, name, ts_db_table_id(name)));
    return code;
}

static ts_code redact_objects(redact_run *run, const char *type)
{
    unsigned others;
    ts_code code = ts_db_each_object(&others, run->from, type, redact_object, run);
    run->done->left_out += others;
    return code;
}

/* What was done, for who reads the database. */
static ts_code note_level(redact_run *run)
{
    static const char *const levels[] = {"strings", "names", "all"};
    return ts_db_runf(run->to,
                      "INSERT INTO meta SELECT 'redacted', %Q WHERE EXISTS (SELECT 1 FROM meta) "
                      "AND NOT EXISTS (SELECT 1 FROM meta WHERE name = 'redacted')",
                      levels[run->r->level]);
}

static ts_code redact_all(redact_run *run)
{
    ts_code code = find_named(run);
    TS_STEP(code, redact_objects(run, "table"));
    if (run->to != NULL) {
        TS_STEP(code, redact_objects(run, "view"));
        TS_STEP(code, redact_objects(run, "index"));
        TS_STEP(code, redact_objects(run, "trigger"));
        TS_STEP(code, note_level(run));
        TS_STEP(code, ts_db_end_copy(run->to, run->from));
    }
    forget_named(run);
    return code;
}

ts_code ts_db_redact(ts_redacted *done, ts_db *from, const char *to, ts_redactor *r)
{
    redact_run run = {.ctx = from->ctx, .r = r, .from = from, .done = done};
    ts_code code;
    *done = (ts_redacted){0};
    TS_TRY(ts_db_check_version(from, "redact"));
    code = ts_db_begin_copy(&run.to, run.ctx, to);
    TS_STEP(code, redact_all(&run));
    ts_db_close(run.to);
    return code;
}

ts_code ts_db_redact_learn(ts_db *from, ts_redactor *r)
{
    ts_redacted done = {0};
    redact_run run = {.ctx = from->ctx, .r = r, .from = from, .done = &done};
    TS_TRY(ts_db_check_version(from, "redact"));
    return redact_all(&run);
}
