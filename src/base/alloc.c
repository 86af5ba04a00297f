#include "base/alloc.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

/* Every block carries its size in front, so that the allocator can count what is in use. */
typedef union block_head {
    size_t size;
    max_align_t align;
} block_head;

static ts_code alloc_refuse(ts_ctx *ctx, size_t n)
{
    return ts_fail(ctx, TS_ERR_NOMEM, "cannot allocate %zu bytes", n);
}

/* The counts of a context, which several threads may share. */
static ts_ctx *counts_of(ts_ctx *ctx)
{
    return ctx->memory_of == NULL ? ctx : ctx->memory_of;
}

static void uncount(ts_ctx *ctx, size_t n)
{
    (void)__atomic_sub_fetch(&counts_of(ctx)->memory_used, n, __ATOMIC_RELAXED);
}

/* Accounts for a change from `old` bytes to `now`; false when --max-memory does not allow it. */
static bool count_bytes(ts_ctx *ctx, size_t old, size_t now)
{
    uint64_t used =
        __atomic_add_fetch(&counts_of(ctx)->memory_used, (uint64_t)now - old, __ATOMIC_RELAXED);
    if (ctx->limits.max_memory != 0 && now > old && used > ctx->limits.max_memory) {
        uncount(ctx, now - old);
        ts_fail(ctx, TS_ERR_LIMIT,
                "memory limit reached: %" PRIu64 " bytes needed, --max-memory allows %" PRIu64,
                used, ctx->limits.max_memory);
        return false;
    }
    return true;
}

/* What was counted was taken. */
static void note_peak(ts_ctx *ctx)
{
    ts_ctx *of = counts_of(ctx);
    uint64_t used = __atomic_load_n(&of->memory_used, __ATOMIC_RELAXED);
    uint64_t peak = __atomic_load_n(&of->memory_peak, __ATOMIC_RELAXED);
    while (used > peak && !__atomic_compare_exchange_n(&of->memory_peak, &peak, used, true,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

ts_code ts_alloc_lent(ts_ctx *ctx, size_t n)
{
    if (!count_bytes(ctx, 0, n)) {
        return ctx->error.code;
    }
    note_peak(ctx);
    return TS_OK;
}

void ts_alloc_returned(ts_ctx *ctx, size_t n)
{
    uncount(ctx, n);
}

void *ts_realloc(ts_ctx *ctx, void *p, size_t count, size_t size)
{
    block_head *head = p == NULL ? NULL : (block_head *)p - 1;
    size_t old = head == NULL ? 0 : head->size;
    size_t n;
    size_t total;
    if (ts_ckd_mul(&n, count, size) || ts_ckd_add(&total, n, sizeof(block_head))) {
        alloc_refuse(ctx, SIZE_MAX);
        return NULL;
    }
    if (!count_bytes(ctx, old, n)) {
        return NULL;
    }
    head = ctx->allocator.realloc(ctx->allocator.user, head, total);
    if (head == NULL) {
        uncount(ctx, n - old);
        alloc_refuse(ctx, n);
        return NULL;
    }
    head->size = n;
    note_peak(ctx);
    return head + 1;
}

void *ts_alloc(ts_ctx *ctx, size_t count, size_t size)
{
    return ts_realloc(ctx, NULL, count, size);
}

void *ts_zalloc(ts_ctx *ctx, size_t count, size_t size)
{
    void *p = ts_realloc(ctx, NULL, count, size);
    if (p != NULL) {
        memset(p, 0, count * size);
    }
    return p;
}

char *ts_strndup(ts_ctx *ctx, const char *s, size_t n)
{
    size_t total;
    char *p;
    if (ts_ckd_add(&total, n, (size_t)1)) {
        alloc_refuse(ctx, SIZE_MAX);
        return NULL;
    }
    p = ts_alloc(ctx, total, 1);
    if (p != NULL) {
        if (n > 0) {
            memcpy(p, s, n);
        }
        p[n] = '\0';
    }
    return p;
}

ts_code ts_copy_text(char **out, ts_ctx *ctx, const char *s, size_t n)
{
    TS_NEED(ctx, *out = ts_strndup(ctx, s, n));
    return TS_OK;
}

void ts_alloc_spread(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t mask = HUGE_PAGE - 1;
    uintptr_t begin = ((uintptr_t)p + mask) & ~mask;
    uintptr_t end = ((uintptr_t)p + n) & ~mask;
    if (begin < end) {
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* advice only */
    }
#else
    (void)p;
    (void)n;
#endif
}

void ts_alloc_trim(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

void ts_free(ts_ctx *ctx, void *p)
{
    if (p != NULL) {
        block_head *head = (block_head *)p - 1;
        uncount(ctx, head->size);
        ctx->allocator.free(ctx->allocator.user, head);
    }
}
