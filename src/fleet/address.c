#include "fleet/address.h"

#include "base/config_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- addresses -------------------------------------------------------------------------------- */

static bool is_name(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const bool letter =
            (p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') || p[i] == '_';
        if (!letter && !(i > 0 && p[i] >= '0' && p[i] <= '9')) {
            return false;
        }
    }
    return n > 0 && n < TS_FLEET_NAME;
}

/* Letters, digits, '.', '-' and '_', or an address of IPv6 in brackets. */
static bool is_host(const char *p, size_t n)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    if (n > 2 && p[0] == '[' && p[n - 1] == ']') {
        return strspn(p + 1, "0123456789abcdefABCDEF:.") == n - 2;
    }
    return n > 0 && strspn(p, letters) >= n;
}

static bool is_port(const char *p, size_t n)
{
    unsigned port = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9' || n > 5) {
            return false;
        }
        port = port * 10 + (unsigned)(p[i] - '0');
    }
    return port > 0 && port <= 65535;
}

static bool is_loopback(const char *host, size_t n)
{
    return (n == 9 && memcmp(host, "localhost", n) == 0) ||
           (n > 4 && memcmp(host, "127.", 4) == 0) || (n == 5 && memcmp(host, "[::1]", n) == 0);
}

static ts_code bad_address(ts_ctx *ctx, const char *text, const char *why)
{
    return ts_fail(ctx, TS_ERR_USAGE,
                   "bad address \"%s\": %s; it is http://HOST:8123/DATABASE, or https", text, why);
}

ts_code ts_address_parse(ts_address *out, ts_ctx *ctx, const char *text)
{
    const bool secure = strncmp(text, "https://", 8) == 0;
    const char *host = text + (secure ? 8 : 7);
    *out = (ts_address){0};
    if (strchr(text, '@') != NULL) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "an address must not have a user or password, which every user of this "
                       "machine could see: set %s and %s instead",
                       TS_FLEET_USER_VARIABLE, TS_FLEET_PASSWORD_VARIABLE);
    }
    if (!secure && strncmp(text, "http://", 7) != 0) {
        return bad_address(ctx, text, "it does not begin with http:// or https://");
    }
    const size_t authority = strcspn(host, "/?#");
    const char *database = host + authority + (host[authority] == '/' ? 1 : 0);
    size_t n = strcspn(database, "/");
    const size_t end = host[0] == '[' ? strcspn(host, "]") + 1 : 0;
    const size_t name = end + strcspn(host + (end < authority ? end : authority), ":/?#");
    if (name > authority || !is_host(host, name)) {
        return bad_address(ctx, text, "it names no host");
    }
    if (name < authority && !is_port(host + name + 1, authority - name - 1)) {
        return bad_address(ctx, text, "its port is not a number from 1 to 65535");
    }
    if (!is_name(database, n) || (database[n] != '\0' && strcmp(database + n, "/") != 0)) {
        return bad_address(ctx, text,
                           "after the host comes the name of a database, of letters, "
                           "digits and _");
    }
    const int written =
        snprintf(out->base, sizeof out->base, "%.*s/", (int)(host + authority - text), text);
    if (written < 0 || (size_t)written >= sizeof out->base) {
        return bad_address(ctx, text, "it is too long");
    }
    memcpy(out->host, host, name);
    memcpy(out->database, database, n);
    out->open = !secure && !is_loopback(host, name);
    return TS_OK;
}

ts_code ts_address_of_host(ts_address *out, ts_ctx *ctx, const ts_address *like, const char *host)
{
    const bool colons = strchr(host, ':') != NULL && host[0] != '[';
    const size_t scheme = (size_t)(strstr(like->base, "://") + 3 - like->base);
    const char *rest = like->base + scheme + strlen(like->host);
    *out = *like;
    const int n =
        snprintf(out->host, sizeof out->host, "%s%s%s", colons ? "[" : "", host, colons ? "]" : "");
    if (n < 0 || (size_t)n >= sizeof out->host || !is_host(out->host, (size_t)n)) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "the server names a host that is none: \"%s\"", host);
    }
    const int written =
        snprintf(out->base, sizeof out->base, "%.*s%s%s", (int)scheme, like->base, out->host, rest);
    if (written < 0 || (size_t)written >= sizeof out->base) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "the server names a host that is too long: \"%s\"",
                       host);
    }
    out->open = strncmp(out->base, "http://", 7) == 0 && !is_loopback(out->host, (size_t)n);
    return TS_OK;
}

/* --- credentials ------------------------------------------------------------------------------ */

static ts_text trimmed(ts_text t)
{
    while (t.n > 0 && (t.p[0] == ' ' || t.p[0] == '\t')) {
        t.p++;
        t.n--;
    }
    while (t.n > 0 && strchr(" \t\r", t.p[t.n - 1]) != NULL) {
        t.n--;
    }
    return t;
}

/* What a header can carry. */
static ts_code take_secret(char out[TS_FLEET_SECRET], ts_ctx *ctx, ts_text t, const char *what)
{
    for (size_t i = 0; i < t.n; i++) {
        if ((unsigned char)t.p[i] < 0x20 || t.p[i] == 0x7f) {
            return ts_fail(ctx, TS_ERR_USAGE, "%s has a control character", what);
        }
    }
    if (t.n >= TS_FLEET_SECRET) {
        return ts_fail(ctx, TS_ERR_USAGE, "%s is longer than %d bytes", what, TS_FLEET_SECRET - 1);
    }
    memcpy(out, t.p, t.n);
    out[t.n] = '\0';
    return TS_OK;
}

static ts_code take_line(ts_credentials *out, ts_ctx *ctx, ts_text line, const char *path)
{
    const char *equals = line.n == 0 ? NULL : memchr(line.p, '=', line.n);
    const size_t n = equals == NULL ? 0 : (size_t)(equals - line.p);
    const ts_text name = trimmed((ts_text){line.p, n});
    if (line.n == 0 || line.p[0] == '#') {
        return TS_OK;
    }
    const bool user = ts_text_is(name, "user");
    if (equals == NULL || (!user && !ts_text_is(name, "password"))) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "the file of credentials has a line that is not \"user = NAME\" or "
                       "\"password = TEXT\": path=\"%s\"",
                       path);
    }
    return take_secret(user ? out->user : out->password, ctx,
                       trimmed((ts_text){equals + 1, line.n - n - 1}),
                       user ? "the user" : "the password");
}

ts_code ts_credentials_parse(ts_credentials *out, ts_ctx *ctx, ts_text text, const char *path)
{
    *out = (ts_credentials){0};
    while (text.n > 0) {
        const char *end = memchr(text.p, '\n', text.n);
        const size_t n = end == NULL ? text.n : (size_t)(end - text.p);
        TS_TRY(take_line(out, ctx, trimmed((ts_text){text.p, n}), path));
        text.p += n + (end == NULL ? 0 : 1);
        text.n -= n + (end == NULL ? 0 : 1);
    }
    return TS_OK;
}

static ts_code read_credentials(ts_credentials *out, ts_ctx *ctx, int fd, const char *path)
{
    char text[4096];
    struct stat st;
    if (ctx->sys.fstat(ctx->sys.user, fd, &st) == 0 && (st.st_mode & 077) != 0) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "others may read the file of credentials: chmod 600 \"%s\"", path);
    }
    const ssize_t n = ts_sys_read_all(ctx, fd, text, sizeof text);
    if (n < 0 || n == sizeof text) {
        return ts_fail(ctx, TS_ERR_USAGE, "cannot read the file of credentials: path=\"%s\": %s",
                       path, n < 0 ? strerror(errno) : "it is longer than 4 KiB");
    }
    ts_code code = ts_credentials_parse(out, ctx, (ts_text){text, (size_t)n}, path);
    explicit_bzero(text, sizeof text);
    return code;
}

ts_code ts_credentials_find(ts_credentials *out, ts_ctx *ctx)
{
    char path[4096];
    const char *user = getenv(TS_FLEET_USER_VARIABLE);
    const char *password = getenv(TS_FLEET_PASSWORD_VARIABLE);
    *out = (ts_credentials){0};
    if (user != NULL || password != NULL) {
        TS_TRY(take_secret(out->user, ctx, ts_text_of(user == NULL ? "" : user),
                           TS_FLEET_USER_VARIABLE));
        return take_secret(out->password, ctx, ts_text_of(password == NULL ? "" : password),
                           TS_FLEET_PASSWORD_VARIABLE);
    }
    if (!ts_config_path(path, sizeof path, "fleet")) {
        return TS_OK;
    }
    const int fd = ts_sys_open(ctx, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR
                   ? TS_OK
                   : ts_fail(ctx, TS_ERR_USAGE,
                             "cannot read the file of credentials: path=\"%s\": %s", path,
                             strerror(errno));
    }
    ts_code code = read_credentials(out, ctx, fd, path);
    (void)ctx->sys.close(ctx->sys.user, fd);
    return code;
}
