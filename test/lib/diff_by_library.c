/*
 * diff_by_library BEFORE AFTER BY [NAME=VALUE...]: prints what the program's diff --output=csv
 * does, through the library. BEFORE "same": the session of AFTER, "none": nothing. BY "": what
 * fits. The exit code is that of the library.
 */
#include "tracestreamer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS = 12 };

static int open_input(tst_session **s, const char *path)
{
    const size_t n = strlen(path);
    if (n > 3 && strcmp(path + n - 3, ".db") == 0) {
        return tst_open_database(s, path, NULL);
    }
    int code = tst_open(s, NULL);
    code = code == TST_OK ? tst_add_path(*s, path) : code;
    return code == TST_OK ? tst_finish(*s) : code;
}

static void print_text(const char *text, size_t n)
{
    int quotes = n == 0 || text[0] == ' ' || text[n - 1] == ' ';
    for (size_t i = 0; i < n; i++) {
        quotes = quotes || strchr(",\"\r\n", text[i]) != NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (quotes && i == 0) {
            putchar('"');
        }
        if (text[i] == '"') {
            putchar('"');
        }
        putchar(text[i]);
    }
    if (quotes) {
        fputs(n == 0 ? "\"\"" : "\"", stdout);
    }
}

static int print_rows(tst_rows *rows)
{
    const int columns = tst_rows_columns(rows);
    int code = TST_ROW;
    for (int i = 0; i < columns; i++) {
        const char *name = tst_rows_name(rows, i);
        print_text(name, strlen(name));
        putchar(i + 1 < columns ? ',' : '\n');
    }
    while ((code = tst_rows_next(rows)) == TST_ROW) {
        for (int i = 0; i < columns; i++) {
            size_t n;
            const char *text = tst_rows_text(rows, i, &n);
            if (text != NULL) {
                print_text(text, n);
            }
            putchar(i + 1 < columns ? ',' : '\n');
        }
    }
    return code;
}

int main(int argc, char **argv)
{
    tst_session *before = NULL;
    tst_session *after = NULL;
    tst_rows *rows;
    tst_param params[PARAMS];
    size_t count = 0;
    if (argc < 4 || argc > 4 + PARAMS) {
        return TST_USAGE;
    }
    for (int i = 4; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (equals == NULL) {
            return TST_USAGE;
        }
        *equals = '\0';
        params[count].name = argv[i];
        params[count++].value = equals + 1;
    }
    const int same = strcmp(argv[1], "same") == 0;
    int code = open_input(&after, argv[2]);
    if (code == TST_OK && !same && strcmp(argv[1], "none") != 0) {
        code = open_input(&before, argv[1]);
    }
    if (code == TST_OK) {
        code = tst_diff(&rows, same ? after : before, after, argv[3][0] == '\0' ? NULL : argv[3],
                        params, count);
    }
    if (code == TST_OK) {
        tst_close(same ? NULL : before); /* the rows stay */
        before = NULL;
        code = print_rows(rows);
        tst_rows_free(rows);
    }
    if (code != TST_OK) {
        fprintf(stderr, "%s\n", tst_message(after));
    }
    tst_close(before);
    tst_close(after);
    return code;
}
