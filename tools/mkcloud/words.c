#include "words.h"

#include <stdio.h>
#include <string.h>

static const char *const names[MC_FIRST_METHOD] = {
    "call.info",
    "call.red",
    "call.idle",
    "exception",
    "profiler.plugin",
    "common.started",
    "node.name",
    "java.thread",
    "log.generated",
    "log.written",
    "time.cpu",
    "time.wait",
    "memory.allocated",
    "io.disk.read",
    "io.disk.written",
    "io.net.read",
    "io.net.written",
    "j2ee.transactions",
    "time.queue.wait",
    "sql",
    "binds",
    "message",
    "web.method",
    "web.url",
    "web.remote.addr",
    "job.id",
    "job.name",
    "user",
    "nc.user",
    "trace.id",
    "span.id",
    "request.id",
    "kafka.topic",
    "cassandra.query",
    "cache.name",
    "tenant \xC3\xA9t\xC3\xA9",
    "\xE9\x9B\xBB\xE8\xBB\x8A",
    "face \xF0\x9F\x98\x80",
    "half \xED\xA0\xBD",
    "",
};

static void format(mk_buf *text, const char *a, uint64_t n, const char *b)
{
    char number[MK_DIGITS + 1] = {0};

    mk_digits(number, n);
    mk_buf_str(text, a);
    mk_buf_str(text, number);
    mk_buf_str(text, b);
}

static void method_word(mk_buf *text, uint32_t n)
{
    static const char *const returns[] = {"void ", "int ", "java.lang.String ", "byte[] ",
                                          "java.util.Map$Entry[][] "};
    static const char *const arguments[] = {
        "", "int", "java.lang.String,long", "byte[],int,int",
        "java.util.Map$Entry,java.lang.Object[],boolean,double"};
    bool init = n % 17 == 3;
    bool clinit = n % 29 == 5;

    mk_buf_str(text, init || clinit ? "void " : returns[n % 5]);
    format(text, "com.example.part", n % 13, ".");
    format(text, "Type", n / 4, n % 7 == 0 ? "$Inner$1" : "");
    if (init || clinit)
        mk_buf_str(text, init ? ".<init>" : ".<clinit>");
    else
        format(text, ".method", n, "");
    mk_buf_byte(text, '(');
    mk_buf_str(text, clinit ? "" : arguments[n / 3 % 5]);
    mk_buf_str(text, ")");
    format(text, " (Type", n / 4, ".java");
    if (n % 11 != 4)
        format(text, ":", n * 7 % 3000 + 1, "");
    mk_buf_str(text, ")");
    if (n % 3 != 1)
        format(text, " [app/lib/part-", n % 13, ".1.0.jar]");
}

void mc_word(mk_buf *text, uint32_t id, bool *is_method)
{
    *is_method = false;
    text->n = 0;
    if (id < MC_FIRST_METHOD) {
        mk_buf_str(text, names[id]);
    } else if (id % 31 == 0) {
        /* The agent can be set to cut long words. */
        format(text, "java.lang.String com.example.Cut", id, ".method(java.lang.Str");
    } else {
        method_word(text, id - MC_FIRST_METHOD);
        *is_method = true;
    }
    mk_buf_byte(text, '\0');
}

void mc_statement(mk_buf *text, uint64_t number)
{
    text->n = 0;
    format(text, "SELECT id, name, state FROM table_", number, " WHERE id = ? AND name = '");
    mk_buf_str(text, number % 4 == 1   ? "\xF0\x9F\x98\x80"
                     : number % 4 == 2 ? "\xC3\xBC\xE9\x9B\xBB"
                                       : "x");
    mk_buf_str(text, "'");
    for (uint64_t i = 0; i < number % 16; i++)
        mk_buf_str(text, " OR state = 'PENDING'");
    mk_buf_byte(text, '\0');
}

void mc_value(mk_buf *text, uint64_t number)
{
    text->n = 0;
    if (number % 50 == 0)
        mk_buf_str(text, "caf\xC3\xA9 \xF0\x9F\x8D\xB5 ");
    if (number % 77 == 1)
        mk_buf_str(text, "\xED\xB0\x80");
    if (number % 40 != 7)
        format(text, "GET /api/v1/orders/", number, number % 3 == 0 ? "?state=open&page=2" : "");
    mk_buf_byte(text, '\0');
}
