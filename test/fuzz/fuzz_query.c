/*
 * The bytes are parameters, NAME=VALUE, each on a line of its own, a line without '=' that ends
 * them, and the statements of -q. What must hold: the statements are those that SQLite itself sees
 * when it is led through the text without our skipping of comments, a failure names a line of the
 * text, what is printed has one line a header and row, nothing for a terminal can control it, and
 * no file is written or made.
 *
 * The connection is one to a small database made by SQLite. What takes longer than a moment is
 * interrupted, as a signal would do it.
 *
 * Options: -max_len=1024 -len_control=0
 */
#include "fuzz.h"
#include "fuzz_dir.h"
#include "fuzz_sqlite.h"

#include "cli/query_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

enum { PARAMS_MAX = 8, HEAP_LIMIT = 64 << 20, ROWS_MAX = 2000, MOMENT_MS = 50 };

static volatile sig_atomic_t alarm_number;
static timer_t timer;
static char database[100];
static int here = -1; /* the directory that the process works in */

typedef struct question {
    ts_ctx *ctx;
    ts_param params[PARAMS_MAX];
    size_t count;
    char *text; /* of the parameters */
    ts_buf sql;
    uint64_t headers;
    uint64_t rows;
    int columns;
} question;

typedef struct printed {
    uint64_t lines;
    bool terminal;
} printed;

/* --- surroundings ----------------------------------------------------------------------------- */

static void on_alarm(int number)
{
    alarm_number = number;
}

static void prepare(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    sqlite3 *db;
    if (database[0] != '\0') {
        return;
    }
    fuzz_dir_make();
    here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check(here >= 0);
    (void)snprintf(database, sizeof database, "%s.db", fuzz_dir);
    fuzz_sqlite_setup();
    (void)sqlite3_hard_heap_limit64(HEAP_LIMIT);
    check(sqlite3_open(database, &db) == SQLITE_OK);
    check(sqlite3_exec(db,
                       "CREATE TABLE process(id INTEGER PRIMARY KEY, pid INT, name TEXT);"
                       "INSERT INTO process VALUES (1, 7, 'a'), (2, 8, NULL), (3, -1, x'00ff1b09');"
                       "CREATE VIEW v AS SELECT pid, count(*) AS n FROM process GROUP BY pid;",
                       NULL, NULL, NULL) == SQLITE_OK);
    check(sqlite3_close(db) == SQLITE_OK);
    (void)signal(SIGUSR2, on_alarm);
    check(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0);
}

static void remove_database(void)
{
    (void)unlink(database);
}

static void set_alarm(long ms)
{
    const struct itimerspec when = {.it_value = {0, ms * 1000000}};
    alarm_number = 0;
    check(timer_settime(timer, 0, &when, NULL) == 0);
}

/* --- the question ----------------------------------------------------------------------------- */

static void read_question(question *q, const uint8_t *p, size_t n)
{
    char *at;
    q->text = malloc(n + 1);
    check(q->text != NULL);
    if (n > 0) {
        memcpy(q->text, p, n);
    }
    q->text[n] = '\0';
    at = q->text;
    while (q->count < PARAMS_MAX) {
        char *end = strchr(at, '\n');
        char *equals = end == NULL ? NULL : memchr(at, '=', (size_t)(end - at));
        if (end == NULL) {
            break;
        }
        *end = '\0';
        if (equals == NULL) {
            at = end + 1;
            break;
        }
        *equals = '\0';
        q->params[q->count++] = (ts_param){at, equals + 1};
        at = end + 1;
    }
    check(ts_buf_put(q->ctx, &q->sql, at, n - (size_t)(at - q->text)) == TS_OK);
}

static ts_code on_header(void *user, const char *const *names, int n)
{
    question *q = user;
    check(n > 0 && names[n - 1] != NULL);
    q->headers++;
    q->columns = n;
    return TS_OK;
}

static ts_code on_row(void *user, const char *const *values, const size_t *lengths,
                      const ts_cell_type *types, int n)
{
    (void)types;
    question *q = user;
    check(n == q->columns);
    for (int i = 0; i < n; i++) {
        check(values[i] != NULL || lengths[i] == 0);
        check(values[i] == NULL || values[i][lengths[i]] == '\0');
    }
    return ++q->rows > ROWS_MAX ? ts_fail(q->ctx, TS_ERR_INTERRUPTED, "enough") : TS_OK;
}

/* Statements with results, as SQLite's own walk through the text finds them. */
static uint64_t count_results(const question *q)
{
    sqlite3 *db;
    const char *at;
    uint64_t results = 0;
    char *sql = malloc(q->sql.n + 1);
    check(sql != NULL);
    if (q->sql.n > 0) {
        memcpy(sql, q->sql.p, q->sql.n);
    }
    sql[q->sql.n] = '\0';
    check(sqlite3_open_v2(database, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK);
    for (at = sql; *at != '\0';) {
        sqlite3_stmt *st = NULL;
        const char *tail = at;
        check(sqlite3_prepare_v2(db, at, -1, &st, &tail) == SQLITE_OK);
        bool stuck = st == NULL && tail <= at;
        results += st != NULL && sqlite3_column_count(st) > 0;
        if (st != NULL) {
            (void)sqlite3_step(st); /* later ones may need what it makes */
        }
        (void)sqlite3_finalize(st);
        if (stuck) {
            break;
        }
        at = tail;
    }
    check(sqlite3_close(db) == SQLITE_OK);
    free(sql);
    return results;
}

static void check_failure(const question *q)
{
    const char *cause = q->ctx->error.causes[0];
    const char *line = strstr(cause, "SQL error: line=");
    unsigned long lines = 1;
    check(cause[0] != '\0');
    for (size_t i = 0; i < q->sql.n; i++) {
        lines += q->sql.p[i] == '\n';
    }
    if (line != NULL && line == cause) {
        unsigned long n = strtoul(line + strlen("SQL error: line="), NULL, 10);
        check(n >= 1 && n <= lines);
    }
}

/* --- printing --------------------------------------------------------------------------------- */

static ssize_t take_output(void *user, int fd, const void *buf, size_t n)
{
    printed *out = user;
    const unsigned char *p = buf;
    check(fd == STDOUT_FILENO);
    for (size_t i = 0; i < n; i++) {
        out->lines += p[i] == '\n';
        check(!out->terminal || p[i] == '\n' || p[i] == '\t' || (p[i] >= ' ' && p[i] != 0x7f));
    }
    return (ssize_t)n;
}

typedef struct asked_of {
    ts_db *db;
    const question *q;
} asked_of;

static ts_code ask_database(void *user, const ts_rows_visitor *visitor)
{
    const asked_of *a = user;
    return ts_db_query(a->db, a->q->sql.p, a->q->sql.n, a->q->params, a->q->count, visitor);
}

static void print(question *q, const ts_row_print *how, ts_code code, uint64_t lines)
{
    printed seen = {0, how->terminal};
    ts_ctx *ctx = q->ctx;
    ts_sys own = ctx->sys;
    ts_output out;
    ts_db *db;
    check(ts_db_open(&db, ctx, database) == TS_OK);
    ts_output_init(&out, ctx, STDOUT_FILENO, "standard output");
    ctx->sys.user = &seen;
    ctx->sys.write = take_output;
    set_alarm(MOMENT_MS * 4);
    asked_of asked = {db, q};
    ts_code printed_code = ts_query_print(ask_database, &asked, how, &out);
    ctx->sys = own;
    ts_output_free(&out);
    ts_db_close(db);
    if (alarm_number == 0) {
        check(printed_code == code && seen.lines == lines);
    }
}

/* A text whose answer may change from one time to the next. */
static bool is_fickle(const question *q)
{
    static const char *const words[] = {"random", "now", "date", "time", "changes", "rowid"};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        for (size_t i = 0; i + strlen(words[w]) <= q->sql.n; i++) {
            if (sqlite3_strnicmp(q->sql.p + i, words[w], (int)strlen(words[w])) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void ask(question *q)
{
    const ts_rows_visitor visitor = {q, on_header, on_row, NULL, NULL};
    ts_db *db;
    check(ts_db_open(&db, q->ctx, database) == TS_OK);
    set_alarm(MOMENT_MS);
    ts_code code =
        ts_db_query(db, q->sql.n == 0 ? "" : q->sql.p, q->sql.n, q->params, q->count, &visitor);
    bool interrupted = alarm_number != 0 || code == TS_ERR_INTERRUPTED;
    set_alarm(0);
    ts_db_close(db);
    check(code == TS_OK || interrupted || code == TS_ERR_USAGE || code == TS_ERR_NOMEM ||
          code == TS_ERR_LIMIT || code == TS_ERR_INPUT);
    if (code != TS_OK) {
        check_failure(q);
    }
    if (interrupted || code == TS_ERR_NOMEM || is_fickle(q)) {
        return;
    }
    uint64_t lines = q->headers + q->rows + (q->headers > 1 ? q->headers - 1 : 0);
    if (code == TS_OK) {
        set_alarm(0);
        check(count_results(q) == q->headers);
    }
    print(q, &(ts_row_print){.format = TS_ROWS_TSV}, code, lines);
    print(q, &(ts_row_print){.format = TS_ROWS_TSV, .terminal = true}, code, lines);
    print(q, &(ts_row_print){.format = TS_ROWS_TABLE, .terminal = true}, code, lines + q->headers);
    print(q, &(ts_row_print){.format = TS_ROWS_JSONL, .terminal = true}, code, q->rows);
    set_alarm(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    question q = {0};
    if (database[0] == '\0') {
        prepare();
        (void)atexit(remove_database);
    }
    q.ctx = fuzz_ctx_new();
    q.ctx->cancel = &alarm_number;
    read_question(&q, data, size);
    check(chdir(fuzz_dir) == 0); /* where files would come with names that have no directory */
    ask(&q);
    check(fchdir(here) == 0);
    check(fuzz_dir_clear() == 0);
    free(q.text);
    ts_buf_free(q.ctx, &q.sql);
    fuzz_ctx_free(q.ctx);
    return 0;
}
