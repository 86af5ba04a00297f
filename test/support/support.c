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

static void *failing_realloc(void *user, void *p, size_t n)
{
    test_failing *f = user;
    f->calls++;
    bool fails = f->fail_at != 0 && f->calls >= f->fail_at;
    return fails && (f->calls == f->fail_at || f->forever) ? NULL : realloc(p, n);
}

static void failing_free(void *user, void *p)
{
    (void)user;
    free(p);
}

ts_allocator test_failing_allocator(test_failing *f)
{
    return (ts_allocator){f, failing_realloc, failing_free};
}

char *test_read_file(const char *path, size_t *n)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    long size = ftell(in);
    assert_true(size >= 0);
    rewind(in);
    char *p = malloc((size_t)size + 1);
    assert_non_null(p);
    *n = fread(p, 1, (size_t)size, in);
    assert_int_equal(*n, size);
    p[*n] = '\0';
    (void)fclose(in);
    return p;
}

void test_write_file(const char *path, const void *p, size_t n)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(p, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
}

bool test_slow(void)
{
    const char *slow = getenv("TS_SLOW");
    return slow != NULL && strcmp(slow, "1") == 0;
}
