/* Messages of Flare's agent: as they come, in pieces, and what is none. */
#include "support.h"

#include "sampler/agent.h"

static const char text[] =
    "*7\r\n+sample_info\r\n+start_time\r\n:1000\r\n+sample_interval\r\n:20\r\n"
    "+last_sample_time\r\n:1500\r\n"
    "+OK\r\n"
    "*5\r\n+method\r\n+id\r\n:9007199254740993\r\n+name\r\n+app.Main.run()\r\n"
    "*13\r\n+thread\r\n+time\r\n:1520\r\n+id\r\n:-7\r\n+name\r\n+main\r\n"
    "+cpu_time\r\n:5000\r\n+state\r\n+\r\n+stacktrace\r\n*2\r\n:2\r\n:1\r\n"
    "*5\r\n+method\r\n+name\r\n$5\r\na\r\nb.\r\n+id\r\n:3\r\n";

typedef struct seen {
    char log[2000];
    size_t n;
} seen;

static ts_code note(void *user, const ts_agent_event *e)
{
    seen *s = user;
    s->n += (size_t)snprintf(s->log + s->n, sizeof s->log - s->n,
                             "%.*s id %lld name %.*s time %lld cpu %lld start %lld", (int)e->kind.n,
                             e->kind.p, (long long)e->id, (int)e->name.n,
                             e->name.p == NULL ? "" : e->name.p, (long long)e->time_ms,
                             (long long)e->cpu_ns, (long long)e->start_ms);
    s->n += (size_t)snprintf(s->log + s->n, sizeof s->log - s->n, " every %lld last %lld stack",
                             (long long)e->interval_ms, (long long)e->last_ms);
    for (size_t i = 0; i < e->stack_n; i++) {
        s->n +=
            (size_t)snprintf(s->log + s->n, sizeof s->log - s->n, " %lld", (long long)e->stack[i]);
    }
    s->n += (size_t)snprintf(s->log + s->n, sizeof s->log - s->n, "\n");
    return TS_OK;
}

static const char expected[] =
    "sample_info id 0 name  time 0 cpu 0 start 1000 every 20 last 1500 stack\n"
    "method id 9007199254740993 name app.Main.run() time 0 cpu 0 start 0 every 0 last 0 stack\n"
    "thread id -7 name main time 1520 cpu 5000 start 0 every 0 last 0 stack 2 1\n"
    "method id 3 name a\r\nb. time 0 cpu 0 start 0 every 0 last 0 stack\n";

/* Cut at each byte: what is whole is passed on once, the rest with what follows. */
static void test_pieces(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_agent agent = {.ctx = ctx, .fd = -1};
    (void)state;
    for (size_t cut = 0; cut < sizeof text; cut++) {
        seen s = {0};
        size_t used;
        size_t more;
        char *part = malloc(cut + 1);
        memcpy(part, text, cut);
        assert_ok(ctx, ts_agent_parse(&used, &agent, part, cut, note, &s));
        assert_true(used <= cut);
        assert_ok(ctx,
                  ts_agent_parse(&more, &agent, text + used, sizeof text - 1 - used, note, &s));
        assert_int_equal(used + more, sizeof text - 1);
        assert_string_equal(s.log, expected);
        free(part);
    }
    ts_agent_close(&agent);
    test_ctx_free(ctx);
}

static void test_wrong(void **state)
{
    static const char *const all[] = {"HTTP/1.1 400 Bad Request\r\n",
                                      "*x\r\n",
                                      "*-1\r\n",
                                      "*99999999999999999999\r\n",
                                      "*2000000\r\n",
                                      "*1\r\n:1x\r\n",
                                      "*1\r\n:\r\n",
                                      "*3\r\n+thread\r\n+stacktrace\r\n*1\r\n+x\r\n",
                                      "\r\n",
                                      "+a\n",
                                      "*1\r\n$-5\r\n",
                                      "*1\r\n$3\r\nabcd\r\n",
                                      "*1\r\n$99999999\r\n"};
    ts_ctx *ctx = test_ctx_new();
    ts_agent agent = {.ctx = ctx, .fd = -1};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        seen s = {0};
        size_t used;
        assert_int_equal(ts_agent_parse(&used, &agent, all[i], strlen(all[i]), note, &s),
                         TS_ERR_INPUT);
    }
    ts_agent_close(&agent);
    test_ctx_free(ctx);
}

static void test_no_memory(void **state)
{
    uint64_t calls = 1;
    (void)state;
    for (uint64_t at = 1; at <= calls; at++) {
        ts_ctx *ctx = test_ctx_new();
        test_failing failing = {.fail_at = at};
        ts_agent agent = {.ctx = ctx, .fd = -1};
        seen s = {0};
        size_t used;
        ts_code code;
        ctx->allocator = test_failing_allocator(&failing);
        code = ts_agent_parse(&used, &agent, text, sizeof text - 1, note, &s);
        assert_true(failing.calls < at ? code == TS_OK : code == TS_ERR_NOMEM);
        calls = failing.calls;
        ts_agent_close(&agent);
        test_ctx_free(ctx);
    }
}

static void test_addresses(void **state)
{
    static const char *const all[] = {
        "example.com:3333",   "10.0.0.1:3333",           "", ":3333", "localhost:x",
        "127.evil.example:1", "localhost.evil.example:1"};
    ts_ctx *ctx = test_ctx_new();
    ts_agent agent;
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        assert_int_equal(ts_agent_open(&agent, ctx, all[i]), TS_ERR_USAGE);
        ts_agent_close(&agent);
    }
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
