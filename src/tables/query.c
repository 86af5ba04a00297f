#include "tables/database_private.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>

/* --- what is this file? -------------------------------------------------------------------- */

enum { HEADER_SIZE = 100, APPLICATION_ID_AT = 68 };

static ts_code query_cannot_read(ts_ctx *ctx, const char *path)
{
    return ts_fail(ctx, TS_ERR_INPUT, "cannot read the file: path=\"%s\": %s", path,
                   strerror(errno));
}

/* The bytes that begin every SQLite file; *n is less than HEADER_SIZE when there are no more. */
static ts_code query_read_header(size_t *n, ts_ctx *ctx, const char *path,
                                 unsigned char header[HEADER_SIZE])
{
    const ts_sys *sys = &ctx->sys;
    ts_code code = TS_OK;
    struct stat st;
    *n = 0;
    /* O_NONBLOCK: a pipe without a writer must not stop us here. */
    int fd = ts_sys_open(ctx, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0) {
        return query_cannot_read(ctx, path);
    }
    if (sys->fstat(sys->user, fd, &st) != 0) {
        code = query_cannot_read(ctx, path);
    }
    if (code == TS_OK && S_ISREG(st.st_mode)) {
        ssize_t got = ts_sys_pread_all(ctx, fd, header, HEADER_SIZE, 0);
        if (got < 0) {
            code = errno == EINTR ? ts_check_cancel(ctx) : query_cannot_read(ctx, path);
        } else {
            *n = (size_t)got;
        }
    }
    int error = errno;
    sys->close(sys->user, fd);
    errno = error;
    return code;
}

ts_code ts_db_kind_of(ts_db_kind *kind, ts_ctx *ctx, const char *path)
{
    unsigned char header[HEADER_SIZE];
    size_t n;
    *kind = TS_DB_NONE;
    ts_code code = query_read_header(&n, ctx, path, header);
    if (code == TS_OK && n == HEADER_SIZE && memcmp(header, "SQLite format 3", 16) == 0) {
        const unsigned char *p = header + APPLICATION_ID_AT;
        uint32_t id = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        *kind = id == TS_APPLICATION_ID ? TS_DB_OURS : TS_DB_FOREIGN;
    }
    return code;
}

/* --- opening ------------------------------------------------------------------------------- */

/* file:...?immutable=1 for a path of any bytes. */
static ts_code immutable_uri(ts_ctx *ctx, ts_buf *out, const char *path)
{
    ts_code code = ts_buf_printf(ctx, out, "file:");
    for (; code == TS_OK && *path != '\0'; path++) {
        unsigned char c = (unsigned char)*path;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '/' || c == '.' || c == '-' || c == '_';
        code = plain ? ts_buf_putc(ctx, out, (char)c) : ts_buf_printf(ctx, out, "%%%02X", c);
    }
    TS_STEP(code, ts_buf_printf(ctx, out, "?mode=ro&immutable=1"));
    TS_STEP(code, ts_buf_putc(ctx, out, '\0'));
    return code;
}

static int open_and_touch(ts_db *db, const char *name, int more_flags)
{
    int rc = sqlite3_open_v2(name, &db->handle,
                             SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | more_flags, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(db->handle, "PRAGMA trusted_schema = OFF; PRAGMA schema_version", NULL,
                          NULL, NULL);
    }
    return rc;
}

/* Read-only media have no place for the files that a database in WAL mode needs beside it. */
static ts_code query_open_handle(ts_db *db)
{
    ts_buf uri = {0};
    ts_code code = TS_OK;
    int rc = open_and_touch(db, db->path, 0);
    if ((rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_READONLY) {
        (void)sqlite3_close(db->handle);
        db->handle = NULL;
        code = immutable_uri(db->ctx, &uri, db->path);
        if (code != TS_OK) {
            goto out;
        }
        rc = open_and_touch(db, uri.p, SQLITE_OPEN_URI);
    }
    if (rc != SQLITE_OK) {
        code = ts_db_fail(db, rc, "open");
    }
out:
    ts_buf_free(db->ctx, &uri);
    return code;
}

ts_code ts_db_open(ts_db **out, ts_ctx *ctx, const char *path)
{
    *out = NULL;
    ts_db *db = NULL;
    ts_buf name = {0};
    struct stat st;
    ts_code code = TS_OK;
    if (stat(path, &st) != 0) {
        return ts_fail(ctx, TS_ERR_INPUT, "cannot open the database: path=\"%s\": %s", path,
                       strerror(errno));
    }
    ts_db_kind kind;
    TS_TRY_INTO(code, ts_db_kind_of(&kind, ctx, path));
    if (kind == TS_DB_NONE) {
        return ts_fail(ctx, TS_ERR_INPUT, "not an SQLite database: path=\"%s\"", path);
    }
    /* Names like ":memory:" mean something else to SQLite; a path with a slash never does. */
    code = ts_buf_printf(ctx, &name, "%s%s", path[0] == '/' ? "" : "./", path);
    TS_STEP(code, ts_buf_putc(ctx, &name, '\0'));
    TS_STEP(code, ts_db_new(&db, ctx, name.p, TS_DB_READING));
    if (code == TS_OK) {
        ts_db_limit_memory(ctx);
        code = query_open_handle(db);
    }
    if (code == TS_OK) {
        *out = db;
        db = NULL;
    }
    ts_buf_free(ctx, &name);
    ts_db_close(db);
    return code;
}

ts_code ts_db_version(int64_t *version, ts_db *db)
{
    bool found;
    ts_code code = ts_db_int(version, &found, db, "SELECT user_version FROM pragma_user_version()");
    *version = code == TS_OK && found ? *version : 0;
    return code;
}

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
        rc = sqlite3_bind_text64(st, n, value, strlen(value), SQLITE_STATIC, SQLITE_UTF8);
    }
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(db, rc, "bind a parameter on");
}

/* --- statements ---------------------------------------------------------------------------- */

typedef struct query {
    ts_db *db;
    const char *sql; /* NUL-terminated copy: SQLite then needs none of its own */
    const ts_param *params;
    size_t param_count;
    bool *used; /* one a parameter */
    const ts_rows_visitor *visitor;
    const char **values;
    const char **names;
    size_t *lengths;
    ts_cell_type *types;
    size_t room; /* of values, names, lengths, types */
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
                                          sizeof *q->types));
    q->names = q->values + n;
    q->lengths = (size_t *)(void *)(q->names + n);
    q->types = (ts_cell_type *)(void *)(q->lengths + n);
    q->room = n;
    return TS_OK;
}

static ts_code visit_header(query *q, sqlite3_stmt *st, const char *at, int n)
{
    for (int i = 0; i < n; i++) {
        q->names[i] = sqlite3_column_name(st, i);
        if (q->names[i] == NULL) {
            return statement_failed(q, at, SQLITE_NOMEM);
        }
    }
    return q->visitor->header == NULL ? TS_OK : q->visitor->header(q->visitor->user, q->names, n);
}

/* By SQLite's numbers of types. */
static const ts_cell_type cell_types[] = {[SQLITE_INTEGER] = TS_CELL_INT,
                                          [SQLITE_FLOAT] = TS_CELL_REAL,
                                          [SQLITE_TEXT] = TS_CELL_TEXT,
                                          [SQLITE_BLOB] = TS_CELL_BLOB,
                                          [SQLITE_NULL] = TS_CELL_NULL};

static ts_code visit_row(query *q, sqlite3_stmt *st, const char *at, int n)
{
    for (int i = 0; i < n; i++) {
        q->lengths[i] = 0;
        q->values[i] = NULL;
        q->types[i] = cell_types[sqlite3_column_type(st, i)];
        if (q->types[i] == TS_CELL_NULL) {
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
        if (st != NULL) {
            mark_used(q, st);
            code = what == PASS_RUN ? run_statement(q, st, at) : TS_OK;
        }
        bool empty = st == NULL;
        (void)sqlite3_finalize(st);
        /* Nothing but blanks in SQLite's eyes, and it did not move on: the end. */
        at = empty && tail <= at ? "" : skip_to_statement(tail);
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

static ts_code run_query(query *q)
{
    bool whole = false;
    ts_db *db = q->db;
    sqlite3_set_authorizer(db->handle, authorize, NULL);
    ts_db_watch_cancel(db);
    ts_db_limit_memory(db->ctx);
    ts_code code = each_statement(q, PASS_NAMES, &whole);
    TS_STEP_IF(code, whole, check_used(q));
    TS_STEP(code, each_statement(q, PASS_RUN, &whole));
    TS_STEP(code, check_used(q));
    return code;
}

ts_code ts_db_query(ts_db *db, const char *sql, size_t n, const ts_param *params,
                    size_t param_count, const ts_rows_visitor *visitor)
{
    ts_ctx *ctx = db->ctx;
    if (db->state == TS_DB_WRITING) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "query on an unfinished database");
    }
    if (n > 0 && memchr(sql, '\0', n) != NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "SQL error: the text contains a NUL byte");
    }
    query q = {.db = db, .params = params, .param_count = param_count, .visitor = visitor};
    ts_code code = TS_OK;
    char *copy = ts_strndup(ctx, sql, n);
    q.used = ts_zalloc(ctx, param_count, sizeof *q.used);
    if (copy == NULL || q.used == NULL) {
        code = ctx->error.code;
        goto out;
    }
    q.sql = copy;
    code = run_query(&q);
out:
    ts_free(ctx, q.values);
    ts_free(ctx, q.used);
    ts_free(ctx, copy);
    return code;
}

ts_rows_from ts_db_rows(ts_db *db)
{
    return (ts_rows_from){.ctx = db->ctx, .db = db->handle};
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
