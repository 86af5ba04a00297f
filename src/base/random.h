#ifndef TS_BASE_RANDOM_H
#define TS_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

/* Fills n bytes (at most 256) with random ones of the system, without waiting for them. False, and
 * nothing is written, when there are none. */
bool ts_random(void *p, size_t n);

#endif
