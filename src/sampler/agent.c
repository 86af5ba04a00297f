/* Messages of Flare's agent (see agent.h). */
#include "sampler/agent.h"

#include "base/ckd.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGE_MAX = 16 << 20, ELEMENTS_MAX = 1 << 20, READ_SIZE = 65536, CONNECT_MS = 3000 };

/* --- the Redis protocol ----------------------------------------------------------------------- */

typedef enum parsed { WHOLE, PART, WRONG } parsed;

typedef struct cursor {
    const char *p;
    const char *end;
} cursor;

typedef struct value {
    char type; /* '+', ':', '*' */
    ts_text text;
    int64_t number; /* of ':', or the elements of '*' */
} value;

/* A line without its end. */
static parsed take_line(ts_text *line, cursor *c)
{
    const char *end = memchr(c->p, '\n', (size_t)(c->end - c->p));
    if (end == NULL) {
        return PART;
    }
    if (end == c->p || end[-1] != '\r') {
        return WRONG;
    }
    *line = (ts_text){c->p, (size_t)(end - 1 - c->p)};
    c->p = end + 1;
    return WHOLE;
}

static bool take_number(int64_t *out, ts_text t)
{
    bool minus = t.n > 0 && t.p[0] == '-';
    int64_t v = 0;
    size_t i = minus ? 1 : 0;
    if (i == t.n) {
        return false;
    }
    for (; i < t.n; i++) {
        int digit = t.p[i] - '0';
        if (digit < 0 || digit > 9 || ts_ckd_mul(&v, v, 10) ||
            ts_ckd_add(&v, v, minus ? -digit : digit)) {
            return false;
        }
    }
    *out = v;
    return true;
}

/* "$5\r\nhello\r\n": the rest of it. */
static parsed take_bulk(value *v, cursor *c)
{
    if (v->number < 0 || v->number > MESSAGE_MAX) {
        return WRONG;
    }
    if (c->end - c->p < v->number + 2) {
        return PART;
    }
    v->type = '+';
    v->text = (ts_text){c->p, (size_t)v->number};
    c->p += v->number + 2;
    return c->p[-2] == '\r' && c->p[-1] == '\n' ? WHOLE : WRONG;
}

static parsed take_value(value *v, cursor *c)
{
    ts_text line;
    parsed f = take_line(&line, c);
    if (f != WHOLE) {
        return f;
    }
    if (line.n == 0) {
        return WRONG;
    }
    v->type = line.p[0];
    v->text = (ts_text){line.p + 1, line.n - 1};
    switch (v->type) {
    case '+':
    case '-':
        v->type = '+';
        return WHOLE;
    case ':':
        return take_number(&v->number, v->text) ? WHOLE : WRONG;
    case '*':
        return take_number(&v->number, v->text) && v->number >= 0 && v->number <= ELEMENTS_MAX
                   ? WHOLE
                   : WRONG;
    case '$':
        return take_number(&v->number, v->text) ? take_bulk(v, c) : WRONG;
    default:
        return WRONG;
    }
}

/* --- messages --------------------------------------------------------------------------------- */

static parsed take_stack(ts_code *code, ts_agent *agent, cursor *c, int64_t n)
{
    parsed f = WHOLE;
    for (int64_t i = 0; i < n && f == WHOLE && *code == TS_OK; i++) {
        value v = {0};
        int64_t *id;
        f = take_value(&v, c);
        if (f == WHOLE && v.type != ':') {
            f = WRONG;
        }
        id = f == WHOLE ? ts_vec_add(agent->ctx, &agent->stack, sizeof *id) : NULL;
        if (id != NULL) {
            *id = v.number;
        } else if (f == WHOLE) {
            *code = agent->ctx->error.code;
        }
    }
    return f;
}

static void take_field(ts_agent_event *e, ts_text key, const value *v)
{
    const struct {
        const char *name;
        int64_t *to;
    } numbers[] = {
        {"id", &e->id},
        {"time", &e->time_ms},
        {"cpu_time", &e->cpu_ns},
        {"start_time", &e->start_ms},
        {"last_sample_time", &e->last_ms},
        {"sample_interval", &e->interval_ms},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && v->type == ':'; i++) {
        if (ts_text_is(key, numbers[i].name)) {
            *numbers[i].to = v->number;
        }
    }
    if (v->type == '+' && ts_text_is(key, "name")) {
        e->name = v->text;
    } else if (v->type == '+' && ts_text_is(key, "state")) {
        e->state = v->text;
    }
}

/* An array: what it is, then names with their values in any order. */
static parsed take_event(ts_code *code, ts_agent_event *e, ts_agent *agent, cursor *c)
{
    value head = {0};
    value key = {0};
    parsed f = take_value(&head, c);
    *e = (ts_agent_event){0};
    agent->stack.n = 0;
    if (f != WHOLE || head.type == '+' || head.type == ':') {
        return f; /* a single text is an answer */
    }
    for (int64_t i = 0; i < head.number && f == WHOLE && *code == TS_OK; i++) {
        value v = {0};
        f = take_value(&v, c);
        if (f == WHOLE && v.type == '*') {
            f = take_stack(code, agent, c, v.number);
        } else if (f == WHOLE && i == 0) {
            e->kind = v.text;
        } else if (f == WHOLE && i % 2 == 1) {
            key = v;
        } else if (f == WHOLE) {
            take_field(e, key.text, &v);
        }
    }
    e->stack = agent->stack.p;
    e->stack_n = agent->stack.n;
    return f;
}

ts_code ts_agent_parse(size_t *used, ts_agent *agent, const char *p, size_t n, ts_agent_visit visit,
                       void *user)
{
    cursor c = {p, p + n};
    ts_code code = TS_OK;
    *used = 0;
    while (code == TS_OK && c.p < c.end) {
        ts_agent_event event;
        parsed f = take_event(&code, &event, agent, &c);
        TS_STEP_IF(code, f == WRONG,
                   ts_fail(agent->ctx, TS_ERR_INPUT, "what the agent sent is not a message"));
        if (code != TS_OK || f == PART) {
            return code;
        }
        *used = (size_t)(c.p - p);
        code = event.kind.p == NULL ? TS_OK : visit(user, &event);
    }
    return code;
}

/* --- the connection --------------------------------------------------------------------------- */

static bool is_local(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)a;
        return ntohl(in->sin_addr.s_addr) >> 24 == 127;
    }
    return a->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

static ts_code connect_to(ts_agent *agent, const struct addrinfo *a, const char *address)
{
    struct pollfd p = {.events = POLLOUT};
    int number = 0;
    socklen_t n = sizeof number;
    agent->fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    p.fd = agent->fd;
    if (agent->fd < 0 ||
        (connect(agent->fd, a->ai_addr, a->ai_addrlen) != 0 && errno != EINPROGRESS)) {
        number = errno;
    } else if (poll(&p, 1, CONNECT_MS) <= 0) {
        number = ETIMEDOUT;
    } else {
        (void)getsockopt(agent->fd, SOL_SOCKET, SO_ERROR, &number, &n);
    }
    return number == 0 ? TS_OK
                       : ts_fail(agent->ctx, TS_ERR_INPUT, "cannot connect to %s: %s", address,
                                 strerror(number));
}

/* Only one text is ever sent, and it fits the socket's buffer. */
static ts_code say(const ts_agent *agent, const char *text)
{
    return send(agent->fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text)
               ? TS_OK
               : ts_fail(agent->ctx, TS_ERR_INPUT, "cannot send to the agent: %s", strerror(errno));
}

ts_code ts_agent_open(ts_agent *agent, ts_ctx *ctx, const char *address)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    const char *colon = strrchr(address, ':');
    char host[256];
    ts_code code;
    *agent = (ts_agent){.ctx = ctx, .fd = -1};
    snprintf(host, sizeof host, "%.*s",
             (int)(colon == NULL ? strlen(address) : (size_t)(colon - address)), address);
    /* No name but this one is looked up, which could ask another machine. */
    if (strcmp(host, "localhost") != 0 && strncmp(host, "127.", 4) != 0 &&
        strcmp(host, "::1") != 0) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "only agents on this machine: localhost, 127.0.0.1 or ::1");
    }
    if (getaddrinfo(host, colon == NULL ? "3333" : colon + 1, &hints, &found) != 0) {
        return ts_fail(ctx, TS_ERR_USAGE, "%s is not an address", address);
    }
    code = ts_fail(ctx, TS_ERR_INPUT, "%s is not an address of this machine", address);
    for (const struct addrinfo *a = found; a != NULL && code != TS_OK; a = a->ai_next) {
        if (is_local(a->ai_addr)) {
            ts_agent_close(agent);
            agent->ctx = ctx;
            code = connect_to(agent, a, address);
        }
    }
    freeaddrinfo(found);
    TS_STEP(code, say(agent, "*1\r\n+subscribe-events\r\n"));
    return code;
}

void ts_agent_close(ts_agent *agent)
{
    if (agent->ctx == NULL) {
        return;
    }
    if (agent->fd >= 0) {
        close(agent->fd);
    }
    ts_buf_free(agent->ctx, &agent->in);
    ts_vec_free(agent->ctx, &agent->stack);
    *agent = (ts_agent){.fd = -1};
}

void ts_agent_stop(const ts_agent *agent)
{
    (void)say(agent, "*1\r\n+stop-sample\r\n");
}

ts_code ts_agent_read(bool *ended, ts_agent *agent, int timeout_ms, ts_agent_visit visit,
                      void *user)
{
    struct pollfd p = {.fd = agent->fd, .events = POLLIN};
    size_t used = 0;
    ssize_t n;
    ts_code code;
    *ended = false;
    int ready = poll(&p, 1, timeout_ms);
    if (ready <= 0) {
        return ready == 0 || errno == EINTR
                   ? TS_OK
                   : ts_fail(agent->ctx, TS_ERR_INPUT, "cannot wait for the agent: %s",
                             strerror(errno));
    }
    TS_TRY_INTO(code, ts_buf_reserve(agent->ctx, &agent->in, READ_SIZE));
    n = recv(agent->fd, agent->in.p + agent->in.n, READ_SIZE, 0);
    *ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
    if (n <= 0) {
        return TS_OK;
    }
    agent->in.n += (size_t)n;
    code = ts_agent_parse(&used, agent, agent->in.p, agent->in.n, visit, user);
    memmove(agent->in.p, agent->in.p + used, agent->in.n - used);
    agent->in.n -= used;
    TS_STEP_IF(code, agent->in.n > MESSAGE_MAX,
               ts_fail(agent->ctx, TS_ERR_INPUT, "a message of the agent is too long"));
    return code;
}
