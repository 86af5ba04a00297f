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
 * went through the door came back. */
ts_ctx *test_ctx_new(void);
void test_ctx_free(ts_ctx *ctx);

/* Asserts TS_OK and prints the error chain otherwise. */
#define assert_ok(ctx, call) test_assert_ok((ctx), (call), #call, __FILE__, __LINE__)
void test_assert_ok(const ts_ctx *ctx, ts_code code, const char *what, const char *file, int line);

#endif
