#include "htrace/pbc.h"

#include "base/alloc.h"

static void *pbc_alloc(void *data, size_t n)
{
    ts_pbc *pbc = data;
    void *p = ts_alloc(pbc->ctx, n, 1);
    if (p == NULL) {
        pbc->failed = true;
    }
    return p;
}

static void pbc_free(void *data, void *p)
{
    ts_pbc *pbc = data;
    ts_free(pbc->ctx, p);
}

void ts_pbc_init(ts_pbc *pbc, ts_ctx *ctx)
{
    pbc->allocator =
        (ProtobufCAllocator){.alloc = pbc_alloc, .free = pbc_free, .allocator_data = pbc};
    pbc->ctx = ctx;
    pbc->failed = false;
}
