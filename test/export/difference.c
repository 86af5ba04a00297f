/*
 * difference FORMAT AFTER.db [BEFORE.db]: writes the export FORMAT of a database, or of the
 * difference of two, to standard output, for the tests of exports.
 */
#include "export/export.h"

#include <stdio.h>

static ts_code put(void *user, const char *p, size_t n)
{
    (void)user;
    return fwrite(p, 1, n, stdout) == n ? TS_OK : TS_ERR_OUTPUT;
}

int main(int argc, char **argv)
{
    const ts_export_output output = {NULL, put, NULL};
    ts_export_side before = {.title = "before"};
    ts_export_input input = {.side = {.title = "after"}};
    const ts_export *what;
    ts_ctx ctx;
    ts_ctx_init(&ctx);
    if (argc != 3 && argc != 4) {
        fputs("usage: difference FORMAT AFTER.db [BEFORE.db]\n", stderr);
        return 2;
    }
    ts_code code = ts_export_find(&what, &ctx, argv[1]);
    if (code == TS_OK) {
        code = ts_reader_open(&input.side.reader, &ctx, argv[2]);
    }
    if (code == TS_OK && argc == 4) {
        code = ts_reader_open(&before.reader, &ctx, argv[3]);
        input.before = &before;
    }
    if (code == TS_OK) {
        code = ts_export_run(&ctx, what, &input, &output);
    }
    for (unsigned i = 0; code != TS_OK && i < ctx.error.count; i++) {
        fprintf(stderr, "%s\n", ctx.error.causes[i]);
    }
    ts_reader_free(before.reader);
    ts_reader_free(input.side.reader);
    return (int)code;
}
