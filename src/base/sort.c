#include "base/sort.h"

#include <string.h>

typedef struct sort_work {
    char *p;
    size_t size;
    ts_sort_compare *compare;
    void *user;
} sort_work;

static void swap(const sort_work *s, size_t i, size_t k)
{
    char *a = s->p + i * s->size;
    char *b = s->p + k * s->size;
    char part[64];
    for (size_t left = s->size; left > 0;) {
        const size_t n = left < sizeof part ? left : sizeof part;
        memcpy(part, a, n);
        memcpy(a, b, n);
        memcpy(b, part, n);
        a += n;
        b += n;
        left -= n;
    }
}

static int compare_at(const sort_work *s, size_t i, size_t k)
{
    return s->compare(s->p + i * s->size, s->p + k * s->size, s->user);
}

/* A heap: no element comes after the one at (i - 1) / 2. Lets the one at `at` sink to its place. */
static void sink(const sort_work *s, size_t at, size_t n)
{
    while (at < n / 2) {
        size_t child = 2 * at + 1;
        if (child + 1 < n && compare_at(s, child, child + 1) < 0) {
            child++;
        }
        if (compare_at(s, at, child) >= 0) {
            return;
        }
        swap(s, at, child);
        at = child;
    }
}

void ts_sort(void *p, size_t n, size_t size, ts_sort_compare *compare, void *user)
{
    const sort_work s = {(char *)p, size, compare, user};
    for (size_t i = n / 2; i > 0; i--) {
        sink(&s, i - 1, n);
    }
    for (size_t left = n; left > 1; left--) {
        swap(&s, 0, left - 1);
        sink(&s, 0, left - 1);
    }
}
