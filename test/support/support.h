/* What all tests share: cmocka with its includes, a context, small helpers. */
#ifndef TS_TEST_SUPPORT_H
#define TS_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/alloc.h"

/* A context with the defaults, on the heap (it is large); test_ctx_free checks that all memory that
 * was allocated was freed. */
ts_ctx *test_ctx_new(void);
void test_ctx_free(ts_ctx *ctx);

/* Asserts TS_OK and prints the error chain otherwise. */
#define assert_ok(ctx, call) test_assert_ok((ctx), (call), #call, __FILE__, __LINE__)
void test_assert_ok(const ts_ctx *ctx, ts_code code, const char *what, const char *file, int line);

/*
 * An allocator that fails: the call number `fail_at`, from 1, and with `forever` all after it; 0
 * none. `calls` counts. test_failing_allocator gives the allocator that uses it, on top of
 * realloc.
 */
typedef struct test_failing {
    uint64_t calls;
    uint64_t fail_at;
    bool forever;
} test_failing;

ts_allocator test_failing_allocator(test_failing *f);

/* The whole file with a zero byte behind it, *n its size; the caller frees it with free(). */
char *test_read_file(const char *path, size_t *n);
void test_write_file(const char *path, const void *p, size_t n);

/* Whether TS_SLOW=1 asks for complete sweeps (scripts/nightly.sh); else a sample of them is enough.
 */
bool test_slow(void);

#endif
