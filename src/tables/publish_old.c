/*
 * The database that a new one replaces. No program may write it during that time, and before the
 * files beside it are removed, what they hold must be in it: should the program die then, the old
 * database is whole. SQLite itself does that when it opens the database.
 */
#include "tables/publish_private.h"

#include "base/buf.h"
#include "tables/database.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Others hold their locks for a moment only while they open a database, or publish one. */
enum { WAIT_MS = 20, WAITS = 50 };

/* Where SQLite's locks are: https://sqlite.org/fileformat2.html (the lock-byte page). */
enum { PENDING_BYTE = 0x40000000, LOCK_BYTES = 512, HEADER_SIZE = 100, VERSION_AT = 18 };

static ts_code wait_a_moment(ts_ctx *ctx)
{
    struct timespec t = {0, WAIT_MS * 1000000L};
    (void)nanosleep(&t, NULL);
    return ts_check_cancel(ctx);
}

/* The process that holds a lock against ours, or 0. */
static long holder(int fd, short type, off_t from, off_t n)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = from, .l_len = n};
    if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) {
        return 0;
    }
    return lock.l_pid > 0 ? (long)lock.l_pid : -1;
}

/*
 * Who writes the database, or has it open in WAL mode, where a connection may write at any time.
 * One that only reads keeps the old file. -1: an unknown process, 0: none.
 */
static long writer(ts_ctx *ctx, int fd)
{
    unsigned char header[HEADER_SIZE];
    const ts_sys *sys = &ctx->sys;
    ssize_t n = sys->pread(sys->user, fd, header, sizeof header, 0);
    if (n == HEADER_SIZE && header[VERSION_AT] == 2) {
        return holder(fd, F_WRLCK, PENDING_BYTE, LOCK_BYTES);
    }
    long pid = holder(fd, F_WRLCK, PENDING_BYTE, 2);
    return pid != 0 ? pid : holder(fd, F_RDLCK, PENDING_BYTE, LOCK_BYTES);
}

static ts_code locked(ts_ctx *ctx, const ts_place *place, long pid)
{
    if (pid <= 0) {
        return ts_fail(ctx, TS_ERR_OUTPUT,
                       "cannot write the output: path=\"%s\": another program has the database "
                       "open and locks it",
                       place->path);
    }
    return ts_fail(ctx, TS_ERR_OUTPUT,
                   "cannot write the output: path=\"%s\": another program (process %ld) has the "
                   "database open and locks it",
                   place->path, pid);
}

static ts_code find_writer(long *pid, ts_ctx *ctx, const ts_place *place)
{
    *pid = 0;
    int fd = ts_sys_open(ctx, place->final, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
    if (fd < 0 && (errno == ENOENT || errno == EACCES)) {
        return TS_OK; /* gone, or may not be read: ts_old_take finds out */
    }
    if (fd < 0) {
        return errno == EINTR ? ts_check_cancel(ctx)
                              : ts_fail(ctx, TS_ERR_OUTPUT,
                                        "cannot write the output: path=\"%s\": the locks of the "
                                        "database cannot be examined: %s",
                                        place->path, strerror(errno));
    }
    *pid = writer(ctx, fd);
    ctx->sys.close(ctx->sys.user, fd);
    return TS_OK;
}

ts_code ts_old_check_unlocked(ts_ctx *ctx, const ts_place *place)
{
    long pid = 0;
    ts_code code = TS_OK;
    for (int i = 0; place->exists && code == TS_OK && i < WAITS; i++) {
        code = find_writer(&pid, ctx, place);
        if (code != TS_OK || pid == 0) {
            return code;
        }
        code = wait_a_moment(ctx);
    }
    TS_STEP_IF(code, pid != 0, locked(ctx, place, pid));
    return code;
}

/* --- taking it ----------------------------------------------------------------------------- */

static int note_mode(void *user, int n, char **values, char **names)
{
    bool *wal = user;
    (void)names;
    *wal = n > 0 && values[0] != NULL && strcmp(values[0], "wal") == 0;
    return 0;
}

/*
 * Ends with a lock that keeps writers away, a database that is whole by itself, and no WAL mode.
 * EXCLUSIVE first: SQLite then needs no memory that it shares with others (<database>-shm), and
 * leaves WAL mode only when no other process has the database open.
 */
static int old_take(sqlite3 *db)
{
    static const char sql[] = "PRAGMA trusted_schema = OFF;"
                              "PRAGMA locking_mode = EXCLUSIVE;"
                              "PRAGMA journal_mode = DELETE;"
                              "PRAGMA locking_mode = NORMAL;"
                              "BEGIN IMMEDIATE";
    bool wal = false;
    int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(db, "PRAGMA journal_mode", note_mode, &wal, NULL);
    }
    /* SQLite opens for reading what it cannot open for writing, and takes no such lock then. */
    if (rc == SQLITE_OK && sqlite3_db_readonly(db, "main") != 0) {
        return SQLITE_READONLY;
    }
    return rc == SQLITE_OK && wal ? SQLITE_BUSY : rc;
}

static int open_old(sqlite3 **db, ts_ctx *ctx, const ts_place *place)
{
    ts_buf name = {0};
    *db = NULL;
    /* Names like ":memory:" mean something else to SQLite; a path with a slash never does. */
    ts_code code =
        ts_buf_printf(ctx, &name, "%s%s", place->final[0] == '/' ? "" : "./", place->final);
    TS_STEP(code, ts_buf_putc(ctx, &name, '\0'));
    int rc = SQLITE_NOMEM;
    if (code == TS_OK) {
        rc = sqlite3_open_v2(name.p, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    }
    ts_buf_free(ctx, &name);
    return rc;
}

static ts_code cannot_take(ts_ctx *ctx, const ts_place *place, sqlite3 *db, int rc)
{
    bool known = db != NULL && (sqlite3_errcode(db) & 0xff) == rc;
    const char *reason = known ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
    int number = db == NULL ? 0 : sqlite3_system_errno(db);
    if (rc == SQLITE_NOMEM) {
        return ts_fail(ctx, TS_ERR_NOMEM, "out of memory: opening the database \"%s\"",
                       place->path);
    }
    return ts_fail(ctx, TS_ERR_OUTPUT,
                   "cannot write the output: path=\"%s\": the existing database cannot be "
                   "checkpointed: %s%s%s",
                   place->path, reason, number == 0 ? "" : ": ",
                   number == 0 ? "" : strerror(number));
}

/* One attempt; SQLITE_BUSY: again. */
static int try_take(sqlite3 **held, ts_ctx *ctx, const ts_place *place)
{
    struct stat before;
    struct stat after;
    if (lstat(place->final, &before) != 0) {
        return SQLITE_BUSY;
    }
    int rc = open_old(held, ctx, place);
    if (rc == SQLITE_OK) {
        rc = old_take(*held);
    }
    /* Another run may have published meanwhile: the lock must be on the file that has the name.
     */
    if (rc == SQLITE_OK && (lstat(place->final, &after) != 0 || before.st_dev != after.st_dev ||
                            before.st_ino != after.st_ino)) {
        rc = SQLITE_BUSY;
    }
    return rc & 0xff;
}

/* A file that may be replaced but not read (EACCES) is taken for none, unless that would lose what
 * is beside it. */
static ts_code is_database(bool *yes, ts_ctx *ctx, const ts_place *place, bool needed)
{
    struct stat st;
    ts_db_kind kind = TS_DB_NONE;
    *yes = true;
    if (stat(place->final, &st) != 0 || st.st_size == 0) {
        return TS_OK;
    }
    ts_code code = ts_db_kind_of(&kind, ctx, place->final);
    if (code == TS_OK) {
        *yes = kind != TS_DB_NONE;
    } else if (errno == EACCES && !needed) {
        *yes = false;
        code = TS_OK;
    } else if (code == TS_ERR_INPUT) {
        code = ts_fail(ctx, TS_ERR_OUTPUT, "cannot write the output: path=\"%s\": %s", place->path,
                       strerror(errno));
    }
    return code;
}

ts_code ts_old_take(sqlite3 **held, ts_ctx *ctx, const ts_place *place, bool needed)
{
    long pid = 0;
    ts_code code = TS_OK;
    bool yes = false;
    *held = NULL;
    if (!place->exists || (code = is_database(&yes, ctx, place, needed)) != TS_OK || !yes) {
        return code;
    }
    for (int i = 0; code == TS_OK && i < WAITS; i++) {
        int rc = try_take(held, ctx, place);
        if (rc == SQLITE_OK) {
            return TS_OK;
        }
        if (rc != SQLITE_BUSY && rc != SQLITE_LOCKED) {
            code = cannot_take(ctx, place, *held, rc);
        }
        ts_old_release(*held);
        *held = NULL;
        if ((rc == SQLITE_NOTADB || rc == SQLITE_CORRUPT) && !needed) {
            return TS_OK; /* nothing is lost with an unreadable file */
        }
        TS_STEP(code, wait_a_moment(ctx));
    }
    TS_STEP(code, find_writer(&pid, ctx, place));
    TS_STEP(code, locked(ctx, place, pid));
    return code;
}

void ts_old_release(sqlite3 *held)
{
    (void)sqlite3_close(held);
}
