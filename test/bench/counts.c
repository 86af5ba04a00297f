/*
 * bench_counts DB: prints the rows of all tables, and what the bounds of memory are made of: nodes
 * of the largest heap snapshot, samples and nodes of the CPU profiles.
 */
#include <sqlite3.h>
#include <stdio.h>

/* The first column of the only row; 0 when it is NULL, -1 after an error. */
static long long number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st = NULL;
    long long v = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW) {
        v = sqlite3_column_int64(st, 0);
    }
    sqlite3_finalize(st);
    return v;
}

/* Rowids are dense: the last one is the number of rows. */
static long long all_rows(sqlite3 *db)
{
    sqlite3_stmt *st = NULL;
    long long sum = 0;
    if (sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &st,
                           NULL) != SQLITE_OK) {
        return -1;
    }
    while (sqlite3_step(st) == SQLITE_ROW) {
        char sql[256];
        snprintf(sql, sizeof sql, "SELECT max(rowid) FROM \"%s\"",
                 (const char *)sqlite3_column_text(st, 0));
        sum += number(db, sql);
    }
    sqlite3_finalize(st);
    return sum;
}

int main(int argc, char **argv)
{
    sqlite3 *db = NULL;
    if (argc != 2 || sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
        fputs("usage: bench_counts DB\n", stderr);
        return 1;
    }
    printf("%lld %lld %lld %lld\n", all_rows(db),
           number(db, "SELECT max(node_count) FROM js_heap_file_detail"),
           number(db, "SELECT max(rowid) FROM stack_sample"),
           number(db, "SELECT max(rowid) FROM js_cpu_profiler_node"));
    sqlite3_close(db);
    return 0;
}
