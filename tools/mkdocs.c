/*
 * Writes docs/tables.md to standard output. With --check FILE it writes nothing and fails when FILE
 * holds something else.
 */
#include "base/buf.h"
#include "tables/schema_text.h"

#include <stdio.h>
#include <stdlib.h>

static int check(const char *path, const ts_buf *text)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        return EXIT_FAILURE;
    }
    size_t at = 0;
    int c;
    while ((c = getc(f)) != EOF && at < text->n && (unsigned char)text->p[at] == (unsigned char)c) {
        at++;
    }
    fclose(f);
    if (c == EOF && at == text->n) {
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "%s is stale: cmake --build <dir> --target docs\n", path);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static ts_ctx ctx;
    ts_buf text = {0};
    ts_ctx_init(&ctx);
    ts_code code = ts_schema_markdown(&ctx, &text);
    int result = EXIT_FAILURE;
    if (code != TS_OK) {
        fprintf(stderr, "mkdocs: %s\n", ctx.error.causes[0]);
    } else if (argc == 3 && strcmp(argv[1], "--check") == 0) {
        result = check(argv[2], &text);
    } else if (argc != 1) {
        fprintf(stderr, "usage: mkdocs [--check FILE]\n");
    } else {
        result = fwrite(text.p, 1, text.n, stdout) == text.n && fflush(stdout) == 0 ? EXIT_SUCCESS
                                                                                    : EXIT_FAILURE;
    }
    ts_buf_free(&ctx, &text);
    return result;
}
