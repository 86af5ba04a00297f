/*
 * serve_view DATABASE [--sql] [--time] [--memory MIB]: runs views of the server without a server.
 * Each line of standard input is a request, such as "flame?kind=sample&from=0"; each line of
 * standard output its reply, {"error":{"code","message"}} when it fails. --sql: nothing is read
 * from the file's pages. --time: what each took, and memory, on standard error.
 */
#include "serve/views/views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct reply {
    ts_ctx *ctx;
    ts_buf text;
} reply;

static int put_out(void *user, const void *bytes, size_t n)
{
    reply *r = user;
    return ts_buf_put(r->ctx, &r->text, bytes, n) != TS_OK;
}

static int hex(int c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c - 'a' + 10;
}

/* Undoes %XX in place; returns the length. */
static size_t decode(char *text)
{
    size_t n = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (text[i] == '%' && text[i + 1] != '\0' && text[i + 2] != '\0') {
            text[n++] = (char)(hex(text[i + 1]) * 16 + hex(text[i + 2]));
            i += 2;
        } else {
            text[n++] = text[i];
        }
    }
    text[n] = '\0';
    return n;
}

static void print_error(const ts_ctx *ctx, ts_code code)
{
    printf("{\"error\":{\"code\":\"%s\",\"message\":\"", ts_code_name(code));
    const char *text = ctx->error.count == 0 ? "" : ctx->error.causes[0];
    for (size_t i = 0; text[i] != '\0'; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == '"' || text[i] == '\\') {
            printf("\\u%04x", (unsigned char)text[i]);
        } else {
            putchar(text[i]);
        }
    }
    printf("\"}}\n");
}

static void reported(void *user, const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    (void)done;
    (void)total;
    ++*(unsigned long *)user;
}

static void request(ts_ctx *own, ts_view_db *views, sqlite3 *db, char *line, bool timed)
{
    ts_view_pair pairs[32];
    size_t count = 0;
    ts_view_args args;
    reply r = {.ctx = own};
    ts_jout out;
    unsigned long reports = 0;
    char *rest = strchr(line, '?');
    if (rest != NULL) {
        *rest++ = '\0';
    }
    for (char *part = rest; part != NULL && *part != '\0' && count < 32; count++) {
        char *next = strchr(part, '&');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *value = strchr(part, '=');
        if (value != NULL) {
            *value++ = '\0';
        }
        pairs[count].name = part;
        pairs[count].value.p = value == NULL ? "" : value;
        pairs[count].value.n = value == NULL ? 0 : decode(value);
        part = next;
    }
    const ts_endpoint *e = ts_endpoint_find(line);
    ts_ctx *ctx = ts_view_db_ctx(views);
    ts_code code = e == NULL ? ts_fail(ctx, TS_ERR_USAGE, "no view %s", line)
                             : ts_endpoint_parse(&args, ctx, e, pairs, count);
    int64_t began = ts_guard_now();
    ts_jout_begin(&out, ctx, put_out, &r);
    if (code == TS_OK) {
        ts_view_call call = {
            .views = views, .db = db, .args = &args, .out = &out, .progress = {&reports, reported}};
        code = ts_endpoint_run(e, &call);
    }
    ts_code ended = ts_jout_end(&out);
    code = code == TS_OK ? ended : code;
    if (timed) {
        struct rusage used;
        getrusage(RUSAGE_SELF, &used);
        fprintf(stderr, "%s: %.1f ms, %zu bytes, kept %.1f MiB, RSS %.1f MiB, %lu reports\n", line,
                (double)(ts_guard_now() - began) / 1e6, r.text.n,
                (double)ts_view_db_memory(views) / 1048576, (double)used.ru_maxrss / 1024, reports);
    }
    if (code != TS_OK) {
        print_error(ctx, code);
    } else {
        for (size_t i = 0; i < r.text.n; i++) { /* one line */
            putchar(r.text.p[i] == '\n' ? ' ' : r.text.p[i]);
        }
        putchar('\n');
    }
    fflush(stdout);
    ts_buf_free(own, &r.text);
}

int main(int argc, char **argv)
{
    ts_ctx ctx;
    ts_view_db *views = NULL;
    ts_sandbox box = {0};
    ts_view_db_options options = {0};
    bool timed = false;
    bool sql = false;
    int rc = 0;
    static char line[1 << 20];
    for (int i = 2; i < argc; i++) {
        timed = timed || strcmp(argv[i], "--time") == 0;
        sql = sql || strcmp(argv[i], "--sql") == 0;
        if (strcmp(argv[i], "--memory") == 0 && i + 1 < argc) {
            options.max_memory = strtoull(argv[++i], NULL, 10) << 20;
        }
    }
    ts_ctx_init(&ctx);
    if (argc < 2 || ts_sandbox_open(&box, &rc, &ctx, argv[1]) != TS_OK) {
        fprintf(stderr, "serve_view: cannot open the database: %s\n",
                ctx.error.count == 0 ? "" : ctx.error.causes[0]);
        ts_sandbox_close(&box);
        return 1;
    }
    options.path = sql ? NULL : argv[1];
    if (ts_view_db_open(&views, &ctx, &options) != TS_OK) {
        return 1;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        request(&ctx, views, box.db, line, timed);
    }
    ts_view_db_close(views);
    ts_sandbox_close(&box);
    return 0;
}
