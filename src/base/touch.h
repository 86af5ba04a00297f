/*
 * Memory that is going to be written soon. The first write to each page of 4 KiB stops the program
 * for the kernel to find it; a page of a run that is asked for at once costs two thirds of that.
 * Huge pages (ts_alloc_spread) cost less still, but far more on a virtual machine that has returned
 * them to its host.
 */
#ifndef TS_BASE_TOUCH_H
#define TS_BASE_TOUCH_H

#include <stddef.h>

/* Takes the pages that are wholly in these n bytes; their content stays. Advice only: systems
 * without it take each page when it is written. */
void ts_touch(void *p, size_t n);

#endif
