#include "support.h"

ts_ctx *test_ctx_new(void)
{
    ts_ctx *ctx = malloc(sizeof *ctx);
    assert_non_null(ctx);
    ts_ctx_init(ctx);
    return ctx;
}

void test_ctx_free(ts_ctx *ctx)
{
    assert_int_equal(ctx->memory_used, 0);
    free(ctx);
}

void test_assert_ok(const ts_ctx *ctx, ts_code code, const char *what, const char *file, int line)
{
    if (code == TS_OK) {
        return;
    }
    for (unsigned i = ctx->error.count; i > 0; i--) {
        print_error("  %s\n", ctx->error.causes[i - 1]);
    }
    print_error("%s gave \"%s\"\n", what, ts_code_name(code));
    _fail(file, line);
}
