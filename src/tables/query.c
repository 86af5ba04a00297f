#include "tables/database_private.h"

#include "base/alloc.h"
#include "base/json_out.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* --- parameters ---------------------------------------------------------------------------- */

/* The grammar of numbers is checked here, because strtod also takes "nan", "0x1p3" and blanks. */
static bool looks_like_number(const char *s, bool *is_real)
{
    *is_real = false;
    s += *s == '+' || *s == '-' ? 1 : 0;
    size_t digits = strspn(s, "0123456789");
    s += digits;
    if (*s == '.') {
        *is_real = true;
        size_t more = strspn(s + 1, "0123456789");
        digits += more;
        s += 1 + more;
    }
    if (digits == 0) {
        return false;
    }
    if (*s == 'e' || *s == 'E') {
        *is_real = true;
        s += s[1] == '+' || s[1] == '-' ? 2 : 1;
        size_t more = strspn(s, "0123456789");
        if (more == 0) {
            return false;
        }
        s += more;
    }
    return *s == '\0';
}

static ts_code read_real(double *real, ts_ctx *ctx, const char *value)
{
    /* The decimal point is a point in every locale. */
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0) {
        return ts_fail(ctx, TS_ERR_NOMEM, "out of memory: locale");
    }
    *real = strtod_l(value, NULL, c);
    freelocale(c);
    return TS_OK;
}

static ts_code bind_value(ts_db *db, sqlite3_stmt *st, int n, const char *value)
{
    bool is_real;
    bool is_number = looks_like_number(value, &is_real);
    double real = 0;
    int rc;
    errno = 0;
    long long integer = is_number && !is_real ? strtoll(value, NULL, 10) : 0;
    if (is_number && !is_real && errno == 0) {
        rc = sqlite3_bind_int64(st, n, integer);
    } else if (is_number) {
        TS_TRY(read_real(&real, db->ctx, value));
        rc = sqlite3_bind_double(st, n, real);
    } else {
        rc = sqlite3_bind_text64(st, n, value, strlen(value), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(db, rc, "bind a parameter on");
}

/* --- statements ---------------------------------------------------------------------------- */

typedef struct real_digits {
    char p[32];
} real_digits;

typedef struct query {
    ts_db *db;
    char *sql; /* NUL-terminated copy: SQLite then needs none of its own */
    const ts_param *params;
    size_t param_count;
    bool *used; /* one a parameter */
    const ts_rows_visitor *visitor;
    const char **values;
    const char **names;
    size_t *lengths;
    ts_cell_type *types;
    real_digits *digits;
    size_t room; /* of values, names, lengths, types, digits */
    /* Not NULL: gets the last statement and its place, prepared and not run. */
    sqlite3_stmt **last;
    const char **last_at;
} query;

/* Skips blanks, comments and empty statements, so that the line of the statement itself is named.
 * What is something else for SQLite (a vertical tab, a bare slash and star at the end) is left to
 * it. */
static const char *skip_to_statement(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\r\n\f;");
        if (p[0] == '-' && p[1] == '-') {
            p += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*' && p[2] != '\0') {
            const char *end = strstr(p + 2, "*/");
            p = end == NULL ? p + strlen(p) : end + 2;
        } else {
            return p;
        }
    }
}

static unsigned long line_of(const query *q, const char *at)
{
    unsigned long line = 1;
    for (const char *p = q->sql; p < at; p++) {
        line += *p == '\n' ? 1 : 0;
    }
    return line;
}

/* A failure while the statement at `at` was prepared or run. */
static ts_code statement_failed(const query *q, const char *at, int rc)
{
    ts_ctx *ctx = q->db->ctx;
    int kind = rc & 0xff;
    if (kind == SQLITE_NOMEM || kind == SQLITE_INTERRUPT || kind == SQLITE_IOERR ||
        kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_FULL) {
        ts_db_fail(q->db, rc, "read");
        return ts_cause(ctx, "SQL statement failed: line=%lu", line_of(q, at));
    }
    const char *reason =
        kind == SQLITE_AUTH ? "queries cannot change the database" : sqlite3_errmsg(q->db->handle);
    return ts_fail(ctx, TS_ERR_USAGE, "SQL error: line=%lu: %s", line_of(q, at), reason);
}

static ts_code bind_all(const query *q, sqlite3_stmt *st)
{
    ts_code code = TS_OK;
    int n = sqlite3_bind_parameter_count(st);
    for (int i = 1; code == TS_OK && i <= n; i++) {
        const char *name = sqlite3_bind_parameter_name(st, i);
        bool bound = name == NULL;
        /* The last value given for a name counts, as with options on a command line. */
        for (size_t k = q->param_count; name != NULL && k-- > 0;) {
            if (strcmp(q->params[k].name, name + 1) == 0) {
                code = bind_value(q->db, st, i, q->params[k].value);
                bound = true;
                break;
            }
        }
        if (!bound && q->visitor->unbound != NULL) {
            q->visitor->unbound(q->visitor->user, name + 1);
        }
    }
    return code;
}

static void mark_used(query *q, sqlite3_stmt *st)
{
    int n = sqlite3_bind_parameter_count(st);
    for (int i = 1; i <= n; i++) {
        const char *name = sqlite3_bind_parameter_name(st, i);
        for (size_t k = 0; name != NULL && k < q->param_count; k++) {
            if (strcmp(q->params[k].name, name + 1) == 0) {
                q->used[k] = true;
            }
        }
    }
}

/* Arrays for n columns, in one piece of memory that begins at `values`. */
static ts_code query_make_room(query *q, size_t n)
{
    ts_ctx *ctx = q->db->ctx;
    if (n <= q->room) {
        return TS_OK;
    }
    ts_free(ctx, q->values);
    q->room = 0;
    TS_NEED(ctx, q->values = ts_alloc(ctx, n,
                                      sizeof *q->values + sizeof *q->names + sizeof *q->lengths +
                                          sizeof *q->types + sizeof *q->digits));
    q->names = q->values + n;
    q->lengths = (size_t *)(void *)(q->names + n);
    q->types = (ts_cell_type *)(void *)(q->lengths + n);
    q->digits = (real_digits *)(void *)(q->types + n);
    q->room = n;
    return TS_OK;
}

static ts_cell_type declared_type(sqlite3_stmt *st, int column)
{
    static const struct {
        const char *name;
        ts_cell_type type;
    } types[] = {{"INTEGER", TS_CELL_INT},
                 {"INT", TS_CELL_INT},
                 {"REAL", TS_CELL_REAL},
                 {"TEXT", TS_CELL_TEXT},
                 {"BLOB", TS_CELL_BLOB}};
    const char *declared = sqlite3_column_decltype(st, column);
    for (size_t i = 0; declared != NULL && i < sizeof types / sizeof types[0]; i++) {
        if (sqlite3_stricmp(declared, types[i].name) == 0) {
            return types[i].type;
        }
    }
    return TS_CELL_NULL;
}

static ts_code visit_header(query *q, sqlite3_stmt *st, const char *at, int n)
{
    for (int i = 0; i < n; i++) {
        q->names[i] = sqlite3_column_name(st, i);
        if (q->names[i] == NULL) {
            return statement_failed(q, at, SQLITE_NOMEM);
        }
        q->types[i] = declared_type(st, i);
    }
    if (q->visitor->declared != NULL) {
        q->visitor->declared(q->visitor->user, q->types, n);
    }
    return q->visitor->header == NULL ? TS_OK : q->visitor->header(q->visitor->user, q->names, n);
}

/* By SQLite's numbers of types. */
static const ts_cell_type cell_types[] = {[SQLITE_INTEGER] = TS_CELL_INT,
                                          [SQLITE_FLOAT] = TS_CELL_REAL,
                                          [SQLITE_TEXT] = TS_CELL_TEXT,
                                          [SQLITE_BLOB] = TS_CELL_BLOB,
                                          [SQLITE_NULL] = TS_CELL_NULL};

/* A real with all the digits that it needs: SQLite's text has 15. */
static bool exact_real(query *q, sqlite3_stmt *st, int i)
{
    const double real = sqlite3_column_double(st, i);
    if (q->types[i] != TS_CELL_REAL || q->visitor->declared == NULL || !isfinite(real)) {
        return false;
    }
    q->values[i] = q->digits[i].p;
    q->lengths[i] = ts_shortest_real(q->digits[i].p, real);
    return true;
}

static ts_code visit_row(query *q, sqlite3_stmt *st, const char *at, int n)
{
    for (int i = 0; i < n; i++) {
        q->lengths[i] = 0;
        q->values[i] = NULL;
        q->types[i] = cell_types[sqlite3_column_type(st, i)];
        if (q->types[i] == TS_CELL_NULL || exact_real(q, st, i)) {
            continue;
        }
        /* Text first, then its length: the conversion decides the length. */
        const void *text = sqlite3_column_text(st, i);
        q->lengths[i] = (size_t)sqlite3_column_bytes(st, i);
        if (text == NULL && sqlite3_errcode(q->db->handle) == SQLITE_NOMEM) {
            return statement_failed(q, at, SQLITE_NOMEM);
        }
        q->values[i] = text == NULL ? "" : text;
    }
    return q->visitor->row == NULL
               ? TS_OK
               : q->visitor->row(q->visitor->user, q->values, q->lengths, q->types, n);
}

static ts_code run_statement(query *q, sqlite3_stmt *st, const char *at)
{
    int n = sqlite3_column_count(st);
    ts_code code = query_make_room(q, (size_t)n);
    TS_STEP(code, bind_all(q, st));
    /* One step before the header: the statement may be prepared anew in it. */
    int rc = code == TS_OK ? sqlite3_step(st) : SQLITE_ERROR;
    TS_STEP_IF(code, n > 0 && (rc == SQLITE_ROW || rc == SQLITE_DONE), visit_header(q, st, at, n));
    while (code == TS_OK && rc == SQLITE_ROW) {
        code = visit_row(q, st, at, n);
        if (code == TS_OK) {
            rc = sqlite3_step(st);
        }
    }
    TS_STEP_IF(code, rc != SQLITE_DONE, statement_failed(q, at, rc));
    return code;
}

/* What a pass over the statements does with each. */
typedef enum pass { PASS_NAMES, PASS_RUN } pass;

/*
 * Goes over all statements. PASS_NAMES only collects the names of parameters, so that a mistyped
 * one stops us before the first statement; it ends early (*whole = false) at a statement that
 * cannot be prepared yet, because it may need what an earlier one makes.
 */
static ts_code each_statement(query *q, pass what, bool *whole)
{
    ts_code code = TS_OK;
    const char *at = skip_to_statement(q->sql);
    *whole = true;
    while (code == TS_OK && *at != '\0') {
        sqlite3_stmt *st = NULL;
        const char *tail = NULL;
        int rc = sqlite3_prepare_v2(q->db->handle, at, -1, &st, &tail);
        if (rc != SQLITE_OK && what == PASS_NAMES) {
            *whole = false;
            break;
        }
        if (rc != SQLITE_OK) {
            code = statement_failed(q, at, rc);
            break;
        }
        /* Nothing but blanks in SQLite's eyes, and it did not move on: the end. */
        const char *next = st == NULL && tail <= at ? "" : skip_to_statement(tail);
        if (st != NULL) {
            mark_used(q, st);
        }
        if (st != NULL && what == PASS_RUN && q->last != NULL && *next == '\0') {
            *q->last = st;
            *q->last_at = at;
            break;
        }
        TS_STEP_IF(code, st != NULL && what == PASS_RUN, run_statement(q, st, at));
        (void)sqlite3_finalize(st);
        at = next;
    }
    return code;
}

static ts_code check_used(const query *q)
{
    for (size_t i = 0; i < q->param_count; i++) {
        if (!q->used[i]) {
            return ts_fail(q->db->ctx, TS_ERR_USAGE, "no statement has a parameter named \"%s\"",
                           q->params[i].name);
        }
    }
    return TS_OK;
}

/* Pragmas whose argument names what to report. */
static bool pragma_only_reads(const char *name)
{
    static const char *const names[] = {"table_info",      "table_xinfo",      "table_list",
                                        "index_info",      "index_xinfo",      "index_list",
                                        "integrity_check", "foreign_key_list", "quick_check"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (sqlite3_stricmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Queries change nothing: everything that writes into the database, attaches a file or sets a
 * pragma is refused. A connection opened for reading needs that too, for VACUUM INTO and ATTACH
 * make files beside a database that cannot be written itself. Temporary tables are fine.
 */
static int authorize(void *user, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    (void)user;
    (void)trigger;
    bool temporary = database != NULL && strcmp(database, "temp") == 0;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_TRIGGER:
    case SQLITE_DROP_TEMP_VIEW:
        return SQLITE_OK;
    case SQLITE_UPDATE:
        /* Table-valued functions declare their columns like this. Statements cannot update the
         * schema anyway: it takes a pragma that is refused. */
        return temporary || strcmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        return second == NULL || pragma_only_reads(first) ? SQLITE_OK : SQLITE_DENY;
    default:
        return temporary ? SQLITE_OK : SQLITE_DENY;
    }
}

/* Everything that comes before the first statement is run. */
static ts_code prepare_query(query *q)
{
    bool whole = false;
    ts_db *db = q->db;
    TS_TRY(ts_check_cancel(db->ctx)); /* SQLite looks only after some work */
    sqlite3_set_authorizer(db->handle, authorize, NULL);
    ts_db_watch_cancel(db);
    ts_db_limit_memory(db->ctx);
    ts_code code = each_statement(q, PASS_NAMES, &whole);
    return code != TS_OK || !whole ? code : check_used(q);
}

/* Takes a copy of the text. Released with free_query, also after an error. */
static ts_code new_query(query *q, ts_db *db, const char *sql, size_t n, const ts_param *params,
                         size_t param_count)
{
    ts_ctx *ctx = db->ctx;
    *q = (query){.db = db, .params = params, .param_count = param_count};
    if (db->state == TS_DB_WRITING) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "query on an unfinished database");
    }
    if (n > 0 && memchr(sql, '\0', n) != NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "SQL error: the text contains a NUL byte");
    }
    TS_NEED(ctx, q->sql = ts_strndup(ctx, sql, n));
    TS_NEED(ctx, q->used = ts_zalloc(ctx, param_count, sizeof *q->used));
    return TS_OK;
}

static void free_query(query *q)
{
    ts_ctx *ctx = q->db->ctx;
    ts_free(ctx, q->values);
    ts_free(ctx, q->used);
    ts_free(ctx, q->sql);
}

ts_code ts_db_query(ts_db *db, const char *sql, size_t n, const ts_param *params,
                    size_t param_count, const ts_rows_visitor *visitor)
{
    query q;
    bool whole;
    ts_code code = new_query(&q, db, sql, n, params, param_count);
    q.visitor = visitor;
    TS_STEP(code, prepare_query(&q));
    TS_STEP(code, each_statement(&q, PASS_RUN, &whole));
    TS_STEP(code, check_used(&q));
    free_query(&q);
    return code;
}

/* --- row by row ---------------------------------------------------------------------------- */

struct ts_steps {
    query query;
    sqlite3_stmt *st; /* NULL: the text has no statement */
    const char *at;
    int columns;
    bool first; /* a row that was stepped to, and not asked for yet */
    bool ended;
};

static ts_code step_on(ts_steps *s)
{
    int rc = sqlite3_step(s->st);
    s->ended = rc != SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? TS_OK : statement_failed(&s->query, s->at, rc);
}

ts_code ts_steps_open(ts_steps **out, ts_db *db, const char *sql, size_t n, const ts_param *params,
                      size_t param_count)
{
    static const ts_rows_visitor none = {0};
    ts_steps *s = ts_zalloc(db->ctx, 1, sizeof *s);
    bool whole;
    *out = NULL;
    TS_NEED(db->ctx, s);
    s->ended = true;
    ts_code code = new_query(&s->query, db, sql, n, params, param_count);
    s->query.visitor = &none;
    s->query.last = &s->st;
    s->query.last_at = &s->at;
    TS_STEP(code, prepare_query(&s->query));
    TS_STEP(code, each_statement(&s->query, PASS_RUN, &whole));
    TS_STEP(code, check_used(&s->query));
    if (code == TS_OK && s->st != NULL) {
        s->columns = sqlite3_column_count(s->st);
        code = bind_all(&s->query, s->st);
        TS_STEP(code, step_on(s));
        s->first = true;
    }
    s->query.params = NULL; /* the caller's; SQLite has its own copies of texts now */
    if (code != TS_OK) {
        ts_steps_close(s);
        return code;
    }
    *out = s;
    return TS_OK;
}

void ts_steps_close(ts_steps *s)
{
    if (s != NULL) {
        (void)sqlite3_finalize(s->st);
        free_query(&s->query);
        ts_free(s->query.db->ctx, s);
    }
}

ts_code ts_steps_next(bool *row, ts_steps *s)
{
    ts_code code = TS_OK;
    if (s->first) {
        s->first = false;
    } else if (!s->ended) {
        code = step_on(s);
    }
    *row = code == TS_OK && !s->ended;
    return code;
}

int ts_steps_columns(const ts_steps *s)
{
    return s->columns;
}

const char *ts_steps_name(ts_steps *s, int column)
{
    return sqlite3_column_name(s->st, column);
}

ts_cell_type ts_steps_declared(ts_steps *s, int column)
{
    return declared_type(s->st, column);
}

ts_step_value ts_steps_value(ts_steps *s, int column)
{
    ts_step_value cell = {.type = cell_types[sqlite3_column_type(s->st, column)]};
    switch (cell.type) {
    case TS_CELL_INT:
        cell.i = sqlite3_column_int64(s->st, column);
        return cell;
    case TS_CELL_REAL:
        cell.r = sqlite3_column_double(s->st, column);
        return cell;
    case TS_CELL_TEXT:
        cell.p = (const char *)sqlite3_column_text(s->st, column);
        break;
    case TS_CELL_BLOB:
        cell.p = sqlite3_column_blob(s->st, column);
        break;
    case TS_CELL_NULL:
        return cell;
    }
    cell.n = cell.p == NULL ? 0 : (size_t)sqlite3_column_bytes(s->st, column);
    cell.p = cell.p == NULL ? "" : cell.p;
    return cell;
}

const char *ts_number_text(char text[TS_NUMBER_TEXT], ts_cell_type type, int64_t i, double r)
{
    return type == TS_CELL_INT ? sqlite3_snprintf(TS_NUMBER_TEXT, text, "%lld", (long long)i)
                               : sqlite3_snprintf(TS_NUMBER_TEXT, text, "%!.15g", r);
}

ts_rows_from ts_db_rows(ts_db *db)
{
    return (ts_rows_from){.ctx = db->ctx, .db = db->handle};
}

ts_code ts_db_rows_open(ts_rows_from *out, ts_reader **reader, ts_db *db)
{
    const char *path = sqlite3_db_filename(db->handle, "main");
    *out = ts_db_rows(db);
    *reader = NULL;
    if (path == NULL || path[0] == '\0') {
        return TS_OK;
    }
    ts_code code = ts_reader_open(reader, db->ctx, path);
    out->reader = code == TS_OK ? *reader : NULL;
    return code == TS_ERR_NOMEM || code == TS_ERR_LIMIT ? code : TS_OK;
}

ts_code ts_db_int(int64_t *out, bool *found, ts_db *db, const char *sql)
{
    sqlite3_stmt *st = NULL;
    ts_code code = TS_OK;
    *found = false;
    ts_db_limit_memory(db->ctx);
    int rc = sqlite3_prepare_v2(db->handle, sql, -1, &st, NULL);
    if (rc != SQLITE_OK) {
        return (rc & 0xff) == SQLITE_ERROR ? TS_OK : ts_db_fail(db, rc, "read");
    }
    rc = sqlite3_step(st);
    if (rc == SQLITE_ROW) {
        *found = sqlite3_column_type(st, 0) != SQLITE_NULL;
        *out = sqlite3_column_int64(st, 0);
    } else if (rc != SQLITE_DONE) {
        code = ts_db_fail(db, rc, "read");
    }
    (void)sqlite3_finalize(st);
    return code;
}
