#include "parsers/tptp/binary_trace.h"

#include "base/ckd.h"

#include <string.h>

#define NS UINT64_C(1000000000)

enum { MHZ = 1000000, SLOWEST = 100000 };

__extension__ typedef unsigned __int128 wide;

static tptp_rate rate_of(tptp_ticks *t, uint64_t raw)
{
    double real;
    memcpy(&real, &raw, sizeof real);
    t->frequency = raw;
    if (raw == 0) {
        return TPTP_RATE_NONE;
    }
    if (raw < SLOWEST) {
        t->frequency = raw * MHZ;
        return TPTP_RATE_MHZ;
    }
    if (raw > UINT64_C(1000000000000) && real >= 1e6 && real <= 1e11) {
        t->frequency = (uint64_t)real;
        return TPTP_RATE_DOUBLE;
    }
    return TPTP_RATE_PLAIN;
}

tptp_rate tptp_ticks_rate(tptp_ticks *t, uint64_t raw)
{
    tptp_rate rate = rate_of(t, raw);
    t->each = t->frequency != 0 && NS % t->frequency == 0 ? NS / t->frequency : 0;
    return rate;
}

void tptp_ticks_guess(tptp_ticks *t, uint64_t first)
{
    t->scale = first >= UINT64_C(900000000000) && first <= UINT64_C(5000000000000)         ? 1000000
               : first >= UINT64_C(900000000000000) && first <= UINT64_C(5000000000000000) ? 1000
                                                                                           : 1;
}

bool tptp_ticks_ns(int64_t *ns, const tptp_ticks *t, uint64_t ticks)
{
    uint64_t f = t->frequency;
    uint64_t whole;
    uint64_t part;
    uint64_t sum;
    if (t->each != 0) {
        if (ts_ckd_mul(&sum, ticks, t->each)) {
            return false;
        }
    } else if (f == 0) {
        if (ts_ckd_mul(&sum, ticks, t->scale == 0 ? 1 : t->scale)) {
            return false;
        }
    } else {
        part = ticks % f;
        part = f <= UINT64_MAX / NS ? part * NS / f : (uint64_t)((wide)part * NS / f);
        if (ts_ckd_mul(&whole, ticks / f, NS) || ts_ckd_add(&sum, whole, part)) {
            return false;
        }
    }
    *ns = (int64_t)sum;
    return sum <= INT64_MAX;
}

bool tptp_ticks_span(int64_t *ns, const tptp_ticks *t, int64_t ticks)
{
    bool negative = ticks < 0;
    bool fits = tptp_ticks_ns(ns, t, negative ? 0 - (uint64_t)ticks : (uint64_t)ticks);
    *ns = negative && fits ? -*ns : *ns;
    return fits;
}
