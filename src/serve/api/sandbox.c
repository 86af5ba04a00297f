/*
 * A read-only connection for statements that anyone may have written.
 *
 * An authorizer allows SELECT, reading of columns, recursion, functions but for those that load or
 * touch files, and a few pragmas that only read; everything else is denied and remembered
 * (`denied`). SQLite's limits bound values and statements, memory is not mapped, and a progress
 * handler asks the guard every SANDBOX_STEPS steps. A function that runs long inside one step is
 * not interrupted by it: such work runs in a process that can be killed (workers.c).
 *
 * A guard ends work for one of three reasons, checked in this order and kept once found: the server
 * stops, the deadline has passed, the client has closed its connection. A database in WAL mode
 * whose log is missing is opened as immutable, because SQLite would otherwise make files next to
 * it.
 */
#include "serve/api/sandbox.h"

#include "base/buf.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    SANDBOX_STEPS = 10000,
    SANDBOX_HEADER = 20,
    SANDBOX_READ_VERSION = 19, /* 2 at this place of the file: write-ahead log */
};

/* --- guards ---------------------------------------------------------------------------------- */

int64_t ts_guard_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

bool ts_guard_ended(ts_guard *guard)
{
    if (guard == NULL) {
        return false;
    }
    struct pollfd client = {.fd = guard->fd, .events = POLLRDHUP};
    if (guard->why != TS_GUARD_RUNS) {
        return true;
    }
    if (guard->stop != NULL && atomic_load(guard->stop)) {
        guard->why = TS_GUARD_STOPPED;
    } else if (guard->deadline_ns != 0 && ts_guard_now() >= guard->deadline_ns) {
        guard->why = TS_GUARD_TIMEOUT;
    } else if (guard->fd >= 0 && poll(&client, 1, 0) > 0) {
        guard->why = TS_GUARD_GONE;
    }
    return guard->why != TS_GUARD_RUNS;
}

ts_code ts_guard_check(ts_guard *guard, ts_ctx *ctx)
{
    if (!ts_guard_ended(guard)) {
        return TS_OK;
    }
    return ts_fail(ctx, TS_ERR_INTERRUPTED, "%s",
                   guard->why == TS_GUARD_TIMEOUT ? "the time limit was reached"
                   : guard->why == TS_GUARD_GONE  ? "the client has closed the connection"
                                                  : "the server is stopping");
}

/* --- what a statement may do ----------------------------------------------------------------- */

static bool name_in(const char *name, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (name != NULL && sqlite3_stricmp(name, *list) == 0) {
            return true;
        }
    }
    return false;
}

static bool sandbox_allows(int action, const char *a, const char *b)
{
    static const char *const pragmas[] = {"table_info",      "table_xinfo", "table_list",
                                          "index_list",      "index_xinfo", "function_list",
                                          "compile_options", NULL};
    static const char *const refused[] = {"load_extension", "readfile",       "writefile",
                                          "edit",           "fts3_tokenizer", NULL};
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return true;
    case SQLITE_FUNCTION:
        return !name_in(b, refused);
    case SQLITE_PRAGMA:
        return name_in(a, pragmas);
    default:
        return false;
    }
}

static int sandbox_authorize(void *user, int action, const char *a, const char *b,
                             const char *database, const char *trigger)
{
    ts_sandbox *s = user;
    (void)database;
    (void)trigger;
    if (sandbox_allows(action, a, b)) {
        return SQLITE_OK;
    }
    s->denied = true;
    return SQLITE_DENY;
}

static int sandbox_progress(void *user)
{
    ts_sandbox *s = user;
    return ts_guard_ended(s->guard) ? 1 : 0;
}

/* --- opening --------------------------------------------------------------------------------- */

/*
 * A database in WAL mode whose log is not there is read as a file that does not change: SQLite
 * would make the log and its index beside it.
 */
static bool sandbox_immutable(const char *path, const char *wal)
{
    unsigned char header[SANDBOX_HEADER];
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool is_wal = fd >= 0 && read(fd, header, sizeof header) == (ssize_t)sizeof header &&
                  header[SANDBOX_READ_VERSION] == 2;
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_wal && stat(wal, &st) != 0;
}

static ts_code sandbox_uri(ts_ctx *ctx, ts_buf *uri, const char *path)
{
    ts_buf wal = {0};
    ts_code code = ts_buf_printf(ctx, &wal, "%s-wal%c", path, 0);
    TS_STEP(code, ts_buf_printf(ctx, uri, "file:%s", path[0] == '/' ? "" : "./"));
    for (const char *p = path; code == TS_OK && *p != '\0'; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                     (*p >= '0' && *p <= '9') || strchr("/.-_", *p) != NULL;
        code = ts_buf_printf(ctx, uri, plain ? "%c" : "%%%02X", (unsigned char)*p);
    }
    TS_STEP(code,
            ts_buf_printf(ctx, uri, "?mode=ro&%s%c",
                          sandbox_immutable(path, wal.p) ? "immutable=1" : "readonly_shm=1", 0));
    ts_buf_free(ctx, &wal);
    return code;
}

static void sandbox_limit(sqlite3 *db)
{
    static const struct {
        int what;
        int most;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, 16 << 20},      {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
        {SQLITE_LIMIT_COLUMN, 2000},          {SQLITE_LIMIT_EXPR_DEPTH, 1000},
        {SQLITE_LIMIT_COMPOUND_SELECT, 500},  {SQLITE_LIMIT_VDBE_OP, 1000000},
        {SQLITE_LIMIT_FUNCTION_ARG, 127},     {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 1000}, {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10000},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},      {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        (void)sqlite3_limit(db, limits[i].what, limits[i].most);
    }
}

/*
 * Table-valued functions are declared at their first use, by statements that change the schema in
 * memory: that has to be over before the authorizer is there. That a function is not in this SQLite
 * is no error.
 */
static int sandbox_declare(sqlite3 *db)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(
        db,
        "SELECT 1 FROM json_each('[]'), json_tree('[]'), pragma_table_info('t'), "
        "pragma_table_xinfo('t'), pragma_table_list, pragma_index_list('t'), "
        "pragma_index_xinfo('t'), pragma_function_list, pragma_compile_options",
        -1, &st, NULL);
    (void)sqlite3_finalize(st);
    return rc == SQLITE_ERROR ? SQLITE_OK : rc;
}

static int sandbox_configure(ts_sandbox *s)
{
    static const int off[] = {
        SQLITE_DBCONFIG_TRUSTED_SCHEMA,
        SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
        SQLITE_DBCONFIG_ENABLE_TRIGGER,
        SQLITE_DBCONFIG_DQS_DML,
        SQLITE_DBCONFIG_DQS_DDL,
#ifdef SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE
        SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE,
        SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE,
#endif
    };
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        (void)sqlite3_db_config(s->db, off[i], 0, NULL);
    }
    (void)sqlite3_extended_result_codes(s->db, 1);
    (void)sqlite3_busy_timeout(s->db, 1000);
    /* Without a mapping a file that becomes shorter is an error and not a signal. The last one
     * reads the file for the first time. */
    int rc = sqlite3_exec(s->db,
                          "PRAGMA query_only = 1; PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0;"
                          "PRAGMA temp_store = FILE; PRAGMA cache_size = -2000;"
                          "PRAGMA schema_version",
                          NULL, NULL, NULL);
    rc = rc == SQLITE_OK ? sandbox_declare(s->db) : rc;
    sandbox_limit(s->db);
    (void)sqlite3_set_authorizer(s->db, sandbox_authorize, s);
    sqlite3_progress_handler(s->db, SANDBOX_STEPS, sandbox_progress, s);
    return rc;
}

ts_code ts_sandbox_open(ts_sandbox *s, int *rc, ts_ctx *ctx, const char *path)
{
    ts_buf uri = {0};
    *s = (ts_sandbox){.ctx = ctx};
    *rc = SQLITE_NOMEM;
    ts_code code = sandbox_uri(ctx, &uri, path);
    if (code == TS_OK) {
        *rc = sqlite3_open_v2(uri.p, &s->db,
                              SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL);
        if (*rc == SQLITE_OK) {
            *rc = sandbox_configure(s);
        }
        code = *rc == SQLITE_OK ? TS_OK : ts_sandbox_fail(s, *rc);
    }
    ts_buf_free(ctx, &uri);
    return code;
}

void ts_sandbox_close(ts_sandbox *s)
{
    (void)sqlite3_close_v2(s->db);
    s->db = NULL;
}

ts_code ts_sandbox_fail(ts_sandbox *s, int rc)
{
    const char *text = s->db == NULL ? sqlite3_errstr(rc) : sqlite3_errmsg(s->db);
    switch (rc & 0xff) {
    case SQLITE_INTERRUPT:
        (void)ts_guard_check(s->guard, s->ctx);
        return s->guard != NULL && s->guard->why != TS_GUARD_RUNS
                   ? TS_ERR_INTERRUPTED
                   : ts_fail(s->ctx, TS_ERR_INTERRUPTED, "%s", text);
    case SQLITE_NOMEM:
        return ts_fail(s->ctx, TS_ERR_NOMEM, "%s", text);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ts_fail(s->ctx, TS_ERR_INPUT, "the database is damaged: %s", text);
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return ts_fail(s->ctx, TS_ERR_INPUT, "cannot read the database: %s", text);
    default:
        return ts_fail(s->ctx, TS_ERR_USAGE, "%s",
                       s->denied ? "statements that change, attach or load are refused" : text);
    }
}
