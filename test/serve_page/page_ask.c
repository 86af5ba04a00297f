/*
 * page_ask SHARE DATABASE...: the answers of serve/page without a browser. Each line of standard
 * input is a request: method, target and body with tabs between them. Each answer is a line with
 * its status, type, name of file and length with tabs between them, and that many bytes.
 */
#include "serve/page/page.h"

#include "base/buf.h"

#include <stdio.h>
#include <string.h>

static ts_text part(char **rest)
{
    char *p = *rest;
    char *end = strchr(p, '\t');
    const size_t n = end == NULL ? strlen(p) : (size_t)(end - p);
    *rest = end == NULL ? p + n : end + 1;
    return (ts_text){p, n};
}

static int fail(const char *what, const ts_ctx *ctx)
{
    fprintf(stderr, "page_ask: %s: %s\n", what, ctx->error.count == 0 ? "" : ctx->error.causes[0]);
    return 1;
}

static void ask(ts_page *page, char *line)
{
    ts_page_answer answer;
    const ts_page_request request = {
        .method = part(&line), .target = part(&line), .body = part(&line)};
    ts_page_ask(&answer, page, &request);
    printf("%d\t%s\t%s\t%zu\n", answer.status, answer.type, answer.file, answer.bytes.n);
    (void)fwrite(answer.bytes.p, 1, answer.bytes.n, stdout);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    static char line[1 << 20];
    const ts_page_options options = {0};
    ts_page *page;
    ts_ctx ctx;
    if (argc < 3) {
        fprintf(stderr, "usage: page_ask SHARE DATABASE...\n");
        return 2;
    }
    ts_ctx_init(&ctx);
    ctx.version = "0";
    ctx.share_dir = argv[1];
    if (ts_page_open(&page, &ctx, &options) != TS_OK) {
        return fail("cannot begin", &ctx);
    }
    for (int i = 2; i < argc; i++) {
        if (ts_page_add(page, argv[i], argv[i]) != TS_OK) {
            return fail(argv[i], ts_page_ctx(page));
        }
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        ask(page, line);
    }
    ts_page_close(page);
    return 0;
}
