/*
 * qsort_r, which C libraries other than glibc may lack. In place, without recursion, n log n steps
 * whatever the order was.
 */
#ifndef TS_BASE_SORT_H
#define TS_BASE_SORT_H

#include <stddef.h>

/* Less than 0, 0 or more than 0, as a comes before b, is equal or comes after it. */
typedef int ts_sort_compare(const void *a, const void *b, void *user);

/* n elements of `size` bytes. Equal ones are in any order. */
void ts_sort(void *p, size_t n, size_t size, ts_sort_compare *compare, void *user);

#endif
