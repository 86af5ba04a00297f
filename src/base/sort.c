#include "base/sort.h"

/* A heap: no element comes after the one at (i - 1) / 2. Lets p[at] sink to its place. */
static void sink(uint32_t *p, size_t at, size_t n, ts_sort_compare compare, const void *user)
{
    const uint32_t moved = p[at];
    while (at < n / 2) {
        size_t child = 2 * at + 1;
        if (child + 1 < n && compare(p[child], p[child + 1], user) < 0) {
            child++;
        }
        if (compare(moved, p[child], user) >= 0) {
            break;
        }
        p[at] = p[child];
        at = child;
    }
    p[at] = moved;
}

void ts_sort_u32(uint32_t *p, size_t n, ts_sort_compare compare, const void *user)
{
    for (size_t i = n / 2; i > 0; i--) {
        sink(p, i - 1, n, compare, user);
    }
    for (size_t left = n; left > 1; left--) {
        const uint32_t last = p[0];
        p[0] = p[left - 1];
        p[left - 1] = last;
        sink(p, 0, left - 1, compare, user);
    }
}
