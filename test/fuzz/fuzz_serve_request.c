/*
 * The bytes are a request as the server gets it from its HTTP library: lines of method, path,
 * parameters, headers and, after an empty line, the body. What must hold: a request is let in only
 * with one Host of ours, no Origin of others and the token, and every reply is what it says it is.
 *
 * Options: -max_len=2048 -len_control=0
 */
#include "serve_app.h"

#include "serve/http/websocket.h"

#include <strings.h>

#define TOKEN "abcdefghijklmnopqrstuv"

enum { ARGS = 8 };

static const char *const hosts[] = {"127.0.0.1", "localhost"};
static const char *const origins[] = {"http://127.0.0.1:*"};

static void prepare(void)
{
    sqlite3 *db;
    if (serve_path[0] != '\0') {
        return;
    }
    fuzz_dir_make();
    fuzz_sqlite_setup();
    (void)snprintf(serve_path, sizeof serve_path, "%s/a.db", fuzz_dir);
    check(sqlite3_open(serve_path, &db) == SQLITE_OK);
    check(sqlite3_exec(db, "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2.5, x'00')",
                       NULL, NULL, NULL) == SQLITE_OK);
    check(sqlite3_close(db) == SQLITE_OK);
}

/* Takes a line; false at the empty one and at the end. */
static bool line_next(char **line, char **rest)
{
    char *end = strchr(*rest, '\n');
    *line = *rest;
    *rest = end == NULL ? *rest + strlen(*rest) : end + 1;
    if (end != NULL) {
        *end = '\0';
    }
    return **line != '\0';
}

static void take_header(ts_request *r, char *line)
{
    ts_text *const to[] = {&r->host,          &r->origin,     &r->fetch_site,   &r->fetch_mode,
                           &r->authorization, &r->cookie,     &r->content_type, &r->if_none_match,
                           &r->upgrade,       &r->connection, &r->socket_key,   &r->socket_version};
    static const char letters[] = "hosmaktnucyv";
    const char *at = line[0] == '\0' ? NULL : strchr(letters, line[0]);
    if (at == NULL || line[1] != ':') {
        return;
    }
    *to[at - letters] = ts_text_of(line + 2);
    r->host_count += line[0] == 'h' ? 1 : 0;
    r->origin_count += line[0] == 'o' ? 1 : 0;
}

static void take_arg(ts_request *r, ts_arg *args, char *line)
{
    char *value = strchr(line, '=');
    if (r->arg_count < ARGS && value != NULL) {
        *value = '\0';
        args[r->arg_count++] = (ts_arg){line, ts_text_of(value + 1)};
    }
}

static void check_allowed(const ts_request *r)
{
    const char *host = r->host.p;
    check(r->host_count == 1);
    check(strncasecmp(host, "127.0.0.1:", 10) == 0 || strncasecmp(host, "localhost:", 10) == 0);
    check(strtoul(strchr(host, ':') + 1, NULL, 10) == 3891);
    check(r->origin_count <= 1);
    if (r->origin.p != NULL) {
        check(strncasecmp(r->origin.p, "http://127.0.0.1:", 17) == 0 ||
              strcasecmp(r->origin.p, "http://localhost:3891") == 0 ||
              strncasecmp(r->origin.p, "http://localhost:0", 18) == 0);
    }
    if (!ts_text_is(r->method, "OPTIONS")) {
        check((r->authorization.p != NULL && strstr(r->authorization.p, TOKEN) != NULL) ||
              (r->cookie.p != NULL && strstr(r->cookie.p, "ts_3891=" TOKEN) != NULL) ||
              ts_text_is(ts_request_arg(r, "token"), TOKEN));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ts_ctx *ctx = fuzz_ctx_new();
    ts_request r = {.client = -1};
    ts_arg args[ARGS];
    ts_reply reply = {0};
    char *line;
    char *text = malloc(size + 1);
    check(text != NULL);
    prepare();
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    char *rest = text;
    (void)line_next(&line, &rest);
    r.method = ts_text_of(line);
    (void)line_next(&line, &rest);
    r.path = ts_text_of(line);
    r.args = args;
    while (line_next(&line, &rest)) {
        if (line[0] == '?') {
            take_arg(&r, args, line + 1);
        } else {
            take_header(&r, line);
        }
    }
    r.body = (ts_text){rest, size - (size_t)(rest - text)};
    serve_app.access = (ts_access){.port = 3891,
                                   .hosts = hosts,
                                   .host_count = 2,
                                   .origins = origins,
                                   .origin_count = 1,
                                   .token = TOKEN};
    if (ts_access_check(&serve_app.access, &r).status == 0) {
        check_allowed(&r);
    }
    (void)ts_websocket_check(&r);
    serve_prepare(ctx);
    ts_app_answer(&reply, &serve_app, ctx, &r);
    serve_take(ctx, &reply);
    serve_forget();
    free(text);
    fuzz_ctx_free(ctx);
    return 0;
}
