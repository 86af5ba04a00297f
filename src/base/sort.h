/*
 * Sorting numbers that stand for something else, by a comparison that needs more than the two:
 * qsort_r is not everywhere. In place, without recursion, n log n steps whatever the order was.
 */
#ifndef TS_BASE_SORT_H
#define TS_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Less than 0, 0 or more than 0, as a comes before b, is equal or comes after it. */
typedef int (*ts_sort_compare)(uint32_t a, uint32_t b, const void *user);

/* Equal ones are in any order. */
void ts_sort_u32(uint32_t *p, size_t n, ts_sort_compare compare, const void *user);

#endif
