/* Opening finished databases to read them. */
#include "tables/database_private.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>

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
