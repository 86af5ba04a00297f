/*
 * The yardstick for rows: SQLite's own prepared INSERTs.
 *
 * bench_inserts FILE DB NEW: reads the rows of js_heap_nodes and js_heap_edges of the finished
 * database DB into memory, then inserts them into the new database NEW, in one transaction with
 * journal and synchronous off, and appends a line to FILE as bench_measure does. Only the
 * transaction is timed: neither reading the rows nor creating the tables.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { TABLES = 2 };

typedef struct rows {
    const char *table;
    char *create;
    int columns;
    int64_t *values;
    uint64_t *nulls; /* a word per row: a bit per column */
    size_t count;
} rows;

typedef struct cost {
    double wall;
    double user;
    double system;
} cost;

static _Noreturn void die(sqlite3 *db, const char *what)
{
    fprintf(stderr, "bench_inserts: %s: %s\n", what, db == NULL ? "no memory" : sqlite3_errmsg(db));
    exit(1);
}

static cost spent(void)
{
    struct timespec t;
    struct rusage u;
    clock_gettime(CLOCK_MONOTONIC, &t);
    getrusage(RUSAGE_SELF, &u);
    return (cost){(double)t.tv_sec + (double)t.tv_nsec / 1e9,
                  (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6,
                  (double)u.ru_stime.tv_sec + (double)u.ru_stime.tv_usec / 1e6};
}

static void run(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        die(db, sql);
    }
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) {
        die(db, sql);
    }
    return st;
}

static void load(sqlite3 *db, rows *r)
{
    char sql[128];
    sqlite3_stmt *st;
    size_t cap;
    snprintf(sql, sizeof sql, "SELECT sql FROM sqlite_master WHERE name = '%s'", r->table);
    st = prepare(db, sql);
    if (sqlite3_step(st) != SQLITE_ROW) {
        die(db, r->table);
    }
    r->create = strdup((const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    snprintf(sql, sizeof sql, "SELECT max(rowid) FROM %s", r->table);
    st = prepare(db, sql);
    sqlite3_step(st);
    cap = (size_t)sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY rowid", r->table);
    st = prepare(db, sql);
    r->columns = sqlite3_column_count(st);
    r->values = calloc(cap * (size_t)r->columns + 1, sizeof *r->values);
    r->nulls = calloc(cap + 1, sizeof *r->nulls);
    if (r->create == NULL || r->values == NULL || r->nulls == NULL) {
        die(NULL, r->table);
    }
    for (; r->count < cap && sqlite3_step(st) == SQLITE_ROW; r->count++) {
        for (int i = 0; i < r->columns; i++) {
            size_t at = r->count * (size_t)r->columns + (size_t)i;
            r->values[at] = sqlite3_column_int64(st, i);
            if (sqlite3_column_type(st, i) == SQLITE_NULL) {
                r->nulls[r->count] |= UINT64_C(1) << i;
            }
        }
    }
    sqlite3_finalize(st);
}

static sqlite3_stmt *insert_of(sqlite3 *db, const rows *r)
{
    char sql[256];
    int n = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?", r->table);
    for (int i = 1; i < r->columns; i++) {
        n += snprintf(sql + n, sizeof sql - (size_t)n, ", ?");
    }
    snprintf(sql + n, sizeof sql - (size_t)n, ")");
    return prepare(db, sql);
}

static void insert(sqlite3 *db, const rows *r, sqlite3_stmt *st)
{
    const int64_t *v = r->values;
    for (size_t row = 0; row < r->count; row++, v += r->columns) {
        for (int i = 0; i < r->columns; i++) {
            if ((r->nulls[row] >> i & 1) != 0) {
                sqlite3_bind_null(st, i + 1);
            } else {
                sqlite3_bind_int64(st, i + 1, v[i]);
            }
        }
        if (sqlite3_step(st) != SQLITE_DONE || sqlite3_reset(st) != SQLITE_OK) {
            die(db, r->table);
        }
    }
}

static cost insert_all(const char *path, rows *r)
{
    sqlite3 *db;
    sqlite3_stmt *st[TABLES];
    cost begin;
    cost end;
    if (sqlite3_open(path, &db) != SQLITE_OK) {
        die(db, path);
    }
    run(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    for (int i = 0; i < TABLES; i++) {
        run(db, r[i].create);
        st[i] = insert_of(db, &r[i]);
    }
    begin = spent();
    run(db, "BEGIN");
    for (int i = 0; i < TABLES; i++) {
        insert(db, &r[i], st[i]);
    }
    run(db, "COMMIT");
    end = spent();
    for (int i = 0; i < TABLES; i++) {
        sqlite3_finalize(st[i]);
    }
    sqlite3_close(db);
    return (cost){end.wall - begin.wall, end.user - begin.user, end.system - begin.system};
}

int main(int argc, char **argv)
{
    rows r[TABLES] = {{.table = "js_heap_nodes"}, {.table = "js_heap_edges"}};
    sqlite3 *db;
    FILE *out;
    cost c;
    if (argc != 4) {
        fputs("usage: bench_inserts FILE DB NEW\n", stderr);
        return 2;
    }
    if (sqlite3_open_v2(argv[2], &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
        die(db, argv[2]);
    }
    for (int i = 0; i < TABLES; i++) {
        load(db, &r[i]);
    }
    sqlite3_close(db);
    c = insert_all(argv[3], r);
    out = fopen(argv[1], "a");
    if (out == NULL || fprintf(out, "%.4f %.4f %.4f 0\n", c.wall, c.user, c.system) < 0 ||
        fclose(out) != 0) {
        perror(argv[1]);
        return 1;
    }
    for (int i = 0; i < TABLES; i++) {
        free(r[i].create);
        free(r[i].values);
        free(r[i].nulls);
    }
    return 0;
}
