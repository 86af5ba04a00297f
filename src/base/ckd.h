/* Checked arithmetic for everything that comes from input. True means: overflow, *out unusable. */
#ifndef TS_BASE_CKD_H
#define TS_BASE_CKD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ts_ckd_add(out, a, b) __builtin_add_overflow((a), (b), (out))
#define ts_ckd_sub(out, a, b) __builtin_sub_overflow((a), (b), (out))
#define ts_ckd_mul(out, a, b) __builtin_mul_overflow((a), (b), (out))

/*
 * A time that is not known, or does not fit 64 bit nanoseconds: its cell is NULL. No real time has
 * this value.
 */
#define TS_NO_TIME INT64_MIN

/* Sums of times: TS_NO_TIME when one of both is, or when the sum does not fit. */
static inline int64_t ts_time_add(int64_t a, int64_t b)
{
    int64_t r;
    return a == TS_NO_TIME || b == TS_NO_TIME || __builtin_add_overflow(a, b, &r) ? TS_NO_TIME : r;
}

/* Counters and bounds that must not wrap: the nearest int64 instead. */
static inline int64_t ts_sat_add(int64_t a, int64_t b)
{
    int64_t r;
    if (ts_ckd_add(&r, a, b)) {
        return b < 0 ? INT64_MIN : INT64_MAX;
    }
    return r;
}

static inline int64_t ts_sat_sub(int64_t a, int64_t b)
{
    int64_t r;
    if (ts_ckd_sub(&r, a, b)) {
        return b < 0 ? INT64_MAX : INT64_MIN;
    }
    return r;
}

static inline int64_t ts_sat_mul(int64_t a, int64_t b)
{
    int64_t r;
    if (ts_ckd_mul(&r, a, b)) {
        return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
    }
    return r;
}

#endif
