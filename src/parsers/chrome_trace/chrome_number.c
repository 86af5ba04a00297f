/* Decimal numbers of µs in ns. A double has 15 digits that are certain, times have more. */
#include "parsers/chrome_trace/chrome_trace.h"

enum { NS_DIGITS = 3, EXPONENT_MAX = 1000 };

/* sign digits [. digits] [e exponent]: the digits without the point and the power of ten. */
typedef struct decimal {
    uint64_t digits;
    int64_t power; /* of ten */
    bool negative;
    bool rest;       /* digits that did not fit and are not all zero */
    unsigned beyond; /* the first of them */
    bool over;       /* digits has 19 digits: more do not fit */
} decimal;

static void take_digit(decimal *d, unsigned digit, bool fraction)
{
    if (!d->over && d->digits > (UINT64_MAX - 9) / 10) {
        d->over = true;
        d->beyond = digit;
        d->power += fraction ? 0 : 1;
        return;
    }
    if (d->over) {
        d->rest = d->rest || digit != 0;
        d->power += fraction ? 0 : 1;
        return;
    }
    d->digits = d->digits * 10 + digit;
    d->power -= fraction ? 1 : 0;
}

static bool is_digit(const char *p, const char *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

static bool read_exponent(decimal *d, const char **at, const char *end)
{
    const char *p = *at;
    int64_t v = 0;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+') ? 1 : 0;
    if (!is_digit(p, end)) {
        return false;
    }
    for (; is_digit(p, end); p++) {
        v = v < EXPONENT_MAX ? v * 10 + (*p - '0') : v;
    }
    d->power += negative ? -v : v;
    *at = p;
    return true;
}

static bool read_decimal(decimal *d, bool *fine, const char *p, size_t n)
{
    const char *end = p + n;
    *d = (decimal){.negative = n > 0 && *p == '-'};
    *fine = false;
    p += d->negative ? 1 : 0;
    if (!is_digit(p, end)) {
        return false;
    }
    for (; is_digit(p, end); p++) {
        take_digit(d, (unsigned)(*p - '0'), false);
    }
    if (p < end && *p == '.') {
        *fine = true;
        p++;
        if (!is_digit(p, end)) {
            return false;
        }
        for (; is_digit(p, end); p++) {
            take_digit(d, (unsigned)(*p - '0'), true);
        }
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (!read_exponent(d, &p, end)) {
            return false;
        }
    }
    return p == end;
}

/* Halves are rounded away from zero. */
static bool to_int64(int64_t *out, const decimal *d, int64_t power)
{
    uint64_t v = d->digits;
    unsigned last = d->beyond;
    if (v == 0) {
        *out = 0;
        return true;
    }
    if (power >= 0 && d->over && (d->beyond != 0 || d->rest) && power > 0) {
        return false; /* more than 20 digits */
    }
    for (; power > 0; power--) {
        if (ts_ckd_mul(&v, v, UINT64_C(10))) {
            return false;
        }
    }
    for (; power < 0 && (v != 0 || last != 0); power++) {
        last = (unsigned)(v % 10);
        v /= 10;
    }
    v += last >= 5 ? 1 : 0;
    if (v > INT64_MAX) {
        return false;
    }
    *out = d->negative ? -(int64_t)v : (int64_t)v;
    return true;
}

bool chrome_ns(int64_t *ns, bool *fine, const char *p, size_t n)
{
    decimal d;
    return read_decimal(&d, fine, p, n) && to_int64(ns, &d, d.power + NS_DIGITS);
}

bool chrome_int(int64_t *v, const char *p, size_t n)
{
    decimal d;
    bool fine;
    return read_decimal(&d, &fine, p, n) && !fine && to_int64(v, &d, d.power);
}
