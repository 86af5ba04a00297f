#include "insertsink.h"

#include "support.h"

#include "base/text.h"

#include <inttypes.h>

struct insertsink {
    ts_sink sink;
    sqlite3 *db;
    const ts_table *tables;
    unsigned count;
    sqlite3_stmt **insert;
    int64_t *rows;
};

static void check(sqlite3 *db, int rc, const char *sql)
{
    if (rc != SQLITE_OK && rc != SQLITE_DONE) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
}

static const char *type_name(ts_column_type type)
{
    static const char *const names[] = {"INTEGER", "REAL", "TEXT", "INTEGER PRIMARY KEY"};
    return names[type];
}

void insertsink_create(sqlite3 *db, const ts_table *table)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendf(sql, "CREATE TABLE \"%w\"(", table->name);
    for (unsigned i = 0; i < table->column_count; i++) {
        sqlite3_str_appendf(sql, "%s\"%w\" %s", i == 0 ? "" : ", ", table->columns[i].name,
                            type_name(table->columns[i].type));
    }
    sqlite3_str_appendf(sql, ")");
    char *text = sqlite3_str_finish(sql);
    check(db, sqlite3_exec(db, text, NULL, NULL, NULL), text);
    sqlite3_free(text);
}

static sqlite3_stmt *insert_of(insertsink *s, unsigned id)
{
    if (s->insert[id] == NULL) {
        const ts_table *table = &s->tables[id];
        sqlite3_str *sql = sqlite3_str_new(s->db);
        sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES(", table->name);
        for (unsigned i = 0; i < table->column_count; i++) {
            sqlite3_str_appendf(sql, i == 0 ? "?" : ",?");
        }
        sqlite3_str_appendf(sql, ")");
        char *text = sqlite3_str_finish(sql);
        check(s->db, sqlite3_prepare_v2(s->db, text, -1, &s->insert[id], NULL), text);
        sqlite3_free(text);
    }
    return s->insert[id];
}

static int bind_column(sqlite3_stmt *st, int n, const ts_column *column, const void *row)
{
    const char *field = (const char *)row + column->offset;
    int64_t integer;
    double real;
    ts_text text;
    switch (column->type) {
    case TS_COL_INT:
    case TS_COL_KEY:
        memcpy(&integer, field, sizeof integer);
        return sqlite3_bind_int64(st, n, integer);
    case TS_COL_REAL:
        memcpy(&real, field, sizeof real);
        return sqlite3_bind_double(st, n, real);
    case TS_COL_TEXT:
        memcpy(&text, field, sizeof text);
        return sqlite3_bind_text64(st, n, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
    }
    return SQLITE_MISUSE;
}

void insertsink_put(insertsink *s, unsigned id, const void *row)
{
    const ts_table *table = &s->tables[id];
    sqlite3_stmt *st = insert_of(s, id);
    uint64_t null;
    memcpy(&null, row, sizeof null);
    for (unsigned i = 0; i < table->column_count; i++) {
        const ts_column *column = &table->columns[i];
        bool is_null = (null >> i & 1) != 0 && column->type != TS_COL_KEY;
        check(s->db,
              is_null ? sqlite3_bind_null(st, (int)i + 1)
                      : bind_column(st, (int)i + 1, column, row),
              table->name);
    }
    check(s->db, sqlite3_step(st), table->name);
    check(s->db, sqlite3_reset(st), table->name);
    s->rows[id]++;
    assert_int_equal(sqlite3_last_insert_rowid(s->db), s->rows[id]);
}

void insertsink_start(insertsink *s, unsigned table, int64_t rows)
{
    s->rows[table] = rows;
}

void insertsink_complete(insertsink *s, unsigned id, int64_t rowid, unsigned column, int64_t value)
{
    char *sql =
        sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = %lld WHERE rowid = %lld", s->tables[id].name,
                        s->tables[id].columns[column].name, (long long)value, (long long)rowid);
    check(s->db, sqlite3_exec(s->db, sql, NULL, NULL, NULL), sql);
    assert_int_equal(sqlite3_changes(s->db), 1);
    sqlite3_free(sql);
}

/* --- as a sink ----------------------------------------------------------------------------- */

static ts_code put(void *self, enum ts_table_id id, const void *row, uint64_t reserved)
{
    (void)reserved;
    insertsink_put(self, id, row);
    return TS_OK;
}

static ts_code complete(void *self, enum ts_table_id id, int64_t rowid, unsigned column,
                        int64_t value)
{
    insertsink_complete(self, id, rowid, column, value);
    return TS_OK;
}

/* The new value of a column. */
static char *amended_value(const ts_amendment *what, const char *name)
{
    switch (what->kind) {
    case TS_AMEND_TEXT:
        return sqlite3_mprintf("%.*Q", (int)what->text.n, what->text.p);
    case TS_AMEND_INT:
        return sqlite3_mprintf("%lld", (long long)what->value);
    case TS_AMEND_MOVE:
        return sqlite3_mprintf("\"%w\" + %lld", name, (long long)what->value);
    case TS_AMEND_NULL:
        break;
    }
    return sqlite3_mprintf("%s", strcmp(name, TS_COMPLETE_COLUMN) == 0 ? "0" : "NULL");
}

static ts_code amend(void *self, const ts_amendment *what)
{
    insertsink *s = self;
    const ts_table *table = &s->tables[what->table];
    for (unsigned i = 0; i < table->column_count; i++) {
        if ((what->columns >> i & 1) == 0) {
            continue;
        }
        char *value = amended_value(what, table->columns[i].name);
        char *sql = sqlite3_mprintf(
            "UPDATE \"%w\" SET \"%w\" = %s WHERE rowid BETWEEN %lld AND %lld", table->name,
            table->columns[i].name, value, (long long)what->first, (long long)what->last);
        check(s->db, sqlite3_exec(s->db, sql, NULL, NULL, NULL), sql);
        assert_int_equal(sqlite3_changes(s->db), what->last - what->first + 1);
        sqlite3_free(sql);
        sqlite3_free(value);
    }
    return TS_OK;
}

static void release(void *self, enum ts_table_id id, int64_t rowid)
{
    (void)self;
    (void)id;
    (void)rowid;
}

insertsink *insertsink_new(sqlite3 *db, const ts_table *tables, unsigned count)
{
    insertsink *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->insert = calloc(count, sizeof *s->insert);
    s->rows = calloc(count, sizeof *s->rows);
    assert_true(s->insert != NULL && s->rows != NULL);
    s->db = db;
    s->tables = tables;
    s->count = count;
    s->sink = ts_sink_of(
        s, &(ts_sink_calls){.put = put, .complete = complete, .release = release, .amend = amend});
    return s;
}

void insertsink_free(insertsink *s)
{
    if (s != NULL) {
        for (unsigned i = 0; i < s->count; i++) {
            (void)sqlite3_finalize(s->insert[i]);
        }
        free(s->insert);
        free(s->rows);
        free(s);
    }
}

ts_sink *insertsink_sink(insertsink *s)
{
    return &s->sink;
}
