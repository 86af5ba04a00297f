/*
 * flare_drive [--samples DIR --converter PROGRAM] DATABASE...: answers requests of the Flare
 * protocol from standard input, one a line; each reply is a line, and an empty line follows the
 * last one of a request. "#time" before a request adds a line "#<ms>".
 */
#include "base/alloc.h"
#include "serve/flare/flare.h"
#include "serve/api/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct driver {
    char **databases;
    const char *converter;
} driver;

static ts_code open_database(ts_sandbox *out, void *user, ts_ctx *ctx, unsigned database)
{
    int rc;
    return ts_sandbox_open(out, &rc, ctx, ((driver *)user)->databases[database]);
}

static ts_code open_directory(ts_sandbox *out, void *user, ts_ctx *ctx, const char *path)
{
    char name[] = "/tmp/flare-drive-XXXXXX";
    int fd = mkstemp(name);
    int status = 0;
    int rc;
    ts_code code;
    pid_t child = fork();
    if (child == 0) {
        const char *program = ((driver *)user)->converter;
        execl(program, program, path, "-e", name, "--force", "--quiet", (char *)NULL);
        _exit(99);
    }
    waitpid(child, &status, 0);
    close(fd);
    code = WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? ts_sandbox_open(out, &rc, ctx, name)
               : ts_fail(ctx, TS_ERR_FORMAT, "cannot convert %s", path);
    unlink(name);
    return code;
}

static ts_code print(void *user, const char *text, size_t n)
{
    (void)user;
    fwrite(text, 1, n, stdout);
    putchar('\n');
    return TS_OK;
}

int main(int argc, char **argv)
{
    driver d = {0};
    ts_flare_hub_options options = {.hooks = {.user = &d, .open_database = open_database}};
    ts_ctx *ctx = calloc(2, sizeof *ctx);
    ts_flare_hub *flare;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--samples") == 0) {
            options.samples = argv[i + 1];
            options.attach = true;
        } else {
            d.converter = argv[i + 1];
            options.hooks.open_directory = open_directory;
        }
    }
    d.databases = argv + i;
    options.databases = (unsigned)(argc - i);
    ts_ctx_init(&ctx[0]);
    ts_ctx_init(&ctx[1]);
    if (ts_flare_hub_new(&flare, &ctx[0], &options) != TS_OK) {
        return 1;
    }
    while ((n = getline(&line, &cap, stdin)) > 0) {
        n -= line[n - 1] == '\n';
        if (ts_flare_hub_handle(flare, &ctx[1], NULL, line, (size_t)n, print, NULL) != TS_OK) {
            return 1;
        }
        putchar('\n');
        fflush(stdout);
    }
    free(line);
    ts_flare_hub_free(flare);
    if (ctx[0].memory_used != 0 || ctx[1].memory_used != 0) {
        fprintf(stderr, "memory is left\n");
        return 1;
    }
    free(ctx);
    return 0;
}
