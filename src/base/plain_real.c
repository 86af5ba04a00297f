#include "base/plain_real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "-d.ddde+XX" as a plain decimal. */
static void real_unfold(char *out, const char *text)
{
    bool minus = *text == '-';
    const char *e = strchr(text, 'e');
    const char *at = text + (minus ? 1 : 0);
    long power = strtol(e + 1, NULL, 10);
    char digits[24];
    size_t n = 0;
    for (; at < e; at++) {
        if (*at != '.') {
            digits[n++] = *at;
        }
    }
    if (minus) {
        *out++ = '-';
    }
    if (power < 0) {
        memcpy(out, "0.", 2);
        memset(out + 2, '0', (size_t)(-power - 1));
        out += 2 + (-power - 1);
        memcpy(out, digits, n);
        out[n] = '\0';
        return;
    }
    for (long i = 0; i <= power || (size_t)i < n; i++) {
        if (i == power + 1) {
            *out++ = '.';
        }
        *out++ = (size_t)i < n ? digits[i] : '0';
    }
    *out = '\0';
}

bool ts_plain_real(char out[TS_REAL_DIGITS], double value)
{
    char text[40];
    if (!isfinite(value)) {
        return false;
    }
    if (value == 0) {
        memcpy(out, "0", 2);
        return true;
    }
    for (int digits = 0; digits <= 16; digits++) {
        (void)snprintf(text, sizeof text, "%.*e", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    real_unfold(out, text);
    return true;
}
