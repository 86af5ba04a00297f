#include "base/random.h"

#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#if defined(__linux__) || defined(__APPLE__)
#include <sys/random.h>
#endif

bool ts_random(void *p, size_t n)
{
    unsigned char bytes[256];
    if (n > sizeof bytes) {
        return false;
    }
#ifdef __linux__
    if (getrandom(bytes, n, GRND_NONBLOCK) != (ssize_t)n) {
        return false;
    }
#else
    if (getentropy(bytes, n) != 0) {
        return false;
    }
#endif
    memcpy(p, bytes, n);
    return true;
}
