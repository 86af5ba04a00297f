#include "model/sort_by.h"

#include "base/alloc.h"

int ts_text_order(ts_text a, ts_text b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    if (a.p == NULL || b.p == NULL) {
        return (a.p != NULL) - (b.p != NULL);
    }
    int order = memcmp(a.p, b.p, n);
    return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

ts_code ts_sort_by(ts_ctx *ctx, uint32_t *places, size_t n,
                   int (*compare)(const void *user, uint32_t a, uint32_t b), const void *user)
{
    uint32_t *other = ts_alloc(ctx, n, sizeof *other);
    TS_NEED(ctx, other);
    uint32_t *from = places;
    uint32_t *to = other;
    for (size_t width = 1; width < n; width *= 2) { /* runs of this length are sorted */
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t left = at;
            size_t middle = at + width < n ? at + width : n;
            size_t right = middle;
            size_t end = middle + width < n ? middle + width : n;
            for (size_t i = at; i < end; i++) {
                bool first =
                    left < middle && (right == end || compare(user, from[left], from[right]) <= 0);
                to[i] = first ? from[left++] : from[right++];
            }
        }
        uint32_t *moved = from;
        from = to;
        to = moved;
    }
    if (from != places && n > 0) {
        memcpy(places, from, n * sizeof *places);
    }
    ts_free(ctx, other);
    return TS_OK;
}
