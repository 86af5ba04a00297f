#include "base/touch.h"

#include <stdint.h>
#include <sys/mman.h>

void ts_touch(void *p, size_t n)
{
#ifdef MADV_POPULATE_WRITE
    enum { PAGE = 4096 }; /* where pages are larger, what is no whole one is refused */
    const uintptr_t mask = PAGE - 1;
    const uintptr_t begin = ((uintptr_t)p + mask) & ~mask;
    const uintptr_t end = ((uintptr_t)p + n) & ~mask;
    if (begin < end) {
        (void)madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
    }
#else
    (void)p;
    (void)n;
#endif
}
