#include "fleet/engine.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "fleet/cluster.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    ANSWER_MAX = 64 * 1024 * 1024,
    LONGEST_WAIT = 60,   /* seconds, of our own */
    LONGEST_ASKED = 600, /* of Retry-After */
    WAIT_STEP_MS = 50,
    UNREACHABLE = 279, /* exception: a server of the cluster does not answer */
    CODECS_SINCE = 20  /* CODEC and LowCardinality are there and stable */
};

#define FLEET_INIT "; trace_streamer fleet init makes what is missing"

/* --- tries ------------------------------------------------------------------------------------ */

void ts_engine_fresh(ts_fleet *f)
{
    f->waits = 0;
    f->server = &f->front;
}

ts_code ts_engine_wait(ts_fleet *f)
{
    ts_ctx *ctx = f->ctx;
    if (f->waits >= f->options.retries) {
        return ctx->error.code;
    }
    long seconds = f->waits < 6 ? 1L << f->waits : LONGEST_WAIT;
    seconds = seconds > LONGEST_WAIT ? LONGEST_WAIT : seconds;
    if (f->retry_after >= 0) {
        seconds = f->retry_after > LONGEST_ASKED ? LONGEST_ASKED : f->retry_after;
    }
    f->waits++;
    if (f->options.say != NULL) {
        char text[TS_ERROR_TEXT + 100];
        (void)snprintf(text, sizeof text, "%s; trying again in %ld s",
                       ctx->error.count > 0 ? ctx->error.causes[0] : "the server fails", seconds);
        f->options.say(f->options.user, text);
    }
    for (long ms = 0; ms < seconds * 1000; ms += WAIT_STEP_MS) {
        const struct timespec step = {0, WAIT_STEP_MS * 1000000L};
        TS_TRY(ts_check_cancel(ctx));
        (void)nanosleep(&step, NULL);
    }
    return ts_check_cancel(ctx);
}

/* The first line of what the server says, for a message. */
static ts_text first_line(const ts_http_answer *a)
{
    size_t n = 0;
    while (n < a->body.n && n < 300 && a->body.p[n] != '\n') {
        n++;
    }
    return (ts_text){n == 0 ? "" : a->body.p, n};
}

/* Of an answer of several lines: which server of a cluster did not answer is not in the first. */
static void all_lines(char out[400], const ts_http_answer *a)
{
    size_t n = 0;
    for (size_t i = 0; i < a->body.n && n + 1 < 400; i++) {
        const char c = a->body.p[i] == '\n' ? ' ' : a->body.p[i];
        if (c != ' ' || (n > 0 && out[n - 1] != ' ')) {
            out[n++] = c;
        }
    }
    out[n - (n > 0 && out[n - 1] == ' ' ? 1 : 0)] = '\0';
}

/* The code of "Code: 60, ..." or "Code: 60. ..."; 0: it is none of ClickHouse. */
static unsigned exception_code(ts_text line)
{
    unsigned code = 0;
    if (line.n < 7 || memcmp(line.p, "Code: ", 6) != 0) {
        return 0;
    }
    for (size_t i = 6; i < line.n && i < 11 && line.p[i] >= '0' && line.p[i] <= '9'; i++) {
        code = code * 10 + (unsigned)(line.p[i] - '0');
    }
    return code;
}

/* Exceptions that pass: the server is busy, has no memory now, or it or another one of its cluster
 * is not there yet. */
static bool passes(unsigned exception)
{
    static const unsigned codes[] = {159, 202, 203,         209, 210, 241,
                                     242, 252, UNREACHABLE, 319, 425, 439};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i] == exception) {
            return true;
        }
    }
    return false;
}

/* It answers, and has no fleet: that does not pass. */
static ts_code unreachable(ts_fleet *f)
{
    char lines[400];
    all_lines(lines, &f->answer);
    const bool unmade = strstr(lines, "There is no table") != NULL;
    f->transient &= !unmade;
    return ts_fail(f->ctx, TS_ERR_OUTPUT, "%sthe engine refuses: %s%s", f->server->who, lines,
                   unmade ? FLEET_INIT : "");
}

static ts_code refused(ts_fleet *f)
{
    const ts_http_answer *a = &f->answer;
    const ts_text line = first_line(a);
    const unsigned exception = exception_code(line);
    f->transient = a->status == 429 || (exception == 0 ? a->status >= 500 : passes(exception));
    f->retry_after = a->retry_after;
    if (a->status >= 300 && a->status < 400) {
        return ts_fail(f->ctx, TS_ERR_OUTPUT,
                       "%sthe server sends to another address, which is not followed: %s; give "
                       "the right one with --at",
                       f->server->who, a->location[0] == '\0' ? "(none)" : a->location);
    }
    if (exception == UNREACHABLE) {
        return unreachable(f);
    }
    const bool unmade = exception == 60 || exception == 81; /* no such table, no such database */
    return exception != 0
               ? ts_fail(f->ctx, TS_ERR_OUTPUT, "%sthe engine refuses: %.*s%s", f->server->who,
                         (int)line.n, line.p, unmade ? FLEET_INIT : "")
               : ts_fail(f->ctx, TS_ERR_OUTPUT, "%sthe server answers %ld%s%.*s", f->server->who,
                         a->status, line.n == 0 ? "" : ": ", (int)line.n, line.p);
}

/* One request; what it did is in f->answer, and of failures whether they pass. */
static ts_code post(ts_fleet *f, const ts_http_request *request)
{
    f->transient = false;
    f->retry_after = -1;
    TS_TRY(ts_http_post(f->server->http, &f->answer, request));
    if (f->answer.end != TS_HTTP_ANSWERED) {
        f->transient = true;
        return ts_fail(f->ctx, TS_ERR_OUTPUT, "%s%s: %s", f->server->who,
                       f->answer.end == TS_HTTP_UNSENT ? "cannot reach the server"
                                                       : "the server's answer was lost",
                       f->answer.why);
    }
    return f->answer.status == 200 ? TS_OK : refused(f);
}

/* --- questions -------------------------------------------------------------------------------- */

ts_code ts_engine_ask(ts_fleet *f, ts_text sql, bool database)
{
    ts_http_request request = {
        /* The whole answer is made before its first byte is sent, so that the status is true. */
        .parameters = {"wait_end_of_query", "1"},
        .body = sql,
        .longest = ANSWER_MAX,
    };
    const char **p = request.parameters + 2;
    if (database) {
        *p++ = "database";
        *p++ = f->server->address.database;
    }
    if (ts_cluster_is(f)) {
        /* Whatever the user's profile says: all shards answer, or none; and what is joined is that
         * of all of them. */
        *p++ = "skip_unavailable_shards";
        *p++ = "0";
        *p++ = "distributed_product_mode";
        *p++ = "global";
    }
    for (;;) {
        ts_code code = post(f, &request);
        if (code == TS_OK || !f->transient) {
            return code;
        }
        TS_TRY(ts_engine_wait(f));
    }
}

ts_code ts_engine_askf(ts_fleet *f, const char *fmt, ...)
{
    char small[1024];
    ts_buf sql = {0};
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(small, sizeof small, fmt, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof small) {
        return ts_engine_ask(f, (ts_text){small, (size_t)n}, true);
    }
    ts_code code = n < 0 ? ts_fail(f->ctx, TS_ERR_INTERNAL, "a statement cannot be written")
                         : ts_buf_reserve(f->ctx, &sql, (size_t)n + 1);
    if (code == TS_OK) {
        va_start(args, fmt);
        sql.n = (size_t)vsnprintf(sql.p, (size_t)n + 1, fmt, args);
        va_end(args);
        code = ts_engine_ask(f, ts_buf_text(&sql), true);
    }
    ts_buf_free(f->ctx, &sql);
    return code;
}

ts_code ts_engine_number(uint64_t *out, ts_fleet *f)
{
    const ts_buf *b = &f->answer.body;
    uint64_t v = 0;
    size_t i = 0;
    for (; i < b->n && i < 20 && b->p[i] >= '0' && b->p[i] <= '9'; i++) {
        v = v * 10 + (uint64_t)(b->p[i] - '0');
    }
    *out = v;
    return i > 0 && i + 1 == b->n && b->p[i] == '\n'
               ? TS_OK
               : ts_fail(f->ctx, TS_ERR_OUTPUT, "the server's answer is not a number: \"%.*s\"",
                         (int)first_line(&f->answer).n, first_line(&f->answer).p);
}

/* --- rows ------------------------------------------------------------------------------------- */

ts_code ts_engine_put(ts_fleet *f, const char *sql, ts_text body, bool zipped)
{
    const ts_http_request request = {
        .parameters = {"database", f->server->address.database, "query", sql},
        .body = body,
        .zipped = zipped,
        .once = true,
        .longest = UINT64_C(1) << 20,
    };
    for (;;) {
        ts_code code = post(f, &request);
        if (code == TS_OK) {
            return f->answer.body.n == 0 ? TS_OK : refused(f);
        }
        const bool unseen = f->answer.end == TS_HTTP_UNSENT || f->answer.status == 429;
        if (!f->transient || !unseen) {
            return code;
        }
        TS_TRY(ts_engine_wait(f));
    }
}

/* --- answers ---------------------------------------------------------------------------------- */

ts_engine_rows ts_engine_rows_of(ts_fleet *f)
{
    ts_buf *b = &f->answer.body;
    return (ts_engine_rows){.p = b->p, .end = b->p == NULL ? NULL : b->p + b->n};
}

/* Unescapes one field in its place; returns where the next one begins. */
static char *take_field(ts_text *out, char *p, const char *end)
{
    static const char letters[] = "bfnrt0'\\";
    static const char meant[] = "\b\f\n\r\t\0'\\";
    char *to = p;
    out->p = p;
    while (p < end && *p != '\t' && *p != '\n') {
        const char *letter = *p == '\\' && p + 1 < end ? strchr(letters, p[1]) : NULL;
        if (letter != NULL && *letter != '\0') {
            *to++ = meant[letter - letters];
            p += 2;
        } else {
            *to++ = *p++;
        }
    }
    out->n = (size_t)(to - out->p);
    return p;
}

/* "\N", which is no letter with a meaning of its own. */
static bool is_null(const char *p, const char *end)
{
    return end - p >= 2 && p[0] == '\\' && p[1] == 'N' &&
           (end - p == 2 || p[2] == '\t' || p[2] == '\n');
}

bool ts_engine_next(ts_engine_rows *rows)
{
    rows->count = 0;
    if (rows->p == NULL || rows->p >= rows->end) {
        return false;
    }
    char after = '\t';
    while (after == '\t' && rows->count < TS_ENGINE_FIELDS && rows->p < rows->end) {
        ts_text *field = &rows->fields[rows->count];
        rows->null[rows->count++] = is_null(rows->p, rows->end);
        char *p = take_field(field, rows->p, rows->end);
        after = p < rows->end ? *p : '\n';
        rows->p[field->n] = '\0'; /* at most the byte after the answer */
        rows->p = p + 1;
    }
    return true;
}

bool ts_engine_field(uint64_t *out, ts_text field)
{
    char *end;
    *out = strtoull(field.p, &end, 10);
    return field.n > 0 && field.p[0] >= '0' && field.p[0] <= '9' && *end == '\0';
}

ts_code ts_engine_quote(ts_ctx *ctx, ts_buf *out, ts_text text)
{
    TS_TRY(ts_buf_putc(ctx, out, '\''));
    for (size_t i = 0; i < text.n; i++) {
        const unsigned char c = (unsigned char)text.p[i];
        const bool plain = c >= 0x20 && c < 0x7f && c != '\'' && c != '\\';
        TS_TRY(plain ? ts_buf_putc(ctx, out, (char)c) : ts_buf_printf(ctx, out, "\\x%02x", c));
    }
    return ts_buf_putc(ctx, out, '\'');
}

/* --- a connection ----------------------------------------------------------------------------- */

/* "18.16.1", "26.7.1.123" */
static ts_code take_version(ts_fleet *f)
{
    ts_server *s = f->server;
    const ts_buf *b = &f->answer.body;
    unsigned major = 0;
    const size_t n = b->n > 0 && b->p[b->n - 1] == '\n' ? b->n - 1 : 0;
    size_t i = 0;
    for (; i < n && i < 3 && b->p[i] >= '0' && b->p[i] <= '9'; i++) {
        major = major * 10 + (unsigned)(b->p[i] - '0');
    }
    if (i == 0 || n >= sizeof s->version || b->p[i] != '.') {
        return ts_fail(f->ctx, TS_ERR_OUTPUT, "what answers at %s is not a server of ClickHouse",
                       s->address.base);
    }
    memcpy(s->version, b->p, n);
    s->version[n] = '\0';
    s->codecs = major >= CODECS_SINCE;
    return TS_OK;
}

ts_code ts_engine_greet(ts_fleet *f)
{
    static const char question[] = "SELECT version()";
    TS_TRY(ts_engine_ask(f, ts_text_of(question), false));
    return take_version(f);
}

ts_code ts_engine_connect(ts_fleet *f, ts_server *server, const ts_credentials *who)
{
    const bool readable = server->address.open && who->password[0] != '\0';
    if (readable && !f->warned && f->options.say != NULL) {
        f->options.say(f->options.user,
                       "the password is sent to another machine without encryption: use https");
    }
    f->warned |= readable;
    return ts_http_open(&server->http, f->ctx, &server->address, who, f->options.timeout_s);
}

ts_code ts_fleet_open(ts_fleet **out, ts_ctx *ctx, const ts_fleet_options *options)
{
    ts_credentials who = {0};
    ts_fleet *f = ts_zalloc(ctx, 1, sizeof *f);
    *out = NULL;
    TS_NEED(ctx, f);
    f->ctx = ctx;
    f->options = *options;
    f->shards = f->server = &f->front;
    f->shard_count = 1;
    ts_code code = ts_address_parse(&f->front.address, ctx, options->at);
    TS_STEP(code, ts_credentials_find(&who, ctx));
    TS_STEP(code, ts_engine_connect(f, &f->front, &who));
    TS_STEP(code, ts_engine_greet(f));
    TS_STEP(code, ts_cluster_open(f, &who));
    explicit_bzero(&who, sizeof who);
    if (code != TS_OK) {
        if (code != TS_ERR_USAGE) { /* such an address may hold a password */
            code = ts_cause(ctx, "cannot use the fleet: at=\"%s\"", options->at);
        }
        ts_fleet_close(f);
        return code;
    }
    *out = f;
    return TS_OK;
}

void ts_fleet_close(ts_fleet *f)
{
    if (f != NULL) {
        ts_cluster_close(f);
        ts_http_close(f->front.http);
        ts_buf_free(f->ctx, &f->answer.body);
        ts_free(f->ctx, f);
    }
}

const char *ts_fleet_engine(const ts_fleet *f)
{
    return f->front.version;
}
