/*
 * flare_drive [--samples DIR --converter PROGRAM] DATABASE...: answers requests of the Flare
 * protocol from standard input, one a line; each reply is a line, and an empty line follows the
 * last one of a request. "#time" before a request adds a line "#<ms>".
 */
#include "base/alloc.h"
#include "serve/flare.h"
#include "serve/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct driver {
    char **databases;
    const char *converter;
} driver;

typedef struct opened {
    ts_sandbox sandbox;
    ts_ctx *ctx;
} opened;

static opened *all[64]; /* connections that are open; requests come one at a time */

static ts_code open_path(sqlite3 **db, ts_ctx *ctx, const char *path)
{
    opened *o = calloc(1, sizeof *o);
    int rc = 0;
    size_t i = 0;
    ts_code code = ts_sandbox_open(&o->sandbox, &rc, ctx, path);
    if (code != TS_OK) {
        ts_sandbox_close(&o->sandbox);
        free(o);
        return code;
    }
    while (all[i] != NULL) {
        i++;
    }
    all[i] = o;
    *db = o->sandbox.db;
    return TS_OK;
}

static ts_code open_database(sqlite3 **db, void *user, ts_ctx *ctx, unsigned database)
{
    return open_path(db, ctx, ((driver *)user)->databases[database]);
}

static ts_code open_directory(sqlite3 **db, void *user, ts_ctx *ctx, const char *path)
{
    char name[] = "/tmp/flare-drive-XXXXXX";
    int fd = mkstemp(name);
    int status = 0;
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
               ? open_path(db, ctx, name)
               : ts_fail(ctx, TS_ERR_FORMAT, "cannot convert %s", path);
    unlink(name);
    return code;
}

static void close_db(void *user, sqlite3 *db)
{
    (void)user;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i] != NULL && all[i]->sandbox.db == db) {
            ts_sandbox_close(&all[i]->sandbox);
            free(all[i]);
            all[i] = NULL;
            return;
        }
    }
    abort();
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
    ts_flare_hub_options options = {
        .hooks = {.user = &d, .open_database = open_database, .close = close_db}};
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
        if (ts_flare_hub_handle(flare, &ctx[1], line, (size_t)n, print, NULL) != TS_OK) {
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
