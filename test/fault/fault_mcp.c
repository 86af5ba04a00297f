/*
 * The server of `trace_streamer mcp` while its allocations fail in turn, and while the client takes
 * no answer: it ends with that code, and leaves no memory and no file.
 */
#include "faults.h"

#include "mcp/mcp.h"

#include <errno.h>

#define CALL(name, arguments)                                                                      \
    "{\"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"" name                       \
    "\", \"_meta\": {\"progressToken\": 4}, \"arguments\": {" arguments "}}}"

static const char *const lines[] = {
    "{\"id\": \"a\", \"method\": \"initialize\", \"params\": {\"protocolVersion\": \"x\"}}",
    "{\"id\": 1, \"method\": \"tools/list\"}",
    "no JSON",
    "{\"id\": 1, \"method\": \"none\"}",
    CALL("overview", ""),
    CALL("ask", "\"question\": \"hot_methods\", \"params\": {\"limit\": 2}"),
    CALL("ask", "\"question\": \"hot_method\""),
    CALL("questions", "\"topic\": \"stacks\""),
    CALL("flame", "\"depth\": 9"),
    CALL("sql", "\"sql\": \"SELECT :a, name FROM source\", \"params\": {\"a\": 1}"),
    CALL("diff", "\"before\": \"1\", \"after\": \"1\""),
    CALL("schema", ""),
    CALL("schema", "\"table\": \"source\""),
    CALL("issues", ""),
    CALL("open", "\"path\": \"/none\", \"analyze\": \"heap\""),
    CALL("heap_path", "\"node\": 4"),
    CALL("close", "\"recording\": \"1\""),
};

enum { LINES = sizeof lines / sizeof lines[0] };

typedef struct client {
    uint64_t answers, bytes;
    uint64_t refuses_at;
} client;

static ts_code put(void *user, ts_text message)
{
    static const char progress[] = "notifications/progress";
    client *c = user;
    if (memmem(message.p, message.n, progress, sizeof progress - 1) != NULL) {
        return TS_OK;
    }
    c->answers++;
    c->bytes += message.n;
    return c->answers == c->refuses_at ? TS_ERR_OUTPUT : TS_OK;
}

static ts_code run(client *c, faults *f)
{
    char *path = fault_path(TS_FAULT_INPUTS, "sessions.heapprofile");
    ts_ctx ctx;
    ts_mcp *m = NULL;
    ts_ctx_init(&ctx);
    faults_install(f, &ctx);
    ts_code code = ts_mcp_new(&m, &ctx, put, c);
    TS_STEP(code, ts_mcp_add(m, path));
    for (int i = 0; i < LINES && code == TS_OK; i++) {
        code = ts_mcp_take(m, ts_text_of(lines[i]));
    }
    ts_mcp_free(m);
    free(path);
    assert_int_equal(f->open_files, 0);
    assert_int_equal(f->blocks, 0);
    return code;
}

static void test_every_failure(void **state)
{
    client all = {0};
    faults seen = {.what = "realloc"};
    (void)state;
    assert_int_equal(run(&all, &seen), TS_OK);
    assert_int_equal(all.answers, LINES);
    for (uint64_t k = 1; k <= seen.calls; k += fault_step(seen.calls, 30)) {
        client c = {0};
        faults f = {.what = "realloc", .fail_at = k, .number = ENOMEM};
        if (run(&c, &f) == TS_OK) { /* it was a message of progress that was left out */
            assert_true(c.answers == LINES && c.bytes == all.bytes);
        } else {
            assert_true(f.failed && c.answers < LINES);
        }
    }
    for (uint64_t k = 1; k <= LINES; k++) {
        client c = {.refuses_at = k};
        faults f = {.what = "realloc"};
        assert_int_equal(run(&c, &f), TS_ERR_OUTPUT);
        assert_int_equal(c.answers, k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
