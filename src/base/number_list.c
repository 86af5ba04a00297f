#include "base/number_list.h"

#include <stddef.h>

enum { DIGITS_MAX = 10 };

bool ts_number_list_valid(const char *list)
{
    const char *p = list;
    for (;;) {
        const char *begin = p;
        while (*p >= '0' && *p <= '9') {
            p++;
        }
        if (p == begin || p - begin > DIGITS_MAX) {
            return false;
        }
        if (*p == '\0') {
            return true;
        }
        if (*p++ != ',') {
            return false;
        }
    }
}

bool ts_number_list_has(const char *list, int64_t number)
{
    for (const char *p = list; *p != '\0';) {
        int64_t n = 0;
        for (; *p >= '0' && *p <= '9'; p++) {
            n = n * 10 + (*p - '0');
        }
        if (n == number) {
            return true;
        }
        p += *p == ',';
    }
    return false;
}
